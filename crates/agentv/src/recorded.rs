//! Which recorded results a word means: a run by its id, the beginning of it or its folder, a folder
//! that runs were collected in, or a file of rows.

use std::path::Path;

use agentv_base::{Diagnostic, Problems, Sources};
use agentv_case::{convert::read_document, repository_root};
use agentv_report::{FindFault, FoundRun, Recorded, RecordedFault, Wanted, find_run};

use crate::{
    commands::{current_dir, report},
    console::Console,
    exit::Exit,
};

/// Opens all of them, or tells everything that is wrong with any.
pub fn open_all(words: &[String], console: Console) -> Result<Vec<Recorded>, Exit> {
    let current_dir = current_dir(console)?;
    let root = repository_root(&current_dir);
    let mut problems = Problems::default();
    let mut all = Vec::new();
    for word in words {
        match open(word, &root, &current_dir) {
            Ok(recorded) => all.push(recorded),
            Err(found) => found.into_iter().for_each(|problem| problems.push(problem)),
        }
    }
    report(&problems, &Sources::default(), console)?;
    for recorded in &all {
        tell_notes(recorded, console);
    }
    Ok(all)
}

/// What was passed over is said, each thing once.
pub fn tell_notes(recorded: &Recorded, console: Console) {
    for note in &recorded.notes {
        console.say(&format!("warning: {}\n", agentv_base::escape_controls(note)));
    }
}

fn open(word: &str, root: &Path, current_dir: &Path) -> Result<Recorded, Vec<Diagnostic>> {
    match found(word, root, current_dir).map_err(|fault| vec![no_run(fault)])? {
        Some(run) => Recorded::of_run(run).map_err(unreadable),
        None => {
            let path = current_dir.join(word);
            Recorded::of_file(&path, word, read_document).map_err(unreadable)
        }
    }
}

/// The run that a word means; nothing where it is a file of its own.
pub fn found(word: &str, root: &Path, current_dir: &Path) -> Result<Option<FoundRun>, FindFault> {
    let typed = current_dir.join(word);
    let is_in_run = typed.parent().is_some_and(|folder| folder.join("run.json").is_file())
        && typed.file_name().is_some_and(|name| name == "results.jsonl");
    if !word.is_empty() && typed.is_file() && !is_in_run {
        return Ok(None);
    }
    find_run(root, &Wanted { name: word, current_dir, fits: &|_| true }).map(Some)
}

fn no_run(fault: FindFault) -> Diagnostic {
    let problem = Diagnostic::error(fault.message).code("no-run");
    fault.hint.into_iter().fold(problem, Diagnostic::hint)
}

fn unreadable(fault: RecordedFault) -> Vec<Diagnostic> {
    let hint = fault.hint;
    let problem = |message: String| {
        let problem = Diagnostic::error(message).code("unreadable-run");
        hint.clone().into_iter().fold(problem, Diagnostic::hint)
    };
    fault.messages.into_iter().map(problem).collect()
}
