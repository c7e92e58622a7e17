//! `depends_on`: which cases are found, and what is said of those that cannot be.

use std::fmt::Write as _;

use agentv_case::select_with_dependencies;
use insta::assert_snapshot;

use crate::project::Project;

/// What cases depend on, and what is said.
fn check(suite: &str) -> String {
    let project = Project::new().file("s.yaml", suite);
    let loaded = project.load(&["s.yaml"]);
    let mut told = String::new();
    for case in loaded.suites.iter().flat_map(|suite| &suite.suite.cases) {
        for other in case.depends_on.iter() {
            let how = if other.must_pass { "passed" } else { "was asked" };
            let _ = writeln!(told, "{} once {} {how}", case.id(), other.id);
        }
    }
    told + &project.describe(&loaded)
}

#[test]
fn one_id_or_several_of_cases_before_or_behind() {
    assert_snapshot!(check("tests:
  - {id: a, input: x, depends_on: [c, b]}
  - {id: b, input: x, depends_on: c}
  - {id: c, input: x}
"), @"
    a once c passed
    a once b passed
    b once c passed
    ");
}

#[test]
fn a_case_says_whether_the_others_must_pass_else_its_suite() {
    assert_snapshot!(check("on_dependency_failure: run
tests:
  - {id: a, input: x}
  - {id: b, input: x, depends_on: a}
  - {id: c, input: x, depends_on: a, on_dependency_failure: skip}
"), @"
    b once a was asked
    c once a passed
    ");
}

#[test]
fn a_word_for_what_cannot_be_is_told() {
    assert_snapshot!(check("on_dependency_failure: fail
tests:
  - {id: a, input: x, on_dependency_failure: run}
  - {id: b, input: x, depends_on: a, on_dependency_failure: skipp}
  - {id: c, input: x, depends_on: a, on_dependency_failure: true}
"), @"
    b once a passed
    c once a passed
    s.yaml:1:24 error: `on_dependency_failure` cannot be `fail`
      hint: a case that was not asked has not failed: `skip` leaves it out, counts it as not run and makes the exit code 3
    s.yaml:3:23 warning: `on_dependency_failure` has no effect here
      hint: the case has no `depends_on`
    s.yaml:4:61 error: unknown on_dependency_failure `skipp`
      hint: did you mean `skip`? known: skip, run
    s.yaml:5:61 error: `on_dependency_failure` must be a string, not a boolean
    ");
}

#[test]
fn names_that_lead_nowhere_are_told_at_their_place() {
    assert_snapshot!(check("tests:
  - {id: first, input: x, depends_on: [frist, second, second]}
  - {id: second, input: x, depends_on: [' ', 7, ~]}
  - {id: third, input: x, depends_on: []}
  - {id: fourth, input: x, depends_on: {id: first}}
  - {id: fifth, input: x, depends_on: something-else-entirely}
"), @"
    first once second passed
    s.yaml:2:40 error: no eval case of this suite is called `frist`
      hint: did you mean `first`?
    s.yaml:2:55 error: `second` stands twice in `depends_on`
      hint: keep one of them
    s.yaml:3:41 error: a name in `depends_on` is blank
    s.yaml:3:46 error: `depends_on` takes strings, not a number
    s.yaml:3:49 error: `depends_on` takes strings, not nothing
    s.yaml:4:39 error: `depends_on` is empty
      hint: name a case, or remove the key
    s.yaml:5:40 error: `depends_on` takes strings, not a map
    s.yaml:6:39 error: no eval case of this suite is called `something-else-entirely`
      hint: a case can only depend on cases of its own suite
    ");
}

#[test]
fn circles_are_told_with_every_step() {
    assert_snapshot!(check("tests:
  - {id: a, input: x, depends_on: b}
  - id: b
    input: x
    depends_on:
      - c
      - a
  - {id: c, input: x, depends_on: a}
  - {id: alone, input: x, depends_on: alone}
  - {id: outside, input: x, depends_on: a}
"), @"
    a once b passed
    b once c passed
    b once a passed
    c once a passed
    outside once a passed
    s.yaml:2:35 error: cases depend on each other in a circle: a → b → c → a
      s.yaml:6:9 `b` depends on `c`
      s.yaml:8:35 `c` depends on `a`
      hint: one of them must not depend on the next
    s.yaml:2:35 error: cases depend on each other in a circle: a → b → a
      s.yaml:7:9 `b` depends on `a`
      hint: one of them must not depend on the next
    s.yaml:9:39 error: `alone` depends on itself: alone → alone
      hint: remove it
    ");
}

#[test]
fn a_long_circle_is_cut_and_a_long_chain_is_none() {
    let chain = |last: &str| {
        let mut suite = String::from("tests:\n");
        for number in 0..5000 {
            let other = if number == 0 { last.to_owned() } else { format!("c{}", number - 1) };
            let _ = writeln!(suite, "  - {{id: c{number}, input: x, depends_on: {other}}}");
        }
        suite + "  - {id: end, input: x}\n"
    };
    assert_eq!(check(&chain("end")).lines().count(), 5001 - 1);
    let said = check(&chain("c4999"));
    let told = said.lines().find(|line| line.contains("error")).unwrap();
    assert!(told.ends_with("→ c4992 → c4991 → … (4990 more) → c0"), "{told}");
    assert_eq!(said.lines().filter(|line| line.contains("depends on `")).count(), 9);
}

fn chosen(ids: &[&str], tags: &[&str]) -> (Vec<String>, String) {
    let suite = "tests:
  - {id: e, input: x}
  - {id: c, input: x, depends_on: b, tags: [last]}
  - {id: b, input: x, depends_on: [a, e]}
  - {id: a, input: x, depends_on: e}
  - {id: d, input: x}
";
    let project = Project::new().file("s.yaml", suite).file("t.yaml", suite);
    let mut loaded = project.load(&["s.yaml", "t.yaml"]);
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    loaded.suites.pop();
    select_with_dependencies(&mut loaded, &owned(ids), &owned(tags));
    let left = loaded.suites.iter().flat_map(|suite| &suite.suite.cases);
    (left.map(|case| case.id().to_owned()).collect(), project.describe(&loaded))
}

#[test]
fn a_chosen_case_brings_those_that_it_depends_on() {
    let (left, said) = chosen(&["c"], &[]);
    assert_eq!(left, ["e", "c", "b", "a"]);
    assert_snapshot!(said, @"warning: 3 more cases are run, which chosen ones depend on: `e`, `b`, `a`");
    let (left, said) = chosen(&[], &["last"]);
    assert_eq!(left.len(), 4);
    assert!(said.contains("3 more cases"), "{said}");
    let (left, said) = chosen(&["[ae]"], &[]);
    assert_eq!((left.as_slice(), said.as_str()), (&["e".to_owned(), "a".to_owned()][..], ""));
    assert_eq!(chosen(&[], &[]).0.len(), 5);
    let (left, said) = chosen(&["a", "no-such-case"], &[]);
    assert_eq!(left, ["e", "a"]);
    assert!(!said.contains("more case"), "{said}");
}

#[test]
fn of_many_that_are_added_the_first_are_named() {
    let mut suite = String::from("tests:\n  - {id: c0, input: x}\n");
    for number in 1..=15 {
        let _ = writeln!(suite, "  - {{id: c{number}, input: x, depends_on: c{}}}", number - 1);
    }
    let project = Project::new().file("s.yaml", suite);
    let mut loaded = project.load(&["s.yaml"]);
    select_with_dependencies(&mut loaded, &["c15".to_owned()], &[]);
    assert_snapshot!(project.describe(&loaded), @"warning: 15 more cases are run, which chosen ones depend on: `c0`, `c1`, `c2`, `c3`, `c4`, `c5`, `c6`, `c7`, `c8`, `c9`, 5 more");
}
