//! The page of `tool_trajectory`.

use crate::manual::{Answer, Elsewhere, Example, Manual};

pub(super) const MANUAL: Manual = Manual {
    text: r"Looks at the calls of tools: those of `trace` where there is one, else those of `output_messages`. In a trace,
a `tool_result` belongs to the `tool_call` with its `id` where both have one, else to the oldest call of its `name` that
has no result yet. An answer with neither a trace nor messages scores 0.

### Modes

| mode | calls | score |
|---|---|---|
| `any_order` | each tool of `minimums` so often, each call of `expected` once; others are fine | a share for each |
| `in_order` | those of `expected` in their order; others between them are fine | 1 or 0 |
| `exact` | those of `expected` in their order, and no others | 1 or 0 |
| `unordered` | those of `expected` in any order, and no others | 1 or 0 |
| `superset` | those of `expected` in any order; others are fine | 1 or 0 |
| `subset` | none but those of `expected`, each at most once | 1 or 0 |

Where the order does not matter, calls are given to expected calls so that as many as possible have one: a call that
only one expected call can have is not taken by another that takes any. More than 5,000,000 comparisons of arguments
(thousands of calls of one tool against thousands of expected ones with arguments) fail the grader with the sizes.

A call of `expected` is the name of a tool, or a map. What the map does not say does not matter.

### Arguments

`args` (or `input`) says what the `input` of a call is. `args_match` says how the two are compared: for one call, for
one tool (`args_match_by_tool`), or for all.

| `args_match` | the call has |
|---|---|
| `exact` | these arguments and no others; where all keys are paths, others are free |
| `superset` | these arguments and perhaps others, also in maps inside |
| `subset` | none but these arguments, perhaps not all, also in maps inside |
| `ignore` | any arguments, as with `args: any` |
| a list such as `[path, options.depth]` | the same values in these fields; others do not matter. Fields are paths of [field_accuracy](field_accuracy.md) |

Numbers are equal by value (1 and 1.0). Lists have the same items in the same order. A call without any `input` has
only `args: {}`.

In place of a value, `{$regex: '…'}` takes any text that matches, also that of a number or a boolean; `$flags` are those
of [regex](regex.md). A key of `args` that is a JSONPath (RFC 9535, `'$.items[*].id'`, in quotes for YAML) selects values inside of the
arguments: at least one, and each of them must be the value. The other keys of `args` are compared as ever; arguments
that only a path looks into do not count as others. A key that itself begins with `$` is found by a path: `$['$ref']`.

`output` is compared with what the call gave back: maps may have more keys, and `$regex` works as in `args`.

### Limits

`minimums`, `maximums`, `forbidden` (names of tools), `min_steps`, `max_steps`, `max_call_duration_ms` and
`max_total_duration_ms` are about all calls; they need no `mode`. A limit that is broken makes the score 0, except for
`minimums` in the mode `any_order`, where each is a share of the score.

The duration of a call is `duration_ms` of a message's call, or of the `metadata` of a result or a call in a trace, else
the time between the `timestamp`s of call and result (RFC 3339). Where a duration or an output is asked for and the
trail does not say it, the grader fails and names the call.

### Misses

A miss shows expected calls and made ones side by side: `=` as expected, `~` the same tool with a difference, `-`
expected and not made, `+` made and not expected.",
    examples: EXAMPLES,
    elsewhere: Elsewhere {
        promptfoo: "`trajectory:tool-sequence`, `trajectory:tool-args-match`, `trajectory:step-count`",
        inspect_ai: "",
        deepeval: "`ToolCorrectnessMetric`",
        original: "`tool_trajectory`",
    },
};

const EXAMPLES: &[Example] = &[
    Example::new(
        "Each tool often enough",
        "type: tool_trajectory\nmode: any_order\nminimums: {search: 2, fetch: 1}",
        &[Answer::record(
            r#"{"text": "", "trace": [{"type": "tool_call", "name": "search"}, {"type": "tool_call", "name": "fetch"}]}"#,
            0.5,
        )],
    ),
    Example::new(
        "These in this order",
        "type: tool_trajectory\nmode: in_order\nexpected: [{tool: search}, answer]",
        &[
            Answer::record(
                r#"{"text": "", "trace": [{"type": "tool_call", "name": "search"}, {"type": "tool_call", "name": "fetch"}, {"type": "tool_call", "name": "answer"}]}"#,
                1.0,
            ),
            Answer::record(
                r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "answer"}, {"tool": "search"}]}]}"#,
                0.0,
            ),
        ],
    ),
    Example::new(
        "Exactly these, with their arguments",
        "type: tool_trajectory\nmode: exact\nexpected:\n  \
         - {tool: search, args: {query: {$regex: '^paris', $flags: i}}}\n  \
         - {tool: fetch, args: {'$.urls[*]': {$regex: '^https://'}}}\n  \
         - {tool: answer, args: any}",
        &[
            Answer::record(
                r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "search", "input": {"query": "Paris hotels"}}, {"tool": "fetch", "input": {"urls": ["https://a.example", "https://b.example"]}}, {"tool": "answer"}]}]}"#,
                1.0,
            ),
            Answer::record(
                r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "search", "input": {"query": "London"}}, {"tool": "retry"}, {"tool": "fetch", "input": {"urls": ["https://a.example"]}}]}]}"#,
                0.0,
            ),
        ],
    ),
    Example::new(
        "In any order, with ways to compare by tool and by call",
        "type: tool_trajectory\nmode: unordered\nargs_match: superset\n\
         args_match_by_tool: {fetch: [url]}\nexpected:\n  \
         - {tool: search, args: {query: paris}}\n  \
         - {tool: fetch, args: {url: /a, timeout: 5}}\n  \
         - {tool: save, args: {path: a.txt}, args_match: exact}",
        &[Answer::record(
            r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "save", "input": {"path": "a.txt"}}, {"tool": "fetch", "input": {"url": "/a", "timeout": 30}}, {"tool": "search", "input": {"query": "paris", "limit": 10}}]}]}"#,
            1.0,
        )],
    ),
    Example::new(
        "What a call gave back and how long it took",
        "type: tool_trajectory\nmode: superset\nexpected:\n  \
         - {tool: fetch, output: {status: 200}, max_duration_ms: 500}",
        &[
            Answer::record(
                r#"{"text": "", "trace": [{"type": "tool_call", "name": "fetch", "timestamp": "2026-01-02T03:04:05Z"}, {"type": "tool_result", "name": "fetch", "output": {"status": 200, "body": "hi"}, "timestamp": "2026-01-02T03:04:05.250Z"}]}"#,
                1.0,
            ),
            Answer::record(
                r#"{"text": "", "trace": [{"type": "tool_call", "name": "fetch"}, {"type": "tool_result", "name": "fetch", "output": {"status": 200}, "metadata": {"duration_ms": 900}}]}"#,
                0.0,
            ),
        ],
    ),
    Example::new(
        "Limits alone",
        "type: tool_trajectory\nminimums: {search: 1}\nmaximums: {search: 2}\nforbidden: [delete_file]\n\
         min_steps: 1\nmax_steps: 5\nmax_call_duration_ms: 1000\nmax_total_duration_ms: 2000",
        &[
            Answer::record(
                r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "search", "duration_ms": 300}, {"tool": "fetch", "duration_ms": 800}]}]}"#,
                1.0,
            ),
            Answer::record(
                r#"{"text": "", "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "search", "duration_ms": 300}, {"tool": "delete_file", "duration_ms": 1200.5}]}]}"#,
                0.0,
            ),
        ],
    ),
];
