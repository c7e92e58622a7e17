//! `json_schema` on the real command: answers that would make much of a small schema, and schemas
//! that would say nothing.

use agentv_testkit::Project;
use serde_json::Value;

use crate::project::{empty, rows, targets};

/// A megabyte of answer in memory, with all that the command needs besides, is well below this.
const MEMORY_MIB: u64 = 1024;

fn project(schema: &str, answer: &str) -> Project {
    let suite = format!(
        "evaluators:\n  - type: json_schema\n    value: {schema}\nevalcases:\n  - {{id: a, input: Go}}\n"
    );
    empty()
        .file(".agentv/targets.yaml", targets("cat answer.txt", &[]))
        .file("answer.txt", answer)
        .file("suite.yaml", suite)
}

fn graded(schema: &str, answer: &str) -> Value {
    let project = project(schema, answer);
    let run = project.run_within(MEMORY_MIB, &["eval", "suite.yaml", "--no-fail"]);
    assert_eq!(run.code, Some(0), "{}", run.seen().chars().take(2000).collect::<String>());
    rows(&project).remove(0)
}

#[test]
fn a_schema_that_refers_to_itself_in_several_branches_takes_a_deep_answer() {
    let branch =
        |name| format!("{{type: object, required: [{name}], properties: {{a: {{$ref: '#'}}}}}}");
    let deep = "{\"a\":".repeat(100) + "1" + &"}".repeat(100);
    let row = graded(&format!("{{anyOf: [{}, {}]}}", branch("x"), branch("y")), &deep);
    assert_eq!(row["score"], 0.0);
    assert!(row["misses"].to_string().contains("too many ways to be wrong"), "{}", row["misses"]);
    let row = graded("{properties: {a: {allOf: [{$ref: '#'}, {$ref: '#'}]}}}", &deep);
    assert_eq!(row["score"], 1.0);
}

#[test]
fn a_long_list_of_wrong_items_takes_little_memory() {
    let long = format!("[1{}]", ",1".repeat(500_000));
    let tried: Vec<String> =
        (0..20).map(|length| format!("{{type: string, minLength: {length}}}")).collect();
    for schema in [
        "{items: {type: string}}".to_owned(),
        format!("{{items: {{anyOf: [{}]}}}}", tried.join(", ")),
    ] {
        let row = graded(&schema, &long);
        assert_eq!(row["score"], 0.0);
        assert_eq!(row["misses"][1], "and perhaps more", "{}", row["misses"]);
    }
}

#[test]
fn a_schema_with_misspelt_keywords_is_warned_of_and_an_empty_one_is_an_error() {
    let run = project("{type: object, requierd: [x]}", "{}").run(&["validate", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(run.stderr.contains("suite.yaml:3:27"), "{}", run.seen());
    assert!(run.stderr.contains("did you mean `required`?"), "{}", run.seen());
    let run = project("{}", "{}").run(&["validate", "suite.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("`value` checks nothing"), "{}", run.seen());
}
