//! A run: what was run, with what, when, by whom. What it came to is told by the summary below it.

use std::time::SystemTime;

use agentv_base::{escape_controls, excerpt};
use serde_json::Value;

use super::moment::age_text;
use crate::{
    page::Page,
    record::{RunKind, RunManifest, RunStatus},
    style::{Style, Tone, counted},
    summary::shell_word,
};

/// Suites, targets and sessions that are told before the rest is counted.
const MOST_TOLD: usize = 10;

/// Of a longer command the beginning says what was asked for.
const LONGEST_COMMAND: usize = 2000;

/// What `run.json` says, for people. The name is that of the folder, which older ones do not say.
pub fn run_text(
    name: &str,
    manifest: &RunManifest,
    is_abandoned: bool,
    now: SystemTime,
    style: Style,
) -> String {
    let mut page = Page::new(style);
    page.wrapped(&format!("{} ", style.paint(Tone::Heading, "run")), &excerpt(name, 120));
    let kind = match manifest.kind {
        RunKind::Eval => "eval",
        RunKind::Grade => "grade",
        RunKind::Merge => "merge",
    };
    let status = match manifest.status {
        RunStatus::Running if is_abandoned => "abandoned: it was killed while it was at work",
        RunStatus::Running => "running",
        RunStatus::Finished => "finished",
        RunStatus::Interrupted => "interrupted",
        RunStatus::Failed => "failed: it could not go on",
    };
    page.wrapped("  ", &format!("{kind}, {status}"));
    let version = excerpt(&manifest.agentv_version, 60);
    let started = manifest.started_at;
    page.wrapped(
        "  started  ",
        &format!("{started} ({}), agentv {version}", age_text(started, now)),
    );
    if let Some(finished) = manifest.finished_at {
        page.wrapped("  finished ", &finished.to_string());
    }
    if let Some(parent) = &manifest.parent {
        page.wrapped("  parent   ", &excerpt(parent, 120));
    }
    if !manifest.parts.is_empty() {
        let parts: Vec<String> = manifest.parts.iter().map(|part| excerpt(part, 60)).collect();
        page.wrapped("  parts    ", &parts.join(", "));
    }
    if let Some(shard) = manifest.shard {
        page.wrapped("  shard    ", &format!("{}/{}", shard.index, shard.count));
    }
    if !manifest.command.is_empty() {
        page.wrapped("  command  ", &command_text(&manifest.command));
    }
    if let Some(code) = manifest.exit_code {
        page.wrapped("  exit     ", &code.to_string());
    }
    write_what(manifest, &mut page);
    write_options(manifest, &mut page);
    write_sessions(manifest, &mut page);
    page.text
}

fn write_what(manifest: &RunManifest, page: &mut Page) {
    if !manifest.suites.is_empty() {
        page.heading("Suites");
    }
    for suite in manifest.suites.iter().take(MOST_TOLD) {
        let cases = counted(suite.cases, "case", "cases");
        page.wrapped("  ", &format!("{} ({cases})", excerpt(&suite.path, 200)));
    }
    page.more(manifest.suites.len().saturating_sub(MOST_TOLD));
    for (heading, targets) in [("Targets", &manifest.targets), ("Judges", &manifest.judges)] {
        if targets.is_empty() {
            continue;
        }
        page.heading(heading);
        for target in targets.iter().take(MOST_TOLD) {
            let model = target.definition.get("model").and_then(Value::as_str);
            let model = model.map_or(String::new(), |it| format!(", {}", excerpt(it, 80)));
            let provider = excerpt(&target.provider, 80);
            page.wrapped("  ", &format!("{} ({provider}{model})", excerpt(&target.name, 120)));
        }
        page.more(targets.len().saturating_sub(MOST_TOLD));
    }
}

fn write_options(manifest: &RunManifest, page: &mut Page) {
    let told: Vec<(&String, &Value)> =
        manifest.options.iter().filter(|(_, value)| is_said(value)).collect();
    if told.is_empty() {
        return;
    }
    page.heading("Options");
    for (name, value) in told {
        let name = escape_controls(name).replace('_', " ");
        // A flag that was given has nothing more to say.
        if *value == Value::Bool(true) {
            page.wrapped("  ", &name);
        } else {
            page.wrapped("  ", &format!("{name}: {}", excerpt(&value_text(value), 200)));
        }
    }
}

/// A value as people write it: no quotes, no brackets.
fn value_text(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(is_so) => if *is_so { "yes" } else { "no" }.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(value_text).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            let parts = map.iter().map(|(key, value)| format!("{key} {}", value_text(value)));
            parts.collect::<Vec<_>>().join(", ")
        }
    }
}

/// What was left as it is by everybody says nothing.
fn is_said(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
        Value::Bool(true) | Value::Number(_) | Value::String(_) => true,
    }
}

/// Nothing where it was worked on only once.
fn write_sessions(manifest: &RunManifest, page: &mut Page) {
    if manifest.sessions.len() < 2 {
        return;
    }
    page.heading("Sessions");
    for session in manifest.sessions.iter().take(MOST_TOLD) {
        let exit = match session.exit_code {
            Some(code) => format!("exit {code}"),
            None => "never finished".to_owned(),
        };
        let before = counted(session.rows_before, "row", "rows");
        page.wrapped(
            "  ",
            &format!(
                "{}, {exit}, {before} before: {}",
                session.started_at,
                command_text(&session.command)
            ),
        );
    }
    page.more(manifest.sessions.len().saturating_sub(MOST_TOLD));
}

fn command_text(command: &[String]) -> String {
    let words: Vec<_> = command.iter().map(|word| shell_word(word)).collect();
    excerpt(&words.join(" "), LONGEST_COMMAND)
}
