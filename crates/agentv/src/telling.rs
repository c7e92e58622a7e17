//! What a run came to, told to people from its rows: at its end, and as often as somebody asks.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use agentv_report::{
    KeptRow, Ledger, Report, Row, RunFolder, RunKind, RunManifest, SlotName, Style, Summary,
    read_rows_at,
};
use serde_json::Value;

use crate::{
    again::again,
    ci,
    commands::refuse,
    console::Console,
    exit::Exit,
    session::{Manner, exit_of},
    settings::Out,
};

/// Says again what a run came to that there is nothing to do for.
pub fn tell_again(
    folder: &RunFolder,
    ledger: &Ledger,
    manifest: &RunManifest,
    manner: &Manner,
    console: Console,
) -> Exit {
    let kept = in_order(ledger, manifest);
    let summary = match summed(folder, &kept, manifest) {
        Ok(summary) => summary,
        Err(message) => return unrecorded(&message, console),
    };
    let mut exit = exit_of(&manifest.counts, manner.no_fail);
    let offsets: Vec<u64> = kept.iter().map(|(_, row)| row.offset).collect();
    if write_outs(folder, manifest, &offsets, manner, console).is_err() {
        exit = Exit::Unevaluated;
    }
    tell(&summary, folder, manifest, manner, exit, console)
}

/// What the repeats of a run came to that is only told.
pub fn repeats_of(folder: &RunFolder, ledger: &Ledger, manifest: &RunManifest) -> Option<Value> {
    let summary = summed(folder, &in_order(ledger, manifest), manifest).ok()?;
    serde_json::to_value(summary.repeats()?).ok()
}

/// Rows stand in the order in which cases came to their end; people expect that of the suites.
fn in_order(ledger: &Ledger, manifest: &RunManifest) -> Vec<(usize, KeptRow)> {
    let suites: HashMap<&str, usize> =
        manifest.suites.iter().enumerate().map(|(at, it)| (it.path.as_str(), at)).collect();
    let targets: HashMap<&str, usize> =
        manifest.targets.iter().enumerate().map(|(at, it)| (it.name.as_str(), at)).collect();
    let mut kept: Vec<(usize, KeptRow)> = ledger.rows.iter().cloned().enumerate().collect();
    kept.sort_by_cached_key(|(at, row)| {
        let SlotName { suite, eval_id, target, repeat } = &row.slot;
        let suite = suites.get(&**suite).copied();
        let target = targets.get(&**target).copied();
        (suite, row.place, eval_id.clone(), target, *repeat, *at)
    });
    kept
}

fn summed(
    folder: &RunFolder,
    kept: &[(usize, KeptRow)],
    manifest: &RunManifest,
) -> Result<Summary, String> {
    let mut summary = Summary::default();
    if manifest.options.get("until_decided").and_then(Value::as_bool) == Some(true) {
        summary.end_when_decided();
    }
    add_rows(folder, kept, |row| summary.add(row))?;
    summary.read_skipped(manifest);
    summary.set_not_run(manifest.counts.not_run, 0);
    Ok(summary)
}

/// Rows that are there go through the same counting as new ones; `add` takes each.
pub fn add_rows(
    folder: &RunFolder,
    kept: &[(usize, KeptRow)],
    mut add: impl FnMut(&Row<'_>),
) -> Result<(), String> {
    if kept.is_empty() {
        return Ok(());
    }
    let offsets = kept.iter().map(|(_, row)| row.offset);
    let rows = read_rows_at(&folder.results_path(), offsets).map_err(|fault| fault.to_string())?;
    for row in rows {
        add(&row.map_err(|fault| fault.to_string())?);
    }
    Ok(())
}

/// How what has no row can still be had.
pub fn tell_how_to_go_on(manifest: &RunManifest, run_id: &str, console: Console) {
    let missing = manifest.counts.not_run;
    if missing == 0 || manifest.kind != RunKind::Eval {
        return;
    }
    let cases =
        if missing == 1 { "1 case has".to_owned() } else { format!("{missing} cases have") };
    let limits = ["budget", "deadline", "fail_fast"];
    let limited = limits.iter().any(|reason| manifest.counts.skipped.contains_key(*reason));
    let more = if limited { ", with a larger limit" } else { "" };
    console.say(&format!("{cases} no row; to go on: agentv eval --resume {run_id}{more}\n"));
}

/// The summary goes where the user looks for results.
pub fn tell(
    summary: &Summary,
    folder: &RunFolder,
    manifest: &RunManifest,
    manner: &Manner,
    exit: Exit,
    console: Console,
) -> Exit {
    let shown = shown_path(&folder.results_path());
    let again = again(folder, manifest);
    if manner.outs.iter().any(Out::is_standard_output) {
        // Whoever reads rows there wants nothing else between them.
        let style = style(console.stderr_has_color());
        console.say(&summary.render(style, Some(&shown), again.as_ref()));
        return exit;
    }
    let text = summary.render(style(console.stdout_has_color()), Some(&shown), again.as_ref());
    match console.tell(&text) {
        Ok(()) => exit,
        Err(error) => unrecorded(&error.to_string(), console),
    }
}

/// Writes the files that were asked for, and what the service that the run is in asks for; the rows stand at these places, in order.
pub fn write_outs(
    folder: &RunFolder,
    manifest: &RunManifest,
    offsets: &[u64],
    manner: &Manner,
    console: Console,
) -> Result<(), Exit> {
    let path = folder.results_path();
    let report = Report::new(folder.run_id(), Some(manifest), || {
        Ok(Box::new(read_rows_at(&path, offsets.iter().copied())?))
    });
    let mut all = Ok(());
    for out in &manner.outs {
        match out.write(&report) {
            Err(fault) if !fault.is_closed_pipe() => {
                all = Err(unrecorded(&fault.to_string(), console));
            }
            _ => {}
        }
    }
    ci::tell(&report, &manner.outs, manner.quiet, console);
    all
}

/// Results that could not be kept: said at once, and the exit code says it too.
pub fn unrecorded(message: &str, console: Console) -> Exit {
    refuse(message, console);
    Exit::Unevaluated
}

pub fn style(color: bool) -> Style {
    Style { color, width: Console::width() }
}

/// Relative to where the user stands, where it lies below.
pub fn shown_path(path: &Path) -> PathBuf {
    let current = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&current).unwrap_or(path).to_path_buf()
}
