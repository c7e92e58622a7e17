//! What is asked of the index about many runs: which have a tag, what they cost, how far they are,
//! and how a case has fared from one to the next.

use std::collections::{HashMap, HashSet};

use rusqlite::params;
use serde::Serialize;

use super::{Index, IndexFault, RunEntry, query::status_of};
use crate::record::{Status, Timestamp};

/// How a case fared in a run: all of its repeats.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fared {
    pub run_id: String,
    pub started_at: Option<Timestamp>,
    pub suite: String,
    pub eval_id: String,
    pub target: String,
    pub passed: u64,
    pub failed: u64,
    pub errors: u64,
    /// Over graded repeats; unknown where there are none.
    pub mean_score: Option<f64>,
}

impl Index<'_> {
    /// One of many runs: that its rows cannot be read is noted, and in nobody's way.
    fn try_rows(&mut self, name: &str) -> Result<Option<i64>, IndexFault> {
        match self.read_rows(name) {
            Ok((run, _)) => Ok(Some(run)),
            Err(fault @ IndexFault::Io { .. }) => {
                self.notes.push(fault.to_string());
                Ok(None)
            }
            Err(fault) => Err(fault),
        }
    }

    /// What was passed over so far.
    pub fn take_notes(&mut self) -> Vec<String> {
        let mut notes = std::mem::take(&mut self.notes);
        notes.sort_unstable();
        notes.dedup();
        notes
    }

    /// Which of these runs have a row with one of these tags.
    pub fn tagged(
        &mut self,
        names: &[&str],
        tags: &[String],
    ) -> Result<HashSet<String>, IndexFault> {
        let mut tagged = HashSet::new();
        for name in names {
            let Some(run) = self.try_rows(name)? else { continue };
            let mut statement = self
                .store
                .connection
                .prepare_cached("SELECT 1 FROM run_tags WHERE run = ?1 AND tag = ?2")?;
            for tag in tags {
                if statement.exists(params![run, tag])? {
                    tagged.insert((*name).to_owned());
                }
            }
        }
        Ok(tagged)
    }

    /// What each of these runs cost, where any of its rows says so.
    pub fn costs(&mut self, names: &[&str]) -> Result<HashMap<String, f64>, IndexFault> {
        let mut costs = HashMap::new();
        for name in names {
            let Some(run) = self.try_rows(name)? else { continue };
            let mut statement = self
                .store
                .connection
                .prepare_cached("SELECT cost FROM rows WHERE run = ?1 AND cost IS NOT NULL")?;
            let mut costs_of_rows = statement.query([run])?;
            let mut sum: Option<i128> = None;
            while let Some(row) = costs_of_rows.next()? {
                *sum.get_or_insert(0) += billionths(row.get(0)?);
            }
            if let Some(sum) = sum {
                costs.insert((*name).to_owned(), sum as f64 / BILLION);
            }
        }
        Ok(costs)
    }

    /// `run.json` of a run that is at work, or was killed at it, has the numbers of its beginning:
    /// its rows are counted instead.
    pub fn count_unfinished(&mut self, runs: &mut [RunEntry]) -> Result<(), IndexFault> {
        for entry in runs.iter_mut().filter(|entry| entry.status.as_deref() == Some("running")) {
            let Some(run) = self.try_rows(&entry.run_id)? else { continue };
            let mut statement = self.store.connection.prepare_cached(
                "SELECT status, COUNT(*), MAX(repeat) FROM rows WHERE run = ?1 GROUP BY status",
            )?;
            let mut rows = statement.query([run])?;
            let (mut counted, mut most_repeats) = ([0_usize; 3], 1);
            while let Some(row) = rows.next()? {
                let count = usize::try_from(row.get::<_, i64>(1)?).unwrap_or_default();
                most_repeats = most_repeats.max(row.get::<_, i64>(2)?);
                match status_of(row.get(0)?) {
                    Status::Passed => counted[0] = count,
                    Status::Failed => counted[1] = count,
                    Status::Error => counted[2] = count,
                }
            }
            entry.set_counts(counted, most_repeats > 1);
        }
        Ok(())
    }

    /// How cases, each by suite, id and target, fared in every run that has them; the newest first.
    pub fn history(
        &mut self,
        cases: &[(String, String, String)],
    ) -> Result<Vec<Fared>, IndexFault> {
        let mut history = Vec::new();
        for entry in self.runs()? {
            let Some(run) = self.try_rows(&entry.run_id)? else { continue };
            for (suite, eval_id, target) in cases {
                let Some(mut fared) = self.fared(run, suite, eval_id, target)? else { continue };
                fared.run_id.clone_from(&entry.run_id);
                fared.started_at = entry.started_at;
                history.push(fared);
            }
        }
        Ok(history)
    }

    fn fared(
        &self,
        run: i64,
        suite: &str,
        eval_id: &str,
        target: &str,
    ) -> rusqlite::Result<Option<Fared>> {
        let (Some(suite_name), Some(eval), Some(target_name)) =
            (self.name_of(suite)?, self.name_of(eval_id)?, self.name_of(target)?)
        else {
            return Ok(None);
        };
        let mut statement = self.store.connection.prepare_cached(
            "SELECT status, score FROM rows
             WHERE run = ?1 AND eval = ?2 AND suite = ?3 AND target = ?4",
        )?;
        let mut rows = statement.query(params![run, eval, suite_name, target_name])?;
        let mut fared = Fared {
            run_id: String::new(),
            started_at: None,
            suite: suite.to_owned(),
            eval_id: eval_id.to_owned(),
            target: target.to_owned(),
            passed: 0,
            failed: 0,
            errors: 0,
            mean_score: None,
        };
        let mut sum = 0.0;
        while let Some(row) = rows.next()? {
            match status_of(row.get(0)?) {
                Status::Passed => fared.passed += 1,
                Status::Failed => fared.failed += 1,
                Status::Error => fared.errors += 1,
            }
            sum += row.get::<_, Option<f64>>(1)?.unwrap_or_default();
        }
        let graded = fared.passed + fared.failed;
        fared.mean_score = (graded > 0).then(|| sum / graded as f64);
        Ok((graded + fared.errors > 0).then_some(fared))
    }
}

/// Sums of whole numbers are the same in whatever order the index has its rows.
const BILLION: f64 = 1e9;

#[expect(clippy::cast_possible_truncation, reason = "what no number can hold is held at its end")]
fn billionths(cost: f64) -> i128 {
    (cost * BILLION).round() as i128
}
