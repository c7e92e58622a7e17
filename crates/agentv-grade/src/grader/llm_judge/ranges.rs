//! What the scores of a rubric mean: ranges with a text each, from the lowest score to the highest.

use agentv_base::{Diagnostic, Entry, Fields, Node, NodeValue, Problems, SCORE_RANGE, Span};

use crate::numbers::number;

/// Between ranges of decimals at most this share of the whole may be left open: `0–0.49` and
/// `0.5–1` are neighbours. Ranges of whole numbers leave nothing open.
const MOST_OPEN: f64 = 0.1;

/// Ranges in the order of their scores; none overlaps the next.
#[derive(Debug)]
pub(super) struct Ranges {
    levels: Vec<Level>,
}

/// One range. Both ends belong to it; a single score has them at the same place.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) outcome: String,
    span: Span,
}

impl Ranges {
    /// Reads a list of ranges, or a map from scores to texts; every problem is reported.
    pub(super) fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let levels = match &node.value {
            NodeValue::List(items) => items.iter().map(|item| of_item(item, problems)).collect(),
            NodeValue::Map(entries) => entries.iter().map(|it| of_entry(it, problems)).collect(),
            NodeValue::Null
            | NodeValue::Bool(_)
            | NodeValue::Integer(_)
            | NodeValue::Float(_)
            | NodeValue::String(_) => {
                let message = format!(
                    "`score_ranges` must be a list of ranges or a map from scores to texts, not {}",
                    node.kind_name()
                );
                problems.push(Diagnostic::error(message).code("wrong-type").at(node.span));
                None
            }
        };
        let mut levels: Vec<Level> = levels?;
        if node.as_map().is_some() {
            // A map has no order of its own.
            levels.sort_by(|a, b| a.from.total_cmp(&b.from));
        }
        check(&levels, node, problems).then_some(Self { levels })
    }

    pub(super) fn levels(&self) -> &[Level] {
        &self.levels
    }

    pub(super) fn lowest(&self) -> f64 {
        self.levels.first().map_or(0.0, |level| level.from)
    }

    pub(super) fn highest(&self) -> f64 {
        self.levels.last().map_or(1.0, |level| level.to)
    }

    /// A score as a value from 0 to 1; nothing where it is in none of the ranges. Between steps,
    /// which are no ranges, any score is one.
    pub(super) fn value(&self, score: f64) -> Option<f64> {
        let (lowest, highest) = (self.lowest(), self.highest());
        let steps = self.levels.iter().all(|level| level.from >= level.to);
        let in_level = |level: &Level| (level.from..=level.to).contains(&score);
        let inside =
            (lowest..=highest).contains(&score) && (steps || self.levels.iter().any(in_level));
        inside.then(|| ((score - lowest) / (highest - lowest)).clamp(0.0, 1.0))
    }
}

impl Level {
    /// Its scores, as people write them.
    pub(super) fn scores(&self) -> String {
        if self.from < self.to {
            format!("{} to {}", number(self.from), number(self.to))
        } else {
            number(self.from)
        }
    }
}

fn of_item(node: &Node, problems: &mut Problems) -> Option<Level> {
    let fields = Fields::read(node, SCORE_RANGE.what, SCORE_RANGE.tables, problems)?;
    let range = fields.required("score_range", problems).and_then(|node| ends(node, problems));
    fields.required("outcome", problems);
    let outcome = fields.non_blank("outcome", problems);
    let (from, to) = range?;
    Some(Level { from, to, outcome: outcome?.trim().to_owned(), span: node.span })
}

/// The lowest and the highest score of a range, or one score that is both.
fn ends(node: &Node, problems: &mut Problems) -> Option<(f64, f64)> {
    let given: Option<Vec<f64>> =
        node.as_list().unwrap_or(std::slice::from_ref(node)).iter().map(finite).collect();
    match given.as_deref() {
        Some([from, to]) if from <= to => Some((*from, *to)),
        Some([from, to]) => {
            let shown = format!("[{}, {}]", number(*to), number(*from));
            problems.push(
                Diagnostic::error("`score_range` begins above its end")
                    .at(node.span)
                    .hint(format!("write `{shown}`")),
            );
            None
        }
        Some(_) | None => {
            problems.push(
                Diagnostic::error("`score_range` must be the lowest and the highest score")
                    .code("wrong-type")
                    .at(node.span)
                    .hint("write two numbers, such as `[0, 3]`"),
            );
            None
        }
    }
}

fn of_entry(entry: &Entry, problems: &mut Problems) -> Option<Level> {
    let score = entry.key.trim().parse::<f64>().ok().filter(|score| score.is_finite());
    if score.is_none() {
        problems.error(entry.key_span, format!("`{}` is no score: it must be a number", entry.key));
    }
    let outcome = entry.value.as_str().map(str::trim).filter(|text| !text.is_empty());
    if outcome.is_none() {
        let message = format!("what the score `{}` means must be a text", entry.key);
        problems.error(entry.value.span, message);
    }
    let (from, outcome) = (score?, outcome?.to_owned());
    Some(Level { from, to: from, outcome, span: entry.key_span })
}

fn finite(node: &Node) -> Option<f64> {
    match node.value {
        #[expect(clippy::cast_precision_loss, reason = "scores are small numbers")]
        NodeValue::Integer(value) => Some(value as f64),
        NodeValue::Float(value) => Some(value).filter(|value| value.is_finite()),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::String(_)
        | NodeValue::List(_)
        | NodeValue::Map(_) => None,
    }
}

/// Whether ranges stand in their order, next to each other and over more than one score.
fn check(levels: &[Level], node: &Node, problems: &mut Problems) -> bool {
    let (Some(first), Some(last)) = (levels.first(), levels.last()) else {
        problems.error(node.span, "`score_ranges` is empty, so no score would mean anything");
        return false;
    };
    let whole = last.to - first.from;
    let mut wrong: Vec<Diagnostic> = Vec::new();
    let points = node.as_map().is_some();
    let whole_numbers = levels.iter().all(|it| it.from.fract() == 0.0 && it.to.fract() == 0.0);
    for pair in levels.windows(2) {
        let [before, after] = pair else { continue };
        let told = |message: String| {
            Diagnostic::error(message).at(after.span).note(before.span, "the range before it")
        };
        let shared = after.from <= before.to && (whole_numbers || after.from < before.to);
        let open = after.from - before.to;
        let too_open = if whole_numbers { open > 1.0 } else { open > whole * MOST_OPEN };
        if after.to < before.from {
            wrong.push(told("score ranges must go from the lowest to the highest".to_owned()));
        } else if points && open <= 0.0 {
            wrong.push(told(format!("the score {} is given twice", number(after.from))));
        } else if shared && !points {
            wrong.push(told(format!("two ranges have the score {}", number(after.from))));
        } else if too_open && !points {
            let (from, to) = (number(before.to), number(after.from));
            wrong.push(told(format!("nothing is said of the scores between {from} and {to}")));
        }
    }
    if wrong.is_empty() && whole <= 0.0 {
        wrong.push(
            Diagnostic::error("there is only one score, so every answer would be the same")
                .at(node.span)
                .hint("say what a low and what a high score mean"),
        );
    }
    let right = wrong.is_empty();
    for problem in wrong {
        problems.push(problem);
    }
    right
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::node;

    fn check(value: &Value) -> Result<(f64, f64, Option<f64>), Vec<String>> {
        let mut problems = Problems::default();
        let ranges = Ranges::read(&node(value), &mut problems);
        let told: Vec<String> = problems.iter().map(|problem| problem.message.clone()).collect();
        match ranges {
            Some(ranges) if told.is_empty() => {
                Ok((ranges.lowest(), ranges.highest(), ranges.value(4.0)))
            }
            _ => Err(told),
        }
    }

    fn range(from: f64, to: f64) -> Value {
        json!({"score_range": [from, to], "outcome": "x"})
    }

    #[test]
    fn a_score_is_worth_its_place_between_the_ends() {
        assert_eq!(check(&json!([range(0.0, 3.0), range(4.0, 8.0)])), Ok((0.0, 8.0, Some(0.5))));
        assert_eq!(check(&json!({"5": "b", "3": "a"})), Ok((3.0, 5.0, Some(0.5))));
        assert_eq!(check(&json!([range(0.0, 0.49), range(0.5, 1.0)])), Ok((0.0, 1.0, None)));
        assert_eq!(check(&json!([range(0.0, 0.5), range(0.5, 1.0)])), Ok((0.0, 1.0, None)));
        assert_eq!(check(&json!([range(0.0, 3.9), range(4.1, 8.0)])), Ok((0.0, 8.0, None)));
        let alias = json!([{"range": [2, 3], "description": "a"}, {"range": [4, 6], "text": "b"}]);
        assert_eq!(check(&alias), Ok((2.0, 6.0, Some(0.5))));
    }

    #[test]
    fn ranges_that_do_not_fit_together_are_errors() {
        for (value, told) in [
            (json!([]), "`score_ranges` is empty, so no score would mean anything"),
            (json!({}), "`score_ranges` is empty, so no score would mean anything"),
            (
                json!("high"),
                "`score_ranges` must be a list of ranges or a map from scores to texts, not a string",
            ),
            (json!([range(0.0, 3.0), range(3.0, 6.0)]), "two ranges have the score 3"),
            (json!([range(0.0, 0.5), range(0.4, 1.0)]), "two ranges have the score 0.4"),
            (
                json!([range(0.0, 3.0), range(5.0, 6.0)]),
                "nothing is said of the scores between 3 and 5",
            ),
            (
                json!([range(0.0, 0.3), range(0.5, 1.0)]),
                "nothing is said of the scores between 0.3 and 0.5",
            ),
            (
                json!([range(4.0, 6.0), range(0.0, 3.0)]),
                "score ranges must go from the lowest to the highest",
            ),
            (json!([range(3.0, 1.0)]), "`score_range` begins above its end"),
            (
                json!([range(3.0, 3.0)]),
                "there is only one score, so every answer would be the same",
            ),
            (json!({"3": "a"}), "there is only one score, so every answer would be the same"),
            (json!({"1": "a", "1.0": "b"}), "the score 1 is given twice"),
            (json!({"1": "a", "two": "b"}), "`two` is no score: it must be a number"),
            (json!({"1": "a", "2": " "}), "what the score `2` means must be a text"),
            (
                json!([{"score_range": [1], "outcome": "x"}]),
                "`score_range` must be the lowest and the highest score",
            ),
            (
                json!([{"score_range": [0, "3"], "outcome": "x"}]),
                "`score_range` must be the lowest and the highest score",
            ),
            (json!([{"score_range": [1, 2], "outcome": " "}]), "`outcome` of score range is blank"),
            (json!([{"outcome": "x"}]), "score range needs `score_range`"),
        ] {
            assert_eq!(check(&value), Err(vec![told.to_owned()]), "{value}");
        }
    }
}
