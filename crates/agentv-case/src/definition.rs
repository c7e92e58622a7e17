//! A target as it may be recorded: what its author wrote, without the secrets.

use agentv_base::{Node, NodeValue, is_secret_name};
use serde_json::Value;

use crate::interpolate::is_reference;

/// What stands in the place of a secret.
const MASK: &str = "***";

/// The map as written. A reference to a variable is a name and stays; a literal value under a
/// secret's name does not.
pub(crate) fn recordable(node: &Node) -> Value {
    without_secrets(node, false)
}

fn without_secrets(node: &Node, secret: bool) -> Value {
    match &node.value {
        NodeValue::List(items) => items.iter().map(|item| without_secrets(item, secret)).collect(),
        NodeValue::Map(entries) => entries
            .iter()
            .map(|entry| {
                let secret = secret || holds_secret(&entry.key, &entry.value);
                (entry.key.to_string(), without_secrets(&entry.value, secret))
            })
            .collect(),
        NodeValue::String(text) if secret && !is_reference(text) => Value::from(MASK),
        NodeValue::Integer(_) | NodeValue::Float(_) if secret => Value::from(MASK),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Integer(_)
        | NodeValue::Float(_)
        | NodeValue::String(_) => node.to_json(),
    }
}

/// A number of tokens is a count, not a token.
fn holds_secret(key: &str, value: &Node) -> bool {
    let number = matches!(value.value, NodeValue::Integer(_) | NodeValue::Float(_));
    let count = number && key.to_ascii_lowercase().ends_with("tokens");
    is_secret_name(key) && !count
}

#[cfg(test)]
mod tests {
    use agentv_base::{Problems, SourceId};

    use super::*;
    use crate::yaml;

    fn check(text: &str) -> String {
        let mut problems = Problems::default();
        let node = yaml::parse(text, SourceId::default(), &mut problems).unwrap();
        recordable(&node).to_string()
    }

    #[test]
    fn literals_under_the_name_of_a_secret_are_masked_at_every_depth() {
        assert_eq!(
            check("api_key: sk-1\nenv: {DB_PASSWORD: 12345, HOST: h}\ncredentials: [{user: me}]"),
            r#"{"api_key":"***","env":{"DB_PASSWORD":"***","HOST":"h"},"credentials":[{"user":"***"}]}"#
        );
    }

    #[test]
    fn variables_stay_by_name_and_other_settings_as_written() {
        assert_eq!(
            check("api_key: ${{ KEY }}\nauthorization: Bearer ${{ T }}\nmax_tokens: 5\nmodel: m"),
            r#"{"api_key":"${{ KEY }}","authorization":"***","max_tokens":5,"model":"m"}"#
        );
    }
}
