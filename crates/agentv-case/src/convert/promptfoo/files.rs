//! The files that a configuration refers to: which they are, what is in them, and how a path looks
//! from the suite's folder.

use std::path::{Component, Path, PathBuf};

use agentv_base::{Entry, Node, NodeValue, SourceId, Span};
use globset::GlobBuilder;
use walkdir::WalkDir;

use super::Import;
use crate::{
    convert::{read_source, read_tree},
    folders,
};

pub(super) const FILE: &str = "file://";

/// `file://a.py:name` → the path and the name behind it.
pub(super) fn split_function(reference: &str) -> (&str, Option<&str>) {
    let path = reference.strip_prefix(FILE).unwrap_or(reference);
    match path.rsplit_once(':') {
        Some((file, name)) if !name.is_empty() && !name.contains(['/', '\\', '.']) => {
            (file, Some(name))
        }
        _ => (path, None),
    }
}

pub(super) fn ending(path: &str) -> &str {
    Path::new(path).extension().and_then(|ending| ending.to_str()).unwrap_or_default()
}

/// The name of a file without its ending.
pub(super) fn stem(path: &str) -> String {
    Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

impl Import {
    pub(super) fn absolute(&self, path: &str) -> PathBuf {
        folders::absolute(Path::new(path), &self.places.base)
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        self.absolute(path).is_file()
    }

    /// The files that a reference stands for, in the order of their names; a problem where there
    /// is none.
    pub(super) fn files(&mut self, reference: &str, span: Span) -> Vec<PathBuf> {
        let path = reference.strip_prefix(FILE).unwrap_or(reference);
        if !path.contains(['*', '?', '{', '[']) {
            return vec![self.absolute(path)];
        }
        let pattern = self.absolute(path).to_string_lossy().into_owned();
        let Ok(glob) = GlobBuilder::new(&pattern).literal_separator(true).build() else {
            self.error(span, format!("`{path}` is not a pattern of files"));
            return Vec::new();
        };
        let matcher = glob.compile_matcher();
        let folder: PathBuf = Path::new(&pattern)
            .components()
            .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '{', '[']))
            .collect();
        let mut found: Vec<PathBuf> = WalkDir::new(folder)
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file() && matcher.is_match(entry.path()))
            .map(walkdir::DirEntry::into_path)
            .collect();
        found.sort();
        if found.is_empty() {
            self.error(span, format!("no file matches `{path}`"));
        }
        found
    }

    /// The text of a file, and its place among the sources.
    pub(super) fn read_text(&mut self, file: &Path, span: Span) -> Option<(String, SourceId)> {
        let shown = folders::shown(file, &self.places.current_dir);
        let before = self.problems.clone();
        let Some((source, _)) = read_source(file, &shown, &mut self.sources, &mut self.problems)
        else {
            self.place_problem(before, span);
            return None;
        };
        let text = self.sources.get(source)?.text.to_string();
        Some((text, source))
    }

    pub(super) fn read_yaml(&mut self, file: &Path, span: Span) -> Option<Node> {
        let shown = folders::shown(file, &self.places.current_dir);
        if !file.is_file() {
            self.error(span, format!("no such file: `{}`", shown.display()));
            return None;
        }
        read_tree(file, &shown, &mut self.sources, &mut self.problems).map(|(_, _, node)| node)
    }

    /// A file that cannot be read is a problem of whoever names it.
    fn place_problem(&mut self, before: agentv_base::Problems, span: Span) {
        let found = std::mem::replace(&mut self.problems, before);
        for problem in found.iter().skip(self.problems.iter().count()) {
            let problem = problem.clone().at(span);
            self.problems.push(problem);
        }
    }

    /// A path of the configuration as the suite must write it.
    pub(super) fn as_suite_path(&self, path: &str) -> String {
        relative(&self.places.suite_dir, &self.absolute(path))
    }
}

/// A path as seen from a folder; both are absolute.
pub(super) fn relative(folder: &Path, path: &Path) -> String {
    let from: Vec<Component<'_>> = folder.components().collect();
    let to: Vec<Component<'_>> = path.components().collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - shared);
    let down = to.iter().skip(shared).map(|part| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = up.chain(down).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// The tree of a piece of a file, at its place in that file.
pub(super) fn moved(node: Node, source: SourceId, offset: u32) -> Node {
    let place = |span: Span| Span { source, start: span.start + offset, end: span.end + offset };
    let value = match node.value {
        NodeValue::List(items) => NodeValue::List(
            items.iter().map(|item| moved(item.clone(), source, offset)).collect::<Vec<_>>().into(),
        ),
        NodeValue::Map(entries) => NodeValue::Map(
            entries
                .iter()
                .map(|entry| Entry {
                    key: entry.key.clone(),
                    key_span: place(entry.key_span),
                    value: moved(entry.value.clone(), source, offset),
                })
                .collect::<Vec<_>>()
                .into(),
        ),
        value @ (NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Integer(_)
        | NodeValue::Float(_)
        | NodeValue::String(_)) => value,
    };
    Node::new(place(node.span), value)
}
