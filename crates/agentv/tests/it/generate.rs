//! `agentv generate rubrics`: who is asked, what is written, and what is left alone.

use std::{fs, os::unix::fs::PermissionsExt as _};

use agentv_testkit::{Project, Signal, wait_until};
use serde_json::json;

use crate::project::empty;

const ONE: &str = r#"{"rubrics": [{"id": "names-it", "description": "Names the city"}]}"#;

const SUITE: &str = "\
# The suite of Ann
evalcases:
  - id: a
    expected_outcome: Names Paris   # the city
    input: Capital of France?

  - id: b
    input: y
    criteria: >
      Two
      lines
  - {id: c, outcome: short, input: z}
  - id: d
    input: nothing is expected
  - id: e
    expected_outcome: x
    rubrics: [kept]
    input: z
";

/// A project in which a mock with these settings judges.
fn judged(judge: &serde_json::Value, suite: &str) -> Project {
    let mut settings = json!({"name": "judge", "provider": "mock", "response": ONE});
    settings.as_object_mut().unwrap().extend(judge.as_object().unwrap().clone());
    let targets = json!({"targets": [
        {"name": "default", "provider": "mock", "judge_target": "judge"},
        {"name": "alone", "provider": "mock"},
        settings,
    ]});
    empty().file(".agentv/targets.yaml", targets.to_string()).file("suite.yaml", suite)
}

fn text(project: &Project) -> String {
    fs::read_to_string(project.path("suite.yaml")).unwrap()
}

const GENERATE: [&str; 3] = ["generate", "rubrics", "suite.yaml"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&GENERATE, more].concat()
}

#[test]
fn rubrics_are_written_into_the_cases_that_have_none() {
    let project = judged(&json!({}), SUITE);
    fs::set_permissions(project.path("suite.yaml"), fs::Permissions::from_mode(0o640)).unwrap();
    let run = project.run(&GENERATE);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.seen());
    let block = "    rubrics:\n      - id: names-it\n        description: Names the city\n";
    let wanted = SUITE
        .replace("# the city\n", &format!("# the city\n{block}"))
        .replace("      lines\n", &format!("      lines\n{block}"))
        .replace(
            "short,",
            "short, rubrics: [{id: \"names-it\", description: \"Names the city\"}],",
        );
    assert_eq!(text(&project), wanted);
    let mode = fs::metadata(project.path("suite.yaml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    for said in [
        "[3/3] ",
        ": 1 rubric\n",
        "`suite.yaml`: rubrics for 3 cases; 1 left alone, with rubrics already (--force replaces \
         them); 1 left alone, without `expected_outcome`\nasked 3 times\n",
    ] {
        assert!(run.stderr.contains(said), "{said}\n{}", run.seen());
    }
    // What is there stays: a second time there is nothing to ask.
    let again = project.run(&GENERATE);
    assert_eq!(again.code, Some(0), "{}", again.seen());
    assert!(!again.stderr.contains("asked"), "{}", again.seen());
    assert_eq!(text(&project), wanted);
    project.assert_nothing_is_left();
}

#[test]
fn the_model_is_told_the_case_and_asked_again_where_its_answer_is_of_no_use() {
    let agent = "cat {PROMPT_FILE} >> told; if test -e once; then echo '{\"rubrics\": [{\"id\": \
                 \"x\", \"outcome\": \"y: z\", \"weight\": 0.5, \"required\": false}]}'; \
                 else : > once; echo 'I cannot'; fi";
    let targets = json!({"targets": [{"name": "gpt", "provider": "cli", "command": agent}]});
    let suite = "evalcases:\n  - id: a\n    input: Capital of France?\n    expected_output: Paris.\n    expected_outcome: Names it\n";
    let project =
        empty().file(".agentv/targets.yaml", targets.to_string()).file("suite.yaml", suite);
    let run = project.run(&with(&["--target", "gpt"]));
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let told = fs::read_to_string(project.path("told")).unwrap();
    for piece in [
        "Capital of France?",
        "<expected_outcome>\nNames it\n</expected_outcome>",
        "Paris.",
        "This answer cannot be used: it gave no JSON object: `I cannot",
    ] {
        assert!(told.contains(piece), "{piece}\n{told}");
    }
    let wanted = format!(
        "{suite}    rubrics:\n      - id: x\n        description: 'y: z'\n        weight: 0.5\n        required: false\n"
    );
    assert_eq!(text(&project), wanted);
}

#[test]
fn a_case_that_gets_no_rubrics_is_an_error_and_the_others_go_on() {
    let project = judged(
        &json!({"responses": {
            "a": {"text": ONE, "token_usage": {"input": 10, "output": 5}, "cost_usd": 0.25},
            "b": {"error": "no credit"},
            "c": "{\"rubrics\": [{\"id\": \"A B\", \"description\": \"x\"}]}",
        }}),
        SUITE,
    );
    let run = project.run(&with(&["--quiet"]));
    assert_eq!(run.code, Some(3), "{}", run.seen());
    for said in [
        "b: error: judge `judge`: no credit",
        "c: error: the judge gave no rubrics, nor when it was asked again: rubric 1 of the list has \
         the id `A B`, which must be lower case with hyphens",
        "rubrics for 1 case; 2 without, because of errors;",
        "asked 4 times\n",
    ] {
        assert!(run.stderr.contains(said), "{said}\n{}", run.seen());
    }
    assert!(!run.stderr.contains("a: 1 rubric"), "{}", run.seen());
    assert_eq!(text(&project).matches("names-it").count(), 1);
    let paid = project.run(&with(&["--force", "--eval-id", "a"]));
    assert!(paid.stderr.contains("asked once, 15 tokens, $0.2500\n"), "{}", paid.seen());
}

#[test]
fn the_file_that_would_be_written_can_be_seen_first_or_go_elsewhere() {
    let project = judged(&json!({}), SUITE);
    let dry = project.run(&with(&["--dry-run", "--eval-id", "a"]));
    assert_eq!(dry.code, Some(0), "{}", dry.seen());
    assert_eq!(text(&project), SUITE);
    assert_eq!(dry.stdout.matches("names-it").count(), 1);
    let out = project.run(&with(&["--out", "new.yaml", "--eval-id", "a"]));
    assert_eq!((out.code, out.stdout.as_str()), (Some(0), ""), "{}", out.seen());
    assert_eq!(fs::read_to_string(project.path("new.yaml")).unwrap(), dry.stdout);
    assert_eq!(text(&project), SUITE);
}

#[test]
fn rubrics_that_are_there_are_replaced_where_that_is_asked_for() {
    let project = judged(&json!({}), SUITE);
    let run = project.run(&with(&["--force", "--eval-id", "e"]));
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let block = "rubrics:\n      - id: names-it\n        description: Names the city\n";
    assert_eq!(text(&project), SUITE.replace("rubrics: [kept]\n", block));
}

#[test]
fn who_is_asked_must_be_named_and_known() {
    let project = judged(
        &json!({}),
        "evalcases:\n  - {id: a, outcome: x, input: y}\n  - {id: b, outcome: x, input: y}\ntarget: alone\n",
    );
    let run = project.run(&GENERATE);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    let told = "nobody is named who could propose rubrics for case `a` and 1 more";
    assert!(run.stderr.contains(told) && run.stderr.contains("--target NAME"), "{}", run.seen());
    let run = project.run(&with(&["--target", "jugde"]));
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("did you mean `judge`?"), "{}", run.seen());
    project.write("suite.yaml", "evalcases: [{id: a, input: y}]\n");
    let run = project.run(&with(&["--target", "jugde"]));
    assert_eq!(run.code, Some(2), "nobody needs to be asked: {}", run.seen());
    assert!(run.stderr.contains("did you mean `judge`?"), "{}", run.seen());
    let run = project.run(&with(&["--eval-id", "x"]));
    assert_eq!(run.code, Some(2), "{}", run.seen());
    // The word of the suite comes before that of its target.
    project.write(
        "suite.yaml",
        "judge_target: judge\ntarget: alone\nevalcases: [{id: a, outcome: x, input: y}]\n",
    );
    assert_eq!(project.run(&GENERATE).code, Some(0));
    assert!(text(&project).contains("rubrics: ["));
}

#[test]
fn cases_of_other_files_are_told_and_left_alone() {
    let project = judged(
        &json!({}),
        "evalcases:\n  - id: a\n    criteria: x\n    input: y\n  - file://more.jsonl\n",
    )
    .file("more.jsonl", "{\"id\": \"far\", \"criteria\": \"x\", \"input\": \"y\"}\n");
    let run = project.run(&GENERATE);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(
        run.stderr.contains("case `far` stands in `more.jsonl`: it is given no rubrics"),
        "{}",
        run.seen()
    );
    assert!(run.stderr.contains("more.jsonl:1:"), "{}", run.seen());
    project.write("suite.yaml", "evalcases: file://more.jsonl\n");
    let run = project.run(&GENERATE);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("`suite.yaml` has no case in its own text"), "{}", run.seen());
    let run = project.run(&["generate", "rubrics", "more.jsonl"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("rubrics can be written into YAML suites only"), "{}", run.seen());
    let run = project.run(&["generate", "rubrics", "nowhere.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
}

#[test]
fn a_file_that_changed_meanwhile_is_not_overwritten() {
    let agent = format!("echo '# mine' >> suite.yaml; echo '{ONE}'");
    let targets = json!({"targets": [{"name": "gpt", "provider": "cli", "command": agent}]});
    let suite = "evalcases: [{id: a, outcome: x, input: y}]\n";
    let project =
        empty().file(".agentv/targets.yaml", targets.to_string()).file("suite.yaml", suite);
    let run = project.run(&with(&["--target", "gpt"]));
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert!(run.stderr.contains("was changed while the model was asked"), "{}", run.seen());
    assert_eq!(text(&project), format!("{suite}# mine\n"));
}

#[test]
fn an_interrupt_keeps_what_is_there_and_writes_nothing_half() {
    let targets = json!({"targets": [{"name": "gpt", "provider": "cli", "command":
        format!("if test $AGENTV_EVAL_ID = b; then : > waiting; exec sleep 600; fi; echo '{ONE}'")}]});
    let suite = "\u{feff}evalcases:\r\n  - id: a\r\n    outcome: x\r\n    input: y\r\n  - {id: b, outcome: x, input: y}\r\n";
    let project =
        empty().file(".agentv/targets.yaml", targets.to_string()).file("suite.yaml", suite);
    let out = project.path("progress");
    let stderr = fs::File::create(&out).unwrap();
    let running = project.start_with(&with(&["--target", "gpt"]), |command| command.stderr(stderr));
    wait_until("one is there and one is not", || {
        let said = fs::read_to_string(&out).unwrap();
        said.contains("a: 1 rubric") && project.path("waiting").exists()
    });
    running.signal(Signal::SIGINT);
    assert_eq!(running.finish().code, Some(130));
    let said = fs::read_to_string(&out).unwrap();
    assert!(said.contains("rubrics for 1 case; 1 without, because of the interrupt\n"), "{said}");
    let block = "    rubrics:\r\n      - id: names-it\r\n        description: Names the city\r\n";
    assert_eq!(
        text(&project),
        suite.replace("outcome: x\r\n    input", &format!("outcome: x\r\n{block}    input"))
    );
    project.assert_nothing_is_left();
}

#[test]
fn a_case_whose_text_others_share_is_an_error_of_its_own() {
    let suite = "evalcases:\n  - &base\n    id: a\n    criteria: x\n    input: y\n  - {<<: *base, id: b, rubrics: [kept]}\n  - {<<: *base, id: c, criteria: ''}\n  - {id: d, criteria: x, input: y}\n";
    let project = judged(&json!({}), suite);
    let run = project.run(&GENERATE);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert!(
        run.stderr.contains("suite.yaml:3:9: rubrics of `a` cannot be written here"),
        "{}",
        run.seen()
    );
    assert_eq!(text(&project).matches("names-it").count(), 1);
}

#[test]
fn an_empty_list_is_no_rubrics() {
    let suite = "evalcases:\n  - id: a\n    criteria: x\n    rubrics: []\n    input: y\n";
    let project = judged(&json!({}), suite);
    assert_eq!(project.run(&["validate", "suite.yaml"]).code, Some(2));
    let run = project.run(&GENERATE);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let block = "rubrics:\n      - id: names-it\n        description: Names the city\n";
    assert_eq!(text(&project), suite.replace("rubrics: []\n", block));
    assert_eq!(project.run(&["validate", "suite.yaml"]).code, Some(0));
}

#[test]
fn a_link_stays_and_a_file_that_must_not_be_written_is_told_before_anyone_is_asked() {
    let project = judged(&json!({}), "").file("real.txt", SUITE);
    fs::remove_file(project.path("suite.yaml")).unwrap();
    std::os::unix::fs::symlink("real.txt", project.path("suite.yaml")).unwrap();
    let real = project.path("real.txt");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o444)).unwrap();
    let run = project.run(&GENERATE);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("error: `suite.yaml` is read-only"), "{}", run.seen());
    assert!(!run.stderr.contains("[1/"), "{}", run.seen());
    assert_eq!(text(&project), SUITE);
    assert_eq!(project.run(&with(&["--out", "new.yaml"])).code, Some(0));
    fs::set_permissions(&real, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(project.run(&GENERATE).code, Some(0));
    assert!(fs::symlink_metadata(project.path("suite.yaml")).unwrap().is_symlink());
    let written = fs::read_to_string(real).unwrap();
    assert_eq!(written, fs::read_to_string(project.path("new.yaml")).unwrap());
}
