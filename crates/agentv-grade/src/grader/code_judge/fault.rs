//! How a code judge can fail, in words that say what happened and show the end of what it wrote to
//! standard error.

use std::{fmt::Write as _, io, path::Path, time::Duration};

use agentv_base::{
    Captured, Exit, GraderFault, ProcessFault, ProcessOutput, Program, Score, ended_by,
    escape_controls, excerpt, exited, tail,
};

/// The end of a traceback, not its whole.
const SHOWN_BYTES: usize = 2048;

/// Enough of a verdict to know it by.
const SHOWN_VERDICT: usize = 200;

/// A judge that could not be run to its end.
pub(super) fn of_run(fault: &ProcessFault, program: &Program, cwd: &Path) -> GraderFault {
    match fault {
        ProcessFault::Interrupted => GraderFault::interrupted(),
        ProcessFault::Io(_) => GraderFault::new(fault.to_string()),
        ProcessFault::Spawn(error) => match way_out(error, program, cwd) {
            Some(hint) => GraderFault::new(format!("{fault}\n{hint}")),
            None => GraderFault::new(fault.to_string()),
        },
    }
}

/// What to do about a program that could not be started, where its name or its file tell.
fn way_out(error: &io::Error, program: &Program, cwd: &Path) -> Option<String> {
    let Program::Argv(argv) = program else { return None };
    let name = argv.first()?;
    if !cwd.is_dir() {
        return None;
    }
    let file = cwd.join(name);
    let is_path = name.contains('/');
    let is_missing = error.kind() == io::ErrorKind::NotFound;
    if is_missing && is_path && file.exists() {
        return Some(
            "the file is there; the program that its first line (`#!`) names is not".into(),
        );
    }
    if is_missing && is_path {
        let folder = cwd.display();
        return Some(format!("the path starts at the folder that the judge runs in: {folder}"));
    }
    if is_missing && file.exists() {
        return Some(format!(
            "a name without `/` is looked for on the PATH; for the file in {} write `./{name}`",
            cwd.display()
        ));
    }
    if is_missing {
        return Some("it is looked for on the PATH and is not there".into());
    }
    if error.kind() == io::ErrorKind::PermissionDenied && file.is_file() {
        return Some(format!(
            "it may not be run: `chmod +x {name}`, or name its interpreter first"
        ));
    }
    // The system does not know what kind of program it is.
    let is_unknown = error.to_string().contains("(os error 8)");
    is_unknown.then(|| {
        "a script needs a first line such as `#!/bin/sh`, or its interpreter named first".into()
    })
}

/// What a judge printed, where it ended as it should; else how it ended.
pub(super) fn check_end(
    output: &ProcessOutput,
    deadline: Option<Duration>,
    most_output: usize,
) -> Result<&str, String> {
    match (output.exit, deadline) {
        (Exit::Code(0), _) => {}
        (Exit::Code(code), _) => return Err(exit_of(code)),
        (Exit::Signal(signal), _) => return Err(format!("it {}", ended_by(signal))),
        (Exit::TimedOut, deadline) => {
            let after = deadline.map(|deadline| format!(" after {} s", deadline.as_secs_f64()));
            return Err(format!("timed out{}{}", after.unwrap_or_default(), too_late(output)));
        }
    }
    // Only the head is asked for, so what was cut is the end.
    let printed = &output.stdout;
    if printed.cut > 0 || !printed.tail.is_empty() {
        return Err(format!(
            "it printed more than {} KiB; a judge prints one small JSON object",
            most_output / 1024
        ));
    }
    std::str::from_utf8(&printed.head).map_err(|error| {
        format!("it printed what is not UTF-8 (from byte {})", error.valid_up_to() + 1)
    })
}

/// What a judge printed that was ended at its deadline is no verdict: it may have had more to say.
fn too_late(output: &ProcessOutput) -> String {
    let printed = output.stdout.text();
    let printed = printed.trim();
    if printed.is_empty() {
        return String::new();
    }
    let shown = excerpt(printed, SHOWN_VERDICT);
    format!("; it had not ended, so what it had printed does not count: `{shown}`")
}

/// An exit code, with what shells mean by it.
fn exit_of(code: i32) -> String {
    let meaning = match code {
        126 => "a command that may not be run",
        127 => "a command that is not found",
        _ => return format!("it {}", exited(code)),
    };
    format!("it {} (the shell's code for {meaning})", exited(code))
}

/// What a judge that gave a verdict wrote beside it.
pub(super) fn said_beside(output: &ProcessOutput) -> Option<String> {
    Some(end_of(&output.stderr)).filter(|said| !said.is_empty())
}

/// The fault of a judge that ran: the reason, and the end of what it wrote beside its score.
pub(super) fn of_output(reason: &str, output: &ProcessOutput) -> GraderFault {
    let mut message = reason.to_owned();
    let (stdout, stderr) = (end_of(&output.stdout), end_of(&output.stderr));
    if !stderr.is_empty() {
        let _ = write!(message, "\nstderr: {stderr}");
    } else if matches!(output.exit, Exit::Signal(_) | Exit::Code(1..)) && !stdout.is_empty() {
        // Some programs complain on standard output; where the output itself is at fault, the
        // reason shows it.
        let _ = write!(message, "\nstdout: {stdout}");
    }
    if let Some(leaks) = leaks(output) {
        let _ = write!(message, "\n{leaks}");
    }
    GraderFault::new(message)
}

/// A score stays a score, but processes that could not be ended are named beside it.
pub(super) fn note_leaks(score: Score, output: &ProcessOutput) -> Score {
    let Some(leaks) = leaks(output) else {
        return score;
    };
    let reasoning = match score.reasoning {
        Some(reasoning) => format!("{reasoning}\n{leaks}"),
        None => leaks,
    };
    Score { reasoning: Some(reasoning), ..score }
}

fn leaks(output: &ProcessOutput) -> Option<String> {
    if output.leaked.is_empty() {
        return None;
    }
    let named: Vec<String> = output
        .leaked
        .iter()
        .map(|process| format!("{} ({})", process.pid, escape_controls(&process.command)))
        .collect();
    Some(format!("the judge left processes behind that could not be ended: {}", named.join(", ")))
}

/// The last lines of a stream, without anything that could upset a screen.
fn end_of(stream: &Captured) -> String {
    let text = stream.text();
    let text = text.trim_end();
    let end = tail(text, SHOWN_BYTES);
    let is_cut = end.len() < text.len();
    // From a whole word on: the second half of a secret would not be known for one.
    let end = match end.split_once(char::is_whitespace) {
        Some((_, rest)) if is_cut => rest,
        _ => end,
    };
    let lines: Vec<_> = end.lines().map(escape_controls).collect();
    let lines = lines.join("\n");
    if is_cut { format!("… {lines}") } else { lines }
}
