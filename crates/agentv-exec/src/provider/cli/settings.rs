//! The keys of a `cli` target, read and checked once.

use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

use agentv_base::{
    AskAgain, Diagnostic, Fields, Key, MAX_CPU_SECONDS, MAX_MEMORY_MB, Node, NodeValue, Part,
    Problems, ProcessLimits, RetryPolicy, Shape, TARGET_KEYS, TargetSpec, choice_of, words_of,
};

use super::{
    retries::{self, RETRY_KEYS},
    template::{CommandTemplate, TemplateText},
};
use crate::provider::joined;

pub(super) const KEYS: &[Key] =
    &joined::<{ COMMAND_KEYS.len() + RETRY_KEYS.len() }>(&[COMMAND_KEYS, &RETRY_KEYS]);

const COMMAND_KEYS: &[Key] = &[
    Key::new("command_template", Shape::Name, "The command, with placeholders such as {PROMPT}")
        .or(&["command"])
        .required(),
    Key::new("files_format", Shape::Text, "How {FILES} shows each file: {path}, {basename}")
        .or(&["attachments_format"])
        .default("{path}"),
    Key::new("cwd", Shape::Name, "Where the command runs").default("the suite's folder"),
    Key::new("env", Shape::MapOf(&Shape::Scalar), "Further variables of the command"),
    Key::new("timeout_seconds", Shape::Positive, "The deadline of an invocation")
        .default("`--agent-timeout`; none for a batch"),
    MAX_MEMORY_MB,
    MAX_CPU_SECONDS,
    Key::new("healthcheck", Shape::Part(&HEALTHCHECK), "What must work before the first case"),
    Key::new("verbose", Shape::Bool, "Whether commands are shown as they run")
        .or(&["cli_verbose"])
        .default("false"),
    Key::new("keep_temp_files", Shape::Bool, "Whether prompt and output files are kept")
        .or(&["keep_output_files"])
        .default("false"),
    Key::new("provider_batching", Shape::Bool, "Whether one command answers many cases")
        .or(&["batch_requests"])
        .default("false"),
    Key::new("batch_size", Shape::Count, "Most cases of one batch").default("all"),
    Key::new(
        "on_batch_failure",
        Shape::Choice(const { &words_of(&POLICIES) }),
        "What is done about missing ids",
    )
    .default("fail"),
];

const POLICIES: [(&str, Option<AskAgain>); 3] = [
    ("fail", None),
    ("retry_missing", Some(AskAgain::Together)),
    ("per_case", Some(AskAgain::Alone)),
];

const HEALTHCHECK: Part = Part { what: "healthcheck", tables: &[HEALTHCHECK_KEYS] };

#[derive(Clone, Copy)]
enum Check {
    Http,
    Command,
}

const CHECKS: [(&str, Check); 2] = [("http", Check::Http), ("command", Check::Command)];

const HEALTHCHECK_KEYS: &[Key] = &[
    Key::new("type", Shape::Choice(const { &words_of(&CHECKS) }), "What is done")
        .default("http with a `url`, else command"),
    Key::new("url", Shape::Name, "The address that must answer with 2xx"),
    Key::new("command_template", Shape::Name, "The command that must exit with 0").or(&["command"]),
    Key::new("cwd", Shape::Name, "Where the command runs")
        .default("the folder that holds `.agentv`"),
    Key::new("timeout_seconds", Shape::Positive, "Its deadline"),
];

pub(super) struct CliSettings {
    pub command: CommandTemplate,
    /// Relative to the suite's folder.
    pub cwd: Option<PathBuf>,
    pub env: Vec<(String, String)>,
    pub timeout: Option<Duration>,
    pub limits: ProcessLimits,
    pub retries: RetryPolicy,
    pub healthcheck: Option<Healthcheck>,
    pub verbose: bool,
    pub keep_temp_files: bool,
    pub batch: Option<BatchSettings>,
}

pub(super) struct BatchSettings {
    pub most: Option<NonZeroUsize>,
    /// What to do about ids that are missing; none: the batch fails.
    pub ask_again: Option<AskAgain>,
}

pub(super) struct Healthcheck {
    pub how: HealthcheckKind,
    pub timeout: Option<Duration>,
}

pub(super) enum HealthcheckKind {
    Http { url: String },
    Command { command: CommandTemplate, cwd: Option<PathBuf> },
}

impl CliSettings {
    pub fn read(spec: &TargetSpec, problems: &mut Problems) -> Option<Self> {
        let fields = Fields::read(&spec.node, "target", &[TARGET_KEYS, KEYS], problems)?;
        let command = read_template(&fields, "command_template", problems);
        let batching = fields.boolean("provider_batching", problems).unwrap_or(false);
        let batch = read_batch(&fields, batching, problems);
        let cwd = fields.non_blank("cwd", problems).map(PathBuf::from);
        let env = read_env(&fields, problems);
        let timeout = read_timeout(&fields, problems);
        let limits = ProcessLimits::read(&fields, problems);
        let retries = retries::read(&fields, problems);
        let healthcheck =
            fields.get("healthcheck").and_then(|node| read_healthcheck(node, problems));
        let verbose = fields.boolean("verbose", problems).unwrap_or(false);
        let keep_temp_files = fields.boolean("keep_temp_files", problems).unwrap_or(false);
        // Only now, so that a bad command hides nothing else.
        let (command, limits, retries) = (command?, limits?, retries?);
        Some(Self {
            command,
            cwd,
            env,
            timeout,
            limits,
            retries,
            healthcheck,
            verbose,
            keep_temp_files,
            batch,
        })
    }
}

fn read_timeout(fields: &Fields<'_>, problems: &mut Problems) -> Option<Duration> {
    let seconds = fields.positive("timeout_seconds", problems)?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// A command template with its files format, each fault of it at the value's place.
fn read_template(
    fields: &Fields<'_>,
    name: &str,
    problems: &mut Problems,
) -> Option<CommandTemplate> {
    fields.required(name, problems)?;
    let text = fields.non_blank(name, problems)?;
    let files_format = fields.string("files_format", problems);
    match CommandTemplate::parse(text, files_format) {
        Ok(template) => Some(template),
        Err(faults) => {
            for fault in faults {
                let key = match fault.text {
                    TemplateText::Command => name,
                    TemplateText::FilesFormat => "files_format",
                };
                let span = fields.get(key).map_or(fields.span(), |node| node.span);
                let read = fields.get(key).and_then(Node::as_str).unwrap_or_default();
                let (piece, before) = fault.piece(read);
                let mut diagnostic = Diagnostic::error(fault.message)
                    .code("bad-placeholder")
                    .at(span)
                    .piece(piece, before);
                diagnostic.hint = fault.hint;
                problems.push(diagnostic);
            }
            None
        }
    }
}

fn read_batch(
    fields: &Fields<'_>,
    batching: bool,
    problems: &mut Problems,
) -> Option<BatchSettings> {
    let most = fields.count("batch_size", problems).and_then(NonZeroUsize::new);
    let ask_again = fields.choice("on_batch_failure", &POLICIES, problems).flatten();
    if batching {
        return Some(BatchSettings { most, ask_again });
    }
    for name in ["batch_size", "on_batch_failure"] {
        if let Some(entry) = fields.entry(name) {
            problems.push(
                Diagnostic::error(format!("`{name}` needs `provider_batching: true`"))
                    .code("misplaced-key")
                    .at(entry.key_span)
                    .hint("add `provider_batching: true`, or remove the key"),
            );
        }
    }
    None
}

fn read_env(fields: &Fields<'_>, problems: &mut Problems) -> Vec<(String, String)> {
    let mut env = Vec::new();
    for entry in fields.map("env", problems).unwrap_or_default() {
        if entry.key.is_empty() || entry.key.contains(['=', '\0']) {
            problems.error(entry.key_span, "not a name of an environment variable");
            continue;
        }
        match scalar_text(&entry.value) {
            Some(value) => env.push((entry.key.to_string(), value)),
            None => {
                let kind = entry.value.kind_name();
                let message = format!("`env.{}` must be a string, not {kind}", entry.key);
                problems.push(Diagnostic::error(message).code("wrong-type").at(entry.value.span));
            }
        }
    }
    env
}

/// A scalar as a variable of the environment holds it.
fn scalar_text(node: &Node) -> Option<String> {
    match &node.value {
        NodeValue::Null => Some(String::new()),
        NodeValue::Bool(value) => Some(value.to_string()),
        NodeValue::Integer(value) => Some(value.to_string()),
        NodeValue::Float(value) => Some(value.to_string()),
        NodeValue::String(text) => Some(text.to_string()),
        NodeValue::List(_) | NodeValue::Map(_) => None,
    }
}

fn read_healthcheck(node: &Node, problems: &mut Problems) -> Option<Healthcheck> {
    let fields = Fields::read(node, "healthcheck", &[HEALTHCHECK_KEYS], problems)?;
    let timeout = read_timeout(&fields, problems);
    let given = |name: &str| fields.get(name).is_some();
    let check = match fields.get("type") {
        Some(kind) => choice_of("healthcheck type", kind, &CHECKS, problems)?,
        None if given("url") => Check::Http,
        None => Check::Command,
    };
    let how = match check {
        Check::Http => {
            for name in ["command_template", "cwd"] {
                if let Some(entry) = fields.entry(name) {
                    let message = format!("`{name}` does not belong to a healthcheck of type http");
                    problems
                        .push(Diagnostic::error(message).code("misplaced-key").at(entry.key_span));
                }
            }
            fields.required("url", problems)?;
            let url = fields.non_blank("url", problems)?;
            if !url.starts_with("http://") && !url.starts_with("https://") {
                let span = fields.get("url").map_or(node.span, |node| node.span);
                problems.push(
                    Diagnostic::error(format!("`{url}` is not an http or https address"))
                        .at(span)
                        .hint("write it with its scheme: `http://127.0.0.1:8080/health`"),
                );
                return None;
            }
            HealthcheckKind::Http { url: url.to_owned() }
        }
        Check::Command => {
            if let Some(entry) = fields.entry("url") {
                let message = "`url` does not belong to a healthcheck of type command";
                problems.push(Diagnostic::error(message).code("misplaced-key").at(entry.key_span));
            }
            let command = read_template(&fields, "command_template", problems)?;
            let cwd = fields.non_blank("cwd", problems).map(PathBuf::from);
            HealthcheckKind::Command { command, cwd }
        }
    };
    Some(Healthcheck { how, timeout })
}
