//! JSON as graders meet it: an answer that is JSON or is not, and values as hits and misses show
//! them.

use std::io;

use agentv_base::excerpt;
use serde::de::IgnoredAny;
use serde_json::Value;

/// Enough of an answer that is no JSON to see what it is instead.
const SHOWN_ANSWER: usize = 80;

/// Enough of a value to recognise it.
const SHOWN_VALUE: usize = 80;

/// The fence of Markdown around a block of code.
const FENCE: &str = "```";

/// Whether an answer is JSON as a whole, of any depth and with numbers of any size, or a miss that
/// says why it is not. Nothing of it is kept.
pub(super) fn check(answer: &str) -> Result<(), String> {
    let read = serde_json::from_str::<IgnoredAny>(answer);
    read.map(|_| ()).map_err(|error| not_json(answer, &error))
}

/// The value that an answer is as a whole, or a miss that says why it is none.
pub(super) fn read(answer: &str) -> Result<Value, String> {
    serde_json::from_str(answer).map_err(|error| not_json(answer, &error))
}

/// As [`read`]; the answer may also be one fenced block, as models like to write it, and nothing
/// else.
pub(super) fn read_fenced(answer: &str) -> Result<Value, String> {
    let read = read(answer);
    if read.is_err()
        && let Some(inside) = fenced(answer)
        && let Ok(value) = serde_json::from_str(inside)
    {
        return Ok(value);
    }
    read
}

/// What stands in the one fence that an answer is.
fn fenced(answer: &str) -> Option<&str> {
    let inside = answer.trim().strip_prefix(FENCE)?.strip_suffix(FENCE)?;
    let (language, inside) = inside.split_once('\n')?;
    let language = language.trim();
    (language.is_empty() || language.eq_ignore_ascii_case("json")).then_some(inside)
}

/// The miss of an answer that is no JSON.
fn not_json(answer: &str, error: &serde_json::Error) -> String {
    let shown = excerpt(answer.trim(), SHOWN_ANSWER);
    let said = error.to_string();
    if said.starts_with("recursion limit exceeded") {
        return format!("is nested deeper than 127 levels, which is not read as JSON: `{shown}`");
    }
    format!("is not JSON ({said}): `{shown}`")
}

/// What a value is, in words.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A key as it stands in a JSON Pointer (RFC 6901).
pub(super) fn pointer_part(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The key that a part of a JSON Pointer stands for.
pub(super) fn key_of_part(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

/// A text of JSON as hits and misses show it.
pub(super) fn excerpt_of(text: &str) -> String {
    format!("`{}`", excerpt(text, SHOWN_VALUE))
}

/// A value as JSON on one line, cut where it is long. Only what is shown is written, however large
/// the value.
pub(super) fn shown(value: &Value) -> String {
    // A character has four bytes at most: what is cut inside of one is cut again below.
    let mut cut = Cut { written: Vec::new(), room: 4 * SHOWN_VALUE + 4 };
    // An error says only that there is no room left.
    let _ = serde_json::to_writer(&mut cut, value);
    excerpt(&String::from_utf8_lossy(&cut.written), SHOWN_VALUE)
}

struct Cut {
    written: Vec<u8>,
    room: usize,
}

impl io::Write for Cut {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.get(..self.room.min(bytes.len())).unwrap_or_default();
        self.written.extend_from_slice(taken);
        self.room -= taken.len();
        // Nothing taken of something is an error for who writes, which ends it.
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_json_as_a_whole_or_in_one_fence() {
        for answer in
            ["[1]", " [1]\n", "```json\n[1]\n```", "```\n[1]\n```\n", "```JSON \r\n[1]```"]
        {
            assert_eq!(read_fenced(answer), Ok(json!([1])), "{answer:?}");
        }
        for answer in [
            "Sure! [1]",
            "Sure!\n```json\n[1]\n```",
            "```json\n[1]\n```\nDone.",
            "```yaml\n[1]\n```",
            "```[1]```",
            "```json\n[1]\n```\n```json\n[2]\n```",
            "",
            "```",
        ] {
            let miss = read_fenced(answer).unwrap_err();
            assert!(
                miss.starts_with("is not JSON (expected value at line 1 column 1)")
                    || miss.starts_with("is not JSON (EOF"),
                "{miss}"
            );
        }
        assert!(read("```json\n[1]\n```").is_err());
    }

    #[test]
    fn an_answer_that_is_nested_too_deep_says_so() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        let miss = read_fenced(&deep).unwrap_err();
        assert!(miss.starts_with("is nested deeper than 127 levels"), "{miss}");
        assert!(miss.chars().count() < 200, "{miss}");
        assert!(read(&("[".repeat(127) + &"]".repeat(127))).is_ok());
    }

    #[test]
    fn a_large_value_is_shown_in_part() {
        assert_eq!(shown(&json!({"a": [1, "ä\n"]})), "{\"a\":[1,\"ä\\n\"]}");
        let controls = shown(&json!("ä\u{1b}[31m".repeat(1_000_000)));
        assert!(controls.starts_with("\"ä\\u001b[31m"), "{controls}");
        let long = shown(&json!(vec!["ä€𝄞"; 100_000]));
        assert_eq!(long.chars().count(), SHOWN_VALUE);
        assert!(long.ends_with('…') && !long.contains('\u{fffd}'), "{long}");
    }

    proptest! {
        #[test]
        fn what_is_shown_is_short_and_whole_where_it_can_be(text in any::<String>()) {
            let seen = shown(&json!(text));
            prop_assert!(seen.chars().count() <= SHOWN_VALUE);
            let whole = agentv_base::escape_controls(&json!(text).to_string()).into_owned();
            prop_assert!(seen.ends_with('…') || seen == whole);
        }

        #[test]
        fn a_key_is_found_again_in_a_pointer(key in "[~/01a]{0,8}") {
            let part = pointer_part(&key);
            prop_assert!(!part.contains('/'));
            prop_assert_eq!(key_of_part(&part), key);
        }

        #[test]
        fn no_answer_can_upset_it(answer in any::<String>()) {
            let _ = read_fenced(&answer);
            let _ = fenced(&answer);
        }
    }
}
