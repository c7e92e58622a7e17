//! One JSON document: what the rows come to, the run they are of, and the rows.
//!
//! Rows are written as they are read, one a line, so that a document of any size takes no more
//! memory than its summary. A number that is none (there is no NaN in JSON) is null.

use std::io::Write;

use serde::Serialize;

use super::{Format, RenderFault, Report};
use crate::record::{RunCounts, RunKind, RunManifest, RunShard, RunStatus, Timestamp};

pub(super) struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["json"]
    }

    fn write(&self, report: &Report<'_>, out: &mut dyn Write) -> Result<(), RenderFault> {
        out.write_all(b"{\n\"summary\": ")?;
        write_value(out, report.digest()?)?;
        out.write_all(b",\n\"run\": ")?;
        write_value(out, &report.run.map(Run::of))?;
        out.write_all(b",\n\"results\": [")?;
        // A row is many small pieces: they are put together before anybody is handed them.
        let mut line = Vec::new();
        for (index, row) in report.rows()?.enumerate() {
            line.clear();
            line.extend_from_slice(if index == 0 { b"\n" } else { b",\n" });
            write_value(&mut line, &row?)?;
            out.write_all(&line)?;
        }
        out.write_all(b"\n]\n}\n")?;
        Ok(())
    }
}

fn write_value(out: &mut dyn Write, value: &impl Serialize) -> Result<(), RenderFault> {
    serde_json::to_writer(out, value).map_err(std::io::Error::from)?;
    Ok(())
}

/// What of `run.json` says where the rows are from; the rest is for `agentv` itself.
#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names of `run.json`")]
struct Run<'r> {
    run_id: &'r str,
    agentv_version: &'r str,
    kind: RunKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'r str>,
    status: RunStatus,
    started_at: Timestamp,
    finished_at: Option<Timestamp>,
    command: &'r [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<RunShard>,
    suites: Vec<&'r str>,
    targets: Vec<Target<'r>>,
    counts: &'r RunCounts,
    exit_code: Option<i32>,
}

#[derive(Serialize)]
struct Target<'r> {
    name: &'r str,
    provider: &'r str,
}

impl<'r> Run<'r> {
    fn of(run: &'r RunManifest) -> Self {
        let target = |name: &'r str, provider: &'r str| Target { name, provider };
        Self {
            run_id: &run.run_id,
            agentv_version: &run.agentv_version,
            kind: run.kind,
            parent: run.parent.as_deref(),
            status: run.status,
            started_at: run.started_at,
            finished_at: run.finished_at,
            command: &run.command,
            shard: run.shard,
            suites: run.suites.iter().map(|suite| suite.path.as_str()).collect(),
            targets: run.targets.iter().map(|it| target(&it.name, &it.provider)).collect(),
            counts: &run.counts,
            exit_code: run.exit_code,
        }
    }
}

#[cfg(test)]
mod tests;
