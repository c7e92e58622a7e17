//! The rows of an earlier run, and what becomes of them in the next.

use std::{collections::HashSet, sync::Arc};

use agentv_engine::{Past, Plan};
use agentv_report::{KeptRow, Ledger, SlotName, Status};

use super::{Earlier, How};

impl Earlier {
    /// Cases whose rows are not of what they are now, by name, in the order of the plan.
    pub fn changed(&self, plan: &Plan, fingerprint: &dyn Fn(usize) -> String) -> Vec<String> {
        let mut changed: Vec<String> = Vec::new();
        for (slot, row) in placed(plan, &self.ledger).unwrap_or_default() {
            if row.fingerprint.as_deref() != Some(&*fingerprint(slot)) {
                changed.push(format!("case `{}`", row.slot.in_words()));
            }
        }
        changed
    }

    /// The rows that a new run carries over, by their place in its plan, and what is to be said of
    /// the others.
    pub fn carried(
        &self,
        plan: &Plan,
        only: Option<&Chosen>,
        fingerprint: &dyn Fn(usize) -> String,
    ) -> Carried<'_> {
        let mut carried = Carried { gone: self.gone(plan), ..Carried::default() };
        let mut changed: HashSet<(usize, usize)> = HashSet::new();
        let mut again: HashSet<(usize, usize)> = HashSet::new();
        let mut candidates = Vec::new();
        for slot in 0..plan.slots.len() {
            let place = plan.slots[slot];
            let whole = (place.case, place.target);
            let Some(row) = self.ledger.find(&slot_name(plan, slot)) else { continue };
            let case = &plan.cases[place.case];
            let name = (Arc::clone(&case.suite), Arc::clone(&case.input.eval_id));
            if only.is_some_and(|only| !only.contains(&name)) {
                candidates.push((slot, row));
                continue;
            }
            if row.fingerprint.as_deref() != Some(&*fingerprint(slot)) {
                changed.insert(whole);
                continue;
            }
            match (row.status, self.how) {
                (Status::Passed, _) | (Status::Failed, How::RerunErrors) => {}
                (Status::Error, _) => continue,
                // To ask only for the unlucky repeats would raise any score.
                (Status::Failed, How::Resume | How::RerunFailed) => {
                    again.insert(whole);
                    continue;
                }
            }
            candidates.push((slot, row));
        }
        carried.changed = changed
            .iter()
            .map(|(case, target)| {
                let (case, target) = (&plan.cases[*case], &plan.targets[*target].name);
                format!("{} {} ({target})", case.suite, case.id())
            })
            .collect();
        carried.changed.sort_unstable();
        for (slot, row) in candidates {
            let place = plan.slots[slot];
            if !again.contains(&(place.case, place.target)) {
                carried.rows.push((slot, row));
            }
        }
        drop_dependents(plan, &mut carried.rows);
        carried
    }

    /// Rows of cases that are not in the plan any more.
    fn gone(&self, plan: &Plan) -> usize {
        let planned = (0..plan.slots.len())
            .filter(|slot| self.ledger.find(&slot_name(plan, *slot)).is_some());
        self.ledger.rows.len() - planned.count()
    }
}

/// What builds on a case that is asked again must be asked again too: it may not pass this time.
fn drop_dependents(plan: &Plan, rows: &mut Vec<(usize, &KeptRow)>) {
    if plan.after.is_empty() {
        return;
    }
    loop {
        let kept: HashSet<usize> = rows.iter().map(|(slot, _)| *slot).collect();
        let holds = |slot: &usize| {
            let after = plan.after.get(slot).map(Vec::as_slice).unwrap_or_default();
            after.iter().all(|gate| !gate.must_pass || kept.contains(&gate.slot))
        };
        rows.retain(|(slot, _)| holds(slot));
        if rows.len() == kept.len() {
            return;
        }
    }
}

/// The cases that were asked for by name, by suite and id.
pub type Chosen = HashSet<(Arc<str>, Arc<str>)>;

/// What a new run takes over from an earlier one.
#[derive(Default)]
pub struct Carried<'l> {
    /// Rows of cases that are gone.
    pub gone: usize,
    /// In the order of the plan.
    pub rows: Vec<(usize, &'l KeptRow)>,
    /// Cases that are not what they were, so that their rows are not kept.
    pub changed: Vec<String>,
}

/// The name of the row that a slot leaves.
pub fn slot_name(plan: &Plan, slot: usize) -> SlotName {
    let place = plan.slots[slot];
    let case = &plan.cases[place.case];
    SlotName {
        suite: (&*case.suite).into(),
        eval_id: case.id().into(),
        target: (&*plan.targets[place.target].name).into(),
        repeat: place.repeat,
    }
}

/// What the engine is told of a row.
pub fn past(row: &KeptRow) -> Past {
    Past {
        passed: row.status == Status::Passed,
        score: row.score,
        threshold: row.threshold,
        own: row.own,
        judges: row.judges,
        spent: row.spent,
        carried: false,
    }
}

/// The places in the plan of the rows of a ledger. A row that belongs nowhere is named.
pub fn placed<'l>(plan: &Plan, ledger: &'l Ledger) -> Result<Vec<(usize, &'l KeptRow)>, String> {
    if ledger.rows.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<(usize, &KeptRow)> = (0..plan.slots.len())
        .filter_map(|slot| Some((slot, ledger.find(&slot_name(plan, slot))?)))
        .collect();
    if rows.len() == ledger.rows.len() {
        return Ok(rows);
    }
    let known: HashSet<&SlotName> = rows.iter().map(|(_, row)| &row.slot).collect();
    let strange = ledger.rows.iter().find(|row| !known.contains(&row.slot));
    let strange = strange.map_or_else(String::new, |row| row.slot.in_words());
    Err(format!("the results have a row that is of no planned case: {strange}"))
}
