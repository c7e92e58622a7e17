//! `trajectory:step_count`: how many calls there were.

use std::sync::Arc;

use agentv_base::{
    Diagnostic, Fields, Grader, Key, Node, Part, Problems, Score, Shape, count_limit_of,
};

use super::trajectory::{
    numbers::{self, MAX, MIN, Range},
    of_known_calls,
    tool::{NAME, PATTERN, Tool},
};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
};

pub(crate) struct StepCount;

const COUNT: Part = Part {
    what: "step count",
    tables: &[&[
        MIN,
        MAX,
        NAME,
        PATTERN,
        Key::new("type", Shape::Choice(&["tool"]), "What is counted").default("tool"),
    ]],
};

impl GraderKind for StepCount {
    fn name(&self) -> &'static str {
        "trajectory:step_count"
    }

    fn description(&self) -> &'static str {
        "As many tools were called as `value` says"
    }

    fn manual(&self) -> Manual {
        MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const {
            &[Key::new(
                "value",
                Shape::Either(&[Shape::CountLimit, Shape::Part(&COUNT)]),
                "The number of calls, or a map of what it may be",
            )
            .required()]
        }
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
        let (tool, range) = read(node, problems)?;
        Some(of_known_calls(move |calls| {
            let times = tool.as_ref().map_or(calls.len(), |tool| tool.times(calls));
            let of =
                tool.as_ref().map(|tool| format!(" of `{}`", tool.shown())).unwrap_or_default();
            let said = format!("{times} calls{of} (asked: {})", range.shown());
            Ok(Score::binary(range.has(times), said))
        }))
    }
}

const MANUAL: Manual = Manual {
    text: "Looks at the calls of [tool_trajectory](tool_trajectory.md) and counts them. `value` is a number that must be met, \
           or a map with `min`, `max` or both. `name` counts the calls of one tool, `pattern` those of all tools of that \
           name, where `*` is any text and `?` any one character. Scores 1 or 0. Only calls of tools are steps: another \
           `type` is an error. An answer with neither a trace nor messages fails the grader.",
    examples: &[
        Example::new(
            "So many calls",
            "type: trajectory:step_count\nvalue: 2",
            &[Answer::record(
                r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "search"}, {"tool": "answer"}]}]}"#,
                1.0,
            )],
        ),
        Example::new(
            "Not too many",
            "type: trajectory:step_count\nvalue: {type: tool, pattern: 'search_*', min: 1, max: 2}",
            &[
                Answer::record(
                    r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "search_web"}, {"tool": "answer"}]}]}"#,
                    1.0,
                ),
                Answer::record(
                    r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "answer"}]}]}"#,
                    0.0,
                ),
            ],
        ),
        Example::new(
            "Calls of one tool",
            "type: trajectory:step_count\nvalue: {name: search, max: 1}",
            &[Answer::record(
                r#"{"text": "", "output_messages": [{"role": "assistant", "content": "I know that."}]}"#,
                1.0,
            )],
        ),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`trajectory:step-count`",
        inspect_ai: "",
        deepeval: "",
        original: "`trajectory:step-count`",
    },
};

/// Which calls are counted, all where nothing says so, and how many there may be.
fn read(node: &Node, problems: &mut Problems) -> Option<(Option<Tool>, Range)> {
    if node.as_map().is_none() {
        // A map would do as well, which only the message here says.
        let number = count_limit_of("value", node, &mut Problems::default()).map(numbers::calls);
        if number.is_none() {
            let message = "`value` must be a whole number of at least 0, or a map";
            problems.push(Diagnostic::error(message).code("wrong-type").at(node.span));
        }
        return number.map(|number| (None, Range { min: number, max: Some(number) }));
    }
    let fields = Fields::read(node, COUNT.what, COUNT.tables, problems)?;
    let type_is_good = read_type(&fields, problems);
    let any_tool = fields.get("name").is_none() && fields.get("pattern").is_none();
    let tool = if any_tool { Some(None) } else { Tool::read(&fields, problems).map(Some) };
    let range = if fields.get("min").is_none() && fields.get("max").is_none() {
        problems.push(
            Diagnostic::error("step count needs `min` or `max`")
                .code("missing-key")
                .at(node.span)
                .hint("add `min: …` or `max: …`"),
        );
        None
    } else {
        Range::read(0, &fields, problems)
    };
    type_is_good.then_some(())?;
    Some((tool?, range?))
}

fn read_type(fields: &Fields<'_>, problems: &mut Problems) -> bool {
    let Some(node) = fields.get("type") else {
        return true;
    };
    let typed = fields.string("type", problems);
    if typed.is_some_and(|typed| typed.trim() != "tool") {
        problems.push(
            Diagnostic::error("only calls of tools can be counted")
                .code("bad-value")
                .at(node.span)
                .hint("write `type: tool`, or leave it out"),
        );
    }
    typed.is_some_and(|typed| typed.trim() == "tool")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{Project, errors_of, eval_case, grade, response};

    fn check(kind: &str, value: &Value, tools: &[&str]) -> agentv_base::Score {
        let calls: Vec<Value> = tools.iter().map(|tool| json!({"tool": tool})).collect();
        let answer = json!({"output_messages": [{"role": "assistant", "tool_calls": calls}]});
        grade(&json!({"type": kind, "value": value}), &response(&answer))
    }

    #[test]
    fn calls_are_counted() {
        for (value, tools, score) in [
            (json!(2), vec!["a", "b"], 1.0),
            (json!("2"), vec!["a"], 0.0),
            (json!(0), vec![], 1.0),
            (json!({"min": 1}), vec!["a"], 1.0),
            (json!({"min": 1}), vec![], 0.0),
            (json!({"max": 1}), vec![], 1.0),
            (json!({"max": 1}), vec!["a", "a"], 0.0),
            (json!({"min": 1, "max": 2, "type": "tool"}), vec!["a", "a"], 1.0),
            (json!({"max": 1, "name": "a"}), vec!["a", "b"], 1.0),
            (json!({"min": 2, "pattern": "a*"}), vec!["ab", "a", "b"], 1.0),
        ] {
            let given = check("trajectory:step-count", &value, &tools);
            assert_eq!(
                given.score.to_bits(),
                f64::to_bits(score),
                "{value} on {tools:?}: {given:?}"
            );
        }
    }

    #[test]
    fn it_says_how_many_there_were_also_negated() {
        let value = json!({"max": 1, "pattern": "a*"});
        assert_eq!(
            check("trajectory:step_count", &value, &["a", "a"]).misses,
            ["2 calls of `a*` (asked: ≤1)"]
        );
        assert_eq!(
            check("not_trajectory:step_count", &json!(1), &["a", "a"]).hits,
            ["2 calls (asked: 1)"]
        );
    }

    #[test]
    fn without_a_trail_nobody_knows_what_was_called() {
        let keys = json!({"type": "trajectory:step_count", "value": 0});
        let answer = response(&json!({"text": ""}));
        assert!(Project::new().try_grade(&keys, &eval_case(), &answer).is_err());
    }

    #[test]
    fn every_problem_is_told_at_its_place() {
        for (value, expected) in [
            (
                json!("few"),
                vec![("/value", "`value` must be a whole number of at least 0, or a map")],
            ),
            (
                json!(1.5),
                vec![("/value", "`value` must be a whole number of at least 0, or a map")],
            ),
            (json!({}), vec![("/value", "step count needs `min` or `max`")]),
            (
                json!({"type": "span", "name": "a", "pattern": "b", "min": 2, "max": 1}),
                vec![
                    ("/value/type", "only calls of tools can be counted"),
                    ("/value/pattern", "`name` and `pattern` say both which tool is meant"),
                    ("/value/max", "`max` is 1, which is less than `min`, 2"),
                ],
            ),
            (
                json!({"min": 0}),
                vec![("/value/min", "any number is at least 0, so every answer would pass")],
            ),
        ] {
            let keys = json!({"type": "trajectory:step_count", "value": value});
            let expected: Vec<_> =
                expected.iter().map(|(at, said)| ((*at).to_owned(), (*said).to_owned())).collect();
            assert_eq!(errors_of(&keys), expected, "{value}");
        }
    }
}
