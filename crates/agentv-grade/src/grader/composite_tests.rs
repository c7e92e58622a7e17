//! Composites of small graders, and of programs that only pretend.

use agentv_base::{Node, NodeValue, ProcessFault, Program, Span, Stdin};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    build,
    testing::{Project, ended, errors_of, eval_case, grade_text, node, response},
};

/// A composite of members that look for letters in the answer, with further keys.
pub(super) fn letters(members: &[Value], further: &Value) -> Value {
    let mut keys = json!({"type": "composite", "evaluators": members});
    let Value::Object(further) = further.clone() else { panic!("keys are a map") };
    keys.as_object_mut().unwrap().extend(further);
    keys
}

pub(super) fn letter(value: &str) -> Value {
    json!({"name": value, "type": "contains", "value": value})
}

fn with(mut grader: Value, key: &str, value: Value) -> Value {
    grader[key] = value;
    grader
}

/// The score of a composite of graders for `a`, `b` and `c`, weighing 1, 2 and 1.
fn check(further: &Value, answer: &str) -> f64 {
    let members = [letter("a"), with(letter("b"), "weight", json!(2)), letter("c")];
    grade_text(&letters(&members, further), answer).score
}

fn is(given: &Score, score: f64) -> bool {
    (given.score - score).abs() < 1e-9
}

fn errors(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(at, message)| ((*at).to_owned(), (*message).to_owned())).collect()
}

#[test]
fn scores_add_up_as_the_aggregator_says() {
    for (further, of_a_and_b, of_a) in [
        (json!({}), 0.75, 0.25),
        (json!({"aggregator": "weighted_average"}), 0.75, 0.25),
        (json!({"aggregator": {"type": "weighted-average", "weights": {"b": 0}}}), 0.5, 0.5),
        (json!({"aggregator": {"type": "weighted_average", "weights": {"a": "2"}}}), 0.8, 0.4),
        (json!({"aggregator": "minimum"}), 0.0, 0.0),
        (json!({"aggregator": {"type": "maximum"}}), 1.0, 1.0),
        (json!({"threshold": 0.75}), 1.0, 0.0),
        (json!({"threshold": 0.76}), 0.0, 0.0),
        (json!({"aggregator": "threshold", "threshold": 0.25}), 1.0, 1.0),
        (json!({"aggregator": {"type": "threshold", "threshold": 0.5}}), 1.0, 0.0),
        (json!({"aggregator": "all_or_nothing"}), 0.0, 0.0),
    ] {
        for (answer, score) in [("ab", of_a_and_b), ("a", of_a)] {
            let given = check(&further, answer);
            assert!((given - score).abs() < 1e-9, "{further} of {answer}: {given}");
        }
    }
}

#[test]
fn a_member_of_weight_0_takes_no_part() {
    let members = [letter("a"), with(letter("b"), "weight", json!(0))];
    for further in [
        json!({}),
        json!({"aggregator": "minimum"}),
        json!({"threshold": 1}),
        json!({"aggregator": "all-or-nothing"}),
    ] {
        let score = grade_text(&letters(&members, &further), "a");
        assert_eq!((score.score, score.parts.len()), (1.0, 2), "{further}");
    }
    let score = grade_text(&letters(&members, &json!({"aggregator": "maximum"})), "b");
    assert!(is(&score, 0.0));
}

#[test]
fn hits_and_misses_are_those_of_members_with_their_names() {
    let inner = with(letters(&[letter("c")], &json!({})), "name", json!("inner"));
    let score = grade_text(&letters(&[letter("a"), letter("b"), inner], &json!({})), "a");
    assert_eq!(score.hits, ["[a] contains `a`"]);
    assert_eq!(score.misses, ["[b] does not contain `b`", "[inner] [c] does not contain `c`"]);
    let names: Vec<_> = score.parts.iter().map(|part| (&*part.name, &*part.kind)).collect();
    assert_eq!(names, [("a", "contains"), ("b", "contains"), ("inner", "composite")]);
    assert_eq!(score.parts[2].evaluator_results[0].misses, ["does not contain `c`"]);
}

#[test]
fn a_threshold_says_how_many_passed_and_what_is_needed() {
    let members = [letter("a"), letter("b"), letter("c")];
    let keys = letters(&members, &json!({"threshold": 0.6}));
    assert_eq!(
        grade_text(&keys, "ab").hits[0],
        "2 of 3 graders passed, which is 0.6667 of the weight; 0.6 is needed"
    );
    assert_eq!(
        grade_text(&keys, "a").misses[0],
        "1 of 3 graders passed, which is 0.3333 of the weight; 0.6 is needed"
    );
}

#[test]
fn a_member_passes_from_its_own_minimum_on() {
    let half = letters(&[letter("a"), letter("b")], &json!({"required": false}));
    for (min_score, score) in [(json!(0.5), 1.0), (json!(0.6), 0.0), (json!(null), 0.0)] {
        let member = with(half.clone(), "min_score", min_score.clone());
        let given = grade_text(&letters(&[member], &json!({"threshold": 1})), "a");
        assert!(is(&given, score), "{min_score}");
    }
}

#[test]
fn a_required_member_that_does_not_pass_leaves_nothing_of_the_score() {
    let required = with(letter("b"), "required", json!(true));
    for further in [json!({}), json!({"aggregator": "maximum"}), json!({"threshold": 0.1})] {
        let keys = letters(&[letter("a"), required.clone()], &further);
        let score = grade_text(&keys, "a");
        assert!(is(&score, 0.0), "{further}");
        assert_eq!(
            score.misses,
            ["`b` scored 0 and is required to reach 0.8", "[b] does not contain `b`"]
        );
        assert!(grade_text(&keys, "ab").score > 0.9, "{further}");
    }
}

#[test]
fn not_in_front_turns_score_hits_and_misses_around() {
    let keys =
        with(letters(&[letter("a"), letter("b")], &json!({})), "type", json!("not-composite"));
    let score = grade_text(&keys, "a");
    assert!(is(&score, 0.5));
    assert_eq!(score.hits, ["[b] does not contain `b`"]);
    assert_eq!(score.misses, ["[a] contains `a`"]);
    assert_eq!(score.parts.len(), 2);
}

#[test]
fn members_are_written_in_every_form_and_under_every_name_of_their_list() {
    for key in ["evaluators", "assertions", "assert"] {
        let keys = json!({"type": "assert-set", key: [
            "contains: a", {"contains": "b", "weight": 2}, "is_json", {"type": "not_equals", "value": "x"},
        ]});
        let score = grade_text(&keys, "a");
        let names: Vec<_> = score.parts.iter().map(|part| &*part.name).collect();
        assert_eq!(names, ["contains", "contains_2", "is_json", "not_equals"]);
        assert!(is(&score, 0.4));
    }
}

#[test]
fn every_problem_of_members_is_told_at_its_place() {
    assert_eq!(
        errors_of(&json!({"type": "composite", "evaluators": [
            {"type": "contians", "value": "a"},
            {"type": "contains", "value": ""},
            {"type": "composite", "evaluators": [{"type": "contains", "value": "a", "weight": -1}]},
            {"type": "contains", "value": "a", "name": "x"},
            {"type": "contains", "value": "b", "name": "x"},
            "llm-rubric: ",
        ], "aggregator": {"type": "minimum", "weights": {"x": 1}, "prompt": "a"}})),
        errors(&[
            ("/evaluators/0/type", "unknown grader type `contians`"),
            ("/evaluators/1/value", "`value` is empty, so every answer would pass"),
            ("/evaluators/2/evaluators/0/weight", "`weight` must not be negative"),
            ("/evaluators/5", "a rubric is blank"),
            ("/evaluators/4/name", "two graders of a composite are called `x`"),
            ("/aggregator/weights#key", "`weights` belongs to the aggregator `weighted_average`"),
            ("/aggregator/prompt#key", "`prompt` belongs to the aggregator `llm_judge`"),
        ])
    );
}

#[test]
fn what_cannot_add_up_is_an_error() {
    let of = |further: Value| errors_of(&letters(&[letter("a"), letter("b")], &further));
    for (further, at, message) in [
        (json!({"evaluators": null}), "/evaluators#key", "composite needs `evaluators`"),
        (
            json!({"evaluators": []}),
            "/evaluators",
            "`evaluators` is empty, so there is nothing to grade by",
        ),
        (json!({"evaluators": "a"}), "/evaluators", "`evaluators` must be a list, not a string"),
        (json!({"threshold": 0}), "/threshold", "`threshold` is 0, so every answer would pass"),
        (json!({"threshold": 1.5}), "/threshold", "`threshold` must be between 0 and 1"),
        (json!({"aggregator": 3}), "/aggregator", "aggregator must be a map, not a number"),
        (json!({"aggregator": {}}), "/aggregator", "aggregator needs `type`"),
        (json!({"aggregator": "minimun"}), "/aggregator", "unknown aggregator `minimun`"),
        (json!({"aggregator": "safety_gate"}), "/aggregator", "unknown aggregator `safety_gate`"),
        (
            json!({"aggregator": "threshold"}),
            "/aggregator",
            "the aggregator `threshold` needs `threshold`",
        ),
        (
            json!({"aggregator": {"type": "threshold", "threshold": 0.5}, "threshold": 0.5}),
            "/threshold#key",
            "`threshold` is given twice: here and in `aggregator`",
        ),
        (
            json!({"aggregator": "minimum", "threshold": 0.5}),
            "/threshold#key",
            "`threshold` belongs to the aggregator `threshold`",
        ),
        (
            json!({"aggregator": {"type": "weighted_average", "weights": {}}}),
            "/aggregator/weights",
            "`weights` is empty",
        ),
        (
            json!({"aggregator": {"type": "weighted_average", "weights": {"c": 1}}}),
            "/aggregator/weights/c#key",
            "`weights` names no member with `c`",
        ),
        (
            json!({"aggregator": {"type": "weighted_average", "weights": {"a": -1}}}),
            "/aggregator/weights/a",
            "`weights.a` must not be negative",
        ),
        (
            json!({"aggregator": {"type": "weighted_average", "weights": {"b": "many"}}}),
            "/aggregator/weights/b",
            "`weights.b` must be a number, not a string",
        ),
        (
            json!({"aggregator": {"type": "weighted_average", "weights": {"a": 0, "b": 0}}}),
            "/aggregator",
            "every member has weight 0, so there would be no score",
        ),
        (
            json!({"aggregator": "code-grader"}),
            "/aggregator",
            "code_judge needs `script` or `command`",
        ),
        (
            json!({"aggregator": {"type": "llm_judge", "prompt": "Well, {{ 'results' }}?"}}),
            "/aggregator/prompt",
            "the model would not see what the graders said",
        ),
        (
            json!({"aggregator": {"type": "llm_judge", "prompt": " "}}),
            "/aggregator/prompt",
            "`prompt` of aggregator is blank",
        ),
    ] {
        assert_eq!(of(further.clone()), errors(&[(at, message)]), "{further}");
    }
}

#[test]
fn an_unknown_aggregator_or_member_names_the_nearest() {
    let hint = |keys: Value| {
        let project = Project::new();
        let mut problems = Problems::default();
        build(&[node(&keys)], &project.context(), &mut problems);
        problems.iter().next().and_then(|problem| problem.hint.clone()).unwrap()
    };
    let member = json!({"name": "polite", "type": "contains", "value": "please"});
    let keys = |aggregator: Value| {
        letters(std::slice::from_ref(&member), &json!({ "aggregator": aggregator }))
    };
    assert!(hint(keys(json!("minimun"))).starts_with("did you mean `minimum`? known: "));
    assert!(hint(keys(json!("safety_gate"))).starts_with("known: weighted_average, "));
    let weights = json!({"type": "weighted_average", "weights": {"polit": 1}});
    assert_eq!(hint(keys(weights)), "did you mean `polite`?");
}

/// What a composite says whose only member is a code judge.
fn of_judge(
    behaviour: impl Fn() -> Result<agentv_base::ProcessOutput, ProcessFault> + Send + Sync + 'static,
) -> Result<Score, GraderFault> {
    let project = Project::with(move |_| behaviour());
    let judge = json!({"name": "judge", "type": "code_judge", "script": "./judge"});
    let keys = letters(&[letter("a"), judge], &json!({}));
    project.try_grade(&keys, &eval_case(), &response(&json!({"text": "a"})))
}

#[test]
fn a_member_that_fails_fails_the_composite_and_all_results_stay() {
    let fault = of_judge(|| Ok(ended(1, "", "oops"))).unwrap_err();
    assert_eq!(fault.message, "member `judge` failed: it exited with code 1\nstderr: oops");
    assert!(!fault.interrupted);
    let results: Vec<_> =
        fault.parts.iter().map(|part| (&*part.name, part.score, part.error.is_some())).collect();
    assert_eq!(results, [("a", Some(1.0), false), ("judge", None, true)]);
}

#[test]
fn an_interrupted_member_interrupts_the_composite() {
    let fault = of_judge(|| Err(ProcessFault::Interrupted)).unwrap_err();
    assert!(fault.interrupted);
}

#[test]
fn a_member_that_says_nothing_speaks_by_its_score() {
    for (score, hits, misses) in [("0.25", 1, vec!["[judge] scored 0.25"]), ("1", 2, vec![])] {
        let score = format!("{{\"score\": {score}}}");
        let given = of_judge(move || Ok(ended(0, &score, ""))).unwrap();
        assert_eq!(
            (given.hits.len(), given.misses),
            (hits, misses.into_iter().map(str::to_owned).collect())
        );
    }
}

#[test]
fn a_program_is_told_the_results_and_everything_that_a_code_judge_is() {
    let project = Project::with(|_| Ok(ended(0, r#"{"score": 0.3, "hits": ["so so"]}"#, "")));
    let inner = with(letters(&[letter("c")], &json!({})), "name", json!("inner"));
    let keys = letters(
        &[with(letter("b"), "weight", json!(2)), letter("a"), inner],
        &json!({"aggregator": {
            "type": "code_judge", "path": "./add_up --all", "config": {"x": 1}, "timeout_seconds": 3,
        }}),
    );
    let record = json!({"text": "a", "trace": [{"type": "tool_call", "name": "atlas"}]});
    let score = project.try_grade(&keys, &eval_case(), &response(&record)).unwrap();
    assert_eq!((score.score, score.parts.len()), (0.3, 3));
    assert_eq!((score.hits, score.misses), (vec!["so so".to_owned()], Vec::<String>::new()));

    let asked = project.fake.asked.lock().unwrap();
    let [spec] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!(spec.program, Program::Shell("./add_up --all".to_owned()));
    assert_eq!(spec.deadline.map(|deadline| deadline.as_secs()), Some(3));
    let Stdin::Bytes(told) = &spec.stdin else { panic!("{spec:?}") };
    let told: Value = serde_json::from_slice(told).unwrap();
    let names: Vec<_> = told["results"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["b", "a", "inner"]);
    let of_b = &told["results"]["b"];
    assert_eq!(of_b["score"], 0.0);
    assert_eq!(of_b["weight"], 2.0);
    assert_eq!(of_b["verdict"], "fail");
    assert_eq!(of_b["type"], "contains");
    assert_eq!(of_b["misses"], json!(["does not contain `b`"]));
    assert_eq!(told["results"]["inner"]["evaluator_results"][0]["name"], "c");
    assert_eq!(told["candidate_answer"], "a");
    assert_eq!(told["reference_answer"], "Paris");
    assert_eq!(told["candidate_trace"][0]["name"], "atlas");
    assert_eq!(told["config"], json!({"x": 1}));
}

#[test]
fn a_program_that_fails_fails_the_composite_and_members_stay() {
    let project = Project::with(|_| Ok(ended(0, "well", "")));
    let keys = letters(&[letter("a")], &json!({"aggregator": {"type": "code", "script": "./x"}}));
    let fault =
        project.try_grade(&keys, &eval_case(), &response(&json!({"text": "a"}))).unwrap_err();
    assert!(fault.message.contains("not a JSON object"), "{}", fault.message);
    assert_eq!(fault.parts[0].score, Some(1.0));
}

#[test]
fn what_is_lacking_anywhere_inside_is_told() {
    let project = Project::new();
    let case = EvalCase { expected_messages: agentv_base::Messages::default(), ..eval_case() };
    let inner = letters(&[json!({"type": "equals"}), letter("a")], &json!({"name": "inner"}));
    let outer = letters(&[inner.clone(), letter("a")], &json!({}));
    let told = project.lacks(&inner, &case).unwrap();
    assert!(told.starts_with("has the member `equals`, which "), "{told}");
    let outer_told = format!("has the member `inner`, which {told}");
    assert_eq!(project.lacks(&outer, &case), Some(outer_told));
    assert_eq!(project.lacks(&outer, &eval_case()), None);
}

#[test]
fn what_is_lacking_is_told_shortly_however_deep_it_stands() {
    let case = EvalCase { expected_messages: agentv_base::Messages::default(), ..eval_case() };
    let equals = json!({"type": "equals", "name": "n".repeat(3000)});
    let mut keys = letters(&[equals], &json!({}));
    for _ in 0..3 {
        keys = letters(&[keys.clone(), keys], &json!({}));
    }
    let told = Project::new().lacks(&keys, &case).unwrap();
    assert_eq!(told.chars().count(), 2001);
    assert!(told.ends_with("n…"), "{told}");
}

#[test]
fn a_judge_is_asked_for_where_a_model_adds_up_at_any_depth() {
    let asks = |keys: &Value| {
        let project = Project::new();
        let built = build(&[node(keys)], &project.context(), &mut Problems::default()).unwrap();
        built.judge_wishes().next().is_some()
    };
    let judged = letters(&[letter("a")], &json!({"aggregator": "llm_judge", "name": "judged"}));
    assert!(asks(&judged));
    assert!(asks(&letters(&[letter("a"), judged], &json!({"type": "not-composite"}))));
    assert!(!asks(&letters(&[letter("a")], &json!({}))));
}

#[test]
fn of_ten_thousand_members_a_hundred_are_told() {
    let members: Vec<Value> =
        (0..10_000).map(|_| json!({"type": "contains", "value": "b"})).collect();
    let score = grade_text(&letters(&members, &json!({"threshold": 1})), "a");
    assert_eq!((score.misses.len(), score.parts.len()), (102, 10_000));
    assert_eq!(score.misses[101], "and 9900 more");
}

#[test]
fn of_many_failures_some_are_told_and_the_rest_is_counted() {
    let project = Project::with(|_| Ok(ended(1, "", &"x".repeat(5000))));
    let judge = json!({"type": "code_judge", "script": "./judge"});
    let inner = letters(&vec![judge; 12], &json!({}));
    let keys = letters(&vec![inner; 5], &json!({}));
    let fault = project.try_grade(&keys, &eval_case(), &response(&json!({}))).unwrap_err();
    assert!(
        fault.message.starts_with("member `composite` failed: member `code_judge` failed: it ")
    );
    assert_eq!(fault.message.chars().count(), 8001);

    let project = Project::with(|_| Ok(ended(1, "", "")));
    let keys = letters(&vec![json!({"type": "code_judge", "script": "./judge"}); 12], &json!({}));
    let fault = project.try_grade(&keys, &eval_case(), &response(&json!({}))).unwrap_err();
    assert_eq!(fault.message.lines().count(), 11);
    assert_eq!(fault.message.lines().last(), Some("2 more members failed"));
}

proptest! {
    #[test]
    fn a_mean_lies_between_the_lowest_and_the_highest_whatever_the_weights(
        answer in "[abc]{0,3}", weights in prop::array::uniform3(0.001..1e6),
    ) {
        let members: Vec<Value> = ["a", "b", "c"].iter().zip(weights)
            .map(|(value, weight)| with(letter(value), "weight", json!(weight))).collect();
        let score = |aggregator: &str| {
            grade_text(&letters(&members, &json!({ "aggregator": aggregator })), &answer).score
        };
        let (lowest, mean, highest) =
            (score("minimum"), score("weighted_average"), score("maximum"));
        prop_assert!(lowest <= mean && mean <= highest, "{lowest} {mean} {highest}");
        prop_assert_eq!(score("all_or_nothing").to_bits(), lowest.to_bits());
    }
}

/// A grader for `a` in this many composites.
fn nested(levels: usize) -> Value {
    (0..levels).fold(letter("a"), |inner, _| letters(&[inner], &json!({})))
}

#[test]
fn composites_stand_in_each_other_as_deep_as_rows_can_be_read() {
    let score = grade_text(&nested(50), "a");
    let mut parts = &score.parts;
    for _ in 1..50 {
        parts = &parts[0].evaluator_results;
    }
    assert_eq!((score.score, &*parts[0].name), (1.0, "a"));
    for levels in [51, 200] {
        let told = errors_of(&nested(levels));
        assert_eq!(told.len(), 1, "{levels}");
        assert_eq!(told[0].0, "/evaluators/0".repeat(51), "{levels}");
        assert_eq!(told[0].1, "graders stand in each other more than 50 levels deep");
    }
}

#[test]
fn aliases_that_stand_for_millions_of_graders_are_refused() {
    // Ten shared lists of ten: ten thousand million graders in a hundred nodes.
    let list = |items: Vec<Node>| Node::new(Span::default(), NodeValue::List(Arc::from(items)));
    let mut bomb = node(&letter("a"));
    for _ in 0..10 {
        let composite = node(&json!({"type": "composite"}));
        let mut entries = composite.as_map().unwrap().to_vec();
        entries.push(agentv_base::Entry {
            key: "evaluators".into(),
            key_span: Span::default(),
            value: list(vec![bomb; 10]),
        });
        bomb = Node::new(Span::default(), NodeValue::Map(Arc::from(entries)));
    }
    let mut problems = Problems::default();
    assert!(build(&[bomb], &Project::new().context(), &mut problems).is_none());
    let told: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(told, ["a composite stands for more than 100000 graders"]);
}
