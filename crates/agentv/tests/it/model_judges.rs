//! Models that judge, over real HTTP: whatever they answer that is no verdict is an error in words
//! of its own, after it was asked for once more, and never a score.

use agentv_testkit::{Answer, Asked, Project, Vendor};
use serde_json::{Value, json};

use crate::{
    model_project::{VENDORS, as_judge, is_judging, project_of, row, server, target},
    project::rows,
};

/// A model whose answer is judged by another one, which says `verdict` each time.
fn judged_with(
    vendor: Vendor,
    verdict: &str,
    grader: &Value,
) -> (Project, agentv_testkit::ModelServer) {
    let verdict = verdict.to_owned();
    let server = server().answers(move |asked: &Asked| {
        if is_judging(asked) { Answer::text(&verdict) } else { Answer::text("It is Paris.") }
    });
    let judge = as_judge(target("judge", vendor, &server, &json!({})), vendor);
    let agent = target("agent", vendor, &server, &json!({"judge_target": "judge"}));
    let suite = json!({
        "evaluators": [grader],
        "evalcases": [{"id": "a", "input": "The capital?", "expected_outcome": "Names Paris"}],
    });
    (project_of(&[agent, judge], &[]).file("suite.yaml", suite.to_string()), server)
}

#[test]
fn what_is_no_verdict_is_an_error_in_words_of_its_own() {
    let long = format!("{{\"score\": 1, \"reasoning\": \"{}\"}}", "x".repeat(10 * 1024 * 1024));
    for (verdict, told) in [
        ("I like this answer.", "it gave no JSON object: `I like this answer.`"),
        ("{\"score\": 0.9, \"reas", "it gave a JSON object that is broken or cut off"),
        ("{\"score\": 7}", "its `score` is 7, which is not between 0 and 1"),
        ("{\"score\": NaN}", "JSON knows neither NaN nor Infinity"),
        ("{\"score\": 1} {\"score\": 0}", "it gave more than one JSON object with `score`"),
        ("{\"reasoning\": \"fine\"}", "its JSON object has no `score`"),
        (&long, "and more than 1024 is no answer"),
    ] {
        let (project, server) =
            judged_with(Vendor::OpenaiChat, verdict, &json!({"type": "llm_judge"}));
        let row = row(&project, 3);
        let error = row["error"].as_str().unwrap();
        assert!(error.contains(told), "{told}: {error}");
        assert!(row["score"].is_null() && row["error_kind"] == "grader", "{error}");
        let asked = server.asked().into_iter().filter(is_judging).count();
        assert_eq!(asked, 2, "{told}: once, and once more");
    }
}

#[test]
fn a_rubric_that_is_left_out_is_an_error_of_the_judge_for_every_vendor() {
    let grader = json!({"type": "llm_judge", "rubrics": ["Names Paris", "Is polite"]});
    let checks = json!({"checks": [{"id": "rubric-1", "satisfied": true, "reasoning": "it does"}],
        "overall_reasoning": ""});
    for vendor in VENDORS {
        let (project, server) = judged_with(vendor, &checks.to_string(), &grader);
        let error = row(&project, 3)["error"].as_str().unwrap().to_owned();
        assert!(error.contains("it has no check of `rubric-2`"), "{vendor:?}: {error}");
        let asked: Vec<Asked> = server.asked().into_iter().filter(is_judging).collect();
        assert_eq!(asked.len(), 2, "{vendor:?}");
        assert!(asked[1].prompt().contains("it has no check of `rubric-2`"), "{vendor:?}");
        assert!(rows(&project)[0]["score"].is_null());
    }
}
