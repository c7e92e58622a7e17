//! Proves that the rows of parts are those of the plan: every case, every target, every repeat, and
//! where repeats are missing, that the rule which ends them early says so.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use agentv_base::{StopRule as _, excerpt};
use agentv_report::{KeptRow, Merged, Part, RunManifest, RunPlan, UntilDecided};
use serde_json::Value;

use crate::plan::WholePlan;

/// Cases that a message names.
const NAMED: usize = 10;

/// A case of a target: the suite, its id, the target.
type CaseName<'n> = (&'n str, &'n str, &'n str);

/// What is there of a case.
#[derive(Default)]
struct Present<'p> {
    /// In the order in which they were written.
    rows: Vec<&'p KeptRow>,
    /// Repeats that were skipped and are named.
    skipped: Vec<u32>,
}

/// Whether the rows, and the cases that were skipped, are all that was planned. Says everything
/// that is in the way; and what could not be proven, which is in nobody's way.
pub fn prove(merged: &Merged, parts: &[Part]) -> Result<Option<String>, Vec<String>> {
    let RunManifest { plan, counts, skipped, options, .. } = &merged.manifest;
    let Some(plan) = plan else {
        return Ok(Some("the parts do not say what was planned".to_owned()));
    };
    if counts.not_run > skipped.len() {
        let told = "too many cases were skipped to be named, so only their number was checked";
        return Ok(Some(told.to_owned()));
    }
    let mut cases: BTreeMap<CaseName<'_>, Present<'_>> = BTreeMap::new();
    for row in parts.iter().flat_map(|part| &part.ledger.rows) {
        let slot = &row.slot;
        cases.entry((&slot.suite, &slot.eval_id, &slot.target)).or_default().rows.push(row);
    }
    for case in skipped {
        let name = (&*case.suite, &*case.eval_id, &*case.target);
        cases.entry(name).or_default().skipped.push(case.repeat);
    }
    let until_decided = options.get("until_decided").and_then(Value::as_bool).unwrap_or(false);
    let planned = Planned::of(plan);
    if until_decided && counts.decided > 0 && planned.is_none() {
        let told = "the parts do not say how often each case was to be asked, so the repeats that \
                    were not needed were only counted";
        return Ok(Some(told.to_owned()));
    }
    let mut faults = Vec::new();
    let mut names = Vec::with_capacity(cases.len());
    for (name, present) in &cases {
        let planned = planned.as_ref().map_or_else(|| present.highest(), |it| it.of_case(*name));
        if let Err(fault) = present.check(planned, until_decided) {
            let (suite, id, target) = *name;
            faults.push(format!("{} {} ({target}) {fault}", excerpt(suite, 120), excerpt(id, 120)));
        }
        names.push((name.0, name.1, name.2, planned));
    }
    let more = faults.len().saturating_sub(NAMED);
    faults.truncate(NAMED);
    if more > 0 {
        faults.push(format!("and {more} more cases like these"));
    }
    if faults.is_empty() && WholePlan::of_names(names, until_decided).sha256 != plan.sha256 {
        faults.push(
            "the rows of the parts are not those of the plan: some were taken away, added or renamed"
                .to_owned(),
        );
    }
    if faults.is_empty() { Ok(None) } else { Err(faults) }
}

/// How often each case was to be asked.
struct Planned<'p> {
    usual: u32,
    others: HashMap<(&'p str, &'p str), u32>,
}

impl<'p> Planned<'p> {
    fn of(plan: &'p RunPlan) -> Option<Self> {
        let repeats = plan.repeats.as_ref()?;
        let others =
            repeats.others.iter().map(|it| ((&*it.suite, &*it.eval_id), it.repeats)).collect();
        Some(Self { usual: repeats.usual, others })
    }

    fn of_case(&self, (suite, id, _): CaseName<'_>) -> u32 {
        self.others.get(&(suite, id)).copied().unwrap_or(self.usual)
    }
}

impl Present<'_> {
    fn repeats(&self) -> BTreeSet<u32> {
        let rows = self.rows.iter().map(|row| row.slot.repeat);
        rows.chain(self.skipped.iter().copied()).collect()
    }

    fn highest(&self) -> u32 {
        self.repeats().last().copied().unwrap_or_default()
    }

    /// Every repeat from the first to the last that is needed, each once.
    fn check(&self, planned: u32, until_decided: bool) -> Result<(), String> {
        let repeats = self.repeats();
        if repeats.len() < self.rows.len() + self.skipped.len() {
            return Err("has a repeat that has a row and was skipped".to_owned());
        }
        if let Some(strange) = repeats.iter().find(|it| **it == 0 || **it > planned) {
            return Err(format!("has repeat {strange}, and {planned} were planned"));
        }
        let asked = self.rows.iter().map(|row| row.slot.repeat).max().unwrap_or_default();
        // What stands between rows was asked; what comes after them may not have been needed.
        if let Some(missing) = (1..=asked).find(|it| !repeats.contains(it)) {
            return Err(format!("lacks repeat {missing} of {planned}"));
        }
        if repeats.len() == planned as usize || (until_decided && self.is_decided()) {
            return Ok(());
        }
        let missing = (1..=planned).find(|it| !repeats.contains(it)).unwrap_or_default();
        let undecided = if until_decided { ", and its verdict is not settled" } else { "" };
        Err(format!("lacks repeat {missing} of {planned}{undecided}"))
    }

    /// By the scores in the order in which they came, or in that of the repeats, which is how they
    /// are looked at when a run goes on.
    fn is_decided(&self) -> bool {
        let Some(threshold) = self.rows.iter().find_map(|row| row.threshold) else { return false };
        let scores =
            |rows: &[&KeptRow]| -> Vec<f64> { rows.iter().filter_map(|row| row.score).collect() };
        let mut by_repeat = self.rows.clone();
        by_repeat.sort_by_key(|row| row.slot.repeat);
        UntilDecided.is_decided(threshold, &scores(&self.rows))
            || UntilDecided.is_decided(threshold, &scores(&by_repeat))
    }
}
