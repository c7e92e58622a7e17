//! Labels as they are taken from a file: each with the case that it is about, each once.

use std::{collections::HashMap, sync::Arc};

use agentv_base::{Diagnostic, EvalCase, Node, Problems, Span, Suite, excerpt, nearest};

use super::{
    Label,
    label::{Draft, is_unlabelled, read_label},
    row,
};
use crate::lines::LineIndex;

/// How many ids an error shows to choose from.
const SHOWN_IDS: usize = 5;

/// What two labels have in common that may be one and the same: case, answer, judge, person.
/// Messages and traces are compared beside.
type Sameness = (String, String, Option<String>, Option<String>);

pub(super) struct Reading<'s> {
    suite: &'s Suite,
    cases: HashMap<&'s str, &'s Arc<EvalCase>>,
    lines: LineIndex,
    labels: Vec<Label>,
    /// Their places among the labels.
    seen: HashMap<Sameness, Vec<usize>>,
    /// Labels that say once more what the same person said before: the first, and how many.
    repeated: Option<(Span, usize)>,
    /// Answers without a label: the first of them, and how many.
    unlabelled: Option<(Span, usize)>,
    /// Whether some of them are rows of results.
    rows: bool,
}

impl<'s> Reading<'s> {
    pub(super) fn new(suite: &'s Suite, text: &Arc<String>) -> Self {
        Self {
            suite,
            cases: suite.cases.iter().map(|case| (case.id(), case)).collect(),
            lines: LineIndex::new(Arc::clone(text)),
            labels: Vec::new(),
            seen: HashMap::new(),
            repeated: None,
            unlabelled: None,
            rows: false,
        }
    }

    pub(super) fn take(&mut self, node: &Node, problems: &mut Problems) {
        let is_row = row::is_row(node);
        let label = if is_row { row::as_label(node) } else { Some(node.clone()) };
        match label.filter(|label| is_row || !is_unlabelled(label)) {
            Some(label) => self.add(&label, problems),
            None => {
                self.unlabelled.get_or_insert((node.span, 0)).1 += 1;
                self.rows |= is_row;
            }
        }
    }

    fn add(&mut self, node: &Node, problems: &mut Problems) {
        let Some(draft) = read_label(node, problems) else { return };
        let Some(case) = self.cases.get(draft.eval_id.as_str()) else {
            problems.push(self.unknown(&draft));
            return;
        };
        let Draft { answer, output_messages, trace, said, grader, labeler, .. } = draft;
        let about = grader.as_ref().map(|(name, _)| name.clone());
        let same = (draft.eval_id.clone(), answer.clone(), about, labeler.clone());
        let places = self.seen.entry(same).or_default();
        let alike = places
            .iter()
            .filter_map(|place| self.labels.get(*place))
            .find(|label| label.output_messages == output_messages && label.trace == trace);
        if let Some(first) = alike {
            // Two targets, or two repeats, can give one answer.
            if first.said == said {
                self.repeated.get_or_insert((node.span, 0)).1 += 1;
            } else {
                problems.push(contradiction(&draft.eval_id, node.span, first.span));
            }
            return;
        }
        places.push(self.labels.len());
        self.labels.push(Label {
            case: Arc::clone(case),
            answer,
            output_messages,
            trace,
            said,
            grader,
            labeler,
            span: node.span,
            line: self.lines.line_and_column(node.span.start as usize).0,
        });
    }

    fn unknown(&self, draft: &Draft) -> Diagnostic {
        let message = format!(
            "no case of `{}` has the id `{}`",
            self.suite.path,
            excerpt(&draft.eval_id, 200)
        );
        let ids = || self.suite.cases.iter().map(|case| case.id());
        let hint = match nearest(&draft.eval_id, ids()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let shown: Vec<&str> = ids().take(SHOWN_IDS).collect();
                let more = if self.suite.cases.len() > shown.len() { ", …" } else { "" };
                format!("there are: {}{more}", shown.join(", "))
            }
        };
        Diagnostic::error(message).code("unknown-case").at(draft.id_span).hint(hint)
    }

    /// The labels; answers that nobody labelled are not left out in silence.
    pub(super) fn finish(self, problems: &mut Problems) -> Vec<Label> {
        if let Some((first, count)) = self.unlabelled {
            let message = match count {
                1 => "1 answer has no `label`".to_owned(),
                _ => format!("{count} answers have no `label`"),
            };
            let problem = if self.labels.is_empty() {
                let why = if self.rows {
                    "`score` and `verdict` of a row are the judge's own; "
                } else {
                    ""
                };
                let hint = format!("{why}say pass or fail in `label` of each, by hand");
                Diagnostic::error(message).hint(hint)
            } else {
                let are = if count == 1 { "is" } else { "are" };
                Diagnostic::warning(format!("{message} and {are} left out"))
            };
            problems.push(problem.code("missing-key").at(first));
        }
        if let Some((first, count)) = self.repeated {
            let message = match count {
                1 => "1 label says again what stands before it, and is not counted".to_owned(),
                _ => format!("{count} labels say again what stands before, and are not counted"),
            };
            let hint = "the answer and the person are the same; where they are two people, say who \
                        in `labeler`";
            problems.push(Diagnostic::warning(message).code("duplicate-id").at(first).hint(hint));
        }
        self.labels
    }
}

fn contradiction(id: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(format!("this answer to `{}` has another label already", excerpt(id, 200)))
        .code("duplicate-id")
        .at(span)
        .note(first, "the first is here")
        .hint("keep one; where two people labelled it, say who in `labeler`")
}
