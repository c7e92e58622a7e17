//! What cases are called, and which file and line their rows name.

use agentv_testkit::Project;

use super::{graded, passing, suite, told};

fn places(project: &Project) -> Vec<String> {
    told(project, &["eval_id", "suite", "file", "line"])
}

#[test]
fn several_prompts_make_several_cases_under_their_labels() {
    let project = suite(
        "prompts:
  - 'Say {{ word }}'
  - {label: loud, prompt: 'SAY {{ word | upper }}'}
tests:
  - id: hello
    vars: {word: hello}
  - vars: {word: bye}
",
    );
    passing(&project, &[]);
    let wanted = ["hello#1 5", "hello#loud 5", "test-2#1 7", "test-2#loud 7"];
    assert_eq!(told(&project, &["eval_id", "line"]), wanted);
    passing(&project, &["--eval-id", "*#loud"]);
    assert_eq!(told(&project, &["eval_id"]), ["hello#loud", "test-2#loud"]);
}

#[test]
fn one_prompt_leaves_ids_alone() {
    let project = suite("prompts: '{{ input }}'\ntests: [{id: a, vars: {input: x}}]\n");
    passing(&project, &[]);
    assert_eq!(told(&project, &["eval_id"]), ["a"]);
}

#[test]
fn rows_of_a_table_are_called_by_its_name_and_their_number() {
    let table = "input,id\nfirst,\n\"second,\nwith a line break\",\nthird,named\n";
    let project = suite("tests: file://data/words.csv\n").file("data/words.csv", table);
    passing(&project, &[]);
    assert_eq!(
        places(&project),
        [
            "named suite.yaml data/words.csv 5",
            "words-1 suite.yaml data/words.csv 2",
            "words-2 suite.yaml data/words.csv 3",
        ]
    );
    // With settings beside it the table is a suite of its own, and its rows stand in it.
    project.write("data/words.yaml", graded(""));
    let run = project.run(&["eval", "data/words.csv"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(
        places(&project),
        [
            "named data/words.csv null 5",
            "words-1 data/words.csv null 2",
            "words-2 data/words.csv null 3",
        ]
    );
}

#[test]
fn rows_name_the_file_that_a_case_stands_in() {
    let project = suite(
        "tests:
  - {id: own, input: x}
  - file://parts/*.yaml
  - parts/rows.jsonl
",
    )
    .file("parts/list.yaml", "# a comment\n- {id: listed, input: x}\n- file://deep/one.json\n")
    .file("parts/deep/one.json", "\n{\n  \"id\": \"one\", \"input\": \"x\"\n}\n")
    .file("parts/rows.jsonl", "\n{\"id\": \"row\", \"input\": \"x\"}\n");
    passing(&project, &[]);
    assert_eq!(
        places(&project),
        [
            "listed suite.yaml parts/list.yaml 2",
            "one suite.yaml parts/deep/one.json 3",
            "own suite.yaml null 2",
            "row suite.yaml parts/rows.jsonl 2",
        ]
    );
    // A folder with parts of a suite in it runs each case once.
    let run = project.run(&["eval", "."]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(places(&project).len(), 4);
}

#[test]
fn cases_of_a_scenario_are_told_apart_by_their_variables() {
    let project = suite(
        "scenarios:
  - id: greet
    config:
      - {id: morning, vars: {when: morning}}
      - {vars: {when: evening}}
    tests:
      - {id: ann, input: 'Good {{ when }}, Ann'}
      - {input: 'Good {{ when }}'}
",
    );
    passing(&project, &[]);
    assert_eq!(
        told(&project, &["eval_id", "line"]),
        [
            "greet/ann#2 7",
            "greet/ann#morning 7",
            "greet/scenario-1-test-2#2 8",
            "greet/scenario-1-test-2#morning 8",
        ]
    );
}
