//! Suites as they are in the field: ids, outcomes, two messages of some sentences, an expected
//! answer, and graders of its own on every tenth case. About 400 bytes of YAML a case.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use serde_json::json;

use super::words::sentences;

/// One of this many cases has graders of its own.
const OWN_GRADERS: usize = 10;

/// A suite of this many cases.
pub fn write_yaml(cases: usize, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "$schema: agentv-eval-v2")?;
    writeln!(out, "description: Made by agentv-bench")?;
    writeln!(out, "{SUITE_GRADERS}")?;
    writeln!(out, "evalcases:")?;
    for number in 0..cases {
        let outcome = sentences(number, 1);
        let question = sentences(number + 1, 2);
        let answer = sentences(number + 2, 1);
        writeln!(
            out,
            "  - id: case-{number:06}\n    \
                 expected_outcome: {outcome}\n    \
                 input_messages:\n      \
                   - role: system\n        \
                     content: Answer in one sentence, and name the rule.\n      \
                   - role: user\n        \
                     content: |\n          \
                       {question}\n          \
                       What follows for case {number}?\n    \
                 expected_messages:\n      \
                   - role: assistant\n        \
                     content: {answer}"
        )?;
        if number % OWN_GRADERS == 0 {
            writeln!(
                out,
                "    evaluators:\n      \
                   - type: contains\n        \
                     value: case {number}\n      \
                   - type: equals\n        \
                     value: {answer}\n        \
                     weight: 2"
            )?;
        }
    }
    Ok(())
}

const SUITE_GRADERS: &str = "\
evaluators:
  - type: contains
    value: rule
  - type: not-regex
    value: '(?i)as an? (language )?model'";

/// What stands beside JSONL data: all that holds for every case.
pub const SIDECAR: &str = "\
description: Made by agentv-bench
evaluators:
  - type: contains
    value: rule
";

/// The same cases as JSONL data, one a line.
pub fn write_jsonl(cases: usize, out: &mut impl Write) -> io::Result<()> {
    for number in 0..cases {
        let mut case = json!({
            "id": format!("case-{number:07}"),
            "expected_outcome": sentences(number, 1),
            "input_messages": [
                {"role": "system", "content": "Answer in one sentence, and name the rule."},
                {"role": "user", "content": sentences(number + 1, 2)},
            ],
            "expected_messages": [{"role": "assistant", "content": sentences(number + 2, 1)}],
        });
        if number % OWN_GRADERS == 0 {
            let graders = json!([{"type": "contains", "value": format!("case {number}")}]);
            case["evaluators"] = graders;
        }
        writeln!(out, "{case}")?;
    }
    Ok(())
}

/// The targets that suites are validated beside.
pub const TARGETS: &str = "\
targets:
  - name: default
    provider: cli
    command_template: my-agent {PROMPT_FILE} {OUTPUT_FILE}
";

/// A target that does next to nothing, in a process of its own; AgentV in TypeScript reads it too.
pub const COMMAND_TARGET: &str = "\
targets:
  - name: default
    provider: cli
    command: printf ok > {OUTPUT_FILE}
";

/// A suite of so many cases for it, with one grader.
pub fn commands(cases: usize) -> String {
    let mut text = "evaluators:\n  - contains: ok\nevalcases:\n".to_owned();
    for number in 0..cases {
        let _ = writeln!(text, "  - id: case-{number}\n    input: Say ok.");
    }
    text
}
