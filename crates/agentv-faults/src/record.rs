//! What a run left on disk, without the times.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use agentv_testkit::Run;
use serde_json::Value;

/// A row by its case and its repeat. No two suites share an id, and there is one target.
pub(crate) type Slot = (String, u64);

/// Everything of a finished run that must be the same however often it died on the way.
#[derive(Debug, PartialEq)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) rows: BTreeMap<Slot, Value>,
    pub(crate) counts: Value,
    pub(crate) status: Value,
    pub(crate) exit_code: Value,
    pub(crate) totals: String,
    pub(crate) repeats: Value,
    /// Cases that were skipped, in no order.
    pub(crate) skipped: Vec<String>,
    /// What `--out` wrote, in its order.
    pub(crate) out: Vec<Value>,
}

impl Finished {
    pub(crate) fn read(run: &Run, folder: &Path, out: &Path) -> Self {
        let text = fs::read_to_string(folder.join("run.json")).unwrap();
        let mut manifest: Value = serde_json::from_str(&text).unwrap();
        let skipped = manifest["skipped"].as_array().into_iter().flatten();
        let mut skipped: Vec<String> = skipped.map(Value::to_string).collect();
        skipped.sort_unstable();
        let out = fs::read_to_string(out).unwrap_or_else(|error| panic!("{error}: {}", run.seen()));
        Self {
            code: run.code,
            rows: rows(folder),
            counts: manifest["counts"].take(),
            status: manifest["status"].take(),
            exit_code: manifest["exit_code"].take(),
            totals: totals(&run.stdout),
            repeats: manifest["repeats"].take(),
            skipped,
            out: out.lines().map(row_without_times).collect(),
        }
    }
}

fn row_without_times(line: &str) -> Value {
    let mut row = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    remove_times(&mut row);
    row
}

/// The rows without times. Every line is a row, and no slot has two.
fn rows(folder: &Path) -> BTreeMap<Slot, Value> {
    let text = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "the last line has no end");
    let mut rows = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let mut row: Value = serde_json::from_str(line)
            .unwrap_or_else(|error| panic!("line {}: {error}: {line}", number + 1));
        let slot = slot_of(&row);
        remove_times(&mut row);
        let doubled = rows.insert(slot.clone(), row);
        assert!(doubled.is_none(), "two rows for {slot:?}");
    }
    rows
}

/// The slots of all lines that have an end, and what stands behind the last of them.
pub(crate) fn slots_so_far(folder: &Path) -> (BTreeSet<Slot>, Vec<u8>) {
    let bytes = fs::read(folder.join("results.jsonl")).unwrap_or_default();
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
    let (lines, rest) = bytes.split_at(whole);
    let lines = std::str::from_utf8(lines).expect("rows are UTF-8");
    let rows = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("a row"));
    (rows.map(|row| slot_of(&row)).collect(), rest.to_vec())
}

fn slot_of(row: &Value) -> Slot {
    (row["eval_id"].as_str().expect("an id").to_owned(), row["repeat"].as_u64().expect("a repeat"))
}

fn remove_times(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| !matches!(key.as_str(), "timestamp" | "duration_ms"));
            map.values_mut().for_each(remove_times);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_times),
        Value::String(text) => remove_size_of_batch(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// How many cases shared a batch that forgot one depends on how many were left to ask.
fn remove_size_of_batch(text: &mut String) {
    const AFTER: &str = " requested ids";
    if let Some((before, after)) = text.split_once(AFTER)
        && let Some((before, size)) = before.rsplit_once(' ')
        && size.parse::<usize>().is_ok()
    {
        *text = format!("{before} N{AFTER}{after}");
    }
}

/// The totals of a summary. Its lists stand in the order in which cases came to their end, and are
/// cut; how long things took is chance too.
fn totals(summary: &str) -> String {
    let paragraphs = summary.split("\n\n").enumerate();
    let kept = paragraphs.filter(|(number, text)| {
        *number == 0 || ["Scores", "Repeats"].iter().any(|title| text.starts_with(title))
    });
    kept.map(|(_, text)| text).collect::<Vec<_>>().join("\n\n")
}

/// Names in the folder of a run beside the two files; all of them begin with a dot.
pub(crate) fn names_beside(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| !matches!(name.as_str(), "run.json" | "results.jsonl")).collect()
}
