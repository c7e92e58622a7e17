//! A promptfoo configuration → a suite and its targets, and the list of what they lack.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use agentv_case::{
    convert::{Imported, Opened, import},
    repository_root,
};

use super::{print, unknown, write_file};
use crate::{
    args::ConvertArgs,
    commands::{current_dir, given, refuse, report},
    console::Console,
    exit::Exit,
};

/// Where the targets of a project are.
const TARGETS: &str = ".agentv/targets.yaml";

pub fn run(args: &ConvertArgs, opened: Opened, console: Console) -> Result<Exit, Exit> {
    if args.write {
        let what = "is promptfoo's: name a file for the suite with `--out`";
        return Err(unknown(args, what, console));
    }
    let current_dir = current_dir(console)?;
    let suite_dir = args.out.as_deref().map(|out| folder_of(&current_dir.join(out)));
    let imported = import(opened, suite_dir.as_deref(), &current_dir);
    report(&imported.problems, &imported.sources, console)?;
    let exit = match args.out.as_deref() {
        Some(out) => write_files(out, &imported, &current_dir, console)?,
        None => given(print(&imported.suite_text(true)), console),
    };
    console.say(&summary(&imported));
    Ok(exit)
}

fn folder_of(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(Path::new("/"));
    // A folder that is not there yet has no links to follow.
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

/// The suite where the user wants it, and the targets where suites look for them.
fn write_files(
    out: &Path,
    imported: &Imported,
    current_dir: &Path,
    console: Console,
) -> Result<Exit, Exit> {
    let root = repository_root(&folder_of(&current_dir.join(out)));
    let file = root.join(TARGETS);
    let shown = file.strip_prefix(current_dir).unwrap_or(&file).display().to_string();
    let targets = imported.targets_text();
    let exists = file.symlink_metadata().is_ok();
    write_file(out, &imported.suite_text(exists), console)?;
    let said = match targets {
        None => "no provider could be carried over: write a target for the suite\n".to_owned(),
        Some(_) if exists => format!(
            "`{shown}` exists and stays as it is: the suite describes its targets under `providers`\n"
        ),
        Some(text) => {
            let made = file.parent().map(fs::create_dir_all);
            if let Some(Err(error)) = made {
                return Err(refuse(format!("cannot write `{shown}`: {error}"), console));
            }
            write_file(&file, &text, console)?;
            format!("targets: {shown}\n")
        }
    };
    console.say(&format!("suite: {}\n{said}", out.display()));
    Ok(Exit::Passed)
}

/// What was carried over, and each thing that was not.
fn summary(imported: &Imported) -> String {
    let mut text = format!(
        "{} case(s) and {} target(s) were carried over\n",
        imported.cases,
        imported.targets()
    );
    if imported.left.is_empty() {
        return text;
    }
    let _ = writeln!(text, "{} thing(s) were not carried over as they are:", imported.left.len());
    for left in &imported.left {
        let place = imported.sources.get(left.span.source).map_or_else(String::new, |source| {
            let (line, column) = source.line_and_column(left.span.start as usize);
            format!("{}:{line}:{column}: ", source.path.display())
        });
        let _ = writeln!(text, "  {place}{}: {}", left.what, left.why);
    }
    text
}
