//! `tool_trajectory`: which tools were called, how often and in which order. This file reads the
//! keys; `trajectory.rs` compares. Arguments and results of the calls are not looked at.

mod trajectory;

use std::sync::Arc;

use agentv_base::{
    Diagnostic, Fields, Grader, Key, Node, NodeValue, Part, Problems, Shape, nearest,
};

use self::trajectory::Trajectory;
use super::immediate::immediate;
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
};

pub(crate) struct ToolTrajectory;

const MODES: [&str; 3] = ["any_order", "in_order", "exact"];

const EXPECTED: Shape = Shape::Either(&[Shape::Name, Shape::Part(&EXPECTED_TOOL)]);
const EXPECTED_TOOL: Part = Part {
    what: "expected tool",
    tables: &[&[Key::new("tool", Shape::Name, "The name of the tool").required()]],
};

impl GraderKind for ToolTrajectory {
    fn name(&self) -> &'static str {
        "tool_trajectory"
    }

    fn description(&self) -> &'static str {
        "The tools that were called: each often enough (`any_order`), in this order among others \
         (`in_order`), or these and no others (`exact`)"
    }

    fn manual(&self) -> Manual {
        MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const {
            &[
                Key::new("mode", Shape::Choice(&MODES), "How calls are compared").required(),
                Key::new(
                    "minimums",
                    Shape::MapOf(&Shape::Number),
                    "How often each tool must be called",
                ),
                Key::new("expected", Shape::List(&EXPECTED), "The tools in their order"),
            ]
        }
    }

    fn build(
        &self,
        fields: &Fields<'_>,
        _: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Grader>> {
        // Everything is read before anything is given up, so that all problems are told.
        let mode = read_mode(fields, problems);
        let minimums = read_minimums(fields, problems);
        let expected = read_expected(fields, problems);
        let wanted = match mode? {
            Mode::AnyOrder => {
                refuse("expected", "in_order` and `exact", fields, problems);
                need("minimums", "any_order", fields, problems);
                Trajectory::AnyOrder(not_empty("minimums", minimums?, fields, problems)?)
            }
            Mode::InOrder => {
                refuse("minimums", "any_order", fields, problems);
                need("expected", "in_order", fields, problems);
                Trajectory::InOrder(not_empty("expected", expected?, fields, problems)?)
            }
            Mode::Exact => {
                refuse("minimums", "any_order", fields, problems);
                need("expected", "exact", fields, problems);
                // An empty list says something here: no tool may be called.
                Trajectory::Exact(expected?)
            }
        };
        Some(immediate(move |context| wanted.score(context.response.tools_called().as_deref())))
    }
}

const MANUAL: Manual = Manual {
    text: "Compares the tools that were called, from `trace` where there is one, else from \
                   `output_messages`.",
    examples: &[
        Example::new(
            "Each tool often enough",
            "type: tool_trajectory\nmode: any_order\nminimums: {search: 2, fetch: 1}",
            &[Answer::record(
                r#"{"text": "", "trace": [{"type": "tool_call", "name": "search"}]}"#,
                0.0,
            )],
        ),
        Example::new(
            "These in this order",
            "type: tool_trajectory\nmode: in_order\nexpected: [{tool: search}, answer]",
            &[Answer::record(
                r#"{"text": "", "trace": [{"type": "tool_call", "name": "search"}, {"type": "tool_call", "name": "fetch"}, {"type": "tool_call", "name": "answer"}]}"#,
                1.0,
            )],
        ),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`trajectory:tool-used`, `trajectory:tool-sequence`",
        inspect_ai: "",
        deepeval: "`ToolCorrectnessMetric`",
        original: "`tool_trajectory`",
    },
};

#[derive(Clone, Copy)]
enum Mode {
    AnyOrder,
    InOrder,
    Exact,
}

fn read_mode(fields: &Fields<'_>, problems: &mut Problems) -> Option<Mode> {
    let node = fields.required("mode", problems)?;
    let typed = fields.string("mode", problems)?;
    match typed.trim().replace('-', "_").as_str() {
        "any_order" => Some(Mode::AnyOrder),
        "in_order" => Some(Mode::InOrder),
        "exact" => Some(Mode::Exact),
        _ => {
            let problem = Diagnostic::error(format!("unknown mode `{typed}`")).at(node.span);
            problems.push(match nearest(typed, MODES) {
                Some(mode) => problem.hint(format!("did you mean `{mode}`?")),
                None => problem.hint(format!("modes: {}", MODES.join(", "))),
            });
            None
        }
    }
}

/// How often each tool must be called at least. Nothing where the key is absent or wrong.
fn read_minimums(fields: &Fields<'_>, problems: &mut Problems) -> Option<Vec<(String, u64)>> {
    let entries = fields.map("minimums", problems)?;
    let read: Vec<_> = entries
        .iter()
        .map(|entry| {
            let minimum = count_of(&entry.value);
            if minimum.is_none() {
                problems.error(
                    entry.value.span,
                    format!("the minimum of `{}` must be a whole number of at least 0", entry.key),
                );
            }
            Some((entry.key.to_string(), minimum?))
        })
        .collect();
    read.into_iter().collect()
}

fn count_of(node: &Node) -> Option<u64> {
    match &node.value {
        NodeValue::Integer(value) => u64::try_from(*value).ok(),
        NodeValue::String(text) => text.trim().parse().ok(),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Float(_)
        | NodeValue::List(_)
        | NodeValue::Map(_) => None,
    }
}

/// The tools of `expected`, each a name or `{tool: name}`. Nothing where the key is absent or
/// wrong.
fn read_expected(fields: &Fields<'_>, problems: &mut Problems) -> Option<Vec<String>> {
    let items = fields.list("expected", problems)?;
    let read: Vec<_> = items.iter().map(|item| read_tool(item, problems)).collect();
    read.into_iter().collect()
}

fn read_tool(item: &Node, problems: &mut Problems) -> Option<String> {
    if let Some(name) = item.as_str() {
        if name.trim().is_empty() {
            problems.error(item.span, "the name of an expected tool is blank");
            return None;
        }
        return Some(name.to_owned());
    }
    let call = Fields::read(item, "expected tool", EXPECTED_TOOL.tables, problems)?;
    call.required("tool", problems)?;
    call.non_blank("tool", problems).map(str::to_owned)
}

fn need(key: &str, mode: &str, fields: &Fields<'_>, problems: &mut Problems) {
    if fields.get(key).is_none() {
        problems.push(
            Diagnostic::error(format!("the mode `{mode}` needs `{key}`"))
                .code("missing-key")
                .at(fields.span())
                .hint(match key {
                    "minimums" => "add `minimums: {tool: 1}`",
                    _ => "add `expected: [{tool: name}]`",
                }),
        );
    }
}

/// A key of another mode would be read by nobody.
fn refuse(key: &str, modes: &str, fields: &Fields<'_>, problems: &mut Problems) {
    if let Some(entry) = fields.entry(key).filter(|entry| !entry.value.is_null()) {
        let message = format!("`{key}` belongs to the mode `{modes}`");
        problems.push(Diagnostic::error(message).code("misplaced-key").at(entry.key_span));
    }
}

fn not_empty<T>(
    key: &str,
    list: Vec<T>,
    fields: &Fields<'_>,
    problems: &mut Problems,
) -> Option<Vec<T>> {
    if list.is_empty() {
        let span = fields.get(key).map_or(fields.span(), |node| node.span);
        problems.error(span, format!("`{key}` is empty, so every answer would pass"));
        return None;
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        build,
        testing::{Project, errors_of, grade, node, response},
    };

    /// The errors of a trajectory with these keys.
    fn check(keys: Value) -> Vec<(String, String)> {
        let mut entry = json!({"type": "tool_trajectory"});
        let Value::Object(keys) = keys else { panic!("keys are a map") };
        entry.as_object_mut().unwrap().extend(keys);
        errors_of(&entry)
    }

    fn fault(at: &str, message: &str) -> Vec<(String, String)> {
        vec![(at.to_owned(), message.to_owned())]
    }

    #[test]
    fn every_mode_is_read_in_both_spellings() {
        for keys in [
            json!({"mode": "any_order", "minimums": {"search": 1, "book": 0}}),
            json!({"mode": "any-order", "minimums": {"search": "2"}}),
            json!({"mode": "in-order", "expected": [{"tool": "search"}, "book"]}),
            json!({"mode": "exact", "expected": ["search"]}),
            json!({"mode": "exact", "expected": []}),
        ] {
            assert_eq!(check(keys.clone()), [], "{keys}");
        }
    }

    #[test]
    fn an_unknown_mode_is_an_error_that_names_the_nearest() {
        for (typed, hint) in [
            ("in_ordr", "did you mean `in_order`?"),
            ("sideways", "modes: any_order, in_order, exact"),
        ] {
            let entry = json!({"type": "tool_trajectory", "mode": typed, "expected": ["a"]});
            let project = Project::new();
            let mut problems = Problems::default();
            build(&[node(&entry)], &project.context(), &mut problems);
            let problem = problems.iter().next().unwrap();
            assert_eq!(problem.message, format!("unknown mode `{typed}`"));
            assert_eq!(problem.hint.as_deref(), Some(hint));
        }
    }

    #[test]
    fn a_mode_without_its_own_key_or_with_anothers_is_an_error() {
        assert_eq!(
            check(json!({"mode": "any_order", "expected": ["a"]})),
            [
                (
                    "/expected#key".to_owned(),
                    "`expected` belongs to the mode `in_order` and `exact`".to_owned()
                ),
                (String::new(), "the mode `any_order` needs `minimums`".to_owned()),
            ]
        );
        assert_eq!(
            check(json!({"mode": "exact", "minimums": {"a": 1}, "expected": ["a"]})),
            fault("/minimums#key", "`minimums` belongs to the mode `any_order`")
        );
        assert_eq!(
            check(json!({"mode": "in_order", "expected": null})),
            fault("", "the mode `in_order` needs `expected`")
        );
        assert_eq!(check(json!({"expected": ["a"]})), fault("", "tool_trajectory needs `mode`"));
    }

    #[test]
    fn empty_requirements_are_an_error() {
        assert_eq!(
            check(json!({"mode": "any_order", "minimums": {}})),
            fault("/minimums", "`minimums` is empty, so every answer would pass")
        );
        assert_eq!(
            check(json!({"mode": "in_order", "expected": []})),
            fault("/expected", "`expected` is empty, so every answer would pass")
        );
    }

    #[test]
    fn every_wrong_entry_is_an_error_at_its_place() {
        assert_eq!(
            check(json!({"mode": "any_order", "minimums": {"a": -1, "b": 1.5, "c": 1, "d": [1]}})),
            ["a", "b", "d"].map(|tool| (
                format!("/minimums/{tool}"),
                format!("the minimum of `{tool}` must be a whole number of at least 0")
            ))
        );
        assert_eq!(
            check(json!({"mode": "exact", "expected": [{"tol": "a"}, " ", 3, {"tool": ""}]})),
            [
                ("/expected/0/tol#key", "unknown key `tol` in expected tool"),
                ("/expected/1", "the name of an expected tool is blank"),
                ("/expected/2", "expected tool must be a map, not a number"),
                ("/expected/3/tool", "`tool` of expected tool is blank"),
            ]
            .map(|(at, message)| (at.to_owned(), message.to_owned()))
        );
    }

    #[test]
    fn the_tools_come_from_the_response() {
        let keys = json!({"type": "tool-trajectory", "mode": "exact", "expected": ["search"]});
        let with_calls = json!({"text": "", "output_messages": [
            {"role": "assistant", "tool_calls": [{"tool": "search"}]}
        ]});
        assert_eq!(grade(&keys, &response(&with_calls)).hits, ["called exactly: search"]);
        assert_eq!(
            grade(&keys, &response(&json!({"text": ""}))).misses,
            ["no trace: the target left neither a trace nor messages with tool calls"]
        );
    }
}
