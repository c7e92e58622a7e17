//! The files that runs are counted over: always the same ones, made of a few fixed sentences.
//!
//! Not those of the other measurements: a change of what is measured there must not change counts
//! that are stored.

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

const SENTENCES: [&str; 7] = [
    "The payment from Zürich names a limit of 10,000.",
    "A cancelled order is not the last entry.",
    "Every document refers to \"the strict rule\" of its year.",
    "The third report was answered before the first message came.",
    "Transfer 4711 depends on a listed name.",
    "A new customer stands beside the customer's words.",
    "The agent must name every tool call, one after the other.",
];

fn sentence(number: usize) -> &'static str {
    SENTENCES.get(number % SENTENCES.len()).copied().unwrap_or_default()
}

/// A folder that nothing above it has a say in.
fn project(folder: &Path, target: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(folder.join(".git"))?;
    fs::create_dir_all(folder.join(".agentv"))?;
    fs::write(
        folder.join(".agentv/targets.yaml"),
        format!("targets:\n  - name: default\n{target}"),
    )?;
    Ok(folder.join("suite.yaml"))
}

/// A suite as it is in the field: two messages a case, an expected answer, and graders of its own
/// on every tenth.
fn suite(cases: usize, graders: &str) -> String {
    let mut text = format!("description: Made by agentv-bench\nevaluators:\n{graders}evalcases:\n");
    for number in 0..cases {
        let (outcome, question) = (sentence(number), sentence(number + 3));
        let _ = write!(
            text,
            "  - id: case-{number:05}\n    \
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
                     content: It follows that {question}\n"
        );
        if number % 10 == 9 {
            let _ = write!(
                text,
                "    evaluators:\n      \
                   - type: contains\n        \
                     value: rule {number}\n      \
                   - type: not-regex\n        \
                     value: '(?i)as an? (language )?model'\n        \
                     weight: 2\n"
            );
        }
    }
    text
}

const ONE_GRADER: &str = "  - type: contains\n    value: rule\n";

/// One that looks at each thing an answer has: text, JSON, distance and tools.
const MANY_GRADERS: &str = "  - contains: rule
  - icontains-all: [RULE, answer]
  - not-regex: '(?i)as an? (language )?model'
  - starts-with: '{'
  - is_json
  - type: json_schema
    value: {type: object, required: [answer, rule], properties: {rule: {type: number, minimum: 0}}}
  - type: field_accuracy
    fields: [{path: rule, match: numeric_tolerance, tolerance: 1, value: 7}]
  - type: similar
    measure: token_f1
  - type: similar
    measure: levenshtein
  - trajectory:tool-sequence: [search, fetch]
";

/// For what looks at no files.
pub fn none(folder: &Path, _: usize) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// For `validate`.
pub fn cases(folder: &Path, cases: usize) -> io::Result<()> {
    let target = "    provider: cli\n    command_template: my-agent {PROMPT_FILE} {OUTPUT_FILE}\n";
    fs::write(project(folder, target)?, suite(cases, ONE_GRADER))
}

/// For `eval` with one process a case.
pub fn singles(folder: &Path, cases: usize) -> io::Result<()> {
    let target = "    provider: cli\n    command_template: echo the rule > {OUTPUT_FILE}\n";
    fs::write(project(folder, target)?, suite(cases, ONE_GRADER))
}

/// For `eval` with one process for all.
pub fn batch(folder: &Path, records: usize) -> io::Result<()> {
    let target = "    provider: cli\n    provider_batching: true\n    \
                  command_template: cp answers.json[l] {OUTPUT_FILE}\n";
    fs::write(project(folder, target)?, suite(records, ONE_GRADER))?;
    fs::write(
        folder.join("answers.jsonl"),
        lines(records, |number| answer(number, number % 2 == 1)),
    )
}

/// For graders that need nobody: answers are there already.
pub fn graded(folder: &Path, cases: usize) -> io::Result<()> {
    let target = "    provider: replay\n    file: answers.jsonl\n";
    fs::write(project(folder, target)?, suite(cases, MANY_GRADERS))?;
    fs::write(folder.join("answers.jsonl"), lines(cases, |number| answer(number, true)))
}

/// Two files of recorded rows that differ here and there.
pub fn rows(folder: &Path, rows: usize) -> io::Result<()> {
    fs::create_dir_all(folder.join(".git"))?;
    fs::write(folder.join("a.jsonl"), lines(rows, |number| row(number, 0)))?;
    fs::write(folder.join("b.jsonl"), lines(rows, |number| row(number, 1)))
}

fn lines(count: usize, line: impl Fn(usize) -> Value) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "{}", line(number));
        text
    })
}

/// What a batch writes for a case, about 500 bytes where it has messages.
fn answer(number: usize, with_messages: bool) -> Value {
    let said = json!({"answer": sentence(number), "rule": number % 9}).to_string();
    let mut answer = json!({"id": format!("case-{number:05}"), "text": said});
    if with_messages {
        answer["output_messages"] = json!([
            {"role": "assistant", "content": sentence(number + 1), "tool_calls": [
                {"tool": "search", "input": {"query": sentence(number + 2)}, "output": "found"},
                {"tool": "fetch", "input": {"id": number}, "output": {"rows": [1, 2, 3]}},
            ]},
            {"role": "assistant", "content": said},
        ]);
        answer["token_usage"] = json!({"input": 100 + number, "output": 20});
        answer["cost_usd"] = json!(0.001);
    }
    answer
}

/// A row as runs leave it, about 700 bytes.
fn row(number: usize, drift: usize) -> Value {
    let passed = (number + drift) % 11 != 3;
    let score = if passed { 1.0 } else { 0.25 };
    let verdict = if passed { "pass" } else { "fail" };
    json!({
        "timestamp": "2026-01-31T12:00:00.000Z",
        "eval_id": format!("case-{number:05}"),
        "dataset": "suite",
        "suite": "suite.yaml",
        "target": "default",
        "repeat": 1,
        "status": if passed { "passed" } else { "failed" },
        "score": score,
        "verdict": verdict,
        "threshold": 0.8,
        "hits": [],
        "misses": [],
        "candidate_answer": format!("{} {}", sentence(number), sentence(number + 1)),
        "tags": [format!("area-{}", number % 7)],
        "question": sentence(number + 3),
        "attempts": 1,
        "duration_ms": 100 + number % 900,
        "cost_usd": 0.001,
        "line": number * 6 + 4,
        "evaluator_results": [{
            "name": "contains", "type": "contains", "score": score, "weight": 1.0,
            "verdict": verdict, "hits": [], "misses": [], "duration_ms": 0.1,
        }],
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, io, path::Path};

    use agentv_case::{LoadOptions, load};

    /// A mistake in a suite would make a run that stops before it does what is counted.
    fn check(files: fn(&Path, usize) -> io::Result<()>) {
        let folder = tempfile::tempdir().unwrap();
        files(folder.path(), 20).unwrap();
        let loaded = load(&LoadOptions {
            paths: vec!["suite.yaml".to_owned()],
            current_dir: folder.path().to_owned(),
            ..LoadOptions::default()
        });
        assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
        assert_eq!(loaded.suites[0].suite.cases.len(), 20);
        if let Ok(answers) = fs::read_to_string(folder.path().join("answers.jsonl")) {
            assert_eq!(answers.lines().count(), 20);
        }
    }

    #[test]
    fn suites_have_no_mistakes() {
        check(super::cases);
        check(super::singles);
        check(super::batch);
        check(super::graded);
    }
}
