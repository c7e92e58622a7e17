//! Tables of keys in words, for pages that people read.

use std::fmt::Write as _;

use crate::key::{Key, Part, Shape, Tagged};

/// A table in Markdown of what may stand in a map.
pub fn key_table(keys: &[&Key]) -> String {
    let mut table = String::from("| key | type | default | meaning |\n|---|---|---|---|\n");
    for key in keys.iter().filter(|key| !matches!(key.shape, Shape::Later(_))) {
        let also = if key.aliases.is_empty() {
            String::new()
        } else {
            format!(". Also: {}", names_in_words(key.aliases))
        };
        let Key { name, about, shape, .. } = key;
        let kind = words(shape, false);
        // A map that is called after its key has its table further down.
        let own = parts_of(shape).iter().any(|part| part.what == *name);
        let kind = if own { kind.replace(name, "map") } else { kind };
        let _ = writeln!(table, "| `{name}` | {kind} | {} | {about}{also} |", default_of(key));
    }
    table
}

/// The kinds of maps that a value may be, or hold in a list.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other shape holds a known map")]
pub fn parts_of(shape: &Shape) -> Vec<&'static Part> {
    match shape {
        Shape::Part(part) => vec![part],
        Shape::Tagged(Tagged { parts, .. }) => parts.iter().map(|(_, part)| *part).collect(),
        Shape::List(inner) | Shape::MapOf(inner) => parts_of(inner),
        Shape::Either(shapes) => shapes.iter().flat_map(parts_of).collect(),
        _ => Vec::new(),
    }
}

/// What a value looks like, in words.
pub fn shape_in_words(shape: &Shape) -> String {
    words(shape, false)
}

/// A shape in the words of the page.
fn words(shape: &Shape, many: bool) -> String {
    let (one, several) = match shape {
        Shape::Text | Shape::Name => ("text", "texts"),
        Shape::Bool => ("true or false", "booleans"),
        Shape::Number => ("number", "numbers"),
        Shape::Positive => ("number above 0", "numbers above 0"),
        Shape::Limit => ("number from 0 on", "numbers from 0 on"),
        Shape::Share => ("number from 0 to 1", "numbers from 0 to 1"),
        Shape::Count => ("whole number from 1 on", "whole numbers from 1 on"),
        Shape::CountLimit => ("whole number from 0 on", "whole numbers from 0 on"),
        Shape::Scalar => ("text, number or boolean", "texts, numbers or booleans"),
        Shape::Any => ("anything", "anything"),
        Shape::AnyMap => ("map", "maps"),
        Shape::Later(_) => ("", ""),
        Shape::Named(name) => return plural(name, many),
        Shape::Part(part) => return plural(part.what, many),
        Shape::Tagged(Tagged { parts, .. }) => {
            return plural(parts.first().map_or("map", |(_, part)| part.what), many);
        }
        Shape::Choice(choices) => {
            return alternatives(choices.iter().map(|word| format!("`{word}`")).collect());
        }
        Shape::MapOf(inner) => return plural("map", many) + " of " + &words(inner, true),
        Shape::List(Shape::Any) => return plural("list", many),
        Shape::List(inner) => return plural("list", many) + " of " + &words(inner, true),
        Shape::Either(shapes) => {
            return alternatives(shapes.iter().map(|shape| words(shape, many)).collect());
        }
    };
    (if many { several } else { one }).to_owned()
}

fn plural(name: &str, many: bool) -> String {
    match name.split_once(' ').filter(|(_, rest)| rest.starts_with("of ")) {
        _ if !many => name.to_owned(),
        Some((first, rest)) => format!("{first}s {rest}"),
        None => format!("{name}s"),
    }
}

fn alternatives(mut words: Vec<String>) -> String {
    words.sort_by_key(|words| words.contains(" or "));
    let last = words.pop().unwrap_or_default();
    match words.as_slice() {
        [] => last,
        // The alternatives inside of the last one need a pause before them.
        _ if last.contains(" or ") => format!("{}, or {last}", words.join(", ")),
        _ => format!("{} or {last}", words.join(", ")),
    }
}

fn default_of(key: &Key) -> &'static str {
    if key.required { "**required**" } else { key.default.unwrap_or_default() }
}

/// Names one after the other, each as code.
pub fn names_in_words(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
