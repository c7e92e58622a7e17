//! What no further try would change, although the status or the form of an answer speaks of one.

use super::*;

#[tokio::test]
async fn a_wish_for_more_time_than_there_is_ends_it_for_everyone() {
    for wish in ["retry-after: 99999999999999999999999999", "retry-after: 1, 3600"] {
        let server = Server::new(vec![answer("429 Too Many Requests", &[wish], "later")]);
        let target = target(&server.url, json!({"timeout_seconds": 30}));
        let (kind, message) = target.fail().await;
        assert_eq!(kind, FailureKind::Http);
        assert!(message.contains("another try would come after the deadline of 30 s"), "{message}");
        let (_, message) = target.fail().await;
        assert!(message.starts_with("it was not asked: "), "{message}");
        assert_eq!(server.heard().len(), 1, "{wish}");
    }
}

#[tokio::test]
async fn a_429_that_waiting_does_not_mend_is_asked_once_and_narrows_nothing() {
    let headers = ["retry-after: 3600"];
    let body = r#"{"error": "no quota"}"#;
    let server = Server::new(vec![answer("429 Too Many Requests", &headers, body)]);
    let target = target(&server.url, json!({}));
    // Nobody else is kept waiting by it.
    for heard in 1..3 {
        let (kind, message) = target.fail().await;
        assert_eq!(kind, FailureKind::Refused);
        assert!(message.ends_with("429 Too Many Requests: no quota; pay first"), "{message}");
        assert_eq!(server.heard().len(), heard);
    }
}

#[tokio::test]
async fn an_answer_in_an_encoding_that_nobody_asked_for_is_told_as_that() {
    let coded = |status, encoding| answer(status, &[encoding], "\u{1f}\u{8b}");
    let server = Server::new(vec![coded("200 OK", "Content-Encoding: gzip")]);
    let (kind, message) = target(&server.url, json!({})).fail().await;
    let expected = "its answer is encoded (`content-encoding: gzip`), which nobody asked for";
    assert!(kind == FailureKind::Output && message.starts_with(expected), "{message}");
    assert_eq!(server.heard().len(), 1);
    let server = Server::new(vec![coded("503 Service Unavailable", "content-encoding: br")]);
    let (kind, message) = target(&server.url, json!({"max_retries": 1})).fail().await;
    assert_eq!(kind, FailureKind::Http);
    assert!(message.contains("Unavailable, encoded (`content-encoding: br`)"), "{message}");
    assert_eq!(server.heard().len(), 2);
    // What is called so and is none is an answer.
    let plain = answer("200 OK", &["content-encoding: identity"], r#"{"text": "x"}"#);
    let server = Server::new(vec![plain]);
    assert_eq!(target(&server.url, json!({})).ask().await.unwrap().text, "x");
}
