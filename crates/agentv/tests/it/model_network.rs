//! The way to a model: certificates, proxies, and how many requests are under way at once.

use agentv_testkit::{Answer, MODEL_HOST, ModelServer, Project, Proxy, Vendor};
use serde_json::{Value, json};

use crate::{
    model_project::{
        KEY, error, eval, is_judging, judged, judgement, project, project_of, row, target,
    },
    project::column,
};

fn ids(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("c{number:02}")).collect()
}

/// A project with so many cases.
fn with_cases(server: &ModelServer, settings: &Value, count: usize) -> Project {
    let ids = ids(count);
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    project(server, settings, &ids)
}

#[test]
fn a_certificate_of_an_unknown_authority_is_refused() {
    let server = ModelServer::start_tls().key(KEY);
    let (kind, error) = error(&project(&server, &json!({"max_retries": 0}), &["a"]));
    assert_eq!(kind, "connection", "{error}");
    assert!(error.to_lowercase().contains("certificate"), "{error}");
    assert!(server.asked().is_empty());
}

#[test]
fn an_authority_of_ones_own_is_named_by_the_usual_variables() {
    for variable in ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"] {
        let server = ModelServer::start_tls().key(KEY);
        let file = server.ca_pem();
        let project = project(&server, &json!({}), &["a"]).env(variable, file.to_str().unwrap());
        let run = eval(&project);
        assert_eq!(run.code, Some(0), "{variable}: {}\n{}", run.seen(), project.rows_text());
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn a_file_of_authorities_that_cannot_be_read_is_named() {
    let server = ModelServer::start_tls().key(KEY);
    for (file, content, fault) in [
        ("missing.pem", None, "cannot be read: "),
        ("empty.pem", Some("no certificate\n"), "holds no certificates"),
    ] {
        let project = project(&server, &json!({"max_retries": 0}), &["a"]);
        if let Some(content) = content {
            project.write(file, content);
        }
        let path = project.path(file);
        let project = project.env("SSL_CERT_FILE", path.to_str().unwrap());
        let (kind, told) = error(&project);
        assert_eq!(kind, "connection", "{told}");
        let start = format!("SSL_CERT_FILE names `{}`, which {fault}", path.display());
        assert!(told.contains(&start), "{told}");
    }
    // Plain HTTP has no use for it.
    let server = ModelServer::start().key(KEY);
    let project = project(&server, &json!({}), &["a"]).env("SSL_CERT_FILE", "/nonexistent.pem");
    assert_eq!(eval(&project).code, Some(0));
}

/// A target at a host that only the proxy finds.
fn far_away(scheme: &str, server: &ModelServer) -> Project {
    let settings = json!({"base_url": format!("{scheme}://{MODEL_HOST}/v1"), "max_retries": 0});
    project(server, &settings, &["a", "b"])
}

#[test]
fn a_proxy_is_asked_for_what_the_environment_says() {
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        let server = ModelServer::start().key(KEY);
        let proxy = Proxy::start().leads_to(server.port());
        let project = far_away("http", &server).env(variable, &proxy.url());
        let run = eval(&project);
        assert_eq!(run.code, Some(0), "{variable}: {}\n{}", run.seen(), project.rows_text());
        let passed = proxy.passed();
        assert_eq!(passed.len(), 2, "{passed:?}");
        let address = format!("http://{MODEL_HOST}/v1/chat/completions");
        assert!(passed.iter().all(|passed| passed.address == address), "{passed:?}");
        assert_eq!(server.asked().len(), 2);
    }
}

#[test]
fn a_proxy_is_a_tunnel_for_tls_and_sees_no_key() {
    for variable in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
        let server = ModelServer::start_tls().key(KEY);
        let proxy = Proxy::start().leads_to(server.port());
        let ca = server.ca_pem();
        let project = far_away("https", &server)
            .env(variable, &proxy.url())
            .env("SSL_CERT_FILE", ca.to_str().unwrap());
        let run = eval(&project);
        assert_eq!(run.code, Some(0), "{variable}: {}\n{}", run.seen(), project.rows_text());
        let passed = proxy.passed();
        assert!(!passed.is_empty());
        for passed in passed {
            assert_eq!(passed.method, "CONNECT");
            assert_eq!(passed.address, format!("{MODEL_HOST}:443"));
            assert!(!format!("{:?}", passed.headers).contains(KEY), "{passed:?}");
        }
    }
}

#[test]
fn a_proxy_is_told_who_asks_and_a_wrong_login_is_an_error() {
    let server = ModelServer::start().key(KEY);
    // `me:secret-word`
    let proxy = Proxy::start().leads_to(server.port()).login("Basic bWU6c2VjcmV0LXdvcmQ=");
    let url = |login: &str| format!("http://{login}@{}", proxy.address());
    let project = far_away("http", &server).env("HTTP_PROXY", &url("me:secret-word"));
    assert_eq!(eval(&project).code, Some(0), "{}", project.rows_text());
    let project = far_away("http", &server).env("HTTP_PROXY", &url("me:other-word"));
    assert_eq!(eval(&project).code, Some(3), "{}", project.rows_text());
    for said in column(&project, "error") {
        let said = said.as_str().unwrap();
        assert!(said.contains("407") && !said.contains("other-word"), "{said}");
    }
}

#[test]
fn hosts_that_need_no_proxy_are_asked_directly() {
    for list in ["127.0.0.1", "localhost,127.0.0.1", "*"] {
        for variable in ["NO_PROXY", "no_proxy"] {
            let server = ModelServer::start().key(KEY);
            let proxy = Proxy::start();
            let project = project(&server, &json!({}), &["a"])
                .env("HTTP_PROXY", &proxy.url())
                .env(variable, list);
            row(&project, 0);
            assert_eq!(proxy.passed(), [], "{variable}={list}");
        }
    }
}

#[test]
fn a_proxy_that_cannot_be_used_is_an_error_and_nobody_is_asked_directly() {
    for value in ["socks9://127.0.0.1:1", "ht!tp://@@:bad"] {
        let server = ModelServer::start().key(KEY);
        let (kind, told) = error(&project(&server, &json!({}), &["a"]).env("HTTP_PROXY", value));
        assert_eq!(kind, "connection", "{told}");
        assert!(told.contains("HTTP_PROXY names no proxy that can be used: "), "{told}");
        assert!(server.asked().is_empty());
        // It disturbs nobody where it is not used.
        let fine = || project(&server, &json!({}), &["a"]);
        let direct = fine().env("HTTP_PROXY", value).env("NO_PROXY", "127.0.0.1");
        for project in [fine().env("HTTPS_PROXY", value), direct] {
            assert_eq!(eval(&project).code, Some(0), "{}", project.rows_text());
        }
    }
}

#[test]
fn a_proxy_that_is_down_is_a_connection_that_failed() {
    let nobody = agentv_testkit::Nobody::new();
    let server = ModelServer::start();
    let project = far_away("http", &server).env("HTTP_PROXY", &nobody.url());
    assert_eq!(eval(&project).code, Some(3));
    assert_eq!(column(&project, "error_kind"), ["connection", "connection"]);
}

#[test]
fn connections_are_used_again() {
    let server = ModelServer::start().key(KEY);
    let project = with_cases(&server, &json!({"workers": 1}), 6);
    assert_eq!(eval(&project).code, Some(0));
    assert_eq!(server.asked().len(), 6);
    // A connection comes back a moment after its answer; on a busy machine a request can be faster.
    assert!(server.connections() < 6, "{}", server.connections());
}

#[test]
fn no_more_are_asked_at_once_than_the_target_has_workers() {
    let server = ModelServer::start().key(KEY).answers(|_| Answer::text("ok").held());
    let project = with_cases(&server, &json!({"workers": 3}), 9);
    let run = project.start(&["eval", "suite.yaml"]);
    for round in 1..=3 {
        server.wait_for(round * 3);
        server.wait_for_held(3);
        server.release_some(3);
    }
    let run = run.finish();
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(server.most_at_once(), 3);
}

#[test]
fn no_more_are_asked_at_once_than_the_run_has_workers() {
    let server = ModelServer::start().key(KEY).answers(|_| Answer::text("ok").held());
    let project = with_cases(&server, &json!({"workers": 5}), 6);
    let run = project.start(&["eval", "suite.yaml", "--workers", "2"]);
    for round in 1..=3 {
        server.wait_for(round * 2);
        server.wait_for_held(2);
        server.release_some(2);
    }
    assert_eq!(run.finish().code, Some(0));
    assert_eq!(server.most_at_once(), 2);
}

#[test]
fn a_service_that_has_too_many_gets_fewer_at_once_and_then_more_again() {
    let server = ModelServer::start().key(KEY).answers(|asked| {
        let answer = if asked.number < 4 { Answer::status(429) } else { Answer::text("ok") };
        answer.held()
    });
    let project = with_cases(&server, &json!({"workers": 4, "max_retries": 5}), 16);
    let run = project.start(&["eval", "suite.yaml"]);
    server.wait_for_held(4);
    server.release_some(4);
    server.wait_for(6);
    // Somebody else's whole run is more than enough time for those who do not keep to it.
    let other = ModelServer::start();
    assert_eq!(
        eval(&project_of(&[target("agent", Vendor::Gemini, &other, &json!({}))], &["a"])).code,
        Some(0)
    );
    assert_eq!(server.asked().len(), 6);
    // Half as many are asked again; one more after each round that went well.
    let mut seen = 4;
    for width in [2, 3, 4] {
        seen += width;
        server.wait_for(seen);
        server.wait_for_held(width);
        server.release_some(width);
    }
    server.release();
    let run = run.finish();
    assert_eq!(run.code, Some(0), "{}\n{}", run.seen(), project.rows_text());
    assert_eq!(server.asked().len(), 20);
    assert_eq!(server.most_at_once(), 4);
}

#[test]
fn a_judge_is_asked_no_more_at_once_than_its_workers() {
    let server = ModelServer::start().key(KEY).answers(|asked| {
        if is_judging(asked) { judgement().held() } else { Answer::text("It is Paris") }
    });
    let cases: Vec<Value> = ids(6).iter().map(|id| json!({"id": id, "input": "x"})).collect();
    let suite = json!({
        "evaluators": [{"name": "weighed", "type": "composite", "aggregator": "llm_judge",
                        "evaluators": [{"type": "contains", "value": "Paris"}]}],
        "evalcases": cases,
    });
    let project = judged(Vendor::OpenaiChat, &server, &json!({"workers": 2}))
        .file("suite.yaml", suite.to_string());
    let run = project.start(&["eval", "suite.yaml", "--target", "agent"]);
    for _ in 0..3 {
        server.wait_for_held(2);
        server.release_some(2);
    }
    let run = run.finish();
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let asked = server.asked();
    let judging: Vec<usize> =
        asked.iter().filter(|asked| is_judging(asked)).map(|it| it.number).collect();
    for number in &judging {
        let others = asked[*number].beside.iter().filter(|it| judging.contains(it)).count();
        assert!(others < 2, "{others}");
    }
}

#[test]
fn two_targets_do_not_wait_for_each_other() {
    let server = ModelServer::start().key(KEY).answers(|_| Answer::text("ok").held());
    let targets = ["one", "two"]
        .map(|name| target(name, Vendor::OpenaiChat, &server, &json!({"workers": 1})));
    let project = project_of(&targets, &["a"]);
    let run = project.start(&["eval", "suite.yaml", "--target", "one", "--target", "two"]);
    server.wait_for_held(2);
    server.release();
    assert_eq!(run.finish().code, Some(0));
}
