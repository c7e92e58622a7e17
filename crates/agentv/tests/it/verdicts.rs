//! From scores to verdicts and exit codes.

use agentv_testkit::Project;
use serde_json::Value;

use crate::project::{column, empty, project, rows, targets};

/// Cases called `good` pass, `bad` fail, and `broken` cannot be evaluated.
fn mixed(ids: &[&str]) -> Project {
    let command = "case {EVAL_ID} in good*) echo ok;; bad*) echo no;; *) exit 5;; esac";
    project(command, &[], ids)
}

#[test]
fn the_exit_code_tells_the_worst_that_happened() {
    for (ids, code, code_without_failing) in [
        (&["good-1", "good-2"][..], 0, 0),
        (&["good", "bad"], 1, 0),
        (&["good", "broken"], 3, 3),
        (&["good", "bad", "broken"], 3, 3),
    ] {
        let project = mixed(ids);
        let run = project.run(&["eval", "suite.yaml"]);
        assert_eq!(run.code, Some(code), "{}", run.seen());
        let run = project.run(&["eval", "suite.yaml", "--no-fail"]);
        assert_eq!(run.code, Some(code_without_failing), "{}", run.seen());
        let manifest = crate::project::manifest(&project);
        assert_eq!(manifest["exit_code"], code_without_failing);
        assert_eq!(manifest["status"], "finished");
    }
}

#[test]
fn not_failing_does_not_hide_what_was_refused() {
    let project = mixed(&["good"]);
    let run = project.run(&["eval", "suite.yaml", "--eval-id", "nobody", "--no-fail"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(project.runs().is_empty());
}

#[test]
fn invoke_exits_zero_whatever_the_answers_are_worth() {
    for (id, code) in [("bad", 0), ("broken", 3)] {
        let project = mixed(&[id]);
        let run = project.run(&["invoke", "suite.yaml", "--target", "agent"]);
        assert_eq!(run.code, Some(code), "{}", run.seen());
        assert!(project.runs().is_empty(), "only what is graded is recorded");
    }
}

/// A suite of one case with these graders, asked of a target that says `alpha beta`.
fn graded(graders: &[&str]) -> Project {
    let mut suite = String::from(
        "evalcases:\n  - id: a\n    input_messages: [{role: user, content: x}]\n    evaluators:\n",
    );
    for grader in graders {
        suite.push_str(&format!("      - {grader}\n"));
    }
    empty().file(".agentv/targets.yaml", targets("echo alpha beta", &[])).file("suite.yaml", suite)
}

fn verdict(project: &Project, args: &[&str]) -> (Option<i32>, Value) {
    let run = project.run(&[&["eval", "suite.yaml"], args].concat());
    (run.code, rows(project).remove(0))
}

const HIT: &str = "{type: contains, value: alpha, weight: 3}";
const MISS: &str = "{name: missed, type: contains, value: gamma}";

#[test]
fn a_case_passes_from_the_threshold_on() {
    let project = graded(&[HIT, MISS]);
    for (threshold, code, status, word) in [
        ("0.75", 0, "passed", "pass"),
        ("0.76", 1, "failed", "borderline"),
        ("0", 0, "passed", "pass"),
        ("1", 1, "failed", "borderline"),
    ] {
        let (exit, row) = verdict(&project, &["--threshold", threshold]);
        assert_eq!(exit, Some(code), "{threshold}: {row}");
        assert_eq!((&row["status"], &row["verdict"]), (&status.into(), &word.into()), "{row}");
        assert_eq!(row["score"], 0.75);
        assert_eq!(row["threshold"], threshold.parse::<f64>().unwrap());
    }
    let (exit, row) = verdict(&project, &[]);
    assert_eq!(
        (exit, &row["threshold"]),
        (Some(1), &0.8.into()),
        "0.8 where nobody says otherwise"
    );
}

#[test]
fn below_the_border_a_case_has_failed_clearly() {
    let (exit, row) = verdict(&graded(&["{type: contains, value: alpha}", MISS]), &[]);
    assert_eq!((exit, &row["score"], &row["verdict"]), (Some(1), &0.5.into(), &"fail".into()));
}

#[test]
fn a_threshold_outside_the_scale_is_refused() {
    for typed in ["1.5", "-0.1", "high", "NaN"] {
        let project = graded(&[HIT]);
        let run = project.run(&["eval", "suite.yaml", &format!("--threshold={typed}")]);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(project.runs().is_empty());
    }
}

#[test]
fn weights_decide_how_much_a_grader_counts() {
    for (weights, score) in [([1.0, 1.0], 0.5), ([3.0, 1.0], 0.75), ([1.0, 0.0], 1.0)] {
        let [hit, miss] = weights;
        let hit = format!("{{name: hit, type: contains, value: alpha, weight: {hit}}}");
        let miss = format!("{{name: miss, type: contains, value: gamma, weight: {miss}}}");
        let (_, row) = verdict(&graded(&[&hit, &miss]), &[]);
        assert_eq!(row["score"], score, "{row}");
        let kept: Vec<f64> = row["evaluator_results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|result| result["weight"].as_f64().unwrap())
            .collect();
        assert_eq!(kept, weights);
    }
}

#[test]
fn a_required_grader_that_fails_fails_the_case_whatever_the_mean() {
    let heavy = "{type: contains, value: alpha, weight: 99}";
    let (exit, row) = verdict(&graded(&[heavy, MISS]), &[]);
    assert_eq!((exit, &row["status"]), (Some(0), &"passed".into()));
    for required in [
        "{name: missed, type: contains, value: gamma, required: true}",
        "{name: missed, type: contains, value: gamma, min_score: 0.1}",
    ] {
        let (exit, row) = verdict(&graded(&[heavy, required]), &[]);
        assert_eq!((exit, &row["status"]), (Some(1), &"failed".into()), "{row}");
        assert_eq!(row["score"], 0.99);
        assert_ne!(row["verdict"], "pass");
    }
}

#[test]
fn an_error_is_no_part_of_the_mean() {
    let project = mixed(&["good", "bad", "broken"]);
    let run = project.run(&["eval", "suite.yaml"]);
    for words in
        ["mean 0.500 [0.00–1.00] (t), median 0.500\n", "2 graded cases (1 error not counted)"]
    {
        assert!(run.stdout.contains(words), "{}", run.seen());
    }
    assert_eq!(column(&project, "score"), [0.0.into(), Value::Null, 1.0.into()]);
}
