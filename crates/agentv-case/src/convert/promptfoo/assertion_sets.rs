//! Sets of assertions → composites.

use agentv_base::Node;
use serde_json::{Map, Value, json};

use super::{Import, assertions::Decision};

impl Import {
    /// A set as one grader. It passes where the mean of its scores reaches its threshold, or where
    /// each member passes; to a mean of the whole test it brings its own mean.
    pub(super) fn assertion_set(
        &mut self,
        node: &Node,
        decision: Decision,
    ) -> Option<Map<String, Value>> {
        self.leave_rest(
            node,
            &["type", "assert", "threshold", "metric", "weight"],
            "an assertion set",
        );
        let Some(items) = node.get("assert").and_then(Node::as_list) else {
            self.error(node.span, "assertion `assert-set` needs `assert`");
            return None;
        };
        let by_mean = decision == Decision::MeanOfScores;
        // A threshold of 0 is none.
        let threshold = node.get("threshold").map(Node::to_json);
        let threshold = threshold.filter(|share| share.as_f64() != Some(0.0) && !share.is_null());
        // What a program says can be more than yes and no, and counts as such in the mean.
        let has_code = items.iter().any(|item| self.is_code(item));
        let of_scores = by_mean || (threshold.is_some() && has_code);
        let inner = if of_scores { Decision::MeanOfScores } else { Decision::EachPasses };
        let mut members: Vec<Value> =
            items.iter().flat_map(|item| self.assertion(item, inner)).collect();
        self.drop_doubled_names(&mut members, &[], node.span);
        if members.is_empty() || (threshold.is_some() && members.len() != items.len()) {
            let why = "not all of its members could be carried over";
            self.leave(node.span, "assertion `assert-set`", why);
            return None;
        }
        let mut set = Map::from_iter([("type".to_owned(), json!("composite"))]);
        match threshold {
            _ if by_mean => {}
            None => drop(set.insert("aggregator".to_owned(), json!("all_or_nothing"))),
            Some(share) if has_code => {
                set.insert("aggregator".to_owned(), json!("all_or_nothing"));
                let mean = json!({"type": "composite", "min_score": share, "evaluators": members});
                members = vec![mean];
            }
            Some(share) => drop(set.insert("threshold".to_owned(), share)),
        }
        set.insert("evaluators".to_owned(), Value::Array(members));
        Some(set)
    }

    /// Whether a program of the author's decides an assertion.
    fn is_code(&self, assertion: &Node) -> bool {
        let template = assertion.get("$ref").and_then(Node::as_str);
        let template = template.and_then(|reference| self.resolve(reference));
        let kind = template.as_ref().unwrap_or(assertion).get("type").and_then(Node::as_str);
        matches!(kind.unwrap_or_default().trim(), "javascript" | "python")
    }
}
