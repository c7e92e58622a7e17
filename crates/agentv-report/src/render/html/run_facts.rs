//! What the script has to know of the run: what was kept of its rows, and which flags a case needs
//! to be run again as it was. The words are put together and quoted in `case.js`.

use serde_json::{Value, json};

use crate::record::{Row, RunKind, RunManifest};

/// Whether rows were recorded with what only a flag adds to them. A row without it then has none.
#[derive(Default)]
pub(super) struct Kept {
    trace: bool,
    prompts: bool,
}

impl Kept {
    pub(super) fn add(&mut self, row: &Row<'_>) {
        self.trace |= row.output_messages.as_ref().is_some_and(|it| !it.is_empty())
            || row.trace.as_ref().is_some_and(|it| !it.is_empty());
        let graders = row.evaluator_results.as_deref().unwrap_or_default();
        self.prompts |= graders.iter().any(has_exchanges);
    }

    pub(super) fn data(&self, run: Option<&RunManifest>) -> Value {
        let is_asked = |name| run.is_some_and(|run| is_set(run, name));
        json!({
            "trace": self.trace || is_asked("include_trace"),
            "prompts": self.prompts || is_asked("include_prompts"),
        })
    }
}

fn has_exchanges(grader: &agentv_base::GraderResult) -> bool {
    let own = grader.judge.as_ref().is_some_and(|judge| !judge.exchanges.is_empty());
    own || grader.evaluator_results.iter().any(has_exchanges)
}

/// How one case is run again: null where the run is not known. Paths are from the project's root.
pub(super) fn again_data(run: Option<&RunManifest>) -> Value {
    let Some(run) = run else { return Value::Null };
    // A run that is graded again has all of its options from itself.
    if run.kind == RunKind::Grade && !run.run_id.is_empty() {
        return json!({"grade": run.run_id, "with_target": false, "flags": []});
    }
    let typed = option(run, "targets").and_then(Value::as_array).is_some_and(|it| !it.is_empty());
    let text = |name| option(run, name)?.as_str().map(str::to_owned);
    let number = |name| Some(option(run, name)?.as_f64()?.to_string());
    let valued = [
        ("--targets", text("targets_file")),
        ("--threshold", number("threshold")),
        ("--agent-timeout", number("agent_timeout")),
        ("--replay", text("replay")),
    ];
    let mut flags: Vec<Value> = valued
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| json!([name, value])))
        .collect();
    // Without it, whoever tried something for nothing would be made to pay for it.
    if is_set(run, "dry_run") {
        flags.push(json!(["--dry-run"]));
    }
    json!({"grade": null, "with_target": typed || run.targets.len() > 1, "flags": flags})
}

fn option<'r>(run: &'r RunManifest, name: &str) -> Option<&'r Value> {
    run.options.get(name).filter(|value| !value.is_null())
}

fn is_set(run: &RunManifest, name: &str) -> bool {
    option(run, name).and_then(Value::as_bool) == Some(true)
}
