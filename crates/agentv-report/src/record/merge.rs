//! Shards of one plan, joined: what proves that they are all there and belong together.

use std::collections::{BTreeMap, HashMap, hash_map::Entry};

use agentv_base::excerpt;

use super::{
    difference::{Between, differences},
    find::FoundRun,
    ledger::{KeptRow, Ledger, SlotName},
    manifest::{RunCounts, RunKind, RunManifest, RunStatus},
    row::Status,
};

/// A part, with its rows.
#[derive(Debug)]
pub struct Part {
    pub run: FoundRun,
    pub ledger: Ledger,
}

/// What the parts come to, as one run.
#[derive(Debug)]
pub struct Merged {
    /// Without a name and times.
    pub manifest: RunManifest,
    /// The place of the part and of the row in it, in the order of the suites.
    pub rows: Vec<(usize, usize)>,
    /// What is odd, and in nobody's way.
    pub warnings: Vec<String>,
}

/// Repeats that a part may lack without being incomplete: a dependency did not pass.
const ACCOUNTED: &str = "dependency";

/// Missing shards that a message names.
const NAMED: usize = 10;

/// Joins the parts, or says everything that is in the way.
pub fn merge(parts: &[Part]) -> Result<Merged, Vec<String>> {
    let mut faults = Vec::new();
    let shards = only_shards(parts, &mut faults);
    check_shards(&shards, &mut faults);
    let Some((first, others)) = shards.split_first() else {
        if faults.is_empty() {
            faults.push("there is nothing to merge".to_owned());
        }
        return Err(faults);
    };
    for part in others {
        let differ = differences(&first.run.manifest, &part.run.manifest, Between::Parts);
        let kinds = (first.run.manifest.kind != part.run.manifest.kind)
            .then(|| "only one was graded again".to_owned());
        faults.extend(
            differ
                .into_iter()
                .chain(kinds)
                .map(|what| format!("between {} and {}: {what}", name(first), name(part))),
        );
    }
    for part in &shards {
        check_complete(part, &mut faults);
    }
    check_doubled(&shards, &mut faults);
    let planned: usize = parts.iter().map(|part| part.run.manifest.counts.planned).sum();
    let whole = first.run.manifest.plan.as_ref().map(|plan| plan.slots);
    if faults.is_empty() && whole.is_some_and(|whole| whole != planned) {
        faults.push(format!(
            "the parts plan {planned} cases together, and the whole plan has {}",
            whole.unwrap_or_default()
        ));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(Merged { manifest: joined(parts, planned), rows: in_order(parts), warnings: odd(parts) })
}

/// The parts that can be ones. What is said of the others is all that there is to say of them.
fn only_shards<'p>(parts: &'p [Part], faults: &mut Vec<String>) -> Vec<&'p Part> {
    let mut shards = Vec::with_capacity(parts.len());
    for part in parts {
        let RunManifest { kind, shard, .. } = &part.run.manifest;
        let id = part.run.folder.run_id();
        let again = parts.iter().find(|other| other.run.manifest.parent.as_deref() == Some(id));
        if *kind == RunKind::Merge {
            faults.push(format!("{} is the result of an earlier merge; leave it out", name(part)));
        } else if shard.is_none() {
            faults.push(format!("{} is no shard: it was not made with --shard", name(part)));
        } else if let Some(again) = again {
            let how = match again.run.manifest.kind {
                RunKind::Grade => "graded",
                RunKind::Eval | RunKind::Merge => "run",
            };
            let newer = again.run.folder.run_id();
            faults.push(format!(
                "{} was {how} again as {}; give only {newer}",
                name(part),
                name(again)
            ));
        } else {
            shards.push(part);
        }
    }
    shards
}

/// Every shard once, of the same number of shards.
fn check_shards(parts: &[&Part], faults: &mut Vec<String>) {
    let mut seen: BTreeMap<u32, &Part> = BTreeMap::new();
    let mut count = None;
    for part in parts {
        let Some(shard) = part.run.manifest.shard else { continue };
        let of = *count.get_or_insert(shard.count);
        if shard.count != of {
            faults.push(format!("{} is of {} shards, and others of {of}", name(part), shard.count));
            continue;
        }
        if shard.index == 0 || shard.index > of {
            faults.push(format!("there is no {}: shards are counted from 1", name(part)));
            continue;
        }
        if let Some(first) = seen.insert(shard.index, part) {
            faults.push(format!(
                "shard {}/{} is there twice: {} and {}",
                shard.index,
                shard.count,
                name(first),
                name(part)
            ));
        }
    }
    let Some(count) = count else { return };
    // Whatever number stands in a `run.json`: no more are looked at than are named.
    let missing = (1..=count).filter(|index| !seen.contains_key(index)).take(NAMED);
    let missing: Vec<String> = missing.map(|index| format!("{index}/{count}")).collect();
    let more = (count as usize).saturating_sub(seen.len() + missing.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    match missing.as_slice() {
        [] => {}
        [only] => faults.push(format!("shard {only} is missing")),
        several => faults.push(format!("shards {}{more} are missing", several.join(", "))),
    }
}

/// Every planned case of a part has its row, or its part says why it needs none.
fn check_complete(part: &Part, faults: &mut Vec<String>) {
    let RunManifest { counts, status, skipped, .. } = &part.run.manifest;
    let rows = part.ledger.rows.len();
    let accounted = counts.decided + counts.skipped.get(ACCOUNTED).copied().unwrap_or(0);
    if *status == RunStatus::Finished && rows + accounted == counts.planned {
        return;
    }
    let named: Vec<String> = skipped
        .iter()
        .filter(|case| case.reason != ACCOUNTED)
        .take(NAMED)
        .map(|case| format!("{} {} ({})", case.suite, case.eval_id, case.target))
        .collect();
    let named = match named.as_slice() {
        [] => String::new(),
        named => format!("; skipped: {}", excerpt(&named.join(", "), 500)),
    };
    faults.push(format!(
        "{} is not complete: {rows} of {} cases have their row (finish it with --resume){named}",
        name(part),
        counts.planned
    ));
}

fn check_doubled(parts: &[&Part], faults: &mut Vec<String>) {
    let mut seen: HashMap<&SlotName, &Part> = HashMap::new();
    for part in parts.iter().copied() {
        for row in &part.ledger.rows {
            match seen.entry(&row.slot) {
                Entry::Occupied(first) => {
                    let (first, slot) = (name(first.get()), row.slot.in_words());
                    faults.push(format!("{first} and {} both have {slot}", name(part)));
                    // One is enough to see what happened.
                    return;
                }
                Entry::Vacant(free) => {
                    free.insert(part);
                }
            }
        }
    }
}

/// A manifest of the whole. Its times are for the caller to say.
fn joined(parts: &[Part], planned: usize) -> RunManifest {
    let manifests = || parts.iter().map(|part| &part.run.manifest);
    let mut counts = RunCounts { planned, ..RunCounts::default() };
    for row in parts.iter().flat_map(|part| &part.ledger.rows) {
        match row.status {
            Status::Passed => counts.passed += 1,
            Status::Failed => counts.failed += 1,
            Status::Error => counts.errors += 1,
        }
    }
    for manifest in manifests() {
        counts.decided += manifest.counts.decided;
        for (reason, count) in &manifest.counts.skipped {
            *counts.skipped.entry(reason.clone()).or_default() += count;
        }
    }
    let settled = counts.passed + counts.failed + counts.errors + counts.decided;
    counts.not_run = planned.saturating_sub(settled);
    let mut files: Vec<_> = manifests().flat_map(|it| it.files.iter().cloned()).collect();
    files.sort_unstable();
    files.dedup();
    let mut judges: Vec<_> = Vec::new();
    for judge in manifests().flat_map(|it| &it.judges) {
        if !judges.contains(judge) {
            judges.push(judge.clone());
        }
    }
    let mut whole = parts[0].run.manifest.clone();
    whole.kind = RunKind::Merge;
    whole.parent = None;
    whole.parts = parts.iter().map(|part| part.run.folder.run_id().to_owned()).collect();
    whole.status = RunStatus::Finished;
    whole.shard = None;
    whole.sessions = manifests().flat_map(|it| it.sessions.iter().cloned()).collect();
    whole.files = files;
    whole.judges = judges;
    whole.skipped = manifests().flat_map(|it| it.skipped.iter().cloned()).collect();
    whole.counts = counts;
    whole.repeats = None;
    whole.exit_code = None;
    whole
}

/// As one machine would have planned them: by suite and place, target and repeat.
fn in_order(parts: &[Part]) -> Vec<(usize, usize)> {
    let first = &parts[0].run.manifest;
    let suites: HashMap<&str, usize> =
        first.suites.iter().enumerate().map(|(at, suite)| (suite.path.as_str(), at)).collect();
    let targets: HashMap<&str, usize> =
        first.targets.iter().enumerate().map(|(at, it)| (it.name.as_str(), at)).collect();
    let mut rows: Vec<(usize, usize)> = parts
        .iter()
        .enumerate()
        .flat_map(|(part, it)| (0..it.ledger.rows.len()).map(move |row| (part, row)))
        .collect();
    let key = |row: &KeptRow| {
        (
            suites.get(&*row.slot.suite).copied(),
            row.place,
            row.slot.eval_id.clone(),
            targets.get(&*row.slot.target).copied(),
            row.slot.repeat,
        )
    };
    rows.sort_by_cached_key(|(part, row)| key(&parts[*part].ledger.rows[*row]));
    rows
}

fn odd(parts: &[Part]) -> Vec<String> {
    let mut versions: Vec<&str> =
        parts.iter().map(|part| part.run.manifest.agentv_version.as_str()).collect();
    versions.sort_unstable();
    versions.dedup();
    match versions.as_slice() {
        [] | [_] => Vec::new(),
        several => vec![format!("the parts were made by several versions: {}", several.join(", "))],
    }
}

fn name(part: &Part) -> String {
    let id = part.run.folder.run_id();
    match part.run.manifest.shard {
        Some(shard) => format!("shard {}/{} (run {id})", shard.index, shard.count),
        None => format!("run {id}"),
    }
}

#[cfg(test)]
mod tests;
