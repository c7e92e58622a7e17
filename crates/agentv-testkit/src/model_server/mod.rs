//! A server on loopback that speaks as the services of models do, and fails as they do.
//!
//! It is as strict as they are: a wrong path, a missing key or a request that lacks something is
//! refused in the vendor's own words. What passes is answered by a script.

use std::{net::TcpStream, path::PathBuf, sync::Arc};

use rustls::{ServerConnection, StreamOwned};

use crate::{certificates::Certificates, listening::Listening};

mod answer;
mod asked;
pub(crate) mod http;
mod ledger;
mod serving;
mod vendor;

pub use answer::{Answer, Finish};
pub use asked::{Asked, Vendor};
use ledger::Ledger;

/// A name for the server besides its address, for clients that ask a proxy for it.
pub const MODEL_HOST: &str = "models.test";

/// A running server. It ends with this, and everyone who waits for it is let go.
pub struct ModelServer {
    listening: Listening,
    ledger: Arc<Ledger>,
    certificates: Option<Certificates>,
}

impl ModelServer {
    /// Answers `ok` to everything until it is told otherwise.
    pub fn start() -> Self {
        Self::start_with(None)
    }

    /// The same over TLS, with a certificate that nobody trusts who has not read `ca_pem`.
    pub fn start_tls() -> Self {
        Self::start_with(Some(Certificates::new(&[MODEL_HOST])))
    }

    fn start_with(certificates: Option<Certificates>) -> Self {
        let ledger = Arc::new(Ledger::default());
        let config = certificates.as_ref().map(|certificates| Arc::clone(&certificates.config));
        let serving = Arc::clone(&ledger);
        let listening = Listening::start(move |mut stream: TcpStream| {
            let _ = stream.set_nodelay(true);
            // Whatever goes wrong with a connection is the business of the client.
            let _ = match &config {
                None => serving::serve(&mut stream, &serving),
                Some(config) => match ServerConnection::new(Arc::clone(config)) {
                    Ok(session) => {
                        let mut stream = StreamOwned::new(session, stream);
                        let served = serving::serve(&mut stream, &serving);
                        stream.conn.send_close_notify();
                        let _ = stream.conn.complete_io(&mut stream.sock);
                        served
                    }
                    Err(_) => Ok(()),
                },
            };
        });
        Self { listening, ledger, certificates }
    }

    /// Only this key will do. Without it any key does, but there must be one.
    #[must_use]
    pub fn key(self, key: &str) -> Self {
        self.ledger.pages().key = Some(key.to_owned());
        self
    }

    /// What is answered next, after everything that was said so before. When all of it is said and
    /// there is no script, requests are refused.
    #[must_use]
    pub fn then(self, answer: Answer) -> Self {
        let mut pages = self.ledger.pages();
        pages.queue.push_back(answer);
        pages.is_scripted = true;
        drop(pages);
        self
    }

    /// What is answered to whom, when nothing is said to come next.
    #[must_use]
    pub fn answers(self, script: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        self.ledger.pages().script = Some(Arc::new(script));
        self
    }

    /// Everything that was asked until now, in the order of arrival.
    pub fn asked(&self) -> Vec<Asked> {
        self.ledger.pages().asked.clone()
    }

    /// How many requests were under way at once at most.
    pub fn most_at_once(&self) -> usize {
        self.ledger.pages().most_at_once
    }

    /// How many clients did not wait for an answer that never came.
    pub fn gave_up(&self) -> usize {
        self.ledger.pages().gave_up
    }

    /// How many connections there were.
    pub fn connections(&self) -> usize {
        self.listening.accepted()
    }

    /// Waits until so many requests have arrived.
    pub fn wait_for(&self, count: usize) {
        let what = format!("{count} requests have arrived");
        self.ledger.wait(&what, |pages| pages.asked.len() >= count);
    }

    /// Waits until so many requests are held.
    pub fn wait_for_held(&self, count: usize) {
        self.ledger.wait(&format!("{count} requests are held"), |pages| pages.held >= count);
    }

    /// Waits until a client has given up on an answer that never came.
    pub fn wait_for_giving_up(&self, count: usize) {
        let what = format!("{count} clients have given up");
        self.ledger.wait(&what, |pages| pages.gave_up >= count);
    }

    /// Lets everyone go who is held, now and later.
    pub fn release(&self) {
        self.ledger.release();
    }

    /// Lets so many of those go who are held, or who will be.
    pub fn release_some(&self, count: usize) {
        self.ledger.release_some(count);
    }

    /// Scheme and address, without a path.
    pub fn base_url(&self) -> String {
        let scheme = if self.certificates.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.listening.address())
    }

    /// The port, for those who call the server by another name.
    pub fn port(&self) -> u16 {
        self.listening.address().port()
    }

    /// The `base_url` of targets of OpenAI, chat and responses.
    pub fn openai_url(&self) -> String {
        format!("{}/v1", self.base_url())
    }

    /// The `endpoint` of targets of Azure.
    pub fn azure_url(&self) -> String {
        self.base_url()
    }

    /// The `base_url` of targets of Anthropic.
    pub fn anthropic_url(&self) -> String {
        self.base_url()
    }

    /// The `base_url` of targets of Gemini.
    pub fn gemini_url(&self) -> String {
        self.base_url()
    }

    /// The authority behind the certificate of a server that speaks TLS.
    pub fn ca_pem(&self) -> PathBuf {
        self.certificates.as_ref().expect("the server speaks TLS").ca_pem()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.ledger.end();
        let nobody_panicked = self.listening.end();
        assert!(nobody_panicked || std::thread::panicking(), "a script of the server panicked");
    }
}
