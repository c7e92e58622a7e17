//! Keeping secrets out of everything that is shown or stored.

use std::{borrow::Cow, sync::Arc};

/// Values that must not be seen, and what stands in their place.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    secrets: Arc<[String]>,
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
            .collect();
        // A secret that contains another is replaced first, so that no piece of it remains.
        secrets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        secrets.dedup();
        Self { secrets: secrets.into() }
    }

    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for secret in self.secrets.iter() {
            if text.contains(secret.as_str()) {
                text = Cow::Owned(text.replace(secret.as_str(), HIDDEN));
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
    ["key", "token", "secret", "password", "passwd", "credential", "authorization"]
        .iter()
        .any(|word| name.contains(word))
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
    fn a_text_without_secrets_is_not_copied() {
        assert!(matches!(Redactor::default().redact("x"), Cow::Borrowed("x")));
    }
}
