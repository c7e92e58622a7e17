//! The output of one case: JSON with an answer in it, or the answer itself.

use crate::provider::{
    jsonl::strip_mark,
    record::{Reading, Record},
};

/// Reads the whole output of a single invocation.
pub(super) fn read(bytes: Vec<u8>) -> Result<Reading, String> {
    let bytes =
        if strip_mark(&bytes).len() < bytes.len() { strip_mark(&bytes).to_vec() } else { bytes };
    let text = String::from_utf8(bytes).map_err(|error| {
        format!(
            "output is not UTF-8 (byte {} is the first that is not)",
            error.utf8_error().valid_up_to()
        )
    })?;
    if text.trim().is_empty() {
        return Err("output is empty".to_owned());
    }
    if text.trim_start().starts_with('{')
        && let Ok(record) = serde_json::from_str::<Record>(&text)
    {
        // In single mode a failed case is said by the exit code: `error` is a field like others.
        let reading = Record { error: None, ..record }.read();
        if reading.text.is_some() {
            return Ok(reading);
        }
    }
    Ok(Reading { text: Some(text), ..Reading::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(output: &str) -> String {
        read(output.as_bytes().to_vec()).unwrap().text.unwrap()
    }

    #[test]
    fn an_object_with_text_answers_with_its_text() {
        assert_eq!(answer(r#"{"text": "hi", "other": 1}"#), "hi");
    }

    #[test]
    fn an_empty_text_is_an_answer() {
        assert_eq!(answer(r#"{"text": ""}"#), "");
    }

    #[test]
    fn an_object_with_messages_only_answers_with_the_last_assistant() {
        let output = r#"{"output_messages": [{"role": "assistant", "content": "hi"}]}"#;
        assert_eq!(answer(output), "hi");
    }

    #[test]
    fn any_other_json_is_itself_the_answer() {
        for output in ["[1, 2]", "\"x\"", "12", r#"{"answer": 1}"#, r#"{"text": null}"#] {
            assert_eq!(answer(output), output);
        }
    }

    #[test]
    fn an_object_whose_messages_are_all_unfit_is_itself_the_answer() {
        let output = r#"{"output_messages": [{"content": "no role"}]}"#;
        assert_eq!(answer(output), output);
    }

    #[test]
    fn text_that_is_no_json_is_kept_to_the_last_byte() {
        for output in ["plain\n", "{not json", "  {\"text\": 1} trailing"] {
            assert_eq!(answer(output), output);
        }
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_answer() {
        assert_eq!(answer("\u{feff}{\"text\": \"hi\"}"), "hi");
        assert_eq!(answer("\u{feff}hi"), "hi");
    }

    #[test]
    fn nothing_and_bytes_that_are_not_text_are_errors() {
        assert_eq!(read(Vec::new()).unwrap_err(), "output is empty");
        assert_eq!(read(b" \n".to_vec()).unwrap_err(), "output is empty");
        assert!(read(b"ab\xff".to_vec()).unwrap_err().contains("byte 2"));
    }
}
