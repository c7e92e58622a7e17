//! Models as targets and as judges: what each vendor is asked, and what becomes of its answer.

use agentv_testkit::{Answer, Asked, Finish, Vendor};
use serde_json::{Value, json};

use crate::{
    model_project::{
        KEY, VENDORS, eval, is_judging, judged, judgement, project, project_of, row, server, target,
    },
    project::{lines, rows},
};

/// What the only request was.
fn the_only(mut asked: Vec<Asked>) -> Asked {
    assert_eq!(asked.len(), 1, "{asked:#?}");
    asked.remove(0)
}

fn pairs(turns: &[(&str, &str)]) -> Vec<(String, String)> {
    turns.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn every_vendor_is_asked_what_the_case_says_and_nothing_else() {
    for vendor in VENDORS {
        let server = server().then(Answer::text("ok, a").usage(10, 5).cached(4));
        let project = project_of(&[target("agent", vendor, &server, &json!({}))], &["a"]);
        let row = row(&project, 0);
        assert_eq!(row["candidate_answer"], "ok, a", "{vendor:?}");
        let usage = json!({"input": 10, "output": 5, "cached": 4});
        assert_eq!(row["token_usage"], usage, "{vendor:?}");
        assert!(row["duration_ms"].as_f64().is_some_and(|took| took > 0.0), "{row}");
        assert_eq!(row["attempts"], 1, "{row}");
        let asked = the_only(server.asked());
        assert_eq!(asked.vendor, Some(vendor));
        assert_eq!(asked.model(), Some("gpt-4o-mini"));
        assert_eq!(asked.turns(), pairs(&[("user", "a")]));
        assert_eq!(asked.schema(), None);
    }
}

#[test]
fn settings_of_a_target_go_where_the_vendor_has_them() {
    let settings = json!({
        "temperature": 0.25, "max_output_tokens": 77, "system_prompt": "Be brief.",
    });
    for vendor in VENDORS {
        let server = server();
        let project = project_of(&[target("agent", vendor, &server, &settings)], &["a"]);
        row(&project, 0);
        let asked = the_only(server.asked());
        assert_eq!(asked.turns(), pairs(&[("system", "Be brief."), ("user", "a")]), "{vendor:?}");
        let (temperature, limit) = match vendor {
            Vendor::Gemini => {
                let config = &asked.body["generationConfig"];
                (&config["temperature"], &config["maxOutputTokens"])
            }
            Vendor::OpenaiResponses => {
                (&asked.body["temperature"], &asked.body["max_output_tokens"])
            }
            Vendor::Anthropic => (&asked.body["temperature"], &asked.body["max_tokens"]),
            Vendor::OpenaiChat | Vendor::Azure => {
                let newer = &asked.body["max_completion_tokens"];
                let limit = if newer.is_null() { &asked.body["max_tokens"] } else { newer };
                (&asked.body["temperature"], limit)
            }
        };
        assert_eq!((temperature, limit), (&json!(0.25), &json!(77)), "{}", asked.body);
    }
}

#[test]
fn settings_that_nobody_wrote_are_not_sent() {
    for vendor in VENDORS {
        let server = server();
        let project = project_of(&[target("agent", vendor, &server, &json!({}))], &["a"]);
        row(&project, 0);
        let body = the_only(server.asked()).body;
        let keys: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
        let mut expected: Vec<&str> = match vendor {
            Vendor::OpenaiChat => vec!["messages", "model"],
            Vendor::Azure => vec!["messages"],
            Vendor::OpenaiResponses => vec!["input", "model"],
            // It takes no request without a limit.
            Vendor::Anthropic => vec!["max_tokens", "messages", "model"],
            Vendor::Gemini => vec!["contents"],
        };
        // The service would keep it otherwise.
        expected.extend(keys.iter().filter(|key| **key == "store"));
        let mut keys = keys.clone();
        keys.sort_unstable();
        expected.sort_unstable();
        assert_eq!(keys, expected, "{vendor:?}: {body}");
    }
}

#[test]
fn a_chat_is_asked_turn_by_turn() {
    let chat = json!({
        "evaluators": [{"type": "contains", "value": "ok"}],
        "evalcases": [{"id": "a", "input_messages": [
            {"role": "system", "content": "You are a clerk."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Yes?"},
            {"role": "user", "content": "The time?"},
        ]}],
    });
    for vendor in VENDORS {
        let server = server();
        let project = project_of(&[target("agent", vendor, &server, &json!({}))], &[])
            .file("suite.yaml", chat.to_string());
        row(&project, 0);
        let turns = the_only(server.asked()).turns();
        let expected = [
            ("system", "You are a clerk."),
            ("user", "Hello"),
            ("assistant", "Yes?"),
            ("user", "The time?"),
        ];
        assert_eq!(turns, pairs(&expected), "{vendor:?}");
    }
}

#[test]
fn tools_that_a_model_wants_to_call_are_its_messages() {
    for vendor in VENDORS {
        let answer = || {
            Answer::text("ok, I look")
                .call("search", json!({"q": "Paris"}))
                .call("open", json!({"n": 1}))
        };
        let server = server().then(answer()).then(answer());
        let project = project_of(&[target("agent", vendor, &server, &json!({}))], &["a"]);
        let run = project.run(&["invoke", "suite.yaml", "--target", "agent"]);
        assert_eq!(run.code, Some(0), "{}", run.seen());
        let response = lines(&run.stdout)[0]["response"].clone();
        assert_eq!(response["text"], "ok, I look", "{vendor:?}");
        let calls = &response["outputMessages"][0]["toolCalls"];
        assert_eq!(calls[0]["tool"], "search", "{response}");
        assert_eq!(calls[0]["input"], json!({"q": "Paris"}), "{response}");
        assert_eq!(calls[1]["tool"], "open", "{response}");

        let graded = json!({
            "evaluators": [{"type": "tool_trajectory", "mode": "exact",
                            "expected": [{"tool": "search"}, {"tool": "open"}]}],
            "evalcases": [{"id": "a", "input": "Go"}],
        });
        project.write("suite.yaml", graded.to_string());
        let row = row(&project, 0);
        assert_eq!(row["trace_summary"]["toolNames"], json!(["open", "search"]), "{row}");
    }
}

#[test]
fn a_schema_of_the_target_holds_its_answers_to_a_form() {
    let schema = json!({"type": "object", "required": ["city"], "additionalProperties": false,
                        "properties": {"city": {"type": "string"}}});
    for vendor in VENDORS {
        let server = server().then(Answer::json(json!({"city": "ok"})));
        let settings = json!({"output_schema": schema});
        let project = project_of(&[target("agent", vendor, &server, &settings)], &["a"]);
        let row = row(&project, 0);
        let answer: Value =
            serde_json::from_str(row["candidate_answer"].as_str().unwrap()).unwrap();
        assert_eq!(answer, json!({"city": "ok"}), "{vendor:?}");
        let asked = the_only(server.asked());
        assert_eq!(asked.schema().unwrap()["properties"]["city"]["type"], "string", "{asked:?}");
    }
}

#[test]
fn every_vendor_can_judge() {
    for vendor in VENDORS {
        let server = server().answers(|asked| {
            if is_judging(asked) {
                judgement().usage(30, 20)
            } else {
                Answer::text("It is Paris").usage(3, 2)
            }
        });
        let project = judged(vendor, &server, &json!({}));
        let row = row(&project, 0);
        let result = &row["evaluator_results"][0];
        assert_eq!((&result["score"], &result["reasoning"]), (&json!(0.9), &json!("near")));
        assert_eq!(result["judge"]["target"], "judge", "{row}");
        let usage = &result["judge"]["token_usage"];
        assert_eq!((&usage["input"], &usage["output"]), (&json!(30), &json!(20)), "{row}");
        // What the judge took is not the target's.
        let usage = &row["token_usage"];
        assert_eq!((&usage["input"], &usage["output"]), (&json!(3), &json!(2)), "{row}");
        let asked = server.asked();
        assert_eq!(asked.len(), 2, "{asked:#?}");
        assert!(asked[1].prompt().contains("It is Paris"), "{:#?}", asked[1]);
    }
}

#[test]
fn a_key_can_come_from_a_file_of_variables_and_the_process_wins() {
    let server = server();
    let project = project(&server, &json!({"api_key": "${{ FILE_KEY }}"}), &["a"])
        .file(".env", format!("FILE_KEY={KEY}\nMODEL_KEY=sk-wrong\n"));
    row(&project, 0);
    let asked = the_only(server.asked());
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

#[test]
fn a_key_that_is_not_set_is_told_before_anybody_is_asked() {
    for vendor in VENDORS {
        let server = server();
        let settings = json!({"api_key": "${{ NOBODY_SETS_THIS }}"});
        let project = project_of(&[target("agent", vendor, &server, &settings)], &["a"]);
        let run = eval(&project);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains("NOBODY_SETS_THIS"), "{}", run.seen());
        assert!(run.stderr.contains("api_key"), "{}", run.seen());
        assert_eq!(server.connections(), 0);
    }
}

#[test]
fn validate_asks_nobody() {
    let server = server();
    let project = project(&server, &json!({}), &["a"]);
    assert_eq!(project.run(&["validate", "suite.yaml"]).code, Some(0));
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_base_url_may_end_with_a_slash() {
    for vendor in VENDORS {
        let server = server();
        let mut target = target("agent", vendor, &server, &json!({}));
        let key = if vendor == Vendor::Azure { "endpoint" } else { "base_url" };
        target[key] = json!(format!("{}/", target[key].as_str().unwrap()));
        row(&project_of(&[target], &["a"]), 0);
    }
}

#[test]
fn one_run_asks_models_of_several_vendors() {
    let server = server();
    let targets: Vec<Value> = VENDORS
        .iter()
        .map(|vendor| target(&format!("{vendor:?}"), *vendor, &server, &json!({})))
        .collect();
    let project = project_of(&targets, &["a", "b"]);
    let names: Vec<String> = VENDORS.iter().map(|vendor| format!("{vendor:?}")).collect();
    let mut args = vec!["eval", "suite.yaml"];
    args.extend(names.iter().flat_map(|name| ["--target", name]));
    let run = project.run(&args);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(rows(&project).len(), 10);
    assert_eq!(server.asked().len(), 10);
}

#[test]
fn an_answer_of_ten_megabytes_is_an_answer() {
    let server = server().then(Answer::giant(10_000_000));
    let project = project(&server, &json!({}), &["a"]);
    let row = row(&project, 1);
    assert_eq!(row["candidate_answer"].as_str().unwrap().len(), 10_000_000);
}

#[test]
fn a_key_of_the_request_can_be_added_and_a_header_too() {
    let server = server();
    let settings = json!({
        "headers": {"X-Team": "blue"}, "extra_body": {"seed": 7, "top_p": 0.5},
    });
    row(&project(&server, &settings, &["a"]), 0);
    let asked = the_only(server.asked());
    assert_eq!(asked.header("x-team"), Some("blue"));
    assert_eq!((&asked.body["seed"], &asked.body["top_p"]), (&json!(7), &json!(0.5)));
}

#[test]
fn a_cost_is_known_where_the_price_is() {
    let answer = || Answer::text("ok").usage(1_000_000, 100_000);
    let server = server().answers(move |_| answer());
    let unpriced = row(&project(&server, &json!({}), &["a"]), 0);
    // The list prices are the vendor's own; what stands behind another address is unknown.
    assert!(unpriced["cost_usd"].is_null(), "{unpriced}");
    let settings = json!({"prices": {"input": 2.0, "output": 10.0}});
    let priced = row(&project(&server, &settings, &["a"]), 0);
    assert_eq!(priced["cost_usd"], 3.0, "{priced}");
}

/// What it begins with may be a quotation, or half of what it meant to say.
#[test]
fn a_judge_that_was_cut_off_or_refuses_gives_no_score() {
    for vendor in VENDORS {
        for (finish, told) in
            [(Finish::Length, "was cut off"), (Finish::Refusal, "refused to judge")]
        {
            let server = server().answers(move |asked: &Asked| {
                let verdict = judgement().usage(10, 5).finish(finish);
                if is_judging(asked) { verdict } else { Answer::text("Paris") }
            });
            let row = &row(&judged(vendor, &server, &json!({})), 3);
            assert!(row["score"].is_null(), "{vendor:?}: {row}");
            // Gemini blocks the question where others refuse to answer.
            let error = row["error"].as_str().unwrap();
            assert!(error.contains(told) || error.contains("was blocked: `SAFETY`"), "{row}");
            let judge = &row["evaluator_results"][0]["judge"];
            assert_eq!(judge["asks"], 1, "{row}");
            let kept = judge["token_usage"]["input"] == 10;
            assert!(kept || error.contains("blocked"), "what it took is kept: {row}");
        }
    }
}
