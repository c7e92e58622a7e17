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
                text = Cow::Owned(text.replace(secret.as_str(), "***"));
            }
        }
        text
    }
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
    fn a_text_without_secrets_is_not_copied() {
        assert!(matches!(Redactor::default().redact("x"), Cow::Borrowed("x")));
    }
}
