//! Files that rubrics stand in: `rubrics: file://rubrics.yaml` → the rubrics themselves, each with
//! its place in that file.
//!
//! Graders cannot read YAML, and a suite is known by the hash of everything that it takes in; so
//! such files are read with the suite.

use std::{path::Path, sync::Arc};

use agentv_base::{Diagnostic, Entry, MEMBERS, Node, NodeValue, Problems, Span};

use super::reference::{content, ending, file_of};
use crate::library::Library;

/// The key of a case, of a grader and of a file that rubrics stand in.
const RUBRICS: &str = "rubrics";

/// Keys of a grader that hold rubrics.
const OF_GRADERS: [&str; 2] = [RUBRICS, "criteria"];

/// Where files are looked for, and where they go once they are read.
pub(super) struct RubricFiles<'l, 'p> {
    pub(super) folder: &'l Path,
    pub(super) library: &'l mut Library,
    pub(super) problems: &'p mut Problems,
}

impl RubricFiles<'_, '_> {
    /// A case with the rubrics of the files that it and its graders name. Nothing where it names
    /// none.
    pub(super) fn of_case(&mut self, case: &Node) -> Option<Node> {
        self.replaced(case, &|entry| entry.key.as_ref() == RUBRICS)
    }

    /// Graders with the rubrics of the files that they name.
    pub(super) fn of_graders(&mut self, graders: &mut [Node]) {
        for grader in graders {
            if let Some(replaced) = self.of_grader(grader) {
                *grader = replaced;
            }
        }
    }

    fn of_grader(&mut self, grader: &Node) -> Option<Node> {
        self.replaced(grader, &|entry| OF_GRADERS.contains(&&*entry.key))
    }

    /// A map with what is in files in their place, here and in the graders inside of it.
    fn replaced(&mut self, node: &Node, holds: &dyn Fn(&Entry) -> bool) -> Option<Node> {
        let mut entries: Option<Vec<Entry>> = None;
        for (place, entry) in node.as_map()?.iter().enumerate() {
            // Few keys hold rubrics; only their texts are looked for on the disk.
            let text = entry.value.as_str().filter(|_| holds(entry));
            let value = match text.and_then(|text| self.file_in(text)) {
                Some(path) => Some(self.rubrics(&path, entry.value.span)),
                None => self.inside(entry),
            };
            if let Some(value) = value {
                let entries =
                    entries.get_or_insert_with(|| node.as_map().unwrap_or_default().to_vec());
                if let Some(entry) = entries.get_mut(place) {
                    entry.value = value;
                }
            }
        }
        entries.map(|entries| Node::new(node.span, NodeValue::Map(Arc::from(entries))))
    }

    /// The graders that stand below a key.
    fn inside(&mut self, entry: &Entry) -> Option<Node> {
        if &*entry.key == "execution" {
            return self.replaced(&entry.value, &|_| false);
        }
        let graders = entry.value.as_list().filter(|_| MEMBERS.is_called(&entry.key))?;
        let replaced: Vec<Option<Node>> = graders.iter().map(|it| self.of_grader(it)).collect();
        if replaced.iter().all(Option::is_none) {
            return None;
        }
        let kept = replaced.into_iter().zip(graders).map(|(new, old)| new.unwrap_or(old.clone()));
        Some(Node::new(entry.value.span, NodeValue::List(kept.collect())))
    }

    /// The path that a text in the place of rubrics is: it says so, or it looks like one.
    fn file_in(&self, text: &str) -> Option<String> {
        if let Some(path) = file_of(text) {
            // The text of any other file is a rubric.
            return is_list(path).then(|| path.to_owned());
        }
        let text = text.trim();
        let is_path = || !text.contains(char::is_whitespace) || self.folder.join(text).is_file();
        (is_list(text) && is_path()).then(|| text.to_owned())
    }

    /// The rubrics of a file. Where there are none, that is told, and nothing is left to be told
    /// by the judge.
    fn rubrics(&mut self, path: &str, at: Span) -> Node {
        let Some(read) = content(path, at, self.folder, self.library, self.problems) else {
            return instead(at);
        };
        let listed = match read.as_map() {
            Some(_) => read.get(RUBRICS).cloned(),
            None => Some(read.clone()),
        };
        let problem = match listed.as_ref().map(|node| &node.value) {
            Some(NodeValue::List(items)) if !items.is_empty() => None,
            Some(NodeValue::List(_) | NodeValue::Null) => {
                Some(Diagnostic::error(format!("there are no rubrics in `{path}`: it is empty")))
            }
            Some(_) => {
                let kind = listed.as_ref().map_or("nothing", Node::kind_name);
                Some(Diagnostic::error(format!("`{path}` must hold a list of rubrics, not {kind}")))
            }
            None => Some(Diagnostic::error(format!("`{path}` has no `{RUBRICS}`"))),
        };
        match (problem, listed) {
            (None, Some(listed)) => listed,
            (problem, _) => {
                let hint = "write a list: `- names the capital`, a line for each rubric";
                if let Some(problem) = problem {
                    self.problems.push(problem.code("nothing-to-grade-by").at(at).hint(hint));
                }
                instead(at)
            }
        }
    }
}

fn is_list(path: &str) -> bool {
    matches!(ending(Path::new(path)).as_str(), "yaml" | "yml" | "json")
}

/// What stands in the place of rubrics that could not be read, which has been told.
fn instead(at: Span) -> Node {
    Node::new(at, NodeValue::String("?".into()))
}
