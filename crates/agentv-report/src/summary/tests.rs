//! Summaries of none, one, many and odd rows.

use std::path::Path;

use agentv_base::{
    CalibrationNote, Failure, FailureKind, GraderResult, JudgeRecord, Outcome, Provenance,
    Response, SettledCase, TokenUsage, Verdict,
};
use insta::assert_snapshot;

use super::*;
use crate::{
    record::sample::{
        assessed, failed, failed_attempt, full_response, grader, response, scored, settled,
    },
    style::Style,
};

const PLAIN: Style = Style { color: false, width: 80 };

fn summary(cases: impl IntoIterator<Item = SettledCase>) -> Summary {
    let mut summary = Summary::default();
    for settled in cases {
        summary.add(&Row::of(&settled, crate::record::Keeping::default()).unwrap());
    }
    summary
}

fn render(summary: &Summary) -> String {
    summary.render(PLAIN, Some(Path::new(".agentv/results/r/results.jsonl")), None)
}

fn fifths(summary: &Summary) -> [usize; 5] {
    scores::fifths(&summary.digester.finish().all)
}

#[test]
fn a_run_without_rows_has_no_numbers_to_divide() {
    let mut summary = summary([]);
    let counts = "0 cases: ✓ 0 passed, ✗ 0 failed, ! 0 errors\n";
    assert_eq!(summary.render(PLAIN, None, None), counts);
    summary.set_not_run(3, 0);
    let counts = "3 cases: ✓ 0 passed, ✗ 0 failed, ! 0 errors, - 3 not run\n";
    assert_eq!(summary.render(PLAIN, None, None), counts);
    // What was begun is told apart from what was not.
    summary.set_not_run(3, 2);
    let counts = "3 cases: ✓ 0 passed, ✗ 0 failed, ! 0 errors, - 2 interrupted, - 1 not run\n";
    assert_eq!(summary.render(PLAIN, None, None), counts);
}

#[test]
fn one_case_is_its_own_mean_and_median() {
    let summary = summary([settled(0, "only", scored(0.95, &[]))]);
    assert_snapshot!(render(&summary));
}

#[test]
fn a_run_of_all_sorts_is_told_in_order() {
    let graders = vec![grader("has", 1.0, &["it"], &[])];
    let long = "the answer should have said a great many things about the subject at hand, \
                and in particular which of them matter";
    let mut repeat = settled(2, "third", scored(0.7, &["polite", long]));
    repeat.repeat = 2;
    let mut summary = summary([
        settled(0, "first", assessed(full_response(), graders)),
        settled(1, "second", scored(0.2, &["a", "b", "c", "d", "e", "f"])),
        repeat,
        settled(3, "fourth", failed(FailureKind::Timeout, "timed out after 5 s")),
    ]);
    summary.set_not_run(1, 0);
    assert_snapshot!(render(&summary));
}

#[test]
fn a_miss_of_several_lines_keeps_them_under_its_case() {
    let few = "the calls are not exactly the expected ones (2 expected, 1 made):\n  = a\n  - b";
    let many = (0..15).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n");
    let summary = summary([settled(0, "first", scored(0.0, &[few, &many, "c\u{1b}d"]))]);
    let text = render(&summary);
    let told: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("      ")).collect();
    assert_eq!(
        told[..4],
        [
            "- the calls are not exactly the expected ones (2 expected, 1 made):",
            "    = a",
            "    - b",
            "- line 0",
        ]
    );
    assert_eq!(told[12..], ["  line 9", "    … (5 more lines)", "- c\\u{1b}d"]);
}

#[test]
fn equal_scores_fill_one_bar() {
    let case = |slot: usize| settled(slot, &format!("case-{slot}"), scored(1.0, &[]));
    let summary = summary((0..50).map(case));
    assert_eq!(fifths(&summary), [0, 0, 0, 0, 50]);
    let text = render(&summary);
    assert!(text.contains("mean 1.000 [0.93–1.00] (Hoeffding),\n"), "{text}");
}

#[test]
fn a_score_on_an_edge_belongs_to_the_higher_fifth() {
    let tenths = |count: usize| (0..count).fold(0.0, |sum, _| sum + 0.1);
    let scores = [0.0, 0.19, tenths(2), tenths(6), tenths(8), 1.0];
    let summary = summary(scores.map(|score| settled(0, "x", scored(score, &[]))));
    assert_eq!(fifths(&summary), [2, 1, 0, 1, 2]);
}

#[test]
fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
    let summary = summary([0.1, 0.9, 0.3, 0.5].map(|score| settled(0, "x", scored(score, &[]))));
    assert!(render(&summary).contains(", median 0.400\n"), "{}", render(&summary));
}

#[test]
fn errors_are_no_part_of_the_mean() {
    let summary = summary([
        settled(0, "a", scored(1.0, &[])),
        settled(1, "b", failed(FailureKind::Exit, "exit code 1")),
    ]);
    let text = render(&summary);
    assert!(text.contains("pass rate 100 % [21–100 %] (Wilson), mean 1.000, median"), "{text}");
    assert!(text.contains("over 1 graded case (1 error not counted)"), "{text}");
}

#[test]
fn ten_thousand_cases_with_one_error_are_told_once_with_their_number() {
    let summary = summary((0..10_000).map(|slot| {
        settled(slot, &format!("case-{slot}"), failed(FailureKind::Batch, "line 3 is not JSON"))
    }));
    assert_snapshot!(render(&summary));
}

#[test]
fn what_a_program_said_keeps_its_lines_and_of_many_the_first_and_the_last() {
    let traceback = "exited with code 1: Traceback (most recent call last):\n  File \"a.py\", line 3\n    \
                     main()\n\nKeyError: 'x'\n";
    let noise = format!("exited with code 7: …{}the last words", "noise\n".repeat(100));
    let summary = summary([
        settled(0, "a", failed(FailureKind::Exit, traceback)),
        settled(1, "b", failed(FailureKind::Exit, &noise)),
        settled(2, "c", failed(FailureKind::Exit, "")),
    ]);
    assert_snapshot!(summary.render(PLAIN, None, None), @r#"
    3 cases: ✓ 0 passed, ✗ 0 failed, ! 3 errors

    Errors
      target: 3 exit
      ! evals/demo.yaml:10 a (agent)
          exit: exited with code 1: Traceback (most recent call last):
            File "a.py", line 3
              main()
          KeyError: 'x'
      ! evals/demo.yaml:11 b (agent)
          exit: exited with code 7: …noise
          …
          noise
          noise
          noise
          noise
          noise
          noise
          noise
          noise
          noise
          the last words
      ! evals/demo.yaml:12 c (agent)
          exit:
    "#);
}

#[test]
fn thousands_of_different_errors_stay_few_lines_and_none_is_lost_from_the_count() {
    let summary =
        summary((0..10_000).map(|slot| {
            settled(slot, "x", failed(FailureKind::Exit, &format!("exit code {slot}")))
        }));
    assert_eq!(summary.error_groups.len(), 1000, "more are not kept");
    let text = render(&summary);
    assert!(text.lines().count() < 60, "{text}");
    let last = "  … and 9980 more\n\nResults: .agentv/results/r/results.jsonl\n";
    assert!(text.ends_with(last), "{text}");
}

#[test]
fn failures_and_errors_share_the_room() {
    let cases = |failures: usize, errors: usize| {
        let failures = (0..failures).map(|slot| settled(slot, "f", scored(0.0, &[])));
        let errors = (0..errors).map(|slot| {
            settled(slot, "e", failed(FailureKind::Exit, &format!("exit code {slot}")))
        });
        let summary = summary(failures.chain(errors));
        summary.shares(&summary.digester.finish().all)
    };
    assert_eq!(cases(0, 30), (20, 0));
    assert_eq!(cases(30, 0), (0, 20));
    assert_eq!(cases(30, 30), (10, 10));
    assert_eq!(cases(3, 30), (17, 3));
    assert_eq!(cases(30, 3), (3, 17));
}

#[test]
fn the_slowest_cases_come_first_and_unknown_durations_are_not_among_them() {
    let summary = summary((0..8).map(|slot| {
        let mut response = full_response();
        response.duration_ms =
            (slot != 3).then_some([10.0, 70.0, 30.0, 0.0, 50.0, 60.0, 20.0, 40.0][slot]);
        let graders = vec![grader("has", 1.0, &[], &[])];
        settled(slot, &format!("case-{slot}"), assessed(response, graders))
    }));
    let ids: Vec<&str> = summary.slowest.iter().map(|slow| slow.name.id.as_str()).collect();
    assert_eq!(ids, ["case-1", "case-5", "case-4", "case-7", "case-2"]);
}

#[test]
fn nothing_from_outside_can_move_the_cursor() {
    let evil = "\u{1b}[2J\u{202e}\r\nx";
    let mut case = settled(0, evil, scored(0.0, &[evil]));
    case.target = std::sync::Arc::from(evil);
    let mut error = settled(1, evil, failed(FailureKind::Exit, evil));
    error.target = std::sync::Arc::from(evil);
    let others = (2..30).map(|slot| settled(slot, "x", scored(0.0, &[])));
    let summary = summary([case, error].into_iter().chain(others));
    let text = summary.render(PLAIN, Some(Path::new("a\u{1b}b")), None);
    let harmless = text.chars().all(|c| c == '\n' || !(c.is_control() || c == '\u{202e}'));
    assert!(harmless, "{text:?}");
    assert!(text.ends_with("Results: a\\u{1b}b\n"), "{text:?}");
}

#[test]
fn a_grader_that_says_nothing_speaks_by_its_score_and_a_required_one_always() {
    let silent = grader("silent", 0.5, &[], &[]);
    let mut required = grader("strict", 0.25, &[], &["a miss"]);
    required.required_score = Some(0.8);
    required.verdict = Some(Verdict::Fail);
    let summary = summary([settled(0, "x", assessed(response("y"), vec![silent, required]))]);
    let text = summary.render(PLAIN, None, None);
    for line in [
        "- `silent` scored 0.50\n",
        "- `strict` scored 0.25 and is required to reach 0.80\n",
        "- strict: a miss\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn colour_adds_nothing_but_colour() {
    let summary = summary([
        settled(0, "a", scored(1.0, &[])),
        settled(1, "b", scored(0.0, &["it"])),
        settled(2, "c", failed(FailureKind::Exit, "exit code 1")),
    ]);
    let coloured = summary.render(Style { color: true, width: 80 }, None, None);
    assert!(coloured.contains("\u{1b}[31m✗\u{1b}[0m"), "{coloured:?}");
    assert_eq!(console::strip_ansi_codes(&coloured), summary.render(PLAIN, None, None));
}

#[test]
fn of_several_graders_each_miss_has_a_name_and_those_that_passed_come_last() {
    let mut passed = grader("passed", 0.9, &[], &["a small thing"]);
    passed.verdict = Some(Verdict::Pass);
    let mut aside = grader("aside", 0.0, &[], &["not there"]);
    aside.weight = 0.0;
    let failed = grader("failed", 0.0, &[], &["not there"]);
    let graders = vec![passed, aside, failed];
    let summary = summary([settled(0, "x", assessed(response("y"), graders))]);
    let text = summary.render(PLAIN, None, None);
    let told =
        "- aside (weight 0): not there\n      - failed: not there\n      - passed: a small thing\n";
    assert!(text.contains(told), "{text}");
}

#[test]
fn judges_are_told_with_what_is_known_of_them() {
    let judged = |name: &str, target: &str, calibration: Option<CalibrationNote>| {
        let record = JudgeRecord { target: target.to_owned(), calibration, ..Default::default() };
        GraderResult { judge: Some(Box::new(record)), ..grader(name, 1.0, &[], &[]) }
    };
    let note = |accuracy: f64, kappa: Option<f64>| {
        Some(CalibrationNote {
            measured_at: "2025-01-01T00:00:00.000Z".to_owned(),
            labels: 50,
            accuracy,
            kappa,
            pass_from: vec![0.8],
            ..CalibrationNote::default()
        })
    };
    let elsewhere =
        note(1.0, None).map(|note| CalibrationNote { passes_here_from: Some(0.6), ..note });
    let failing = note(1.0, None).map(|note| CalibrationNote { errors: Some(2), ..note });
    let mut changed = judged("new", "judge", None);
    changed.judge.as_mut().unwrap().fingerprint = "f".repeat(64);
    let member = judged("polite", "judge", None);
    let composite = GraderResult {
        evaluator_results: vec![member.clone(), grader("has", 1.0, &[], &[])],
        ..grader("both", 1.0, &[], &[])
    };
    let failed = GraderResult { score: None, error: Some("down".to_owned()), ..member };
    let case = |graders: Vec<GraderResult>| settled(0, "case", assessed(full_response(), graders));
    let summary = summary([
        case(vec![judged("helpful", "judge", note(0.92, Some(0.814))), composite]),
        case(vec![judged("helpful", "judge", note(0.9, None)), failed]),
        case(vec![judged("helpful", "other", note(1.0, None)), judged("new", "judge", None)]),
        case(vec![judged("helpful", "other", None)]),
        case(vec![judged("helpful", "other", note(1.0, None))]),
        case(vec![judged("helpful", "other", elsewhere)]),
        case(vec![judged("failing", "judge", failing), changed]),
    ]);
    let text = render(&summary);
    let (_, section) = text.split_once("\nJudges\n").unwrap();
    let told: Vec<&str> = section.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(
        told,
        [
            "  helpful (judge): 1 score; agrees with people on 92 % [81–97 %] of 50 labels (κ",
            "  0.81)",
            "  polite (judge): 1 score, 1 error; not calibrated",
            "  helpful (judge): 1 score; agrees with people on 90 % [79–96 %] of 50 labels",
            "  helpful (other): 2 scores; agrees with people on 100 % [93–100 %] of 50 labels",
            "  new (judge): 1 score; not calibrated",
            "  helpful (other): 1 score; not calibrated",
            "  helpful (other): 1 score; agrees with people on 100 % [93–100 %] of 50 labels,",
            "  measured with another threshold (0.8; here 0.6)",
            "  failing (judge): 1 score; agrees with people on 100 % [93–100 %] of 50 labels,",
            "  2 errors then",
            "  new (judge): 1 score; not calibrated",
        ]
    );
}

#[test]
fn of_a_grader_without_misses_the_reason_is_told_and_long_ones_are_cut() {
    let reasoned = |reasoning: &str, misses: &[&str]| GraderResult {
        reasoning: Some(reasoning.to_owned()),
        ..grader("kind", 0.7, &[], misses)
    };
    let told = |graders: Vec<GraderResult>| {
        let summary = summary([settled(0, "x", assessed(response("y"), graders))]);
        summary.render(Style { color: false, width: 1000 }, None, None)
    };
    let text = told(vec![reasoned("It is curt,\n  and cold\u{1b}.", &[])]);
    assert!(text.contains("- `kind` scored 0.70: It is curt, and cold\\u{1b}.\n"), "{text}");
    let text = told(vec![reasoned("It is curt.", &["no greeting"])]);
    assert!(text.contains("- no greeting\n") && !text.contains("curt"), "{text}");
    let text = told(vec![reasoned(&"long ".repeat(1000), &[])]);
    assert!(text.len() < 1000, "{text}");
    let required = GraderResult { required_score: Some(0.8), ..reasoned("It is curt.", &[]) };
    let text = told(vec![required]);
    assert!(text.contains("is required to reach 0.80: It is curt.\n"), "{text}");
}

/// The lines under a heading.
fn section<'t>(text: &'t str, heading: &str) -> Vec<&'t str> {
    let rest = text.split_once(&format!("\n{heading}\n")).map_or("", |(_, rest)| rest);
    rest.lines().take_while(|line| !line.is_empty()).collect()
}

#[test]
fn what_was_spent_is_told_as_far_as_it_is_known_and_the_rest_is_counted() {
    let tokens = |input: u64, output: u64| Some(TokenUsage { input, output, cached: None });
    let case = |cost_usd: Option<f64>, token_usage: Option<TokenUsage>, record: JudgeRecord| {
        let judged = GraderResult { judge: Some(Box::new(record)), ..grader("j", 1.0, &[], &[]) };
        let composite =
            GraderResult { evaluator_results: vec![judged], ..grader("all", 1.0, &[], &[]) };
        let response = Response { cost_usd, token_usage, ..full_response() };
        settled(0, "case", assessed(response, vec![composite]))
    };
    let record = |asks: u32, cost_usd: Option<f64>, token_usage: Option<TokenUsage>| JudgeRecord {
        asks,
        cost_usd,
        token_usage,
        ..JudgeRecord::default()
    };
    let spent = |cases: Vec<SettledCase>| -> Vec<String> {
        let text = render(&summary(cases));
        section(&text, "Spent").into_iter().map(str::to_owned).collect()
    };
    let silent = || case(None, None, record(1, None, None));
    assert_eq!(spent(vec![silent(), silent()]), [""; 0], "of nothing nothing is told");
    assert_eq!(
        spent(vec![
            case(Some(0.0023), tokens(100, 20), record(1, Some(0.0504), tokens(1000, 200))),
            case(Some(0.01), tokens(10, 2), record(2, None, tokens(1, 1))),
            silent(),
            case(None, None, record(0, None, None)),
            settled(3, "x", failed(FailureKind::Connection, "down")),
        ]),
        [
            "  targets: $0.0123, 110 tokens in, 22 out; cost and tokens of 2 answers unknown",
            "  judges: $0.0504, 1001 tokens in, 201 out; cost of 2 judgements unknown; tokens",
            "  of 1 judgement unknown",
        ]
    );
    assert_eq!(
        spent(vec![case(None, None, record(1, Some(0.5), None))]),
        [
            "  targets: cost and tokens of 1 answer unknown",
            "  judges: $0.5000; tokens of 1 judgement unknown",
        ]
    );
}

#[test]
fn an_answer_from_the_cache_is_counted_and_costs_nothing() {
    let cached = |slot| {
        let response = Response { provenance: Provenance::Cache, ..full_response() };
        settled(slot, "x", assessed(response, vec![grader("has", 1.0, &[], &[])]))
    };
    let text = render(&summary([cached(0)]));
    assert_eq!(section(&text, "Spent"), ["  1 answer from before, not counted"]);
    let asked = settled(1, "y", assessed(full_response(), vec![grader("has", 1.0, &[], &[])]));
    let text = render(&summary([cached(0), asked, cached(2)]));
    let told =
        ["  targets: $0.0125, 100 tokens in, 20 out", "  2 answers from before, not counted"];
    assert_eq!(section(&text, "Spent"), told);
}

#[test]
fn what_failed_attempts_cost_is_spent_too() {
    let attempt = |cost_usd: Option<f64>, token_usage: Option<TokenUsage>| {
        let mut attempt = failed_attempt(FailureKind::Timeout, "timed out", 1.0);
        attempt.failure = Failure { cost_usd, token_usage, ..attempt.failure };
        attempt
    };
    let tokens = Some(TokenUsage { input: 10, output: 1, cached: None });
    let mut case = settled(0, "x", assessed(full_response(), vec![grader("has", 1.0, &[], &[])]));
    case.failed_attempts = vec![attempt(Some(0.5), tokens), attempt(None, None)];
    let text = render(&summary([case]));
    assert_eq!(section(&text, "Spent"), ["  targets: $0.5125, 110 tokens in, 21 out"]);
}

#[test]
fn errors_are_told_by_class_and_never_among_failures() {
    let mut all = summary([
        settled(0, "a", failed(FailureKind::Refused, "wrong key")),
        settled(1, "b", failed(FailureKind::Timeout, "timed out")),
        settled(2, "c", failed(FailureKind::Connection, "no route")),
        settled(3, "d", scored(0.0, &["it"])),
    ]);
    let told = "  infrastructure: 1 connection, 1 timeout; configuration: 1 refused";
    assert_eq!(section(&render(&all), "Errors")[0], told);
    // Rows of versions that did not say it, and of ones that know more.
    let case = settled(4, "e", failed(FailureKind::Exit, "exit code 1"));
    let row = |kind: &'static str, class: Option<&'static str>| Row {
        error_kind: Some(kind.into()),
        error_class: class.map(Into::into),
        ..Row::of(&case, crate::record::Keeping::default()).unwrap()
    };
    for row in [row("exit", None), row("moon", None), row("moon", Some("\u{1b}sky"))] {
        all.add(&row);
    }
    let text = render(&all);
    assert_eq!(
        section(&text, "Errors")[..2],
        [
            "  infrastructure: 1 connection, 1 timeout; \\u{1b}sky: 1 moon; configuration: 1",
            "  refused; target: 1 exit; unknown: 1 moon",
        ]
    );
    for class in 0..200 {
        let class = format!("class-{class}");
        all.add(&Row { error_class: Some(class.into()), ..row("moon", None) });
    }
    let text = render(&all);
    let told = section(&text, "Errors").join(" ");
    assert!(told.starts_with("  other: 106 other; infrastructure: "), "{text}");
    assert!(told.contains("; 94 of other classes "), "{text}");
    assert!(text.starts_with("207 cases: ✓ 0 passed, ✗ 1 failed, ! 206 errors\n"), "{text}");
}

#[test]
fn the_time_of_judges_counts_among_the_slowest() {
    let case = |id: &str, invocation: f64, judges: &[f64]| {
        let judges = judges.iter().map(|duration| GraderResult {
            judge: Some(Box::default()),
            duration_ms: *duration,
            ..grader("j", 1.0, &[], &[])
        });
        let rule = GraderResult { duration_ms: 9e9, ..grader("has", 1.0, &[], &[]) };
        let response = Response { duration_ms: Some(invocation), ..full_response() };
        settled(0, id, assessed(response, judges.chain([rule]).collect()))
    };
    let text = render(&summary([case("a", 500.0, &[]), case("b", 16.0, &[300.0, 2000.0])]));
    let told = section(&text, "Slowest");
    assert_eq!(told, ["    16ms + judge 2.0s b (agent)", "   500ms a (agent)"]);
}

#[test]
fn retries_are_told_with_what_came_of_them() {
    let retried = |id: &str, times: usize, outcome: Outcome| SettledCase {
        failed_attempts: vec![failed_attempt(FailureKind::Timeout, "timed out", 1.0); times],
        ..settled(0, id, outcome)
    };
    let text = render(&summary([
        settled(0, "first", scored(1.0, &[])),
        retried("a", 1, scored(1.0, &[])),
        retried("b", 2, scored(0.0, &[])),
        retried("c", 1, failed(FailureKind::Timeout, "timed out")),
    ]));
    assert_eq!(
        section(&text, "Retried"),
        ["  3 cases, 4 further attempts; in the end 1 passed, 1 failed, 1 error"]
    );
    let text = render(&summary([settled(0, "first", scored(1.0, &[]))]));
    assert!(!text.contains("Retried"), "{text}");
}

#[test]
fn what_rows_of_before_took_is_counted_and_told_apart() {
    let asked = |id: &str| settled(0, id, assessed(full_response(), vec![]));
    let mut all = Summary::default();
    all.add_earlier(&Row::of(&asked("a"), crate::record::Keeping::default()).unwrap());
    all.add_earlier(
        &Row::of(&settled(1, "silent", scored(1.0, &[])), crate::record::Keeping::default())
            .unwrap(),
    );
    all.add(&Row::of(&asked("b"), crate::record::Keeping::default()).unwrap());
    let text = render(&all);
    assert!(text.starts_with("3 cases: "), "{text}");
    assert_eq!(
        section(&text, "Spent"),
        [
            "  targets: $0.0250, 200 tokens in, 40 out; cost and tokens of 1 answer unknown;",
            "  of which before this session: $0.0125, 100 tokens in, 20 out",
        ]
    );
}

mod repeated;
mod screens;
