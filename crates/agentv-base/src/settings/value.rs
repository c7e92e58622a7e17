//! The numbers that settings hold, also as strings, and what is said where they hold none.

use crate::{
    diagnostic::{Diagnostic, Problems},
    node::{Node, NodeValue},
};

/// The whole number of at least one that a setting holds, or the reason why not.
pub fn count_of(name: &str, node: &Node, problems: &mut Problems) -> Option<usize> {
    let value = whole_of(node).and_then(|value| usize::try_from(value).ok());
    let value = value.filter(|value| *value > 0);
    if value.is_none() {
        problems.push(not_whole(name, node, "a whole number of at least 1"));
    }
    value
}

/// The number of at least 0 that a setting holds, or the reason why not.
pub fn limit_of(name: &str, node: &Node, problems: &mut Problems) -> Option<f64> {
    let Some(value) = number_of(node) else {
        problems.push(wrong_type(name, node, "a number"));
        return None;
    };
    if value >= 0.0 {
        return Some(value);
    }
    problems.error(node.span, format!("`{name}` must not be negative"));
    None
}

/// The whole number of at least 0 that a setting holds, or the reason why not.
pub fn count_limit_of(name: &str, node: &Node, problems: &mut Problems) -> Option<u64> {
    let value = whole_of(node);
    if value.is_none() {
        problems.push(not_whole(name, node, "a whole number of at least 0"));
    }
    value
}

/// The whole number that a scalar holds, if it holds one that is not negative.
fn whole_of(node: &Node) -> Option<u64> {
    match &node.value {
        NodeValue::Integer(value) => u64::try_from(*value).ok(),
        NodeValue::String(text) => text.trim().parse().ok(),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Float(_)
        | NodeValue::List(_)
        | NodeValue::Map(_) => None,
    }
}

fn not_whole(name: &str, node: &Node, wanted: &str) -> Diagnostic {
    if number_of(node).is_some() {
        // It is a number, only not one of those.
        return Diagnostic::error(format!("`{name}` must be {wanted}")).at(node.span);
    }
    wrong_type(name, node, wanted)
}

/// The number from 0 to 1 that a setting holds, or the reason why not.
pub fn share_of(name: &str, node: &Node, problems: &mut Problems) -> Option<f64> {
    let Some(value) = number_of(node) else {
        problems.push(wrong_type(name, node, "a number from 0 to 1"));
        return None;
    };
    if (0.0..=1.0).contains(&value) {
        return Some(value);
    }
    problems.error(node.span, format!("`{name}` must be between 0 and 1"));
    None
}

/// The number that a scalar holds, if it holds one.
pub(super) fn number_of(node: &Node) -> Option<f64> {
    match &node.value {
        #[expect(clippy::cast_precision_loss, reason = "settings are small numbers")]
        NodeValue::Integer(value) => Some(*value as f64),
        NodeValue::Float(value) => Some(*value),
        NodeValue::String(text) => text.trim().parse().ok(),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::List(_) | NodeValue::Map(_) => None,
    }
    .filter(|value: &f64| value.is_finite())
}

pub(super) fn wrong_type(name: &str, node: &Node, expected: &str) -> Diagnostic {
    // A number can be of the wrong kind of numbers: then the number itself says what is wrong.
    let found = match &node.value {
        NodeValue::Integer(value) if expected.contains("number") => value.to_string(),
        NodeValue::Float(value) if expected.contains("number") => value.to_string(),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Integer(_)
        | NodeValue::Float(_)
        | NodeValue::String(_)
        | NodeValue::List(_)
        | NodeValue::Map(_) => node.kind_name().to_owned(),
    };
    Diagnostic::error(format!("`{name}` must be {expected}, not {found}"))
        .code("wrong-type")
        .at(node.span)
}
