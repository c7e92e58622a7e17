//! A run as lists know it: what `run.json` says, as far as it can be understood.
//!
//! Read key by key, so that a file of an older or a newer version, or one that somebody edited, is
//! listed with what it does say. Nothing is guessed for what it does not.

use std::{fs, io, path::Path};

use agentv_base::{escape_controls, excerpt};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    digest::{Estimate, Method},
    record::{RUN_FORMAT, RunCounts, Timestamp},
    statistics::{Confidence, Moments, RepeatStats, wilson},
};

/// One run in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunEntry {
    /// The name of its folder.
    pub run_id: String,
    /// Why `run.json` says nothing, or not everything.
    pub fault: Option<String>,
    pub agentv_version: Option<String>,
    pub kind: Option<String>,
    /// As `run.json` has it.
    pub status: Option<String>,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub parent: Option<String>,
    pub parts: Vec<String>,
    /// `2/3`.
    pub shard: Option<String>,
    pub suites: Vec<String>,
    pub targets: Vec<String>,
    pub counts: Option<RunCounts>,
    pub pass_rate: Option<Rate>,
    pub exit_code: Option<i64>,
    /// Nobody was asked, and its answers are made up.
    pub dry_run: bool,
}

/// The share of graded cases that passed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    pub value: f64,
    /// 95 %.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Cases that it is taken over.
    pub cases: u64,
}

impl Rate {
    /// `81 % [74–87 %]`.
    pub fn told(&self) -> String {
        let percent = |share: f64| format!("{:.0}", share * 100.0);
        match (self.low, self.high) {
            (Some(low), Some(high)) => {
                format!("{} % [{}–{} %]", percent(self.value), percent(low), percent(high))
            }
            _ => format!("{} %", percent(self.value)),
        }
    }

    fn of(estimate: &Estimate) -> Self {
        let Estimate { value, interval, cases, .. } = *estimate;
        Self { value, low: interval.map(|it| it.low), high: interval.map(|it| it.high), cases }
    }
}

impl RunEntry {
    /// What the `run.json` at this path says.
    pub(super) fn read(run_id: &str, path: &Path) -> Self {
        let fault = |reason: String| Self {
            run_id: run_id.to_owned(),
            fault: Some(reason),
            ..Self::default()
        };
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(cause) => return fault(unreadable(&cause)),
        };
        match serde_json::from_slice::<Map<String, Value>>(&bytes) {
            Ok(said) => Self::of(run_id, &said),
            Err(cause) => fault(format!(
                "run.json cannot be understood: {}",
                excerpt(&cause.to_string(), 200)
            )),
        }
    }

    pub(super) fn unreadable(run_id: &str, cause: &io::Error) -> Self {
        Self { run_id: run_id.to_owned(), fault: Some(unreadable(cause)), ..Self::default() }
    }

    /// The numbers of rows: passed, failed, errors. A rate over repeats would need to know which
    /// rows are of one case, and is left out.
    pub(super) fn set_counts(&mut self, [passed, failed, errors]: [usize; 3], is_repeated: bool) {
        let counts = self.counts.get_or_insert_default();
        let not_run =
            counts.planned.saturating_sub(passed.saturating_add(failed).saturating_add(errors));
        *counts = RunCounts { passed, failed, errors, not_run, ..counts.clone() };
        self.pass_rate = if is_repeated { None } else { share(counts) };
    }

    fn of(run_id: &str, said: &Map<String, Value>) -> Self {
        let text = |key: &str| said.get(key).and_then(Value::as_str).map(str::to_owned);
        let moment = |key: &str| serde_json::from_value(said.get(key)?.clone()).ok();
        let names = |key: &str, part: &str| -> Vec<String> {
            let list = said.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let name = |it: &Value| it.get(part).unwrap_or(it).as_str().map(str::to_owned);
            list.iter().filter_map(name).collect()
        };
        let counts: Option<RunCounts> =
            said.get("counts").and_then(|counts| serde_json::from_value(counts.clone()).ok());
        let pass_rate = pass_rate(counts.as_ref(), said);
        let mut missing: Vec<&str> = Vec::new();
        for key in ["status", "started_at", "suites", "targets", "counts"] {
            if !said.contains_key(key) {
                missing.push(key);
            }
        }
        let format = said.get("format").and_then(Value::as_u64).unwrap_or_default();
        let fault = if format > u64::from(RUN_FORMAT) {
            Some(format!("of a newer version of agentv (format {format})"))
        } else if missing.is_empty() {
            None
        } else {
            Some(format!("run.json does not say: {}", missing.join(", ")))
        };
        Self {
            run_id: run_id.to_owned(),
            fault,
            agentv_version: text("agentv_version"),
            kind: text("kind").or_else(|| said.contains_key("status").then(|| "eval".to_owned())),
            status: text("status"),
            started_at: moment("started_at"),
            finished_at: moment("finished_at"),
            parent: text("parent"),
            parts: names("parts", "run_id"),
            shard: said.get("shard").and_then(|shard| {
                let part = |key: &str| shard.get(key).and_then(Value::as_u64);
                Some(format!("{}/{}", part("index")?, part("count")?))
            }),
            suites: names("suites", "path"),
            targets: names("targets", "name"),
            counts,
            pass_rate,
            exit_code: said.get("exit_code").and_then(Value::as_i64),
            dry_run: said
                .get("options")
                .and_then(|options| options.get("dry_run"))
                .and_then(Value::as_bool)
                .unwrap_or_default(),
        }
    }
}

fn unreadable(cause: &io::Error) -> String {
    format!("run.json cannot be read: {}", escape_controls(&cause.to_string()))
}

/// Over cases where they were repeated, as everywhere; nothing where `run.json` has too few of them
/// to say.
fn pass_rate(counts: Option<&RunCounts>, said: &Map<String, Value>) -> Option<Rate> {
    let counts = counts?;
    let repeats = said.get("repeats").filter(|repeats| !repeats.is_null());
    let Some(repeats) = repeats else {
        return share(counts);
    };
    let repeats: RepeatStats = serde_json::from_value(repeats.clone()).ok()?;
    if repeats.more_cases > 0 {
        return None;
    }
    let mut shares = Moments::default();
    for case in repeats.by_case.iter().filter(|case| case.graded > 0) {
        shares.add(case.passed as f64 / case.graded as f64);
    }
    Estimate::mean(&shares).map(|estimate| Rate::of(&estimate))
}

/// Of graded cases, each of which was asked once. A file that somebody edited may have numbers
/// whose sum is more than a number can hold.
fn share(counts: &RunCounts) -> Option<Rate> {
    let (passed, graded) =
        (counts.passed as u64, counts.passed.saturating_add(counts.failed) as u64);
    let interval = wilson(passed, graded, Confidence::default())?;
    let value = passed as f64 / graded as f64;
    let method = Some(Method::Wilson);
    Some(Rate::of(&Estimate { value, interval: Some(interval), method, cases: graded }))
}
