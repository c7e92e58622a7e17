//! What a service says when it does not answer as it should, in words for people: short, without
//! anything secret, and with a way out where there is one.

use std::borrow::Cow;

use agentv_base::{Redactor, excerpt, is_secret_name};

use super::wire::{Outgoing, Wire};

/// Most characters of what a service says of an error.
const SAID: usize = 500;

/// Most bytes of a body that is only looked at for words.
const LOOKED_AT: usize = 64 * 1024;

/// Shorter values of secret headers are words that servers on one's own machine are given for want
/// of a key, such as `none`.
const SHORTEST_KEY: usize = 8;

/// In an answer only what is long enough to be no word of it is taken for a key.
const SHORTEST_KEY_IN_ANSWER: usize = 16;

/// Hides the secrets that the run knows, and those that this request carries.
pub(super) struct Discretion {
    run: Redactor,
    request: Redactor,
    answer: Redactor,
}

impl Discretion {
    pub(super) fn new(run: &Redactor, outgoing: &Outgoing) -> Self {
        let secret = outgoing.headers.iter().filter(|(name, _)| is_secret_name(name));
        let keys = secret.flat_map(|(_, value)| {
            // Of `Bearer abc` it is `abc` that a server repeats when it complains.
            [Some(value.as_str()), value.split_whitespace().next_back()]
        });
        let keys: Vec<&str> = keys.flatten().collect();
        let from = |shortest| {
            let long = keys.iter().filter(|key| key.len() >= shortest);
            Redactor::new(long.map(|key| (*key).to_owned()))
        };
        Self { run: run.clone(), request: from(SHORTEST_KEY), answer: from(SHORTEST_KEY_IN_ANSWER) }
    }

    pub(super) fn hide(&self, text: &str) -> String {
        self.request.redact(&self.run.redact(text)).into_owned()
    }

    /// As much of a text from outside as a message may show.
    pub(super) fn show(&self, text: &str) -> String {
        excerpt(&self.hide(text), SAID)
    }

    /// An answer without the keys of its own request. It is the answer that is graded, so nothing
    /// else is touched.
    pub(super) fn without_keys<'t>(&self, answer: &'t str) -> Cow<'t, str> {
        self.answer.redact(answer)
    }
}

/// What a body of no use says, as it goes on after a status; empty where it says nothing.
pub(super) fn words_of(body: &[u8], wire: &dyn Wire, discretion: &Discretion) -> String {
    if let Some(error) = wire.error_in(body).filter(|error| !error.trim().is_empty()) {
        return format!(": {}", discretion.show(error.trim()));
    }
    if let Some(page) = html_page(body, discretion) {
        return format!(" with {page}");
    }
    let text = String::from_utf8_lossy(body.get(..LOOKED_AT).unwrap_or(body));
    match text.trim() {
        "" => String::new(),
        said => format!(": {}", discretion.show(said)),
    }
}

/// A page for people, where a program was asked: of a proxy, a gateway or a login. Nothing where
/// the body is none.
pub(super) fn html_page(body: &[u8], discretion: &Discretion) -> Option<String> {
    let text = String::from_utf8_lossy(body.get(..LOOKED_AT).unwrap_or(body));
    // Offsets stay what they are: only ASCII letters change.
    let lower = text.to_ascii_lowercase();
    let start = lower.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    if !start.starts_with("<!doctype html") && !start.starts_with("<html") {
        return None;
    }
    let title = || {
        let open = lower.find("<title")?;
        let from = open + lower.get(open..)?.find('>')? + 1;
        let length = lower.get(from..)?.find("</title")?;
        let title = text.get(from..from + length)?.split_whitespace().collect::<Vec<_>>();
        Some(title.join(" ")).filter(|title| !title.is_empty())
    };
    Some(match title() {
        Some(title) => format!("an HTML page, `{}`", excerpt(&discretion.hide(&title), 100)),
        None => "an HTML page".to_owned(),
    })
}

/// What the keys of a target are called that its author may have to look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Called {
    pub(super) model: &'static str,
    pub(super) address: &'static str,
}

/// Why a service could not be reached, as far as it matters for what can be done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreached {
    Distrusted,
    /// It answered, but not in the language of TLS.
    WithoutTls,
    NoConnection,
    Broken,
}

impl Unreached {
    /// By what the client says of it, for which it has no types.
    pub(super) fn by(is_connect: bool, cause: &str) -> Self {
        if cause.contains("certificate") {
            Self::Distrusted
        } else if cause.contains("InvalidContentType") {
            Self::WithoutTls
        } else if is_connect {
            Self::NoConnection
        } else {
            Self::Broken
        }
    }

    /// Whether it can be different in a second.
    pub(super) fn will_pass(self) -> bool {
        match self {
            Self::Distrusted | Self::WithoutTls => false,
            Self::NoConnection | Self::Broken => true,
        }
    }

    pub(super) fn hint(self, called: Called) -> Option<String> {
        let address = called.address;
        match self {
            Self::Distrusted => Some(
                "SSL_CERT_FILE names a file with the certificates of authorities to trust"
                    .to_owned(),
            ),
            Self::WithoutTls => Some(format!(
                "does the server speak plain http? Then `{address}` begins with `http://`"
            )),
            Self::NoConnection => Some(format!("is the server running? Check `{address}`")),
            Self::Broken => None,
        }
    }
}

/// What can be done about a status.
pub(super) fn hint(
    status: u16,
    said: &str,
    location: Option<&str>,
    called: Called,
) -> Option<String> {
    let Called { model, address } = called;
    let said = said.to_ascii_lowercase();
    let of_format =
        ["response_format", "json_schema", "responseschema", "text.format", "tool_choice"];
    Some(match status {
        300..400 => {
            let to = location.map(|to| format!(" to {}", excerpt(to, 200))).unwrap_or_default();
            format!("redirects{to} are not followed; set the address itself in `{address}`")
        }
        400 | 422 if of_format.iter().any(|word| said.contains(word)) => {
            "if the server knows no structured output, set `structured_output: false`".to_owned()
        }
        401 | 403 => "check `api_key` of the target".to_owned(),
        404 => format!("check `{model}` and `{address}` of the target"),
        407 => "the proxy wants a name and a password: `HTTPS_PROXY=http://name:password@host`"
            .to_owned(),
        429 => "ask for less at once (`workers`) or wait longer (`max_retries`, \
                `timeout_seconds`)"
            .to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::provider::model::wire::{Ask, Reply};

    /// Knows errors of the form `{"error": "…"}`.
    struct Plain;

    impl Wire for Plain {
        fn request(&self, _ask: &Ask<'_>) -> Outgoing {
            Outgoing { url: String::new(), headers: Vec::new(), body: Value::Null }
        }

        fn read(&self, _body: &[u8]) -> Result<Reply, String> {
            Err("is no answer".to_owned())
        }

        fn error_in(&self, body: &[u8]) -> Option<String> {
            let body: Value = serde_json::from_slice(body).ok()?;
            Some(body.get("error")?.as_str()?.to_owned())
        }
    }

    fn check(body: &str) -> String {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let outgoing = Outgoing {
            headers: vec![
                header("authorization", "Bearer sk-in-a-header"),
                header("x-api-key", "none"),
                header("x-team", "team-of-mine"),
            ],
            ..Plain.request(&Ask { chat: &[], schema: None })
        };
        let run = Redactor::new(["known-secret".to_owned()]);
        words_of(body.as_bytes(), &Plain, &Discretion::new(&run, &outgoing))
    }

    #[test]
    fn what_the_service_says_of_the_error_comes_first() {
        assert_eq!(check(r#"{"error": " too bad\u001b[31m "}"#), ": too bad\\u{1b}[31m");
        assert_eq!(check(r#"{"error": ""}"#), r#": {"error": ""}"#);
        assert_eq!(check("Service Unavailable\n"), ": Service Unavailable");
        assert_eq!(check(" \n"), "");
    }

    #[test]
    fn a_page_is_known_by_its_title() {
        let page = "\n<!DOCTYPE html><HTML><head><Title lang=en>502\n Bad Gateway</title>";
        assert_eq!(check(page), " with an HTML page, `502 Bad Gateway`");
        assert_eq!(check("<html><body>no"), " with an HTML page");
        assert_eq!(check("<html><title></title>"), " with an HTML page");
        assert_eq!(check("<html><title>ü"), " with an HTML page");
        assert_eq!(check("<xml>"), ": <xml>");
    }

    #[test]
    fn keys_are_hidden_whoever_repeats_them() {
        let said = check(r#"{"error": "key sk-in-a-header of team-of-mine, known-secret, none"}"#);
        assert_eq!(said, ": key *** of team-of-mine, ***, none");
        assert_eq!(check("<html><title>sk-in-a-header</title>"), " with an HTML page, `***`");
        let long = format!("{} Bearer sk-in-a-header", "x".repeat(SAID - 12));
        assert!(!check(&long).contains("sk-"), "half a key is shown");
    }

    #[test]
    fn a_long_complaint_is_cut() {
        assert!(check(&"x".repeat(1_000_000)).chars().count() <= SAID + 2);
    }

    #[test]
    fn a_way_out_is_told_where_there_is_one() {
        let called = Called { model: "deployment", address: "endpoint" };
        let hint = |status, said| hint(status, said, Some("https://elsewhere"), called);
        assert!(hint(401, "").unwrap().contains("api_key"));
        assert_eq!(hint(404, "").unwrap(), "check `deployment` and `endpoint` of the target");
        assert!(hint(429, "").unwrap().contains("workers"));
        assert!(hint(308, "").unwrap().contains("https://elsewhere"));
        assert!(hint(400, "Unknown response_format").unwrap().contains("structured_output: false"));
        assert_eq!(hint(400, "bad temperature"), None);
        assert_eq!(hint(500, ""), None);
    }
}
