//! Files of other dialects, formats and tools: `tests/convert/<name>` holds what is given and,
//! byte for byte, what comes out.

use std::{
    fs,
    path::{Path, PathBuf},
};

use agentv_testkit::Project;

use crate::project::{empty, lines, suite};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/convert").join(name)
}

fn project(name: &str) -> Project {
    empty().copy_of(&corpus(name))
}

fn text(name: &str, file: &str) -> String {
    let path = corpus(name).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares with the expected file; `UPDATE_CONVERT=1` writes it instead.
fn expect(name: &str, file: &str, actual: &str) {
    if std::env::var_os("UPDATE_CONVERT").is_some() {
        fs::write(corpus(name).join(file), actual).unwrap();
    }
    assert_eq!(actual, text(name, file), "{name}/{file}");
}

#[test]
fn suites_and_targets_get_the_current_names_and_keep_everything_else() {
    for name in ["later-suite", "nested-targets", "flow-and-anchors"] {
        let project = project(name);
        let run = project.run(&["convert", "input.yaml"]);
        assert_eq!(run.code, Some(0), "{}", run.seen());
        expect(name, "expected.yaml", &run.stdout);
        let written = project.run(&["convert", "input.yaml", "--write"]);
        assert_eq!((written.code, written.stdout.as_str()), (Some(0), ""));
        assert_eq!(fs::read_to_string(project.path("input.yaml")).unwrap(), run.stdout);
        // What has the current names is not touched.
        let before = fs::metadata(project.path("input.yaml")).unwrap().modified().unwrap();
        let again = project.run(&["convert", "input.yaml", "--write"]);
        assert!(again.stderr.contains("nothing to change"), "{}", again.seen());
        let after = fs::metadata(project.path("input.yaml")).unwrap().modified().unwrap();
        assert_eq!(before, after);
        let printed = project.run(&["convert", "input.yaml"]);
        assert_eq!(printed.stdout, run.stdout);
    }
}

#[test]
fn a_byte_order_mark_stays() {
    let project = empty().file("a.yaml", "\u{feff}tests:\n- {id: a, outcome: x}\n");
    let run = project.run(&["convert", "a.yaml"]);
    assert_eq!(run.stdout, "\u{feff}evalcases:\n- {id: a, expected_outcome: x}\n");
}

#[test]
fn results_go_to_the_other_format_and_back() {
    let project = project("original-rows");
    let run = project.run(&["convert", "input.jsonl", "--out", "rows.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    expect(
        "original-rows",
        "expected.yaml",
        &fs::read_to_string(project.path("rows.yaml")).unwrap(),
    );
    let back = project.run(&["convert", "rows.yaml"]);
    assert_eq!(back.stdout, text("original-rows", "input.jsonl"), "{}", back.seen());
}

#[test]
fn rows_in_yaml_keep_fields_that_nobody_knows() {
    let project = project("our-rows-in-yaml");
    let run = project.run(&["convert", "input.yaml", "--to", "jsonl"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    expect("our-rows-in-yaml", "expected.jsonl", &run.stdout);
}

#[test]
fn a_bad_row_is_told_by_its_line_and_nothing_is_written() {
    let rows = "{\"eval_id\":\"a\",\"score\":1}\n{\"eval_id\":\"b\",\n";
    let project = empty().file("rows.jsonl", rows).file("out.yaml", "before");
    for out in [&["convert", "rows.jsonl"][..], &["convert", "rows.jsonl", "--out", "out.yaml"]] {
        let run = project.run(out);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.seen());
        assert!(run.stderr.contains("rows.jsonl, line 2: not JSON"), "{}", run.seen());
    }
    assert_eq!(fs::read_to_string(project.path("out.yaml")).unwrap(), "before");
}

#[test]
fn a_promptfoo_configuration_becomes_a_suite_and_targets() {
    for name in ["promptfoo-exec", "promptfoo-scripts"] {
        let project = project(name);
        fs::create_dir(project.path("evals")).unwrap();
        let run = project.run(&["convert", "promptfooconfig.yaml", "--out", "evals/imported.yaml"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.seen());
        let read = |path: &str| fs::read_to_string(project.path(path)).unwrap();
        expect(name, "expected-suite.yaml", &read("evals/imported.yaml"));
        expect(name, "expected-targets.yaml", &read(".agentv/targets.yaml"));
        expect(name, "expected-stderr.txt", &run.stderr);
        let valid = project.run(&["validate", ".agentv/targets.yaml"]);
        assert_eq!(valid.code, Some(0), "{}", valid.seen());
    }
}

#[test]
fn targets_made_of_scripts_answer() {
    let project = project("promptfoo-scripts").file("evals/ask.yaml", suite(&["it"]));
    let run = project.run(&["convert", "promptfooconfig.yaml", "--out", "evals/imported.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    for (target, answer) in [("python", "it's it"), ("echo", "it")] {
        let run = project.run(&["invoke", "evals/ask.yaml", "--target", target]);
        assert_eq!(run.code, Some(0), "{}", run.seen());
        assert_eq!(lines(&run.stdout)[0]["response"]["text"], answer);
    }
}

#[test]
fn without_a_file_for_it_the_suite_is_printed_with_its_targets() {
    let run = project("promptfoo-exec").run(&["convert", "promptfooconfig.yaml"]);
    expect("promptfoo-exec", "expected-alone.yaml", &run.stdout);
}

#[test]
fn an_existing_targets_file_stays_and_the_suite_brings_its_own() {
    let project = project("promptfoo-exec").file(".agentv/targets.yaml", "targets: []\n");
    let run = project.run(&["convert", "promptfooconfig.yaml", "--out", "imported.yaml"]);
    assert!(run.stderr.contains("`.agentv/targets.yaml` exists and stays"), "{}", run.seen());
    let targets = fs::read_to_string(project.path(".agentv/targets.yaml")).unwrap();
    assert_eq!(targets, "targets: []\n");
    let alone = project.run(&["convert", "promptfooconfig.yaml"]);
    assert_eq!(fs::read_to_string(project.path("imported.yaml")).unwrap(), alone.stdout);
}

#[test]
fn what_cannot_be_converted_is_told_what_can() {
    for (file, content, message) in [
        ("a.csv", "id,input\n1,x\n", "`a.csv` holds cases"),
        ("a.jsonl", "{\"id\":\"1\",\"input\":\"x\"}\n", "`a.jsonl` holds cases"),
        ("a.yaml", "services: {}\n", "`a.yaml` is nothing that convert knows"),
        ("b.yaml", "tests: [\n", "error: "),
    ] {
        let run = empty().file(file, content).run(&["convert", file]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.seen());
        assert!(run.stderr.contains(message), "{}", run.seen());
    }
    let run = empty().file("a.csv", "id\n").run(&["convert", "a.csv"]);
    assert!(run.stderr.contains("convert takes a suite, targets or config file"), "{}", run.seen());
    let run = empty().run(&["convert", "absent.yaml"]);
    assert!(run.stderr.contains("`absent.yaml` cannot be read"), "{}", run.seen());
    assert_eq!(run.code, Some(2));
}
