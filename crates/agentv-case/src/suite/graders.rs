//! Which graders a case has: its own, its rubrics, and those of its suite.

use std::sync::Arc;

use agentv_base::{Entry, Fields, Node, NodeValue, Span};

use super::{execution::Execution, whole::Whole};

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

/// The grader that rubrics stand for: a judge that checks them one by one. What is wrong with them
/// is told by the judge.
pub(super) fn of_rubrics(fields: &Fields<'_>) -> Option<Node> {
    let entry = fields.get("rubrics").and(fields.entry("rubrics"))?;
    let text = |value: &str, span: Span| Node::new(span, NodeValue::String(value.into()));
    let span = entry.key_span;
    let part = |key: &str, value| Entry { key: key.into(), key_span: span, value };
    let entries = vec![
        part("name", text("rubric", span)),
        part("type", text("llm_judge", span)),
        part("rubrics", entry.value.clone()),
    ];
    Some(Node::new(span, NodeValue::Map(Arc::from(entries))))
}
