//! Services of models that fail: each fault is told by its own words, or passes with the next try.

use std::time::{Duration, SystemTime};

use agentv_testkit::{Answer, Finish, ModelServer, Nobody, Signal, Vendor, wait_until};
use serde_json::{Value, json};

use crate::{
    model_project::{
        KEY, VENDORS, error, eval, is_judging, judged, judgement, project, project_of, row, server,
        target,
    },
    project::{column, manifest, rows, rows_so_far},
};

/// What a service answers, over and over.
fn always(answer: Answer) -> ModelServer {
    server().answers(move |_| answer.clone())
}

/// The kind and the text of the error, and how often the service was asked.
fn fails(server: &ModelServer, settings: &Value) -> (String, String, usize) {
    let before = server.asked().len();
    let (kind, error) = error(&project(server, settings, &["a"]));
    (kind, error, server.asked().len() - before)
}

/// Asserts that a service that always answers so makes an error of this kind, which says all of
/// these, after so many requests.
fn check(answer: Answer, settings: &Value, kind: &str, says: &[&str], requests: usize) {
    let server = always(answer);
    let (found, error, asked) = fails(&server, settings);
    assert_eq!((found.as_str(), asked), (kind, requests), "{error}");
    for piece in says {
        assert!(error.contains(piece), "{piece}: {error}");
    }
}

/// Asserts that a service that answers so first is asked again, and then answers.
fn passes_after(fault: Answer, settings: &Value) {
    let server = server().then(fault).then(Answer::text("ok"));
    let row = row(&project(&server, settings, &["a"]), 0);
    assert_eq!(row["status"], "passed", "{row}");
    // Tries of a request are not attempts of the case.
    assert_eq!(row["attempts"], 1, "{row}");
    assert_eq!(server.asked().len(), 2);
}

fn fault() -> Value {
    json!({"error": {"message": "The engine is on fire", "type": "server_error", "code": null}})
}

#[test]
fn a_service_that_is_down_is_a_connection_that_failed() {
    let nobody = Nobody::new();
    let server = server();
    for vendor in VENDORS {
        let mut target = target("agent", vendor, &server, &json!({}));
        let key = if vendor == Vendor::Azure { "endpoint" } else { "base_url" };
        let path = if target[key].as_str().unwrap().ends_with("/v1") { "/v1" } else { "" };
        target[key] = json!(format!("{}{path}", nobody.url()));
        let (kind, error) = error(&project_of(&[target], &["a"]));
        assert_eq!(kind, "connection", "{error}");
        assert!(error.to_lowercase().contains("refused"), "{error}");
        assert!(error.contains(&nobody.url().replace("http://", "")), "{error}");
    }
}

#[test]
fn a_host_that_nobody_knows_is_a_connection_that_failed() {
    let server = server();
    let settings = json!({"base_url": "http://models.invalid/v1", "max_retries": 0});
    let (kind, error) = error(&project(&server, &settings, &["a"]));
    assert_eq!(kind, "connection", "{error}");
    assert!(error.contains("models.invalid"), "{error}");
}

#[test]
fn a_service_that_never_answers_times_out() {
    let settings = json!({"timeout_seconds": 0.3});
    let server = always(Answer::never());
    let (kind, error, asked) = fails(&server, &settings);
    assert_eq!((kind.as_str(), asked), ("timeout", 1), "{error}");
    assert!(error.contains("timed out after 0.3 s"), "{error}");
    server.wait_for_giving_up(1);
}

#[test]
fn the_deadline_of_the_run_holds_for_targets_without_one() {
    let server = always(Answer::never());
    let project = project(&server, &json!({}), &["a"]);
    let run = project.run(&["eval", "suite.yaml", "--agent-timeout", "0.3"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(column(&project, "error_kind"), ["timeout"]);
}

#[test]
fn a_service_that_is_slow_is_waited_for() {
    let server = server().then(Answer::text("ok").held());
    let project = project(&server, &json!({}), &["a"]);
    let run = project.start(&["eval", "suite.yaml"]);
    server.wait_for_held(1);
    server.release();
    assert_eq!(run.finish().code, Some(0));
}

#[test]
fn an_answer_that_never_ends_is_read_up_to_a_limit() {
    let server = always(Answer::endless());
    let settings = json!({"timeout_seconds": 20, "max_retries": 0});
    let (kind, error, _) = fails(&server, &settings);
    assert_eq!(kind, "output", "{error}");
    assert!(error.contains("MiB"), "{error}");
}

#[test]
fn a_connection_that_breaks_is_tried_again() {
    for broken in [
        Answer::text("ok").dropped_before_head(),
        Answer::text("ok").dropped_mid_body(),
        Answer::text("ok").dropped_mid_chunk(),
        Answer::text("ok").said_to_be_long(100_000),
    ] {
        passes_after(broken, &json!({}));
    }
}

#[test]
fn a_connection_that_always_breaks_is_an_error_that_says_where() {
    let few = json!({"max_retries": 1});
    let before = Answer::text("ok").dropped_before_head();
    check(before, &few, "connection", &["closed"], 2);
    for broken in [
        Answer::text("ok").dropped_mid_body(),
        Answer::text("ok").dropped_mid_chunk(),
        Answer::text("ok").said_to_be_long(100_000),
    ] {
        check(broken, &few, "connection", &["broke in the middle of its answer"], 2);
    }
}

#[test]
fn a_page_for_people_is_tried_again_and_then_told() {
    passes_after(Answer::html(200, "Please wait"), &json!({}));
    let few = json!({"max_retries": 1});
    check(Answer::html(200, "Please log in"), &few, "output", &["HTML"], 2);
    check(Answer::html(502, "Bad Gateway"), &few, "http", &["502", "Bad Gateway"], 2);
    check(Answer::html(404, "Nothing here"), &few, "refused", &["404", "Nothing here"], 1);
}

#[test]
fn a_status_that_may_pass_is_tried_again() {
    for status in [500, 408, 429, 502, 503, 504] {
        passes_after(Answer::fault(status, &fault()), &json!({}));
    }
}

#[test]
fn a_status_that_does_not_pass_is_told_after_the_last_try() {
    let says = ["503", "The engine is on fire"];
    check(Answer::fault(503, &fault()), &json!({}), "http", &says, 4);
    check(Answer::fault(503, &fault()), &json!({"max_retries": 1}), "http", &says, 2);
    check(Answer::fault(503, &fault()), &json!({"max_retries": 0}), "http", &says, 1);
    check(Answer::status(429), &json!({"max_retries": 1}), "http", &["429"], 2);
}

#[test]
fn a_refusal_is_told_at_once() {
    for status in [400, 401, 403, 404, 409, 422, 501] {
        let says = [&*status.to_string(), "The engine is on fire"];
        check(Answer::fault(status, &fault()), &json!({}), "refused", &says, 1);
    }
}

#[test]
fn the_statuses_that_are_tried_again_are_the_authors_choice_within_reason() {
    let settings = json!({"retry_status_codes": [409], "max_retries": 1});
    check(Answer::fault(409, &fault()), &settings, "http", &["409"], 2);
    check(Answer::fault(503, &fault()), &settings, "refused", &["503"], 1);
}

#[test]
fn a_wrong_key_is_told_in_the_words_of_the_vendor() {
    for (vendor, words) in [
        (Vendor::OpenaiChat, "Incorrect API key provided"),
        (Vendor::OpenaiResponses, "Incorrect API key provided"),
        (Vendor::Azure, "invalid subscription key"),
        (Vendor::Anthropic, "invalid x-api-key"),
        (Vendor::Gemini, "API key not valid"),
    ] {
        let server = server();
        let settings = json!({"api_key": "sk-another-key"});
        let project = project_of(&[target("agent", vendor, &server, &settings)], &["a"]);
        let (kind, error) = error(&project);
        assert_eq!(kind, "refused", "{error}");
        assert!(error.contains(words), "{error}");
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn a_wait_that_the_service_asks_for_is_kept() {
    passes_after(Answer::status(429).retry_after(1), &json!({}));
    passes_after(Answer::status(429).header("retry-after", "soon"), &json!({}));
    let past = SystemTime::now() - Duration::from_mins(1);
    passes_after(Answer::status(503).retry_at(past), &json!({}));
}

#[test]
fn a_wait_that_would_end_after_the_deadline_is_not_begun() {
    let settings = json!({"timeout_seconds": 60});
    let later = SystemTime::now() + Duration::from_hours(1);
    for answer in [
        Answer::fault(429, &fault()).retry_after(3600),
        Answer::fault(429, &fault()).retry_at(later),
    ] {
        check(answer, &settings, "http", &["429", "The engine is on fire"], 1);
    }
}

#[test]
fn an_answer_that_cannot_be_read_says_what_is_wrong_with_it() {
    let none = json!({"max_retries": 0});
    let raw = |body: &str| Answer::raw(200, "application/json", body);
    check(raw(""), &none, "output", &["200 OK without a body"], 1);
    check(raw("{\"choices\": [{\"mess"), &none, "output", &["JSON"], 1);
    check(raw("{}"), &none, "output", &["choices"], 1);
    check(raw("[1, 2]"), &none, "output", &[], 1);
    check(raw("null"), &none, "output", &[], 1);
    check(raw("{\"choices\": []}"), &none, "output", &["choices"], 1);
    check(raw("{\"choices\": [{\"message\": 7}]}"), &none, "output", &[], 1);
    check(Answer::not_utf8(), &none, "output", &["UTF-8"], 1);
}

#[test]
fn an_answer_of_the_wrong_form_is_not_asked_for_again() {
    let other = Answer::raw(200, "application/json", "{\"text\": \"ok\"}");
    check(other, &json!({}), "output", &[], 1);
}

#[test]
fn a_model_that_says_nothing_or_will_not_answer_gives_no_score() {
    for vendor in VENDORS {
        let server = always(Answer::refusal("I must not."));
        let project = project_of(&[target("agent", vendor, &server, &json!({}))], &["a"]);
        let run = eval(&project);
        // Whether a refusal is an answer or an error, it is never a pass and never invented text.
        assert_ne!(run.code, Some(0), "{}", run.seen());
        let row = rows(&project).remove(0);
        let told = row.to_string();
        assert!(told.contains("I must not.") || told.contains("SAFETY"), "{vendor:?}: {told}");
    }
}

#[test]
fn an_answer_that_was_cut_off_is_still_an_answer() {
    for vendor in VENDORS {
        let server = always(Answer::text("ok, but").finish(Finish::Length));
        let project = project_of(&[target("agent", vendor, &server, &json!({}))], &["a"]);
        assert_eq!(row(&project, 0)["candidate_answer"], "ok, but", "{vendor:?}");
    }
}

#[test]
fn a_redirection_is_not_followed_and_the_key_goes_nowhere_else() {
    for status in [301, 302, 307, 308] {
        let elsewhere = ModelServer::start();
        let to = format!("{}/chat/completions", elsewhere.openai_url());
        let server = always(Answer::redirect(status, &to));
        let (kind, error, asked) = fails(&server, &json!({}));
        assert_eq!((kind.as_str(), asked), ("refused", 1), "{error}");
        assert!(error.contains(&status.to_string()), "{error}");
        assert_eq!(elsewhere.connections(), 0);
    }
}

#[test]
fn a_case_can_be_attempted_again_after_all_tries() {
    let server = server()
        .then(Answer::fault(500, &fault()))
        .then(Answer::fault(500, &fault()))
        .then(Answer::text("ok"));
    let project = project(&server, &json!({"max_retries": 1}), &["a"]);
    let run = project.run(&["eval", "suite.yaml", "--max-retries", "1"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let row = rows(&project).remove(0);
    assert_eq!(row["attempts"], 2, "{row}");
    assert_eq!(row["failed_attempts"][0]["error_kind"], "http", "{row}");
}

#[test]
fn a_refusal_is_not_attempted_again() {
    let server = always(Answer::fault(401, &fault()));
    let project = project(&server, &json!({}), &["a"]);
    assert_eq!(project.run(&["eval", "suite.yaml", "--max-retries", "3"]).code, Some(3));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn the_fault_of_one_case_is_nobody_elses() {
    let server = server().answers(|asked| match asked.prompt().as_str() {
        "bad" => Answer::fault(400, &fault()),
        _ => Answer::text("ok"),
    });
    let project = project(&server, &json!({}), &["a", "bad", "c"]);
    assert_eq!(eval(&project).code, Some(3));
    assert_eq!(column(&project, "status"), ["passed", "error", "passed"]);
}

#[test]
fn a_judge_that_cannot_be_asked_is_an_error_of_the_case_with_its_cause() {
    for (answer, says) in [
        (Answer::fault(503, &fault()), "The engine is on fire"),
        (Answer::fault(401, &fault()), "401"),
        (Answer::html(200, "Please log in"), "HTML"),
        (Answer::text("ok").dropped_before_head(), "closed"),
    ] {
        let server = server().answers(move |asked| {
            if is_judging(asked) { answer.clone() } else { Answer::text("It is Paris") }
        });
        let (kind, error) = error(&judged(Vendor::OpenaiChat, &server, &json!({"max_retries": 1})));
        assert_eq!(kind, "grader", "{error}");
        assert!(error.contains("judge `judge`") && error.contains(says), "{error}");
    }
}

#[test]
fn a_judge_that_recovers_costs_the_case_nothing() {
    let server = server()
        .then(Answer::text("It is Paris"))
        .then(Answer::status(500))
        .then(Answer::status(429))
        .then(judgement());
    row(&judged(Vendor::OpenaiChat, &server, &json!({})), 0);
    assert_eq!(server.asked().len(), 4);
}

#[test]
fn ctrl_c_while_a_model_is_slow_keeps_what_is_finished() {
    let server = server().answers(|asked| match asked.prompt().as_str() {
        "quick" => Answer::text("ok"),
        _ => Answer::never(),
    });
    let project = project(&server, &json!({}), &["quick", "slow-1", "slow-2"]);
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("one is done and two are slow", || {
        server.asked().len() == 3 && rows_so_far(&project) == 1
    });
    run.signal(Signal::SIGINT);
    let run = run.finish();
    assert_eq!(run.code, Some(130), "{}", run.seen());
    assert_eq!(column(&project, "eval_id"), ["quick"]);
    let counts = json!({"planned": 3, "passed": 1, "failed": 0, "errors": 0, "not_run": 2});
    assert_eq!(manifest(&project)["counts"], counts);
    assert!(
        run.stdout.contains("1 passed") && run.stdout.contains("- 2 interrupted"),
        "{}",
        run.seen()
    );
    server.wait_for_giving_up(2);
}

#[test]
fn ctrl_c_during_a_wait_before_the_next_try_ends_it() {
    let server = always(Answer::status(429).retry_after(3600));
    let settings = json!({"timeout_seconds": 100_000});
    let project = project(&server, &settings, &["a"]);
    let run = project.start(&["eval", "suite.yaml"]);
    server.wait_for(1);
    run.signal(Signal::SIGINT);
    let run = run.finish();
    assert_eq!(run.code, Some(130), "{}", run.seen());
    assert_eq!(project.rows_text(), "");
}

#[test]
fn ctrl_c_while_a_judge_is_slow_leaves_no_row_for_its_case() {
    let server = server().answers(|asked| {
        if is_judging(asked) { Answer::never() } else { Answer::text("It is Paris") }
    });
    let project = judged(Vendor::OpenaiChat, &server, &json!({}));
    let run = project.start(&["eval", "suite.yaml", "--target", "agent"]);
    server.wait_for(2);
    run.signal(Signal::SIGINT);
    let run = run.finish();
    assert_eq!(run.code, Some(130), "{}", run.seen());
    assert_eq!(project.rows_text(), "");
}

#[test]
fn no_error_repeats_the_key() {
    let echo = json!({"error": {"message": format!("{KEY} is no key of ours")}});
    let server = always(Answer::fault(401, &echo));
    let (_, error, _) = fails(&server, &json!({}));
    assert!(!error.contains(KEY) && error.contains("*** is no key of ours"), "{error}");
}
