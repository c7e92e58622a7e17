//! The manual of `code_judge`.

use crate::manual::{Answer, Elsewhere, Example, Manual};

pub(super) const MANUAL: Manual = Manual {
    text: TEXT,
    examples: &[
        Example::new(
            "A line for the shell",
            "type: code_judge\nscript: sh words.sh",
            &[
                Answer::text("Paris, on the Seine", 1.0),
                Answer::text("It is Paris, which lies on the Seine", 0.0),
            ],
        )
        .with(&[("words.sh", WORDS)]),
        Example::new(
            "A program and its arguments, with a configuration, a folder, a deadline and limits of its own",
            "type: code_judge\ncommand: [awk, -f, figures.awk]\ncwd: judges\nconfig: {least: 3}\n\
             timeout_seconds: 10\nmax_memory_mb: 4096\nmax_cpu_seconds: 5",
            &[
                Answer::text("12 arrivals, 11 departures, 1 delay", 1.0),
                Answer::text("12 arrivals, 11 departures", 0.6667),
            ],
        )
        .with(&[("judges/figures.awk", FIGURES)]),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`javascript`, `python`, `ruby`",
        inspect_ai: "`@scorer`",
        deepeval: "`BaseMetric`",
        original: "`code_judge`",
    },
};

const TEXT: &str = "\
Any program of yours, in any language. It is started once for each answer, reads one JSON object from
standard input, writes one to standard output and ends with exit code 0. As many judges run at once as
`--workers` says, at least 8; a deadline begins when its judge does.

**What it reads.** Every key is always there; what is not known is `null`, and an answer that nobody expects is empty. The object is one line. It can
be long (an answer of 100 MB is fine), and a judge that does not read it is fine too.

| key | holds |
|---|---|
| `question` | the input as one text |
| `input_messages` | the input as messages |
| `input_files`, `guideline_files` | paths of the attached files; a file is in one of the two |
| `expected_outcome` | the `expected_outcome` of the case, or null |
| `expected_messages`, `reference_answer` | the reference as messages, and as text |
| `candidate_answer` | the answer |
| `output_messages` | the messages of the target, or null; their tool calls are in `tool_calls` |
| `candidate_trace`, `candidate_trace_summary` | what the target did, event by event and in numbers, or null |
| `token_usage`, `cost_usd`, `duration_ms` | what it took, or null |
| `eval_id`, `target` | the case, and who was asked |
| `config` | what stands in the suite, or null. Any YAML; whole numbers beyond 64 bits become decimals |

**What it prints.** One JSON object. Only `score` is required; keys of your own are left alone.

```json
{\"score\": 0.5, \"hits\": [\"found the total\"], \"misses\": [\"no currency\"], \"reasoning\": \"why\"}
```

Everything else it has to say belongs to standard error. The end of that is kept: in `stderr` of the
grader's result, or in the error of a judge that failed.

**When it fails.** A judge without a verdict makes the case an error with its cause, never a score of 0:

| what happens | what is said |
|---|---|
| it cannot be started | why, and what to look at: the PATH, the folder, the rights of the file |
| it exits with another code than 0 | the code, whatever it has printed |
| it is killed | the signal |
| it does not end in time | the deadline. A verdict that it had printed does not count: it had not ended |
| it prints nothing, no JSON, two objects, or something beside its object | what it printed |
| it prints more than 1 MiB, or text that is not UTF-8 | that, and where |
| `score` is absent, not a number, or not between 0 and 1 | what it is |

Children that it leaves behind are ended, and a warning says so; its verdict counts, also where they hold
its output open.";

const WORDS: &str = r#"# A shell has no JSON reader: this finds answers without quotes in them. Python or jq finds all.
answer=$(sed -n 's/.*"candidate_answer":"\([^"\\]*\)".*/\1/p')
if [ -z "$answer" ]; then
    echo "no answer, or none that a shell can read" >&2
    exit 1
fi
set -f
set -- $answer
if [ $# -le 5 ]; then
    echo "{\"score\": 1, \"hits\": [\"has $# words\"]}"
else
    echo "{\"score\": 0, \"misses\": [\"has $# words, and not 5 at most\"]}"
fi
"#;

const FIGURES: &str = r#"# What stands behind a key; enough for plain texts and numbers.
function after(key, pattern) {
    if (!match($0, "\"" key "\":" pattern)) {
        print "no " key " that awk can read" > "/dev/stderr"
        exit 1
    }
    return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
}
{
    answer = after("candidate_answer", "\"[^\"\\\\]*\"")
    least = after("least", "[0-9]+") + 0
    found = gsub(/[0-9]+/, "", answer)
    score = found < least ? found / least : 1
    printf "{\"score\": %.4f, \"hits\": [\"%d of %d figures\"]}\n", score, found, least
}
"#;
