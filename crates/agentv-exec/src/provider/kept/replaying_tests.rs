//! Recordings as they are written, and as others leave them.

use agentv_base::{AskAgain, Input, Messages, Node, TokenUsage};
use serde_json::json;

use super::{super::recording::RecordingFile, *};

fn request(id: &str, attempt: u32) -> Request {
    let message = json!({"role": "user", "content": "x"});
    let input = Input {
        eval_id: id.into(),
        suite_file: Path::new("/r/a.yaml").into(),
        messages: Messages::new(vec![Node::from_json(&message)]),
        files: Vec::new(),
        guideline_files: Vec::new(),
        conversation_id: None,
    };
    Request { input: Arc::new(input), attempt, repeat: 1, output_schema: None }
}

/// A recording of two failures and what a judge said to two equal questions.
fn recorded() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let file = RecordingFile::new(path.clone());
    let policy = RetryPolicy {
        max_retries: Some(3),
        on: Some(Arc::from([FailureKind::Exit])),
        backoff: Backoff::default(),
    };
    file.begin("1.2.3", "r1", [("t", policy)]).unwrap();
    let asked = request("a", 0);
    let place = Place::of_target("t", "a.yaml", &asked);
    let failure = Failure {
        duration_ms: Some(1.5),
        token_usage: Some(TokenUsage { input: 1, output: 2, cached: None }),
        ..Failure::new(FailureKind::Exit, "exit code 1")
    };
    file.keep(&place, "q".to_owned(), &Answer::Failed(failure.clone()));
    let again = Answer::Unanswered { ask: AskAgain::Alone, failure };
    file.keep(&Place { attempt: 1, ..place }, "q".to_owned(), &again);
    let interrupted = Failure::new(FailureKind::Interrupted, "interrupted");
    file.keep(&Place { attempt: 2, ..place }, "q".to_owned(), &Answer::Failed(interrupted));
    for words in ["first", "second"] {
        let said = Answer::Failed(Failure::new(FailureKind::Http, words));
        file.keep(&judge(&place), "q".to_owned(), &said);
    }
    assert_eq!(file.fault(), None);
    (folder, path)
}

fn judge<'a>(place: &Place<'a>) -> Place<'a> {
    Place { role: Role::Judge, judged: "t", ..*place }
}

fn failed(answer: Answer) -> (FailureKind, String) {
    let Answer::Failed(failure) = answer else { panic!("{answer:?}") };
    (failure.kind, failure.message.to_string())
}

#[test]
fn failures_and_wishes_to_be_asked_again_come_back_as_they_were() {
    let (_folder, path) = recorded();
    let recording = RecordedAnswers::read(&path).unwrap();
    let asked = request("a", 0);
    let place = Place::of_target("t", "a.yaml", &asked);
    let Answer::Failed(failure) = recording.answer(&place, "q") else { panic!() };
    assert_eq!((failure.kind, &*failure.message), (FailureKind::Exit, "exit code 1"));
    assert_eq!((failure.duration_ms, failure.token_usage.unwrap().output), (Some(1.5), 2));
    let again = recording.answer(&Place { attempt: 1, ..place }, "q");
    assert!(matches!(again, Answer::Unanswered { ask: AskAgain::Alone, .. }), "{again:?}");
    let policy = recording.retry_policy("t");
    assert_eq!((policy.max_retries, policy.backoff.most), (Some(3), Duration::ZERO));
    assert_eq!(policy.on.as_deref(), Some(&[FailureKind::Exit][..]));
    assert_eq!(recording.retry_policy("u").max_retries, None);
}

#[test]
fn equal_questions_to_a_judge_are_answered_in_order() {
    let (_folder, path) = recorded();
    let recording = RecordedAnswers::read(&path).unwrap();
    let asked = request("a", 0);
    let place = judge(&Place::of_target("t", "a.yaml", &asked));
    for words in ["first", "second", "second"] {
        assert_eq!(failed(recording.answer(&place, "q")), (FailureKind::Http, words.to_owned()));
    }
}

#[test]
fn what_is_missing_and_what_changed_is_told() {
    let (_folder, path) = recorded();
    let recording = RecordedAnswers::read(&path).unwrap();
    let (first, third) = (request("a", 0), request("a", 2));
    let place = Place::of_target("t", "a.yaml", &first);
    let (kind, message) = failed(recording.answer(&place, "another"));
    assert_eq!(kind, FailureKind::Refused);
    assert!(message.starts_with("the recording answers another question: the case changed"));
    let interrupted = Place::of_target("t", "a.yaml", &third);
    let (_, message) = failed(recording.answer(&interrupted, "q"));
    let missing = "has no answer of target `t` for `a` of a.yaml, attempt 2; record the run again";
    assert!(message.contains(missing), "{message}");
    let (_, message) = failed(recording.answer(&judge(&place), "another"));
    assert!(message.contains("of a.yaml to this question; record"), "{message}");
}

#[test]
fn a_torn_last_line_is_left_out_and_any_other_bad_line_is_an_error() {
    let (_folder, path) = recorded();
    let whole = std::fs::read_to_string(&path).unwrap();
    let check = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let read = RecordedAnswers::read(&path);
        read.map(|it| it.warning().map(str::to_owned))
    };
    assert_eq!(check(&whole), Ok(None));
    let torn = check(whole.get(..whole.len() - 20).unwrap()).unwrap().unwrap();
    assert!(torn.starts_with("the last line of "), "{torn}");
    let first = whole.lines().next().unwrap();
    for (text, what) in [
        (String::new(), "is empty"),
        ("{\"id\": \"a\", \"text\": \"x\"}\n".to_owned(), "is not as `--record` writes it"),
        ("{\"agentvRecording\": 9}\n".to_owned(), "is of another form"),
        (format!("{first}\n{{\n{first}\n"), "is not valid JSON"),
        (format!("{first}\n{{\"x\": 1}}\n"), "does not say who answered"),
        (format!("{whole}{}\n", whole.lines().nth(2).unwrap()), "answers again for target `t`"),
    ] {
        let fault = check(&text).unwrap_err();
        assert!(fault.contains(what), "{fault}");
    }
}
