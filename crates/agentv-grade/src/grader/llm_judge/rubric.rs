//! Rubrics: the points that a judge checks one by one.

use agentv_base::{Diagnostic, Fields, Node, NodeValue, Problems, RUBRIC, Span, reaches, share_of};

use super::ranges::Ranges;
use crate::{
    grader::wanted::{FILE, read_file},
    kind::BuildContext,
};

/// One point, which an answer meets or not, or meets to a degree.
#[derive(Debug)]
pub(super) struct Rubric {
    pub(super) id: String,
    pub(super) description: String,
    pub(super) weight: f64,
    /// Whether failing it fails the whole.
    pub(super) required: bool,
    /// The value from which it is met, where its author says so.
    min_score: Option<f64>,
    /// What scores mean; a rubric without them is met or not.
    pub(super) ranges: Option<Ranges>,
}

impl Rubric {
    /// Whether a value from 0 to 1 is enough. `cutoff` is where the whole grader passes.
    pub(super) fn is_met(&self, value: f64, cutoff: f64) -> bool {
        match (self.min_score, &self.ranges) {
            (Some(least), _) => reaches(value, least),
            (None, Some(_)) => reaches(value, cutoff),
            // Yes in more than half of the samples.
            (None, None) => value > 0.5,
        }
    }
}

/// The rubrics of a list, or the one that a text is. Every problem is reported.
pub(super) fn read_all(
    node: &Node,
    context: &BuildContext<'_>,
    problems: &mut Problems,
) -> Option<Vec<Rubric>> {
    let items = match &node.value {
        NodeValue::List(items) => &**items,
        NodeValue::String(_) => std::slice::from_ref(node),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Integer(_)
        | NodeValue::Float(_)
        | NodeValue::Map(_) => {
            problems.push(
                Diagnostic::error(format!(
                    "`rubrics` must be a list of rubrics or a text, not {}",
                    node.kind_name()
                ))
                .code("wrong-type")
                .at(node.span)
                .hint(
                    "write `rubrics: [\"names the capital\"]`, or `rubrics: file://rubrics.yaml`",
                ),
            );
            return None;
        }
    };
    if items.is_empty() {
        problems.push(
            Diagnostic::error("`rubrics` is empty, so there is nothing to judge by")
                .code("nothing-to-grade-by")
                .at(node.span)
                .hint("add a rubric, such as `rubrics: [\"names the capital\"]`"),
        );
        return None;
    }
    let drafts: Vec<Option<(Rubric, Span)>> = items
        .iter()
        .enumerate()
        .map(|(place, item)| read(item, place + 1, context, problems))
        .collect();
    let told = check_ids(drafts.iter().flatten(), problems);
    let drafts: Option<Vec<(Rubric, Span)>> = drafts.into_iter().collect();
    let rubrics: Vec<Rubric> = drafts?.into_iter().map(|(rubric, _)| rubric).collect();
    if rubrics.iter().all(|rubric| rubric.weight <= 0.0) {
        problems.error(node.span, "every rubric has weight 0, so there would be no score");
        return None;
    }
    (!told).then_some(rubrics)
}

fn read(
    node: &Node,
    number: usize,
    context: &BuildContext<'_>,
    problems: &mut Problems,
) -> Option<(Rubric, Span)> {
    let id = || format!("rubric-{number}");
    if node.as_map().is_none() {
        let description = of_text(node, context, problems)?;
        let (min_score, ranges) = (None, None);
        let rubric =
            Rubric { id: id(), description, weight: 1.0, required: true, min_score, ranges };
        return Some((rubric, node.span));
    }
    let fields = Fields::read(node, RUBRIC.what, RUBRIC.tables, problems)?;
    // Everything is read before anything is given up, so that all problems are told.
    let given = fields.optional("id", problems, Fields::non_blank);
    let description = fields.required("description", problems);
    let description = description.and_then(|node| of_text(node, context, problems));
    let weight = fields.optional("weight", problems, Fields::limit);
    let bar = read_bar(&fields, problems);
    let ranges = match fields.get("score_ranges") {
        Some(node) => Ranges::read(node, problems).map(Some),
        None => Some(None),
    };
    let given = given?.map(str::trim);
    let span = fields.get("id").map_or(node.span, |node| node.span);
    if given.is_some_and(|id| id.chars().any(char::is_control)) {
        problems.error(span, "`id` of rubric must be one line of plain text");
        return None;
    }
    let (required, min_score) = bar?;
    let rubric = Rubric {
        id: given.map_or_else(id, str::to_owned),
        description: description?,
        weight: weight?.unwrap_or(1.0),
        required,
        min_score,
        ranges: ranges?,
    };
    Some((rubric, span))
}

/// A rubric that is only a text, or the text of a file.
fn of_text(node: &Node, context: &BuildContext<'_>, problems: &mut Problems) -> Option<String> {
    let Some(text) = node.as_str() else {
        let message = format!("a rubric must be a text, not {}", node.kind_name());
        problems.push(Diagnostic::error(message).code("wrong-type").at(node.span));
        return None;
    };
    let text = match text.trim().strip_prefix(FILE) {
        Some(path) if is_list_file(path) => {
            problems.push(
                Diagnostic::error(format!("`{path}` holds rubrics, and here is the place of one"))
                    .at(node.span)
                    .hint(format!("write `rubrics: {FILE}{path}`")),
            );
            return None;
        }
        Some(path) => read_file(path, node, context, problems)?,
        None => text.to_owned(),
    };
    let text = text.trim();
    if text.is_empty() {
        problems.error(node.span, "a rubric is blank");
        return None;
    }
    Some(text.to_owned())
}

fn is_list_file(path: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|ending| path.ends_with(ending))
}

/// Whether it is required, and the value from which it is met where that is said.
fn read_bar(fields: &Fields<'_>, problems: &mut Problems) -> Option<(bool, Option<f64>)> {
    let min_score = fields.optional("min_score", problems, Fields::share);
    let required = fields.get("required");
    let (required, demanded) = match required.map(|node| (&node.value, node)) {
        Some((NodeValue::Integer(_) | NodeValue::Float(_), node)) => {
            if let (Some(Some(_)), Some(entry)) = (min_score, fields.entry("required")) {
                problems.push(
                    Diagnostic::error("`required` and `min_score` both give a score; give one")
                        .code("duplicate-key")
                        .at(entry.key_span),
                );
                return None;
            }
            (Some(true), Some(share_of("required", node, problems)?))
        }
        Some(_) => (Some(fields.boolean("required", problems)?), None),
        None => (None, None),
    };
    let least = demanded.or(min_score?);
    if least == Some(0.0) {
        let place = fields.get("min_score").or_else(|| fields.get("required"));
        let span = place.map_or(fields.span(), |node| node.span);
        problems.error(span, "every answer reaches 0, so this rubric would always be met");
        return None;
    }
    Some((required.unwrap_or(true), least))
}

/// Reports every id that stands for two rubrics.
fn check_ids<'r>(
    rubrics: impl Iterator<Item = &'r (Rubric, Span)>,
    problems: &mut Problems,
) -> bool {
    let mut seen: Vec<(&str, Span)> = Vec::new();
    let mut told = false;
    for (rubric, span) in rubrics {
        match seen.iter().find(|(id, _)| *id == rubric.id) {
            Some((_, first)) => {
                problems.push(
                    Diagnostic::error(format!(
                        "a rubric with the id `{}` exists already",
                        rubric.id
                    ))
                    .code("duplicate-id")
                    .at(*span)
                    .label("used again here")
                    .note(*first, "first used here"),
                );
                told = true;
            }
            None => seen.push((&rubric.id, *span)),
        }
    }
    told
}
