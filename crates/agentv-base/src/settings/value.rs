//! The numbers that settings hold, also as strings, and what is said where they hold none.

use crate::{
    diagnostic::{Diagnostic, Problems},
    key::Shape,
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

/// The boolean that a word stood for in YAML 1.1.
pub(super) fn boolean_meant(node: &Node) -> Option<bool> {
    match node.as_str()?.trim().to_ascii_lowercase().as_str() {
        "yes" | "y" | "on" => Some(true),
        "no" | "n" | "off" => Some(false),
        _ => None,
    }
}

/// Whether a value is of the kind that a shape is of; what is inside of it is not looked at.
pub(super) fn looks_like(node: &Node, shape: &Shape) -> bool {
    let is_text = node.as_str().is_some();
    let is_variable = || node.as_str().is_some_and(|text| text.contains("${{"));
    let is_plain = node.as_list().is_none() && node.as_map().is_none();
    node.is_null()
        || match shape {
            Shape::Text | Shape::Name | Shape::Choice(_) => is_text,
            Shape::Bool => is_text || matches!(node.value, NodeValue::Bool(_)),
            Shape::Number
            | Shape::Positive
            | Shape::Limit
            | Shape::Share
            | Shape::Count
            | Shape::CountLimit => number_of(node).is_some() || is_variable(),
            Shape::Scalar => is_plain,
            Shape::AnyMap | Shape::MapOf(_) | Shape::Part(_) | Shape::Tagged(_) => {
                node.as_map().is_some()
            }
            Shape::List(_) => node.as_list().is_some(),
            Shape::Either(shapes) => shapes.iter().any(|shape| looks_like(node, shape)),
            Shape::Any | Shape::Named(_) | Shape::Later(_) => true,
        }
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
