//! The kinds of targets: one folder or file each, and one line in [`KINDS`].

use std::{path::Path, sync::Arc, time::Duration};

use agentv_base::{
    Diagnostic, Key, Node, Part, Problems, ProcessRunner, Provider, Redactor, Shape, Stop,
    TargetSpec, nearest,
};

use crate::scratch::Scratch;

mod anthropic;
mod azure;
pub mod cli;
mod gemini;
mod jsonl;
pub mod kept;
mod mock;
mod model;
mod network;
mod openai;
mod plain_record;
mod proxy;
mod record;
mod replay;
mod waits;

pub use network::{ExtraAuthorities, Network};
pub use proxy::{Proxies, ProxyVariable};

/// Every kind of target there is.
pub const KINDS: &[&dyn ProviderKind] = &[
    &cli::Cli,
    &openai::Openai,
    &openai::Openrouter,
    &azure::Azure,
    &anthropic::Anthropic,
    &gemini::Gemini,
    &mock::Mock,
    &replay::Replay,
];

/// Kinds of targets that are known from other versions and dialects, and cannot be asked yet.
const LATER: &[&str] = &[
    "claude",
    "claude-cli",
    "claude-sdk",
    "codex",
    "codex-cli",
    "copilot",
    "copilot-cli",
    "copilot-sdk",
    "pi",
    "pi-cli",
    "pi-coding-agent",
    "vscode",
    "vscode-insiders",
    "transcript",
    "agentv",
];

/// A kind of target: what it is called and how its settings become a provider.
pub trait ProviderKind: Sync {
    fn name(&self) -> &'static str;

    /// Other names, in lower case.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// Its keys, beside those that every target has.
    fn keys(&self) -> &'static [Key];

    /// Those of its keys that it does not share with other kinds.
    fn own_keys(&self) -> &'static [Key] {
        self.keys()
    }

    /// Those that it does share, and what they are the keys of.
    fn shared(&self) -> Option<&'static Part> {
        None
    }

    /// The key whose value may also stand behind its name, as in `openai:gpt-4o`.
    fn model_key(&self) -> Option<&'static str> {
        None
    }

    /// Reads the target's own keys. Everything wrong with them is reported; nothing is run.
    fn build(
        &self,
        spec: &TargetSpec,
        services: &Services,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Provider>>;
}

/// What providers are handed by those who know the run.
#[derive(Clone)]
pub struct Services {
    pub processes: Arc<dyn ProcessRunner>,
    /// None where settings are only read and nothing will be invoked.
    pub scratch: Option<Arc<Scratch>>,
    pub stop: Stop,
    pub redactor: Redactor,
    /// The deadline of an invocation whose target sets none.
    pub agent_timeout: Option<Duration>,
    /// Hears what a talkative target does.
    pub journal: Arc<dyn Fn(&str) + Send + Sync>,
    /// Whether every target is talkative.
    pub verbose: bool,
    /// The way to models and addresses.
    pub network: Arc<Network>,
}

/// Tables of keys as one. The length is that of all of them.
const fn joined<const N: usize>(tables: &[&[Key]]) -> [Key; N] {
    let mut all = [Key::new("", Shape::Any, ""); N];
    let (mut length, mut table) = (0, 0);
    while table < tables.len() {
        let mut key = 0;
        while key < tables[table].len() {
            all[length] = tables[table][key];
            length += 1;
            key += 1;
        }
        table += 1;
    }
    all
}

/// The folder that a target belongs to, where what it needs beside any suite is looked for: the one
/// that holds `.agentv`, else that of the file that describes it.
fn project_folder(spec: &TargetSpec) -> &Path {
    let folder = spec.file.parent().unwrap_or(Path::new("."));
    folder.parent().filter(|_| folder.ends_with(".agentv")).unwrap_or(folder)
}

/// The kind that goes by a name in lower case, with a model behind it or without.
pub fn kind_called(name: &str) -> Option<&'static dyn ProviderKind> {
    let called = |name: &str| {
        KINDS.iter().copied().find(|kind| kind.name() == name || kind.aliases().contains(&name))
    };
    let (kind, _) = name.split_once(':').unwrap_or((name, ""));
    called(name).or_else(|| called(kind.trim()).filter(|kind| kind.model_key().is_some()))
}

/// Builds the provider of a target.
pub fn build(
    spec: &TargetSpec,
    services: &Services,
    problems: &mut Problems,
) -> Option<Arc<dyn Provider>> {
    if let Some(kind) = kind_called(&spec.provider) {
        return kind.build(spec, services, problems);
    }
    // As it was written: a secret that landed here is known to those who hide secrets only as it is.
    let written = spec.node.get("provider").and_then(Node::as_str).unwrap_or(&spec.provider);
    // `openai:gpt-4o` is a kind and a model.
    let kind = spec.provider.split(':').next().unwrap_or_default();
    if LATER.contains(&kind) {
        let message = format!("provider `{written}` is known, but this version cannot ask it yet");
        problems.push(
            Diagnostic::error(message)
                .code("not-supported")
                .at(spec.provider_span)
                .hint("ask it by a program of yours: `provider: cli` with a `command_template`"),
        );
        return None;
    }
    let names = || KINDS.iter().map(|kind| kind.name());
    let hint = match nearest(&spec.provider, names()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known providers: {}", names().collect::<Vec<_>>().join(", ")),
    };
    problems.push(
        Diagnostic::error(format!("unknown provider `{written}`"))
            .code("unknown-provider")
            .at(spec.provider_span)
            .hint(hint),
    );
    None
}
