//! What a run must never do by accident: overwrite its inputs, pass without cases, lose output.

use std::{fs, fs::File, os::unix::fs::symlink};

use crate::project::{lines, project};

#[test]
fn out_never_replaces_a_file_that_the_run_reads() {
    let project = project("touch started; echo ok", &[], &["a"]).file("notes.txt", "note");
    project.write(
        "with-file.yaml",
        "evaluators: [{type: contains, value: ok}]\nevalcases:\n  - id: a\n    input_messages:\n      \
         - {role: user, content: [{type: file, value: notes.txt}]}\n",
    );
    for out in ["suite.yaml", ".agentv/targets.yaml", "./.agentv/../suite.yaml", "notes.txt"] {
        let before = fs::read(project.path(out)).unwrap();
        let run = project.run(&[
            "eval",
            "suite.yaml",
            "with-file.yaml",
            "--out",
            out,
            "--output-format",
            "yaml",
        ]);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains("which this run reads"), "{}", run.stderr);
        assert_eq!(fs::read(project.path(out)).unwrap(), before);
    }
    assert!(!project.path("started").exists());
}

#[test]
fn a_path_without_any_suite_is_refused() {
    let project = project("echo ok", &[], &["a"]);
    for command in [&["eval"][..], &["invoke", "--target", "agent"][..]] {
        let run = project.run(&[command, &[".agentv/targets.yaml"]].concat());
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains("none of these files is a suite"), "{}", run.stderr);
    }
    assert!(!project.path(".agentv/results").exists());
}

#[test]
fn output_that_cannot_be_written_is_not_a_success() {
    let project = project("echo ok", &[], &["a"]);
    for args in [
        &["eval", "suite.yaml"][..],
        &["invoke", "suite.yaml", "--target", "agent"][..],
        &["validate", "suite.yaml"][..],
        &["validate", "suite.yaml", "--format", "json"][..],
        &["validate", "missing.yaml", "--format", "sarif"][..],
        &["completions", "bash"][..],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = project.command(args).stdout(full).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {stderr}");
        assert!(stderr.contains("cannot write to standard output"), "{args:?}: {stderr}");
    }
}

#[test]
fn a_link_to_nothing_is_in_nobodys_way() {
    let project = project("echo ok", &[], &["a"]);
    symlink("nowhere", project.path("lost.txt")).unwrap();
    let run = project.run(&["eval", "."]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
}

#[test]
fn validate_does_not_ask_for_a_target_that_can_be_named_later() {
    let two = "targets:\n  - {name: a, provider: cli, command: echo ok}\n  - {name: b, provider: cli, command: echo ok}\n";
    let project = project("", &[], &["x"]).file(".agentv/targets.yaml", two);
    assert_eq!(project.run(&["validate", "suite.yaml"]).code, Some(0));
    assert_eq!(project.run(&["eval", "suite.yaml", "--target", "b"]).code, Some(0));
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("there are: a, b"), "{}", run.stderr);
}

#[test]
fn a_misspelt_id_of_a_record_is_named_beside_the_missing_one() {
    let command = r#"printf '{"id":"a ","text":"ok"}\n' > {OUTPUT_FILE}"#;
    let project = project(command, &["provider_batching: true"], &["a"]);
    let run = project.run(&["invoke", "suite.yaml", "--target", "agent"]);
    assert_eq!(
        lines(&run.stdout)[0]["error"],
        "batch output is missing 1 of 1 requested ids: a; it has 1 record nobody asked for \
         (first id: `a `)"
    );
}

#[test]
fn a_variable_never_becomes_a_part_of_a_judges_command_line() {
    let project = project("echo ok", &[], &[])
        .file("rows.csv", "id,who,input\na,x; touch PWNED; true,hi\n")
        .file(
            "rows.yaml",
            "assert:\n\
             \x20 - {name: one, type: code_judge, script: \"sh judge.sh {{ who }}\"}\n\
             \x20 - {name: two, type: code_judge, command: [sh, -c, \"echo {{ who }}\"]}\n\
             \x20 - {name: three, type: code_judge, command: [\"{{ who }}\"]}\n\
             \x20 - name: four\n\
             \x20   type: composite\n\
             \x20   evaluators: [is_json, {type: code_judge, command: \"sh judge.sh {{ who }}\"}]\n\
             \x20   aggregator: {type: code_judge, path: \"sh judge.sh {{ who }}\"}\n",
        )
        .file("own.yaml", "evalcases:\n  - id: a\n    vars: {who: x}\n    input: hi\n    execution:\n      evaluators:\n        - {type: code_judge, script: \"echo {{ who }}\"}\n");
    let run = project.run(&["eval", "rows.csv", "own.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    let refused = "a variable would become a part of this command, which is code";
    assert_eq!(run.stderr.matches(refused).count(), 6, "{}", run.seen());
    assert!(!project.path("PWNED").exists());
}

#[test]
fn a_variable_can_be_an_argument_of_a_judge_and_a_part_of_its_config() {
    let project = project("echo ok", &[], &[])
        .file("rows.csv", "id,who,input\na,x; touch PWNED; true,hi\n")
        .file(
            "rows.yaml",
            "assert:\n  - type: code_judge\n    command: [sh, judge.sh, \"{{ who }}\"]\n    config: {who: \"{{ who }}\"}\n",
        )
        .file(
            "judge.sh",
            "grep -q '\"config\":{\"who\":\"x; touch PWNED; true\"}' || exit 1\n\
             [ \"$1\" = 'x; touch PWNED; true' ] && echo '{\"score\": 1}'\n",
        );
    let run = project.run(&["eval", "rows.csv"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(!project.path("PWNED").exists());
}
