//! An authority that nobody knows, and a certificate of it for servers on loopback.

use std::{path::PathBuf, sync::Arc};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tempfile::TempDir;

/// What a server that speaks TLS needs, and the file that makes a client trust it.
pub(crate) struct Certificates {
    folder: TempDir,
    pub(crate) config: Arc<ServerConfig>,
}

impl Certificates {
    /// For 127.0.0.1, `localhost`, and these further names.
    pub(crate) fn new(names: &[&str]) -> Self {
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.distinguished_name.push(DnType::CommonName, "Nobody knows this authority");
        let key = KeyPair::generate().expect("a key");
        let authority = CertifiedIssuer::self_signed(authority, key).expect("an authority");

        let names: Vec<String> =
            ["127.0.0.1", "localhost"].iter().chain(names).map(|name| (*name).to_owned()).collect();
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(names).expect("names");
        let certificate = params.signed_by(&key, &authority).expect("a certificate");

        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions of TLS")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("a certificate and its key");
        let folder = tempfile::Builder::new().prefix("authority-").tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), authority.pem()).unwrap();
        Self { folder, config: Arc::new(config) }
    }

    pub(crate) fn ca_pem(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }
}
