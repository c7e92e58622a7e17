//! Recorded rows as runs leave them, about 700 bytes each, and the folders that they stand in.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
};

use serde_json::json;

use super::words::sentences;

/// One of this many cases fails; with `drift`, others do.
const FAILING: usize = 11;
/// One of this many could not be evaluated.
const BROKEN: usize = 101;

/// So many rows, those of one number always the same but for `drift`.
pub fn write_rows(rows: usize, drift: usize, out: &mut impl Write) -> io::Result<()> {
    for number in 0..rows {
        let is_error = number % BROKEN == 7;
        let passed = (number + drift) % FAILING != 3;
        let score = if passed { 1.0 } else { 0.25 + 0.05 * ((number + drift) % 9) as f64 };
        let status = match (is_error, passed) {
            (true, _) => "error",
            (false, true) => "passed",
            (false, false) => "failed",
        };
        let verdict = if passed { "pass" } else { "fail" };
        let mut row = json!({
            "timestamp": "2026-01-31T12:00:00.000Z",
            "eval_id": format!("case-{number:07}"),
            "dataset": "bench",
            "suite": "evals/bench.yaml",
            "target": "agent",
            "repeat": 1,
            "status": status,
            "score": if is_error { None } else { Some(score) },
            "verdict": if is_error { None } else { Some(verdict) },
            "threshold": 0.8,
            "hits": [],
            "misses": [],
            "candidate_answer": sentences(number, 3),
            "tags": [format!("area-{}", number % 7)],
            "question": sentences(number + 1, 2),
            "attempts": 1,
            "duration_ms": 100 + number % 900,
            "cost_usd": 0.001,
            "line": number * 6 + 4,
        });
        if is_error {
            row["error"] = json!("exited with code 1: no connection");
            row["error_kind"] = json!("exit");
        } else {
            row["evaluator_results"] = json!([{
                "name": "contains", "type": "contains", "score": score, "weight": 1.0,
                "verdict": verdict, "hits": [], "misses": [], "duration_ms": 0.1,
            }]);
        }
        serde_json::to_writer(&mut *out, &row)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// A finished run of so many rows in a project; its id.
pub fn write_run(project: &Path, number: usize, rows: usize) -> io::Result<String> {
    let id = format!(
        "20260101T{:02}{:02}{:02}000Z-b{number:04}",
        number / 3600,
        number / 60 % 60,
        number % 60
    );
    let folder = project.join(".agentv/results").join(&id);
    fs::create_dir_all(&folder)?;
    let mut file = BufWriter::new(File::create(folder.join("results.jsonl"))?);
    write_rows(rows, number, &mut file)?;
    file.flush()?;
    let time = "2026-01-01T00:00:00.000Z";
    let manifest = json!({
        "run_id": id, "format": 1, "agentv_version": "0.1.0", "kind": "eval", "status": "finished",
        "started_at": time, "finished_at": time, "command": ["agentv", "eval", "evals"],
        "suites": [{"path": "evals/bench.yaml", "sha256": "00", "cases": rows}],
        "targets": [{"name": "agent", "provider": "cli", "definition": {"command": "agent"}}],
        "options": {},
        "counts": {"planned": rows, "passed": rows, "failed": 0, "errors": 0, "not_run": 0},
        "exit_code": 0,
    });
    fs::write(folder.join("run.json"), serde_json::to_vec_pretty(&manifest)?)?;
    Ok(id)
}
