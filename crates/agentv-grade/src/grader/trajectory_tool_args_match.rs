//! `trajectory:tool_args_match`: a tool that was called with these arguments.

use std::sync::Arc;

use agentv_base::{
    Call, Diagnostic, Fields, Grader, Key, Node, Part, Problems, Score, Shape, words_of,
};

use super::{
    json_text,
    trajectory::{
        args::{Args, ArgsMatch},
        of_known_calls,
        tool::{NAME, PATTERN, Tool, shown},
        wanted_json::How,
    },
};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
    told::first_of,
};

/// So many calls that have other arguments are shown.
const SHOWN_CALLS: usize = 10;

pub(crate) struct ToolArgsMatch;

const MODES: [(&str, How); 2] = [("partial", How::Superset), ("exact", How::Exact)];

const CALL: Part = Part {
    what: "call",
    tables: &[&[
        NAME,
        PATTERN,
        Key::new("args", Shape::AnyMap, "Its arguments").or(&["arguments"]).required(),
        Key::new(
            "mode",
            Shape::Choice(const { &words_of(&MODES) }),
            "Whether it may have other arguments beside these",
        )
        .default("partial"),
        Key::later("defaults", "use `mode: partial`, which lets other arguments be"),
        Key::later("ignore", "use `mode: partial`, and leave out what does not matter"),
    ]],
};

impl GraderKind for ToolArgsMatch {
    fn name(&self) -> &'static str {
        "trajectory:tool_args_match"
    }

    fn description(&self) -> &'static str {
        "A tool was called with the arguments in `value`, at least once"
    }

    fn manual(&self) -> Manual {
        MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const { &[Key::new("value", Shape::Part(&CALL), "The tool and its arguments").required()] }
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
        let wanted = read(node, problems)?;
        Some(of_known_calls(move |calls| Ok(wanted.score(calls))))
    }
}

const MANUAL: Manual = Manual {
    text: "Looks at the calls of [tool_trajectory](tool_trajectory.md). Scores 1 where at least one call of the tool has the \
           arguments, else 0; a miss says for each call where it differs first. The tool is given by its `name`, or by a \
           `pattern` of names, where `*` is any text and `?` any one character. With `mode: partial` a call may have other \
           arguments beside these, also in maps inside; with `exact` it may not. Values, `$regex` and JSONPaths in `args` \
           are those of [tool_trajectory](tool_trajectory.md#arguments). An answer with neither a trace nor messages fails \
           the grader.",
    examples: &[
        Example::new(
            "Arguments among others",
            "type: trajectory:tool_args_match\nvalue: {name: search, args: {query: {$regex: paris, $flags: i}}}",
            &[
                Answer::record(
                    r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "search", "input": {"query": "Hotels in Paris", "limit": 5}}]}]}"#,
                    1.0,
                ),
                Answer::record(
                    r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "search", "input": {"query": "London"}}]}]}"#,
                    0.0,
                ),
            ],
        ),
        Example::new(
            "Exactly these, of any tool that writes",
            "type: trajectory:tool_args_match\nvalue:\n  pattern: 'write_*'\n  mode: exact\n  args: {path: a.txt}",
            &[Answer::record(
                r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "write_file", "input": {"path": "a.txt", "force": true}}]}]}"#,
                0.0,
            )],
        ),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`trajectory:tool-args-match`",
        inspect_ai: "",
        deepeval: "(`ToolCorrectnessMetric` with `INPUT_PARAMETERS`)",
        original: "`trajectory:tool-args-match`",
    },
};

struct WantedCall {
    tool: Tool,
    args: Args,
    shown_args: String,
}

fn read(node: &Node, problems: &mut Problems) -> Option<WantedCall> {
    if node.as_map().is_none() {
        let message = format!("`value` must be a map, not {}", node.kind_name());
        let problem = Diagnostic::error(message).code("wrong-type").at(node.span);
        problems.push(problem.hint("write `value: {name: search, args: {…}}`"));
        return None;
    }
    let fields = Fields::read(node, CALL.what, CALL.tables, problems)?;
    let tool = Tool::read(&fields, problems);
    let how = fields
        .optional("mode", problems, |fields, key, problems| fields.choice(key, &MODES, problems));
    let how = how.map(|how| how.unwrap_or(How::Superset));
    let args = fields.required("args", problems);
    // With any way to compare, so that what is wrong inside is told beside a wrong way.
    let way = ArgsMatch::Whole(how.unwrap_or(How::Exact));
    let is_map = args.is_some() && fields.map("args", problems).is_some();
    let read = args.filter(|_| is_map).and_then(|node| Args::read(node, way, problems));
    how?;
    Some(WantedCall { tool: tool?, args: read??, shown_args: json_text::shown(&args?.to_json()) })
}

impl WantedCall {
    fn score(&self, calls: &[Call<'_>]) -> Score {
        let (tool, args) = (self.tool.shown(), &self.shown_args);
        let own = || calls.iter().enumerate().filter(|(_, call)| self.tool.is(call.tool));
        let found = own().find(|(_, call)| self.args.mismatch(call.input).is_none());
        if let Some((index, call)) = found {
            let said =
                format!("call {}, `{}`, has the arguments {args}", index + 1, shown(call.tool));
            return Score::binary(true, said);
        }
        if own().next().is_none() {
            return Score::binary(false, format!("`{tool}` was not called"));
        }
        let differing = |(index, call): (usize, &Call<'_>)| {
            let mismatch = self.args.mismatch(call.input);
            let mismatch = mismatch.map(|mismatch| mismatch.shown()).unwrap_or_default();
            format!("\n  ~ call {}, {}: args{mismatch}", index + 1, shown(call.tool))
        };
        let calls = first_of(own(), SHOWN_CALLS, differing, |more| format!("\n  … ({more} more)"));
        let said = format!("no call of `{tool}` has the arguments {args}:{}", calls.concat());
        Score::binary(false, said)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{Project, errors_of, eval_case, grade, response};

    fn check(kind: &str, value: &Value, calls: &Value) -> agentv_base::Score {
        let answer = json!({"output_messages": [{"role": "assistant", "tool_calls": calls}]});
        grade(&json!({"type": kind, "value": value}), &response(&answer))
    }

    #[test]
    fn one_call_with_the_arguments_is_enough() {
        let calls = json!([
            {"tool": "search"},
            {"tool": "search", "input": {"q": "x", "n": 5}},
            {"tool": "fetch", "input": {"q": "y"}},
        ]);
        for (value, score) in [
            (json!({"name": "search", "args": {"q": "x"}}), 1.0),
            (json!({"name": "search", "arguments": {"n": 5.0}}), 1.0),
            (json!({"name": "search", "args": {"q": "x"}, "mode": "exact"}), 0.0),
            (json!({"name": "search", "args": {"q": "x", "n": 5}, "mode": "exact"}), 1.0),
            (json!({"name": "search", "args": {"q": "y"}}), 0.0),
            (json!({"pattern": "*", "args": {"q": "y"}}), 1.0),
            (json!({"pattern": "s*", "args": {"$.q": {"$regex": "^x$"}}}), 1.0),
            (json!({"name": "search", "args": {}, "mode": "exact"}), 1.0),
            (json!({"name": "book", "args": {"q": "x"}}), 0.0),
        ] {
            let given = check("trajectory:tool-args-match", &value, &calls);
            assert_eq!(given.score.to_bits(), f64::to_bits(score), "{value}: {given:?}");
        }
    }

    #[test]
    fn a_miss_says_where_each_call_differs() {
        let calls = json!([{"tool": "a", "input": {"q": 1}}, {"tool": "b"}, {"tool": "a"}]);
        let value = json!({"name": "a", "args": {"q": 2}});
        assert_eq!(
            check("trajectory:tool_args_match", &value, &calls).misses,
            ["no call of `a` has the arguments {\"q\":2}:\n  \
              ~ call 1, a: args.q: expected 2, got 1\n  \
              ~ call 3, a: args: the call has no arguments"]
        );
        let many = json!(vec![json!({"tool": "a"}); 15]);
        let said = &check("trajectory:tool_args_match", &value, &many).misses[0];
        assert!(said.ends_with("… (5 more)"), "{said}");
    }

    #[test]
    fn negated_it_wants_no_such_call() {
        let value = json!({"name": "a", "args": {"q": 1}});
        let given = check("not-trajectory:tool-args-match", &value, &json!([{"tool": "b"}]));
        assert_eq!(given.hits, ["`a` was not called"]);
        let calls = json!([{"tool": "a", "input": {"q": 1}}]);
        let given = check("not-trajectory:tool-args-match", &value, &calls);
        assert_eq!(given.misses, ["call 1, `a`, has the arguments {\"q\":1}"]);
    }

    #[test]
    fn without_a_trail_nobody_knows_what_was_called() {
        let keys =
            json!({"type": "trajectory:tool_args_match", "value": {"name": "a", "args": {"q": 1}}});
        let answer = response(&json!({"text": ""}));
        assert!(Project::new().try_grade(&keys, &eval_case(), &answer).is_err());
    }

    #[test]
    fn every_problem_is_told_at_its_place() {
        for (value, expected) in [
            (json!("a"), vec![("/value", "`value` must be a map, not a string")]),
            (
                json!({"args": {"$x": 1}, "mode": "most"}),
                vec![
                    ("/value", "a tool needs `name` or `pattern`"),
                    ("/value/mode", "unknown mode `most`"),
                    ("/value/args/$x#key", "unknown word `$x`"),
                ],
            ),
            (json!({"name": "a"}), vec![("/value", "call needs `args`")]),
            (
                json!({"name": "a", "args": "any"}),
                vec![("/value/args", "`args` must be a map, not a string")],
            ),
            (
                json!({"name": "a", "args": {}}),
                vec![("/value/args", "`args` is empty, so any arguments would do")],
            ),
            (
                json!({"name": "a", "args": {"q": 1}, "ignore": ["n"]}),
                vec![("/value/ignore#key", "`ignore` of call is known, but not supported yet")],
            ),
        ] {
            let keys = json!({"type": "trajectory:tool_args_match", "value": value});
            let expected: Vec<_> =
                expected.iter().map(|(at, said)| ((*at).to_owned(), (*said).to_owned())).collect();
            assert_eq!(errors_of(&keys), expected, "{value}");
        }
    }
}
