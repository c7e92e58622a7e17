//! Keeping secrets out of everything that is shown or stored.

use std::{borrow::Cow, fmt, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};

use crate::node::{Node, NodeValue};

/// Values that must not be seen, and what stands in their place.
#[derive(Clone, Default)]
pub struct Redactor {
    secrets: Arc<[String]>,
}

/// How many there are, and nothing else of them.
impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} secrets)", self.secrets.len())
    }
}

/// Shorter values are words of the language as likely as secrets; hiding them would garble
/// everything else.
const SHORTEST_SECRET: usize = 4;

impl Redactor {
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut secrets: Vec<String> = secrets
            .into_iter()
            .flat_map(|secret| {
                // Readers of settings trim them, and show what is left.
                let trimmed = Some(secret.trim()).filter(|trimmed| *trimmed != secret);
                let trimmed = trimmed.map(str::to_owned);
                [Some(secret), trimmed]
            })
            .flatten()
            .filter(|secret| secret.trim().len() >= SHORTEST_SECRET)
            .flat_map(|secret| {
                let other_forms = if secret.len() >= SHORTEST_ENCODED {
                    encoded_forms(&secret)
                } else {
                    Vec::new()
                };
                other_forms.into_iter().chain([secret])
            })
            .collect();
        // A secret that contains another is replaced first, so that no piece of it remains.
        secrets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        secrets.dedup();
        Self { secrets: secrets.into() }
    }

    /// The text with every byte of a secret overwritten, so that places in it stay what they are.
    pub fn blank<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for secret in self.secrets.iter() {
            if text.contains(secret.as_str()) {
                text = Cow::Owned(text.replace(secret.as_str(), &"*".repeat(secret.len())));
            }
        }
        text
    }

    /// For answers, in which only what is long enough to be nothing else is hidden: people write
    /// short words as keys of servers of their own.
    #[must_use]
    pub fn for_answers(&self) -> Self {
        let long = self.secrets.iter().filter(|secret| secret.len() >= SHORTEST_IN_ANSWERS);
        Self { secrets: long.cloned().collect() }
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for secret in self.secrets.iter() {
            if text.contains(secret.as_str()) {
                text = Cow::Owned(text.replace(secret.as_str(), HIDDEN));
            }
            if let Some(hidden) = without_starts(&text, secret) {
                text = Cow::Owned(hidden);
            }
            if text.contains(CUT)
                && let Some(hidden) = without_pieces(&text, secret)
            {
                text = Cow::Owned(hidden);
            }
        }
        text
    }
}

/// Shorter values, encoded, are like any other text.
const SHORTEST_ENCODED: usize = 8;

/// Shorter values in an answer may be words of it.
const SHORTEST_IN_ANSWERS: usize = 16;

/// A secret as long as this is hidden also where only its beginning is shown, as services do when
/// they complain of a key.
const LONG: usize = 20;
const TOLD_START: usize = 12;

/// A secret as it looks in JSON, in an address and in a header: services repeat what they got in
/// the form that they got it.
fn encoded_forms(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.replace('/', "\\/")];
    let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let percent = secret.bytes().map(|byte| {
        if unreserved(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    });
    forms.push(percent.collect());
    // Inside of `name:secret` it begins at any of three places of its letters.
    for before in 0..3 {
        let padded = [&b"\0\0"[..before], secret.as_bytes()].concat();
        let encoded = STANDARD_NO_PAD.encode(&padded);
        // Letters at both ends are made of bytes of the neighbours too.
        let start = if before == 0 { 0 } else { before + 1 };
        let end = encoded.len() - usize::from(padded.len() % 3 != 0);
        forms.extend(encoded.get(start..end).map(str::to_owned));
    }
    forms.retain(|form| form != secret);
    forms
}

/// The text without pieces that begin as a long secret does; nothing where there are none.
fn without_starts(text: &str, secret: &str) -> Option<String> {
    let start = Some(secret).filter(|secret| secret.len() >= LONG)?.get(..TOLD_START)?;
    text.find(start)?;
    let mut hidden = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(start) {
        hidden.push_str(before);
        hidden.push_str(HIDDEN);
        let more = secret.get(TOLD_START..).unwrap_or_default().chars();
        let same = after.chars().zip(more).take_while(|(shown, of_secret)| shown == of_secret);
        let length: usize = same.map(|(shown, _)| shown.len_utf8()).sum();
        rest = after.get(length..).unwrap_or_default();
    }
    hidden.push_str(rest);
    Some(hidden)
}

/// What stands in the place of a secret.
const HIDDEN: &str = "***";

/// What stands where a text was cut.
const CUT: char = '…';

/// A shorter piece of a secret gives little away, and is a word of the language as likely.
const SHORTEST_PIECE: usize = 6;

/// The text without the start of a secret before a cut and the end of one after a cut; nothing
/// where there is neither.
fn without_pieces(text: &str, secret: &str) -> Option<String> {
    let cuts = || secret.char_indices().map(|(at, _)| secret.split_at(at));
    let starts = || cuts().rev().map(|(start, _)| start);
    let ends = || cuts().map(|(_, end)| end);
    let is_told = |piece: &&str| piece.len() >= SHORTEST_PIECE;
    let last = text.split(CUT).count() - 1;
    let mut found = false;
    let hidden: Vec<String> = text
        .split(CUT)
        .enumerate()
        .map(|(place, part)| {
            let after =
                |part: &str| ends().filter(is_told).find(|end| part.starts_with(end)).map(str::len);
            let before = |part: &str| {
                starts().filter(is_told).find(|start| part.ends_with(start)).map(str::len)
            };
            let (head, part) = match Some(part).filter(|_| place > 0).and_then(after) {
                Some(length) => (HIDDEN, part.get(length..).unwrap_or_default()),
                None => ("", part),
            };
            let (part, tail) = match Some(part).filter(|_| place < last).and_then(before) {
                Some(length) => (part.get(..part.len() - length).unwrap_or_default(), HIDDEN),
                None => (part, ""),
            };
            found |= head.len() + tail.len() > 0;
            format!("{head}{part}{tail}")
        })
        .collect();
    found.then(|| hidden.join("…"))
}

/// Whether a key or a variable of this name holds something that must not be shown.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // `author` is somebody else.
    let auth = name.rsplit(['-', '_']).next() == Some("auth");
    let words =
        ["key", "token", "secret", "password", "passwd", "credential", "authorization", "cookie"];
    auth || words.iter().any(|word| name.contains(word))
}

/// Whether this value under this key must not be shown: the key is a secret's, and the value is no
/// number of tokens.
pub fn holds_secret(key: &str, value: &Node) -> bool {
    let number = match &value.value {
        NodeValue::Integer(_) | NodeValue::Float(_) => true,
        NodeValue::String(text) => is_number(text),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::List(_) | NodeValue::Map(_) => false,
    };
    is_secret_name(key) && !(number && counts_tokens(key))
}

/// Whether a value under this name is a number of tokens, not a token.
pub fn is_token_count(name: &str, value: &str) -> bool {
    counts_tokens(name) && is_number(value)
}

fn counts_tokens(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with("tokens")
}

fn is_number(text: &str) -> bool {
    text.trim().parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_inside_a_longer_secret_leaves_no_piece_behind() {
        let redactor = Redactor::new(["abcd".to_owned(), "abcdefgh".to_owned()]);
        assert_eq!(redactor.redact("x abcdefgh abcd y"), "x *** *** y");
    }

    #[test]
    fn a_secret_is_hidden_also_where_it_was_trimmed() {
        let redactor = Redactor::new([" abcd\n".to_owned(), "  x  ".to_owned()]);
        assert_eq!(redactor.redact("`abcd`: abcd\n  x  "), "`***`:***  x  ");
    }

    #[test]
    fn a_secret_that_was_cut_is_hidden_as_far_as_it_is_shown() {
        let redactor = Redactor::new(["swordfish-and-chips".to_owned()]);
        for (shown, hidden) in [
            ("it printed `swordfish-a…`", "it printed `***…`"),
            ("… and-chips, then", "… and-chips, then"),
            ("…nd-chips, then swordfish-and-chi…", "…***, then ***…"),
            ("a sword… of fish", "a sword… of fish"),
            ("x … y", "x … y"),
        ] {
            assert_eq!(redactor.redact(shown), hidden);
        }
    }

    #[test]
    fn a_secret_is_overwritten_byte_for_byte() {
        let redactor = Redactor::new(["abcd".to_owned(), "schlüssel".to_owned()]);
        assert_eq!(redactor.blank("x: abcd, schlüssel\n"), "x: ****, **********\n");
        assert!(matches!(redactor.blank("x"), Cow::Borrowed("x")));
    }

    #[test]
    fn names_of_secrets_are_known_and_no_others() {
        for name in ["api_key", "X-Auth-Token", "Cookie", "set-cookie", "X-Auth", "auth", "my_auth"]
        {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["author", "X-Team", "authentic", "model", "x-author"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn a_number_of_tokens_is_no_token() {
        let holds =
            |key: &str, value: serde_json::Value| holds_secret(key, &Node::from_json(&value));
        for key in ["max_tokens", "maxTokens", "max_output_tokens", "maxOutputTokens"] {
            assert!(!holds(key, 100.into()) && !holds(key, "100".into()), "{key}");
            assert!(holds(key, "sk-1".into()), "{key}");
        }
        assert!(holds("token", 100.into()) && holds("api_key", 100.into()));
    }

    #[test]
    fn a_secret_is_hidden_in_every_form_that_services_repeat_it_in() {
        let redactor = Redactor::new(["sk/canary+0123456789abcdef".to_owned()]);
        for shown in [
            r#"{"key":"sk\/canary+0123456789abcdef"}"#,
            "?key=sk%2Fcanary%2B0123456789abcdef&x=1",
            "c2svY2FuYXJ5KzAxMjM0NTY3ODlhYmNkZWY=",
            // Of `x:`, `ab:` and `abc:` before it, as a header with a login has it.
            "eDpzay9jYW5hcnkrMDEyMzQ1Njc4OWFiY2RlZg==",
            "YWI6c2svY2FuYXJ5KzAxMjM0NTY3ODlhYmNkZWY=",
            "YWJjOnNrL2NhbmFyeSswMTIzNDU2Nzg5YWJjZGVm",
        ] {
            let hidden = redactor.redact(shown);
            assert!(hidden.contains("***"), "{hidden}");
            assert!(hidden.len() < shown.len() - 16, "{hidden}");
        }
    }

    #[test]
    fn the_beginning_of_a_long_secret_is_hidden_as_far_as_it_goes() {
        let redactor = Redactor::new(["sk-canary-0123456789abcdef".to_owned()]);
        assert_eq!(redactor.redact("key sk-canary-0123*****cdef"), "key ********cdef");
        assert_eq!(redactor.redact("sk-canary-012 and sk-canary-0"), "*** and sk-canary-0");
    }

    #[test]
    fn answers_keep_short_words_that_are_keys_too() {
        let redactor = Redactor::new(["ollama".to_owned(), "sk-canary-0123456789".to_owned()]);
        assert_eq!(redactor.for_answers().redact("ollama sk-canary-0123456789"), "ollama ***");
    }

    #[test]
    fn a_text_without_secrets_is_not_copied() {
        assert!(matches!(Redactor::default().redact("x"), Cow::Borrowed("x")));
    }
}
