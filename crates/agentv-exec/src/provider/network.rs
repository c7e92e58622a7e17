//! The way out: the one HTTP client of a run, which every target and check goes through.
//!
//! Proxies (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`) and the certificates of the
//! system (`SSL_CERT_FILE`, `SSL_CERT_DIR`) are found by the client itself. Redirects are not
//! followed: a request carries keys, which are for the host that it was meant for.

use std::{
    collections::HashMap,
    error::Error,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use reqwest::{Certificate, Client, ClientBuilder, redirect::Policy};

use super::{model::Gate, proxy::Proxies};

/// How long a connection may take to come about where nobody says otherwise.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Requests of one target at once where neither it nor anybody else says otherwise.
const DEFAULT_WORKERS: usize = 4;

const USER_AGENT: &str = concat!("agentv/", env!("CARGO_PKG_VERSION"));

/// Certificates of authorities that are trusted besides those of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtraAuthorities {
    /// The variable that names the file.
    pub variable: String,
    pub file: PathBuf,
}

/// What the requests of a run share. Made without reading or starting anything: most runs have no
/// use for a client, and setting up TLS takes a while.
pub struct Network {
    authorities: Vec<ExtraAuthorities>,
    default_workers: usize,
    /// The file that the client takes for the certificates of the system, where the environment
    /// names one.
    system: Option<ExtraAuthorities>,
    proxies: Proxies,
    /// Whether nobody is asked through a proxy, whatever the environment names.
    direct: bool,
    /// One, unless targets differ in how long a connection may take. Why there is none is kept as
    /// well: nobody reads the certificates again for every request.
    clients: Mutex<HashMap<(Trust, Duration), Result<Client, NoClient>>>,
    /// By targets file and name.
    gates: Mutex<Gates>,
}

type Gates = HashMap<(PathBuf, Arc<str>), Arc<Gate>>;

/// Whom a client believes that a host is who it says.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Trust {
    Authorities,
    Nobody,
}

impl Default for Network {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl Network {
    pub fn new(authorities: Vec<ExtraAuthorities>) -> Self {
        Self {
            authorities,
            default_workers: DEFAULT_WORKERS,
            system: None,
            proxies: Proxies::default(),
            direct: false,
            clients: Mutex::default(),
            gates: Mutex::default(),
        }
    }

    /// With as many requests at once to a target that does not say how many.
    #[must_use]
    pub fn with_workers(mut self, workers: usize) -> Self {
        self.default_workers = workers;
        self
    }

    /// With the certificates of the system in this file.
    #[must_use]
    pub fn with_system_authorities(mut self, system: Option<ExtraAuthorities>) -> Self {
        self.system = system;
        self
    }

    /// With these proxies named by the environment, where the client finds them.
    #[must_use]
    pub fn with_proxies(mut self, proxies: Proxies) -> Self {
        self.proxies = proxies;
        self
    }

    /// Without any proxy.
    #[must_use]
    pub fn direct(mut self, direct: bool) -> Self {
        self.direct = direct;
        self
    }

    /// The client for an address.
    pub(super) fn client(&self, url: &str, connect: Duration) -> Result<Client, NoClient> {
        if !self.direct {
            self.proxies.check(url).map_err(NoClient)?;
        }
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let trusting = clients
            .entry((Trust::Authorities, connect))
            .or_insert_with(|| self.build(connect))
            .clone();
        if trusting.is_ok() || !url.starts_with("http://") {
            return trusting;
        }
        // A machine without certificates of authorities, as small containers are, can still speak
        // plain HTTP.
        let build = || {
            let built = self.builder(connect).tls_certs_only([]).build();
            built.map_err(|error| self.untrusting(&error))
        };
        clients.entry((Trust::Nobody, connect)).or_insert_with(build).clone()
    }

    fn build(&self, connect: Duration) -> Result<Client, NoClient> {
        let mut extra = Vec::new();
        for authority in &self.authorities {
            extra.extend(authority.read()?);
        }
        let merged = self.builder(connect).tls_certs_merge(extra.clone()).build();
        match merged {
            // The system has none at all, but there are others.
            Err(_) if !extra.is_empty() => {
                let only = self.builder(connect).tls_certs_only(extra).build();
                only.map_err(|error| self.untrusting(&error))
            }
            built => built.map_err(|error| self.untrusting(&error)),
        }
    }

    /// Why there is nobody to trust: the client only knows that there is none.
    fn untrusting(&self, error: &reqwest::Error) -> NoClient {
        let unread = self.system.as_ref().and_then(|system| system.read().err());
        unread.unwrap_or_else(|| NoClient::tls(error))
    }

    fn builder(&self, connect: Duration) -> ClientBuilder {
        // A second installation is refused, which is as good as the first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder().user_agent(USER_AGENT).redirect(Policy::none());
        let builder = builder.connect_timeout(connect);
        if self.direct { builder.no_proxy() } else { builder }
    }

    /// The gate of a target, for all who ask it.
    pub(super) fn gate(&self, file: &Path, name: &Arc<str>, workers: Option<usize>) -> Arc<Gate> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        let gate = gates
            .entry((file.to_owned(), Arc::clone(name)))
            .or_insert_with(|| Arc::new(Gate::new(workers.unwrap_or(self.default_workers))));
        Arc::clone(gate)
    }
}

impl ExtraAuthorities {
    fn read(&self) -> Result<Vec<Certificate>, NoClient> {
        let fault = |what: String| {
            let Self { variable, file } = self;
            NoClient(format!("{variable} names `{}`, {what}", file.display()))
        };
        let text = std::fs::read(&self.file)
            .map_err(|error| fault(format!("which cannot be read: {error}")))?;
        let certificates = Certificate::from_pem_bundle(&text).map_err(|error| {
            fault(format!("which holds no certificates: {}", innermost(&error)))
        })?;
        if certificates.is_empty() {
            return Err(fault("which holds no certificates (in PEM form)".to_owned()));
        }
        Ok(certificates)
    }
}

/// Why there is no client.
#[derive(Clone, Debug)]
pub(super) struct NoClient(String);

impl NoClient {
    fn tls(error: &reqwest::Error) -> Self {
        let reason = innermost(error);
        Self(format!("no HTTP client: {reason} (SSL_CERT_FILE names certificates)"))
    }
}

impl fmt::Display for NoClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The cause at the bottom says more ("connection refused") than the sentences around it.
pub(super) fn innermost(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Why there is no client for an address with this file of authorities.
    fn check(url: &str, content: Option<&str>) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        if let Some(content) = content {
            std::fs::write(&file, content).unwrap();
        }
        let variable = "NODE_EXTRA_CA_CERTS".to_owned();
        let network = Network::new(vec![ExtraAuthorities { variable, file: file.clone() }]);
        let fault = network.client(url, CONNECT_TIMEOUT).err()?.to_string();
        Some(fault.replace(&file.display().to_string(), "FILE"))
    }

    #[test]
    fn authorities_that_cannot_be_read_are_told_with_variable_and_file() {
        for content in [None, Some(""), Some("no certificate")] {
            let fault = check("https://127.0.0.1", content).unwrap();
            assert!(fault.starts_with("NODE_EXTRA_CA_CERTS names `FILE`, which "), "{fault}");
        }
    }

    #[test]
    fn a_client_that_cannot_be_built_is_tried_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        let variable = "NODE_EXTRA_CA_CERTS".to_owned();
        let network = Network::new(vec![ExtraAuthorities { variable, file: file.clone() }]);
        let fault =
            || network.client("https://127.0.0.1", CONNECT_TIMEOUT).unwrap_err().to_string();
        let missing = fault();
        std::fs::write(&file, "no certificate").unwrap();
        assert_eq!(fault(), missing);
    }

    #[test]
    fn plain_http_needs_no_authorities() {
        assert_eq!(check("http://127.0.0.1", None), None);
    }

    #[test]
    fn a_target_has_one_gate_in_a_run() {
        let network = Network::default().with_workers(7);
        let name: Arc<str> = "a".into();
        let gate = network.gate(Path::new("/t.yaml"), &name, None);
        assert!(Arc::ptr_eq(&gate, &network.gate(Path::new("/t.yaml"), &name, Some(2))));
        assert!(!Arc::ptr_eq(&gate, &network.gate(Path::new("/u.yaml"), &name, None)));
    }
}
