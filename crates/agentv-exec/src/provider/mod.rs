//! The kinds of targets: one folder or file each, and one line in [`KINDS`].

use std::{sync::Arc, time::Duration};

use agentv_base::{
    Diagnostic, Key, Node, Problems, ProcessRunner, Provider, Redactor, Stop, TargetSpec, nearest,
};

use crate::scratch::Scratch;

pub mod cli;

/// Every kind of target there is.
pub const KINDS: &[&dyn ProviderKind] = &[&cli::Cli];

/// Kinds of targets that are known from other versions and dialects, and cannot be asked yet.
const LATER: &[&str] = &[
    "mock",
    "replay",
    "openai",
    "openrouter",
    "azure",
    "azure-openai",
    "anthropic",
    "gemini",
    "google",
    "google-gemini",
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

    /// Its own keys, beside those that every target has.
    fn keys(&self) -> &'static [Key];

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
}

/// Builds the provider of a target.
pub fn build(
    spec: &TargetSpec,
    services: &Services,
    problems: &mut Problems,
) -> Option<Arc<dyn Provider>> {
    if let Some(kind) = KINDS.iter().find(|kind| kind.name() == &*spec.provider) {
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
