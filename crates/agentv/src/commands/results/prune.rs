//! `agentv results prune`: old runs are removed, after a look at what would go.
//!
//! Invariant: under its own name a run is whole or not there. It is renamed to a name that starts
//! with a dot, under its lock, before the first of its files is removed.

use std::{
    collections::{HashMap, HashSet},
    fmt::Write as _,
    fs::{self, File, TryLockError},
    io,
    path::Path,
    time::SystemTime,
};

use agentv_base::{Diagnostic, excerpt};
use agentv_report::{RunEntry, age_text, ask_index, bytes_text};

use super::{
    place::{Here, is_idle, tell},
    progress::Reading,
};
use crate::{args::PruneArgs, commands::given, console::Console, exit::Exit, when};

/// What a run is called from the moment that it is being removed.
const REMOVED: &str = ".removed-";

pub fn run(args: &PruneArgs, console: Console) -> Exit {
    match prune(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn prune(args: &PruneArgs, console: Console) -> Result<Exit, Exit> {
    let here = Here::find(console)?;
    let now = SystemTime::now();
    let older_than = match args.older_than.as_deref() {
        None => None,
        Some(typed) => Some(when::age(typed).ok_or_else(|| {
            let message = format!("--older-than: `{}` is no age", excerpt(typed, 60));
            let problem = Diagnostic::error(message).code("bad-value");
            tell([problem.hint("write 30d, 12h or 2w")], console)
        })?),
    };
    let runs = runs_of(&here, console)?;
    let results = &here.index.results;
    let mut going = Vec::new();
    let mut staying: Vec<String> = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        let is_beyond = args.keep.is_none_or(|keep| place >= keep);
        let age = run.started_at.and_then(|it| now.duration_since(it.moment()).ok());
        let is_old = older_than.is_none_or(|limit| age.is_some_and(|age| age > limit));
        if !is_beyond || !is_old {
            continue;
        }
        match why_not(run, &results.join(&run.run_id)) {
            None => going.push(run),
            Some(reason) => staying.push(format!("{} stays: {reason}", excerpt(&run.run_id, 60))),
        }
    }
    for line in &staying {
        console.say(&format!("{line}\n"));
    }
    let sizes: Vec<u64> = going.iter().map(|run| size_of(&results.join(&run.run_id))).collect();
    let mut text = told(&runs, &going, &sizes, now);
    let count = if going.len() == 1 { "1 run".to_owned() } else { format!("{} runs", going.len()) };
    if !args.yes || going.is_empty() {
        let (size, kept) = (bytes_text(sizes.iter().sum()), runs.len() - going.len());
        let how = if going.is_empty() { "" } else { "; --yes removes them" };
        let _ = writeln!(text, "{count}, {size} would go, {kept} would stay{how}");
        return Ok(given(console.result(&text), console));
    }
    let mut faults = Vec::new();
    for run in &going {
        if let Err(fault) = remove(results, &run.run_id) {
            faults.push(format!("cannot remove run `{}`: {fault}", excerpt(&run.run_id, 60)));
        }
    }
    remove_remains(results);
    // The index forgets what is gone.
    let _ = runs_of(&here, console);
    let removed = going.len() - faults.len();
    let stay = runs.len() - removed;
    let _ = writeln!(text, "{removed} of {count} removed, {stay} stay");
    let exit = given(console.result(&text), console);
    if faults.is_empty() {
        return Ok(exit);
    }
    tell(faults.into_iter().map(|fault| Diagnostic::error(fault).code("not-removed")), console);
    Ok(Exit::Unevaluated)
}

/// The runs that go, a line each.
fn told(runs: &[RunEntry], going: &[&RunEntry], sizes: &[u64], now: SystemTime) -> String {
    let parents = parents_of(runs, going);
    let mut text = String::new();
    for (run, size) in going.iter().zip(sizes) {
        let age = run.started_at.map_or("—".to_owned(), |it| age_text(it, now));
        let parent = match parents.get(run.run_id.as_str()) {
            Some(child) => format!("  ({} has copies of its rows)", excerpt(child, 60)),
            None => String::new(),
        };
        let (id, size) = (excerpt(&run.run_id, 60), bytes_text(*size));
        let _ = writeln!(text, "{id}  {size:>8}  {age}{parent}");
    }
    text
}

fn runs_of(here: &Here, console: Console) -> Result<Vec<RunEntry>, Exit> {
    let mut reading = Reading::begin(console);
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method alone is not one for every lifetime of an index"
    )]
    let runs = ask_index(&here.index, &mut |rows| reading.told(rows), |index| index.runs());
    runs.map_err(|fault| {
        tell([Diagnostic::error(fault.to_string()).code("unreadable-run")], console)
    })
}

/// Why a run is left alone, whatever its age.
fn why_not(run: &RunEntry, folder: &Path) -> Option<String> {
    // What is not understood, or is of a newer version, may matter to somebody.
    if let Some(fault) = &run.fault {
        return Some(fault.clone());
    }
    if fs::symlink_metadata(folder).is_ok_and(|it| it.is_symlink()) {
        return Some("it is a link to somewhere else".to_owned());
    }
    (!is_idle(folder)).then(|| "it is being written by another process".to_owned())
}

/// For each run that goes and that a run which stays was made from, that run.
fn parents_of<'r>(runs: &'r [RunEntry], going: &[&RunEntry]) -> HashMap<&'r str, &'r str> {
    let going: HashSet<&str> = going.iter().map(|run| run.run_id.as_str()).collect();
    let stays = runs.iter().filter(|run| !going.contains(run.run_id.as_str()));
    let made_from = stays.flat_map(|run| {
        let from = run.parent.iter().chain(&run.parts);
        from.map(|parent| (parent.as_str(), run.run_id.as_str()))
    });
    made_from.collect()
}

/// Of all files in a folder; what cannot be read counts for nothing.
fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(it) if it.is_dir() => size_of(&entry.path()),
            Ok(it) => it.len(),
            Err(_) => 0,
        })
        .sum()
}

fn remove(results: &Path, run_id: &str) -> io::Result<()> {
    let folder = results.join(run_id);
    // Held until the run has lost its name: nobody can go on with it in between.
    let _lock = match File::open(folder.join("results.jsonl")) {
        Ok(file) => match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other("another process is at work on it"));
            }
            Err(TryLockError::Error(fault)) if fault.kind() != io::ErrorKind::Unsupported => {
                return Err(fault);
            }
            _ => Some(file),
        },
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => None,
        Err(fault) => return Err(fault),
    };
    let removed = results.join(format!("{REMOVED}{run_id}"));
    fs::rename(&folder, &removed)?;
    fs::remove_dir_all(&removed)
}

/// Runs that somebody began to remove.
fn remove_remains(results: &Path) {
    for entry in fs::read_dir(results).into_iter().flatten().flatten() {
        let is_remains = entry.file_name().to_string_lossy().starts_with(REMOVED);
        if is_remains && entry.file_type().is_ok_and(|it| it.is_dir()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
