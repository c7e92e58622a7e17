//! A judge that says what it was told to, and what becomes of that.

mod prompts;

use agentv_base::Bench;
use serde_json::{Value, json};

use super::*;
use crate::{
    build,
    testing::{Project, Scripted, bench_of, block_on, errors_of, eval_case, node, response},
};

/// What came of one answer.
struct Said {
    score: Result<Score, GraderFault>,
    asked: Vec<JudgeQuestion>,
}

impl Said {
    fn score(&self) -> &Score {
        self.score.as_ref().unwrap()
    }

    fn fault(&self) -> &str {
        &self.score.as_ref().unwrap_err().message
    }

    fn record(&self) -> &JudgeRecord {
        let judge = match &self.score {
            Ok(score) => &score.judge,
            Err(fault) => &fault.judge,
        };
        judge.as_deref().unwrap()
    }
}

/// A judge with these keys at work on the answer "It is Paris."
fn judge(keys: &Value, answers: &[&str]) -> Said {
    let answers: Vec<Result<&str, GraderFault>> = answers.iter().copied().map(Ok).collect();
    judge_case(&Project::new(), keys, &eval_case(), &answers)
}

fn judge_case(
    project: &Project,
    keys: &Value,
    case: &EvalCase,
    answers: &[Result<&str, GraderFault>],
) -> Said {
    let mut all = json!({"type": "llm_judge"});
    all.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    let mut problems = Problems::default();
    let built = build(&[node(&all)], &project.context(), &mut problems);
    let built = built.unwrap_or_else(|| panic!("{problems:?}"));
    let judge = Scripted::new(answers);
    let mut bench = if answers.is_empty() { Bench::default() } else { bench_of(&built, &judge) };
    bench.keeps_exchanges = true;
    let response = response(&json!({"text": "It is Paris.", "cost_usd": 0.25}));
    let context = GradeContext {
        repeat: 1,
        case,
        target: "agent",
        response: &response,
        threshold: 0.8,
        bench: &bench,
    };
    let score = block_on(built.graders[0].grader.grade(&context));
    let asked = judge.asked.lock().unwrap().clone();
    Said { score, asked }
}

#[test]
fn a_judge_of_the_whole_gives_a_score_with_its_reasons() {
    let answer = "Well:\n```json\n{\"score\": 0.9, \"hits\": [\"names Paris\"], \"misses\": [], \
                  \"reasoning\": \"right\"}\n```";
    let said = judge(&json!({}), &[answer]);
    let score = said.score();
    assert_eq!((score.score, score.reasoning.as_deref()), (0.9, Some("right")));
    assert_eq!(
        (score.hits.as_slice(), score.misses.len()),
        (["names Paris".to_owned()].as_slice(), 0)
    );
    let record = said.record();
    assert_eq!((record.target.as_str(), record.asks), ("scripted", 1));
    assert_eq!((record.cost_usd, record.token_usage.unwrap().total()), (Some(0.5), 10));
    assert_eq!((record.samples.len(), record.spread), (0, None));
    assert_eq!(record.exchanges[0].answer, answer);
}

#[test]
fn an_answer_of_no_use_is_told_to_the_judge_once_and_is_then_a_fault() {
    let huge = format!("{{\"score\": 1, \"reasoning\": \"{}\"}}", "x".repeat(10 << 20));
    for (answer, fault) in [
        ("It is good.", "it gave no JSON object: `It is good.`"),
        (" ", "it gave an empty answer"),
        ("{\"score\": 7}", "its `score` is 7, which is not between 0 and 1"),
        ("{\"score\": \"0.9\"}", "its `score` is not a number: `\"0.9\"`"),
        ("{\"score\": null}", "its output has no `score`"),
        ("{\"verdict\": \"pass\"}", "its JSON object has no `score`: `{\"verdict\": \"pass\"}`"),
        (
            "{\"score\": NaN}",
            "it gave no JSON object (JSON knows neither NaN nor Infinity): `{\"score\": NaN}`",
        ),
        ("{\"score\": 0.5", "it gave a JSON object that is broken or cut off: `{\"score\": 0.5`"),
        (
            "{\"score\": 1} {\"score\": 0}",
            "it gave more than one JSON object with `score`: `{\"score\": 1} {\"score\": 0}`",
        ),
        (&huge, "it gave 10240 KiB, and more than 1024 is no answer"),
    ] {
        let said = judge(&json!({}), &[answer, answer]);
        assert_eq!(
            said.fault(),
            format!("the judge gave no score, nor when it was asked again: {fault}")
        );
        let repair = said.asked[1].repair.as_ref().unwrap();
        assert_eq!(repair.fault, fault);
        assert!(repair.answer.len() <= 20_000);
        assert_eq!((said.asked.len(), said.record().asks), (2, 2));
        // A second answer that is one counts.
        let said = judge(&json!({}), &[answer, "{\"score\": 0.25}"]);
        assert_eq!((said.score().score, said.record().asks), (0.25, 2));
    }
}

#[test]
fn a_judge_that_fails_is_not_asked_again() {
    let (project, case) = (Project::new(), eval_case());
    let fault = Err(GraderFault::new("no connection"));
    let said = judge_case(&project, &json!({}), &case, &[fault]);
    assert_eq!((said.fault(), said.record().asks), ("no connection", 1));
    let said = judge_case(&project, &json!({}), &case, &[Err(GraderFault::interrupted())]);
    assert!(said.score.unwrap_err().interrupted);
    let said = judge_case(&project, &json!({}), &case, &[]);
    assert_eq!(said.fault(), "a model must judge, but nobody is named in `judge_target`");
}

fn three_rubrics() -> Value {
    json!({"rubrics": [
        "Names Paris",
        {"id": "river", "outcome": "Names the Seine", "weight": 3, "required": false},
        {"id": "tone", "text": "Is polite", "weight": 0},
    ]})
}

#[test]
fn rubrics_are_weighed_and_told_one_by_one() {
    let answer = r#"{"overall_reasoning": "fair", "checks": [
        {"id": "river", "satisfied": false, "reasoning": "no river"},
        {"id": "rubric-1", "satisfied": true, "reasoning": "it does"},
        {"id": "invented", "satisfied": false},
        {"id": "tone", "satisfied": true}]}"#;
    let said = judge(&three_rubrics(), &[answer]);
    let score = said.score();
    assert_eq!((score.score, score.barred), (0.25, false));
    assert_eq!(score.hits, ["[rubric-1] Names Paris: it does", "[tone] Is polite"]);
    assert_eq!(score.misses, ["[river] Names the Seine: no river"]);
    assert_eq!(score.reasoning.as_deref(), Some("fair"));
    let checks: Vec<(&str, f64)> =
        said.record().checks.iter().map(|check| (check.id.as_str(), check.score)).collect();
    assert_eq!(checks, [("rubric-1", 1.0), ("river", 0.0), ("tone", 1.0)]);
}

#[test]
fn a_required_rubric_that_is_not_met_fails_the_answer_whatever_its_score() {
    let answer = r#"{"checks": [{"id": "river", "satisfied": true},
        {"id": "rubric-1", "satisfied": true}, {"id": "tone", "satisfied": false}]}"#;
    let said = judge(&three_rubrics(), &[answer]);
    assert_eq!((said.score().score, said.score().barred), (1.0, true));
    assert_eq!(
        said.score().misses,
        ["[tone] Is polite", "the answer fails, whatever its score: the rubric `tone` is required"]
    );
}

#[test]
fn a_rubric_without_its_check_is_a_fault_and_no_smaller_sum() {
    for (checks, fault) in [
        (json!([{"id": "river", "satisfied": true}]), "it has no check of `rubric-1`, `tone`"),
        (json!([]), "it has no check of `rubric-1`, `river`, `tone`"),
        (json!({}), "its `checks` is not a list: `{}`"),
        (json!([true]), "check 1 of its `checks` is not an object: `true`"),
        (json!([{"satisfied": true}]), "check 1 of its `checks` has no `id` that is a text"),
        (
            json!([{"id": "tone", "satisfied": true}, {"id": "tone", "satisfied": true}]),
            "it checks `tone` twice",
        ),
        (
            json!([{"id": "tone", "satisfied": true}, {"id": "Tone ", "satisfied": false},
                   {"id": "river", "satisfied": true}, {"id": "rubric-1", "satisfied": true}]),
            "it checks `Tone`, and the rubric is `tone`",
        ),
        (
            json!([{"id": "tone", "satisfied": "yes"}, {"id": "river", "satisfied": true},
                   {"id": "rubric-1", "satisfied": true}]),
            "`satisfied` of its check of `tone` is not true or false: `\"yes\"`",
        ),
        (
            json!([{"id": "tone", "score": 1}, {"id": "river", "satisfied": true},
                   {"id": "rubric-1", "satisfied": true}]),
            "its check of `tone` has no `satisfied`",
        ),
        (
            json!([{"id": "tone", "satisfied": true, "reasoning": 5},
                   {"id": "river", "satisfied": true}, {"id": "rubric-1", "satisfied": true}]),
            "`reasoning` of its check of `tone` is not a text: `5`",
        ),
    ] {
        let answer = json!({ "checks": checks }).to_string();
        let said = judge(&three_rubrics(), &[&answer, &answer]);
        assert_eq!(
            said.fault(),
            format!("the judge gave no score, nor when it was asked again: {fault}")
        );
    }
    let twice = r#"{"checks": [{"id": "tone", "satisfied": true, "satisfied": false}]}"#;
    let said = judge(&three_rubrics(), &[twice, twice]);
    assert!(said.fault().contains("check 1 of its `checks` cannot be read (duplicate field"));
}

#[test]
fn rubrics_with_ranges_are_worth_their_place_in_them() {
    let ranges = json!({"0": "no city", "10": "the right city"});
    let keys =
        json!({"rubrics": [{"id": "city", "description": "The city", "score_ranges": ranges}]});
    let answer = |score: f64| json!({"checks": [{"id": "city", "score": score}]}).to_string();
    // Required as every rubric is, it must reach what the grader must.
    for (score, value, barred) in [(10.0, 1.0, false), (8.0, 0.8, false), (7.5, 0.75, true)] {
        let said = judge(&keys, &[&answer(score)]);
        assert_eq!((said.score().score, said.score().barred), (value, barred), "{score}");
    }
    let said = judge(&keys, &[&answer(8.0)]);
    assert_eq!(said.score().hits, ["[city] The city: 8 on a scale from 0 to 10"]);
    assert!(said.asked[0].prompt.contains("- [city] The city\n  - score 0: no city\n"));
    let said = judge(&keys, &[&answer(11.0), &answer(-1.0)]);
    assert_eq!(
        said.fault(),
        "the judge gave no score: `score` of its check of `city` is 11.0, which is not between 0 \
         and 10; nor when it was asked again: `score` of its check of `city` is -1.0, which is not \
         between 0 and 10"
    );
    let low = json!({"rubrics": [
        {"id": "city", "description": "The city", "score_ranges": ranges, "required": 0.5}]});
    assert!(!judge(&low, &[&answer(5.0)]).score().barred);
    assert!(judge(&low, &[&answer(4.0)]).score().barred);
}

#[test]
fn samples_are_averaged_and_their_spread_is_kept() {
    let scores = ["{\"score\": 0.2}", "{\"score\": 0.8, \"reasoning\": \"b\"}", "{\"score\": 0.5}"];
    let said = judge(&json!({"samples": 3}), &scores);
    assert!((said.score().score - 0.5).abs() < 1e-9);
    let record = said.record();
    assert_eq!((record.samples.as_slice(), record.asks), ([0.2, 0.8, 0.5].as_slice(), 3));
    assert!((record.spread.unwrap() - 0.3).abs() < 1e-9, "{:?}", record.spread);
    assert_eq!((record.cost_usd, record.exchanges.len()), (Some(1.5), 3));
}

#[test]
fn a_majority_votes_on_whether_an_answer_passes() {
    let votes = |scores: [f64; 3], keys: &Value| {
        let answers = scores.map(|score| json!({ "score": score }).to_string());
        let mut keys = keys.clone();
        keys["samples"] = json!(3);
        keys["aggregate"] = json!("majority");
        let said = judge(&keys, &answers.each_ref().map(String::as_str));
        let told = said.score().hits.iter().chain(&said.score().misses).next().cloned();
        (said.score().score, told.unwrap())
    };
    let passes = |told: &str| (1.0, told.to_owned());
    let fails = |told: &str| (0.0, told.to_owned());
    assert_eq!(votes([0.8, 0.1, 0.9], &json!({})), passes("2 of 3 samples reach 0.8"));
    assert_eq!(votes([0.8, 0.1, 0.7], &json!({})), fails("1 of 3 samples reach 0.8"));
    let lower = json!({"min_score": 0.5});
    assert_eq!(votes([0.8, 0.1, 0.7], &lower), passes("2 of 3 samples reach 0.5"));
    let required = json!({"required": 0.5});
    assert_eq!(votes([0.8, 0.1, 0.7], &required), passes("2 of 3 samples reach 0.5"));
}

#[test]
fn a_majority_of_samples_decides_on_each_rubric() {
    let keys = json!({"samples": 3, "aggregate": "majority", "rubrics": ["a", "b"]});
    let answer = |a: bool, b: bool| {
        json!({"checks": [
            {"id": "rubric-1", "satisfied": a, "reasoning": format!("a is {a}")},
            {"id": "rubric-2", "satisfied": b},
        ]})
        .to_string()
    };
    let answers = [answer(false, true), answer(true, false), answer(true, false)];
    let said = judge(&keys, &answers.each_ref().map(String::as_str));
    let score = said.score();
    assert_eq!((score.score, score.barred), (0.5, true));
    assert_eq!(score.hits, ["[rubric-1] a: a is true (met in 2 of 3 samples)"]);
    assert_eq!(score.misses[0], "[rubric-2] b (met in 1 of 3 samples)");
    assert_eq!(said.record().samples, [0.5, 0.5, 0.5]);
}

#[test]
fn one_sample_that_fails_fails_them_all() {
    let said = judge(&json!({"samples": 3}), &["{\"score\": 1}", "no", "no", "{\"score\": 1}"]);
    assert_eq!(
        said.fault(),
        "sample 2 of 3: the judge gave no score, nor when it was asked again: it gave no JSON \
         object: `no`"
    );
    assert_eq!((said.record().asks, said.record().cost_usd), (4, Some(2.0)));
}

#[test]
fn what_a_question_took_that_failed_is_known_only_where_it_was_told() {
    let costly = JudgeRecord { cost_usd: Some(0.25), ..JudgeRecord::default() };
    let told = GraderFault { judge: Some(Box::new(costly)), ..GraderFault::new("cut off") };
    for (fault, cost) in [(told, Some(0.75)), (GraderFault::new("down"), None)] {
        let answers = [Ok("no"), Err(fault)];
        let said = judge_case(&Project::new(), &json!({}), &eval_case(), &answers);
        assert_eq!((said.record().asks, said.record().cost_usd), (2, cost), "{}", said.fault());
        assert_eq!(said.record().token_usage, None);
    }
}

#[test]
fn settings_that_say_nothing_or_too_much_are_errors() {
    for (keys, place, message) in [
        (json!({"rubrics": []}), "/rubrics", "`rubrics` is empty, so there is nothing to judge by"),
        (
            json!({"rubrics": null}),
            "/rubrics#key",
            "`rubrics` is empty, so there is nothing to judge by",
        ),
        (json!({"value": " "}), "/value", "a rubric is blank"),
        (json!({"rubrics": ["a", " "]}), "/rubrics/1", "a rubric is blank"),
        (json!({"rubrics": [5]}), "/rubrics/0", "a rubric must be a text, not a number"),
        (
            json!({"rubrics": {"a": 1}}),
            "/rubrics",
            "`rubrics` must be a list of rubrics or a text, not a map",
        ),
        (json!({"rubrics": [{"id": "a"}]}), "/rubrics/0", "rubric needs `description`"),
        (
            json!({"rubrics": [{"text": "x", "id": "a"}, {"text": "y", "id": "a"}]}),
            "/rubrics/1/id",
            "a rubric with the id `a` exists already",
        ),
        (
            json!({"rubrics": [{"text": "x", "id": "rubric-2"}, "y"]}),
            "/rubrics/1",
            "a rubric with the id `rubric-2` exists already",
        ),
        (
            json!({"rubrics": [{"text": "x", "weight": 0}]}),
            "/rubrics",
            "every rubric has weight 0, so there would be no score",
        ),
        (
            json!({"rubrics": [{"text": "x", "weight": -1}]}),
            "/rubrics/0/weight",
            "`weight` must not be negative",
        ),
        (
            json!({"rubrics": [{"text": "x", "required": 0}]}),
            "/rubrics/0/required",
            "every answer reaches 0, so this rubric would always be met",
        ),
        (
            json!({"rubrics": [{"text": "x", "required": 0.5, "min_score": 0.5}]}),
            "/rubrics/0/required#key",
            "`required` and `min_score` both give a score; give one",
        ),
        (
            json!({"value": "a", "rubrics": ["b"]}),
            "/rubrics#key",
            "`rubrics` and `value` are the same key of llm_judge",
        ),
        (json!({"samples": 0}), "/samples", "`samples` must be a whole number of at least 1"),
        (json!({"samples": 101}), "/samples", "`samples` must be at most 100"),
        (
            json!({"samples": 2, "aggregate": "majority"}),
            "/samples",
            "2 samples may have no majority",
        ),
        (json!({"aggregate": "minimum"}), "/aggregate", "unknown aggregate `minimum`"),
        (json!({"judge_target": " "}), "/judge_target", "`judge_target` of llm_judge is blank"),
        (
            json!({"temperature": 0}),
            "/temperature#key",
            "`temperature` of llm_judge is known, but not supported yet",
        ),
        (
            json!({"prompt": "Is it good?"}),
            "/prompt",
            "the judge would not see the answer: the prompt has no place for it",
        ),
        (
            json!({"prompt": "{{ answer }} {{ rubrics }}"}),
            "/prompt",
            "the prompt has a place for rubrics, and there are none",
        ),
    ] {
        let mut all = json!({"type": "llm_judge"});
        all.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        assert_eq!(errors_of(&all), [(place.to_owned(), message.to_owned())]);
    }
}
