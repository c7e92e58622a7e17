//! `agentv init`: puts the files of a new project where they are missing.
//!
//! Everything that would be in the way is found before the first file is written. The files
//! themselves are in `starter`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use agentv_base::{Diagnostic, Problems, Sources, escape_controls};

use super::{current_dir, given, report};
use crate::{
    args::InitArgs,
    console::Console,
    exit::Exit,
    starter::{self, Piece},
    whole_file::{self, Existing},
};

pub fn run(args: &InitArgs, console: Console) -> Exit {
    match init(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

/// What becomes of a piece.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Written,
    Replaced,
    /// It is there, under this name.
    Kept(&'static str),
}

struct Settled {
    piece: Piece,
    fate: Fate,
}

fn init(args: &InitArgs, console: Console) -> Result<Exit, Exit> {
    let current_dir = current_dir(console)?;
    let folder = current_dir.join(&args.path);
    // `.` is taken out of what was typed; where that fails the path is still right.
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    let mut problems = Problems::default();
    let settled: Vec<Settled> = starter::pieces()
        .into_iter()
        .filter_map(|piece| match fate(&folder, &piece, args.force) {
            Ok(fate) => Some(Settled { piece, fate }),
            Err(problem) => {
                problems.push(problem);
                None
            }
        })
        .collect();
    report(&problems, &Sources::default(), console)?;

    let above = settings_above(&folder);
    let mut done = 0;
    for Settled { piece, fate } in &settled {
        let existing = match fate {
            Fate::Kept(_) => None,
            Fate::Written => Some(Existing::Stays),
            Fate::Replaced => Some(Existing::IsReplaced),
        };
        let path = folder.join(piece.path);
        let written = existing.map(|existing| whole_file::write(&path, &piece.text, existing));
        if let Some(Err(fault)) = written {
            problems.push(Diagnostic::error(format!("cannot write `{}`: {fault}", path.display())));
            break;
        }
        done += 1;
    }
    let settled = settled.get(..done).unwrap_or_default();
    if problems.is_empty() {
        warn(&folder, settled, above.as_deref(), &mut problems);
    }
    let mut said = list(&folder, settled);
    if !problems.has_errors() {
        said.push_str(&next(args, &folder, &current_dir));
    }
    // A folder that could not be written to has nothing to list.
    let said = if settled.is_empty() { Ok(()) } else { console.result(&said) };
    report(&problems, &Sources::default(), console)?;
    Ok(given(said, console))
}

/// Looks at what is there, and changes nothing.
fn fate(folder: &Path, piece: &Piece, force: bool) -> Result<Fate, Diagnostic> {
    let file = folder.join(piece.path);
    for above in file.ancestors().skip(1) {
        // Below a folder that is there, only what is missing has to be made.
        match kind(above)? {
            Kind::Folder => break,
            Kind::Missing => {}
            Kind::File => {
                let message = format!("`{}` is a file, and must be a folder", above.display());
                return Err(Diagnostic::error(message));
            }
        }
    }
    match kind(&file)? {
        Kind::Folder => {
            Err(Diagnostic::error(format!("`{}` is a folder, and must be a file", file.display())))
        }
        Kind::File if force => Ok(Fate::Replaced),
        Kind::File => Ok(Fate::Kept(piece.path)),
        Kind::Missing => {
            let other = piece.other_names.iter().find(|name| folder.join(name).is_file());
            Ok(other.map_or(Fate::Written, |name| Fate::Kept(name)))
        }
    }
}

enum Kind {
    Missing,
    Folder,
    File,
}

fn kind(path: &Path) -> Result<Kind, Diagnostic> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(Kind::Folder),
        Ok(_) => Ok(Kind::File),
        Err(_) if path.is_symlink() => {
            Err(Diagnostic::error(format!("`{}` is a link that leads nowhere", path.display())))
        }
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(Kind::Missing),
        // Something above is no folder, which is told where that is looked at.
        Err(fault) if fault.kind() == io::ErrorKind::NotADirectory => Ok(Kind::Missing),
        Err(fault) => {
            Err(Diagnostic::error(format!("cannot look at `{}`: {fault}", path.display())))
        }
    }
}

/// The folder above whose targets and settings hold here so far.
fn settings_above(folder: &Path) -> Option<PathBuf> {
    let root = agentv_case::repository_root(folder);
    let names = agentv_case::TARGETS_FILES.iter().chain(&agentv_case::CONFIG_FILES);
    let holds = |above: &&Path| names.clone().any(|name| above.join(name).is_file());
    let above = folder.ancestors().skip(1).take_while(|above| above.starts_with(&root));
    above.into_iter().find(holds).map(Path::to_owned)
}

/// What the user would else find out the hard way.
fn warn(folder: &Path, settled: &[Settled], above: Option<&Path>, problems: &mut Problems) {
    let find = |path: &str| settled.iter().find(|settled| settled.piece.path == path);
    let written = |path: &str| find(path).is_some_and(|found| found.fate == Fate::Written);
    if let Some(above) = above
        && (written(starter::TARGETS) || written(starter::CONFIG))
    {
        let message = format!(
            "suites in `{}` now take targets and settings from here, no longer from `{}`",
            folder.display(),
            above.display()
        );
        let warning = Diagnostic::warning(message);
        problems.push(warning.hint("remove the new `.agentv` to go on with those above"));
    }
    let Some(Settled { piece, fate: Fate::Kept(name) }) = find(starter::TARGETS) else { return };
    let same = || fs::read(folder.join(name)).is_ok_and(|text| text == piece.text.as_bytes());
    if written(starter::SUITE) && !same() {
        let message = format!(
            "`{}` asks the default target of your `{name}`, which may answer as it likes",
            starter::SUITE
        );
        let hint = "change the cases to what your target should answer";
        problems.push(Diagnostic::warning(message).hint(hint));
    }
}

fn list(folder: &Path, settled: &[Settled]) -> String {
    let mut text = format!("In {}:\n", escape_controls(&folder.to_string_lossy()));
    for Settled { piece, fate } in settled {
        let (word, name) = match fate {
            Fate::Written => ("wrote", piece.path),
            Fate::Replaced => ("replaced", piece.path),
            Fate::Kept(name) => ("kept", *name),
        };
        text.push_str("  ");
        text.push_str(word);
        text.push_str(&" ".repeat("replaced ".len() - word.len()));
        text.push_str(name);
        text.push('\n');
    }
    text
}

/// The command to go on with, ready to be copied.
fn next(args: &InitArgs, folder: &Path, current_dir: &Path) -> String {
    let command = "agentv eval evals/";
    if folder == current_dir {
        return format!("\nNext: {command}\n");
    }
    let typed = args.path.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%".contains(c);
    let place = if typed.chars().all(plain) && !typed.starts_with('-') {
        typed.into_owned()
    } else {
        format!("-- '{}'", typed.replace('\'', r"'\''"))
    };
    format!("\nNext: cd {} && {command}\n", escape_controls(&place))
}
