//! The bare parse of recorded rows: only what a comparison needs of each, and nothing is done with it.

use std::{hint::black_box, io, path::Path};

use serde::Deserialize;

use super::each_line;

/// What tells two rows of a case apart, and what is compared. The rest is skipped.
#[derive(Deserialize)]
#[expect(dead_code, reason = "it is parsed and not looked at")]
struct Row {
    eval_id: String,
    dataset: String,
    suite: String,
    target: String,
    repeat: u32,
    status: String,
    score: Option<f64>,
    threshold: Option<f64>,
    duration_ms: Option<f64>,
    cost_usd: Option<f64>,
}

/// Parses every row of these files, and says how many there were.
pub fn parse(files: &[impl AsRef<Path>]) -> io::Result<usize> {
    let mut rows = 0;
    for file in files {
        rows += each_line(file.as_ref(), |line| {
            let row: Row = serde_json::from_slice(line)?;
            drop(black_box(row));
            Ok(())
        })?;
    }
    Ok(rows)
}
