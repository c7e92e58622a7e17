//! The way out of the machine: proxies and certificates by the variables that everyone knows, seen
//! through a healthcheck, which goes the same way as models do; and keys that are written into a
//! targets file.

use std::{
    io::{BufRead as _, BufReader, Read, Write},
    net::TcpListener,
    sync::{Arc, Mutex},
    thread,
};

use agentv_testkit::Project;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned, crypto::ring, pki_types::PrivatePkcs8KeyDer,
};

use crate::project::{column, manifest, project};

/// Answers everything that comes with one head, and remembers the first line of each request.
struct Server {
    address: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(reply: &'static str, tls: Option<ServerConfig>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let lines = Arc::clone(&heard);
        let tls = tls.map(Arc::new);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let line = match &tls {
                    None => answer(stream, reply),
                    Some(config) => {
                        let connection = ServerConnection::new(Arc::clone(config)).unwrap();
                        answer(StreamOwned::new(connection, stream), reply)
                    }
                };
                lines.lock().unwrap().extend(line);
            }
        });
        Self { address, heard }
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

/// Reads one request and answers it; gives its first line. A client may go away at any time.
fn answer(mut stream: impl Read + Write, head: &str) -> Option<String> {
    let mut first = None;
    let mut reader = BufReader::new(&mut stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        first.get_or_insert(line.trim().to_owned());
    }
    drop(reader);
    let answer = format!("HTTP/1.1 {head}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    stream.write_all(answer.as_bytes()).ok()?;
    stream.flush().ok()?;
    first
}

/// A project whose target is checked at this address.
fn checked_at(url: &str) -> Project {
    project("echo ok", &[&format!("healthcheck: {{type: http, url: '{url}'}}")], &["a"])
}

/// Runs it; gives the error of its case, if it has one.
fn error(project: &Project) -> Option<String> {
    let run = project.run(&["eval", "suite.yaml"]);
    assert!(matches!(run.code, Some(0 | 3)), "{}", run.seen());
    column(project, "error")[0].as_str().map(str::to_owned)
}

#[test]
fn a_proxy_is_used_for_the_addresses_that_it_is_for() {
    for (variable, url, line) in [
        ("HTTP_PROXY", "http://agentv.invalid/x", "GET http://agentv.invalid/x HTTP/1.1"),
        ("http_proxy", "http://agentv.invalid/x", "GET http://agentv.invalid/x HTTP/1.1"),
        ("ALL_PROXY", "http://agentv.invalid/x", "GET http://agentv.invalid/x HTTP/1.1"),
        ("all_proxy", "http://agentv.invalid/x", "GET http://agentv.invalid/x HTTP/1.1"),
        ("HTTPS_PROXY", "https://agentv.invalid/x", "CONNECT agentv.invalid:443 HTTP/1.1"),
        ("https_proxy", "https://agentv.invalid/x", "CONNECT agentv.invalid:443 HTTP/1.1"),
    ] {
        let proxy = Server::new("200 OK", None);
        let address = format!("http://{}", proxy.address);
        let error = error(&checked_at(url).env(variable, &address));
        // Behind the tunnel there is nobody.
        assert_eq!(error.is_some(), url.starts_with("https"), "{variable}: {error:?}");
        assert_eq!(proxy.heard(), [line], "{variable}");
    }
}

#[test]
fn addresses_that_need_no_proxy_are_asked_directly() {
    for variable in ["NO_PROXY", "no_proxy"] {
        let proxy = Server::new("502 Bad Gateway", None);
        let server = Server::new("200 OK", None);
        let project = checked_at(&format!("http://{}/x", server.address))
            .env("HTTP_PROXY", &format!("http://{}", proxy.address))
            .env(variable, "example.org,127.0.0.1");
        assert_eq!(error(&project), None);
        assert_eq!((proxy.heard().len(), server.heard()), (0, vec!["GET /x HTTP/1.1".to_owned()]));
    }
}

/// A server that nobody trusts, and its certificate.
fn untrusted() -> (Server, String) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key = PrivatePkcs8KeyDer::from(signing_key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key.into())
        .unwrap();
    (Server::new("200 OK", Some(config)), cert.pem())
}

#[test]
fn an_authority_is_trusted_that_any_of_the_known_variables_names() {
    let (server, certificate) = untrusted();
    let checked = || {
        checked_at(&format!("https://{}/", server.address))
            .file("ca/ca.pem", &certificate)
            .file("ca/0123abcd.0", &certificate)
    };
    let distrusted = error(&checked()).unwrap();
    assert!(distrusted.contains("certificate"), "{distrusted}");
    assert_eq!(server.heard(), [""; 0]);
    for variable in ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"]
    {
        let project = checked();
        let file = project.path("ca/ca.pem").display().to_string();
        assert_eq!(error(&project.env(variable, &file)), None, "{variable}");
    }
    let project = checked();
    let folder = project.path("ca").display().to_string();
    assert_eq!(error(&project.env("SSL_CERT_DIR", &folder)), None);
    // Also where the system trusts nobody.
    let project = checked();
    let file = project.path("ca/ca.pem").display().to_string();
    let project = project.env("CURL_CA_BUNDLE", &file).env("SSL_CERT_FILE", "/nonexistent");
    assert_eq!(error(&project.env("SSL_CERT_DIR", "/nonexistent")), None);
}

#[test]
fn authorities_that_cannot_be_read_are_named_where_they_are_needed() {
    let (server, _) = untrusted();
    let project = checked_at(&format!("https://{}/", server.address));
    let fault = error(&project.env("REQUESTS_CA_BUNDLE", "/nonexistent/ca.pem")).unwrap();
    assert!(fault.contains("REQUESTS_CA_BUNDLE names `/nonexistent/ca.pem`, which"), "{fault}");
    let plain = Server::new("200 OK", None);
    let project = checked_at(&format!("http://{}/", plain.address));
    assert_eq!(error(&project.env("REQUESTS_CA_BUNDLE", "/nonexistent/ca.pem")), None);
    // An empty variable names nothing.
    let project = checked_at(&format!("https://{}/", server.address));
    let fault = error(&project.env("REQUESTS_CA_BUNDLE", "")).unwrap();
    assert!(!fault.contains("REQUESTS_CA_BUNDLE"), "{fault}");
}

#[test]
fn a_healthcheck_follows_where_it_is_sent() {
    let server = Server::new("200 OK", None);
    let location = format!("302 Found\r\nlocation: http://{}/there", server.address);
    let first = Server::new(location.leak(), None);
    assert_eq!(error(&checked_at(&format!("http://{}/here", first.address))), None);
    assert_eq!(server.heard(), ["GET /there HTTP/1.1"]);
    let around = Server::new("307 Temporary Redirect\r\nlocation: /again", None);
    let fault = error(&checked_at(&format!("http://{}/", around.address))).unwrap();
    assert!(fault.contains("is redirected for ever"), "{fault}");
}

#[test]
fn keys_that_are_written_into_a_targets_file_are_not_shown_or_recorded() {
    let command = "echo \"$MY_API_KEY / $AUTHORIZATION / ${AUTHORIZATION#Bearer }\" >&2; exit 1";
    let settings = ["env: {MY_API_KEY: canary-12345, AUTHORIZATION: Bearer canary-67890}"];
    let project = project(command, &settings, &["a"]);
    let run = project.run(&["eval", "suite.yaml", "-v"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let error = column(&project, "error")[0].as_str().unwrap().to_owned();
    assert!(error.contains("*** / *** / ***"), "{error}");
    let recorded = manifest(&project).to_string();
    for text in [&run.stdout, &run.stderr, &recorded, &project.rows_text()] {
        assert!(!text.contains("canary"), "{text}");
    }
}
