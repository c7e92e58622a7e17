//! The names of graders and providers, as the crate that knows all of them hands them in.

use agentv_base::Key;

/// One kind of grader.
#[derive(Clone, Copy, Debug)]
pub struct GraderName {
    /// In snake_case.
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// Its own keys.
    pub keys: &'static [Key],
}

/// One kind of target.
#[derive(Clone, Copy, Debug)]
pub struct ProviderName {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// Its own keys.
    pub keys: &'static [Key],
}

/// Everything that goes by a name which other dialects know by another.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    pub graders: Vec<GraderName>,
    /// The keys that every grader has.
    pub grader_keys: &'static [Key],
    pub providers: Vec<ProviderName>,
}

const NEGATION: &str = "not_";

impl Vocabulary {
    /// The current name of a type of graders and the kind it stands for; nothing where the type is
    /// not known.
    pub(super) fn grader(&self, typed: &str) -> Option<(String, &GraderName)> {
        let name = typed.trim().replace('-', "_");
        let find = |name: &str| {
            self.graders.iter().find(|kind| kind.name == name || kind.aliases.contains(&name))
        };
        if let Some(kind) = find(&name) {
            return Some((kind.name.to_owned(), kind));
        }
        let kind = find(name.strip_prefix(NEGATION)?)?;
        Some((format!("{NEGATION}{}", kind.name), kind))
    }

    pub(super) fn provider(&self, typed: &str) -> Option<&ProviderName> {
        // A model may stand behind it: `openai:gpt-4o`.
        let name = typed.split(':').next().unwrap_or_default().trim();
        self.providers.iter().find(|kind| {
            let names = std::iter::once(&kind.name).chain(kind.aliases);
            names.into_iter().any(|known| known.eq_ignore_ascii_case(name))
        })
    }
}
