//! What becomes of the settings of every kind of model target.

use agentv_base::{ChatMessage, ChatRole, Diagnostic, Node, Severity, Span};
use serde_json::{Value, json};

use super::*;
use crate::provider::{
    anthropic::Anthropic,
    azure::Azure,
    gemini::Gemini,
    kind_called,
    model::wire::{Ask, Outgoing},
    openai::{Openai, Openrouter},
};

const KINDS: &[&dyn ModelKind] = &[&Openai, &Openrouter, &Azure, &Anthropic, &Gemini];

fn spec(target: &Value) -> TargetSpec {
    let provider = target["provider"].as_str().unwrap();
    TargetSpec {
        name: "t".into(),
        name_span: Span::default(),
        provider: provider.trim().to_lowercase().into(),
        provider_span: Span::default(),
        workers: None,
        judge_target: None,
        node: Node::from_json(target),
        definition: Value::Null,
        prices: Arc::default(),
        file: "targets.yaml".into(),
    }
}

/// The parts of a target, and what is said against its settings.
fn read(target: &Value) -> (Option<ModelParts>, Vec<String>) {
    let (parts, problems) = read_whole(target);
    (parts, problems.into_iter().map(|problem| problem.message).collect())
}

fn problems_of(target: &Value) -> Vec<Diagnostic> {
    read_whole(target).1.into_iter().collect()
}

fn read_whole(target: &Value) -> (Option<ModelParts>, Problems) {
    let spec = spec(target);
    let kind = kind_called(&spec.provider).unwrap();
    let kind = KINDS.iter().find(|known| ModelKind::name(**known) == kind.name()).unwrap();
    let mut problems = Problems::default();
    let tables = [TARGET_KEYS, ModelKind::keys(*kind)];
    let fields = Fields::read(&spec.node, "target", &tables, &mut problems).unwrap();
    let parts = kind.parts(&spec, &fields, &mut problems);
    (parts, problems)
}

fn parts(target: &Value) -> ModelParts {
    let (parts, said) = read(target);
    assert_eq!(said, [""; 0], "{target}");
    parts.unwrap()
}

fn asked(target: &Value) -> Outgoing {
    let chat = [ChatMessage { role: ChatRole::User, content: "Hi".to_owned() }];
    parts(target).wire.request(&Ask { chat: &chat, schema: None })
}

/// What is said against a target that has something wrong.
fn said(target: &Value) -> Vec<String> {
    let (_, said) = read(target);
    said
}

#[test]
fn each_kind_asks_at_its_address_with_its_header() {
    let check = |target: Value, url: &str, headers: &[(&str, &str)]| {
        let asked = asked(&target);
        let found: Vec<(&str, &str)> =
            asked.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!((asked.url.as_str(), found.as_slice()), (url, headers), "{target}");
    };
    let key = "sk-1";
    let bearer = ("authorization", "Bearer sk-1");
    check(
        json!({"provider": "openai", "model": "gpt-4.1", "api_key": key}),
        "https://api.openai.com/v1/chat/completions",
        &[bearer],
    );
    check(
        json!({"provider": "OpenAI", "model": "m", "api_key": key, "apiFormat": "responses"}),
        "https://api.openai.com/v1/responses",
        &[bearer],
    );
    check(
        json!({"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:11434/v1//"}),
        "http://127.0.0.1:11434/v1/chat/completions",
        &[],
    );
    check(
        json!({"provider": "openrouter", "model": "a/b", "api_key": key, "headers": {"X-Title": 7}}),
        "https://openrouter.ai/api/v1/chat/completions",
        &[("x-title", "7"), bearer],
    );
    check(
        json!({"provider": "anthropic", "variant": "claude", "api_key": " sk-1\n"}),
        "https://api.anthropic.com/v1/messages",
        &[("x-api-key", "sk-1"), ("anthropic-version", "2023-06-01")],
    );
    check(
        json!({"provider": "anthropic", "model": "claude", "base_url": "https://gate.example/a/",
            "headers": {"Anthropic-Version": "2099-01-01"}}),
        "https://gate.example/a/v1/messages",
        &[("anthropic-version", "2099-01-01")],
    );
    check(
        json!({"provider": "google-gemini", "api_key": key}),
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
        &[("x-goog-api-key", "sk-1")],
    );
    check(
        json!({"provider": "google", "model": "models/a b?c", "base_url": "http://localhost:1"}),
        "http://localhost:1/v1beta/models/a%20b%3Fc:generateContent",
        &[],
    );
}

#[test]
fn azure_is_asked_by_resource_or_address() {
    let version = "2024-12-01-preview";
    for (target, url) in [
        (
            json!({"resource": "mine", "deployment": "d"}),
            format!("https://mine.openai.azure.com/openai/deployments/d/chat/completions?api-version={version}"),
        ),
        (
            json!({"endpoint": "https://mine.openai.azure.com/", "model": "d",
                "version": "api-version=2025-01-01"}),
            "https://mine.openai.azure.com/openai/deployments/d/chat/completions?api-version=2025-01-01".to_owned(),
        ),
        (
            json!({"endpoint": "http://127.0.0.1:9/gate/openai", "deploymentName": "d/e"}),
            format!("http://127.0.0.1:9/gate/openai/deployments/d%2Fe/chat/completions?api-version={version}"),
        ),
    ] {
        let mut target = target;
        target["provider"] = json!("azure-openai");
        target["api_key"] = json!("sk-1");
        target["max_tokens"] = json!(9);
        let asked = asked(&target);
        assert_eq!(asked.url, url);
        assert_eq!(asked.headers, [("api-key".to_owned(), "sk-1".to_owned())]);
        let body = json!({"messages": [{"role": "user", "content": "Hi"}],
            "max_completion_tokens": 9});
        assert_eq!(asked.body, body);
    }
}

#[test]
fn the_limit_has_the_newer_name_at_the_vendor_only() {
    for (base_url, name, vendors_own) in [
        (json!(null), "max_completion_tokens", true),
        (json!("https://eu.api.openai.com/v1"), "max_completion_tokens", true),
        (json!("https://not-api.openai.com/v1"), "max_tokens", false),
        (json!("http://localhost:8000/v1"), "max_tokens", false),
    ] {
        let target = json!({"provider": "openai", "model": "m", "api_key": "k",
            "base_url": base_url, "max_output_tokens": 9});
        assert_eq!(asked(&target).body[name], 9, "{target}");
        assert_eq!(parts(&target).vendors_own, vendors_own, "{target}");
    }
    let target = json!({"provider": "openrouter", "model": "m", "api_key": "k", "maxTokens": 9});
    assert_eq!(asked(&target).body["max_tokens"], 9);
    assert!(!parts(&target).vendors_own);
}

#[test]
fn a_model_may_stand_behind_its_provider() {
    for (provider, model, path) in [
        ("openai:gpt-4o", "gpt-4o", "/chat/completions"),
        ("openai:chat:GPT-4o", "GPT-4o", "/chat/completions"),
        ("OpenAI:responses:gpt-4o", "gpt-4o", "/responses"),
        ("openai:llama3:8b", "llama3:8b", "/chat/completions"),
        ("openai:chat:llama3:8b", "llama3:8b", "/chat/completions"),
        ("openrouter:a/b", "a/b", "/chat/completions"),
        ("anthropic:messages:claude", "claude", "/v1/messages"),
        ("google:gemini-pro", "gemini-pro", "/models/gemini-pro:generateContent"),
    ] {
        let target = json!({"provider": provider, "api_key": "k"});
        assert_eq!(parts(&target).model, model);
        assert!(asked(&target).url.ends_with(path), "{}", asked(&target).url);
    }
    let both = json!({"provider": "openai:responses", "model": "m", "api_key": "k"});
    assert_eq!(parts(&both).model, "m");
    let same = json!({"provider": "openai:m", "model": "m", "api_key": "k"});
    assert_eq!(parts(&same).model, "m");
    for (target, message) in [
        (
            json!({"provider": "openai:a", "model": "b"}),
            "`provider` names the model `a`, and `model` another",
        ),
        (
            json!({"provider": "openai:chat:a", "api_format": "responses"}),
            "`provider` names one form of its API, and `api_format` another",
        ),
        (json!({"provider": "openai:"}), "no model stands behind the last `:` of `provider`"),
        (json!({"provider": "openai:chat:"}), "no model stands behind the last `:` of `provider`"),
        (
            json!({"provider": "openai:embeddings:x"}),
            "`embeddings` is no form that a model is asked in here",
        ),
        (
            json!({"provider": "azure:chat:a", "deployment": "b", "endpoint": "x"}),
            "`provider` names the model `a`, and `deployment` another",
        ),
    ] {
        let mut target = target;
        target["api_key"] = json!("k");
        assert_eq!(said(&target), [message], "{target}");
    }
}

#[test]
fn a_provider_without_a_model_has_nothing_behind_it() {
    assert!(kind_called("cli:x").is_none());
    assert!(kind_called("unheard-of:x").is_none());
}

#[test]
fn what_is_sent_is_what_was_set() {
    let schema = json!({"type": "object", "properties": {}});
    let target = json!({"provider": "openai", "model": "m", "api_key": "k", "temperature": "0.5",
        "system_prompt": "Be brief.", "extra_body": {"seed": 1}, "output_schema": schema});
    let parts = parts(&target);
    assert_eq!(parts.system_prompt.as_deref(), Some("Be brief."));
    assert_eq!(parts.output_schema.as_deref(), Some(&schema));
    let body = asked(&target).body;
    assert_eq!((&body["temperature"], &body["seed"]), (&json!(0.5), &json!(1)));
}

#[test]
fn a_key_is_needed_at_the_vendor_unless_a_header_says_who_asks() {
    for provider in ["openai", "openrouter", "anthropic", "gemini", "azure"] {
        let mut target = json!({"provider": provider, "model": "m"});
        if provider == "azure" {
            target["endpoint"] = json!("mine");
        }
        assert_eq!(said(&target), ["target needs `api_key`"], "{provider}");
        target["headers"] = json!({"Authorization": "Bearer x"});
        assert_eq!(said(&target), [""; 0], "{provider}");
    }
    let twice = json!({"provider": "openai", "model": "m", "api_key": "k",
        "headers": {"Authorization": "Bearer x"}});
    assert_eq!(said(&twice), ["`api_key` is sent as `authorization`, which `headers` sets too"]);
}

#[test]
fn a_missing_key_is_not_an_invitation_to_write_it_down() {
    for (provider, variable) in [
        ("openai", "OPENAI_API_KEY"),
        ("openrouter", "OPENROUTER_API_KEY"),
        ("azure", "AZURE_OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
    ] {
        let mut target = json!({"provider": provider, "model": "m"});
        if provider == "azure" {
            target["endpoint"] = json!("mine");
        }
        let problems = problems_of(&target);
        let hint = problems.iter().find_map(|problem| problem.hint.clone());
        assert_eq!(hint, Some(format!("add `api_key: ${{{{ {variable} }}}}`")));
    }
}

#[test]
fn a_variable_that_would_be_sent_as_a_key_is_told() {
    let check = |key: &str, name: &str| {
        let target = match name {
            "api_key" => json!({"provider": "openai", "model": "m", "api_key": key}),
            _ => json!({"provider": "openai", "model": "m", "headers": {"Authorization": key}}),
        };
        let problems = problems_of(&target).into_iter();
        let told = problems.map(|it| (it.severity == Severity::Error, it.message, it.hint));
        told.map(|(is_error, message, hint)| {
            format!("{is_error}: {message}; {}", hint.unwrap_or_default())
        })
        .collect::<Vec<_>>()
    };
    let error = "true: `api_key` is no variable as it is written here, and would be sent; did you \
                 mean `${{ STUB_KEY }}`?";
    assert_eq!(check("$STUB_KEY", "api_key"), [error]);
    assert_eq!(check("${STUB_KEY}", "api_key"), [error]);
    assert_eq!(
        check("Bearer ${TOKEN}", "header"),
        ["true: `headers.authorization` is no variable as it is written here, and would be sent; \
          did you mean `${{ TOKEN }}`?"]
    );
    assert_eq!(
        check("OPENAI_API_KEY", "api_key"),
        [
            "false: `api_key` is the name of a variable, and is sent as it is; write `${{ … }}` around \
          it to send what the variable holds"
        ]
    );
    for key in ["sk-proj-A_B", "none", "EMPTY", "$", "${}", "$ab", "AKIA0123456789"] {
        assert_eq!(check(key, "api_key"), [""; 0], "{key}");
    }
}

#[test]
fn every_mistake_is_told_at_once() {
    let all = json!({
        "provider": "openai", "api_key": "a\u{7}b", "temperature": -1, "max_output_tokens": 0,
        "system_prompt": " ", "headers": {"a b": "x", "Content-Type": "x", "X": "a\nb", "Y": []},
        "extra_body": {"stream": true, "n": 2}, "structured_output": "perhaps",
        "output_schema": {"type": "array"}, "base_url": "https://u:p@host/v1", "api_format": "old",
        "modle": "m",
    });
    let expected = [
        "unknown key `modle` in target",
        "unknown api_format `old`",
        "`base_url` has a name or a password in it",
        "not a name of a header",
        "header `content-type` is set by AgentV itself",
        "`headers.x` has characters in it that no header can have",
        "`headers.y` must be a string, not a list",
        "`api_key` has characters in it that no key has",
        "`max_output_tokens` must be a whole number of at least 1",
        "`structured_output` must be true or false, not a string",
        "`temperature` must not be negative",
        "`stream` cannot be a part of `extra_body`: answers are read whole",
        "`n` cannot be a part of `extra_body`: there is one answer to a case",
        "`system_prompt` of target is blank",
        "`output_schema` must describe an object",
    ];
    assert_eq!(said(&all), expected);
}

#[test]
fn an_address_is_whole_and_only_the_part_before_what_is_added() {
    for (provider, base_url, message) in [
        ("openai", "localhost:8000/v1", "`base_url` is no http or https address"),
        ("openai", "ftp://host/v1", "`base_url` is no http or https address"),
        ("openai", "http://", "`base_url` is no http or https address"),
        ("openai", "https://host/v1?key=x", "`base_url` has a query or a fragment in it"),
        (
            "openai",
            "https://host/v1/chat/completions",
            "`base_url` is only the part before `/chat/completions`",
        ),
        ("openai", "https://host/v1/responses/", "`base_url` is only the part before `/responses`"),
        ("anthropic", "https://host/v1", "`base_url` is only the part before `/v1`"),
        ("gemini", "https://host/v1beta", "`base_url` is only the part before `/v1beta`"),
        ("openai", "  ", "`base_url` of target is blank"),
    ] {
        let target = json!({"provider": provider, "model": "m", "base_url": base_url});
        assert_eq!(said(&target), [message], "{base_url}");
    }
    for (endpoint, message) in [
        ("mine.openai.azure.com", "`endpoint` is no http or https address"),
        ("https://host/openai/deployments/d", "`endpoint` is only the part before `/openai`"),
        ("https://host/openai/v1", "`endpoint` is only the part before `/openai`"),
    ] {
        let target =
            json!({"provider": "azure", "model": "m", "api_key": "k", "endpoint": endpoint});
        assert_eq!(said(&target), [message], "{endpoint}");
    }
    let target = json!({"provider": "azure", "model": "m", "api_key": "k", "endpoint": "x",
        "version": "a&b=c"});
    assert_eq!(said(&target), ["`api_version` is no version"]);
}

#[test]
fn settings_that_contradict_each_other_are_wrong() {
    let claude = |more: Value| {
        let mut target = json!({"provider": "anthropic", "model": "m", "api_key": "k"});
        target.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        said(&target)
    };
    assert_eq!(claude(json!({"thinking_budget": 2000, "temperature": 1})), [""; 0]);
    assert_eq!(
        claude(json!({"thinking_budget": 100, "temperature": 0, "max_tokens": 100})),
        [
            "`thinking_budget` must be at least 1024",
            "`max_output_tokens` must be greater than `thinking_budget`",
            "a model that thinks takes no `temperature` but 1",
        ]
    );
    let schema = json!({"type": "object"});
    assert_eq!(
        claude(json!({"output_schema": schema, "extra_body": {"tools": []}})),
        ["`output_schema` does nothing beside `extra_body.tools`"]
    );
    assert_eq!(
        claude(json!({"output_schema": schema, "structured_output": false})),
        ["`output_schema` does nothing with `structured_output: false`"]
    );
}

#[test]
fn a_kind_lists_its_own_keys_and_then_those_of_every_model() {
    for kind in KINDS {
        let own: Vec<&str> = kind.own_keys().iter().map(|key| key.name).collect();
        let shared = MODEL_TARGET.tables.iter().copied().flatten().map(|key| key.name);
        let all: Vec<&str> = ModelKind::keys(*kind).iter().map(|key| key.name).collect();
        assert_eq!(all, own.into_iter().chain(shared).collect::<Vec<_>>());
        assert!(own_names_are_unique(&all), "{all:?}");
    }
}

fn own_names_are_unique(names: &[&str]) -> bool {
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len() == names.len()
}
