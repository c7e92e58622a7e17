//! Whole screens of a usual run, in windows of every width.

use std::sync::Arc;

use agentv_base::EvalCase;

use super::*;

/// Thirty cases, three of which failed, in the order in which they settled.
fn usual() -> Vec<SettledCase> {
    let mut cases: Vec<SettledCase> = (0..30)
        .map(|slot| {
            let outcome = match slot {
                3 => scored(0.0, &["does not contain `Paris`"]),
                11 => scored(0.5, &["the year", "the author"]),
                20 => failed(FailureKind::Timeout, "timed out after 120 s"),
                25 => scored(0.0, &["not JSON"]),
                _ => assessed(full_response(), vec![grader("has", 1.0, &["it"], &[])]),
            };
            let mut settled = settled(slot, &format!("case-{slot}"), outcome);
            let tag = Arc::from(if slot % 3 == 0 { "geography" } else { "history" });
            settled.case =
                Arc::new(EvalCase { tags: Arc::from([tag]), ..EvalCase::clone(&settled.case) });
            settled
        })
        .collect();
    cases.reverse();
    cases
}

fn screen(cases: &[SettledCase], width: usize) -> String {
    let mut summary = Summary::default();
    for settled in cases {
        let mut row = Row::of(settled, crate::record::Keeping::default()).unwrap();
        if row.status == Status::Failed {
            row.reference_answer = Some("An expected answer.".into());
        }
        summary.add(&row);
    }
    let again = Again {
        run_id: "20250102T030405-abcd".to_owned(),
        current_dir: "/home/project".into(),
        root: "/home/project".into(),
        how: AgainHow::Ask { with_target: false },
        flags: Vec::new(),
    };
    let results = Path::new(".agentv/results/r/results.jsonl");
    summary.render(Style { color: false, width }, Some(results), Some(&again))
}

#[test]
fn a_usual_run_fits_on_a_screen_or_two() {
    let text = screen(&usual(), 100);
    assert!(text.lines().count() <= 60, "{text}");
    assert_snapshot!(text);
}

#[test]
fn a_narrow_window_has_the_same_in_less_room() {
    assert_snapshot!(screen(&usual(), 40));
}

#[test]
fn what_is_told_does_not_depend_on_what_came_first() {
    let backwards = usual();
    let mut forwards = usual();
    forwards.reverse();
    let failed = |cases: &[SettledCase]| {
        let text = screen(cases, 80);
        section(&text, "Failed").join("\n")
    };
    assert_eq!(failed(&forwards), failed(&backwards));
    // More than are told: the first of the suite are, whichever were first to fail.
    let mut many: Vec<SettledCase> =
        (0..50).map(|slot| settled(slot, &format!("case-{slot}"), scored(0.0, &[]))).collect();
    let told = failed(&many);
    many.reverse();
    assert_eq!(failed(&many), told);
    assert!(told.contains(" case-0 ") && told.contains(" case-19 ") && !told.contains("case-20 "));
    assert!(told.contains("\n  … and 30 more\n"), "{told}");
}

#[test]
fn of_repeats_the_first_that_failed_speaks_whichever_came_first() {
    let repeat = |number: u32, miss: &str| SettledCase {
        repeat: number,
        ..settled(0, "x", scored(0.0, &[miss]))
    };
    let text = screen(&[repeat(3, "third"), repeat(2, "second"), repeat(4, "fourth")], 80);
    let told = section(&text, "Failed");
    assert_eq!(told[0], "  ✗ 0.00 evals/demo.yaml:10 x #2 (agent); 3 of 3 failed");
    assert!(told[1].ends_with("- second"), "{text}");
}

#[test]
fn a_run_that_ends_repeats_early_has_no_intervals() {
    let mut summary = Summary::default();
    summary.end_when_decided();
    for settled in usual() {
        summary.add(&Row::of(&settled, crate::record::Keeping::default()).unwrap());
    }
    let text = render(&summary);
    let (scores, _) = text.split_once("\nRepeats\n").unwrap();
    assert!(!scores.contains('['), "{text}");
    assert!(
        scores.contains("; without intervals, since repeats\n  ended by what came out\n"),
        "{text}"
    );
}
