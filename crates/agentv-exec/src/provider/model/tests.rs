//! A model asked over real HTTP on loopback: what it says, and everything that can go wrong. The
//! wire is a small one of our own.

mod dead_ends;
mod server;

use std::{collections::BTreeSet, net::TcpListener, path::Path};

use agentv_base::{
    BoxFuture, FREE_KEYS, Messages, Node, ProcessFault, ProcessOutput, ProcessRunner, ProcessSpec,
    Redactor, SourceId, Span, Stop, StopLevel, TARGET_KEYS, TokenUsage, ToolCall,
};
use serde_json::json;

use self::server::{Server, Step, answer, ok};
use super::{wire::Outgoing, *};

const KEY: &str = "sk-canary-0123456789";

const TRAITS: Traits = Traits { model_key: "model", address_key: "base_url", also_retried: &[529] };

/// Says `{"chat": …, "schema": …}` and understands `{"text", "usage", "finish", "call"}`.
struct Plain {
    url: String,
    key: String,
}

impl Wire for Plain {
    fn request(&self, ask: &Ask<'_>) -> Outgoing {
        Outgoing {
            url: format!("{}/chat", self.url),
            headers: vec![("authorization".to_owned(), format!("Bearer {}", self.key))],
            body: json!({"chat": ask.chat, "schema": ask.schema}),
        }
    }

    fn read(&self, body: &[u8]) -> Result<Reply, String> {
        let body: Value =
            serde_json::from_slice(body).map_err(|error| format!("is no JSON: {error}"))?;
        let text = body.get("text").and_then(Value::as_str).ok_or("has no `text`")?;
        let call = |call: &Value| Message {
            role: "assistant".to_owned(),
            name: None,
            content: None,
            tool_calls: vec![ToolCall {
                tool: call.as_str().unwrap().to_owned(),
                input: None,
                output: None,
                id: None,
                timestamp: None,
                duration_ms: None,
            }],
            timestamp: None,
            metadata: None,
        };
        let usage = |usage: &Value| serde_json::from_value::<TokenUsage>(usage.clone()).unwrap();
        Ok(Reply {
            text: text.to_owned(),
            output_messages: body.get("call").map(|it| vec![call(it)]),
            token_usage: body.get("usage").map(usage),
            cache_written: 0,
            model: body.get("model").and_then(Value::as_str).map(str::to_owned),
            finish_reason: body.get("finish").and_then(Value::as_str).map(str::to_owned),
        })
    }

    fn error_in(&self, body: &[u8]) -> Option<String> {
        let body: Value = serde_json::from_slice(body).ok()?;
        Some(body.get("error")?.as_str()?.to_owned())
    }

    fn dead_end(&self, body: &[u8]) -> Option<&'static str> {
        self.error_in(body).filter(|error| error == "no quota").map(|_| "pay first")
    }
}

struct Idle;

impl ProcessRunner for Idle {
    fn run(&self, _spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessOutput, ProcessFault>> {
        Box::pin(async { Err(ProcessFault::Interrupted) })
    }
}

/// A target at an address, with what its run knows.
struct Target {
    provider: Arc<dyn Provider>,
    stop: Stop,
    told: Arc<Mutex<Vec<String>>>,
}

fn target(url: &str, settings: Value) -> Target {
    target_with(url, KEY, settings)
}

/// Retries come at once, and a target that hangs fails its test, unless the settings say otherwise.
fn target_with(url: &str, key: &str, mut settings: Value) -> Target {
    let defaults = json!({"retry_initial_delay_ms": 1, "timeout_seconds": 60});
    for (name, value) in defaults.as_object().unwrap() {
        settings.as_object_mut().unwrap().entry(name).or_insert(value.clone());
    }
    let span = Span { source: SourceId::default(), start: 0, end: 0 };
    let spec = TargetSpec {
        name: "model".into(),
        name_span: span,
        provider: "plain".into(),
        provider_span: span,
        workers: None,
        judge_target: None,
        node: Node::from_json(&settings),
        definition: Value::Null,
        file: "/targets.yaml".into(),
        prices: Arc::default(),
    };
    let told = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&told);
    let stop = Stop::default();
    let services = Services {
        processes: Arc::new(Idle),
        scratch: None,
        stop: stop.clone(),
        redactor: Redactor::default(),
        agent_timeout: None,
        journal: Arc::new(move |line| hears.lock().unwrap().push(line.to_owned())),
        verbose: false,
        network: Arc::default(),
    };
    let mut problems = Problems::default();
    let fields = Fields::read(&spec.node, "target", &[SENDING_KEYS], &mut problems).unwrap();
    let parts = ModelParts {
        wire: Box::new(Plain { url: url.to_owned(), key: key.to_owned() }),
        model: "m".to_owned(),
        vendors_own: false,
        system_prompt: Some("Be brief.".to_owned()),
        output_schema: Some(Arc::new(json!({"of": "target"}))),
    };
    let provider = build(&spec, &fields, parts, TRAITS, &services, &mut problems);
    assert!(problems.is_empty(), "{problems:?}");
    Target { provider: provider.unwrap(), stop, told }
}

impl Target {
    async fn ask(&self) -> Result<Response, Failure> {
        self.ask_for(&json!([{"role": "user", "content": "Why?"}]), None).await
    }

    async fn ask_for(&self, messages: &Value, schema: Option<Value>) -> Result<Response, Failure> {
        let messages = messages.as_array().unwrap().iter().map(Node::from_json).collect();
        let input = Input {
            eval_id: "a".into(),
            suite_file: Path::new("/s.yaml").into(),
            messages: Messages::new(messages),
            files: Vec::new(),
            guideline_files: Vec::new(),
            conversation_id: None,
        };
        let output_schema = schema.map(Arc::new);
        let request = Request { input: Arc::new(input), attempt: 0, repeat: 1, output_schema };
        let answers = self.provider.invoke(vec![request]).await;
        // Nothing that is said or kept has the key in it.
        let shown = match &answers {
            Err(failure) => failure.message.to_string(),
            Ok(_) => String::new(),
        };
        assert!(!shown.contains("canary"), "{shown}");
        match answers?.settle(0) {
            Answer::Given(response) => Ok(*response),
            Answer::Failed(failure) | Answer::Unanswered { failure, .. } => Err(failure),
        }
    }

    async fn fail(&self) -> (FailureKind, String) {
        let failure = self.ask().await.unwrap_err();
        let millis = failure.duration_ms;
        assert!(failure.kind == FailureKind::Interrupted || millis.is_some(), "{failure:?}");
        (failure.kind, failure.message.to_string())
    }
}

fn raw(response: &Response) -> &ModelRaw {
    match &response.raw {
        Raw::Model(raw) => raw,
        Raw::Command(_) | Raw::Record(_) => panic!("not of a model"),
    }
}

#[tokio::test]
async fn an_answer_has_its_words_its_tokens_its_cost_and_its_origin() {
    let body = json!({"text": "Because.", "usage": {"input": 1000, "output": 100, "cached": 500},
        "model": "m-1", "finish": "stop"});
    let server = Server::new(vec![answer("200 OK", &["x-request-id: r-1"], &body.to_string())]);
    let prices = json!({"prices": {"input": 2, "output": 10, "cached_input": 1}});
    let response = target(&server.url, prices).ask().await.unwrap();
    assert_eq!(response.text, "Because.");
    assert_eq!(response.token_usage.unwrap().cached, Some(500));
    assert!((response.cost_usd.unwrap() - 0.0025).abs() < 1e-12, "{:?}", response.cost_usd);
    assert!(response.duration_ms.is_some());
    let expected = ModelRaw {
        model: "m-1".to_owned(),
        url: format!("{}/chat", server.url).into(),
        status: 200,
        finish_reason: Some("stop".to_owned()),
        request_id: Some("r-1".to_owned()),
        tries: 1,
    };
    assert_eq!(*raw(&response), expected);
}

#[tokio::test]
async fn what_nobody_prices_has_no_cost() {
    let server = Server::new(vec![ok(r#"{"text": "x", "usage": {"input": 1, "output": 1}}"#)]);
    let response = target(&server.url, json!({})).ask().await.unwrap();
    assert!(response.token_usage.is_some());
    assert_eq!(response.cost_usd, None);
    assert_eq!(raw(&response).model, "m");
}

#[tokio::test]
async fn a_request_says_what_the_author_wrote_and_nothing_else() {
    let server = Server::new(vec![ok(r#"{"text": "x"}"#)]);
    let target = target(&server.url, json!({}));
    let messages =
        json!([{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Why?"}]);
    target.ask_for(&messages, Some(json!({"of": "request"}))).await.unwrap();
    target.ask().await.unwrap();
    let requests = server.heard();
    let (head, body) = requests[0].split_once("\r\n\r\n").unwrap();
    let head = head.to_ascii_lowercase();
    assert!(head.starts_with("post /v1/chat http/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("\r\nuser-agent: agentv/{}\r\n", env!("CARGO_PKG_VERSION"))));
    assert!(head.contains("\r\ncontent-type: application/json\r\n"), "{head}");
    assert!(head.contains(&format!("\r\nauthorization: bearer {KEY}\r\n")), "{head}");
    let chat = json!([{"role": "system", "content": "Be brief.\n\nBe kind."}, {"role": "user", "content": "Why?"}]);
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body, json!({"chat": chat, "schema": {"of": "request"}}));
    let (_, body) = requests[1].split_once("\r\n\r\n").unwrap();
    let chat =
        json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]);
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body, json!({"chat": chat, "schema": {"of": "target"}}));
}

#[tokio::test]
async fn what_passes_is_tried_again_until_it_is_answered() {
    let page = "<html><title>Moved in</title>";
    let half = Step::Hang(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"text\"".to_vec());
    for trouble in [
        answer("500 Internal Server Error", &[], ""),
        answer("429 Too Many Requests", &["retry-after-ms: 2"], r#"{"error": "slow down"}"#),
        answer("503 Service Unavailable", &["retry-after: 0"], page),
        ok(page),
        ok(r#"{"text": "cut o"#),
        ok(""),
        half,
        Step::Hang(Vec::new()),
    ] {
        let server = Server::new(vec![trouble.clone(), trouble, ok(r#"{"text": "x"}"#)]);
        let response = target(&server.url, json!({})).ask().await.unwrap();
        assert_eq!((response.text.as_str(), raw(&response).tries), ("x", 3));
        assert_eq!(server.heard().len(), 3);
    }
}

#[tokio::test]
async fn what_does_not_pass_fails_after_the_last_try_with_its_cause() {
    let server = Server::new(vec![answer("503 Service Unavailable", &[], "overloaded\u{7}")]);
    let (kind, message) = target(&server.url, json!({"max_retries": 1})).fail().await;
    assert_eq!(kind, FailureKind::Http);
    let whole = format!(
        "{}/chat answered 503 Service Unavailable: overloaded\\u{{7}} (asked 2 times)",
        server.url
    );
    assert_eq!(message, whole);
    assert_eq!(server.heard().len(), 2);
    // A broken connection, and an answer that is none.
    for (step, kind, said) in [
        (
            Step::Hang(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{".to_vec()),
            FailureKind::Connection,
            "broke in the middle of its answer, after 1 bytes",
        ),
        (Step::Hang(Vec::new()), FailureKind::Connection, "broke: "),
        (
            ok("<!doctype html><title>Log in</title>"),
            FailureKind::Output,
            "answered 200 OK with an HTML page, `Log in` (asked 2 times",
        ),
        (ok("{\"text"), FailureKind::Output, "its answer is no JSON: EOF while parsing"),
    ] {
        let server = Server::new(vec![step]);
        let (found, message) = target(&server.url, json!({"max_retries": 1})).fail().await;
        assert_eq!(found, kind, "{message}");
        assert!(message.contains(said), "{message}");
        assert_eq!(server.heard().len(), 2, "{message}");
    }
}

#[tokio::test]
async fn what_will_not_pass_is_asked_once() {
    for (status, body, kind, said) in [
        (
            "400 Bad Request",
            "no response_format",
            FailureKind::Refused,
            "`structured_output: false`",
        ),
        (
            "401 Unauthorized",
            "",
            FailureKind::Refused,
            "answered 401 Unauthorized; check `api_key`",
        ),
        ("403 Forbidden", "", FailureKind::Refused, "answered 403 Forbidden"),
        ("404 Not Found", "", FailureKind::Refused, "; check `model` and `base_url` of the target"),
        ("422 Unprocessable Entity", "", FailureKind::Refused, "answered 422"),
        ("200 OK", r#"{"answer": 1}"#, FailureKind::Output, "its answer has no `text`"),
    ] {
        let server = Server::new(vec![answer(status, &[], body)]);
        let (found, message) = target(&server.url, json!({})).fail().await;
        assert_eq!(found, kind, "{message}");
        assert!(message.contains(said) && !message.contains("times"), "{message}");
        assert_eq!(server.heard().len(), 1, "{message}");
    }
}

#[tokio::test]
async fn a_key_that_the_server_repeats_is_nowhere() {
    let error = json!({"error": format!("wrong key {KEY}, really")}).to_string();
    let server = Server::new(vec![answer("401 Unauthorized", &[], &error)]);
    let verbose = target(&server.url, json!({"verbose": true}));
    let (_, message) = verbose.fail().await;
    assert!(message.contains("wrong key ***, really"), "{message}");
    let told = verbose.told.lock().unwrap().join("\n");
    assert!(told.contains("wrong key ***") && !told.contains("canary"), "{told}");
    let echo = json!({"text": format!("I am {KEY}"), "call": format!("use_{KEY}"),
        "finish": KEY, "model": KEY});
    let server =
        Server::new(vec![answer("200 OK", &[&format!("x-request-id: {KEY}")], &echo.to_string())]);
    let response = target(&server.url, json!({})).ask().await.unwrap();
    assert_eq!(response.text, "I am ***");
    assert!(!format!("{response:?}").contains("canary"), "{response:?}");
    // The word that a server of one's own is given for a key is a word like any other.
    let server = Server::new(vec![ok(r#"{"text": "Use not-needed."}"#)]);
    let response = target_with(&server.url, "not-needed", json!({})).ask().await.unwrap();
    assert_eq!(response.text, "Use not-needed.");
}

#[tokio::test]
async fn a_server_that_is_down_is_told_as_that() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://name:password@{}", listener.local_addr().unwrap());
    drop(listener);
    let down = target(&url, json!({"max_retries": 2}));
    let (kind, message) = down.fail().await;
    assert_eq!(kind, FailureKind::Connection);
    assert!(message.contains("could not be reached: "), "{message}");
    assert!(
        message.ends_with(" (asked 3 times); is the server running? Check `base_url`"),
        "{message}"
    );
    assert!(!message.contains("password"), "{message}");
    // Whoever meets the same cause has the same message, however long it waited.
    assert_eq!(down.fail().await, (kind, message));
}

#[tokio::test]
async fn https_where_only_http_is_spoken_is_told_once_and_as_that() {
    let greeting = Step::Hang(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n".to_vec());
    let server = Server::answering_at_once(greeting);
    let target = target(&server.url.replace("http:", "https:"), json!({}));
    let (kind, message) = target.fail().await;
    assert_eq!(kind, FailureKind::Connection);
    assert!(message.ends_with("Then `base_url` begins with `http://`"), "{message}");
    assert!(!message.contains("times"), "{message}");
}

#[tokio::test]
async fn statuses_of_the_service_s_own_are_tried_again_too() {
    let server = Server::new(vec![answer("529 Overloaded", &[], ""), ok(r#"{"text": "x"}"#)]);
    assert_eq!(target(&server.url, json!({})).ask().await.unwrap().text, "x");
    // Unless the target says after which.
    let server = Server::new(vec![answer("529 Overloaded", &[], ""), ok(r#"{"text": "x"}"#)]);
    let (kind, _) = target(&server.url, json!({"retry_status_codes": [500]})).fail().await;
    assert_eq!(kind, FailureKind::Refused);
}

#[tokio::test]
async fn a_server_that_is_slow_is_given_up_at_the_deadline() {
    let server = Server::new(vec![answer("500 Internal Server Error", &[], "oops"), Step::Silence]);
    let (kind, message) = target(&server.url, json!({"timeout_seconds": 0.3})).fail().await;
    assert_eq!(kind, FailureKind::Timeout);
    assert!(message.starts_with("timed out after 0.3 s (asked 2 times"), "{message}");
    assert!(
        message.ends_with(
            "; before that, {}/chat answered 500 Internal Server Error: oops"
                .replace("{}", &server.url)
                .as_str()
        ),
        "{message}"
    );
    // So is one that begins to answer and does not go on.
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{".to_vec();
    let server = Server::new(vec![Step::Say(head)]);
    let (kind, message) = target(&server.url, json!({"timeout_seconds": 0.2})).fail().await;
    assert_eq!((kind, message.as_str()), (FailureKind::Timeout, "timed out after 0.2 s"));
}

#[tokio::test]
async fn a_wait_beyond_the_deadline_is_not_begun_and_nobody_else_asks_either() {
    let headers = ["retry-after: 3600"];
    let server = Server::new(vec![answer("429 Too Many Requests", &headers, "later")]);
    let target = target(&server.url, json!({"timeout_seconds": 30}));
    let (kind, message) = target.fail().await;
    assert_eq!(kind, FailureKind::Http);
    assert!(message.contains("answered 429 Too Many Requests: later"), "{message}");
    assert!(message.contains("another try would come after the deadline of 30 s"), "{message}");
    let (kind, message) = target.fail().await;
    assert_eq!(kind, FailureKind::Http);
    assert!(message.starts_with("it was not asked: it answered 429 to another"), "{message}");
    assert_eq!(server.heard().len(), 1);
}

#[tokio::test]
async fn a_run_that_is_stopped_waits_for_nothing() {
    let headers = ["retry-after: 3600"];
    for step in [answer("503 Service Unavailable", &headers, ""), Step::Silence] {
        let server = Server::new(vec![step]);
        let target = target(&server.url, json!({"timeout_seconds": 100_000}));
        let stop = async {
            while server.heard().is_empty() {
                tokio::task::yield_now().await;
            }
            target.stop.raise(StopLevel::Terminate);
        };
        let ((kind, _), ()) = tokio::join!(target.fail(), stop);
        assert_eq!(kind, FailureKind::Interrupted);
        assert_eq!(target.fail().await.0, FailureKind::Interrupted);
        assert_eq!(server.heard().len(), 1);
    }
}

#[tokio::test]
async fn no_more_is_asked_at_once_than_the_gate_is_wide() {
    let server = Server::new(vec![Step::Silence]);
    let target = target(&server.url, json!({}));
    let stop = async {
        while server.heard().len() < 4 {
            tokio::task::yield_now().await;
        }
        target.stop.raise(StopLevel::Terminate);
    };
    let ask = || target.fail();
    let six = async { tokio::join!(ask(), ask(), ask(), ask(), ask(), ask()) };
    let (six, ()) = tokio::join!(six, stop);
    assert_eq!(six.5.0, FailureKind::Interrupted);
    assert_eq!(server.heard().len(), 4);
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_not_read() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 99000000\r\n\r\n".to_vec();
    let body = vec![b' '; 33 * 1024 * 1024];
    let server = Server::new(vec![Step::Say([head, body].concat())]);
    let (kind, message) = target(&server.url, json!({})).fail().await;
    assert_eq!((kind, message.as_str()), (FailureKind::Output, "its answer is longer than 32 MiB"));
    assert_eq!(server.heard().len(), 1);
}

#[tokio::test]
async fn a_body_that_is_missing_is_told_as_that() {
    let bare = Step::Say(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec());
    for (step, status) in [(bare, "204 No Content"), (ok(" \n"), "200 OK")] {
        let server = Server::new(vec![step]);
        let (kind, message) = target(&server.url, json!({"max_retries": 1})).fail().await;
        assert_eq!(kind, FailureKind::Output);
        let said = format!("answered {status} without a body (asked 2 times)");
        assert!(message.ends_with(&said), "{message}");
    }
}

#[tokio::test]
async fn heads_without_end_are_not_read() {
    let long = format!("HTTP/1.1 200 OK\r\nx-long: {}", "a".repeat(2_000_000)).into_bytes();
    let many = format!("HTTP/1.1 200 OK\r\n{}", "x-many: a\r\n".repeat(200_000)).into_bytes();
    for bytes in [long, many] {
        let server = Server::new(vec![Step::Say(bytes)]);
        let (kind, message) = target(&server.url, json!({"max_retries": 0})).fail().await;
        assert_eq!(kind, FailureKind::Connection);
        assert!(message.contains("message head is too large"), "{message}");
    }
}

#[tokio::test]
async fn an_older_http_is_understood() {
    let answer = b"HTTP/1.0 200 OK\r\n\r\n{\"text\": \"x\"}".to_vec();
    let server = Server::new(vec![Step::Hang(answer)]);
    assert_eq!(target(&server.url, json!({})).ask().await.unwrap().text, "x");
}

#[tokio::test]
async fn a_redirect_leads_nowhere() {
    let other = Server::new(vec![ok(r#"{"text": "x"}"#)]);
    let location = format!("location: {}/chat", other.url);
    for status in ["301 Moved Permanently", "307 Temporary Redirect"] {
        let server = Server::new(vec![answer(status, &[&location], "")]);
        let (kind, message) = target(&server.url, json!({})).fail().await;
        assert_eq!(kind, FailureKind::Refused);
        assert!(message.contains("are not followed"), "{message}");
    }
    assert_eq!(other.heard(), [""; 0]);
}

#[tokio::test]
async fn an_empty_answer_is_an_error_that_says_why_it_stopped_and_what_it_cost() {
    let body = json!({"text": " \n", "finish": "length", "usage": {"input": 5, "output": 7}});
    let server = Server::new(vec![ok(&body.to_string())]);
    let prices = json!({"prices": {"input": 1, "output": 1}});
    let failure = target(&server.url, prices).ask().await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Output);
    assert_eq!(
        &*failure.message,
        "its answer is empty (it stopped with `length`); all of its tokens were spent before it \
         said anything: raise `max_output_tokens`"
    );
    assert_eq!(failure.token_usage.unwrap().output, 7);
    assert!(failure.cost_usd.is_some());
    let server = Server::new(vec![ok(r#"{"text": "", "finish": "stop"}"#)]);
    let (_, message) = target(&server.url, json!({})).fail().await;
    assert_eq!(message, "its answer is empty (it stopped with `stop`)");
    // Calls of tools are an answer.
    let server = Server::new(vec![ok(r#"{"text": "", "call": "search"}"#)]);
    let response = target(&server.url, json!({})).ask().await.unwrap();
    assert_eq!(response.output_messages.unwrap()[0].tool_calls[0].tool, "search");
}

#[tokio::test]
async fn a_key_that_no_header_can_hold_is_told_without_it() {
    let server = Server::new(vec![ok(r#"{"text": "x"}"#)]);
    let target = target_with(&server.url, "canary\n0123456789", json!({}));
    let failure = target.ask().await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Refused);
    assert!(failure.message.starts_with("header `authorization` holds what no"), "{failure:?}");
    // A line end after it, as files have, is no part of it.
    let target = target_with(&server.url, &format!("{KEY}\n"), json!({}));
    assert!(target.ask().await.is_ok());
}

#[tokio::test]
async fn a_talkative_target_tells_every_try() {
    let server = Server::new(vec![answer("500 Oops", &[], "b"), ok(r#"{"text": "secret"}"#)]);
    let target = target(&server.url, json!({"verbose": true}));
    target.ask().await.unwrap();
    let told = target.told.lock().unwrap().clone();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("model: try 1: http://"), "{told:?}");
    assert!(told[0].contains("answered 500 Internal Server Error: b (after "), "{told:?}");
    assert!(told[0].contains("; again in "), "{told:?}");
    assert!(told[1].starts_with("model: 200 OK in "), "{told:?}");
    assert!(!told.join("").contains("secret"), "{told:?}");
}

#[test]
fn no_key_of_sending_is_a_key_that_every_target_has() {
    let mut names = BTreeSet::from(FREE_KEYS);
    for key in TARGET_KEYS.iter().chain(SENDING_KEYS) {
        assert!(key.names().all(|name| names.insert(name)), "{}", key.name);
    }
}
