//! `--eval-id`: which cases stay.

use agentv_case::select;
use insta::assert_snapshot;

use crate::project::Project;

fn project() -> Project {
    let suite = |ids: &[&str]| {
        let cases = ids.iter().map(|id| format!("  - {{id: '{id}', input_messages: []}}\n"));
        format!("evalcases:\n{}", cases.collect::<String>())
    };
    Project::new()
        .file("a.yaml", suite(&["math/add", "math/sub", "a[1]", "a1", "what?"]))
        .file("b.yaml", suite(&["math/add", "text", "e6", "e7"]))
}

/// The ids that are left, and what is said.
fn check(filters: &[&str]) -> (Vec<String>, String) {
    let project = project();
    let mut loaded = project.load(&["a.yaml", "b.yaml"]);
    let filters: Vec<String> = filters.iter().map(|filter| (*filter).to_owned()).collect();
    select(&mut loaded, &filters, &[]);
    let left = loaded.suites.iter().flat_map(|suite| {
        assert!(!suite.suite.cases.is_empty());
        let cases = &suite.suite.cases;
        cases.iter().map(|case| format!("{}:{}", case.suite, case.id()))
    });
    (left.collect(), project.describe(&loaded))
}

#[test]
fn cases_are_chosen_by_id_and_by_glob() {
    assert_eq!(check(&["text"]).0, ["b.yaml:text"]);
    assert_eq!(
        check(&["math*", "te?t"]).0,
        ["a.yaml:math/add", "a.yaml:math/sub", "b.yaml:math/add", "b.yaml:text"]
    );
    assert_eq!(check(&["{e6,e7}"]).0, ["b.yaml:e6", "b.yaml:e7"]);
    assert_eq!(check(&[]).0.len(), 9);
}

#[test]
fn an_id_with_glob_characters_matches_itself() {
    assert_eq!(check(&["a[1]"]).0, ["a.yaml:a[1]", "a.yaml:a1"]);
    assert_eq!(check(&["what?", "what?"]), (vec!["a.yaml:what?".to_owned()], String::new()));
}

#[test]
fn every_filter_that_matches_nothing_is_an_error() {
    let (left, said) = check(&["math/ad", "zzzzzzzzz", "a[", "text"]);
    assert_eq!(left, ["b.yaml:text"]);
    assert_snapshot!(said, @"
    error: no eval case matches `math/ad`
      hint: did you mean `math/add`?
    error: no eval case matches `zzzzzzzzz`
      hint: known ids: math/add, math/sub, a[1], a1, what?, …
    error: no eval case matches `a[`
      hint: did you mean `a1`?
    ");
}

#[test]
fn a_case_that_is_missing_because_of_a_mistake_is_not_called_unknown() {
    let project =
        Project::new().file("s.yaml", "evalcases: [{id: a}, {id: b, input_messages: []}]");
    let mut loaded = project.load(&["s.yaml"]);
    select(&mut loaded, &["a".to_owned()], &[]);
    assert_snapshot!(project.describe(&loaded), @"
    s.yaml:1:13 error: eval case needs `input_messages`
      hint: add `input_messages: …`
    ");
}
