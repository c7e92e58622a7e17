//! Other people's files → files in the current form, for `agentv convert`.
//!
//! `rename` changes names inside a text and nothing else of it; `promptfoo` makes a suite and
//! targets of another tool's configuration. Nothing here writes a file or prints.

mod edit;
mod flatten;
mod kind;
mod promptfoo;
mod rename;
mod trials;
mod vocabulary;
mod yaml_text;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use agentv_base::{Diagnostic, Node, Problems, Source, SourceId, Sources, Span};
use serde_json::Value;

pub(crate) use self::{edit::same, yaml_text::on_one_line};
pub use self::{
    kind::{Content, content_of},
    promptfoo::{Imported, Leftover, import},
    rename::{Renamed, rename},
    vocabulary::{GraderName, ProviderName, Vocabulary},
};
use crate::{
    folders,
    read::{LARGEST_FILE, decode, read_bytes},
    yaml,
};

/// A YAML or JSON file that is to be converted.
pub struct Opened {
    /// Absolute.
    pub file: PathBuf,
    pub sources: Sources,
    pub source: SourceId,
    /// Whether a byte-order mark stands before the text.
    pub has_mark: bool,
    pub node: Node,
}

/// Reads a file, or says everything that is wrong with it as YAML.
pub fn open(path: &Path, current_dir: &Path) -> Result<Opened, (Problems, Sources)> {
    let file = folders::absolute(path, current_dir);
    let mut sources = Sources::default();
    let mut problems = Problems::default();
    let shown = folders::shown(&file, current_dir);
    match read_tree(&file, &shown, &mut sources, &mut problems) {
        Some((source, has_mark, node)) if !problems.has_errors() => {
            Ok(Opened { file, sources, source, has_mark, node })
        }
        _ => Err((problems, sources)),
    }
}

/// A file as a tree, and whether it began with a byte-order mark.
fn read_tree(
    file: &Path,
    shown: &Path,
    sources: &mut Sources,
    problems: &mut Problems,
) -> Option<(SourceId, bool, Node)> {
    let (source, has_mark) = read_source(file, shown, sources, problems)?;
    let text = sources.get(source).map(|source| source.text.clone()).unwrap_or_default();
    Some((source, has_mark, yaml::parse(&text, source, problems)?))
}

fn read_source(
    file: &Path,
    shown: &Path,
    sources: &mut Sources,
    problems: &mut Problems,
) -> Option<(SourceId, bool)> {
    let read = read_bytes(file, LARGEST_FILE).and_then(|bytes| {
        let has_mark = bytes.starts_with("\u{feff}".as_bytes());
        decode(bytes).map(|text| (text, has_mark))
    });
    match read {
        Ok((text, has_mark)) => Some((sources.add(shown, text), has_mark)),
        Err(fault) => {
            let message = format!("`{}` cannot be read: {fault}", shown.display());
            let mut problem = Diagnostic::error(message);
            problem.hint = fault.hint().map(str::to_owned);
            problems.push(problem);
            None
        }
    }
}

/// One YAML document as JSON, or on which line (from 1) it is none, and why.
pub fn read_document(text: &str) -> Result<Value, (usize, String)> {
    let mut problems = Problems::default();
    let node = yaml::parse(text, SourceId::default(), &mut problems);
    match (node, problems.iter().next()) {
        (Some(node), None) => Ok(node.to_json()),
        (_, problem) => {
            let source =
                Source { path: PathBuf::new(), text: std::sync::Arc::new(text.to_owned()) };
            let span = problem.and_then(|problem| problem.span).unwrap_or_default();
            let (line, _) = source.line_and_column(span.start as usize);
            Err((line, problem.map(|problem| problem.message.clone()).unwrap_or_default()))
        }
    }
}

/// What stands at a place of a text.
fn written(text: &str, span: Span) -> &str {
    text.get(span.start as usize..span.end as usize).unwrap_or_default()
}
