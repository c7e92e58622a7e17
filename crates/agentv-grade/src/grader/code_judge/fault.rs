//! How a code judge can fail, in words that say what happened and show the end of what it wrote to
//! standard error.

use std::{fmt::Write as _, time::Duration};

use agentv_base::{
    Captured, Exit, GraderFault, ProcessFault, ProcessOutput, Score, escape_controls, tail,
};

/// The end of a traceback, not its whole.
const SHOWN_BYTES: usize = 2048;

/// A judge that could not be run to its end.
pub(super) fn of_run(fault: &ProcessFault) -> GraderFault {
    match fault {
        ProcessFault::Interrupted => GraderFault::interrupted(),
        ProcessFault::Spawn(_) | ProcessFault::Io(_) => GraderFault::new(fault.to_string()),
    }
}

/// What a judge printed, where it ended as it should; else how it ended.
pub(super) fn check_end(
    output: &ProcessOutput,
    deadline: Option<Duration>,
    most_output: usize,
) -> Result<&str, String> {
    match (output.exit, deadline) {
        (Exit::Code(0), _) => {}
        (Exit::Code(code), _) => return Err(format!("it exited with code {code}")),
        (Exit::Signal(signal), _) => return Err(format!("it was killed by signal {signal}")),
        (Exit::TimedOut, Some(deadline)) => {
            return Err(format!("timed out after {} s", deadline.as_secs_f64()));
        }
        (Exit::TimedOut, None) => return Err("timed out".to_owned()),
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

/// The fault of a judge that ran: the reason, and the end of what it wrote beside its score.
pub(super) fn of_output(reason: &str, output: &ProcessOutput) -> GraderFault {
    let mut message = reason.to_owned();
    let (stdout, stderr) = (end_of(&output.stdout), end_of(&output.stderr));
    if !stderr.is_empty() {
        let _ = write!(message, "\nstderr: {stderr}");
    } else if output.exit != Exit::Code(0) && !stdout.is_empty() {
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
    let lines: Vec<_> = end.lines().map(escape_controls).collect();
    let lines = lines.join("\n");
    if end.len() < text.len() { format!("… {lines}") } else { lines }
}
