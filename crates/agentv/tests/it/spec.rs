//! The specification of the `cli` provider, scenario by scenario, on the real binary.
//!
//! A scenario is a folder: suite, targets, agent script, and `expect.json`, what must come out.
//! `docs/conformance.md` is made from the folders and the tests below, and checked here.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use agentv_testkit::Project;
use serde_json::Value;

fn spec() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/cli-provider")
}

/// Runs a scenario's command in a copy of its folder and compares.
fn scenario(name: &str) {
    let folder = spec().join(name);
    let expect: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("expect.json")).unwrap()).unwrap();
    let project = Project::new(env!("CARGO_BIN_EXE_agentv")).copy_of(&folder);
    let args: Vec<&str> =
        expect["command"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    let run = project.run(&args);
    let seen = run.seen();
    assert_eq!(run.code.map(i64::from), expect["exit"].as_i64(), "{seen}");
    if let Some(lines) = expect.get("lines") {
        compare_lines(&run.stdout, lines, false, &seen);
    }
    if let Some(rows) = expect.get("rows") {
        compare_lines(&project.rows_text(), rows, true, &seen);
    }
    for name in expect["absent"].as_array().into_iter().flatten() {
        assert!(!project.path(name.as_str().unwrap()).exists(), "{name} is there\n{seen}");
    }
    for (name, content) in expect["files"].as_object().into_iter().flatten() {
        let found = fs::read_to_string(project.path(name)).unwrap();
        assert_eq!(Some(found.as_str()), content.as_str(), "{name}");
    }
    if let Some(limit) = expect["output_shorter_than"].as_u64() {
        let length = run.stdout.len() + run.stderr.len();
        assert!((length as u64) < limit, "{length} bytes were printed");
    }
    assert_eq!(project.temporary_files(), Vec::<PathBuf>::new(), "temporary files are left");
}

/// Each expected line must be matched by the line at its place; rows come in any order.
fn compare_lines(text: &str, expected: &Value, any_order: bool, seen: &str) {
    let mut lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut expected = expected.as_array().unwrap().clone();
    if any_order {
        let key = |row: &Value| row["eval_id"].as_str().unwrap_or_default().to_owned();
        lines.sort_by_key(key);
        expected.sort_by_key(key);
    }
    assert_eq!(lines.len(), expected.len(), "{seen}");
    for (line, expected) in lines.iter().zip(&expected) {
        compare(line, expected, "", seen);
    }
}

/// Maps may hold more than expected; everything else must be equal. A map with `contains` or
/// `shorter_than` speaks about a text.
fn compare(found: &Value, expected: &Value, place: &str, seen: &str) {
    match expected {
        Value::Object(map) if map.contains_key("contains") || map.contains_key("shorter_than") => {
            let text = found.as_str().unwrap_or_else(|| panic!("{place} is no text\n{seen}"));
            for part in map["contains"].as_array().into_iter().flatten() {
                let part = part.as_str().unwrap();
                assert!(text.contains(part), "{place} lacks {part:?}: {text}");
            }
            if let Some(limit) = map.get("shorter_than").and_then(Value::as_u64) {
                assert!((text.len() as u64) < limit, "{place} has {} bytes", text.len());
            }
        }
        Value::Object(map) => {
            for (key, expected) in map {
                let found = found.get(key).unwrap_or_else(|| panic!("no {place}.{key}\n{seen}"));
                compare(found, expected, &format!("{place}.{key}"), seen);
            }
        }
        Value::Array(items) => {
            let found = found.as_array().unwrap_or_else(|| panic!("{place} is no list\n{seen}"));
            assert_eq!(found.len(), items.len(), "{place}\n{seen}");
            for (index, (found, expected)) in found.iter().zip(items).enumerate() {
                compare(found, expected, &format!("{place}[{index}]"), seen);
            }
        }
        scalar @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            assert_eq!(found, scalar, "{place}\n{seen}");
        }
    }
}

/// One test a scenario, called as its folder and so as its title.
macro_rules! scenarios {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                scenario(&stringify!($name).replace('_', "-"));
            }
        )*

        const TESTS: &[&str] = &[$(stringify!($name)),*];
    };
}

scenarios! {
    successful_jsonl_batch_output_mapping,
    missing_eval_case_result,
    invalid_jsonl_line,
    ignore_invalid_trace_events,
    single_json_output,
    plain_text_output,
    jsonl_record_with_output_messages,
    output_messages_with_tool_calls,
    single_case_output_with_output_messages,
    backward_compatibility_with_trace_field,
    record_id_is_required,
    text_is_coerced_to_a_string,
    text_is_required,
    additional_fields_are_ignored,
    non_zero_exit_code,
    missing_records_are_listed,
    unparseable_lines_show_an_excerpt,
    nothing_but_the_configured_command_is_run,
    full_output_is_never_logged,
    one_command_for_all_cases,
}

/// The page as the folders and the tests say it should be.
fn conformance() -> String {
    let mut by_source: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for entry in fs::read_dir(spec()).unwrap() {
        let path = entry.unwrap().path();
        let folder = path.file_name().unwrap().to_string_lossy().into_owned();
        let about = fs::read_to_string(path.join("scenario.txt")).unwrap();
        let (title, source) = about.trim_end().split_once('\n').unwrap();
        by_source.entry(source.to_owned()).or_default().push((title.to_owned(), folder));
    }
    let mut page = String::from(
        "# Conformance of the `cli` provider\n\n\
         Each scenario of the specification, and each line of its record shape, failure modes and\n\
         safety section, is a folder under `spec/cli-provider` and a test of the same name on the\n\
         real binary. This page is checked by a test (`cargo test -p agentv --test it spec`).\n",
    );
    for (source, mut scenarios) in by_source {
        scenarios.sort();
        page.push_str(&format!("\n## {source}\n\n| scenario | test |\n|---|---|\n"));
        for (title, folder) in scenarios {
            let test = folder.replace('-', "_");
            page.push_str(&format!(
                "| [{title}](../spec/cli-provider/{folder}) | `spec::{test}` |\n"
            ));
        }
    }
    page
}

#[test]
fn every_scenario_has_its_test_and_the_page_says_so() {
    let mut folders: Vec<String> = fs::read_dir(spec())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().replace('-', "_"))
        .collect();
    folders.sort();
    let mut tests: Vec<String> = TESTS.iter().map(ToString::to_string).collect();
    tests.sort();
    assert_eq!(folders, tests);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/conformance.md");
    let expected = conformance();
    if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        fs::write(&page, &expected).unwrap();
    }
    assert_eq!(
        fs::read_to_string(page).unwrap_or_default(),
        expected,
        "docs/conformance.md is stale"
    );
}
