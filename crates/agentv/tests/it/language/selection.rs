//! `--tag`, alone and together with `--eval-id`.

use agentv_testkit::Project;
use insta::assert_snapshot;

use super::{graded, passing, refused, suite, told};

fn tagged() -> Project {
    suite(
        "tags: [all]
tests:
  - {id: soup-1, input: a, tags: [food, hot]}
  - {id: soup-2, input: b, tags: food}
  - {id: tea-1, input: c, tags: [hot, drink]}
  - {id: plain, input: d}
",
    )
    .file("other.yaml", graded("tests: [{id: other, input: e}]\n"))
}

#[test]
fn cases_with_one_of_the_tags_are_run() {
    let project = tagged();
    for (tags, wanted) in [
        (&["food"][..], &["soup-1", "soup-2"][..]),
        (&["food", "drink"], &["soup-1", "soup-2", "tea-1"]),
        (&["all"], &["plain", "soup-1", "soup-2", "tea-1"]),
    ] {
        let flags: Vec<&str> = tags.iter().flat_map(|tag| ["--tag", tag]).collect();
        // The other suite has no case left, and is not run.
        passing(&project, &[&["other.yaml"], &flags[..]].concat());
        assert_eq!(told(&project, &["eval_id"]), wanted, "{tags:?}");
    }
}

#[test]
fn a_tag_and_an_id_must_both_fit() {
    let project = tagged();
    passing(&project, &["--tag", "hot", "--eval-id", "soup-*", "--eval-id", "tea-?"]);
    assert_eq!(told(&project, &["eval_id"]), ["soup-1", "tea-1"]);
    assert_snapshot!(refused(&tagged(), &["eval", "suite.yaml", "--tag", "drink", "--eval-id", "soup-*"]), @"
    error: no eval case matches `soup-*` among those with the tag `drink`
     |
     = help: known ids: tea-1

    1 error
    ");
}

#[test]
fn a_tag_that_no_case_has_is_refused_with_the_nearest() {
    let project = tagged();
    assert_snapshot!(refused(&project, &["eval", "suite.yaml", "--tag", "foood", "--tag", "food"]), @"
    error: no eval case has the tag `foood`
     |
     = help: did you mean `food`?

    1 error
    ");
    assert_snapshot!(refused(&project, &["eval", "suite.yaml", "--tag", "nothing-like-it"]), @"
    error: no eval case has the tag `nothing-like-it`
     |
     = help: known tags: all, drink, food, hot

    1 error
    ");
    assert_snapshot!(refused(&project, &["eval", "other.yaml", "--tag", "food"]), @"
    error: no eval case has the tag `food`
     |
     = help: give cases `tags: [a, b]`

    1 error
    ");
}

#[test]
fn invoke_knows_tags_too() {
    let run = tagged().run(&["invoke", "suite.yaml", "--target", "agent", "--tag", "drink"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(run.stdout.lines().count(), 1);
    assert!(run.stdout.contains("\"evalId\":\"tea-1\""), "{}", run.stdout);
}
