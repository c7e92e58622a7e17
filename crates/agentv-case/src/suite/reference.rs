//! `file://…`: files that a suite takes cases, prompts or variables from.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{Diagnostic, Entry, Node, NodeValue, Problems, Span};

use crate::{
    data::json_value,
    discover::{self, DATA_ENDINGS},
    folders,
    library::{FileText, Library},
    read::LARGEST_FILE,
    yaml,
};

const SCHEME: &str = "file://";

/// The path of a reference.
pub(super) fn file_of(text: &str) -> Option<&str> {
    text.trim().strip_prefix(SCHEME)
}

/// Whether a text in the place of cases means a file: it says so, or it looks like a path.
pub(super) fn is_reference(text: &str) -> bool {
    let text = text.trim();
    let endings = DATA_ENDINGS.iter().any(|ending| text.ends_with(&format!(".{ending}")));
    endings || file_of(text).is_some() || text.contains(['/', '*'])
}

/// The files with cases that a reference leads to: one, those below a folder, those of a glob.
pub(super) fn files(
    text: &str,
    span: Span,
    folder: &Path,
    library: &Library,
    problems: &mut Problems,
) -> Vec<PathBuf> {
    let given = file_of(text).unwrap_or(text.trim());
    let path = folders::absolute(Path::new(given), folder);
    if path.is_file() {
        return vec![path];
    }
    let mut found = Problems::default();
    let files = if path.is_dir() {
        discover::files_below(&path, &DATA_ENDINGS, &mut found)
    } else if given.contains(['*', '?', '[', '{']) {
        discover::matching(given, folder, &DATA_ENDINGS, &mut found)
    } else {
        problems.push(missing(given, folder, span, library));
        return Vec::new();
    };
    for mut problem in found {
        problem.span = problem.span.or(Some(span));
        problems.push(problem);
    }
    if files.is_empty() {
        problems.push(
            Diagnostic::error(format!("`{given}` leads to no file with cases"))
                .at(span)
                .hint(format!("cases are kept in files that end in {}", DATA_ENDINGS.join(", "))),
        );
    }
    files
}

fn missing(given: &str, folder: &Path, span: Span, library: &Library) -> Diagnostic {
    let hint = format!("looked in `{}`", library.shown(folder).display());
    Diagnostic::error(format!("file `{given}` was not found"))
        .code("missing-file")
        .at(span)
        .hint(hint)
}

/// What is in the file of a reference: a tree of a YAML or JSON file, the text of any other.
pub(super) fn content(
    path: &str,
    span: Span,
    folder: &Path,
    library: &mut Library,
    problems: &mut Problems,
) -> Option<Node> {
    let file = folders::absolute(Path::new(path), folder);
    if !file.is_file() {
        problems.push(missing(path, folder, span, library));
        return None;
    }
    library.referred.insert(file.canonicalize().unwrap_or_else(|_| file.clone()));
    let FileText { source, text, .. } = match library.refer(&file, LARGEST_FILE) {
        Ok(read) => read,
        Err(problem) => {
            problems.push(problem);
            return None;
        }
    };
    match ending(&file).as_str() {
        "yaml" | "yml" => yaml::parse(&text, source, problems),
        "json" => json_value(&text, source, problems),
        _ => {
            let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
            let whole = Span { source, start: 0, end };
            Some(Node::new(whole, NodeValue::String(text.replace("\r\n", "\n").into())))
        }
    }
}

pub(super) fn ending(file: &Path) -> String {
    file.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// A map of variables, with what is in the files that it refers to.
pub(super) fn read_vars(
    node: &Node,
    folder: &Path,
    library: &mut Library,
    problems: &mut Problems,
) -> Option<Arc<[Entry]>> {
    let (node, folder) = match node.as_str() {
        None => (node.clone(), folder.to_owned()),
        Some(text) => {
            let Some(path) = file_of(text) else {
                problems.push(
                    Diagnostic::error("`vars` must be a map, not a string")
                        .at(node.span)
                        .hint("write `vars: {name: value}`, or `vars: file://vars.yaml`"),
                );
                return None;
            };
            let read = content(path, node.span, folder, library, problems)?;
            let file = folders::absolute(Path::new(path), folder);
            (read, file.parent().unwrap_or(folder).to_owned())
        }
    };
    let NodeValue::Map(entries) = &node.value else {
        let kind = node.kind_name();
        problems.error(node.span, format!("`vars` must be a map, not {kind}"));
        return None;
    };
    let refers = |entry: &Entry| entry.value.as_str().and_then(file_of).is_some();
    if !entries.iter().any(refers) {
        return Some(entries.clone());
    }
    let mut filled = Vec::with_capacity(entries.len());
    for entry in entries.iter() {
        let value = match entry.value.as_str().and_then(file_of) {
            Some(path) => content(path, entry.value.span, &folder, library, problems),
            None => Some(entry.value.clone()),
        };
        filled.extend(value.map(|value| Entry { value, ..entry.clone() }));
    }
    Some(Arc::from(filled))
}

/// Variables of several maps, the first of each name.
pub(super) fn merged(maps: &[&[Entry]]) -> Arc<[Entry]> {
    let mut all: Vec<Entry> = Vec::new();
    for entry in maps.iter().copied().flatten() {
        if !all.iter().any(|known| known.key == entry.key) {
            all.push(entry.clone());
        }
    }
    Arc::from(all)
}
