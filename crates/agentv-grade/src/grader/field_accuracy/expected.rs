//! The data that a case expects: what the last of its expected messages from the assistant says,
//! where that is an object or a text that is JSON.

use agentv_base::{EvalCase, Node, NodeValue};
use serde_json::Value;

/// The expected data; nothing where the case expects nothing, or nothing that is JSON.
pub(super) fn expected_data(case: &EvalCase) -> Option<Value> {
    let content = case.expected_messages.last_content("assistant")?;
    match &content.value {
        NodeValue::Map(_) => Some(content.to_json()),
        NodeValue::String(text) => serde_json::from_str(text).ok(),
        // Blocks: texts, and files with the text that is in them.
        NodeValue::List(blocks) => {
            let said: String = blocks.iter().filter_map(text_of).collect();
            serde_json::from_str(&said).ok()
        }
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => None,
    }
}

fn text_of(block: &Node) -> Option<&str> {
    let text = |key: &str| block.get(key).and_then(Node::as_str);
    block.as_str().or_else(|| text("text")).or_else(|| text("value"))
}

#[cfg(test)]
mod tests {
    use agentv_base::Messages;
    use serde_json::json;

    use super::*;
    use crate::testing::eval_case;

    fn check(messages: &Value) -> Option<Value> {
        let messages = messages.as_array().unwrap().iter().map(Node::from_json).collect();
        expected_data(&EvalCase { expected_messages: Messages::new(messages), ..eval_case() })
    }

    #[test]
    fn the_last_message_of_the_assistant_says_what_is_expected() {
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
                {"role": "tool", "content": "done"},
            ]),
        ] {
            assert_eq!(check(&messages), Some(data.clone()), "{messages}");
        }
        for messages in [
            json!([]),
            json!([{"role": "user", "content": {"a": 1}}]),
            json!([{"role": "assistant", "content": "Paris"}]),
            json!([{"role": "assistant", "tool_calls": [{"tool": "a"}]}]),
            json!([{"role": "assistant", "content": {"a": 1}}, {"role": "assistant", "content": "Bye"}]),
        ] {
            assert_eq!(check(&messages), None, "{messages}");
        }
    }
}
