//! `trajectory:tool_sequence`: tools that were called in this order.

use std::sync::Arc;

use agentv_base::{Diagnostic, Fields, Grader, Key, Node, Part, Problems, Score, Shape, words_of};

use super::trajectory::{
    compare::{Mode, compare},
    of_known_calls,
    step::Step,
    tool::{NAME, PATTERN, Tool},
};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
};

pub(crate) struct ToolSequence;

const MODES: [(&str, Mode); 2] = [("in_order", Mode::InOrder), ("exact", Mode::Exact)];

const STEP: Part = Part { what: "step", tables: &[&[NAME, PATTERN]] };
const STEPS: Shape = Shape::List(&Shape::Either(&[Shape::Name, Shape::Part(&STEP)]));
const SEQUENCE: Part = Part {
    what: "sequence",
    tables: &[&[
        Key::new("steps", STEPS, "The tools in their order").required(),
        Key::new(
            "mode",
            Shape::Choice(const { &words_of(&MODES) }),
            "Whether there may be others between them",
        )
        .default("in_order"),
    ]],
};

impl GraderKind for ToolSequence {
    fn name(&self) -> &'static str {
        "trajectory:tool_sequence"
    }

    fn description(&self) -> &'static str {
        "The tools in `value` were called in this order, with others between them or without"
    }

    fn manual(&self) -> Manual {
        MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const {
            &[Key::new(
                "value",
                Shape::Either(&[Shape::Part(&SEQUENCE), STEPS]),
                "The tools in their order",
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
        let (mode, steps) = read(node, problems)?;
        Some(of_known_calls(move |calls| {
            let compared = compare(mode, &steps, calls)?;
            let score = if compared.met == compared.of { 1.0 } else { 0.0 };
            Ok(Score { score, hits: compared.hits, misses: compared.misses, ..Score::default() })
        }))
    }
}

const MANUAL: Manual = Manual {
    text: "Looks at the calls of [tool_trajectory](tool_trajectory.md), and shows a difference as it does. `value` is a list \
           of steps, or a map of `steps` and a `mode`: with `in_order` there may be other calls before, between and after \
           the steps, with `exact` there are none. A step is the name of a tool or a map with its `name`, or with a \
           `pattern`, where `*` is any text and `?` any one character. Scores 1 or 0. An answer with neither a trace nor \
           messages fails the grader.",
    examples: &[
        Example::new(
            "Steps in their order",
            "type: trajectory:tool_sequence\nvalue: [search, answer]",
            &[
                Answer::record(
                    r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "search"}, {"tool": "fetch"}, {"tool": "answer"}]}]}"#,
                    1.0,
                ),
                Answer::record(
                    r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "answer"}]}]}"#,
                    0.0,
                ),
            ],
        ),
        Example::new(
            "These steps and no others",
            "type: trajectory:tool_sequence\nvalue:\n  mode: exact\n  steps: [{name: search}, {pattern: 'fetch_*'}]",
            &[Answer::record(
                r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "search"}, {"tool": "fetch_page"}]}]}"#,
                1.0,
            )],
        ),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`trajectory:tool-sequence`",
        inspect_ai: "",
        deepeval: "`ToolCorrectnessMetric`",
        original: "`trajectory:tool-sequence`",
    },
};

fn read(node: &Node, problems: &mut Problems) -> Option<(Mode, Vec<Step>)> {
    if node.as_list().is_some() {
        return Some((Mode::InOrder, read_steps("value", node, problems)?));
    }
    if node.as_map().is_none() {
        let message = format!("`value` must be a list of steps or a map, not {}", node.kind_name());
        let problem = Diagnostic::error(message).code("wrong-type").at(node.span);
        problems.push(problem.hint("write the tools as a list: `value: [search, answer]`"));
        return None;
    }
    let fields = Fields::read(node, SEQUENCE.what, SEQUENCE.tables, problems)?;
    let mode = fields
        .optional("mode", problems, |fields, key, problems| fields.choice(key, &MODES, problems));
    let steps = match fields.required("steps", problems) {
        Some(node) => fields.list("steps", problems).and(read_steps("steps", node, problems)),
        None => None,
    };
    Some((mode?.unwrap_or(Mode::InOrder), steps?))
}

/// The steps of a list; nothing where it is none, which its reader has told.
fn read_steps(key: &str, node: &Node, problems: &mut Problems) -> Option<Vec<Step>> {
    let items = node.as_list()?;
    if items.is_empty() {
        problems
            .error(node.span, format!("`{key}` is an empty list, so there is nothing to look for"));
        return None;
    }
    let read: Vec<_> = items
        .iter()
        .map(|item| match item.as_str() {
            Some(name) if name.trim().is_empty() => {
                problems.error(item.span, "the name of a step is blank");
                None
            }
            Some(name) => Some(Step::of(Tool::named(name))),
            None => {
                let fields = Fields::read(item, STEP.what, STEP.tables, problems)?;
                Tool::read(&fields, problems).map(Step::of)
            }
        })
        .collect();
    read.into_iter().collect()
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
    fn steps_come_in_their_order_with_others_or_without() {
        let exactly = |steps: Value| json!({"mode": "exact", "steps": steps});
        for (value, tools, score) in [
            (json!(["a", "b"]), vec!["x", "a", "x", "b", "x"], 1.0),
            (json!(["a", "b"]), vec!["b", "a"], 0.0),
            (json!({"mode": "in-order", "steps": ["a"]}), vec!["b", "a"], 1.0),
            (json!({"steps": ["a"]}), vec!["b", "a"], 1.0),
            (exactly(json!(["a", "b"])), vec!["a", "b"], 1.0),
            (exactly(json!(["a", "b"])), vec!["a", "b", "b"], 0.0),
            (exactly(json!([{"pattern": "a*"}, {"name": "b"}])), vec!["ab", "b"], 1.0),
            (json!([{"pattern": "a*"}, "ab"]), vec!["ab", "ab"], 1.0),
        ] {
            let given = check("trajectory:tool-sequence", &value, &tools);
            assert_eq!(
                given.score.to_bits(),
                f64::to_bits(score),
                "{value} on {tools:?}: {given:?}"
            );
        }
    }

    #[test]
    fn negated_it_wants_another_order() {
        let given = check("not-trajectory:tool-sequence", &json!(["a", "b"]), &["b", "a"]);
        assert_eq!(given.score.to_bits(), 1.0_f64.to_bits());
        assert!(given.hits[0].starts_with("the expected calls were not made in this order"));
    }

    #[test]
    fn without_a_trail_nobody_knows_what_was_called() {
        let keys = json!({"type": "trajectory:tool_sequence", "value": ["a"]});
        let answer = response(&json!({"text": ""}));
        assert!(Project::new().try_grade(&keys, &eval_case(), &answer).is_err());
    }

    #[test]
    fn every_problem_is_told_at_its_place() {
        for (value, expected) in [
            (
                json!("search"),
                vec![("/value", "`value` must be a list of steps or a map, not a string")],
            ),
            (
                json!([]),
                vec![("/value", "`value` is an empty list, so there is nothing to look for")],
            ),
            (
                json!(["", {"nam": "a"}, 3, {"name": "a", "pattern": "b"}]),
                vec![
                    ("/value/0", "the name of a step is blank"),
                    ("/value/1/nam#key", "unknown key `nam` in step"),
                    ("/value/2", "step must be a map, not a number"),
                    ("/value/3/pattern", "`name` and `pattern` say both which tool is meant"),
                ],
            ),
            (
                json!({"mode": "loose", "steps": "a"}),
                vec![
                    ("/value/mode", "unknown mode `loose`"),
                    ("/value/steps", "`steps` must be a list, not a string"),
                ],
            ),
            (json!({"mode": "exact"}), vec![("/value", "sequence needs `steps`")]),
        ] {
            let keys = json!({"type": "trajectory:tool_sequence", "value": value});
            let expected: Vec<_> =
                expected.iter().map(|(at, said)| ((*at).to_owned(), (*said).to_owned())).collect();
            assert_eq!(errors_of(&keys), expected, "{value}");
        }
    }
}
