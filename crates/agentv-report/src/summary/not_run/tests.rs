//! Cases that were not run, by reason.

use std::sync::Arc;

use super::*;
use crate::{
    record::{
        RunSkipped,
        sample::{case, manifest, skipped},
    },
    style::Style,
    summary::Summary,
};

fn not_run(cases: impl IntoIterator<Item = SkippedCase>) -> NotRun {
    let mut not_run = NotRun::default();
    cases.into_iter().for_each(|skipped| not_run.add(&skipped));
    not_run
}

fn depends(on: &str) -> SkipReason {
    SkipReason::Dependency { on: Arc::from(on) }
}

#[test]
fn every_reason_is_told_with_its_number_and_some_names_the_largest_first() {
    let few = ["buy", "logout"].map(|id| skipped(id, depends("login")));
    let many = (0..12).map(|slot| skipped(&format!("case-{slot}"), SkipReason::Budget));
    let found = not_run(few.into_iter().chain(many).chain([
        skipped("pay", depends("buy")),
        skipped("late", SkipReason::Deadline),
        skipped("after", SkipReason::FailFast),
    ]));
    assert_eq!(found.skipped(), 17);
    assert_eq!(
        found.told(20, false),
        [
            "12 (budget): case-0 (agent), case-1 (agent), case-2 (agent), case-3 (agent), \
             case-4 (agent) and 7 more",
            "2 (depends on `login`): buy (agent), logout (agent)",
            "1 (depends on `buy`): pay (agent)",
            "1 (deadline): late (agent)",
            "1 (--fail-fast): after (agent)",
            "3 (the run was stopped)",
        ]
    );
}

#[test]
fn repeats_that_are_not_needed_are_no_cases_that_are_missing() {
    let mut summary = Summary::default();
    for repeat in 4..=10 {
        summary.skip(&SkippedCase { repeat, ..skipped("x", SkipReason::Decided) });
    }
    let style = Style { color: false, width: 80 };
    assert_eq!(
        summary.render(style, None, None),
        "0 repeats: ✓ 0 passed, ✗ 0 failed, ! 0 errors, 7 repeats not needed\n"
    );
    summary.skip(&SkippedCase { repeat: 2, ..skipped("y", SkipReason::Budget) });
    summary.set_not_run(1, 0);
    assert_eq!(
        summary.render(style, None, None),
        "1 repeat: ✓ 0 passed, ✗ 0 failed, ! 0 errors, - 1 not run, 7 repeats not needed\n\n\
         Not run\n  1 (budget): y #2 (agent)\n"
    );
}

#[test]
fn names_from_outside_are_harmless_and_reasons_are_few() {
    let found = not_run((0..50).map(|slot| {
        let on = format!("{slot}\u{1b}[2J{}", "x".repeat(1000));
        SkippedCase { case: case("a\u{7}", 1), ..skipped("", depends(&on)) }
    }));
    let lines = found.told(50, false);
    assert_eq!(lines.len(), MOST_REASONS + 1);
    assert!(lines[0].starts_with("30 (other reasons): a\\u{7} (agent), "), "{}", lines[0]);
    assert!(lines[1].starts_with("1 (depends on `0\\u{1b}[2Jxxx") && lines[1].len() < 400);
}

#[test]
fn a_run_that_is_told_again_says_the_same_as_far_as_its_manifest_goes() {
    let mut manifest = manifest();
    manifest.counts.decided = 2;
    manifest.counts.skipped = [("budget".to_owned(), 7), ("dependency".to_owned(), 1)].into();
    let named = |reason: &str, depends_on: Option<&str>| RunSkipped {
        reason: reason.to_owned(),
        suite: "evals/demo.yaml".to_owned(),
        eval_id: "x".to_owned(),
        target: "agent".to_owned(),
        repeat: 1,
        depends_on: depends_on.map(str::to_owned),
    };
    manifest.skipped = vec![named("budget", None), named("dependency", Some("login"))];
    let mut found = NotRun::default();
    found.read(&manifest);
    assert_eq!((found.skipped(), found.decided()), (8, 2));
    assert_eq!(
        found.told(8, false),
        ["7 (budget): x (agent) and 6 more", "1 (depends on `login`): x (agent)"]
    );
    manifest.skipped = Vec::new();
    let mut counted = NotRun::default();
    counted.read(&manifest);
    assert_eq!(counted.told(8, false), ["7 (budget)", "1 (depends on another case)"]);
}
