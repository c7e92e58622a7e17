//! A target as it may be recorded: what its author wrote, without the secrets; and what these are.

use std::collections::BTreeSet;

use agentv_base::{Node, NodeValue, holds_secret};
use serde_json::Value;

use crate::interpolate::is_reference;

/// What stands in the place of a secret.
const MASK: &str = "***";

/// The map as written. A reference to a variable is a name and stays; a literal value under a
/// secret's name does not, nor in `headers`, whose names nobody can know.
pub(crate) fn recordable(node: &Node) -> Value {
    without_secrets(node, false)
}

fn without_secrets(node: &Node, secret: bool) -> Value {
    match &node.value {
        NodeValue::List(items) => items.iter().map(|item| without_secrets(item, secret)).collect(),
        NodeValue::Map(entries) => entries
            .iter()
            .map(|entry| {
                let secret =
                    secret || &*entry.key == "headers" || holds_secret(&entry.key, &entry.value);
                (entry.key.to_string(), without_secrets(&entry.value, secret))
            })
            .collect(),
        NodeValue::String(text) if secret && !is_reference(text) => Value::from(MASK),
        NodeValue::Integer(_) | NodeValue::Float(_) if secret => Value::from(MASK),
        NodeValue::String(text) => {
            let literal = passwords_in(text).filter(|it| !is_reference(it));
            let hidden = literal.fold(text.to_string(), |hidden, password| {
                hidden.replace(&format!(":{password}@"), ":***@")
            });
            Value::from(hidden)
        }
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {
            node.to_json()
        }
    }
}

/// What must not be shown of a target whose variables are filled in: every value under the name of
/// a secret, be it a variable's or written on the spot.
pub(crate) fn secrets_in(node: &Node, secret: bool, found: &mut BTreeSet<String>) {
    match &node.value {
        NodeValue::List(items) => items.iter().for_each(|item| secrets_in(item, secret, found)),
        NodeValue::Map(entries) => {
            for entry in entries.iter() {
                let secret = secret || holds_secret(&entry.key, &entry.value);
                secrets_in(&entry.value, secret, found);
            }
        }
        NodeValue::String(text) if secret => add_secret(text, found),
        NodeValue::String(text) => found.extend(passwords_in(text).map(str::to_owned)),
        NodeValue::Integer(value) if secret => add_secret(&value.to_string(), found),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {}
    }
}

/// The passwords of addresses, `https://name:password@host`, whatever they stand under: a command
/// can have several.
fn passwords_in(text: &str) -> impl Iterator<Item = &str> {
    text.split("://").skip(1).filter_map(|behind| {
        let end = |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#');
        let (login, _) = behind.split(end).next()?.rsplit_once('@')?;
        let (_, password) = login.split_once(':')?;
        Some(password).filter(|password| !password.is_empty())
    })
}

/// Servers on one's own machine take any key, and people write `none` or `ollama`; to hide such a
/// word would garble everything else. Real keys are longer.
const SHORTEST_LITERAL: usize = 8;

fn add_secret(text: &str, found: &mut BTreeSet<String>) {
    let text = text.trim();
    // Of `Bearer abc` it is `abc` that a server repeats when it complains.
    let credential = text.split_once(' ').map(|(_, rest)| rest.trim());
    let credential = credential.filter(|rest| !rest.contains(char::is_whitespace));
    let credential = credential.filter(|_| !text.contains(';'));
    // Of `session=abc; theme=dark` it is `abc`.
    let values = text.split([';', ',']).filter_map(|pair| Some(pair.split_once('=')?.1.trim()));
    // Where it has lines, or characters that are written as escapes, each piece stands alone.
    let pieces = text.split(char::is_control).map(str::trim);
    let long = [Some(text), credential].into_iter().flatten().chain(values).chain(pieces);
    found.extend(long.filter(|text| text.len() >= SHORTEST_LITERAL).map(str::to_owned));
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
    fn values_under_the_name_of_a_secret_are_known_also_where_they_were_written_on_the_spot() {
        let text = "name: n\napi_key: sk-literal-1\nmax_tokens: 12345678\nmax_output_tokens: '12345678'\n\
                    headers: {Authorization: Bearer abcdefgh, X-Api-Key: ' key-in-a-header ', X-Team: team-of-mine}\n\
                    credentials: [{pin: 123456789}]\ntoken: ollama\npassword: several words here\n\
                    Cookie: session=in-a-cookie; theme=dark\nurl: https://me:in-an-address@example.org/x";
        let mut problems = Problems::default();
        let node = yaml::parse(text, SourceId::default(), &mut problems).unwrap();
        let mut found = BTreeSet::new();
        secrets_in(&node, false, &mut found);
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(
            found,
            [
                "123456789",
                "Bearer abcdefgh",
                "abcdefgh",
                "in-a-cookie",
                "in-an-address",
                "key-in-a-header",
                "session=in-a-cookie; theme=dark",
                "several words here",
                "sk-literal-1",
            ]
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
