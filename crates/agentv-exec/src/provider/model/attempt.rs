//! One try: a request goes out, an answer is read as far as it is allowed to be long, and is
//! understood; or it is said what was wrong.

use std::time::Duration;

use agentv_base::FailureKind;
use jiff::Timestamp;
use reqwest::{
    Client, Request, Response, StatusCode,
    header::{CONTENT_ENCODING, DATE, HeaderMap, HeaderName, LOCATION, RETRY_AFTER},
};
use serde::de::IgnoredAny;

use super::{
    complaint::{Called, Discretion, Unreached, hint, html_page, words_of},
    retry::{Fault, WaitHeaders},
    wire::{Reply, Wire},
};
use crate::provider::network::innermost;

/// Most bytes of an answer.
const LONGEST_ANSWER: usize = 32 * 1024 * 1024;

/// Most bytes of a body that is only read for what it says of an error.
const LONGEST_COMPLAINT: usize = 1024 * 1024;

/// What a request is called by the services, for those who ask their support.
const REQUEST_IDS: [&str; 3] = ["x-request-id", "request-id", "apim-request-id"];

/// What every try of a request has in common.
pub(super) struct Attempt<'a> {
    pub(super) wire: &'a dyn Wire,
    pub(super) discretion: &'a Discretion,
    /// As it may be shown.
    pub(super) url: &'a str,
    pub(super) called: Called,
}

/// An answer that was understood.
pub(super) struct Heard {
    pub(super) reply: Reply,
    pub(super) status: StatusCode,
    pub(super) request_id: Option<String>,
}

/// What was wrong with a try.
pub(super) struct Trouble {
    pub(super) fault: Fault,
    /// What it is if it was the last one; of a status it depends on why.
    pub(super) kind: FailureKind,
    pub(super) what: String,
    pub(super) hint: Option<String>,
    pub(super) retry_after: Option<Duration>,
}

impl Trouble {
    fn new(fault: Fault, kind: FailureKind, what: String) -> Self {
        Self { fault, kind, what, hint: None, retry_after: None }
    }
}

impl Attempt<'_> {
    pub(super) async fn run(
        &self,
        client: &Client,
        request: Request,
        connect: Duration,
    ) -> Result<Heard, Trouble> {
        let answer = client.execute(request).await;
        let mut answer = answer.map_err(|error| self.unreachable(&error, connect))?;
        let status = answer.status();
        if let Some(encoding) = encoding(answer.headers()) {
            return Err(self.encoded(status, answer.headers(), encoding));
        }
        let most = if status.is_success() { LONGEST_ANSWER } else { LONGEST_COMPLAINT };
        let body = read(&mut answer, most).await;
        if !status.is_success() {
            // Half of what it says is better than nothing.
            let said = match &body {
                Body::Whole(said) | Body::TooLong(said) | Body::Broken(said, _) => said,
            };
            return Err(self.refused(status, answer.headers(), said));
        }
        match body {
            Body::Whole(body) => self.understood(status, answer.headers(), &body),
            Body::TooLong(_) => {
                let most = LONGEST_ANSWER / 1024 / 1024;
                let what = format!("its answer is longer than {most} MiB");
                Err(Trouble::new(Fault::Unusable, FailureKind::Output, what))
            }
            Body::Broken(read, error) => {
                let (url, bytes) = (self.url, read.len());
                let what = format!(
                    "the connection to {url} broke in the middle of its answer, after {bytes} \
                     bytes: {}",
                    self.discretion.show(&innermost(&error))
                );
                Err(Trouble::new(Fault::Connection, FailureKind::Connection, what))
            }
        }
    }

    fn understood(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<Heard, Trouble> {
        let fault = match self.wire.read(body) {
            Ok(reply) => {
                let known = REQUEST_IDS
                    .iter()
                    .find_map(|name| text(headers, &HeaderName::from_static(name)));
                let request_id = known.map(|id| self.discretion.show(id));
                return Ok(Heard { reply, status, request_id });
            }
            Err(fault) => fault,
        };
        if let Some(page) = html_page(body, self.discretion) {
            let what = format!("{} answered {status} with {page}", self.url);
            let trouble = Trouble::new(Fault::Garbled, FailureKind::Output, what);
            let hint = format!("check that `{}` is the address of the API", self.called.address);
            return Err(Trouble { hint: Some(hint), ..trouble });
        }
        if body.trim_ascii().is_empty() {
            let what = format!("{} answered {status} without a body", self.url);
            return Err(Trouble::new(Fault::Garbled, FailureKind::Output, what));
        }
        // What the service wrote is JSON, or was cut off on its way.
        let whole = serde_json::from_slice::<IgnoredAny>(body).is_ok();
        let kind = if whole { Fault::Unusable } else { Fault::Garbled };
        let what = format!("its answer {}", self.discretion.show(&fault));
        Err(Trouble::new(kind, FailureKind::Output, what))
    }

    /// Nobody asked for an encoding, so nobody can read it; a status is understood all the same.
    fn encoded(&self, status: StatusCode, headers: &HeaderMap, encoding: &str) -> Trouble {
        let encoded =
            format!("encoded (`content-encoding: {}`)", self.discretion.show(encoding.trim()));
        if status.is_success() {
            let what = format!("its answer is {encoded}, which nobody asked for");
            let hint = "turn compression off in the server, or in what stands before it".to_owned();
            let trouble = Trouble::new(Fault::Unusable, FailureKind::Output, what);
            return Trouble { hint: Some(hint), ..trouble };
        }
        self.answered(status, headers, &format!(", {encoded}"))
    }

    fn refused(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Trouble {
        let said = words_of(body, self.wire, self.discretion);
        let trouble = self.answered(status, headers, &said);
        match self.wire.dead_end(body) {
            Some(way_out) => Trouble {
                fault: Fault::Unusable,
                kind: FailureKind::Refused,
                hint: Some(way_out.to_owned()),
                ..trouble
            },
            None => trouble,
        }
    }

    /// It was answered with a status that is no success, and with these words.
    fn answered(&self, status: StatusCode, headers: &HeaderMap, said: &str) -> Trouble {
        let wait = WaitHeaders {
            retry_after: text(headers, &RETRY_AFTER),
            retry_after_ms: text(headers, &HeaderName::from_static("retry-after-ms")),
            date: text(headers, &DATE),
        };
        let location = text(headers, &LOCATION).map(|to| self.discretion.hide(to));
        Trouble {
            fault: Fault::Status(status.as_u16()),
            kind: FailureKind::Http,
            hint: hint(status.as_u16(), said, location.as_deref(), self.called),
            what: format!("{} answered {status}{said}", self.url),
            retry_after: wait.wait(Timestamp::now()),
        }
    }

    fn unreachable(&self, error: &reqwest::Error, connect: Duration) -> Trouble {
        let url = self.url;
        let cause = self.discretion.show(&innermost(error));
        let what = if error.is_connect() && error.is_timeout() {
            format!("{url} could not be reached within {} s", connect.as_secs_f64())
        } else if error.is_connect() {
            format!("{url} could not be reached: {cause}")
        } else {
            format!("the connection to {url} broke: {cause}")
        };
        let why = Unreached::by(error.is_connect(), &cause);
        let fault = if why.will_pass() { Fault::Connection } else { Fault::Unusable };
        let trouble = Trouble::new(fault, FailureKind::Connection, what);
        Trouble { hint: why.hint(self.called), ..trouble }
    }
}

/// How the body is encoded, where it is.
fn encoding(headers: &HeaderMap) -> Option<&str> {
    text(headers, &CONTENT_ENCODING).filter(|encoding| {
        !encoding.trim().is_empty() && !encoding.trim().eq_ignore_ascii_case("identity")
    })
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// A body, and how its reading ended.
enum Body {
    Whole(Vec<u8>),
    /// As much of it as is allowed.
    TooLong(Vec<u8>),
    /// As much of it as came.
    Broken(Vec<u8>, reqwest::Error),
}

async fn read(answer: &mut Response, most: usize) -> Body {
    let mut body = Vec::new();
    loop {
        match answer.chunk().await {
            Ok(None) => return Body::Whole(body),
            Ok(Some(chunk)) => {
                let room = most - body.len();
                body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
                if chunk.len() > room {
                    return Body::TooLong(body);
                }
            }
            Err(error) => return Body::Broken(body, error),
        }
    }
}
