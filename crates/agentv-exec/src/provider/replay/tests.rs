//! Recordings in every form, and what is said of bad ones.

use std::io::{Seek as _, Write as _};

use agentv_base::Stop;
use serde_json::json;

use super::*;
use crate::provider::record::Reading;

fn file(content: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    file.rewind().unwrap();
    file
}

fn index(file: &File, wanted: Option<&str>) -> Result<Index, String> {
    Index::read(file, "F", wanted, &Stop::default()).map_err(|fault| match fault {
        Fault::Bad(message) => message,
        Fault::Interrupted => "interrupted".to_owned(),
    })
}

/// The answer to the case `a`.
fn check(content: impl AsRef<[u8]>, wanted: Option<&str>, attempt: u32) -> Result<Reading, String> {
    let file = file(content.as_ref());
    let place = index(&file, wanted)?.find("a", Path::new("/r/evals/d.yaml"), 1, attempt, "F");
    place
        .map_err(|what| format!("{}: {}", what.kind().name(), what.message()))?
        .read(&file, "F", "a")
}

#[test]
fn one_answer_in_every_form_is_the_same_answer() {
    let calls = json!([{"tool": "x", "duration_ms": 5.0}]);
    let messages = json!([{"role": "assistant", "content": "hi", "tool_calls": calls}]);
    let trace = json!([{"type": "tool_call", "name": "x"}]);
    let batch = json!({"id": "a", "text": "hi", "output_messages": messages, "trace": trace,
        "token_usage": {"input": 1, "output": 2}, "cost_usd": 0.5, "duration_ms": 9});
    let row = json!({"eval_id": "a", "target": "t", "candidate_answer": "hi", "trace": trace,
        "output_messages": messages, "token_usage": {"input": 1, "output": 2}, "cost_usd": 0.5,
        "duration_ms": 9, "score": 0.0, "status": "failed", "error": null});
    let invoked = json!({"evalId": "a", "target": "t", "response": {"text": "hi", "trace": trace,
        "outputMessages": [{"role": "assistant", "content": "hi",
            "toolCalls": [{"tool": "x", "durationMs": 5.0}]}],
        "tokenUsage": {"input": 1, "output": 2}, "costUsd": 0.5, "durationMs": 9, "raw": {}}});
    let shown = |line: &serde_json::Value| {
        let reading = check(line.to_string(), None, 0).unwrap();
        assert_eq!(reading.text.as_deref(), Some("hi"));
        assert_eq!(
            reading.output_messages.as_ref().unwrap()[0].tool_calls[0].duration_ms,
            Some(5.0)
        );
        assert_eq!(
            (reading.cost_usd, reading.duration_ms, reading.dropped),
            (Some(0.5), Some(9.0), 0)
        );
        format!("{reading:?}")
    };
    assert_eq!(shown(&batch), shown(&row));
    assert_eq!(shown(&batch), shown(&invoked));
}

#[test]
fn a_row_of_the_original_tool_is_a_row() {
    let row = json!({"timestamp": "x", "eval_id": "a", "dataset": "d", "score": 1, "hits": [],
        "misses": [], "candidate_answer": "hi", "target": "t", "raw_aspects": []});
    let reading = check(row.to_string(), None, 0).unwrap();
    assert_eq!((reading.text.as_deref(), reading.duration_ms), (Some("hi"), None));
    let failed = json!({"eval_id": "a", "score": 0, "misses": ["Error: M"], "target": "t",
        "candidate_answer": "Error occurred: M", "error": "M"});
    assert_eq!(check(failed.to_string(), None, 0).unwrap().error.as_deref(), Some("M"));
}

#[test]
fn a_recorded_error_is_one_unless_it_was_the_graders() {
    for (line, error) in [
        (json!({"id": "a", "error": "M"}), Some("M")),
        (json!({"evalId": "a", "target": "t", "error": "M", "errorKind": "exit"}), Some("M")),
        (
            json!({"eval_id": "a", "candidate_answer": null, "error": "M", "error_kind": "exit"}),
            Some("M"),
        ),
        (
            json!({"eval_id": "a", "candidate_answer": "x", "error": "M", "error_kind": "grader"}),
            None,
        ),
    ] {
        assert_eq!(check(line.to_string(), None, 0).unwrap().error.as_deref(), error, "{line}");
    }
}

#[test]
fn marks_blank_lines_and_line_ends_of_other_systems_do_no_harm() {
    let content =
        "\u{feff}{\"id\":\"b\",\"text\":\"1\"}\r\n\r\n  {\"id\":\"a\",\"text\":\"2\"}  \r\n";
    assert_eq!(check(content, None, 0).unwrap().text.as_deref(), Some("2"));
}

#[test]
fn what_is_wrong_with_a_file_has_its_line_and_an_excerpt() {
    for (content, said) in [
        (b"".as_slice(), "F is empty: it has no answers"),
        (b"\n \n", "F is empty: it has no answers"),
        (
            b"{\"id\":\"a\"}\nnonsense",
            "line 2 of F is not valid JSON (expected ident at column 2): nonsense",
        ),
        (b"[1]", "line 1 of F is not a JSON object: [1]"),
        (b"{\"id\":\"a\xff\"}", "line 1 of F is not UTF-8: {\"id\":\"a\u{fffd}\"}"),
        (
            b"{\"text\":\"x\"}",
            "line 1 of F names no case: it has neither `id` nor `evalId` nor `eval_id`: {\"text\":\"x\"}",
        ),
        (b"{\"eval_id\":\" \"}", "line 1 of F has a blank `eval_id`: {\"eval_id\":\" \"}"),
        (b"{\"evalId\":5}", "line 1 of F has an `evalId` that is not a string: {\"evalId\":5}"),
        (b"{\"id\":\"b\"}", "missing: F has no answer for `a`"),
    ] {
        assert_eq!(check(content, None, 0).unwrap_err(), said);
    }
}

#[test]
fn of_several_lines_the_one_that_is_meant_is_taken_and_no_other() {
    let line = |more: &str| format!("{{\"id\":\"a\",\"text\":\"T\"{more}}}\n");
    let lines = |all: &[&str]| {
        let each = all.iter().enumerate();
        each.map(|(n, more)| line(more).replace('T', &n.to_string())).collect::<String>()
    };
    let text = |content: String, wanted, attempt| {
        check(content, wanted, attempt)?.text.ok_or("-".to_owned())
    };
    let repeats = lines(&[",\"repeat\":2", ",\"repeat\":1"]);
    assert_eq!(text(repeats, None, 0).unwrap(), "1");
    let attempts = || lines(&[",\"attempt\":0", ",\"attempt\":1"]);
    assert_eq!(text(attempts(), None, 0).unwrap(), "0");
    assert_eq!(text(attempts(), None, 1).unwrap(), "1");
    assert_eq!(
        text(attempts(), None, 2).unwrap_err(),
        "missing: F has 2 answers for `a`, but none for repeat 1 and attempt 2"
    );
    // The only one there is is meant, whatever it is the answer to.
    assert_eq!(text(lines(&[",\"repeat\":3,\"attempt\":9"]), None, 0).unwrap(), "0");
    assert_eq!(
        text(lines(&["", ",\"x\":1"]), None, 0).unwrap_err(),
        "output: F has two answers for `a`, on line 1 and on line 2, and nothing tells which counts"
    );
    let targets = || lines(&[",\"target\":\"t\"", ",\"target\":\"u\"", ""]);
    assert_eq!(
        text(targets(), None, 0).unwrap_err(),
        "output: F has answers of several targets for `a`: `t` (line 1), `u` (line 2), nobody that it \
         names (line 3); say which in `recorded_target`"
    );
    assert_eq!(text(targets(), Some("u"), 0).unwrap(), "1");
    assert_eq!(
        text(targets(), Some("v"), 0).unwrap_err(),
        "F has no answers of target `v`; it has those of `t`, `u`"
    );
    assert_eq!(
        text(line(""), Some("v"), 0).unwrap_err(),
        "F has no answers of target `v`: no line of it names one"
    );
}

/// What replays for the case `a` of a suite, where each line has this owner and says its number.
fn of_suite(suite_file: &str, owners: &[&str]) -> Result<String, String> {
    let line = |(n, owner): (usize, &&str)| {
        format!("{{\"eval_id\":\"a\",\"candidate_answer\":\"{n}\"{owner}}}\n")
    };
    let lines = (1..).zip(owners).map(line).collect::<Vec<_>>().concat();
    let file = file(lines.as_bytes());
    let place = index(&file, None)?.find("a", Path::new(suite_file), 1, 0, "F");
    let reading = place.map_err(|what| what.message().to_owned())?.read(&file, "F", "a")?;
    reading.text.ok_or_else(|| "-".to_owned())
}

#[test]
fn a_repeat_gets_its_own_answer_or_the_only_one_there_is() {
    let line = |repeat: u32, attempt: u32| {
        json!({"evalId": "a", "repeat": repeat, "attempt": attempt,
            "response": {"text": format!("{repeat}.{attempt}")}})
    };
    let text = |lines: &[serde_json::Value], repeat: u32, attempt: u32| {
        let content = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let file = file(content.as_bytes());
        let found =
            index(&file, None).unwrap().find("a", Path::new("/r/d.yaml"), repeat, attempt, "F");
        found.map(|place| place.read(&file, "F", "a").unwrap().text.unwrap()).ok()
    };
    let two = [line(1, 0), line(2, 0)];
    assert_eq!(text(&two, 2, 0).as_deref(), Some("2.0"));
    assert_eq!(text(&two, 3, 0), None);
    let one = [line(1, 0), line(1, 1)];
    assert_eq!(text(&one, 3, 1).as_deref(), Some("1.1"));
}

#[test]
fn what_a_recording_of_a_run_has_besides_answers_of_targets_is_passed_over() {
    let lines = [
        json!({"agentvRecording": 1, "agentvVersion": "1"}),
        json!({"policyOf": "t", "maxRetries": 1}),
        json!({"role": "judge", "evalId": "a", "target": "j", "response": {"text": "no"}}),
        json!({"role": "target", "evalId": "a", "target": "t", "response": {"text": "yes"}}),
    ];
    let content = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert_eq!(check(content, None, 0).unwrap().text.as_deref(), Some("yes"));
}

#[test]
fn an_answer_belongs_only_to_the_suite_that_its_line_names() {
    let a = r#","suite":"evals/a.yaml","dataset":"x""#;
    let b = r#","suite":"evals/b.yaml","dataset":"b""#;
    assert_eq!(of_suite("/r/evals/a.yaml", &[a, b]).unwrap(), "1");
    assert_eq!(of_suite("/r/evals/b.yaml", &[a, b]).unwrap(), "2");
    assert_eq!(
        of_suite("/r/evals/b.yaml", &[r#","dataset":"b""#, r#","dataset":"a""#]).unwrap(),
        "1"
    );
    assert_eq!(of_suite("/r/evals/b.yaml", &[r#","suite":null,"dataset":" ""#]).unwrap(), "1");
    assert_eq!(of_suite("/x/b.yaml", &[r#","suite":"../x/b.yaml""#]).unwrap(), "1");
    for (owner, whose) in [
        (b, "`evals/b.yaml`"),
        (r#","suite":"vals/a.yaml""#, "`vals/a.yaml`"),
        (r#","dataset":"b""#, "dataset `b`"),
    ] {
        assert_eq!(
            of_suite("/r/evals/a.yaml", &[owner]).unwrap_err(),
            format!("F has no answer for `a` of this suite; that on line 1 is of {whose}")
        );
    }
    // The path that says more is the better one, and a line without any is for every suite.
    let sub = r#","suite":"sub/evals/a.yaml""#;
    assert_eq!(of_suite("/r/sub/evals/a.yaml", &[a, sub]).unwrap(), "2");
    let said = of_suite("/r/evals/a.yaml", &[a, ""]).unwrap_err();
    assert!(said.contains("two answers for `a`, on line 1 and on line 2"), "{said}");
}

#[test]
fn a_key_that_is_read_must_not_stand_twice_in_a_line() {
    for (line, key) in [
        (r#"{"id":"a","id":"b"}"#, "id"),
        (r#"{"id":"a","text":"1","text":"2"}"#, "text"),
        (r#"{"id":"a","target":null,"target":"t"}"#, "target"),
        (r#"{"evalId":"a","response":{"text":"1","text":"2"}}"#, "text"),
        (r#"{"evalId":"a","response":[1],"response":{"text":"2"}}"#, "response"),
    ] {
        let said = check(line, None, 0).unwrap_err();
        let start = format!("line 1 of F has `{key}` twice, and nothing tells which counts: ");
        assert!(said.starts_with(&start), "{said}");
    }
    assert!(check(r#"{"id":"a","text":"1","x":1,"x":2,"response":"-"}"#, None, 0).is_ok());
}

#[test]
fn a_file_that_changes_under_the_reader_gives_no_answer_of_another_case() {
    let file = file(b"{\"id\":\"a\",\"text\":\"1\"}\n");
    let place = index(&file, None).unwrap().find("a", Path::new("/r/a.yaml"), 1, 0, "F").unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"{\"id\":\"b\"", 0).unwrap();
    let said = place.read(&file, "F", "a").unwrap_err();
    assert_eq!(said, "F was changed while it was read (line 1)");
    file.set_len(3).unwrap();
    let said = place.read(&file, "F", "a").unwrap_err();
    assert!(said.starts_with("line 1 of F cannot be read: "), "{said}");
}

#[test]
fn a_wish_to_stop_ends_the_reading() {
    let stop = Stop::default();
    stop.raise(agentv_base::StopLevel::Terminate);
    let file = file(b"{\"id\":\"a\"}\n");
    assert_eq!(Index::read(&file, "F", None, &stop).unwrap_err(), Fault::Interrupted);
}
