//! Says which processes are still there. Only where `/proc` tells (Linux); elsewhere nothing is
//! found.

use std::{fmt, fs, process};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

/// A process that carries the text that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub pid: u32,
    pub command: String,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.pid, self.command)
    }
}

/// All processes but this one that carry `marker` in their environment or their command line.
pub fn processes_with(marker: &str) -> Vec<Found> {
    assert!(!marker.is_empty(), "every process carries an empty marker");
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != process::id())
        .filter_map(|pid: u32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let carries = contains(&environment, marker) || contains(&command, marker);
            carries.then(|| Found {
                pid,
                command: String::from_utf8_lossy(&command).replace('\0', " "),
            })
        })
        .collect()
}

/// Fails the test if a process carries `marker` in its environment or its command line.
pub fn assert_no_process_with(marker: &str) {
    let found = processes_with(marker);
    let list: Vec<_> = found.iter().map(Found::to_string).collect();
    assert!(
        found.is_empty(),
        "{} processes with {marker} are left:\n{}",
        found.len(),
        list.join("\n")
    );
}

/// Kills what carries `marker`.
pub(crate) fn kill_processes_with(marker: &str) {
    for found in processes_with(marker) {
        if let Ok(pid) = found.pid.try_into() {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}
