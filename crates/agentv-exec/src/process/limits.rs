//! Limits of memory and CPU time. The shell sets them on itself before it becomes the program, or
//! starts it: whatever comes from it has them too. A shell that cannot is a process that could not
//! be started, never one without its limits.

use std::{fmt::Write as _, io};

use agentv_base::{Exit, ProcessLimits, ProcessOutput, escape_controls, tail};

use super::MARKER_VARIABLE;

/// How a shell ends that cannot set the limits. Programs end with it too, so the last line of its
/// standard error is looked at as well.
const REFUSED: i32 = 125;
const REFUSED_WORDS: &str = "agentv: no limits for";

/// How long a program has that catches the signal at its limit of CPU seconds, before it is killed.
const CPU_GRACE: u64 = 2;

/// Enough of what a shell says about a limit.
const SHOWN: usize = 300;

/// Lines for the shell that set the limits; nothing where there are none.
pub(super) fn preamble(limits: &ProcessLimits) -> String {
    let mut settings = Vec::new();
    if let Some(bytes) = limits.memory_bytes {
        settings.push(format!("ulimit -v {}", bytes.div_ceil(1024)));
    }
    if let Some(seconds) = limits.cpu_seconds {
        // At a hard limit the system kills without a word, so the soft one comes first.
        settings.push(format!("ulimit -S -t {seconds}"));
        settings.push(format!("ulimit -H -t {}", seconds.saturating_add(CPU_GRACE)));
    }
    let mut lines = String::new();
    if !settings.is_empty() {
        let settings = settings.join(" && ");
        let refuse = format!("echo \"{REFUSED_WORDS} ${MARKER_VARIABLE}\" >&2; exit {REFUSED}");
        let _ = writeln!(lines, "{settings} || {{ {refuse}; }}");
    }
    lines
}

/// Why a process with limits was not started after all: its shell could not set them.
pub(super) fn refusal(
    limits: &ProcessLimits,
    marker: &str,
    output: &ProcessOutput,
) -> Option<io::Error> {
    if limits.is_none() || output.exit != Exit::Code(REFUSED) {
        return None;
    }
    let stderr = output.stderr.text();
    let said = stderr.trim_end().strip_suffix(&format!("{REFUSED_WORDS} {marker}"))?;
    let said = escape_controls(tail(said.trim(), SHOWN));
    Some(io::Error::new(
        io::ErrorKind::Unsupported,
        format!("the shell cannot set its limits (`max_memory_mb`, `max_cpu_seconds`): {said}"),
    ))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agentv_base::Captured;

    use super::*;

    const LIMITS: ProcessLimits =
        ProcessLimits { memory_bytes: Some(64 * 1024 * 1024), cpu_seconds: Some(3) };

    #[test]
    fn without_limits_nothing_is_put_before_a_command() {
        assert_eq!(preamble(&ProcessLimits::default()), "");
    }

    #[test]
    fn the_signal_comes_before_the_kill_and_one_refusal_is_enough() {
        assert_eq!(
            preamble(&LIMITS),
            "ulimit -v 65536 && ulimit -S -t 3 && ulimit -H -t 5 || \
             { echo \"agentv: no limits for $AGENTV_INVOCATION\" >&2; exit 125; }\n"
        );
    }

    fn check(limits: &ProcessLimits, exit: Exit, stderr: &str) -> Option<String> {
        let output = ProcessOutput {
            exit,
            stdout: Captured::default(),
            stderr: Captured { head: stderr.into(), ..Captured::default() },
            duration: Duration::ZERO,
            ended_leftovers: 0,
            leaked: Vec::new(),
        };
        refusal(limits, "run.7", &output).map(|error| error.to_string())
    }

    #[test]
    fn a_refusal_is_told_from_a_program_that_ends_in_the_same_way() {
        let said = "sh: 1: ulimit: Illegal option -v\nagentv: no limits for run.7\n";
        assert_eq!(
            check(&LIMITS, Exit::Code(125), said).as_deref(),
            Some(
                "the shell cannot set its limits (`max_memory_mb`, `max_cpu_seconds`): \
                 sh: 1: ulimit: Illegal option -v"
            )
        );
        assert_eq!(check(&LIMITS, Exit::Code(125), "docker: no daemon\n"), None);
        assert_eq!(check(&LIMITS, Exit::Code(1), said), None);
        assert_eq!(check(&ProcessLimits::default(), Exit::Code(125), said), None);
        let other = said.replace("run.7", "run.8");
        assert_eq!(check(&LIMITS, Exit::Code(125), &other), None);
    }
}
