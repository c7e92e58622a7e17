//! Answers as the number in the id of a case and the attempt say, always in the same way, and
//! writes down whom it was asked for: `id attempt` on a line of its own.
//!
//! | number | what it does |
//! |---|---|
//! | 3, 13, 23 … | fails at the first attempt |
//! | 17, 67, 117 … | fails at the first two attempts, in two ways |
//! | 11, 41, 71 … | fails always |
//! | 2, 9, 16 … | answers what no grader likes |
//! | 59 | is left out of the first batch |
//! | others | answers `ok` |

use std::{fmt::Write as _, fs};

use serde_json::{Value, json};

use crate::{Words, append, die_by, fail, variable, write_file};

/// What comes of one request.
enum Said {
    Answer(String),
    Failure(&'static str),
    /// No word at all; alone, an answer.
    Nothing,
}

pub(crate) fn answer(words: &mut Words) {
    let log = words.take("a file");
    match std::env::var("AGENTV_BATCH_FILE") {
        Ok(batch) => answer_all(&log, &batch),
        Err(_) => answer_one(&log),
    }
}

fn answer_one(log: &str) {
    let id = variable("AGENTV_EVAL_ID");
    let attempt = variable("AGENTV_ATTEMPT").parse().unwrap_or_else(|_| fail("no attempt"));
    append(log, &format!("{id} {attempt}\n"));
    match say(&id, attempt) {
        Said::Answer(text) => write_file(&variable("AGENTV_OUTPUT_FILE"), text.as_bytes()),
        Said::Nothing => write_file(&variable("AGENTV_OUTPUT_FILE"), b"ok after all"),
        Said::Failure("crash") => die_by(9),
        Said::Failure(what) => fail(what),
    }
}

fn answer_all(log: &str, batch: &str) {
    let requests = fs::read_to_string(batch);
    let requests = requests.unwrap_or_else(|error| fail(&format!("{batch}: {error}")));
    let (mut asked, mut output) = (String::new(), String::new());
    for line in requests.lines() {
        let request: Value =
            serde_json::from_str(line).unwrap_or_else(|error| fail(&error.to_string()));
        let id = request["id"].as_str().unwrap_or_else(|| fail("no id"));
        let attempt = request["attempt"].as_u64().unwrap_or_else(|| fail("no attempt"));
        let _ = writeln!(asked, "{id} {attempt}");
        let record = match say(id, attempt) {
            Said::Answer(text) => json!({"id": id, "text": text}),
            Said::Failure(what) => json!({"id": id, "error": what}),
            Said::Nothing => continue,
        };
        let _ = writeln!(output, "{record}");
    }
    append(log, &asked);
    write_file(&variable("AGENTV_OUTPUT_FILE"), output.as_bytes());
}

fn say(id: &str, attempt: u64) -> Said {
    let number = id.rsplit('-').next().and_then(|digits| digits.parse::<u64>().ok());
    let number = number.unwrap_or_else(|| fail("an id ends in a number"));
    match (number, attempt) {
        (59, 0) => Said::Nothing,
        _ if number % 30 == 11 => Said::Failure("never"),
        (_, 0) if number % 50 == 17 => Said::Failure("crash"),
        (_, 1) if number % 50 == 17 => Said::Failure("not yet"),
        (_, 0) if number % 10 == 3 => Said::Failure("not now"),
        _ if number % 7 == 2 => Said::Answer(format!("nothing good about {number}")),
        _ => Said::Answer(format!("ok {number} at attempt {attempt}")),
    }
}
