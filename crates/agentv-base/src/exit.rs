//! How a program that failed ended, in words that follow its name.

/// `exited with code 2`, with the signal where a shell says by the code that its program was ended
/// by one: 128 and the number of the signal.
pub fn exited(code: i32) -> String {
    match code.checked_sub(128).and_then(signal_name) {
        Some(signal) => format!("exited with code {code} (the shell's code for {signal})"),
        None => format!("exited with code {code}"),
    }
}

/// `was ended by SIGKILL`.
pub fn ended_by(signal: i32) -> String {
    match signal_name(signal) {
        Some(name) => format!("was ended by {name}"),
        None => format!("was ended by signal {signal}"),
    }
}

/// The signals that end programs.
fn signal_name(signal: i32) -> Option<&'static str> {
    let mut known = COMMON.iter().chain(OF_THIS_SYSTEM);
    known.find(|(number, _)| *number == signal).map(|(_, name)| *name)
}

/// Those that have the same number on every system.
const COMMON: &[(i32, &str)] = &[
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
    (24, "SIGXCPU"),
    (25, "SIGXFSZ"),
    (26, "SIGVTALRM"),
    (27, "SIGPROF"),
];

#[cfg(target_os = "linux")]
const OF_THIS_SYSTEM: &[(i32, &str)] =
    &[(7, "SIGBUS"), (10, "SIGUSR1"), (12, "SIGUSR2"), (31, "SIGSYS")];

#[cfg(target_os = "macos")]
const OF_THIS_SYSTEM: &[(i32, &str)] =
    &[(10, "SIGBUS"), (12, "SIGSYS"), (30, "SIGUSR1"), (31, "SIGUSR2")];

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
const OF_THIS_SYSTEM: &[(i32, &str)] = &[];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_names_the_signal_that_a_shell_means_by_it() {
        for (code, words) in [
            (1, "exited with code 1"),
            (128, "exited with code 128"),
            (137, "exited with code 137 (the shell's code for SIGKILL)"),
            (255, "exited with code 255"),
            (i32::MIN, "exited with code -2147483648"),
        ] {
            assert_eq!(exited(code), words);
        }
    }

    #[test]
    fn a_signal_has_its_name_or_else_its_number() {
        assert_eq!(ended_by(9), "was ended by SIGKILL");
        assert_eq!(ended_by(64), "was ended by signal 64");
    }

    #[test]
    fn no_number_has_two_names() {
        let numbers = || COMMON.iter().chain(OF_THIS_SYSTEM).map(|(number, _)| number);
        for number in numbers() {
            assert_eq!(numbers().filter(|other| *other == number).count(), 1, "{number}");
        }
    }
}
