//! Code judges that give no score: the case is an error, never a zero.

use agentv_testkit::Project;
use insta::assert_snapshot;
use serde_json::json;

use super::{assert_clean, refused, sound, unevaluated, without_times};
use crate::project::{column, empty, suite, targets};

/// A project whose target answers `ok` and whose judge is this script.
fn judged_by(script: &str) -> Project {
    judged_by_grader(&format!("script: {}", json!(script)))
}

/// A project whose target answers `ok` and whose judge has these keys.
fn judged_by_grader(keys: &str) -> Project {
    let grader = format!("  - type: code_judge\n    name: quality\n    {keys}\n");
    let text = suite(&["a"]).replace("  - type: contains\n    value: ok\n", &grader);
    // The target has all the time it needs, whatever deadline a test sets for the judge.
    let targets = targets("echo ok", &["timeout_seconds: 60"]);
    empty().file(".agentv/targets.yaml", targets).file("suite.yaml", text)
}

/// What is said of the only case, whose judge gave no verdict; nothing is left behind.
fn said(project: &Project, args: &[&str]) -> String {
    let run = project.run(&[&["eval", "suite.yaml"], args].concat());
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_clean(project);
    assert!(column(project, "score")[0].is_null(), "{}", run.seen());
    let said = column(project, "error")[0].as_str().unwrap().to_owned();
    let said = said.strip_prefix("grader `quality` failed: ").unwrap_or(&said);
    said.replace(project.path("").to_string_lossy().trim_end_matches('/'), "PROJECT")
}

/// What is said of a judge that must run into its deadline. On a machine that is too slow to bring
/// it to the file `ready` before that, it is tried again with a later one.
fn said_late(script: &str) -> String {
    let mut deadline = 0.3;
    loop {
        let project = judged_by(script);
        let said = said(&project, &["--agent-timeout", &deadline.to_string()]);
        if project.path("ready").exists() {
            return said.replace(&format!("after {deadline} s"), "after N s");
        }
        deadline *= 3.0;
    }
}

#[test]
fn a_judge_that_crashes_is_told_with_its_last_words() {
    let project = judged_by("printf 'Traceback:\\n  judge.py, line 3\\nKeyError\\n' >&2; exit 3");
    assert_snapshot!(unevaluated(&project), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:6 a (agent)
          grader `quality` failed: it exited with code 3
          stderr: Traceback:
            judge.py, line 3
          KeyError
    --- stderr
    ERROR a (agent) [TIME]: grader `quality` failed: it exited with code 3; stderr: Traceback:; judge.py, line 3; KeyError
    ");
    let results = column(&project, "evaluator_results");
    assert_eq!(results[0][0]["name"], "quality");
    assert!(results[0][0]["error"].as_str().unwrap().contains("code 3"), "{results:?}");
    assert!(results[0][0]["score"].is_null(), "{results:?}");
}

#[test]
fn a_judge_that_prints_nonsense_is_quoted() {
    assert_snapshot!(unevaluated(&judged_by("echo what a nice answer")), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:6 a (agent)
          grader `quality` failed: it printed what is not a JSON object (expected value at line 1 column
          1): `what a nice answer`
    --- stderr
    ERROR a (agent) [TIME]: grader `quality` failed: it printed what is not a JSON object (expected value at line 1 column 1): `what a nice answer`
    ");
}

#[test]
fn a_judge_that_prints_nothing_is_told() {
    assert_snapshot!(unevaluated(&judged_by("true")), @r#"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:6 a (agent)
          grader `quality` failed: it printed nothing; a judge prints `{"score": …}`
    --- stderr
    ERROR a (agent) [TIME]: grader `quality` failed: it printed nothing; a judge prints `{"score": …}`
    "#);
}

#[test]
fn a_score_above_one_is_no_score() {
    assert_snapshot!(unevaluated(&judged_by(r#"echo '{"score": 7}'"#)), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:6 a (agent)
          grader `quality` failed: its `score` is 7, which is not between 0 and 1
    --- stderr
    ERROR a (agent) [TIME]: grader `quality` failed: its `score` is 7, which is not between 0 and 1
    ");
}

#[test]
fn a_verdict_without_a_score_is_no_verdict() {
    assert_snapshot!(unevaluated(&judged_by(r#"echo '{"hits": ["all of it"]}'"#)), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:6 a (agent)
          grader `quality` failed: its output has no `score`
    --- stderr
    ERROR a (agent) [TIME]: grader `quality` failed: its output has no `score`
    ");
}

#[test]
fn two_verdicts_are_none() {
    let script = r#"echo '{"score": 1}'; echo '{"score": 0}'"#;
    assert_snapshot!(unevaluated(&judged_by(script)), @r#"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:6 a (agent)
          grader `quality` failed: it printed more than one JSON value: `{"score": 1}\n{"score": 0}`
    --- stderr
    ERROR a (agent) [TIME]: grader `quality` failed: it printed more than one JSON value: `{"score": 1}\n{"score": 0}`
    "#);
}

#[test]
fn a_judge_that_hangs_is_ended_at_its_deadline() {
    let project = judged_by("sleep 600");
    let run = project.run(&["eval", "suite.yaml", "--agent-timeout", "0.3"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_clean(&project);
    assert_snapshot!(without_times(&run.seen()), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:6 a (agent)
          grader `quality` failed: timed out after 0.3 s
    --- stderr
    ERROR a (agent) [TIME]: grader `quality` failed: timed out after 0.3 s
    ");
}

#[test]
fn the_other_graders_of_the_case_are_kept_beside_the_one_that_failed() {
    let project = judged_by("exit 1");
    let text = std::fs::read_to_string(project.path("suite.yaml")).unwrap();
    let text = text.replace("evalcases:", "  - type: contains\n    value: ok\nevalcases:");
    project.write("suite.yaml", text);
    unevaluated(&project);
    let results = column(&project, "evaluator_results");
    assert_eq!(results[0][1]["name"], "contains");
    assert_eq!(results[0][1]["score"], 1.0);
}

#[test]
fn a_judge_that_exits_early_is_told_by_its_code_and_not_by_its_unread_input() {
    // Through a pipe that nobody reads, and from a file.
    for size in [300_000, 3_000_000] {
        let answer = format!("head -c {size} /dev/zero | tr '\\0' x");
        let project = judged_by("echo 'no model here' >&2; exit 4")
            .file(".agentv/targets.yaml", targets(&answer, &[]));
        assert_eq!(said(&project, &[]), "it exited with code 4\nstderr: no model here");
    }
}

#[test]
fn a_judge_that_says_more_than_its_verdict_is_told_what_and_how() {
    for (script, fault) in [
        (
            r#"echo 'model loaded'; echo '{"score": 1}'"#,
            "it printed what is not a JSON object (expected value at line 1 column 1): \
             `model loaded\\n{\"score\": 1}`",
        ),
        (
            r#"echo '{"score": 1}'; echo 'done'"#,
            "it printed more than its JSON object (other output belongs to standard error): \
             `{\"score\": 1}\\ndone`",
        ),
        (
            r#"echo '{"score": 1}'; head -c 10000000 /dev/zero | tr '\0' ' '"#,
            "it printed more than 1024 KiB; a judge prints one small JSON object",
        ),
        (
            r#"printf '{"score": 1, "reasoning": "\377"}'"#,
            "it printed what is not UTF-8 (from byte 28)",
        ),
        (
            r#"echo '{"score": NaN}'"#,
            "it printed what is not a JSON object (expected value at line 1 column 11; JSON knows \
             neither NaN nor Infinity): `{\"score\": NaN}`",
        ),
        (r#"echo '{"score": "0.5"}'"#, "its `score` is not a number: `\"0.5\"`"),
    ] {
        assert_eq!(said(&judged_by(script), &[]), fault, "{script}");
    }
}

#[test]
fn a_judge_that_is_killed_is_told_by_the_signal() {
    let fault = said(&judged_by(r#"echo '{"score": 1}'; kill -9 $$"#), &[]);
    assert_eq!(fault, "it was ended by SIGKILL\nstdout: {\"score\": 1}");
}

#[test]
fn a_verdict_before_a_hang_does_not_count_and_is_shown() {
    assert_eq!(
        said_late(r#"echo '{"score": 1}'; : > ready; exec sleep 600"#),
        "timed out after N s; it had not ended, so what it had printed does not count: \
         `{\"score\": 1}`"
    );
}

#[test]
fn a_judge_that_does_not_want_to_end_is_ended_all_the_same() {
    for script in [
        "trap '' TERM; : > ready; while :; do sleep 600; done",
        ": > ready; kill -STOP $$; echo woken",
        "exec >&- 2>&-; : > ready; exec sleep 600",
        "(trap '' TERM; : > ready; sleep 600) & wait",
    ] {
        assert_eq!(said_late(script), "timed out after N s", "{script}");
    }
}

#[test]
fn a_judge_that_cannot_be_started_is_told_with_a_way_out() {
    let missing = "No such file or directory (os error 2)";
    for (program, fault) in [
        (
            "no-such-judge",
            format!(
                "cannot start: `no-such-judge`: {missing}\n\
                 it is looked for on the PATH and is not there"
            ),
        ),
        (
            "judge.py",
            format!(
                "cannot start: `judge.py`: {missing}\na name without `/` is looked for on the PATH; \
                 for the file in PROJECT write `./judge.py`"
            ),
        ),
        (
            "./judges/judge.py",
            format!(
                "cannot start: `./judges/judge.py`: {missing}\n\
                 the path starts at the folder that the judge runs in: PROJECT"
            ),
        ),
        (
            "./judge.py",
            "cannot start: `./judge.py`: Permission denied (os error 13)\n\
             it may not be run: `chmod +x ./judge.py`, or name its interpreter first"
                .to_owned(),
        ),
        (
            "./orphan.sh",
            format!(
                "cannot start: `./orphan.sh`: {missing}\n\
                 the file is there; the program that its first line (`#!`) names is not"
            ),
        ),
    ] {
        let project = judged_by_grader(&format!("command: [{program}]"))
            .file("judge.py", "print(1)")
            .file("orphan.sh", "#!/no/such/shell\n");
        assert_eq!(said(&project, &[]), fault, "{program}");
    }
}

#[test]
fn a_script_that_is_missing_is_told_by_the_shell() {
    let fault = said(&judged_by("./no-such-judge.sh"), &[]);
    let (code, stderr) = fault.split_once('\n').unwrap();
    assert_eq!(code, "it exited with code 127 (the shell's code for a command that is not found)");
    assert!(stderr.contains("no-such-judge.sh"), "{fault}");
}

#[test]
fn a_folder_that_is_gone_when_the_judge_starts_is_named() {
    let project = judged_by_grader("script: exit 0\n    cwd: judges")
        .file("judges/x", "")
        .file(".agentv/targets.yaml", targets("rm -r judges; echo ok", &[]));
    let fault = said(&project, &[]);
    assert!(fault.starts_with("cannot start: folder PROJECT/judges: No such file"), "{fault}");
}

#[test]
fn a_number_that_json_does_not_know_is_refused_in_a_configuration() {
    let project = sound().file(
        "suite.yaml",
        suite(&["a"]).replace(
            "type: contains\n    value: ok",
            "type: code_judge\n    script: ./judge\n    config: {limits: [.inf, 1.5]}\n    timeout_ms: 5",
        ),
    );
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @"
    error: JSON knows no such number
     --> suite.yaml:4:23
      |
    4 |     config: {limits: [.inf, 1.5]}
      |                       ^^^^
      |
      = help: put it in quotes where a text is meant

    error: `timeout_ms` of code_judge is known, but not supported yet
     --> suite.yaml:5:5
      |
    5 |     timeout_ms: 5
      |     ^^^^^^^^^^
      |
      = help: say it in seconds: `timeout_seconds: 1.5`

    2 errors
    ");
}
