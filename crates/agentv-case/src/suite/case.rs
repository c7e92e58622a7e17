//! One eval case as its author wrote it → the one form that everything after this knows.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{
    CasePlace, Diagnostic, EvalCase, Fields, Input, Node, NodeValue, Problems, Span,
};
use serde_json::Value;

use super::{
    attachment::Attacher,
    execution::Execution,
    keys::CASE_KEYS,
    message::{Conversation, read_messages, reference_answer},
    prompt,
};
use crate::{interpolate::Interpolation, lines::LineIndex};

/// What a case has from its suite.
pub(super) struct Inherited {
    pub(super) file: Arc<Path>,
    pub(super) path: Arc<str>,
    pub(super) dataset: Arc<str>,
    pub(super) graders: Arc<[Node]>,
    pub(super) target: Option<(Arc<str>, Span)>,
}

/// Everything that reading a case needs besides the case.
pub(super) struct CaseReader<'s, 'e> {
    pub(super) text: &'s str,
    pub(super) lines: LineIndex<'s>,
    pub(super) inherited: Inherited,
    pub(super) attacher: Attacher<'s>,
    pub(super) settings: Interpolation<'s, 'e>,
    /// The ids of the file so far, with the places where they stand.
    pub(super) ids: HashMap<Arc<str>, Span>,
}

impl CaseReader<'_, '_> {
    /// Reads a case. All its problems are reported. What is right of it is given also where a part
    /// is not, so that its graders and its target are looked at as well: nothing is run where
    /// there is an error.
    pub(super) fn read(&mut self, node: &Node) -> Option<EvalCase> {
        let fields = Fields::read(node, "eval case", &[CASE_KEYS], self.settings.problems)?;
        let id = fields
            .required("id", self.settings.problems)
            .and_then(|id| self.read_name("id", id))
            .inspect(|id| self.claim(id));
        let conversation_id =
            fields.get("conversation_id").and_then(|name| self.read_name("conversation_id", name));
        let expected_outcome = fields
            .string("expected_outcome", self.settings.problems)
            .filter(|text| !text.trim().is_empty());
        let input = fields
            .required("input_messages", self.settings.problems)
            .and_then(|_| self.read_messages("input_messages", &fields));
        let expected = match fields.get("expected_messages") {
            Some(_) => self.read_messages("expected_messages", &fields),
            None => None,
        };
        refuse_rubrics(&fields, self.settings.problems);
        let execution = Execution::read(&fields, &mut self.settings);

        let (id, span) = id.unwrap_or_else(|| ("?".into(), node.span));
        let (input, expected) = (input.unwrap_or_default(), expected.unwrap_or_default());
        let conversation_id = conversation_id.map(|(name, _)| name.to_string());
        let (input, guideline_files) =
            what_the_target_sees(id, self.inherited.file.clone(), input, conversation_id);
        let (line, column) = self.lines.line_and_column(span.start as usize);
        let inherited = &self.inherited;
        Some(EvalCase {
            input: Arc::new(input),
            dataset: inherited.dataset.clone(),
            suite: inherited.path.clone(),
            place: CasePlace { span, line, column },
            expected_outcome: expected_outcome.map(str::to_owned),
            reference_answer: reference_answer(&expected.messages),
            expected_messages: Value::Array(expected.messages),
            guideline_files,
            graders: execution.graders.unwrap_or_else(|| inherited.graders.clone()),
            target: execution.target.or_else(|| inherited.target.clone()),
        })
    }

    /// An id names one case of a file; a second case of that id is an error at its place.
    fn claim(&mut self, (id, span): &(Arc<str>, Span)) {
        if let Some(first) = self.ids.get(id) {
            self.settings.problems.push(
                Diagnostic::error(format!("an eval case with the id `{id}` exists already"))
                    .at(*span)
                    .label("used again here")
                    .note(*first, "first used here"),
            );
        } else {
            self.ids.insert(id.clone(), *span);
        }
    }

    fn read_messages(&mut self, key: &str, fields: &Fields<'_>) -> Option<Conversation> {
        let node = fields.get(key)?;
        if node.as_str().is_some() {
            let message = format!("`{key}` must be a list, not a string");
            let hint = format!("write it as a message:\n{key}:\n  - role: user\n    content: …");
            self.settings.problems.push(Diagnostic::error(message).at(node.span).hint(hint));
            return None;
        }
        let items = fields.list(key, self.settings.problems)?;
        read_messages(items, &mut self.attacher, self.settings.problems)
    }

    /// A name that comes back in results: a string, because `012` and `12` are two names.
    fn read_name(&mut self, key: &str, node: &Node) -> Option<(Arc<str>, Span)> {
        let problems = &mut *self.settings.problems;
        let NodeValue::String(name) = &node.value else {
            let diagnostic =
                Diagnostic::error(format!("`{key}` must be a string, not {}", node.kind_name()))
                    .at(node.span);
            let written = self
                .text
                .get(node.span.start as usize..node.span.end as usize)
                .filter(|_| node.as_list().is_none() && node.as_map().is_none());
            problems.push(match written {
                Some(written) => diagnostic.hint(format!("write `{key}: \"{written}\"`")),
                None => diagnostic,
            });
            return None;
        };
        if name.trim().is_empty() {
            problems.error(node.span, format!("`{key}` is blank"));
            return None;
        }
        if name.contains('\0') {
            problems.error(node.span, format!("`{key}` contains a NUL character"));
            return None;
        }
        Some((name.clone(), node.span))
    }
}

fn refuse_rubrics(fields: &Fields<'_>, problems: &mut Problems) {
    if let Some(rubrics) = fields.entry("rubrics") {
        problems.push(
            Diagnostic::error("`rubrics` of an eval case are not supported yet")
                .at(rubrics.key_span)
                .hint("grade with `evaluators`"),
        );
    }
}

/// The input of a case, and its guideline files.
///
/// Invariant: it is made of these arguments alone, so that nothing of what is expected can get in.
fn what_the_target_sees(
    eval_id: Arc<str>,
    suite_file: Arc<Path>,
    conversation: Conversation,
    conversation_id: Option<String>,
) -> (Input, Vec<PathBuf>) {
    let (guidelines, files) = prompt::attached(&conversation.spoken);
    let input = Input {
        eval_id,
        suite_file,
        question: prompt::question(&conversation.spoken),
        guidelines: prompt::guidelines(&guidelines),
        messages: Value::Array(conversation.messages),
        files,
        conversation_id,
    };
    let guideline_files = guidelines.iter().map(|file| file.path.clone()).collect();
    (input, guideline_files)
}
