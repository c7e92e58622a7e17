//! Which run is meant: an id, the beginning of one, a folder, or the newest.

use std::{
    fs,
    path::{Path, PathBuf},
};

use agentv_base::excerpt;

use super::{
    folder::RunFolder,
    manifest::{RUN_FORMAT, RunManifest},
};

/// Most runs that a message lists.
const LISTED: usize = 5;

/// A run that was found.
#[derive(Debug)]
pub struct FoundRun {
    pub folder: RunFolder,
    pub manifest: RunManifest,
}

/// Why there is no run.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FindFault {
    pub message: String,
    pub hint: Option<String>,
}

impl FindFault {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// What to look for.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// As typed; empty for the newest that fits.
    pub name: &'a str,
    /// Paths that are typed start here.
    pub current_dir: &'a Path,
    /// Of the runs that nobody named, those that fit.
    pub fits: &'a dyn Fn(&RunManifest) -> bool,
}

/// Finds a run among those of the repository.
pub fn find_run(root: &Path, wanted: &Wanted<'_>) -> Result<FoundRun, FindFault> {
    let results = root.join(".agentv").join("results");
    if wanted.name.is_empty() {
        return newest(&results, wanted.fits);
    }
    let typed = wanted.current_dir.join(wanted.name);
    if let Some(folder) = folder_at(&typed) {
        return open(folder);
    }
    let shown = excerpt(wanted.name, 120);
    if wanted.name.contains('/') || typed.exists() {
        return Err(FindFault::new(format!("`{shown}` is no run: it has no `run.json`"))
            .hint("a run is a folder in `.agentv/results`; put suites before this flag"));
    }
    let names = run_folders(&results);
    let exact = names.iter().find(|name| **name == wanted.name);
    let mut begin = names.iter().filter(|name| name.starts_with(wanted.name));
    match (exact, begin.next(), begin.next()) {
        (Some(name), _, _) | (None, Some(name), None) => open(results.join(name)),
        (None, Some(first), Some(second)) => {
            let more = begin.count();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            Err(FindFault::new(format!("`{shown}` could be several runs: {first}, {second}{more}"))
                .hint("write more of the id"))
        }
        (None, None, _) => {
            let fault = FindFault::new(format!("there is no run `{shown}`"));
            let newest: Vec<&str> = names.iter().rev().take(LISTED).map(String::as_str).collect();
            Err(match newest.as_slice() {
                [] => fault.hint(format!("there are no runs in {}", results.display())),
                newest => fault.hint(format!("the newest are: {}", newest.join(", "))),
            })
        }
    }
}

/// The names of all runs, oldest first. What starts with a dot is none.
pub fn run_folders(results: &Path) -> Vec<String> {
    let entries = fs::read_dir(results).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && results.join(name).join("run.json").is_file())
        .collect();
    names.sort_unstable();
    names
}

fn newest(results: &Path, fits: &dyn Fn(&RunManifest) -> bool) -> Result<FoundRun, FindFault> {
    let names = run_folders(results);
    for name in names.iter().rev() {
        let found = open(results.join(name))?;
        if fits(&found.manifest) {
            return Ok(found);
        }
    }
    let shown = results.display();
    Err(if names.is_empty() {
        FindFault::new(format!("there is no earlier run in {shown}"))
            .hint("leave the flag out to begin a run")
    } else {
        FindFault::new(format!("no run in {shown} is one of these suites"))
            .hint("name the run, or leave the flag out to begin a new one")
    })
}

/// The folder of a run that a path means: itself, or one of the files in it.
fn folder_at(path: &Path) -> Option<PathBuf> {
    let folder = if path.is_file() { path.parent()? } else { path };
    folder.join("run.json").is_file().then(|| folder.to_owned())
}

fn open(path: PathBuf) -> Result<FoundRun, FindFault> {
    let folder = RunFolder::at(path);
    let manifest = RunManifest::read(&folder.manifest_path()).map_err(|fault| {
        FindFault::new(fault.to_string())
            .hint("`run.json` says what was run; without it nobody knows")
    })?;
    if manifest.format > RUN_FORMAT {
        return Err(FindFault::new(format!(
            "run `{}` is of a newer version of agentv ({})",
            folder.run_id(),
            excerpt(&manifest.agentv_version, 60)
        ))
        .hint("use that version, or a newer one"));
    }
    Ok(FoundRun { folder, manifest })
}

#[cfg(test)]
mod tests;
