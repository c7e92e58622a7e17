//! The data that a case expects: what the last of its expected messages says, where that is an
//! object, a list or a text that is JSON.

use agentv_base::{EvalCase, Problems, Reference};
use serde_json::Value;

/// The expected data; nothing where the case expects nothing, or nothing that is JSON.
pub(super) fn expected_data(case: &EvalCase) -> Option<Value> {
    match case.reference()? {
        Reference::Text(text) => serde_json::from_str(&text).ok(),
        Reference::Json(node) => node.checked_json(&mut Problems::default()),
    }
}

#[cfg(test)]
mod tests {
    use agentv_base::{Messages, Node};
    use serde_json::json;

    use super::*;
    use crate::testing::eval_case;

    fn check(messages: &Value) -> Option<Value> {
        let messages = messages.as_array().unwrap().iter().map(Node::from_json).collect();
        expected_data(&EvalCase { expected_messages: Messages::new(messages), ..eval_case() })
    }

    #[test]
    fn the_last_message_with_content_says_what_is_expected() {
        let data = json!({"a": 1});
        for messages in [
            json!([{"role": "assistant", "content": {"a": 1}}]),
            json!([{"role": "assistant", "content": " {\"a\": 1}\n"}]),
            json!([{"role": "assistant", "content": [{"type": "text", "value": "{\"a\""}, ": 1}"]}]),
            json!([{"role": "assistant", "content": [
                {"type": "file", "value": "a.json", "path": "/a.json", "text": "{\"a\": 1}"}
            ]}]),
            json!([
                {"role": "assistant", "content": "first"},
                {"role": "assistant", "content": {"a": 1}},
                {"role": "assistant", "tool_calls": [{"tool": "a"}]},
            ]),
        ] {
            assert_eq!(check(&messages), Some(data.clone()), "{messages}");
        }
        for messages in [
            json!([]),
            json!([{"role": "assistant", "content": "Paris"}]),
            json!([{"role": "assistant", "content": {"a": 1}}, {"role": "tool", "content": "done"}]),
            json!([{"role": "assistant", "tool_calls": [{"tool": "a"}]}]),
            json!([{"role": "assistant", "content": {"a": 1}}, {"role": "assistant", "content": "Bye"}]),
        ] {
            assert_eq!(check(&messages), None, "{messages}");
        }
    }
}
