//! `agentv calibrate`: a judge is measured against labels, and known by that from then on.

use std::{fs, path::PathBuf};

use agentv_testkit::{Project, Signal, wait_until};
use serde_json::{Value, json};

use crate::project::{empty, rows};

/// Passes answers with a zebra in them, and says nothing else of use.
const JUDGE: &str = r#"case "$(cat "$AGENTV_PROMPT_FILE")" in
  *"ANSWER: "*zebra*) echo '{"score": 1, "reasoning": "There is a zebra."}';;
  *) echo '{"score": 0.2, "reasoning": "There is none."}';;
esac"#;

/// A project whose only judge is this command, with further settings.
fn judged_by(command: &str, settings: &Value) -> Project {
    let mut judge = json!({"name": "judge", "provider": "cli", "command": command});
    judge.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    let targets = json!({"targets": [
        {"name": "default", "provider": "cli", "command": "touch asked; echo a zebra", "judge_target": "judge"},
        judge,
    ]});
    let suite = json!({
        "evaluators": [{"name": "striped", "type": "llm_judge", "prompt": "ANSWER: {{ candidate_answer }}"}],
        "evalcases": [{"id": "a", "input": "An animal?"}, {"id": "b", "input": "Another?"}],
    });
    empty().file(".agentv/targets.yaml", targets.to_string()).file("suite.yaml", suite.to_string())
}

fn zebras() -> Project {
    judged_by(JUDGE, &json!({})).file(
        "labels.jsonl",
        labels(&[
            ("a", "a zebra", "pass"),
            ("a", "one more zebra", "pass"),
            ("a", "a striped horse", "pass"),
            ("b", "a gnu", "fail"),
            ("b", "no zebra", "fail"),
            ("b", "nothing", "fail"),
        ]),
    )
}

fn labels(labels: &[(&str, &str, &str)]) -> String {
    let line = |(id, answer, label): &(&str, &str, &str)| {
        json!({"eval_id": id, "answer": answer, "label": label}).to_string() + "\n"
    };
    labels.iter().map(line).collect()
}

const CALIBRATE: [&str; 4] = ["calibrate", "suite.yaml", "--labels", "labels.jsonl"];

fn calibrate(project: &Project, flags: &[&str]) -> agentv_testkit::Run {
    project.run(&[&CALIBRATE, flags].concat())
}

fn stored(project: &Project) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(project.path(".agentv/calibrations")) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The only calibration there is.
fn only(project: &Project) -> Value {
    let [path] = stored(project).try_into().unwrap();
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_judge_is_measured_against_people_and_told_in_full() {
    let project = zebras();
    let run = calibrate(&project, &["--quiet"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let text = run.stdout.replace(
        stored(&project)[0].file_name().unwrap().to_str().unwrap(),
        "striped-<fingerprint>.json",
    );
    insta::assert_snapshot!("calibration_of_zebras", text);
    assert!(!project.path("asked").exists(), "no target is asked for an answer");
    project.assert_nothing_is_left();
}

#[test]
fn the_result_is_stored_and_stands_beside_every_score_of_that_judge() {
    let project = zebras();
    let run = project.run(&["eval", "suite.yaml"]);
    assert!(run.stdout.contains("striped (judge): 2 scores; not calibrated"), "{}", run.seen());
    assert_eq!(calibrate(&project, &[]).code, Some(0));
    let calibration = only(&project);
    assert_eq!(calibration["version"], 1);
    assert_eq!(calibration["judge"], json!({"target": "judge", "provider": "cli"}));
    assert_eq!(
        calibration["agreement"]["table"],
        json!({
            "true_pass": 2, "false_fail": 1, "false_pass": 1, "true_fail": 2,
        })
    );
    assert_eq!(calibration["spent"]["asks"], 18);
    assert_eq!(calibration["labels_file"]["path"], "labels.jsonl");
    let run = project.run(&["eval", "suite.yaml"]);
    let told =
        "striped (judge): 2 scores; agrees with people on 67 % [30–90 %] of 6 labels (κ 0.33)";
    assert!(run.stdout.contains(told), "{}", run.seen());
    for row in rows(&project) {
        let note = &row["evaluator_results"][0]["judge"]["calibration"];
        assert_eq!(
            (&note["labels"], &note["measured_at"]),
            (&json!(6), &calibration["measured_at"])
        );
    }
}

#[test]
fn a_judge_that_is_measured_again_replaces_what_was_known() {
    let project = zebras();
    calibrate(&project, &[]);
    calibrate(&project, &["--repeat", "1"]);
    assert_eq!(only(&project)["repeats"], 1);
    assert_eq!(only(&project)["self_consistency"], Value::Null);
}

#[test]
fn a_judge_that_changed_since_is_not_calibrated_and_that_is_said() {
    let project = zebras();
    calibrate(&project, &[]);
    let targets = fs::read_to_string(project.path(".agentv/targets.yaml")).unwrap();
    let slower = targets.replace(r#""name":"judge","#, r#""name":"judge","timeout_seconds":99,"#);
    let other = targets.replace("There is none.", "None is there.");
    assert!(slower != targets && other != targets);
    fs::write(project.path(".agentv/targets.yaml"), slower).unwrap();
    let run = project.run(&["eval", "suite.yaml"]);
    assert!(run.stdout.contains("agrees with people on 67 %"), "{}", run.seen());
    fs::write(project.path(".agentv/targets.yaml"), other).unwrap();
    let run = project.run(&["eval", "suite.yaml"]);
    assert!(run.stdout.contains("not calibrated"), "{}", run.seen());
    let told = "judge `striped` of target `judge` has changed since it was calibrated";
    assert_eq!(run.stderr.matches(told).count(), 1, "{}", run.seen());
    assert!(run.stderr.contains("--> suite.yaml:1:"), "{}", run.seen());
    let hint = "measure it again: agentv calibrate suite.yaml --labels labels.jsonl";
    assert!(run.stderr.contains(hint), "{}", run.seen());
}

#[test]
fn judges_of_one_name_are_told_apart_and_none_is_taken_for_one_that_changed() {
    let suite = |prompt: &str, cases: &[&str]| {
        let case = |id: &&str| json!({"id": id, "input": "An animal?"});
        json!({
            "evaluators": [{"type": "llm_judge", "prompt": format!("{prompt}ANSWER: {{{{ candidate_answer }}}}")}],
            "evalcases": cases.iter().map(case).collect::<Vec<_>>(),
        })
        .to_string()
    };
    let project = zebras()
        .file("evals/judged.yaml", suite("", &["a", "b"]))
        .file("evals/other.yaml", suite("KIND? ", &["c"]));
    let run = project.run(&["calibrate", "evals/judged.yaml", "--labels", "labels.jsonl"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let run = project.run(&["eval", "evals"]);
    for told in [
        "llm_judge (judge): 2 scores; agrees with people on 67 % [30–90 %] of 6 labels (κ 0.33)\n",
        "llm_judge (judge): 1 score; not calibrated\n",
    ] {
        assert!(run.stdout.contains(told), "{told}: {}", run.seen());
    }
    assert!(!run.stderr.contains("has changed"), "{}", run.seen());
    let run = project.run(&["eval", "evals/other.yaml"]);
    assert!(!run.stderr.contains("has changed"), "another suite: {}", run.seen());
    // Two prompts in one suite, and neither is the one that was measured.
    let two = json!({"evalcases": [
        {"id": "a", "input": "?", "evaluators": [{"type": "llm_judge", "prompt": "1 {{ candidate_answer }}"}]},
        {"id": "b", "input": "?", "evaluators": [{"type": "llm_judge", "prompt": "2 {{ candidate_answer }}"}]},
    ]});
    let project = project.file("evals/judged.yaml", two.to_string());
    let run = project.run(&["eval", "evals"]);
    assert_eq!(run.stderr.matches("has changed").count(), 1, "{}", run.seen());
    assert!(run.stderr.contains("give each a `name`"), "{}", run.seen());
}

#[test]
fn a_calibration_of_another_threshold_is_shown_as_such() {
    let project = zebras();
    calibrate(&project, &[]);
    let run = project.run(&["eval", "suite.yaml", "--threshold", "0.5"]);
    let told = "(κ 0.33), measured with another threshold (0.8; here 0.5)";
    assert!(run.stdout.replace("\n  ", " ").contains(told), "{}", run.seen());
    for row in rows(&project) {
        let note = &row["evaluator_results"][0]["judge"]["calibration"];
        assert_eq!((&note["pass_from"], &note["passes_here_from"]), (&json!([0.8]), &json!(0.5)));
    }
    let run = project.run(&["eval", "suite.yaml", "--threshold", "0.80"]);
    assert!(!run.stdout.contains("another threshold"), "{}", run.seen());
}

#[test]
fn a_calibration_that_cannot_be_read_is_named_and_keeps_nobody_from_running() {
    let project = zebras().file(".agentv/calibrations/striped-0.json", "{\"version\": 1, ");
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(run.stderr.matches("striped-0.json").count(), 1, "{}", run.seen());
    assert!(run.stderr.contains("warning: cannot use `"), "{}", run.seen());
}

#[test]
fn a_gate_is_a_failure_and_what_is_not_known_does_not_pass_it() {
    let project = zebras();
    for (flags, code) in [
        (["--min-kappa", "0.3"], 0),
        (["--min-kappa", "0.34"], 1),
        (["--min-accuracy", "0.66"], 0),
        (["--min-accuracy", "0.7"], 1),
    ] {
        let run = calibrate(&project, &flags);
        assert_eq!(run.code, Some(code), "{flags:?}: {}", run.seen());
    }
    let project = project.file("labels.jsonl", labels(&[("a", "zebra", "pass")]));
    let run = calibrate(&project, &["--min-kappa", "-1"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert!(run.stderr.contains("kappa of judge `striped` is not known"), "{}", run.seen());
}

#[test]
fn a_judge_that_fails_is_an_error_with_its_cause_and_nothing_is_stored() {
    let failing = format!(
        "case \"$(cat \"$AGENTV_PROMPT_FILE\")\" in *gnu*) echo no >&2; exit 4;; esac\n{JUDGE}"
    );
    let project = judged_by(&failing, &json!({}));
    let project =
        project.file("labels.jsonl", labels(&[("a", "a zebra", "pass"), ("b", "a gnu", "fail")]));
    let run = calibrate(&project, &[]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let told = "labels.jsonl:2 b #1: judge `judge`: exited with code 4: no";
    assert!(run.stdout.contains(told), "{}", run.seen());
    assert!(run.stdout.contains("1 label of suite.yaml"), "{}", run.seen());
    assert!(stored(&project).is_empty());
    let run = calibrate(&project, &["--allow-errors"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(only(&project)["errors"].as_array().unwrap().len(), 3);
    assert_eq!(only(&project)["agreement"]["accuracy"]["of"], 1);
}

#[test]
fn of_a_judge_that_always_fails_nothing_is_known_and_nothing_stored() {
    let project =
        judged_by("exit 1", &json!({})).file("labels.jsonl", labels(&[("a", "x", "pass")]));
    let run = calibrate(&project, &["--allow-errors"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert!(run.stdout.contains("nothing was measured"), "{}", run.seen());
    assert!(stored(&project).is_empty());
}

#[test]
fn a_judge_that_fails_from_the_beginning_is_asked_no_more() {
    let answers: Vec<String> = (0..20).map(|slot| format!("answer {slot}")).collect();
    let lines: Vec<_> = answers.iter().map(|answer| ("a", answer.as_str(), "pass")).collect();
    let project = judged_by("echo x >> asks; exit 1", &json!({"workers": 1}))
        .file("labels.jsonl", labels(&lines));
    let run = calibrate(&project, &[]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(fs::read_to_string(project.path("asks")).unwrap().lines().count(), 5);
    assert!(run.stdout.contains("and the same for 4 more"), "{}", run.seen());
    assert!(run.stderr.contains("55 judgements were not asked for"), "{}", run.seen());
    assert!(!run.stderr.contains("--allow-errors"), "{}", run.seen());
    // Once it has answered, it is asked to the end.
    let late = "echo x >> asks; [ $(wc -l < asks) = 5 ] && echo '{\"score\": 1}' || exit 1";
    let project = judged_by(late, &json!({"workers": 1})).file("labels.jsonl", labels(&lines));
    let run = calibrate(&project, &["--repeat", "1"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(fs::read_to_string(project.path("asks")).unwrap().lines().count(), 20);
    assert!(run.stderr.contains("--allow-errors"), "{}", run.seen());
}

#[test]
fn a_report_keeps_to_the_width_of_the_window() {
    let widest = |columns: &str| {
        let run = calibrate(&zebras().env("COLUMNS", columns), &[]);
        // The name of the file is as long as it is.
        let lines = run.stdout.lines().filter(|line| !line.starts_with("Stored: "));
        lines.map(|line| line.chars().count()).max().unwrap()
    };
    assert!(widest("60") <= 60);
    assert!(widest("200") > 100);
}

#[test]
fn a_judge_that_wavers_is_seen_by_asking_it_again() {
    let counting = "echo x >> count; n=$(wc -l < count); echo \"{\\\"score\\\": $((n % 2))}\"";
    let project = judged_by(counting, &json!({"workers": 1}))
        .file("labels.jsonl", labels(&[("a", "x", "pass"), ("b", "y", "fail")]));
    let run = calibrate(&project, &["--repeat", "3", "--workers", "1", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    // Asked x y x y x y, it says 1 0 1 0 1 0: right each time, and the same each time.
    assert_eq!(found["calibrations"][0]["self_consistency"]["unanimous"]["count"], 2);
    let run =
        calibrate(&project, &["--repeat", "2", "--workers", "1", "--format", "json", "--no-store"]);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(found["stored"], json!([]));
    let project = project.file("labels.jsonl", labels(&[("a", "x", "pass")]));
    let run = calibrate(&project, &["--repeat", "2", "--workers", "1", "--format", "json"]);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(found["calibrations"][0]["self_consistency"]["unanimous"]["count"], 0);
    assert_eq!(found["calibrations"][0]["self_consistency"]["pairwise_agreement"], 0.0);
}

#[test]
fn rows_of_a_run_with_a_label_added_are_labels_as_they_are() {
    let project = zebras();
    assert_eq!(project.run(&["eval", "suite.yaml"]).code, Some(0));
    let labelled: String = rows(&project)
        .into_iter()
        .map(|mut row| {
            row["label"] = json!("fail");
            row.to_string() + "\n"
        })
        .collect();
    let project = project.file("labels.jsonl", labelled);
    let run = calibrate(&project, &[]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(only(&project)["agreement"]["table"]["false_pass"], 2);
}

#[test]
fn another_judge_is_measured_by_its_name_and_of_its_own() {
    let project = zebras();
    let targets = fs::read_to_string(project.path(".agentv/targets.yaml")).unwrap();
    let mut targets: Value = serde_json::from_str(&targets).unwrap();
    let harsh = json!({"name": "harsh", "provider": "cli", "command": "echo '{\"score\": 0}'"});
    targets["targets"].as_array_mut().unwrap().push(harsh);
    let project = project.file(".agentv/targets.yaml", targets.to_string());
    calibrate(&project, &[]);
    let run = calibrate(&project, &["--judge", "harsh"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(run.stdout.contains("Judge `striped` (harsh)"), "{}", run.seen());
    assert_eq!(stored(&project).len(), 2);
    let run = calibrate(&project, &["--judge", "hash"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("did you mean `harsh`?"), "{}", run.seen());
    let run = calibrate(&project, &["--target", "judge"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(
        run.stderr.contains("nobody is named to judge what target `judge` answers"),
        "{}",
        run.seen()
    );
}

#[test]
fn labels_say_which_of_several_judges_they_are_about() {
    let suite = json!({
        "evaluators": [
            {"name": "striped", "type": "llm_judge", "prompt": "ANSWER: {{ candidate_answer }}"},
            {"name": "kind", "type": "llm_judge", "prompt": "KIND? ANSWER: {{ candidate_answer }}"},
            {"name": "short", "type": "contains", "value": "zebra"},
        ],
        "evalcases": [{"id": "a", "input": "?"}, {"id": "b", "input": "?"}],
    });
    let project = zebras().file("suite.yaml", suite.to_string());
    let run = calibrate(&project, &[]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    let told = "case `a` has several judges: `striped`, `kind`";
    assert_eq!(run.stderr.matches(told).count(), 1, "{}", run.seen());
    let run = calibrate(&project, &["--grader", "kind"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(only(&project)["grader"], "kind");
    let line = |grader: &str| {
        json!({"id": "a", "answer": "zebra", "label": 1, "grader": grader}).to_string() + "\n"
    };
    let project = project.file("labels.jsonl", line("kind") + &line("striped"));
    let run = calibrate(&project, &["--format", "json"]);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    let graders: Vec<&Value> =
        found["calibrations"].as_array().unwrap().iter().map(|it| &it["grader"]).collect();
    assert_eq!(graders, ["kind", "striped"]);
    let project = project.file("labels.jsonl", line("stripped"));
    let run = calibrate(&project, &[]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("did you mean `striped`?"), "{}", run.seen());
}

#[test]
fn everything_wrong_is_told_at_its_place_before_anybody_is_asked() {
    let project = judged_by("touch asked; echo '{\"score\": 1}'", &json!({})).file(
        "labels.jsonl",
        labels(&[("c", "x", "pass"), ("a", "x", "perhaps")]) + "{\"id\": \"a\"\n",
    );
    let run = calibrate(&project, &[]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    for told in [
        "no case of `suite.yaml` has the id `c`\n --> labels.jsonl:1:12",
        "does not say whether the answer passes\n --> labels.jsonl:2:37",
        "this is no JSON: EOF while parsing an object\n --> labels.jsonl:3:11",
    ] {
        assert!(run.stderr.contains(told), "{told}: {}", run.seen());
    }
    for (file, text, told) in [
        ("labels.jsonl", "", "`labels.jsonl` has no labels"),
        (
            "suite.yaml",
            "assert: [{contains: x}]\nevalcases: [{id: a, input: x}, {id: b, input: y}]\n",
            "has no grader that asks a judge",
        ),
    ] {
        let project = zebras().file(file, text);
        let run = calibrate(&project, &[]);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains(told), "{}", run.seen());
    }
    let run = zebras().run(&["calibrate", "suite.yaml", "--labels", "nowhere.jsonl"]);
    assert!(run.code == Some(2) && run.stderr.contains("nowhere.jsonl"), "{}", run.seen());
    assert!(!project.path("asked").exists());
}

#[test]
fn a_folder_of_several_suites_is_refused() {
    let project = zebras();
    let suite = fs::read_to_string(project.path("suite.yaml")).unwrap();
    let project = project.file("evals/a.yaml", suite.clone()).file("evals/b.yaml", suite);
    let run = project.run(&["calibrate", "evals", "--labels", "labels.jsonl"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("leads to 2 suites"), "{}", run.seen());
}

#[test]
fn human_scores_pass_from_where_the_judge_does() {
    let line = |answer: &str, score: f64| {
        json!({"id": "a", "answer": answer, "human_score": score}).to_string() + "\n"
    };
    let project = zebras().file("labels.jsonl", line("zebra", 0.7) + &line("gnu", 0.6));
    calibrate(&project, &[]);
    assert_eq!(only(&project)["agreement"]["table"]["false_pass"], 1);
    calibrate(&project, &["--threshold", "0.65"]);
    assert_eq!(only(&project)["agreement"]["table"]["true_pass"], 1);
    assert_eq!(only(&project)["pass_from"], json!([0.65]));
}

#[test]
fn an_answer_that_several_people_labelled_is_judged_once_and_counted_as_most_of_them_say() {
    let line = |answer: &str, label: &str, labeler: &str| {
        json!({"id": "a", "answer": answer, "label": label, "labeler": labeler}).to_string() + "\n"
    };
    let text = line("a zebra", "pass", "ann")
        + &line("a zebra", "fail", "bob")
        + &line("a zebra", "pass", "eve")
        + &line("a horse", "fail", "ann")
        + &line("a horse", "fail", "bob")
        + &line("a mule", "fail", "ann")
        + &line("a mule", "pass", "bob");
    let project = judged_by(JUDGE, &json!({})).file("labels.jsonl", text);
    let run = calibrate(&project, &[]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let told = "people disagree on 2 of 3 answers that several of them labelled; 1 that as many";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    let stored = only(&project);
    assert_eq!(stored["agreement"]["accuracy"]["of"], 2);
    assert_eq!(stored["agreement"]["accuracy"]["count"], 2);
}

#[test]
fn a_measurement_that_is_interrupted_stores_nothing() {
    let command = "touch begun; sleep 60; echo '{\"score\": 1}'";
    let project =
        judged_by(command, &json!({})).file("labels.jsonl", labels(&[("a", "x", "pass")]));
    let running = project.start(&CALIBRATE);
    wait_until("the judge is asked", || project.path("begun").exists());
    running.signal(Signal::SIGINT);
    let run = running.finish();
    assert_eq!(run.code, Some(130), "{}", run.seen());
    assert!(run.stderr.contains("nothing was stored"), "{}", run.seen());
    assert!(stored(&project).is_empty());
    project.assert_nothing_is_left();
}

#[test]
fn a_secret_of_the_judge_is_in_no_file_and_on_no_stream() {
    let command = "echo \"{\\\"score\\\": 0, \\\"reasoning\\\": \\\"told $CANARY\\\"}\"";
    let project = judged_by(command, &json!({"env": {"CANARY": "${{ CANARY_API_KEY }}"}}))
        .file(".env", "CANARY_API_KEY=canary-5417-abcdef\n")
        .file("labels.jsonl", labels(&[("a", "x", "pass")]));
    let run = calibrate(&project, &["--verbose"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let file = fs::read_to_string(&stored(&project)[0]).unwrap();
    assert!(file.contains("told ***"), "{file}");
    for text in [file, run.stdout, run.stderr] {
        assert!(!text.contains("canary-5417"), "{text}");
    }
}

#[test]
fn the_example_is_measured_as_its_page_says() {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/judged");
    let page = fs::read_to_string(examples.join("README.md")).unwrap();
    let project = empty().copy_to("examples/judged", &examples);
    let commands: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("$ agentv ")).collect();
    let [eval, calibrate] = commands.as_slice() else { panic!("{commands:?}") };
    let run = |command: &str| project.run(&command.split(' ').collect::<Vec<_>>());
    let before = run(eval);
    assert!(
        before.code == Some(0) && before.stdout.contains("not calibrated"),
        "{}",
        before.seen()
    );
    let measured = run(calibrate);
    assert_eq!(measured.code, Some(0), "{}", measured.seen());
    assert!(
        page.contains("34 of 40") && measured.stdout.contains("34 of 40"),
        "{}",
        measured.seen()
    );
    let after = run(eval);
    let told =
        "helpful (judge): 3 scores; agrees with people on 85 % [71–93 %] of 40 labels (κ 0.70)";
    assert!(after.stdout.contains(told), "{}", after.seen());
    let reference = include_str!("../../../../docs/calibration.md");
    assert!(reference.contains(told), "the reference shows what is shown");
    let first: Vec<&str> = measured.stdout.lines().take(2).collect();
    assert!(reference.contains(&first.join("\n")), "{}", measured.seen());
}
