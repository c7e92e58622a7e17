//! Who judges, and what is said where nobody does.

use std::fs;

use serde_json::{Value, json};

use super::{eval, judged_by, says, whole};
use crate::project::{empty, manifest, rows};

#[test]
fn the_judge_of_the_grader_wins_over_that_of_case_suite_and_target() {
    let named = |name: &str| says(&json!({"score": 1, "reasoning": name}));
    let target = |name: &str, judge: Option<&str>| {
        let mut target = json!({"name": name, "provider": "cli", "command": named(name)});
        if let Some(judge) = judge {
            target["judge_target"] = json!(judge);
        }
        target
    };
    let targets = json!({"targets": [
        target("default", Some("by-target")), target("by-target", None), target("by-suite", None),
        target("by-case", None), target("by-grader", None),
    ]});
    let mut suite = json!({"evalcases": [
        {"id": "a", "input": "x", "expected_outcome": "y", "evaluators": [{"type": "llm_judge"}]}]});
    let project = empty().file(".agentv/targets.yaml", targets.to_string());
    let mut judge = |change: &dyn Fn(&mut Value)| {
        change(&mut suite);
        project.write("suite.yaml", suite.to_string());
        eval(&project, 0, &[]);
        rows(&project)[0]["evaluator_results"][0]["reasoning"].as_str().unwrap().to_owned()
    };
    assert_eq!(judge(&|_| {}), "by-target");
    assert_eq!(judge(&|suite| suite["judge_target"] = json!("by-suite")), "by-suite");
    let case = |suite: &mut Value| suite["evalcases"][0]["judge_target"] = json!("by-case");
    assert_eq!(judge(&case), "by-case");
    let grader = |suite: &mut Value| {
        suite["evalcases"][0]["evaluators"][0]["judge_target"] = json!("by-grader");
    };
    assert_eq!(judge(&grader), "by-grader");
}

#[test]
fn the_record_of_a_run_says_who_judged_once_and_no_secret() {
    let command = says(&json!({"score": 1}));
    let judge = json!({"name": "judge", "provider": "cli", "command": command,
                       "env": {"API_KEY": "canary-literal", "PLAIN": "seen"}});
    let targets = json!({"targets": [
        {"name": "default", "provider": "cli", "command": "echo a", "judge_target": "judge"},
        judge,
        {"name": "idle", "provider": "cli", "command": "echo b"},
    ]});
    let graders = json!([{"type": "llm_judge"}, {"name": "again", "type": "llm_judge"}]);
    let case = |id: &str| json!({"id": id, "input": "x", "expected_outcome": "y"});
    let suite = json!({"evalcases": [case("a"), case("b")], "evaluators": graders});
    let project = empty()
        .file(".agentv/targets.yaml", targets.to_string())
        .file("suite.yaml", suite.to_string())
        .file("second.yaml", suite.to_string());
    let run = project.run(&["eval", "suite.yaml", "second.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let mut manifest = manifest(&project);
    let hash = manifest["judges"][0].as_object_mut().unwrap().remove("sha256").unwrap();
    assert_eq!(hash.as_str().unwrap().len(), 64);
    let mut definition = judge;
    definition["env"]["API_KEY"] = json!("***");
    let recorded = json!([{"name": "judge", "provider": "cli", "definition": definition}]);
    assert_eq!(manifest["judges"], recorded);
    assert_eq!(manifest["targets"][0]["name"], "default");
    assert_eq!(manifest["targets"].as_array().unwrap().len(), 1);
}

#[test]
fn a_judge_that_nobody_knows_is_told_wherever_it_is_named() {
    let text = fs::read_to_string(judged_by("echo", &whole()).path("suite.yaml")).unwrap();
    let changes: [&dyn Fn(&mut Value); 3] = [
        &|suite| suite["judge_target"] = json!("jugde"),
        &|suite| suite["evalcases"][0]["judge_target"] = json!("jugde"),
        &|suite| suite["evalcases"][0]["evaluators"][0]["target"] = json!("jugde"),
    ];
    for change in changes {
        let mut suite: Value = serde_json::from_str(&text).unwrap();
        change(&mut suite);
        let project = judged_by("echo", &whole()).file("suite.yaml", suite.to_string());
        let run = eval(&project, 2, &[]);
        let told = "error: judge target `jugde` does not exist in `.agentv/targets.yaml`";
        assert_eq!(run.stderr.matches(told).count(), 1, "{}", run.seen());
        assert!(run.stderr.contains("did you mean `judge`?"), "{}", run.seen());
    }
}

#[test]
fn nobody_judges_who_was_not_named() {
    let project = judged_by("echo '{\"score\": 1}'", &whole());
    let run = eval(&project, 2, &["--target", "alone"]);
    let told = "nobody is named to judge what target `alone` answers for grader `quality`";
    assert!(run.stderr.contains(told), "{}", run.seen());
    assert!(run.stderr.contains("there are: default, judge, other\n"), "{}", run.seen());
    assert!(!project.path("started").exists());
    // Judging oneself is said aloud, unless the target itself asks for it.
    let graders = json!([{"type": "llm_judge", "judge_target": "other"}]);
    let project = judged_by("echo", &graders);
    let run = eval(&project, 1, &["--target", "other"]);
    assert!(
        run.stderr.contains("warning: target `other` judges its own answers"),
        "{}",
        run.seen()
    );
}

#[test]
fn a_case_without_graders_is_judged_by_what_it_expects_where_a_judge_is_named() {
    let project = judged_by(&says(&json!({"score": 1})), &json!(null));
    eval(&project, 0, &[]);
    assert_eq!(rows(&project)[0]["evaluator_results"][0]["type"], "llm_judge");
    let run = eval(&project, 2, &["--target", "alone"]);
    assert!(run.stderr.contains("case `capital` has no grader"), "{}", run.seen());
    assert!(run.stderr.contains("name a target in `judge_target`"), "{}", run.seen());
}

#[test]
fn members_of_a_composite_have_judges_of_their_own() {
    let graders = json!([{"name": "quality", "type": "composite", "evaluators": [
        {"name": "here", "type": "llm_judge"},
        {"name": "there", "type": "llm_judge", "judge_target": "other"},
    ]}]);
    let project = judged_by(&says(&json!({"score": 0.75})), &graders);
    eval(&project, 1, &[]);
    let members = &rows(&project)[0]["evaluator_results"][0]["evaluator_results"];
    assert_eq!((&members[0]["score"], &members[1]["score"]), (&json!(0.75), &json!(0.25)));
    assert_eq!(members[1]["judge"]["target"], "other");
}

#[test]
fn settings_of_a_model_belong_to_its_target() {
    let graders = json!([{"type": "llm_judge", "model": "gpt", "temperature": 0, "max_steps": 3}]);
    let run = eval(&judged_by("echo", &graders), 2, &[]);
    for key in ["model", "temperature", "max_steps"] {
        let told = format!("`{key}` of llm_judge is known, but not supported yet");
        assert!(run.stderr.contains(&told), "{}", run.seen());
    }
    assert!(run.stderr.contains("name it in `judge_target`"), "{}", run.seen());
}
