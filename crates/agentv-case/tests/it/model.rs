//! Everything that was loaded, written out to be read by people: what is not here is not in the
//! model.

use std::fmt::Write as _;

use agentv_base::{EvalCase, Node};
use agentv_case::{Loaded, LoadedSuite};
use serde_json::Value;

/// All suites with their targets and cases. Fields without a value are left out.
pub fn of(loaded: &Loaded) -> String {
    let suites: Vec<String> = loaded.suites.iter().map(|suite| of_suite(suite, loaded)).collect();
    suites.join("\n")
}

fn of_suite(LoadedSuite { suite, targets }: &LoadedSuite, loaded: &Loaded) -> String {
    let mut out = format!("suite {}\n", suite.path);
    if let Some(workers) = suite.workers {
        field(&mut out, 1, "workers", &workers.to_string());
    }
    if let Some(file) = targets {
        let path = file.file.strip_prefix(&loaded.root).unwrap().display().to_string();
        field(&mut out, 1, "targets of", &path);
        for spec in &file.specs {
            let unset = file.unset_variables(&spec.name);
            assert!(unset.is_empty(), "{unset:?}");
            let judge = spec.judge_target.as_ref().map(|(name, _)| format!(" judged by {name}"));
            let workers = spec.workers.map(|workers| format!(" workers {workers}"));
            let about = format!("{}{}", workers.unwrap_or_default(), judge.unwrap_or_default());
            let value = format!("{}{about} {}", spec.provider, spec.node.to_json());
            field(&mut out, 2, &spec.name, &value);
        }
    }
    for case in &suite.cases {
        assert_eq!(case.suite, suite.path);
        assert_eq!(&*case.input.suite_file, suite.file);
        out.push('\n');
        of_case(&mut out, case, loaded);
    }
    out
}

fn of_case(out: &mut String, case: &EvalCase, loaded: &Loaded) {
    let place = &case.place;
    let file = place.file.as_ref().unwrap_or(&case.suite);
    let _ = writeln!(out, "  case {} ({file}:{}:{})", case.id(), place.line, place.column);
    // The file of the place is the one that the span says.
    assert_eq!(loaded.sources.path(place.span.source).to_str(), Some(&**file));
    let input = &case.input;
    field(out, 2, "dataset", &case.dataset);
    optional(out, "conversation_id", input.conversation_id.as_deref());
    list(out, "tags", case.tags.iter().map(ToString::to_string));
    list(out, "targets", case.targets.iter().map(|target| target.name.to_string()));
    optional(out, "threshold", case.threshold.map(|number| number.to_string()).as_deref());
    optional(out, "repeat", case.repeat.map(|number| number.to_string()).as_deref());
    list(
        out,
        "depends_on",
        case.depends_on.iter().map(|dependency| {
            let only_after = if dependency.must_pass { "" } else { " (passed or not)" };
            format!("{}{only_after}", dependency.id)
        }),
    );
    if let Some(vars) = &case.vars {
        field(out, 2, "vars", &Value::Object((**vars).clone()).to_string());
    }
    field(out, 2, "question", &input.question());
    optional(out, "guidelines", input.guidelines().as_deref());
    list(out, "guideline_files", input.guideline_files.iter().map(|file| shown(file, loaded)));
    list(out, "files", input.files.iter().map(|file| shown(file, loaded)));
    items(out, "messages", &input.messages.to_json());
    items(out, "chat_prompt", &serde_json::to_value(input.chat_prompt()).unwrap());
    optional(out, "expected_outcome", case.expected_outcome.as_deref());
    items(out, "expected_messages", &case.expected_messages.to_json());
    optional(
        out,
        "reference_answer",
        Some(&*case.reference_answer()).filter(|text| !text.is_empty()),
    );
    let graders: Vec<Value> = case.graders.iter().map(Node::to_json).collect();
    items(out, "graders", &Value::Array(graders));
}

fn shown(file: &std::path::Path, loaded: &Loaded) -> String {
    file.strip_prefix(&loaded.root).unwrap().display().to_string()
}

/// A value on the line of its name, or below it where it has several lines.
fn field(out: &mut String, depth: usize, name: &str, value: &str) {
    let indent = "  ".repeat(depth);
    if value.contains('\n') {
        let _ = writeln!(out, "{indent}{name}:");
        for line in value.split('\n') {
            let _ = writeln!(out, "{indent}  |{line}");
        }
    } else {
        let _ = writeln!(out, "{indent}{name}: {value}");
    }
}

fn optional(out: &mut String, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        field(out, 2, name, value);
    }
}

fn list(out: &mut String, name: &str, values: impl Iterator<Item = String>) {
    let values: Vec<String> = values.collect();
    if !values.is_empty() {
        field(out, 2, name, &values.join(", "));
    }
}

/// A list of JSON values, one a line.
fn items(out: &mut String, name: &str, values: &Value) {
    let values = values.as_array().unwrap();
    if !values.is_empty() {
        let _ = writeln!(out, "    {name}:");
        for value in values {
            let _ = writeln!(out, "      {value}");
        }
    }
}
