//! Code judges that do their work: what they are told, what is kept of what they say, and what
//! holds when there are many of them. Those that fail are in `bad_input/judges.rs`.

use std::{collections::BTreeMap, env, fs};

use agentv_testkit::{Project, Signal, wait_until};
use serde_json::{Value, json};

use crate::project::{column, empty, project, rows, targets};

/// A target that gives every case the answer of its own file of records.
const RECORDED: &str = "cp records.jsonl {OUTPUT_FILE}";

/// A suite with these cases, judged by these graders.
fn suite(graders: &[Value], ids: &[String]) -> String {
    let cases = ids.iter().map(|id| {
        json!({"id": id, "input_messages": [{"role": "user", "content": id}]}).to_string()
    });
    let cases: Vec<String> = cases.map(|case| format!("  - {case}\n")).collect();
    let graders: Vec<String> = graders.iter().map(|grader| format!("  - {grader}\n")).collect();
    format!("evaluators:\n{}evalcases:\n{}", graders.concat(), cases.concat())
}

/// A project with one case, which is answered with `ok` and judged by these graders.
fn judged_by(graders: &[Value]) -> Project {
    project("echo ok", &[], &[]).file("suite.yaml", suite(graders, &["a".to_owned()]))
}

/// The results of the graders of the only case, which has a grade.
fn results(project: &Project) -> Vec<Value> {
    let run = project.run(&["eval", "suite.yaml", "--no-fail"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    project.assert_nothing_is_left();
    assert!(column(project, "score")[0].is_number(), "{}", run.seen());
    column(project, "evaluator_results")[0].as_array().unwrap().clone()
}

fn judge(script: &str) -> Value {
    json!({"type": "code_judge", "script": script})
}

#[test]
fn an_answer_of_a_hundred_megabytes_reaches_its_judge_whole() {
    const SIZE: usize = 100_000_000;
    let reader = json!({"name": "reader", "type": "code_judge", "script": "\
        x=$(tr -cd x | wc -c); echo \"{\\\"score\\\": 1, \\\"hits\\\": [\\\"$((x))\\\"]}\""});
    let project = judged_by(&[reader]).file(
        ".agentv/targets.yaml",
        targets(&format!("head -c {SIZE} /dev/zero | tr '\\0' x > {{OUTPUT_FILE}}"), &[]),
    );
    let results = results(&project);
    // Keys and other words of the object have an `x` in them as well.
    let more = "expected_outcome expected_messages".matches('x').count();
    assert_eq!(results[0]["hits"], json!([(SIZE + more).to_string()]));
}

#[test]
fn a_judge_may_leave_its_input_unread_however_long_it_is() {
    for size in [300_000, 3_000_000] {
        for script in ["echo '{\"score\": 1}'", "exec <&-; echo '{\"score\": 1}'"] {
            let answer = format!("head -c {size} /dev/zero | tr '\\0' x");
            let project =
                judged_by(&[judge(script)]).file(".agentv/targets.yaml", targets(&answer, &[]));
            assert_eq!(results(&project)[0]["score"], 1.0, "{size} {script}");
        }
    }
}

#[test]
fn a_judge_may_close_its_output_and_go_on() {
    let script = "echo '{\"score\": 1}'; exec >&- 2>&-; i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done; : > done";
    let project = judged_by(&[judge(script)]);
    assert_eq!(results(&project)[0]["score"], 1.0);
    assert!(project.path("done").exists(), "it was not waited for");
}

#[test]
fn what_a_judge_writes_beside_its_verdict_stands_in_the_row() {
    let quiet = json!({"name": "quiet", "type": "code_judge", "script": "echo '{\"score\": 1}'"});
    let script = "printf 'looked twice\\n\\033[2Jsure now\\n' >&2; echo '{\"score\": 1}'";
    let results = results(&judged_by(&[judge(script), quiet]));
    assert_eq!(results[0]["stderr"], "looked twice\n\\u{1b}[2Jsure now");
    assert_eq!(results[0]["error"], Value::Null);
    assert!(results[1].get("stderr").is_none(), "{results:?}");
}

#[test]
fn of_much_that_a_judge_writes_beside_its_verdict_the_end_is_kept() {
    let script = "i=0; while [ $i -lt 9999 ]; do i=$((i+1)); echo line $i; done >&2; \
                  echo '{\"score\": 1}'";
    let stderr = results(&judged_by(&[judge(script)]))[0]["stderr"].as_str().unwrap().to_owned();
    assert!(stderr.starts_with("… "), "{stderr}");
    assert!(stderr.ends_with("line 9998\nline 9999"), "{stderr}");
    assert!(stderr.len() < 2100, "{}", stderr.len());
}

#[test]
fn a_configuration_arrives_as_it_was_written() {
    let config = "
      nested: {list: [1, [2, {deep: ~}]], empty: {}, none: []}
      text: \"ünïcödé \\u2028 \\\"quoted\\\" 🎷\"
      least: -9223372036854775808
      most: 9223372036854775807
      floats: [0.1, 1e-7, 123456789.123456789, 5.0]
      date: 2025-01-01
      yes: no
      '1': true";
    let project = project("echo ok", &[], &[]).file(
        "suite.yaml",
        format!(
            "evaluators:\n  - type: code_judge\n    command: [sh, judge.sh]\n    \
             config:{config}\nevalcases:\n  - {{id: a, input_messages: [{{role: user, content: x}}]}}\n"
        ),
    )
    .file("judge.sh", "cat > told.json; echo '{\"score\": 1}'\n");
    results(&project);
    let told = fs::read_to_string(project.path("told.json")).unwrap();
    assert_eq!(
        told.split_once("\"config\":").unwrap().1.trim_end(),
        "{\"nested\":{\"list\":[1,[2,{\"deep\":null}]],\"empty\":{},\"none\":[]},\
         \"text\":\"ünïcödé \u{2028} \\\"quoted\\\" 🎷\",\"least\":-9223372036854775808,\
         \"most\":9223372036854775807,\"floats\":[0.1,1e-7,123456789.12345679,5.0],\
         \"date\":\"2025-01-01\",\"yes\":\"no\",\"1\":true}}"
    );
}

#[test]
fn a_configuration_holds_secrets_that_the_judge_is_told_and_nobody_else() {
    let script = "read -r told; case $told in *'{\"deep\":[\"hunter2-hunter2\"]}'*) n=1;; *) n=0;; \
                  esac; echo key $MY_API_KEY >&2; echo \"{\\\"score\\\": $n, \\\"hits\\\": \
                  [\\\"$MY_API_KEY\\\"], \\\"reasoning\\\": \\\"$MY_API_KEY\\\"}\"";
    let mut judge = judge(script);
    judge["config"] = json!({"deep": ["${{ MY_API_KEY }}"]});
    let project = judged_by(&[judge]).env("MY_API_KEY", "hunter2-hunter2");
    let results = results(&project);
    assert_eq!(results[0]["score"], 1.0, "{results:?}");
    assert_eq!(results[0]["stderr"], "key ***");
    assert!(!project.rows_text().contains("hunter2"), "{}", project.rows_text());
}

#[test]
fn a_verdict_counts_although_a_child_holds_the_output_open_and_a_warning_says_so() {
    let project = judged_by(&[judge("sleep 600 & echo '{\"score\": 1}'")]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(
        run.stderr.split_once('\n').unwrap().1,
        "warning: judge `sleep 600 & echo '{\"score\": 1}'` leaves processes running when it has \
         answered; they were ended\n"
    );
    project.assert_nothing_is_left();
}

/// So many judges, each of which is told its own number.
fn judges(count: usize) -> Vec<Value> {
    let judge = |number| {
        json!({"name": format!("j{number}"), "type": "code_judge",
               "command": ["sh", "judge.sh", number]})
    };
    (0..count).map(judge).collect()
}

/// Each verdict depends on the case and on the judge, so that one which is lost or lands elsewhere
/// is seen.
fn verdicts_of(cases: usize) {
    const JUDGES: usize = 4;
    let script = "read -r told\nid=${told#*\\\"eval_id\\\":\\\"}\nid=${id%%\\\"*}\n\
                  echo \"{\\\"score\\\": 0.${id#${id%?}}$1, \\\"hits\\\": [\\\"$id judged by $1\\\"]}\"\n";
    let judges = judges(JUDGES);
    let ids: Vec<String> = (0..cases).map(|number| format!("case-{number}")).collect();
    let records: Vec<String> =
        ids.iter().map(|id| format!("{}\n", json!({"id": id, "text": "ok"}))).collect();
    let project = empty()
        .file(".agentv/targets.yaml", targets(RECORDED, &["provider_batching: true"]))
        .file("records.jsonl", records.concat())
        .file("judge.sh", script)
        .file("suite.yaml", suite(&judges, &ids));
    let run = project.run(&["eval", "suite.yaml", "--workers", "64", "--no-fail"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    project.assert_nothing_is_left();

    let rows = rows(&project);
    let given: BTreeMap<String, &Value> = rows
        .iter()
        .map(|row| (row["eval_id"].as_str().unwrap().to_owned(), &row["evaluator_results"]))
        .collect();
    assert_eq!((rows.len(), given.len()), (cases, cases));
    for (number, id) in ids.iter().enumerate() {
        let results = given[id].as_array().unwrap();
        assert_eq!(results.len(), JUDGES, "{id}");
        for (judge, result) in results.iter().enumerate() {
            let score: f64 = format!("0.{}{judge}", number % 10).parse().unwrap();
            assert_eq!(result["score"].as_f64(), Some(score), "{id} {result}");
            assert_eq!(result["hits"], json!([format!("{id} judged by {judge}")]));
        }
    }
}

#[test]
fn sixty_four_judges_at_once_lose_no_verdict() {
    // Four verdicts a case: ten thousand. CONTRIBUTING.md says how to have more of them.
    let cases = env::var("AGENTV_JUDGED_CASES").ok().and_then(|cases| cases.parse().ok());
    verdicts_of(cases.unwrap_or(2500));
}

/// A project with one case and so many judges, which say in a folder that they run.
fn many_judges(count: usize, script: &str) -> Project {
    let project = judged_by(&judges(count)).file("judge.sh", script);
    fs::create_dir(project.path("running")).unwrap();
    project
}

fn running(project: &Project) -> usize {
    fs::read_dir(project.path("running")).unwrap().count()
}

#[test]
fn judges_of_one_case_take_turns() {
    let script = ": > running/$1\nset -- $1 $(ls running | wc -l)\n\
                  while [ ! -e go ]; do sleep 0.01; done\nrm running/$1\n\
                  echo \"{\\\"score\\\": 1, \\\"hits\\\": [\\\"$2\\\"]}\"\n";
    let project = many_judges(40, script);
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("eight judges run", || running(&project) >= 8);
    project.write("go", "");
    let run = run.finish();
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let hits = column(&project, "hits").remove(0);
    let seen: Vec<usize> =
        hits.as_array().unwrap().iter().map(|hit| hit.as_str().unwrap().parse().unwrap()).collect();
    assert_eq!(seen.len(), 40);
    assert!(seen.iter().all(|running| *running <= 8), "{seen:?}");
}

#[test]
fn ctrl_c_starts_none_of_the_judges_that_wait() {
    let project = many_judges(20, ": > running/$1\nexec sleep 600\n");
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("eight judges run", || running(&project) == 8);
    run.signal(Signal::SIGINT);
    let run = run.finish();
    assert_eq!(run.code, Some(130), "{}", run.seen());
    assert_eq!(running(&project), 8);
    assert_eq!(project.rows_text(), "");
    project.assert_nothing_is_left();
}
