//! `agentv graders [TYPE]…`: which types of graders there are, and the page of each.

use std::fmt::Write as _;

use agentv_base::{Key, Problems, Shape, Sources, shape_in_words};
use agentv_grade::{COMMON_KEYS, GraderKind, kind_called, kinds, page};
use serde_json::{Value, json};

use super::{given, report};
use crate::{
    args::{GradersArgs, GradersFormat},
    console::Console,
    exit::Exit,
};

pub fn run(args: &GradersArgs, console: Console) -> Exit {
    let mut problems = Problems::default();
    let wanted: Vec<&'static dyn GraderKind> = args
        .types
        .iter()
        .filter_map(|typed| kind_called(typed).map_err(|problem| problems.push(problem)).ok())
        .collect();
    if let Err(exit) = report(&problems, &Sources::default(), console) {
        return exit;
    }
    let text = match args.format {
        GradersFormat::Json if wanted.is_empty() => format!("{:#}\n", described(kinds())),
        GradersFormat::Json => format!("{:#}\n", described(wanted.into_iter())),
        GradersFormat::Text if wanted.is_empty() => list(),
        GradersFormat::Text => pages(&wanted),
    };
    given(console.result(&text), console)
}

fn list() -> String {
    let width = kinds().map(|kind| kind.name().len()).max().unwrap_or_default();
    let mut text = String::new();
    for kind in kinds() {
        let _ = writeln!(text, "{:width$}  {}", kind.name(), kind.description());
    }
    text
}

/// The pages with the scores that examples say they have; what graders say of them stands in the
/// documentation.
fn pages(wanted: &[&'static dyn GraderKind]) -> String {
    let pages: Vec<String> = wanted.iter().map(|kind| page(*kind, &|_, _| None)).collect();
    pages.join("\n")
}

/// The kinds as programs read them: names, keys, and an example of each.
fn described(wanted: impl Iterator<Item = &'static dyn GraderKind>) -> Value {
    let kind = |kind: &'static dyn GraderKind| {
        let examples = kind.manual().examples.iter();
        json!({
            "type": kind.name(),
            "aliases": kind.aliases(),
            "description": kind.description(),
            "can_be_negated": kind.can_be_negated(),
            "keys": keys(kind.keys()),
            "examples": examples.map(|example| example.grader.trim()).collect::<Vec<_>>(),
        })
    };
    json!({
        "graders": wanted.map(kind).collect::<Vec<_>>(),
        "common_keys": keys(COMMON_KEYS),
    })
}

fn keys(keys: &[Key]) -> Value {
    let key = |key: &Key| {
        json!({
            "key": key.name,
            "aliases": key.aliases,
            "value": shape_in_words(&key.shape),
            "about": key.about,
            "required": key.required,
            "default": key.default,
        })
    };
    keys.iter().filter(|key| !matches!(key.shape, Shape::Later(_))).map(key).collect()
}
