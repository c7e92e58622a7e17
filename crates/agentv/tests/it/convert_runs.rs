//! What was made of a promptfoo configuration runs, and its cases pass as they did there.

use std::{fs, path::Path};

use agentv_testkit::Project;

use crate::project::{column, empty};

fn converted(name: &str) -> Project {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/convert").join(name);
    let project = empty().copy_of(&corpus);
    fs::create_dir(project.path("evals")).unwrap();
    let run = project.run(&["convert", "promptfooconfig.yaml", "--out", "evals/imported.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    project
}

#[test]
fn a_converted_suite_with_a_table_of_tests_runs_and_passes() {
    let project = converted("promptfoo-exec");
    let run = project.run(&["eval", "evals/imported.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    // Two prompts for each of two rows.
    assert_eq!(column(&project, "status"), ["passed"; 4]);
    assert_eq!(column(&project, "target"), ["agent"; 4]);
    project.assert_nothing_is_left();
}

#[test]
fn a_suite_that_describes_its_targets_itself_runs_too() {
    let project = converted("promptfoo-exec");
    let printed = project.run(&["convert", "promptfooconfig.yaml"]);
    fs::remove_dir_all(project.path(".agentv")).unwrap();
    project.write("alone.yaml", printed.stdout);
    let run = project.run(&["eval", "alone.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
}

#[test]
fn functions_in_python_are_asked_and_judge() {
    let project = converted("promptfoo-scripts");
    let run = project.run(&[
        "eval",
        "evals/imported.yaml",
        "--target",
        "python",
        "--eval-id",
        "test-[12]",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(column(&project, "candidate_answer"), ["it's Say one", "it's Say two"]);
}
