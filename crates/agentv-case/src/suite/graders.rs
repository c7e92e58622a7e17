//! Which graders a case has: its own, its rubrics, and those of its suite.

use std::sync::Arc;

use agentv_base::{Entry, Fields, Node, NodeValue, Problems, Span};

use super::{execution::Execution, keys::RUBRIC_KEYS, whole::Whole};

/// The graders of a case, in their order: rubrics, its own (else the suite's `evaluators`), and
/// what the suite adds to every case. The list is the suite's own where the case adds nothing, so
/// that it is built once for all of them. `render` is for graders of the suite that speak of the
/// case's variables.
pub(super) fn of_case(
    execution: &mut Execution,
    rubrics: Option<Node>,
    whole: &Whole,
    render: Option<impl FnMut(&Node) -> Node>,
) -> Arc<[Node]> {
    let (evaluators, assertions) = (execution.evaluators.take(), execution.assertions.take());
    let own = evaluators.is_some() || assertions.is_some();
    if !own && rubrics.is_none() && !execution.skip_defaults && render.is_none() {
        return whole.graders.clone();
    }
    let mut graders: Vec<Node> = rubrics.into_iter().collect();
    let mut suites: Vec<&Node> = Vec::new();
    if own {
        graders.extend(evaluators.into_iter().chain(assertions).flatten());
    } else {
        suites.extend(&whole.evaluators);
    }
    suites.extend(&whole.assertions);
    let suites = suites.into_iter().filter(|_| !execution.skip_defaults);
    match render {
        Some(render) => graders.extend(suites.map(render)),
        None => graders.extend(suites.cloned()),
    }
    graders.into()
}

/// The grader that rubrics stand for: a judge that checks them one by one.
pub(super) fn of_rubrics(fields: &Fields<'_>, problems: &mut Problems) -> Option<Node> {
    let entry = fields.entry("rubrics")?;
    let items = fields.list("rubrics", problems)?;
    let mut all_read = true;
    for item in items {
        all_read &= check_rubric(item, problems);
    }
    if items.is_empty() || !all_read {
        if items.is_empty() {
            problems.error(entry.value.span, "`rubrics` is empty");
        }
        return None;
    }
    let text = |value: &str, span: Span| Node::new(span, NodeValue::String(value.into()));
    let span = entry.key_span;
    let part = |key: &str, value| Entry { key: key.into(), key_span: span, value };
    let entries = vec![
        part("name", text("rubric", span)),
        part("type", text("llm_judge", span)),
        part("rubrics", entry.value.clone()),
    ];
    Some(Node::new(span, NodeValue::Map(Arc::new(entries))))
}

fn check_rubric(node: &Node, problems: &mut Problems) -> bool {
    if let Some(text) = node.as_str() {
        if text.trim().is_empty() {
            problems.error(node.span, "a rubric is blank");
            return false;
        }
        return true;
    }
    let before = problems.iter().count();
    if let Some(fields) = Fields::read(node, "rubric", &[RUBRIC_KEYS], problems) {
        fields.non_blank("id", problems);
        fields.required("description", problems);
        fields.non_blank("description", problems);
        fields.boolean("required", problems);
        if fields.number("weight", problems).is_some_and(|weight| weight < 0.0) {
            let span = fields.get("weight").map_or(node.span, |node| node.span);
            problems.error(span, "`weight` must not be negative");
        }
    }
    problems.iter().count() == before
}
