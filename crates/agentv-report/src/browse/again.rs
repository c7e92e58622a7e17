//! The command that runs a failed case again.

use serde_json::json;

use crate::{
    record::Row,
    style::Style,
    summary::{Again, Summary},
};

/// What the summary of this case alone would tell, so that there is one way of quoting what people
/// copy into a shell. Nothing where it would tell none.
pub(super) fn command_of(row: &Row<'_>, again: &Again) -> Option<String> {
    // Invariant: no text of an answer or a grader is in here, so that none can pass for a command.
    let bare = json!({
        "timestamp": row.timestamp, "eval_id": row.eval_id, "dataset": row.dataset,
        "suite": row.suite, "target": row.target, "repeat": 1, "status": "failed", "score": 0,
        "verdict": "fail", "threshold": null, "hits": [], "misses": [], "candidate_answer": null,
        "attempts": 1,
    });
    let bare: Row<'static> = serde_json::from_value(bare).ok()?;
    let mut summary = Summary::default();
    summary.add(&bare);
    let text = summary.render(Style { color: false, width: 80 }, None, Some(again));
    text.lines().find_map(|line| line.trim_start().strip_prefix("$ ")).map(str::to_owned)
}
