//! Which files of a directory are ours, and what is said about the others.

use insta::assert_snapshot;

use crate::project::{Project, TARGETS, one_case};

#[test]
fn a_directory_is_searched_for_suites_and_other_files_are_skipped_with_a_warning() {
    let project = Project::bare()
        .file("evals/targets.yaml", TARGETS)
        .file("evals/a.yaml", one_case(""))
        .file("evals/deep/b.yml", one_case(""))
        .file("evals/compose.yaml", "services: {}\nservices: {}\n")
        .file("evals/empty.yaml", "")
        .file("evals/helm.yaml", "name: {{ .Values.name }}\n")
        .file("evals/many.yaml", "a: 1\n---\nb: 2\n");
    let loaded = project.load(&["evals"]);
    let suites: Vec<&str> = loaded.suites.iter().map(|suite| &*suite.suite.path).collect();
    assert_eq!(suites, ["evals/a.yaml", "evals/deep/b.yml"]);
    assert!(!loaded.problems.has_errors());
    assert_eq!(loaded.files_checked, 3);
    assert_snapshot!(project.describe(&loaded), @"
    evals/compose.yaml:1:1 warning: `evals/compose.yaml` is no suite and is skipped
    evals/empty.yaml:1:1 warning: `evals/empty.yaml` is no suite and is skipped
    evals/helm.yaml:1:1 warning: `evals/helm.yaml` is no suite and is skipped
    evals/many.yaml:2:1 warning: `evals/many.yaml` is no YAML and is skipped
    ");
}

#[test]
fn a_misspelt_or_broken_suite_in_a_directory_is_an_error() {
    let project = Project::new()
        .file("evals/good.yaml", one_case(""))
        .file("evals/misspelt.yaml", "evalcase: []")
        .file("evals/schema.yaml", "$schema: agentv-eval-v2\nstuff: []")
        .file("evals/syntax.yaml", "evalcases: [\n");
    assert_snapshot!(project.problems(&["evals"]), @"
    evals/misspelt.yaml:1:1 error: unknown key `evalcase` in suite
      hint: did you mean `evalcases`?
    evals/misspelt.yaml:1:11 error: the suite has no cases
      hint: add one:
        evalcases:
          - id: first
            input_messages:
              - role: user
                content: What is 2 + 2?
            evaluators:
              - type: contains
                value: '4'
    evals/schema.yaml:1:1 error: suite needs `evalcases`
      hint: add `evalcases: …`
    evals/schema.yaml:2:1 error: unknown key `stuff` in suite
      hint: known keys: $schema, dataset, evalcases, target, providers, execution, evaluators, assert, evaluator, threshold, judge_target, repeat, on_dependency_failure, input, input_files, tags, vars, prompts, default_test, scenarios, evaluate_options, version, author, license, category; keys of your own start with `x-`
    evals/syntax.yaml:1:12 error: not valid YAML: `[` is never closed
    ");
}

#[test]
fn a_directory_in_which_nothing_is_ours_is_an_error() {
    let project = Project::new()
        .file("evals/a.yaml", one_case(""))
        .file("other/compose.yaml", "services: {}");
    assert_snapshot!(project.problems(&["evals", "other", "other/*.yaml"]), @"
    error: no suite in `other`
      hint: a suite is a YAML file with `evalcases`, or rows of data with a YAML file beside
    error: no suite in `other/*.yaml`
      hint: a suite is a YAML file with `evalcases`, or rows of data with a YAML file beside
    other/compose.yaml:1:1 warning: `other/compose.yaml` is no suite and is skipped
    ");
}

#[test]
fn a_file_that_is_named_must_be_one_of_ours() {
    let project =
        Project::new().file("compose.yaml", "services: {}").file("empty.yaml", "# nothing");
    assert_snapshot!(project.problems(&["compose.yaml", "empty.yaml"]), @"
    compose.yaml:1:1 error: unknown key `services` in suite
      hint: known keys: $schema, dataset, evalcases, target, providers, execution, evaluators, assert, evaluator, threshold, judge_target, repeat, on_dependency_failure, input, input_files, tags, vars, prompts, default_test, scenarios, evaluate_options, version, author, license, category; keys of your own start with `x-`
    compose.yaml:1:1 error: suite needs `evalcases`
      hint: add `evalcases: …`
    empty.yaml:1:1 error: `empty.yaml` is empty
      hint: a minimal suite:
        evalcases:
          - id: first
            input_messages:
              - role: user
                content: What is 2 + 2?
            evaluators:
              - type: contains
                value: '4'
    ");
}

#[test]
fn a_file_found_in_a_directory_and_named_counts_as_named() {
    let project = Project::new()
        .file("evals/a.yaml", one_case(""))
        .file("evals/compose.yaml", "services: {}");
    let said = project.problems(&["evals", "evals/compose.yaml"]);
    assert!(said.contains("error: suite needs `evalcases`"), "{said}");
}

#[test]
fn paths_are_shown_from_the_current_folder() {
    let project = Project::new()
        .file("evals/a.yaml", "evalcases: []")
        .file("b.yaml", "evalcases: []")
        .current_dir("evals");
    assert_snapshot!(project.problems(&["a.yaml", "../b.yaml"]), @"
    a.yaml:1:12 error: the suite has no cases
      hint: add one:
        evalcases:
          - id: first
            input_messages:
              - role: user
                content: What is 2 + 2?
            evaluators:
              - type: contains
                value: '4'
    ROOT/b.yaml:1:12 error: the suite has no cases
      hint: add one:
        evalcases:
          - id: first
            input_messages:
              - role: user
                content: What is 2 + 2?
            evaluators:
              - type: contains
                value: '4'
    ");
}

const LABELS: &str = "{\"eval_id\": \"only\", \"answer\": \"x\", \"label\": \"pass\"}\n";
const ROWS: &str =
    "{\"eval_id\": \"only\", \"target\": \"a\", \"status\": \"passed\", \"score\": 1}\n";

#[test]
fn data_that_is_met_by_the_way_is_told_once_for_each_kind() {
    let project = Project::new()
        .file("evals/a.yaml", one_case(""))
        .file("evals/labels.jsonl", LABELS.repeat(50))
        .file("evals/more/labels.csv", "id,answer,label\nonly,x,maybe\n")
        .file("evals/people.yaml", "- {eval_id: only, answer: x, label: fail}\n")
        .file("evals/old.jsonl", ROWS)
        .file("evals/b.csv", "name,size\n")
        .file("evals/c.csv", "name,size\n");
    assert_snapshot!(project.problems(&["evals"]), @"
    warning: `evals/people.yaml`, `evals/labels.jsonl` and `evals/more/labels.csv` hold labels for `agentv calibrate` and are skipped
    warning: `evals/b.csv` and `evals/c.csv` are no suites and are skipped
      hint: name the file itself, or put a YAML file of the same name beside it
    warning: `evals/old.jsonl` holds rows of a run and is skipped
    ");
}

#[test]
fn labels_and_results_that_are_named_as_suites_are_one_error_each() {
    let project = Project::new()
        .file("labels.jsonl", LABELS.repeat(50))
        .file("labels.yaml.csv", "id,answer,label\nonly,x,maybe\n")
        .file("people.yaml", "- {eval_id: only, answer: x, label: fail}\n")
        .file("old.jsonl", ROWS);
    let paths = ["labels.jsonl", "labels.yaml.csv", "people.yaml", "old.jsonl"];
    assert_snapshot!(project.problems(&paths), @"
    error: `labels.jsonl` holds labels, not cases
      hint: labels are read with their suite: `agentv calibrate SUITE --labels labels.jsonl`
    error: `labels.yaml.csv` holds labels, not cases
      hint: labels are read with their suite: `agentv calibrate SUITE --labels labels.yaml.csv`
    error: `people.yaml` holds labels, not cases
      hint: labels are read with their suite: `agentv calibrate SUITE --labels people.yaml`
    error: `old.jsonl` holds rows of a run, not cases
      hint: give the suite that was run; `provider: replay` takes answers from such rows
    ");
}
