//! `trajectory:tool_used`: tools that were called at all, or so often.

use std::sync::Arc;

use agentv_base::{Call, Diagnostic, Fields, Grader, Key, Node, Part, Problems, Score, Shape};

use super::trajectory::{
    numbers::{MAX, MIN, Range},
    of_known_calls,
    tool::{NAME, PATTERN, Tool},
};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
    numbers,
};

pub(crate) struct ToolUsed;

const USED_TOOL: Part =
    Part { what: "used tool", tables: &[&[NAME, PATTERN, MIN.default("1"), MAX]] };
const ONE: Shape = Shape::Either(&[Shape::Name, Shape::Part(&USED_TOOL)]);
const VALUE: Shape = Shape::Either(&[Shape::Name, Shape::Part(&USED_TOOL), Shape::List(&ONE)]);

impl GraderKind for ToolUsed {
    fn name(&self) -> &'static str {
        "trajectory:tool_used"
    }

    fn description(&self) -> &'static str {
        "The tools in `value` were called: at least once, or as often as it says"
    }

    fn manual(&self) -> Manual {
        MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const { &[Key::new("value", VALUE, "One tool or several").required()] }
    }

    fn can_be_negated(&self) -> bool {
        true
    }

    fn build(
        &self,
        fields: &Fields<'_>,
        _: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Grader>> {
        let node = fields.required("value", problems)?;
        let tools = read(node, problems)?;
        Some(of_known_calls(move |calls| Ok(score(&tools, calls))))
    }
}

const MANUAL: Manual = Manual {
    text: "Looks at the calls of [tool_trajectory](tool_trajectory.md). `value` is the name of a tool, a map, or a list of \
           both. A tool is to be called at least once; `min` and `max` say otherwise. `pattern` stands for all tools of \
           that name, where `*` is any text and `?` any one character. Each tool is a share of the score, so the negated \
           form scores 1 only where none of them was used as it says. An answer with neither a trace nor messages fails \
           the grader: nobody knows what was called.",
    examples: &[
        Example::new(
            "Several tools",
            "type: trajectory:tool_used\nvalue: [search, answer]",
            &[Answer::record(
                r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "search"}]}]}"#,
                0.5,
            )],
        ),
        Example::new(
            "So often, by name and by pattern",
            "type: trajectory:tool_used\nvalue:\n  - {name: search, min: 2}\n  - {pattern: 'fetch_*', min: 0, max: 1}",
            &[Answer::record(
                r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "search"}, {"tool": "search"}, {"tool": "fetch_page"}]}]}"#,
                1.0,
            )],
        ),
        Example::new(
            "A tool that must not be used",
            "type: not-trajectory:tool-used\nvalue: delete_file",
            &[Answer::record(
                r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "search"}]}]}"#,
                1.0,
            )],
        ),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`trajectory:tool-used`",
        inspect_ai: "",
        deepeval: "`ToolCorrectnessMetric`",
        original: "`trajectory:tool-used`",
    },
};

/// A tool and how often it is to be called.
type Used = (Tool, Range);

fn read(node: &Node, problems: &mut Problems) -> Option<Vec<Used>> {
    let Some(items) = node.as_list() else {
        return read_one(node, problems).map(|tool| vec![tool]);
    };
    if items.is_empty() {
        problems.error(node.span, "`value` is an empty list, so there is nothing to look for");
        return None;
    }
    let read: Vec<_> = items.iter().map(|item| read_one(item, problems)).collect();
    read.into_iter().collect()
}

fn read_one(node: &Node, problems: &mut Problems) -> Option<Used> {
    if let Some(name) = node.as_str() {
        if name.trim().is_empty() {
            problems.error(node.span, "the name of a tool is blank");
            return None;
        }
        return Some((Tool::named(name), Range { min: 1, max: None }));
    }
    if node.as_map().is_none() {
        let message = format!("a tool must be a name or a map, not {}", node.kind_name());
        problems.push(Diagnostic::error(message).code("wrong-type").at(node.span));
        return None;
    }
    let fields = Fields::read(node, USED_TOOL.what, USED_TOOL.tables, problems)?;
    let tool = Tool::read(&fields, problems);
    let range = Range::read(1, &fields, problems);
    Some((tool?, range?))
}

fn score(tools: &[Used], calls: &[Call<'_>]) -> Score {
    let mut score = Score::default();
    for (tool, range) in tools {
        let times = tool.times(calls);
        let said = format!(
            "{}: called {} (asked: {})",
            tool.shown(),
            numbers::times(times),
            range.shown()
        );
        if range.has(times) { &mut score.hits } else { &mut score.misses }.push(said);
    }
    score.score = score.hits.len() as f64 / tools.len().max(1) as f64;
    score
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{Project, errors_of, eval_case, grade, response};

    fn keys(kind: &str, value: &Value) -> Value {
        json!({"type": kind, "value": value})
    }

    fn called(tools: &[&str]) -> agentv_base::Response {
        let calls: Vec<Value> = tools.iter().map(|tool| json!({"tool": tool})).collect();
        response(&json!({"output_messages": [{"role": "assistant", "tool_calls": calls}]}))
    }

    #[test]
    fn each_tool_is_a_share_of_the_score() {
        for (value, score) in [
            (json!("a"), 1.0),
            (json!(" a "), 1.0),
            (json!("c"), 0.0),
            (json!(["a", "c"]), 0.5),
            (json!({"name": "a", "min": 2}), 1.0),
            (json!({"name": "a", "max": 1}), 0.0),
            (json!({"name": "a", "min": "3"}), 0.0),
            (json!({"name": "c", "min": 0, "max": 0}), 1.0),
            (json!({"pattern": "?", "min": 3, "max": 3}), 1.0),
            (json!([{"pattern": "b*"}, {"pattern": "c*"}, "a", "b"]), 0.75),
        ] {
            let given = grade(&keys("trajectory:tool-used", &value), &called(&["a", "b", "a"]));
            assert!((given.score - score).abs() < 1e-12, "{value}: {given:?}");
        }
    }

    #[test]
    fn negated_it_wants_none_of_them_and_states_the_same_facts() {
        let keys = keys("not-trajectory:tool-used", &json!(["a", "b"]));
        for (tools, score) in [(vec!["c"], 1.0), (vec!["a"], 0.5), (vec!["a", "b"], 0.0)] {
            let given = grade(&keys, &called(&tools));
            assert!((given.score - score).abs() < 1e-12, "{given:?}");
        }
        let given = grade(&keys, &called(&["a"]));
        assert_eq!(given.misses, ["a: called once (asked: ≥1)"]);
        assert_eq!(given.hits, ["b: called 0 times (asked: ≥1)"]);
    }

    #[test]
    fn without_a_trail_nobody_knows_what_was_called() {
        for kind in ["trajectory:tool_used", "not_trajectory:tool_used"] {
            let fault = Project::new()
                .try_grade(&keys(kind, &json!("a")), &eval_case(), &response(&json!({"text": ""})))
                .unwrap_err();
            assert!(fault.message.starts_with("no trace: "), "{fault}");
        }
    }

    #[test]
    fn every_problem_is_told_at_its_place() {
        let value = json!([
            "",
            3,
            {"name": "a", "pattern": "b"},
            {"min": 1},
            {"name": "a", "min": 0},
            {"name": "a", "max": 0},
            {"name": "a", "min": 3, "max": 2},
            {"name": "a", "min": 1.5, "max": -1},
            {"nam": "a"},
        ]);
        let expected = [
            ("/value/0", "the name of a tool is blank"),
            ("/value/1", "a tool must be a name or a map, not a number"),
            ("/value/2/pattern", "`name` and `pattern` say both which tool is meant"),
            ("/value/3", "a tool needs `name` or `pattern`"),
            ("/value/4/min", "any number is at least 0, so every answer would pass"),
            ("/value/5/max", "`max` is 0, which is less than `min`, 1"),
            ("/value/6/max", "`max` is 2, which is less than `min`, 3"),
            ("/value/7/min", "`min` must be a whole number of at least 0"),
            ("/value/7/max", "`max` must be a whole number of at least 0"),
            ("/value/8/nam#key", "unknown key `nam` in used tool"),
        ];
        assert_eq!(
            errors_of(&keys("trajectory:tool_used", &value)),
            expected.map(|(at, message)| (at.to_owned(), message.to_owned()))
        );
        assert_eq!(errors_of(&keys("trajectory:tool_used", &json!([])))[0].0, "/value");
        assert_eq!(errors_of(&json!({"type": "trajectory:tool_used"})).len(), 1);
    }
}
