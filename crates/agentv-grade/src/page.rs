//! The page of a kind of grader, in Markdown, made of what the kind says about itself.

use std::fmt::Write as _;

use agentv_base::{GRADER_KEYS, Key, key_table, names_in_words, parts_of};

use crate::{
    kind::GraderKind,
    manual::{Answer, Example, Given},
};

/// What graders said when an example was run: each hit and each miss.
pub struct Seen {
    pub hits: Vec<String>,
    pub misses: Vec<String>,
}

/// The page of a kind. `seen` tells what came of an answer, by the places of its example and of
/// itself; nothing where examples have not been run.
pub fn page(kind: &dyn GraderKind, seen: &dyn Fn(usize, usize) -> Option<Seen>) -> String {
    let manual = kind.manual();
    let mut page = format!("# `{}`\n\n{}.\n\n", kind.name(), kind.description());
    if !kind.aliases().is_empty() {
        let _ = writeln!(page, "Also called {}.\n", names_in_words(kind.aliases()));
    }
    let _ = writeln!(page, "{}\n", manual.text);
    if kind.can_be_negated() {
        let _ = writeln!(page, "`not-{}` wants the opposite.\n", kind.name().replace('_', "-"));
    }
    page.push_str("## Keys\n\n");
    if kind.keys().is_empty() {
        page.push_str("It has none of its own.");
    } else {
        page.push_str(&tables(kind.keys()));
    }
    let names: Vec<&str> = GRADER_KEYS.iter().map(|key| key.name).collect();
    let common = "the [keys of every grader](../graders.md#common-keys)";
    let _ = writeln!(page, "\nBeside these it has {common}: {}.", names_in_words(&names));
    page.push_str("\n## Examples\n");
    for (index, example) in manual.examples.iter().enumerate() {
        show(example, &|answer| seen(index, answer), &mut page);
    }
    page
}

/// The table of its keys, and those of the maps inside of them.
fn tables(keys: &'static [Key]) -> String {
    let mut text = key_table(&keys.iter().collect::<Vec<_>>());
    let mut waiting: Vec<_> = keys.iter().flat_map(|key| parts_of(&key.shape)).collect();
    let mut shown = Vec::new();
    while !waiting.is_empty() {
        let part = waiting.remove(0);
        if shown.contains(&part.what) {
            continue;
        }
        shown.push(part.what);
        let keys: Vec<&Key> = part.tables.iter().copied().flatten().collect();
        waiting.extend(keys.iter().flat_map(|key| parts_of(&key.shape)));
        let _ = write!(text, "\nKeys of `{}`:\n\n{}", part.what, key_table(&keys));
    }
    text
}

fn show(example: &Example, seen: &dyn Fn(usize) -> Option<Seen>, page: &mut String) {
    let _ = write!(page, "\n### {}\n\n```yaml\n{}\n```\n", example.title, example.grader.trim());
    for (name, content) in example.files {
        let _ = write!(page, "\n`{name}`:\n\n{}\n", block(content.trim_end()));
    }
    if let Some(reference) = example.reference {
        let _ = write!(page, "\nThe case expects:\n\n{}\n", block(reference.trim_end()));
    }
    for (index, Answer { given, score }) in example.answers.iter().enumerate() {
        let (said, text) = match given {
            Given::Text(text) => ("The answer", text),
            Given::Record(record) => ("The record", record),
        };
        let _ = write!(page, "\n{said}\n\n{}\n\nscores **{score}**", block(text.trim()));
        match seen(index) {
            Some(seen) => {
                page.push_str(":\n\n");
                list("hit", &seen.hits, page);
                list("miss", &seen.misses, page);
            }
            None => page.push_str(".\n"),
        }
    }
}

/// A text in a fence that is longer than any inside of it.
fn block(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}\n{text}\n{fence}")
}

fn list(what: &str, texts: &[String], page: &mut String) {
    for text in texts {
        match text.split_once('\n') {
            None => {
                let _ = writeln!(page, "- {what}: {text}");
            }
            // Lines that stand under each other for a reason stay so.
            Some((first, rest)) => {
                let rest = rest.replace('\n', "\n  ");
                let _ = writeln!(page, "- {what}: {first}\n\n  ```\n  {rest}\n  ```");
            }
        }
    }
}
