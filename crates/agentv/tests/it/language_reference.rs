//! The tables of docs/language.md are those that files are read by, and every key of them is shown
//! in an example. `UPDATE_DOCS=1` writes the tables anew.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
};

use agentv_base::{
    Key, Node, NodeValue, Part, Problems, Shape, SourceId, TARGET_KEYS, find_key, key_table,
    names_in_words, parts_of,
};
use agentv_case::language::{CONFIG, SUITE, TARGETS, parse_yaml};
use agentv_exec::provider::{KINDS, ProviderKind, kind_called};
use agentv_grade::COMMON_KEYS;

use crate::language_page::{self, examples};

/// Every table of keys, by what it is a table of.
type Tables = BTreeMap<String, Vec<&'static Key>>;

fn tables() -> Tables {
    let mut tables = Tables::new();
    for part in [&SUITE, &TARGETS, &CONFIG] {
        add(part.what, part.tables.iter().copied().flatten(), &mut tables);
    }
    add("grader", COMMON_KEYS, &mut tables);
    add("target", TARGET_KEYS, &mut tables);
    for kind in KINDS {
        add(&format!("target of {}", kind.name()), kind.own_keys(), &mut tables);
        if let Some(shared) = kind.shared() {
            add(shared.what, shared.tables.iter().copied().flatten(), &mut tables);
        }
    }
    tables
}

fn add(what: &str, keys: impl IntoIterator<Item = &'static Key>, tables: &mut Tables) {
    if tables.contains_key(what) {
        return;
    }
    let keys: Vec<&'static Key> = keys.into_iter().collect();
    tables.insert(what.to_owned(), keys.clone());
    for key in keys {
        add_below(&key.shape, tables);
    }
}

fn add_below(shape: &Shape, tables: &mut Tables) {
    for part in parts_of(shape) {
        add(part.what, part.tables.iter().copied().flatten(), tables);
    }
}

fn grader_table() -> String {
    let mut table = String::from("| type | keys of its own | what it checks |\n|---|---|---|\n");
    for kind in agentv_grade::kinds() {
        let keys = kind.keys().iter().filter(|key| !is_later(key)).map(|key| key.name);
        let keys: Vec<&str> = keys.collect();
        let (name, about) = (kind.name(), kind.description());
        table.push_str(&format!("| `{name}` | {} | {about} |\n", names_in_words(&keys)));
    }
    table
}

/// Parts in the order of the page.
fn in_order(page: &str, tables: &Tables) -> Vec<String> {
    let mut whats: Vec<String> =
        tables.keys().filter(|what| page.contains(&marker(what))).cloned().collect();
    whats.sort_by_key(|what| page.find(&marker(what)));
    whats
}

fn names_table(page: &str, tables: &Tables) -> String {
    let mut table = String::from("| of | name today | names in other dialects |\n|---|---|---|\n");
    for what in in_order(page, tables) {
        add_names(&what, &tables[&what], &mut table);
    }
    for kind in agentv_grade::kinds() {
        let what = format!("grader `{}`", kind.name());
        add_names(&what, &kind.keys().iter().collect::<Vec<_>>(), &mut table);
        // Maps inside of it that stand on no other page.
        let mut inside = Tables::new();
        kind.keys().iter().for_each(|key| add_below(&key.shape, &mut inside));
        for (part, keys) in inside.iter().filter(|(part, _)| !tables.contains_key(*part)) {
            add_names(&format!("{part} of {what}"), keys, &mut table);
        }
    }
    for kind in agentv_grade::kinds().filter(|kind| !kind.aliases().is_empty()) {
        table.push_str(&format!(
            "| type of a grader | `{}` | {} |\n",
            kind.name(),
            names_in_words(kind.aliases())
        ));
    }
    table
}

fn add_names(what: &str, keys: &[&Key], table: &mut String) {
    for key in keys.iter().filter(|key| !key.aliases.is_empty()) {
        let others = names_in_words(key.aliases);
        table.push_str(&format!("| {what} | `{}` | {others} |\n", key.name));
    }
}

fn is_later(key: &Key) -> bool {
    matches!(key.shape, Shape::Later(_))
}

fn later_table(page: &str, tables: &Tables) -> String {
    let mut table = String::from("| of | keys | instead |\n|---|---|---|\n");
    for what in in_order(page, tables) {
        add_later(&what, tables[&what].iter().copied(), &mut table);
    }
    for kind in agentv_grade::kinds() {
        add_later(&format!("`{}`", kind.name()), kind.keys().iter(), &mut table);
    }
    table
}

fn add_later<'k>(what: &str, keys: impl Iterator<Item = &'k Key>, table: &mut String) {
    let mut rows: Vec<(&str, Vec<&str>)> = Vec::new();
    for key in keys {
        let Shape::Later(instead) = key.shape else { continue };
        match rows.iter_mut().find(|(known, _)| *known == instead) {
            Some((_, keys)) => keys.push(key.name),
            None => rows.push((instead, vec![key.name])),
        }
    }
    for (instead, keys) in rows {
        table.push_str(&format!("| {what} | {} | {instead} |\n", names_in_words(&keys)));
    }
}

fn marker(what: &str) -> String {
    format!("<!-- keys: {what} -->")
}

/// A page with every generated table as it should be.
pub fn rendered(page: &str) -> String {
    let tables = tables();
    let mut generated: Vec<(String, String)> =
        tables.iter().map(|(what, keys)| (marker(what), key_table(keys))).collect();
    generated.push(("<!-- graders -->".to_owned(), grader_table()));
    generated.push(("<!-- names -->".to_owned(), names_table(page, &tables)));
    generated.push(("<!-- later -->".to_owned(), later_table(page, &tables)));
    let mut whole = page.to_owned();
    for (marker, table) in generated {
        let Some((before, rest)) = whole.split_once(&format!("{marker}\n")) else { continue };
        let (_, after) = rest.split_once("<!-- end -->").unwrap();
        whole = format!("{before}{marker}\n{table}<!-- end -->{after}");
    }
    whole
}

#[test]
fn the_tables_of_the_language_page_are_those_that_files_are_read_by() {
    let page = language_page::text();
    let rendered = rendered(&page);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(language_page::path(), rendered).unwrap();
        return;
    }
    let differs = page.lines().zip(rendered.lines()).find(|(is, should)| is != should);
    assert!(
        page == rendered,
        "docs/language.md is not up to date, first at {differs:?}: run this test with UPDATE_DOCS=1"
    );
}

#[test]
fn every_table_of_keys_stands_on_the_language_page() {
    let page = language_page::text();
    for what in tables().keys() {
        assert!(page.contains(&marker(what)), "docs/language.md has no `{}`", marker(what));
    }
}

/// Which keys of which tables a value uses.
fn collect(node: &Node, shape: &Shape, used: &mut BTreeSet<(String, &'static str)>) {
    match (shape, &node.value) {
        (Shape::Either(shapes), _) => shapes.iter().for_each(|shape| collect(node, shape, used)),
        (Shape::List(inner), NodeValue::List(items)) => {
            items.iter().for_each(|item| collect(item, inner, used));
        }
        (Shape::MapOf(inner), NodeValue::Map(entries)) => {
            entries.iter().for_each(|entry| collect(&entry.value, inner, used));
        }
        (Shape::Named("grader"), NodeValue::Map(_)) => {
            collect_keys(node, "grader", &[COMMON_KEYS], used);
        }
        (Shape::Named("target"), NodeValue::Map(_)) => collect_target(node, used),
        (Shape::Part(part), NodeValue::Map(_)) => collect_part(node, part, used),
        (Shape::Tagged(tagged), NodeValue::Map(_)) => {
            let tag = node.get(tagged.key).and_then(Node::as_str).unwrap_or_default();
            if let Some((_, part)) = tagged.parts.iter().find(|(name, _)| *name == tag) {
                collect_part(node, part, used);
            }
        }
        _ => {}
    }
}

fn collect_part(node: &Node, part: &'static Part, used: &mut BTreeSet<(String, &'static str)>) {
    collect_keys(node, part.what, part.tables, used);
}

fn collect_keys(
    node: &Node,
    what: &str,
    tables: &[&'static [Key]],
    used: &mut BTreeSet<(String, &'static str)>,
) {
    for entry in node.as_map().unwrap_or_default() {
        if let Some(key) = find_key(&entry.key, tables) {
            used.insert((what.to_owned(), key.name));
            collect(&entry.value, &key.shape, used);
        }
    }
}

fn collect_target(node: &Node, used: &mut BTreeSet<(String, &'static str)>) {
    collect_keys(node, "target", &[TARGET_KEYS], used);
    let provider = node.get("provider").and_then(Node::as_str).unwrap_or_default();
    let asked = kind_called(&provider.to_lowercase()).map(ProviderKind::name);
    for kind in KINDS {
        // Many keys are keys of several kinds, and mean something else to each.
        if asked.is_some_and(|asked| asked != kind.name()) {
            continue;
        }
        collect_keys(node, &format!("target of {}", kind.name()), &[kind.own_keys()], used);
        if let Some(shared) = kind.shared() {
            collect_part(node, shared, used);
        }
    }
}

/// Messages are messages also where less would do.
fn collect_spoken(node: &Node, used: &mut BTreeSet<(String, &'static str)>) {
    let tables = tables();
    let message = tables["message"].iter().map(|key| key.name).collect::<BTreeSet<_>>();
    let entries = node.as_map().unwrap_or_default();
    if entries.iter().any(|entry| &*entry.key == "role") {
        for entry in entries {
            if let Some(name) = message.get(&*entry.key) {
                used.insert(("message".to_owned(), name));
                let key = tables["message"].iter().find(|key| key.name == *name).unwrap();
                collect(&entry.value, &key.shape, used);
            }
        }
    }
    for entry in entries {
        collect_spoken(&entry.value, used);
    }
    for item in node.as_list().unwrap_or_default() {
        collect_spoken(item, used);
    }
}

#[test]
fn every_key_is_shown_in_an_example_that_is_run() {
    let mut used = BTreeSet::new();
    // Files below a suite's folder are cases, not suites.
    let whole = |file: &str| file.rsplit('.').next() == Some("yaml") && !file.contains("/parts/");
    for example in examples().iter().filter(|example| whole(&example.file)) {
        let mut problems = Problems::default();
        let node = parse_yaml(&example.text, SourceId::default(), &mut problems).unwrap();
        let part = match example.file.as_str() {
            ".agentv/targets.yaml" => &TARGETS,
            ".agentv/config.yaml" => &CONFIG,
            _ => &SUITE,
        };
        collect_part(&node, part, &mut used);
        collect_spoken(&node, &mut used);
    }
    let mut missing = Vec::new();
    for (what, keys) in tables() {
        for key in keys.into_iter().filter(|key| !is_later(key)) {
            if !used.contains(&(what.clone(), key.name)) {
                missing.push(format!("`{}` of {what}", key.name));
            }
        }
    }
    assert!(missing.is_empty(), "docs/language.md shows no {}", missing.join(", "));
}
