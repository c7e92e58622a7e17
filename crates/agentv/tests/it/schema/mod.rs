//! The JSON Schemas: what the command gives, and that they and the loader say the same.

mod agreement;
mod tables;

use agentv_testkit::Project;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::project::{empty, project, rows};

/// The schema that the command prints.
fn schema(kind: &str) -> Value {
    let run = empty().run(&["schema", kind]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    serde_json::from_str(&run.stdout).unwrap()
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft7::new(schema).unwrap_or_else(|fault| panic!("no schema: {fault}"))
}

/// What a schema says against a value.
fn faults(validator: &Validator, value: &Value) -> Vec<String> {
    let faults = validator.iter_errors(value);
    faults.map(|fault| format!("{}: {fault}", fault.instance_path())).collect()
}

fn check_rows(project: &Project, count: usize) {
    let validator = validator(&schema("result"));
    let rows = rows(project);
    assert_eq!(rows.len(), count);
    for row in rows {
        assert_eq!(faults(&validator, &row), [""; 0], "{row:#}");
    }
}

#[test]
fn every_schema_is_one_and_refers_to_nothing_that_is_not_there() {
    for kind in ["suite", "targets", "config", "prices", "result"] {
        let schema = schema(kind);
        assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
        assert!(jsonschema::meta::is_valid(&schema), "{kind}");
        // A reference to nothing is no schema either.
        validator(&schema);
    }
}

#[test]
fn a_schema_is_written_where_it_is_wanted_with_the_folders_it_needs() {
    let project = empty();
    let run = project.run(&["schema", "config", "--out", ".agentv/schemas/config.json"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.seen());
    let written = std::fs::read_to_string(project.path(".agentv/schemas/config.json")).unwrap();
    assert_eq!(written, project.run(&["schema", "config"]).stdout);
    let run = project.run(&["schema", "config", "--out", ".agentv"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("cannot write `.agentv`"), "{}", run.seen());
}

#[test]
fn types_of_graders_and_providers_are_offered() {
    let suite = schema("suite");
    let types = &suite["definitions"]["grader"]["anyOf"][1]["properties"]["type"]["anyOf"][0];
    let offered: Vec<&str> =
        types["enum"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for name in ["contains", "not-contains", "not_regex", "tool-trajectory", "code_judge", "script"]
    {
        assert!(offered.contains(&name), "{name}");
    }
    assert!(!offered.contains(&"not-script"));
    let targets = schema("targets");
    let providers = &targets["definitions"]["target"]["properties"]["provider"]["anyOf"][0];
    assert!(providers["enum"].as_array().unwrap().contains(&json!("cli")));
}

#[test]
fn rows_of_real_runs_satisfy_the_schema() {
    let agent = r#"
        case "$AGENTV_EVAL_ID-$AGENTV_ATTEMPT" in
          again-0|broken-*) echo no such model >&2; exit 4;;
        esac
        cat > "$AGENTV_OUTPUT_FILE" <<'END'
{"text": "ok", "token_usage": {"input": 10, "output": 5}, "cost_usd": 0.5, "output_messages": [
  {"role": "assistant", "content": "ok", "tool_calls": [{"tool": "add", "duration_ms": 1}]}],
 "trace": [{"type": "tool_call", "name": "add"}, {"type": "dream"}]}
END
"#;
    let project = project("sh agent.sh", &[], &[]).file("agent.sh", agent).file(
        "suite.yaml",
        format!(
            "{}    evaluators:\n      - {{type: contains, value: ok}}\n      \
             - {{type: code_judge, script: exit 1}}\n",
            crate::project::suite(&["again", "broken", "good", "judge"])
        ),
    );
    let run = project.run(&["eval", "suite.yaml", "--include-trace", "--max-retries", "1"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    check_rows(&project, 4);
}
