//! The server that speaks as the services of models do, asked by hand.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on panics"
)]

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use agentv_testkit::{Answer, Finish, ModelServer, Nobody, Proxy, Vendor};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use serde_json::{Value, json};

const CHAT: &str = "/v1/chat/completions";
const RESPONSES: &str = "/v1/responses";
const AZURE: &str = "/openai/deployments/gpt-4o/chat/completions?api-version=2024-12-01-preview";
const MESSAGES: &str = "/v1/messages";
const GEMINI: &str = "/v1beta/models/gemini-2.5-flash:generateContent";

/// A path, the headers and a body that each vendor takes, with the key `sk-1`.
fn good() -> [(Vendor, &'static str, &'static str, Value); 5] {
    let messages = json!([{"role": "user", "content": "Hello"}]);
    [
        (
            Vendor::OpenaiChat,
            CHAT,
            "authorization: Bearer sk-1\r\n",
            json!({"model": "m", "messages": messages}),
        ),
        (
            Vendor::OpenaiResponses,
            RESPONSES,
            "authorization: Bearer sk-1\r\n",
            json!({"model": "m", "input": "Hello"}),
        ),
        (Vendor::Azure, AZURE, "api-key: sk-1\r\n", json!({"messages": messages})),
        (
            Vendor::Anthropic,
            MESSAGES,
            "x-api-key: sk-1\r\nanthropic-version: 2023-06-01\r\n",
            json!({"model": "m", "max_tokens": 9, "messages": messages}),
        ),
        (
            Vendor::Gemini,
            GEMINI,
            "x-goog-api-key: sk-1\r\n",
            json!({"contents": [{"role": "user", "parts": [{"text": "Hello"}]}]}),
        ),
    ]
}

fn good_of(vendor: Vendor) -> (&'static str, &'static str, Value) {
    let found = good().into_iter().find(|(known, ..)| *known == vendor).unwrap();
    (found.1, found.2, found.3)
}

fn request(path: &str, headers: &str, body: &Value) -> String {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n{headers}\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn connect(server: &ModelServer) -> TcpStream {
    TcpStream::connect(("127.0.0.1", server.port())).unwrap()
}

/// Everything that comes back from a connection that is closed after this request.
fn raw(server: &ModelServer, request: &str) -> Vec<u8> {
    let mut stream = connect(server);
    stream.write_all(request.as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut said = Vec::new();
    // A connection that is reset has said what it had to say.
    let _ = stream.read_to_end(&mut said);
    said
}

/// The status, the head and the body of an answer.
fn ask(server: &ModelServer, path: &str, headers: &str, body: &Value) -> (u16, String, Value) {
    let said = String::from_utf8(raw(server, &request(path, headers, body))).unwrap();
    let (head, body) = said.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_owned(), serde_json::from_str(body).unwrap_or(json!(body)))
}

fn ask_well(server: &ModelServer, vendor: Vendor) -> (u16, String, Value) {
    let (path, headers, body) = good_of(vendor);
    ask(server, path, headers, &body)
}

#[test]
fn every_vendor_answers_in_its_own_form() {
    let said = || Answer::text("Paris").call("look", json!({"at": 1})).usage(10, 5).cached(4);
    let server = ModelServer::start().key("sk-1").answers(move |_| said());
    for (vendor, pointer, usage) in [
        (Vendor::OpenaiChat, "/choices/0/message/content", "/usage/prompt_tokens"),
        (Vendor::OpenaiResponses, "/output/1/content/0/text", "/usage/input_tokens"),
        (Vendor::Azure, "/choices/0/message/content", "/usage/prompt_tokens"),
        (Vendor::Anthropic, "/content/0/text", "/usage/input_tokens"),
        (Vendor::Gemini, "/candidates/0/content/parts/0/text", "/usageMetadata/promptTokenCount"),
    ] {
        let (status, _, body) = ask_well(&server, vendor);
        assert_eq!(status, 200, "{body}");
        assert_eq!(body.pointer(pointer), Some(&json!("Paris")), "{body}");
        let input = if vendor == Vendor::Anthropic { 6 } else { 10 };
        assert_eq!(body.pointer(usage), Some(&json!(input)), "{body}");
        assert!(body.to_string().contains("look"), "{body}");
    }
    let asked = server.asked();
    let vendors: Vec<Vendor> = asked.iter().map(|asked| asked.vendor.unwrap()).collect();
    assert_eq!(vendors, good().map(|(vendor, ..)| vendor));
    for asked in &asked {
        assert_eq!(asked.turns(), [("user".to_owned(), "Hello".to_owned())]);
        assert_eq!(asked.refused, None);
    }
    let models: Vec<&str> = asked.iter().map(|asked| asked.model().unwrap()).collect();
    assert_eq!(models, ["m", "m", "gpt-4o", "m", "gemini-2.5-flash"]);
}

#[test]
fn a_key_that_is_wrong_or_absent_is_refused_by_every_vendor() {
    let server = ModelServer::start().key("sk-1");
    for (vendor, path, headers, body) in good() {
        let (wrong, absent) = if vendor == Vendor::Gemini { (400, 403) } else { (401, 401) };
        let (status, _, said) = ask(&server, path, &headers.replace("sk-1", "sk-2"), &body);
        assert_eq!(status, wrong, "{said}");
        assert!(said["error"]["message"].is_string(), "{said}");
        let (status, _, said) = ask(&server, path, "anthropic-version: 2023-06-01\r\n", &body);
        assert_eq!(status, absent, "{said}");
    }
    assert!(server.asked().iter().all(|asked| asked.refused.is_some()));
}

#[test]
fn a_path_that_nobody_has_is_not_found() {
    let server = ModelServer::start();
    for path in ["/", "/v1", "/v1/v1/messages", "/v1/chat/completions/", "/openai/deployments//x"] {
        assert_eq!(ask(&server, path, "", &json!({})).0, 404, "{path}");
    }
}

/// What is refused with 400, and a word of the reason.
#[test]
fn what_a_vendor_does_not_take_is_refused_in_its_words() {
    let server = ModelServer::start();
    let schema = |strict: bool, schema: Value| {
        let inner = json!({"name": "answer", "strict": strict, "schema": schema});
        json!({"type": "json_schema", "json_schema": inner})
    };
    let open = json!({"type": "object", "properties": {"score": {"type": "number"}}});
    for (vendor, changes, reason) in [
        (Vendor::OpenaiChat, json!({"model": null}), "model"),
        (Vendor::OpenaiChat, json!({"messages": null}), "messages"),
        (Vendor::OpenaiChat, json!({"messages": []}), "empty array"),
        (Vendor::OpenaiChat, json!({"messages": [{"role": "model"}]}), "no such role"),
        (Vendor::OpenaiChat, json!({"messages": [{"role": "user"}]}), "expected text"),
        (Vendor::OpenaiChat, json!({"temperature": 3}), "temperature"),
        (Vendor::OpenaiChat, json!({"wish": 3}), "Unknown parameter: 'wish'"),
        (Vendor::OpenaiChat, json!({"model": "o3", "max_tokens": 3}), "max_completion_tokens"),
        (Vendor::OpenaiChat, json!({"response_format": schema(true, open.clone())}), "additional"),
        (Vendor::OpenaiResponses, json!({"messages": []}), "has moved to 'input'"),
        (Vendor::OpenaiResponses, json!({"input": null}), "'input'"),
        (
            Vendor::OpenaiResponses,
            json!({"input": [{"role": "assistant", "content": [{"type": "input_text"}]}]}),
            "output_text",
        ),
        (Vendor::OpenaiResponses, json!({"text": {"format": {"type": "json_schema"}}}), "name"),
        (Vendor::Azure, json!({"messages": null}), "messages"),
        (Vendor::Anthropic, json!({"max_tokens": null}), "max_tokens: Field required"),
        (Vendor::Anthropic, json!({"model": null}), "model: Field required"),
        (Vendor::Anthropic, json!({"messages": null}), "messages: Field required"),
        (
            Vendor::Anthropic,
            json!({"messages": [{"role": "assistant", "content": "x"}]}),
            "first message must use",
        ),
        (Vendor::Anthropic, json!({"messages": [{"role": "system", "content": "x"}]}), "top-level"),
        (Vendor::Anthropic, json!({"messages": [{"role": "user", "content": ""}]}), "non-empty"),
        (Vendor::Anthropic, json!({"temperature": 1.5}), "range: 0..1"),
        (Vendor::Anthropic, json!({"tool_choice": {"type": "tool", "name": "x"}}), "not found"),
        (Vendor::Gemini, json!({"contents": []}), "contents"),
        (Vendor::Gemini, json!({"messages": []}), "Unknown name \"messages\""),
        (Vendor::Gemini, json!({"contents": [{"role": "assistant"}]}), "valid role"),
        (Vendor::Gemini, json!({"contents": [{"role": "user", "parts": []}]}), "must not be empty"),
        (
            Vendor::Gemini,
            json!({"generationConfig": {
                "responseMimeType": "application/json",
                "responseSchema": {"type": "array", "items": {"additionalProperties": false}},
            }}),
            "Unknown name \"additionalProperties\"",
        ),
        (Vendor::Gemini, json!({"generationConfig": {"responseSchema": open}}), "application/json"),
    ] {
        let (path, headers, mut body) = good_of(vendor);
        body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let (status, _, said) = ask(&server, path, headers, &body);
        assert_eq!(status, 400, "{vendor:?} {changes}: {said}");
        let message = said["error"]["message"].as_str().unwrap();
        assert!(message.contains(reason), "{vendor:?} {changes}: {message}");
    }
    let (path, _, body) = good_of(Vendor::Anthropic);
    let (status, _, said) = ask(&server, path, "x-api-key: k\r\n", &body);
    assert_eq!((status, said["type"].as_str()), (400, Some("error")), "{said}");
    let (path, headers, body) = good_of(Vendor::Azure);
    let (status, _, said) = ask(&server, path.split('?').next().unwrap(), headers, &body);
    assert_eq!(status, 400, "{said}");
}

#[test]
fn json_stands_where_the_vendor_puts_what_follows_a_schema() {
    let server = ModelServer::start().answers(|asked| {
        assert_eq!(asked.schema().unwrap()["type"], "object");
        Answer::json(json!({"score": 1}))
    });
    let object = json!({"type": "object", "additionalProperties": false, "required": ["score"],
                        "properties": {"score": {"type": "number"}}});
    let (path, headers, mut body) = good_of(Vendor::OpenaiChat);
    let format = json!({"name": "answer", "strict": true, "schema": object});
    body["response_format"] = json!({"type": "json_schema", "json_schema": format});
    let (_, _, said) = ask(&server, path, headers, &body);
    assert_eq!(said["choices"][0]["message"]["content"], "{\"score\":1}", "{said}");

    let (path, headers, mut body) = good_of(Vendor::Anthropic);
    body["tools"] = json!([{"name": "answer", "input_schema": object}]);
    body["tool_choice"] = json!({"type": "tool", "name": "answer"});
    let (_, _, said) = ask(&server, path, headers, &body);
    assert_eq!(said["content"].as_array().unwrap().len(), 1, "{said}");
    assert_eq!(said["content"][0]["input"], json!({"score": 1}), "{said}");
    assert_eq!(said["stop_reason"], "tool_use");
}

#[test]
fn answers_come_in_their_order_and_then_no_more() {
    let server = ModelServer::start()
        .then(Answer::status(429).retry_after(7))
        .then(Answer::status(503).retry_at(SystemTime::UNIX_EPOCH + Duration::from_secs(1)))
        .then(Answer::text("cut off").finish(Finish::Length));
    let (status, head, _) = ask_well(&server, Vendor::Gemini);
    assert!(status == 429 && head.contains("retry-after: 7"), "{head}");
    let (status, head, _) = ask_well(&server, Vendor::Azure);
    assert!(status == 503 && head.contains("Thu, 01 Jan 1970 00:00:01 GMT"), "{head}");
    let (status, _, body) = ask_well(&server, Vendor::Gemini);
    assert_eq!((status, &body["candidates"][0]["finishReason"]), (200, &json!("MAX_TOKENS")));
    assert_eq!(ask_well(&server, Vendor::Gemini).0, 418);
}

#[test]
fn several_requests_go_over_one_connection() {
    let server = ModelServer::start();
    let (path, headers, body) = good_of(Vendor::OpenaiChat);
    let twice = request(path, headers, &body).repeat(2);
    let said = String::from_utf8(raw(&server, &twice)).unwrap();
    assert_eq!(said.matches("HTTP/1.1 200").count(), 2, "{said}");
    assert_eq!((server.asked().len(), server.connections()), (2, 1));
}

#[test]
fn a_connection_breaks_where_the_script_says() {
    let text = "x".repeat(1000);
    let said = |answer: Answer| {
        let server = ModelServer::start().then(answer);
        let (path, headers, body) = good_of(Vendor::OpenaiChat);
        String::from_utf8_lossy(&raw(&server, &request(path, headers, &body))).into_owned()
    };
    assert_eq!(said(Answer::text(&text).dropped_before_head()), "");
    let half = said(Answer::text(&text).dropped_mid_body());
    assert!(half.contains("content-length: 1") && half.len() < 1000, "{half}");
    let half = said(Answer::text(&text).dropped_mid_chunk());
    assert!(half.contains("chunked") && !half.contains("\r\n0\r\n"), "{half}");
    let whole = said(Answer::text(&text).chunked());
    assert!(whole.ends_with("\r\n0\r\n\r\n"), "{whole}");
    assert!(said(Answer::text(&text).said_to_be_long(5)).contains("content-length: 5"));
    assert!(said(Answer::not_utf8()).contains('\u{fffd}'));
    assert!(said(Answer::html(502, "Bad Gateway")).contains("<h1>Bad Gateway</h1>"));
    assert!(said(Answer::redirect(307, "http://x/")).contains("location: http://x/"));
    assert!(said(Answer::giant(10_000_000)).len() > 10_000_000);
}

#[test]
fn held_answers_wait_for_the_test_and_are_counted() {
    let server = ModelServer::start().answers(|_| Answer::text("ok").held());
    thread::scope(|scope| {
        let asking: Vec<_> =
            (0..3).map(|_| scope.spawn(|| ask_well(&server, Vendor::OpenaiChat).0)).collect();
        server.wait_for(3);
        server.wait_for_held(3);
        assert_eq!(server.most_at_once(), 3);
        server.release_some(1);
        server.release();
        assert!(asking.into_iter().all(|asking| asking.join().unwrap() == 200));
    });
    assert_eq!(ask_well(&server, Vendor::OpenaiChat).0, 200);
    let beside: Vec<usize> = server.asked().iter().map(|asked| asked.beside.len()).collect();
    assert_eq!(beside, [0, 1, 2, 0]);
}

#[test]
fn a_server_that_never_answers_notices_who_gave_up_and_ends_all_the_same() {
    let server = ModelServer::start().answers(|_| Answer::never());
    let (path, headers, body) = good_of(Vendor::OpenaiChat);
    let mut gives_up = connect(&server);
    gives_up.write_all(request(path, headers, &body).as_bytes()).unwrap();
    server.wait_for(1);
    drop(gives_up);
    server.wait_for_giving_up(1);
    let mut waits = connect(&server);
    waits.write_all(request(path, headers, &body).as_bytes()).unwrap();
    server.wait_for(2);
    drop(server);
    assert_eq!(waits.read(&mut [0]).unwrap_or(0), 0);
}

#[test]
fn an_endless_answer_ends_with_who_reads_it() {
    let server = ModelServer::start().answers(|_| Answer::endless());
    let (path, headers, body) = good_of(Vendor::OpenaiChat);
    let mut stream = connect(&server);
    stream.write_all(request(path, headers, &body).as_bytes()).unwrap();
    let mut piece = vec![0; 1_000_000];
    stream.read_exact(&mut piece).unwrap();
    drop(stream);
}

#[test]
fn nobody_listens_where_nobody_is() {
    let nobody = Nobody::new();
    let address = nobody.url().replace("http://", "");
    let error = TcpStream::connect(address).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused);
}

#[test]
fn a_proxy_carries_requests_and_tunnels_and_writes_them_down() {
    let server = ModelServer::start();
    let proxy = Proxy::start().leads_to(server.port());
    let (path, headers, body) = good_of(Vendor::OpenaiChat);
    let through = |text: String| {
        let mut stream = TcpStream::connect(proxy.address()).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut said = String::new();
        let mut bytes = Vec::new();
        let mut piece = [0; 4096];
        // A tunnel stays open, so that only what was said tells that it was all.
        while !said.contains("chat.completion") {
            match stream.read(&mut piece) {
                Ok(count @ 1..) => bytes.extend_from_slice(&piece[..count]),
                _ => break,
            }
            said = String::from_utf8_lossy(&bytes).into_owned();
        }
        said
    };
    let whole = request(&format!("http://models.test{path}"), headers, &body);
    let said = through(whole);
    assert!(said.starts_with("HTTP/1.1 200") && said.contains("connection: close"), "{said}");
    let tunnel = "CONNECT models.test:443 HTTP/1.1\r\nhost: models.test:443\r\n\r\n";
    let said = through(format!("{tunnel}{}", request(path, headers, &body)));
    assert!(said.contains("Established") && said.contains("chat.completion"), "{said}");
    let passed: Vec<_> =
        proxy.passed().into_iter().map(|passed| (passed.method, passed.address)).collect();
    assert_eq!(passed[0], ("POST".to_owned(), format!("http://models.test{CHAT}")));
    assert_eq!(passed[1], ("CONNECT".to_owned(), "models.test:443".to_owned()));
    assert_eq!(server.asked().len(), 2);
    assert_eq!(server.asked()[0].path, CHAT);
}

#[test]
fn a_proxy_asks_for_a_login() {
    let proxy = Proxy::start().login("Basic dTpw");
    let mut stream = TcpStream::connect(proxy.address()).unwrap();
    stream.write_all(b"CONNECT models.test:443 HTTP/1.1\r\n\r\n").unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 407"), "{said}");
    assert!(proxy.passed()[0].refused);
}

/// What comes back over TLS from somebody who is called `name`.
fn ask_secure(server: &ModelServer, roots: RootCertStore, name: &str) -> std::io::Result<String> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = name.to_owned().try_into().unwrap();
    let session = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(session, connect(server));
    let (path, headers, body) = good_of(Vendor::OpenaiChat);
    let headers = format!("{headers}connection: close\r\n");
    stream.write_all(request(path, &headers, &body).as_bytes())?;
    let mut said = String::new();
    stream.read_to_string(&mut said)?;
    Ok(said)
}

#[test]
fn tls_is_spoken_to_those_who_trust_the_authority() {
    let server = ModelServer::start_tls();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(server.ca_pem()).unwrap()).unwrap();
    for name in ["127.0.0.1", "localhost", agentv_testkit::MODEL_HOST] {
        let said = ask_secure(&server, roots.clone(), name).unwrap();
        assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    }
    assert!(ask_secure(&server, roots, "elsewhere.test").is_err());
    assert!(ask_secure(&server, RootCertStore::empty(), "localhost").is_err());
    assert_eq!(server.asked().len(), 3);
}
