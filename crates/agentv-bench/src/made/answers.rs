//! Answers as agents write them for a batch, about 500 bytes each, and the cases that they answer.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::words::sentences;

/// What every answer has in it, for a grader to find.
pub const FOUND: &str = "By the strict rule.";

/// The case of an answer.
pub fn write_case(number: usize, out: &mut impl Write) -> io::Result<()> {
    let case = json!({"id": id(number), "input": sentences(number + 1, 2)});
    writeln!(out, "{case}")
}

/// An answer in the form of a batch: every second is told by messages, with calls of tools.
pub fn write_answer(number: usize, out: &mut impl Write) -> io::Result<()> {
    let usage = json!({"input": 200 + number % 100, "output": 40 + number % 60});
    let answer = if number.is_multiple_of(2) {
        json!({
            "id": id(number),
            "text": format!("{} {FOUND}", sentences(number, 8)),
            "duration_ms": 100 + number % 900,
            "token_usage": usage,
        })
    } else {
        json!({
            "id": id(number),
            "output_messages": messages(number),
            "duration_ms": 100 + number % 900,
            "token_usage": usage,
        })
    };
    writeln!(out, "{answer}")
}

/// An answer that every kind of grader has something to look at in: JSON with some fields, calls
/// of tools, and what it took.
pub fn write_rich_answer(number: usize, out: &mut impl Write) -> io::Result<()> {
    let answer = json!({
        "id": id(number),
        "text": fields(number, 0).to_string(),
        "output_messages": messages(number),
        "duration_ms": 100 + number % 900,
        "token_usage": {"input": 200 + number % 100, "output": 40 + number % 60},
        "cost_usd": 0.002,
    });
    writeln!(out, "{answer}")
}

/// The case of a rich answer. Every third answer is not quite what is expected.
pub fn write_rich_case(number: usize, out: &mut impl Write) -> io::Result<()> {
    let case = json!({
        "id": id(number),
        "input": sentences(number + 1, 2),
        "expected_output": fields(number, usize::from(number.is_multiple_of(3))).to_string(),
    });
    writeln!(out, "{case}")
}

fn fields(number: usize, off: usize) -> Value {
    json!({
        "number": number,
        "total": (number % 1000 + off) as f64 + 0.25,
        "date": "2026-01-31",
        "text": format!("{} {FOUND}", sentences(number + off, 2)),
    })
}

fn messages(number: usize) -> Value {
    json!([
        {
            "role": "assistant",
            "content": "I look it up.",
            "tool_calls": [
                {"tool": "search", "input": {"query": sentences(number, 1)}, "output": "2 hits"},
                {"tool": "fetch", "input": {"url": "https://example.org/a"}, "output": sentences(number + 3, 1)},
            ],
        },
        {"role": "assistant", "content": format!("{} {FOUND}", sentences(number + 2, 2))},
    ])
}

fn id(number: usize) -> String {
    format!("case-{number:07}")
}

#[cfg(test)]
mod tests {
    use super::{FOUND, write_answer};

    #[test]
    fn answers_have_about_five_hundred_bytes_and_what_is_looked_for() {
        let mut all = Vec::new();
        for number in 0..1000 {
            write_answer(number, &mut all).unwrap();
        }
        let each = all.len() / 1000;
        assert!((450..550).contains(&each), "{each} bytes");
        let all = String::from_utf8(all).unwrap();
        assert!(all.lines().all(|line| line.contains(FOUND)));
        assert_eq!(all.lines().filter(|line| line.contains("tool_calls")).count(), 500);
    }
}
