//! What graders add up to, with graders that say what they are told to.

use agentv_base::{Grader, GraderFault, Score, Span};
use tokio::sync::Barrier;

use super::*;
use crate::{
    case_graders::{Bar, NamedGrader},
    grader::negated::Negated,
    testing::{block_on, eval_case, response},
};

/// Says what it was told to.
struct Told(Result<Score, GraderFault>);

impl Grader for Told {
    fn grade<'a>(&'a self, _: &'a GradeContext<'a>) -> BoxFuture<'a, Result<Score, GraderFault>> {
        Box::pin(async { self.0.clone() })
    }
}

fn scored(score: f64) -> Arc<dyn Grader> {
    let score = Score {
        score,
        hits: vec![format!("hit {score}")],
        misses: vec![format!("miss {score}")],
        reasoning: Some("because".to_owned()),
        ..Score::default()
    };
    Arc::new(Told(Ok(score)))
}

#[test]
fn what_was_measured_is_a_hit_where_it_is_enough_and_else_a_miss() {
    let measured = || -> Arc<dyn Grader> { Arc::new(Told(Ok(Score::measured(0.7, "0.7 of it")))) };
    for (bar, negated, is_hit) in [
        (Bar::default(), false, false),
        (Bar { min_score: Some(0.7), required: false }, false, true),
        (required(Some(0.71)), false, false),
        (Bar { min_score: Some(0.3), required: false }, true, true),
        (Bar { min_score: Some(0.31), required: false }, true, false),
    ] {
        let grader = if negated { Negated::of(measured()) } else { measured() };
        let results = assess(vec![named("g", 1.0, bar, grader)], 0.8).unwrap().results;
        let said = vec!["0.7 of it".to_owned()];
        let wanted = if is_hit { (said, vec![]) } else { (vec![], said) };
        assert_eq!((results[0].hits.clone(), results[0].misses.clone()), wanted, "{bar:?}");
    }
}

fn failed(message: &str) -> Arc<dyn Grader> {
    Arc::new(Told(Err(GraderFault::new(message))))
}

fn named(name: &str, weight: f64, bar: Bar, grader: Arc<dyn Grader>) -> NamedGrader {
    let span = Span::default();
    NamedGrader { name: name.to_owned().into(), kind: "contains".into(), weight, bar, grader, span }
}

fn required(min_score: Option<f64>) -> Bar {
    Bar { min_score, required: true }
}

fn assess(graders: Vec<NamedGrader>, threshold: f64) -> Option<Assessment> {
    let graders = Arc::new(CaseGraders::new(graders));
    let case = GradedCase { case: Arc::new(eval_case()), graders, bench: Arc::default() };
    let assessor = CaseAssessor::new(threshold, vec![case]);
    let response = response(&serde_json::json!({"text": "Paris"}));
    block_on(assessor.assess(0, "agent", 1, &response))
}

/// The grade of graders with these scores, weights and bars, at a threshold of 0.8.
fn check(parts: &[(f64, f64, Bar)]) -> (f64, Verdict) {
    let graders =
        parts.iter().map(|(score, weight, bar)| named("g", *weight, *bar, scored(*score)));
    let grade = assess(graders.collect(), 0.8).unwrap().grade.unwrap();
    (grade.score, grade.verdict)
}

#[test]
fn the_score_is_the_weighted_mean_and_the_verdict_follows() {
    let free = Bar::default();
    assert_eq!(check(&[(1.0, 1.0, free)]), (1.0, Verdict::Pass));
    assert_eq!(check(&[(1.0, 3.0, free), (0.0, 1.0, free)]), (0.75, Verdict::Borderline));
    assert_eq!(check(&[(1.0, 1.0, free), (0.0, 3.0, free)]), (0.25, Verdict::Fail));
    assert_eq!(check(&[(1.0, 1.0, free), (0.0, 0.0, free)]), (1.0, Verdict::Pass));
}

#[test]
fn a_required_grader_below_its_bar_fails_the_case_and_leaves_the_score() {
    let free = Bar::default();
    for (bar, score, verdict) in [
        (required(None), 0.7, Verdict::Fail),
        (required(None), 0.8, Verdict::Pass),
        (required(Some(0.5)), 0.5, Verdict::Pass),
        (required(Some(0.5)), 0.4, Verdict::Fail),
        (required(Some(1.0)), 0.9, Verdict::Fail),
    ] {
        // The mean alone would always pass.
        let (mean, given) = check(&[(1.0, 99.0, free), (score, 1.0, bar)]);
        assert_eq!(given, verdict, "{bar:?} {score}");
        assert!((mean - (99.0 + score) / 100.0).abs() < 1e-12);
    }
}

#[test]
fn a_required_grader_of_no_weight_can_fail_the_case_too() {
    assert_eq!(
        check(&[(1.0, 1.0, Bar::default()), (0.0, 0.0, required(None))]),
        (1.0, Verdict::Fail)
    );
}

#[test]
fn a_minimum_that_is_not_required_is_only_the_bar_of_its_grader() {
    let bar = Bar { min_score: Some(0.5), required: false };
    let graders = vec![
        named("a", 9.0, Bar::default(), scored(1.0)),
        named("b", 1.0, bar, scored(0.5)),
        named("c", 0.0, bar, scored(0.4)),
    ];
    let assessment = assess(graders, 0.8).unwrap();
    assert_eq!(assessment.grade.unwrap().verdict, Verdict::Pass);
    let verdicts: Vec<_> = assessment.results.iter().map(|result| result.verdict).collect();
    assert_eq!(verdicts, [Some(Verdict::Pass), Some(Verdict::Pass), Some(Verdict::Fail)]);
}

#[test]
fn results_stand_in_the_order_of_the_graders_with_all_they_said() {
    let graders = vec![
        named("first", 2.0, Bar::default(), scored(0.5)),
        named("second", 1.0, required(Some(1.0)), scored(0.75)),
    ];
    let mut results = assess(graders, 0.8).unwrap().results;
    for result in &mut results {
        assert!(result.duration_ms >= 0.0);
        result.duration_ms = 0.0;
    }
    insta::assert_json_snapshot!(results);
}

#[test]
fn a_grader_that_fails_leaves_no_grade_and_every_failed_one_is_named() {
    let graders = vec![
        named("a", 1.0, Bar::default(), failed("it exited with code 1")),
        named("b", 1.0, Bar::default(), scored(1.0)),
        named("c", 0.0, Bar::default(), failed("timed out after 2 s")),
    ];
    let assessment = assess(graders, 0.8).unwrap();
    assert_eq!(
        assessment.grade,
        Err("grader `a` failed: it exited with code 1\ngrader `c` failed: timed out after 2 s"
            .to_owned())
    );
    let [a, b, _] = assessment.results.as_slice() else { panic!("{assessment:?}") };
    assert_eq!((a.score, a.verdict), (None, None));
    assert_eq!(a.error.as_deref(), Some("it exited with code 1"));
    assert_eq!((b.score, b.error.as_deref()), (Some(1.0), None));
}

#[test]
fn of_many_graders_that_fail_some_are_told_and_the_rest_is_counted() {
    let graders = |count: usize, message: &str| {
        (0..count).map(|_| named("g", 1.0, Bar::default(), failed(message))).collect::<Vec<_>>()
    };
    let told = assess(graders(12, "no"), 0.8).unwrap().grade.unwrap_err();
    assert_eq!(told.lines().count(), 11);
    assert!(told.ends_with("grader `g` failed: no\n2 more graders failed"), "{told}");
    let told = assess(graders(11, &"x".repeat(5000)), 0.8).unwrap().grade.unwrap_err();
    assert_eq!(told.chars().count(), 8001);
}

#[test]
fn a_score_outside_0_to_1_is_a_fault_whoever_gives_it() {
    for score in [f64::NAN, -0.1, 1.1, f64::INFINITY] {
        let graders = vec![named("odd", 1.0, Bar::default(), scored(score))];
        let said = assess(graders, 0.8).unwrap().grade.unwrap_err();
        assert_eq!(
            said,
            format!(
                "grader `odd` failed: it gave a score of {score}, which is not between 0 and 1"
            )
        );
    }
}

#[test]
fn an_interrupted_grader_leaves_no_assessment_even_beside_a_failed_one() {
    let interrupted = Arc::new(Told(Err(GraderFault::interrupted())));
    let graders = vec![
        named("a", 1.0, Bar::default(), failed("broken")),
        named("b", 1.0, Bar::default(), interrupted),
    ];
    assert_eq!(assess(graders, 0.8), None);
}

/// Goes on only when all others are at work too.
struct Meets(Arc<Barrier>);

impl Grader for Meets {
    fn grade<'a>(&'a self, _: &'a GradeContext<'a>) -> BoxFuture<'a, Result<Score, GraderFault>> {
        Box::pin(async {
            self.0.wait().await;
            Ok(Score::binary(true, "met"))
        })
    }
}

#[test]
fn the_graders_of_a_case_work_side_by_side() {
    let barrier = Arc::new(Barrier::new(50));
    let graders = (0..50)
        .map(|number| {
            let grader = Arc::new(Meets(Arc::clone(&barrier)));
            named(&number.to_string(), 1.0, Bar::default(), grader)
        })
        .collect();
    // One after the other they would wait for ever.
    assert!(assess(graders, 0.8).unwrap().grade.is_ok());
}

#[test]
fn a_case_that_is_not_in_the_plan_is_an_error_and_not_a_pass() {
    let assessor = CaseAssessor::new(0.8, Vec::new());
    let response = response(&serde_json::json!({"text": ""}));
    let assessment = block_on(assessor.assess(3, "agent", 1, &response)).unwrap();
    assert_eq!(assessment.grade, Err("there are no graders for case 3 of the plan".to_owned()));
}
