//! `agentv report`: recorded results, written in other formats. Nothing is run and nothing judged.

use std::path::PathBuf;

use agentv_base::{Diagnostic, Problems, Sources, escape_controls};
use agentv_case::Loaded;
use agentv_report::{OutFault, Recorded, RenderFault, Report};

use super::{current_dir, refuse, report, report_loaded};
use crate::{
    args::ReportArgs, console::Console, exit::Exit, recorded::open_all, settings,
    telling::unrecorded,
};

pub fn run(args: &ReportArgs, console: Console) -> Exit {
    match write(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn write(args: &ReportArgs, console: Console) -> Result<Exit, Exit> {
    let current_dir = current_dir(console)?;
    let mut none = Loaded::default();
    let outs = settings::outs_of(&args.out, args.output_format.as_deref(), &mut none);
    report_loaded(&none, console)?;
    let recorded = open_all(&args.runs, console)?;
    let typed = args.runs.iter().map(|word| current_dir.join(word));
    let inputs: Vec<Input<'_>> =
        recorded.iter().zip(typed).map(|(recorded, typed)| Input::of(recorded, typed)).collect();
    let mut problems = Problems::default();
    doubled(&inputs, &mut problems);
    replaced(&inputs, &args.out, &mut problems);
    report(&problems, &Sources::default(), console)?;
    let written = Report::of(&recorded);
    let mut exit = Exit::Passed;
    for out in &outs {
        if let Err(fault) = out.write(&written) {
            // A reader that left takes nothing back of what went wrong before.
            if !fault.is_closed_pipe() {
                exit = tell(&fault, console);
            }
            if exit == Exit::Refused {
                // What cannot be read once cannot be read for the next file either.
                break;
            }
        }
    }
    Ok(exit)
}

/// Results, and the files that they are read from.
struct Input<'r> {
    name: &'r str,
    files: Vec<PathBuf>,
}

impl<'r> Input<'r> {
    /// What is no JSONL is read from a copy, so that the file that was typed counts as well.
    fn of(recorded: &'r Recorded, typed: PathBuf) -> Self {
        let files = [recorded.path().to_owned(), typed].into_iter();
        let files = files.filter_map(|file| file.canonicalize().ok()).filter(|file| file.is_file());
        Self { name: &recorded.name, files: files.collect() }
    }
}

/// Rows that come twice would count as repeats.
fn doubled(inputs: &[Input<'_>], problems: &mut Problems) {
    for (place, input) in inputs.iter().enumerate() {
        let mut before = inputs.iter().take(place);
        if before.any(|it| it.files.iter().any(|file| input.files.contains(file))) {
            let message = format!("`{}` is given twice", escape_controls(input.name));
            problems.push(Diagnostic::error(message).code("unreadable-run"));
        }
    }
}

fn replaced(inputs: &[Input<'_>], outs: &[PathBuf], problems: &mut Problems) {
    for out in outs {
        let Ok(file) = out.canonicalize() else { continue };
        if inputs.iter().any(|input| input.files.contains(&file)) {
            let shown = out.to_string_lossy();
            let message =
                format!("--out would replace `{}`, which is read", escape_controls(&shown));
            let problem = Diagnostic::error(message).code("unwritable-file");
            problems.push(problem.hint("choose another file"));
        }
    }
}

fn tell(fault: &OutFault, console: Console) -> Exit {
    match &fault.cause {
        RenderFault::Row(row) => refuse(row.to_string(), console),
        RenderFault::Write(_) => unrecorded(&fault.to_string(), console),
    }
}
