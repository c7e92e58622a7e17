//! Results in formats for people and machines: `agentv report`, `--out`, and what GitHub Actions is
//! told by itself.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use agentv_testkit::{Project, closed_pipe};
use serde_json::Value;

use crate::project::{empty, project};

/// The page is a format of its own, with tests of its own.
const ENDINGS: [&str; 6] = ["jsonl", "yaml", "json", "csv", "xml", "md"];

/// One case passes, one fails, one has an error; ids and answers are as bad as they can be.
fn mixed() -> Project {
    let agent = "case {EVAL_ID} in *good*) echo ok;; *bad*) printf '\\033[31m]]><script>\\n=1+1';; *) exit 7;; esac";
    project(agent, &[], &["good", "bad <b>|`x`", "@all ::error::x"])
}

fn read(project: &Project, path: &str) -> String {
    fs::read_to_string(project.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What `xmllint` says of a file; nothing where it is valid by the schema.
fn invalid(project: &Project, file: &str, schema: &str) -> Option<String> {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/junit");
    let output = Command::new("xmllint")
        .args(["--noout", "--schema"])
        .arg(schemas.join(schema))
        .arg(project.path(file))
        .output()
        .expect("xmllint, of the Debian package libxml2-utils");
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

fn assert_valid(project: &Project, file: &str, schemas: &[&str]) {
    for schema in schemas {
        let invalid = invalid(project, file, schema);
        assert_eq!(invalid, None, "{schema}\n{}", read(project, file));
    }
}

#[test]
fn a_report_of_a_run_is_what_the_run_itself_wrote() {
    let project = mixed();
    let run = project.run(&["eval", "suite.yaml", "--out", "a.csv", "--out", "a.jsonl"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let id = project.newest_run().file_name().unwrap().to_string_lossy().into_owned();
    let run = project.run(&["report", &id, "--out", "b.csv", "--out", "b.jsonl"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.seen());
    assert_eq!(read(&project, "a.csv"), read(&project, "b.csv"));
    assert_eq!(read(&project, "a.jsonl"), read(&project, "b.jsonl"));
}

#[test]
fn every_format_is_written_and_json_is_read_again() {
    let project = mixed();
    let outs: Vec<String> =
        ENDINGS.iter().flat_map(|ending| ["--out".to_owned(), format!("r.{ending}")]).collect();
    let mut args = vec!["eval", "suite.yaml"];
    args.extend(outs.iter().map(String::as_str));
    let run = project.run(&args);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_valid(&project, "r.xml", &["junit-10.xsd", "JUnit.xsd"]);
    assert!(read(&project, "r.md").starts_with("## ❌ AgentV: 1 of 2 failed, 1 error\n"));
    let document: Value = serde_json::from_str(&read(&project, "r.json")).unwrap();
    assert_eq!(document["summary"]["errors"], 1);
    assert_eq!(document["run"]["status"], "finished");
    let run = project.run(&["report", "r.json", "--out", "again.csv"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(read(&project, "again.csv"), read(&project, "r.csv"));
}

#[test]
fn cases_that_were_not_run_are_skipped_in_junit() {
    let project = project("echo no", &["workers: 1"], &["a", "b", "c"]);
    let run = project.run(&["eval", "suite.yaml", "--fail-fast", "--out", "r.xml"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert_valid(&project, "r.xml", &["junit-10.xsd"]);
    let xml = read(&project, "r.xml");
    assert_eq!(xml.matches("<skipped message=\"not run: fail fast\"/>").count(), 2, "{xml}");
    assert!(xml.contains("tests=\"3\" failures=\"1\" errors=\"0\""), "{xml}");
}

#[test]
fn odd_files_become_sensible_reports_in_every_format() {
    let row = |id: &str, rest: &str| {
        format!(
            "{{\"eval_id\":\"{id}\",\"target\":\"t\",\"timestamp\":\"2025-01-15T10:00:00Z\",{rest}}}\n"
        )
    };
    let equal: String = (0..20).map(|at| row(&format!("c{at}"), "\"score\":1")).collect();
    for (rows, words) in [
        (String::new(), "no results"),
        (
            row("a", "\"score\":1,\"hits\":[],\"misses\":[],\"candidate_answer\":\"x\""),
            "1 of 1 passed",
        ),
        (row("a", "\"score\":0,\"error\":\"agent died\""), "nothing could be evaluated, 1 error"),
        (equal, "20 of 20 passed"),
    ] {
        let project = empty().file("rows.jsonl", rows);
        let mut args = vec!["report".to_owned(), "rows.jsonl".to_owned()];
        for ending in &ENDINGS {
            args.extend(["--out".to_owned(), format!("r.{ending}")]);
        }
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = project.run(&args);
        assert_eq!(run.code, Some(0), "{}", run.seen());
        assert!(read(&project, "r.md").contains(words), "{}", read(&project, "r.md"));
        assert_valid(&project, "r.xml", &["junit-10.xsd", "JUnit.xsd"]);
        for ending in &ENDINGS {
            assert!(!read(&project, &format!("r.{ending}")).contains("NaN"), "{ending}");
        }
    }
}

#[test]
fn standard_output_is_a_dash_and_needs_a_format() {
    let project = mixed();
    let run = project.run(&["eval", "suite.yaml", "-q", "--out", "-", "--output-format", "csv"]);
    assert!(run.stdout.starts_with("eval_id,dataset,"), "{}", run.seen());
    assert!(run.stderr.contains("1 failed"), "the summary makes room: {}", run.seen());
    let id = project.newest_run().file_name().unwrap().to_string_lossy().into_owned();
    let same = project.run(&["report", &id, "--out", "-", "--format", "csv"]);
    assert_eq!((same.code, same.stdout), (Some(0), run.stdout));
    let run = project.run(&["report", &id, "--out", "-"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("add --output-format with one of: jsonl, "), "{}", run.seen());
    assert!(!project.path("-").exists());
}

#[test]
fn a_reader_that_left_is_no_fault_and_a_full_disk_is() {
    let rows = (0..5000).map(|at| format!("{{\"eval_id\":\"c{at}\",\"score\":1}}"));
    let rows = rows.collect::<Vec<_>>().join("\n");
    let project = empty().file("rows.jsonl", rows);
    let args = ["report", "rows.jsonl", "--out", "-", "--output-format", "csv"];
    let run = project.start_with(&args, |command| command.stdout(closed_pipe())).finish();
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(!run.stderr.contains("cannot write"), "{}", run.seen());
    if let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") {
        let run = project.start_with(&args, |command| command.stdout(Stdio::from(full))).finish();
        assert_eq!(run.code, Some(3), "{}", run.seen());
        assert!(run.stderr.contains("cannot write `standard output`"), "{}", run.seen());
    }
}

#[test]
fn what_is_wrong_is_said_before_anything_is_written() {
    let row = "{\"eval_id\":\"a\",\"score\":1}\n";
    let project = empty().file("a.jsonl", row).file("b.json", format!("[{row}]"));
    for (args, words) in [
        (&["a.jsonl", "--out", "a.jsonl"][..], "--out would replace `a.jsonl`, which is read"),
        (&["b.json", "--out", "./b.json"], "--out would replace `./b.json`, which is read"),
        (&["a.jsonl", "./a.jsonl", "--out", "r.csv"], "`./a.jsonl` is given twice"),
        (&["a.jsonl", "--out", "r.docx"], "known: .jsonl, .ndjson, .yaml, .yml, .json, .csv, .xml"),
        (
            &["a.jsonl", "--out", "r", "--output-format", "word"],
            "known: jsonl, yaml, json, csv, junit",
        ),
        (&["nowhere.jsonl", "--out", "r.csv"], "nowhere.jsonl"),
        (&["a.jsonl", "--out", "deep/r.csv"], "the folder `deep` does not exist"),
    ] {
        let run = project.run(&[&["report"], args].concat());
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains(words), "{words}\n{}", run.seen());
        assert!(!project.path("r.csv").exists());
    }
    assert_eq!(read(&project, "a.jsonl"), row);
}

#[test]
fn several_files_become_one_report() {
    let row = |id: &str| format!("{{\"eval_id\":\"{id}\",\"score\":1}}\n");
    let project = empty().file("a.jsonl", row("a")).file("b.jsonl", row("b"));
    let run = project.run(&["report", "a.jsonl", "b.jsonl", "--out", "-", "--format", "md"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(run.stdout.starts_with("## ✅ AgentV: 2 of 2 passed\n"), "{}", run.seen());
    assert!(run.stdout.contains("`a.jsonl, b.jsonl`"), "{}", run.seen());
}

#[test]
fn the_summary_of_the_step_is_written_by_itself_behind_what_is_there() {
    let project = mixed().env("GITHUB_STEP_SUMMARY", "summary.md").file("summary.md", "before\n");
    let run = project.run(&["eval", "suite.yaml", "-q"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let summary = read(&project, "summary.md");
    assert!(summary.starts_with("before\n## ❌ AgentV: 1 of 2 failed, 1 error\n"), "{summary}");
    assert!(!summary.contains('\u{1b}'), "{summary:?}");
    let id = project.newest_run().file_name().unwrap().to_string_lossy().into_owned();
    let run = project.run(&["grade", &id, "-q"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(read(&project, "summary.md").matches("## ❌").count(), 2);
}

#[test]
fn a_summary_that_cannot_be_written_is_a_warning_and_an_empty_name_is_none() {
    let good = || project("echo ok", &[], &["a"]);
    let project = good().env("GITHUB_STEP_SUMMARY", "deep/summary.md");
    let run = project.run(&["eval", "suite.yaml", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(run.stderr.contains("warning: cannot write the summary of the step"), "{}", run.seen());
    let project = good().env("GITHUB_STEP_SUMMARY", "");
    let run = project.run(&["eval", "suite.yaml", "-q"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.seen());
}

#[test]
fn in_github_actions_cases_are_annotated_on_standard_error() {
    let project = mixed().env("GITHUB_ACTIONS", "true");
    let run = project.run(&["eval", "suite.yaml"]);
    let annotations: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!(annotations.len(), 2, "{}", run.seen());
    let error = "::error file=suite.yaml,line=";
    assert!(annotations.iter().all(|line| line.starts_with(error)), "{annotations:?}");
    assert!(
        annotations[0].contains("title=error%3A @all %3A%3Aerror%3A%3Ax (agent)::"),
        "{annotations:?}"
    );
    assert!(!run.stdout.contains("::error "), "{}", run.seen());
    let run = project.run(&["eval", "suite.yaml", "-q"]);
    assert!(!run.stderr.contains("::error "), "{}", run.seen());
    let run = project.run(&["eval", "suite.yaml", "--out", "-", "--output-format", "github"]);
    assert_eq!(run.stdout.lines().count(), 2, "{}", run.seen());
    assert!(!run.stderr.contains("::error "), "not twice: {}", run.seen());
}

#[test]
fn help_names_every_format() {
    for command in [&["eval"][..], &["grade"], &["report"], &["results", "merge"]] {
        let run = empty().env("COLUMNS", "100").run(&[command, &["--help"]].concat());
        let help: String = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in
            [".jsonl, .yaml, .json, .csv, .xml (junit)", ".md", "jsonl, yaml, json, csv, junit"]
        {
            assert!(help.contains(words), "{command:?} {words}\n{}", run.stdout);
        }
    }
}
