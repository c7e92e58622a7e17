//! `agentv results list`, `show`, `failures` and `prune`: runs that somebody looks at later.

use std::fs;

use agentv_testkit::{Project, Run};
use serde_json::Value;

use crate::project::{empty, project};

const AGENT: &str = "\
case $AGENTV_EVAL_ID in
  bad) echo 'no idea' ;;
  dead) echo 'the agent has died' >&2; exit 7 ;;
  *) echo ok ;;
esac
";

/// A project whose suite has one case of each kind.
fn fresh() -> Project {
    project("sh agent.sh", &[], &["good", "bad", "dead"])
        .file("agent.sh", AGENT)
        .env("COLUMNS", "100")
}

fn evaluated(project: &Project) -> String {
    assert!(project.run(&["eval", "suite.yaml"]).code.is_some());
    project.newest_run().file_name().unwrap().to_str().unwrap().to_owned()
}

fn json(run: &Run) -> Value {
    assert_eq!(run.code, Some(0), "{}", run.seen());
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.seen()))
}

#[test]
fn runs_are_listed_newest_first_and_filtered_by_what_they_are() {
    let project = fresh();
    let (first, second) = (evaluated(&project), evaluated(&project));
    let listed = json(&project.run(&["results", "list", "--format", "json"]));
    let ids: Vec<&str> =
        listed.as_array().unwrap().iter().map(|it| it["run_id"].as_str().unwrap()).collect();
    assert_eq!(ids, [second.as_str(), first.as_str()]);
    assert_eq!(listed[0]["counts"]["errors"], 1);
    assert_eq!(listed[0]["pass_rate"]["value"], 0.5);
    assert!(listed[0]["pass_rate"]["low"].as_f64().unwrap() > 0.0);
    for (filter, expected) in [
        (vec!["--last", "1"], 1),
        (vec!["--suite", "*.yaml"], 2),
        (vec!["--suite", "other*"], 0),
        (vec!["--target", "agent"], 2),
        (vec!["--target", "nobody"], 0),
        (vec!["--since", "1h"], 2),
        (vec!["--until", "1h"], 0),
        (vec!["--tag", "smoke"], 0),
    ] {
        let args = [&["results", "list", "--format", "json"], filter.as_slice()].concat();
        let listed = json(&project.run(&args));
        assert_eq!(listed.as_array().unwrap().len(), expected, "{filter:?}");
    }
    let table = project.run(&["results", "list"]);
    assert!(table.stdout.contains("50 % [9–91 %]"), "{}", table.seen());
    let csv = project.run(&["results", "list", "--format", "csv"]);
    assert_eq!(csv.stdout.lines().count(), 3, "{}", csv.seen());
}

#[test]
fn a_run_that_cannot_be_read_is_listed_and_says_why() {
    let project = fresh();
    let run = evaluated(&project);
    project.write(&format!(".agentv/results/{run}/run.json"), "{ torn");
    project.write(".agentv/results/notes.txt", "not a run");
    let listed = project.run(&["results", "list"]);
    assert_eq!(listed.code, Some(0), "{}", listed.seen());
    assert!(listed.stdout.contains("unreadable"), "{}", listed.seen());
    assert!(listed.stdout.contains("run.json cannot be understood"), "{}", listed.seen());
}

#[test]
fn without_any_run_everything_says_so() {
    let project = empty();
    let listed = project.run(&["results", "list", "--format", "json"]);
    assert_eq!((listed.code, listed.stdout.as_str()), (Some(0), "[]\n"), "{}", listed.seen());
    assert!(listed.stderr.contains("there are no runs"), "{}", listed.seen());
    for args in [vec!["results", "show"], vec!["results", "failures"]] {
        let run = project.run(&args);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains("there are no runs"), "{}", run.seen());
    }
    let pruned = project.run(&["results", "prune", "--keep", "0", "--yes"]);
    assert_eq!(pruned.code, Some(0), "{}", pruned.seen());
}

#[test]
fn a_case_is_shown_with_everything_and_with_its_history() {
    let project = fresh();
    evaluated(&project);
    let newest = evaluated(&project);
    let shown = project.run(&["results", "show", &newest, "bad", "--history"]);
    assert_eq!(shown.code, Some(0), "{}", shown.seen());
    for words in
        ["suite.yaml:", "bad (agent)", "Question", "no idea", "- ", "History", "← this run"]
    {
        assert!(shown.stdout.contains(words), "{words}: {}", shown.seen());
    }
    assert_eq!(shown.stdout.matches("failed  20").count(), 2, "{}", shown.seen());
    let dead = project.run(&["results", "show", "latest", "d*"]);
    assert!(dead.stdout.contains("the agent has died"), "{}", dead.seen());
    let rows = json(&project.run(&["results", "show", "latest", "*", "--format", "json"]));
    assert_eq!(rows.as_array().unwrap().len(), 3);
    let alone = project.run(&["results", "show", "good"]);
    assert!(alone.stderr.contains("looking for cases in the newest"), "{}", alone.seen());
    assert!(alone.stdout.contains("good (agent)"), "{}", alone.seen());
    let nobody = project.run(&["results", "show", "--history"]);
    assert_eq!(nobody.code, Some(2), "{}", nobody.seen());
    let typo = project.run(&["results", "show", "latest", "god"]);
    assert_eq!(typo.code, Some(2), "{}", typo.seen());
    assert!(typo.stderr.contains("did you mean `good`?"), "{}", typo.seen());
}

#[test]
fn a_run_is_shown_with_what_was_run_and_what_it_came_to() {
    let project = fresh();
    evaluated(&project);
    let shown = project.run(&["results", "show"]);
    for words in ["eval, finished", "suite.yaml (3 cases)", "agent (cli)", "3 cases", "1 failed"] {
        assert!(shown.stdout.contains(words), "{words}: {}", shown.seen());
    }
    let run = json(&project.run(&["results", "show", "--format", "json"]));
    assert_eq!(run["run"]["counts"]["planned"], 3);
    assert_eq!(run["digest"]["errors"], 1);
}

#[test]
fn failures_are_told_with_their_reasons_and_it_only_looks() {
    let project = fresh();
    evaluated(&project);
    let told = project.run(&["results", "failures"]);
    assert_eq!(told.code, Some(0), "{}", told.seen());
    for words in ["3 cases: 1 failed, 1 error", "bad (agent)", "dead (agent)", "actual:   no idea"]
    {
        assert!(told.stdout.contains(words), "{words}: {}", told.seen());
    }
    assert!(!told.stdout.contains("good (agent)"), "{}", told.seen());
    let rows = json(&project.run(&["results", "failures", "--format", "json"]));
    assert_eq!(rows.as_array().unwrap().len(), 2);
    let file = project.path("copy.jsonl");
    fs::write(&file, project.rows_text()).unwrap();
    let of_file = project.run(&["results", "failures", "copy.jsonl"]);
    // A file does not say how it was made, so there is no command for it.
    let command = "    $ agentv eval suite.yaml --eval-id bad\n";
    assert!(told.stdout.contains(command), "{}", told.seen());
    assert_eq!(of_file.stdout, told.stdout.replace(command, ""));
}

#[test]
fn a_dry_run_is_marked_as_one() {
    let project = fresh();
    evaluated(&project);
    assert!(project.run(&["eval", "suite.yaml", "--dry-run"]).code.is_some());
    let table = project.run(&["results", "list"]);
    assert_eq!(table.stdout.matches("dry run").count(), 1, "{}", table.seen());
    let listed = json(&project.run(&["results", "list", "--format", "json"]));
    assert_eq!((&listed[0]["dry_run"], &listed[1]["dry_run"]), (&true.into(), &false.into()));
}

#[test]
fn a_file_of_the_original_tool_is_looked_at_as_any_other() {
    let text = "{\"eval_id\":\"a\",\"dataset\":\"d\",\"score\":0.2,\"misses\":[\"no Paris\"],\
                \"candidate_answer\":\"Lyon\",\"target\":\"t\"}\n";
    let project = empty().file("old.jsonl", text);
    let told = project.run(&["results", "failures", "old.jsonl"]);
    assert!(told.stdout.contains("no Paris"), "{}", told.seen());
    let shown = project.run(&["results", "show", "old.jsonl", "a"]);
    assert!(shown.stdout.contains("Lyon"), "{}", shown.seen());
    let nothing = project.run(&["results", "show", "old.jsonl", "b"]);
    assert_eq!(nothing.code, Some(2), "{}", nothing.seen());
}

#[test]
fn control_characters_of_answers_never_reach_the_screen() {
    let project = project("printf 'ok \\033[2J\\007'", &[], &["\u{1b}[31mred"]);
    evaluated(&project);
    for args in [
        vec!["results", "show", "latest", "*"],
        vec!["results", "show"],
        vec!["results", "list"],
        vec!["results", "failures"],
    ] {
        let run = project.run(&args);
        assert!(!run.stdout.contains(['\u{1b}', '\u{7}']), "{args:?} {:?}", run.stdout);
    }
}

#[test]
fn old_runs_are_named_first_and_removed_when_that_is_meant() {
    let project = fresh();
    let (first, _) = (evaluated(&project), evaluated(&project));
    project.write(".agentv/results/notes.txt", "not a run");
    let named = project.run(&["results", "prune", "--keep", "1"]);
    assert!(named.stdout.contains(&first) && named.stdout.contains("--yes"), "{}", named.seen());
    assert!(project.path(&format!(".agentv/results/{first}")).is_dir());
    let removed = project.run(&["results", "prune", "--keep", "1", "--yes"]);
    assert_eq!(removed.code, Some(0), "{}", removed.seen());
    assert!(!project.path(&format!(".agentv/results/{first}")).exists());
    assert!(project.path(".agentv/results/notes.txt").is_file());
    let listed = json(&project.run(&["results", "list", "--format", "json"]));
    assert_eq!(listed.as_array().unwrap().len(), 1);
    let young = project.run(&["results", "prune", "--older-than", "1d", "--yes"]);
    assert!(young.stdout.contains("0 runs"), "{}", young.seen());
    let wrong = project.run(&["results", "prune", "--older-than", "old"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.seen());
}

#[test]
fn a_run_that_somebody_is_writing_stays() {
    let project = fresh();
    let run = evaluated(&project);
    let rows = fs::File::open(project.newest_run().join("results.jsonl")).unwrap();
    rows.lock().unwrap();
    let kept = project.run(&["results", "prune", "--keep", "0", "--yes"]);
    assert!(kept.stderr.contains("stays"), "{}", kept.seen());
    assert!(project.path(&format!(".agentv/results/{run}")).is_dir());
}

#[test]
fn an_index_that_is_garbage_changes_nothing() {
    let project = fresh();
    evaluated(&project);
    let before = project.run(&["results", "failures"]).stdout;
    for garbage in ["", "garbage", "SQLite format 3\0garbage"] {
        project.write(".agentv/results/.index.sqlite", garbage);
        let after = project.run(&["results", "failures"]);
        assert_eq!((after.stdout.as_str(), after.stderr.as_str()), (before.as_str(), ""));
    }
}
