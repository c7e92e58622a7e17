//! `grade`: every kind of grader that asks nobody, over recorded answers, against the same suite
//! with a plain `contains`; and code judges against `xargs` with the same script.

use std::{fs, io, path::Path};

use serde_json::{Value, json};

use super::short;
use crate::{
    bench::Bench,
    contender::Contender,
    made::{self, answers},
};

/// Code judges: as with any process a case.
const FIGURE: f64 = 1.2;
const BAR: f64 = 1.5;
/// Two dozen kinds a round.
const MOST_ROUNDS: usize = 5;
/// As many judges run at once, whatever `--workers` says.
const JUDGES_AT_ONCE: usize = 8;

const TARGET: &str = "\
targets:
  - name: default
    provider: replay
    file: answers.jsonl
";

/// What a judge does at the least: it reads all that it is told, and says what it thinks.
const JUDGE: &str = "cat > /dev/null\necho '{\"score\": 1}'\n";

pub fn run(bench: &mut Bench) -> io::Result<()> {
    let size = bench.sizes.answers;
    let folder = project(size)?;
    let folder = folder.path();
    let mut contenders = vec![grading(bench, folder, size, &plain())?];
    for grader in kinds() {
        contenders.push(grading(bench, folder, size, &grader)?);
    }
    let name = format!("grade: {} answers", short(size));
    let samples = bench.measure_all(&name, bench.rounds.min(MOST_ROUNDS), &contenders)?;
    let Some((floor, graded)) = samples.split_first() else { return Ok(()) };
    for (grader, of) in kinds().iter().zip(graded) {
        bench.tell(Bench::row(format!("{name} by `{}`", label(grader)), of, floor));
    }
    code_judges(bench)
}

fn code_judges(bench: &mut Bench) -> io::Result<()> {
    let size = bench.sizes.judges;
    let folder = project(size)?;
    let folder = folder.path();
    fs::write(folder.join("judge.sh"), JUDGE)?;
    told(bench, folder)?;
    let grader = json!({"type": "code_judge", "script": "sh judge.sh"});
    let judged = grading(bench, folder, size, &grader)?;
    let line = format!(
        "seq {size} | xargs -P {JUDGES_AT_ONCE} -I{{}} sh -c 'sh judge.sh < told.json > out/{{}}'"
    );
    let floor = Contender::shell(&format!("`xargs -P {JUDGES_AT_ONCE}`"), &line, folder);
    let name = format!("grade: {} code judges", short(size));
    let [judged, floor] = bench.measure(&name, usize::MAX, &[judged, floor.files("out", size)])?;
    let mut row = Bench::row(name, &judged, &floor);
    row.memory = format!("{:.0} MiB", judged.mebibytes());
    bench.tell(row.judge_cpu(Some(FIGURE), BAR));
    Ok(())
}

/// Leaves what a judge is told of one of the cases in `told.json`.
fn told(bench: &Bench, folder: &Path) -> io::Result<()> {
    let script = "cat > told.json; echo '{\"score\": 1}'";
    let grader = json!({"type": "code_judge", "script": script});
    let text = json!({"evalcases": "file://cases.jsonl", "evaluators": [grader]});
    fs::write(folder.join("told.yaml"), text.to_string())?;
    let args = ["eval", "told.yaml", "--eval-id", "case-0000000"];
    Contender::new("one judge", &bench.agentv, args, folder)
        .writes("told.json")
        .run(&bench.this)?;
    Ok(())
}

/// Cases, and the answers to them.
fn project(size: usize) -> io::Result<tempfile::TempDir> {
    let folder = made::project(TARGET)?;
    made::file(folder.path().join("cases.jsonl"), |out| {
        (0..size).try_for_each(|number| answers::write_rich_case(number, out))
    })?;
    made::file(folder.path().join("answers.jsonl"), |out| {
        (0..size).try_for_each(|number| answers::write_rich_answer(number, out))
    })?;
    Ok(folder)
}

/// The cases with this grader. Some fail, which is not what is measured.
fn grading(bench: &Bench, folder: &Path, size: usize, grader: &Value) -> io::Result<Contender> {
    let label = label(grader);
    let suite = format!("{}.yaml", label.replace([':', ' '], "-"));
    // JSON is YAML.
    let text = json!({"evalcases": "file://cases.jsonl", "evaluators": [grader]});
    fs::write(folder.join(&suite), text.to_string())?;
    let args = ["eval", "--no-fail", &suite];
    Ok(Contender::new(&format!("`{label}`"), &bench.agentv, args, folder).rows(size))
}

fn label(grader: &Value) -> String {
    let text = |key: &str| grader.get(key).and_then(Value::as_str);
    let kind = text("type").unwrap_or_default();
    text("measure").map_or(kind.to_owned(), |measure| format!("{kind} {measure}"))
}

fn plain() -> Value {
    json!({"type": "contains", "value": "rule"})
}

/// One of each kind, set as people set it.
fn kinds() -> Vec<Value> {
    let words = ["strict rule", "last entry", "sanctions list"];
    let schema = json!({
        "type": "object",
        "required": ["number", "total", "date"],
        "properties": {
            "number": {"type": "integer", "minimum": 0},
            "total": {"type": "number", "minimum": 0},
            "date": {"type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$"},
        },
    });
    let mut kinds = vec![
        json!({"type": "contains_any", "value": words}),
        json!({"type": "contains_all", "value": words}),
        json!({"type": "icontains", "value": "STRICT rule"}),
        json!({"type": "icontains_any", "value": words}),
        json!({"type": "icontains_all", "value": words}),
        json!({"type": "starts_with", "value": "{"}),
        json!({"type": "ends_with", "value": "}"}),
        json!({"type": "equals"}),
        json!({"type": "regex", "value": "(?i)by the (strict|last) \\w+"}),
        json!({"type": "is_json"}),
        json!({"type": "json_schema", "value": schema}),
        json!({"type": "contains_json", "value": schema}),
        json!({"type": "field_accuracy", "fields": [
            {"path": "number"},
            {"path": "date", "match": "date"},
            {"path": "total", "match": "numeric_tolerance", "tolerance": 0.01},
        ]}),
        json!({"type": "tool_trajectory", "mode": "in_order", "expected": [
            {"tool": "search", "args": {"query": {"$regex": "\\w"}}},
            {"tool": "fetch"},
        ]}),
        json!({"type": "trajectory:tool_used", "value": ["search", "fetch"]}),
        json!({"type": "trajectory:tool_sequence", "value": ["search", "fetch"]}),
        json!({"type": "trajectory:tool_args_match", "value":
            {"name": "fetch", "args": {"url": {"$regex": "^https://"}}}}),
        json!({"type": "trajectory:step_count", "value": 2}),
        json!({"type": "latency", "max_ms": 3000}),
        json!({"type": "cost", "max_usd": 0.05}),
        json!({"type": "token_usage", "max_total": 2000}),
        json!({"type": "execution_metrics", "max_tool_calls": 2, "max_tokens": 2000}),
        json!({"type": "composite", "evaluators": [
            {"contains": "rule"}, {"not-contains": "Lyon"}, {"regex": "\\d+"},
        ]}),
    ];
    let measures = ["levenshtein", "token_f1", "rouge_l", "rouge_2", "bleu", "chrf"];
    kinds.extend(measures.map(|measure| json!({"type": "similar", "measure": measure})));
    kinds
}
