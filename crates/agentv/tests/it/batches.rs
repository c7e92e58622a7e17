//! Batches: how cases are grouped, what is asked again, and what a bad batch costs.

use std::fs;

use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{batch_project, column, empty, lines, project, rows, suite};

/// Shell functions for agents: `ids FILE` prints the ids of a bundle on one line, `answers` turns
/// requests into records that say ok, `note` adds a line to the file `log`.
const SHELL: &str = r#"
ids() { sed 's/^{"id":"\([^"]*\)".*/\1/' "$1" | tr '\n' ' '; }
answers() { sed 's/,"attempt.*/,"text":"ok"}/'; }
note() { printf '%s\n' "$*" >> log; }
B=$AGENTV_BATCH_FILE O=$AGENTV_OUTPUT_FILE
"#;

/// A project whose target runs this script in batch mode.
fn scripted(script: &str, settings: &[&str], ids: &[&str]) -> Project {
    batch_project("sh agent.sh {ATTEMPT}", settings, ids)
        .file("agent.sh", format!("{SHELL}{script}\n"))
}

/// What the agents noted, each line without white space at its end.
fn log(project: &Project) -> Vec<String> {
    let text = fs::read_to_string(project.path("log")).unwrap_or_default();
    text.lines().map(|line| line.trim_end().to_owned()).collect()
}

fn sorted_log(project: &Project) -> Vec<String> {
    let mut log = log(project);
    log.sort();
    log
}

/// How many attempts failed before the last one, by id.
fn failed_before(project: &Project) -> Vec<usize> {
    column(project, "failed_attempts")
        .iter()
        .map(|attempts| attempts.as_array().map_or(0, Vec::len))
        .collect()
}

#[test]
fn chunks_run_side_by_side_up_to_the_targets_workers() {
    // Each waits for company, or in vain for half a minute; a third would be one too many.
    let meet = r#"
        mkdir -p running; : > "running/$(ids "$B")"
        [ "$(ls running | wc -l)" -ge 2 ] && : > met
        tries=0
        until [ -e met ]; do
            tries=$((tries + 1)); [ $tries -lt 3000 ] || exit 9; sleep 0.01
        done
        [ "$(ls running | wc -l)" -le 2 ] || : > too-many
        answers < "$B" > "$O"
        rm "running/$(ids "$B")"
    "#;
    let ids = ["a", "b", "c", "d", "e", "f", "g"];
    let project = scripted(meet, &["batch_size: 2", "workers: 2"], &ids);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(!project.path("too-many").exists());
    assert_eq!(rows(&project).len(), 7);
}

#[test]
fn the_judges_of_one_batch_work_side_by_side() {
    let judge = ": > \"judging-$$\"\ntries=0\n\
                 until [ \"$(ls judging-* | wc -l)\" -ge 2 ]; do\n\
                 tries=$((tries + 1)); [ $tries -lt 3000 ] || exit 9; sleep 0.01\ndone\n\
                 echo '{\"score\": 1}'\n";
    let suite = suite(&["a", "b"])
        .replace("type: contains\n    value: ok", "type: code_judge\n    script: sh judge.sh");
    let project = scripted("answers < \"$B\" > \"$O\"", &[], &[])
        .file("suite.yaml", suite)
        .file("judge.sh", judge);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
}

#[test]
fn a_batch_holds_as_many_cases_as_its_size_says() {
    let script = "note \"$(ids \"$B\")\"; answers < \"$B\" > \"$O\"";
    let project = scripted(script, &["batch_size: 2"], &["a", "b", "c", "d", "e"]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(sorted_log(&project), ["a b", "c d", "e"]);
}

#[test]
fn one_batch_never_mixes_suites_or_targets() {
    let targets = "targets:\n  - name: one\n    provider: cli\n    provider_batching: true\n    \
                   command: sh agent.sh {EVAL_FILE}\n    env: {WHO: one}\n  \
                   - name: two\n    provider: cli\n    provider_batching: true\n    \
                   command: sh agent.sh {EVAL_FILE}\n    env: {WHO: two}\n";
    let script = "note \"$WHO ${1##*/} $(ids \"$B\")\"; answers < \"$B\" > \"$O\"";
    // The same ids stand in both suites.
    let project = empty()
        .file(".agentv/targets.yaml", targets)
        .file("agent.sh", format!("{SHELL}{script}\n"))
        .file("x.yaml", suite(&["a", "b"]))
        .file("y.yaml", suite(&["b", "a"]));
    let args = ["eval", "x.yaml", "y.yaml", "--target", "one", "--target", "two"];
    let run = project.run(&args);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let wanted = ["one x.yaml a b", "one y.yaml b a", "two x.yaml a b", "two y.yaml b a"];
    assert_eq!(sorted_log(&project), wanted);
    assert_eq!(rows(&project).len(), 8);
}

#[test]
fn what_a_batch_left_out_is_asked_again_at_most_three_times() {
    // Only the first request of each bundle is answered.
    let script = "note \"$1 $AGENTV_ATTEMPT $(ids \"$B\")\"; cat \"$B\" > \"bundle-$1\"\n\
                  head -n 1 \"$B\" | answers > \"$O\"";
    let ids = ["a", "b", "c", "d", "e"];
    let project = scripted(script, &["on_batch_failure: retry_missing"], &ids);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(log(&project), ["0 0 a b c d e", "1 1 b c d e", "2 2 c d e", "3 3 d e"]);
    let bundle = fs::read_to_string(project.path("bundle-2")).unwrap();
    let attempts: Vec<Value> =
        lines(&bundle).into_iter().map(|mut line| line["attempt"].take()).collect();
    assert_eq!(attempts, [2, 2, 2]);

    assert_eq!(column(&project, "status"), ["passed", "passed", "passed", "passed", "error"]);
    assert_eq!(column(&project, "attempts"), [1, 2, 3, 4, 4]);
    assert_eq!(failed_before(&project), [0, 1, 2, 3, 3]);
    let e = rows(&project).pop().unwrap();
    assert_eq!(e["error_kind"], "missing");
    assert_eq!(e["error"], "batch output is missing 1 of 2 requested ids: e");
    let first = json!({
        "error": "batch output is missing 4 of 5 requested ids: b, c, d, e",
        "error_kind": "missing",
        "duration_ms": null,
    });
    assert_eq!(e["failed_attempts"][0], first);
    for words in [
        "a batch left out 4 of 5 ids: asking again for those (try 1 of 3)",
        "a batch left out 3 of 4 ids: asking again for those (try 2 of 3)",
        "a batch left out 2 of 3 ids: asking again for those (try 3 of 3)",
    ] {
        assert!(run.stderr.contains(words), "{}", run.seen());
    }
}

#[test]
fn what_a_batch_left_out_is_asked_for_alone() {
    // Answers everything but b and c together, b alone, and c never.
    let script = "note \"$1 $AGENTV_EVAL_ID $(ids \"$B\")\"\n\
                  if [ \"$1\" = 0 ]; then grep -v '\"id\":\"[bc]\"' \"$B\"; \
                  else grep -v '\"id\":\"c\"' \"$B\"; fi | answers > \"$O\"";
    let project = scripted(script, &["on_batch_failure: per_case"], &["a", "b", "c", "d"]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(sorted_log(&project), ["0 batch a b c d", "1 batch b", "1 batch c"]);
    assert_eq!(column(&project, "status"), ["passed", "passed", "error", "passed"]);
    assert_eq!(column(&project, "attempts"), [1, 2, 2, 1]);
    assert_eq!(failed_before(&project), [0, 1, 1, 0]);
    assert_eq!(column(&project, "error_kind")[2], "missing");
    let words = "a batch left out 2 of 4 ids: asking for each of them alone";
    assert!(run.stderr.contains(words), "{}", run.seen());
}

#[test]
fn bad_lines_and_failed_exits_are_never_asked_again_for() {
    // In each, b is missing besides.
    let faults = [
        ("head -n 1 \"$B\" | answers > \"$O\"; echo '{oops' >> \"$O\"", "batch"),
        ("head -n 1 \"$B\" | answers > \"$O\"; exit 4", "exit"),
        ("head -n 1 \"$B\" | answers > \"$O\"; cat \"$O\" \"$O\" > two; cp two \"$O\"", "batch"),
    ];
    for how in ["retry_missing", "per_case"] {
        for (fault, kind) in faults {
            let setting = format!("on_batch_failure: {how}");
            let project = scripted(&format!("note asked\n{fault}"), &[&setting], &["a", "b"]);
            let run = project.run(&["eval", "suite.yaml"]);
            assert_eq!(run.code, Some(3), "{}", run.seen());
            assert_eq!(log(&project), ["asked"], "{how} after {fault}");
            assert_eq!(column(&project, "error_kind"), [kind, kind]);
            assert_eq!(column(&project, "attempts"), [1, 1]);
        }
    }
}

#[test]
fn a_bad_last_line_revokes_everything_and_nothing_is_graded() {
    let suite = suite(&["a", "b"])
        .replace("type: contains\n    value: ok", "type: code_judge\n    script: sh judge.sh");
    let script = "{ answers < \"$B\"; echo; echo 'and so on'; } > \"$O\"";
    let project = scripted(script, &[], &[])
        .file("suite.yaml", suite)
        .file("judge.sh", ": > judged; echo '{\"score\": 1}'\n");
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert!(!project.path("judged").exists());
    for row in rows(&project) {
        assert_eq!(row["error_kind"], "batch");
        let error = row["error"].as_str().unwrap();
        assert!(error.contains("line 4") && error.contains("and so on"), "{error}");
        assert_eq!((&row["score"], &row["verdict"]), (&Value::Null, &Value::Null));
        assert!(row.get("evaluator_results").is_none());
    }
}

#[test]
fn a_record_says_for_itself_what_it_took() {
    let script = r#"cat > "$O" <<'END'
{"id":"a","text":"ok","duration_ms":12.5,"token_usage":{"input":10,"output":20,"cached":3},"cost_usd":0.25}
{"id":"b","text":"ok"}
{"id":"c","error":"the model refused","duration_ms":7,"token_usage":{"input":1,"output":0},"cost_usd":0.01}
{"id":"d","duration_ms":8,"cost_usd":0.02}
END"#;
    let project = scripted(script, &[], &["a", "b", "c", "d"]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let [a, b, c, d] = rows(&project).try_into().unwrap();
    assert_eq!(a["duration_ms"], 12.5);
    assert_eq!(a["token_usage"], json!({"input": 10, "output": 20, "cached": 3}));
    assert_eq!(a["cost_usd"], 0.25);
    for key in ["duration_ms", "token_usage", "cost_usd"] {
        assert!(b.get(key).is_none(), "{key} is unknown: {b}");
    }
    assert_eq!(
        (&a["status"], &b["status"], &c["status"]),
        (&json!("passed"), &json!("passed"), &json!("error"))
    );
    assert_eq!((&c["error"], &c["error_kind"]), (&json!("the model refused"), &json!("target")));
    assert_eq!(c["score"], Value::Null);
    assert_eq!((&c["duration_ms"], &c["cost_usd"]), (&json!(7.0), &json!(0.01)));
    assert_eq!(c["token_usage"], json!({"input": 1, "output": 0}), "a refusal is not free");
    assert_eq!((&d["error_kind"], &d["duration_ms"]), (&json!("output"), &json!(8.0)));
    assert_eq!(d["cost_usd"], 0.02);
}

#[test]
fn a_case_that_fails_first_and_then_succeeds_says_both() {
    let command = "echo {ATTEMPT} $AGENTV_ATTEMPT >> log\n\
                   if [ {ATTEMPT} = 0 ]; then echo not yet >&2; exit 4; fi; echo ok";
    let project = project(command, &[], &["a"]);
    let run = project.run(&["eval", "suite.yaml", "--max-retries", "3"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(log(&project), ["0 0", "1 1"]);
    let row = rows(&project).pop().unwrap();
    assert_eq!((&row["status"], &row["attempts"]), (&json!("passed"), &json!(2)));
    let [failed] = row["failed_attempts"].as_array().unwrap().as_slice() else {
        panic!("one attempt failed: {row}");
    };
    assert_eq!(failed["error"], "exited with code 4: not yet");
    assert_eq!(failed["error_kind"], "exit");
    assert!(failed["duration_ms"].as_f64().unwrap() > 0.0);
    assert!(row.get("error").is_none());
}

#[test]
fn a_case_that_never_succeeds_is_tried_as_often_as_allowed() {
    let project = project("echo x >> log; exit 4", &[], &["a"]);
    let run = project.run(&["eval", "suite.yaml", "--max-retries", "2"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(log(&project).len(), 3);
    assert_eq!(column(&project, "attempts"), [3]);
    assert_eq!(failed_before(&project), [2]);
    assert_eq!(column(&project, "error_kind"), ["exit"]);
}

#[test]
fn only_the_members_of_a_batch_that_failed_are_tried_again() {
    let script = "note \"$1 $(ids \"$B\")\"\n\
                  if [ \"$1\" = 0 ]; then\n\
                  { sed -n 1p \"$B\" | answers; echo '{\"id\":\"b\",\"error\":\"not yet\",\"duration_ms\":5}'; \
                  echo '{\"id\":\"c\"}'; } > \"$O\"\n\
                  else answers < \"$B\" > \"$O\"; fi";
    let project = scripted(script, &[], &["a", "b", "c"]);
    let run = project.run(&["eval", "suite.yaml", "--max-retries", "1"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(log(&project), ["0 a b c", "1 b c"]);
    assert_eq!(column(&project, "attempts"), [1, 2, 2]);
    assert_eq!(failed_before(&project), [0, 1, 1]);
    let failed = column(&project, "failed_attempts");
    let b = json!([{"error": "not yet", "error_kind": "target", "duration_ms": 5.0}]);
    assert_eq!(failed[1], b);
    assert_eq!(failed[2][0]["error_kind"], "output");
}

#[test]
fn a_batch_that_failed_as_a_whole_is_tried_again_as_a_whole() {
    let script = "note \"$1 $(ids \"$B\")\"\n[ \"$1\" = 1 ] || exit 4\nanswers < \"$B\" > \"$O\"";
    let project = scripted(script, &[], &["a", "b"]);
    let run = project.run(&["eval", "suite.yaml", "--max-retries", "1"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(log(&project), ["0 a b", "1 a b"]);
    assert_eq!(column(&project, "attempts"), [2, 2]);
}

#[test]
fn records_that_nobody_asked_for_give_one_warning() {
    let script = "{ for n in 1 2 3; do echo \"{\\\"id\\\":\\\"x-$n\\\",\\\"text\\\":\\\"ok\\\"}\"; done\n\
                  answers < \"$B\"; } > \"$O\"";
    for args in [&["eval", "suite.yaml"][..], &["eval", "suite.yaml", "-q"]] {
        let project = scripted(script, &[], &["a", "b"]);
        let run = project.run(args);
        assert_eq!(run.code, Some(0), "{}", run.seen());
        assert_eq!(run.stderr.matches("warning").count(), 1, "{}", run.seen());
        assert!(run.stderr.contains("3 records nobody asked for"), "{}", run.seen());
        assert!(run.stderr.contains("`x-1`"), "{}", run.seen());
        assert_eq!(rows(&project).len(), 2);
    }
}

#[test]
fn one_case_of_a_batching_target_is_a_batch_of_one() {
    let script = "note \"$AGENTV_EVAL_ID $(ids \"$B\")\"; answers < \"$B\" > \"$O\"";
    let project = scripted(script, &[], &["a", "b"]);
    let run = project.run(&["eval", "suite.yaml", "--eval-id", "b"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(log(&project), ["batch b"]);

    let args = ["invoke", "suite.yaml", "--target", "agent", "--eval-id", "b"];
    let run = project.run(&args);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(log(&project), ["batch b", "batch b"]);
    let [line] = lines(&run.stdout).try_into().unwrap();
    assert_eq!(line["evalId"], "b");
    assert_eq!(line["response"]["text"], "ok");
    assert_eq!(line["response"]["raw"]["recordId"], "b");
}

#[test]
fn invoke_answers_a_batch_in_the_order_of_the_cases() {
    let script = "answers < \"$B\" | sed '1!G;h;$!d' > \"$O\"";
    let project = scripted(script, &[], &["a", "b", "c"]);
    let run = project.run(&["invoke", "suite.yaml", "--target", "agent"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let ids: Vec<Value> =
        lines(&run.stdout).into_iter().map(|mut line| line["evalId"].take()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
}

#[test]
fn the_agents_deadline_is_none_of_a_batch_but_the_targets_own_is() {
    // The deadline of a single case is a tenth of the time that this batch takes.
    let slow = "sleep 1; answers < \"$B\" > \"$O\"";
    let project = scripted(slow, &[], &["a", "b"]);
    let run = project.run(&["eval", "suite.yaml", "--agent-timeout", "0.1"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());

    let project = scripted("sleep 600", &["timeout_seconds: 0.2"], &["a", "b"]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(column(&project, "error_kind"), ["timeout", "timeout"]);
    assert_eq!(column(&project, "error")[0], "timed out after 0.2 s");
    project.assert_nothing_is_left();
}
