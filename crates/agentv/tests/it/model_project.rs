//! Projects whose targets are models, and the server that stands for them.

use std::{fs, path::Path};

use agentv_testkit::{Answer, Asked, ModelServer, Project, Run, Vendor};
use serde_json::{Value, json};

use crate::project::{empty, rows, suite};

/// The key that the server asks for; projects have it in the variable `MODEL_KEY`.
pub const KEY: &str = "sk-test-5d2f8e";

pub const VENDORS: [Vendor; 5] =
    [Vendor::OpenaiChat, Vendor::OpenaiResponses, Vendor::Azure, Vendor::Anthropic, Vendor::Gemini];

/// A server that takes only the key of these projects.
pub fn server() -> ModelServer {
    ModelServer::start().key(KEY)
}

/// A target that asks this server in the form of a vendor, with further settings. It waits for
/// next to nothing before it tries again.
pub fn target(name: &str, vendor: Vendor, server: &ModelServer, settings: &Value) -> Value {
    let mut target = match vendor {
        Vendor::OpenaiChat => {
            json!({"provider": "openai", "base_url": server.openai_url(), "model": "gpt-4o-mini"})
        }
        Vendor::OpenaiResponses => json!({
            "provider": "openai", "api_format": "responses", "base_url": server.openai_url(),
            "model": "gpt-4o-mini",
        }),
        Vendor::Azure => json!({
            "provider": "azure", "endpoint": server.azure_url(), "deployment": "gpt-4o-mini",
            "api_version": "2024-12-01-preview",
        }),
        Vendor::Anthropic => json!({
            "provider": "anthropic", "base_url": server.anthropic_url(), "model": "gpt-4o-mini",
        }),
        Vendor::Gemini => json!({
            "provider": "gemini", "base_url": server.gemini_url(), "model": "gpt-4o-mini",
        }),
    };
    let fields = target.as_object_mut().unwrap();
    fields.insert("name".into(), json!(name));
    fields.insert("api_key".into(), json!("${{ MODEL_KEY }}"));
    fields.insert("retry_initial_delay_ms".into(), json!(1));
    fields.extend(settings.as_object().unwrap().clone());
    target
}

/// A project with these targets, the key, and a suite of these cases that pass if the answer
/// contains `ok`.
pub fn project_of(targets: &[Value], ids: &[&str]) -> Project {
    empty()
        .file(".agentv/targets.yaml", json!({"targets": targets}).to_string())
        .file("suite.yaml", suite(ids))
        .env("MODEL_KEY", KEY)
}

/// A project whose only target, `agent`, asks the server as it asks OpenAI.
pub fn project(server: &ModelServer, settings: &Value, ids: &[&str]) -> Project {
    project_of(&[target("agent", Vendor::OpenaiChat, server, settings)], ids)
}

/// The model of those who judge.
pub const JUDGE: &str = "gpt-judge";

/// Makes a target that of a judge.
pub fn as_judge(mut target: Value, vendor: Vendor) -> Value {
    target[if vendor == Vendor::Azure { "deployment" } else { "model" }] = json!(JUDGE);
    target
}

/// Whether a judge was asked.
pub fn is_judging(asked: &Asked) -> bool {
    asked.model() == Some(JUDGE)
}

/// What a judge says of a good answer.
pub fn judgement() -> Answer {
    Answer::json(json!({"score": 0.9, "reasoning": "near", "hits": ["city"], "misses": []}))
}

/// A project in which a model is judged by a model, both at this server and both asked in the form
/// of the vendor.
pub fn judged(vendor: Vendor, server: &ModelServer, settings: &Value) -> Project {
    let judge = as_judge(target("judge", vendor, server, settings), vendor);
    let agent = target("agent", vendor, server, &json!({"judge_target": "judge"}));
    let suite = json!({
        "evaluators": [{
            "name": "weighed",
            "type": "composite",
            "evaluators": [{"name": "said", "type": "contains", "value": "Paris"}],
            "aggregator": "llm_judge",
        }],
        "evalcases": [{"id": "a", "input": "The capital?"}],
    });
    project_of(&[agent, judge], &[]).file("suite.yaml", suite.to_string())
}

/// Runs the suite against `agent`.
pub fn eval(project: &Project) -> Run {
    project.run(&["eval", "suite.yaml", "--target", "agent"])
}

/// Runs the suite, which must end so, and returns the row of its only case.
pub fn row(project: &Project, code: i32) -> Value {
    let run = eval(project);
    assert_eq!(run.code, Some(code), "{}\n{}", run.seen(), project.rows_text());
    let mut rows = rows(project);
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

/// The kind and the text of the error of the only case, which could not be evaluated: no score, no
/// verdict, exit code 3.
pub fn error(project: &Project) -> (String, String) {
    let row = row(project, 3);
    assert_eq!(row["status"], "error", "{row}");
    assert!(row["score"].is_null() && row["verdict"].is_null(), "{row}");
    let text = |key: &str| row[key].as_str().unwrap().to_owned();
    (text("error_kind"), text("error"))
}

/// Every file below a folder, with its path, as text.
pub fn everything_in(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(everything_in(&path));
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            found.push((path.display().to_string(), text));
        }
    }
    found
}
