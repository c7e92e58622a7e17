//! How a suite or a case is to be run and graded: its target and its graders.

use std::sync::Arc;

use agentv_base::{Diagnostic, Entry, Fields, Node, NodeValue, Problems, Span};

use super::keys::EXECUTION_KEYS;
use crate::interpolate::{Interpolation, TEXT_OF_GRADERS};

/// What a suite or a case says for itself; nothing where it leaves it to others.
#[derive(Default)]
pub(super) struct Execution {
    pub(super) target: Option<(Arc<str>, Span)>,
    pub(super) graders: Option<Arc<[Node]>>,
}

impl Execution {
    /// Reads `execution.target`, `execution.evaluators`, and the same keys beside `execution`,
    /// which give way to those inside. `evaluator: KIND` is a list of one grader.
    pub(super) fn read(fields: &Fields<'_>, settings: &mut Interpolation<'_, '_>) -> Self {
        let inner = fields
            .get("execution")
            .and_then(|node| Fields::read(node, "execution", &[EXECUTION_KEYS], settings.problems));
        let inner = inner.as_ref();
        let target = chosen("target", inner, fields, settings.problems)
            .and_then(|fields| read_text("target", fields, settings));
        let graders = match chosen("evaluators", inner, fields, settings.problems) {
            Some(fields) => read_graders(fields, settings),
            None => read_kind(fields, settings),
        };
        Self { target, graders }
    }
}

/// Which of two maps says something under `key`; the one inside `execution` wins, and says so.
fn chosen<'f, 'n>(
    key: &str,
    inner: Option<&'f Fields<'n>>,
    outer: &'f Fields<'n>,
    problems: &mut Problems,
) -> Option<&'f Fields<'n>> {
    let given = |fields: &&Fields<'n>| fields.get(key).is_some();
    match (inner.filter(given), Some(outer).filter(given)) {
        (Some(inner), Some(_)) => {
            if let (Some(used), Some(unused)) = (inner.entry(key), outer.entry(key)) {
                problems.push(
                    Diagnostic::warning(format!("`{key}` is not used"))
                        .at(unused.key_span)
                        .note(used.key_span, "this one, in `execution`, wins"),
                );
            }
            Some(inner)
        }
        (inner, outer) => inner.or(outer),
    }
}

/// A setting that is a text, with its variables filled in.
pub(super) fn read_text(
    key: &str,
    fields: &Fields<'_>,
    settings: &mut Interpolation<'_, '_>,
) -> Option<(Arc<str>, Span)> {
    fields.non_blank(key, settings.problems)?;
    let filled = settings.fill(key, fields.get(key)?, &[]);
    let NodeValue::String(text) = filled.value else {
        return None;
    };
    Some((text, filled.span))
}

fn read_graders(fields: &Fields<'_>, settings: &mut Interpolation<'_, '_>) -> Option<Arc<[Node]>> {
    let items = fields.list("evaluators", settings.problems)?;
    let fill = |item| settings.fill("evaluators", item, TEXT_OF_GRADERS);
    Some(items.iter().map(fill).collect())
}

/// `evaluator: KIND` stands for a grader of that kind with no settings of its own.
fn read_kind(fields: &Fields<'_>, settings: &mut Interpolation<'_, '_>) -> Option<Arc<[Node]>> {
    let key_span = fields.entry("evaluator")?.key_span;
    let (kind, span) = read_text("evaluator", fields, settings)?;
    let entry =
        Entry { key: "type".into(), key_span, value: Node::new(span, NodeValue::String(kind)) };
    let grader = Node::new(span, NodeValue::Map(Arc::new(vec![entry])));
    Some(Arc::from([grader]))
}
