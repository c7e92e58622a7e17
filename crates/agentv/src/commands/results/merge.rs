//! `agentv results merge`: shards of one plan become one run.

use std::{path::Path, time::SystemTime};

use agentv_base::{Diagnostic, Problems, Sources};
use agentv_case::{Loaded, repository_root};
use agentv_report::{
    Keeping, Ledger, Merged, Part, Purpose, RecordFault, RunCounts, RunFolder, RunManifest,
    Timestamp, merge,
};

use super::{part, proof::prove};
use crate::{
    args::MergeArgs,
    commands::{current_dir, report, report_loaded},
    console::Console,
    exit::Exit,
    manifest::{VERSION, command},
    session::{Manner, Shown, exit_of},
    settings,
    telling::{repeats_of, tell_again, unrecorded},
};

pub fn run(args: &MergeArgs, console: Console) -> Exit {
    match merge_runs(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn merge_runs(args: &MergeArgs, console: Console) -> Result<Exit, Exit> {
    let current_dir = current_dir(console)?;
    let root = repository_root(&current_dir);
    let mut none = Loaded::default();
    let outs = settings::outs_of(&args.out, args.output_format.as_deref(), &mut none);
    report_loaded(&none, console)?;
    let parts = open_parts(&args.runs, &root, &current_dir, console)?;
    let merged = merge(&parts).map_err(|faults| refuse_all(faults, console))?;
    let unproven = prove(&merged, &parts).map_err(|faults| refuse_all(faults, console))?;
    for warning in merged.warnings.iter().chain(&unproven) {
        console.say(&format!("warning: {warning}\n"));
    }
    let told = in_one_line(&merged.manifest, parts.len());
    let folder = keep(merged, &parts, &root, args.no_fail, command(&none.redactor))
        .map_err(|fault| unrecorded(&fault.to_string(), console))?;
    let ledger = Ledger::open(&folder, Purpose::Read)
        .map_err(|fault| unrecorded(&fault.to_string(), console))?;
    let mut manifest = RunManifest::read(&folder.manifest_path())
        .map_err(|fault| unrecorded(&fault.to_string(), console))?;
    manifest.repeats = repeats_of(&folder, &ledger, &manifest);
    if manifest.repeats.is_some() {
        folder
            .write_manifest(&manifest)
            .map_err(|fault| unrecorded(&fault.to_string(), console))?;
    }
    if !args.quiet {
        console.say(&told);
    }
    let manner = Manner {
        keeping: Keeping::default(),
        threshold: None,
        traces: None,
        outs,
        no_fail: args.no_fail,
        quiet: args.quiet,
        shown: Shown::Nothing,
    };
    Ok(tell_again(&folder, &ledger, &manifest, &manner, console))
}

/// Every part with its rows. All that is wrong with any of them is told at once.
fn open_parts(
    names: &[String],
    root: &Path,
    current_dir: &Path,
    console: Console,
) -> Result<Vec<Part>, Exit> {
    let mut problems = Problems::default();
    let mut parts: Vec<Part> = Vec::new();
    for name in names {
        let run = match part::find(name, root, current_dir) {
            Ok(run) => run,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        match Ledger::open(&run.folder, Purpose::Read) {
            Ok(ledger) => parts.push(Part { run, ledger }),
            Err(fault) => {
                problems.push(Diagnostic::error(fault.to_string()).code("unreadable-run"));
            }
        }
    }
    report(&problems, &Sources::default(), console)?;
    Ok(parts)
}

/// What was proven.
fn in_one_line(manifest: &RunManifest, parts: usize) -> String {
    let RunCounts { planned, not_run, decided, .. } = manifest.counts;
    let rows = planned.saturating_sub(not_run + decided);
    let shards = if parts == 1 { "shard" } else { "shards" };
    let count = |count: usize, words: &str| match count {
        0 => String::new(),
        count => format!(", {count} {words}"),
    };
    let decided = count(decided, "not needed");
    let skipped = count(not_run, "skipped with their dependencies");
    format!(
        "{parts} {shards}, {rows} of {planned} rows{decided}{skipped}, none missing, none doubled\n"
    )
}

/// Writes the joined run, whole before it has its name.
fn keep(
    merged: Merged,
    parts: &[Part],
    root: &Path,
    no_fail: bool,
    command: Vec<String>,
) -> Result<RunFolder, RecordFault> {
    let Merged { mut manifest, rows, .. } = merged;
    let now = Timestamp::of(SystemTime::now());
    VERSION.clone_into(&mut manifest.agentv_version);
    manifest.started_at = now;
    manifest.finished_at = Some(now);
    manifest.command = command;
    manifest.exit_code = Some(i32::from(exit_of(&manifest.counts, no_fail).code()));
    RunFolder::create_carrying(root, &manifest, &mut |file| {
        rows.iter().try_for_each(|(part, row)| {
            let Some(ledger) = parts.get(*part).map(|part| &part.ledger) else { return Ok(()) };
            let line = ledger.rows.get(*row).map(|row| ledger.line(row)).transpose()?;
            file.write_all(&line.unwrap_or_default())
        })
    })
}

fn refuse_all(faults: Vec<String>, console: Console) -> Exit {
    let mut problems = Problems::default();
    for fault in faults {
        problems.push(Diagnostic::error(fault).code("parts-differ"));
    }
    report(&problems, &Sources::default(), console).err().unwrap_or(Exit::Refused)
}
