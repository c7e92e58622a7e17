//! What each process of an invocation may take of the machine: the keys that say it, and what is
//! said of a program that ran into it.

use crate::{
    diagnostic::Problems,
    key::{Key, Shape},
    process::Exit,
    settings::Fields,
};

pub const MAX_MEMORY_MB: Key = Key::new(
    "max_memory_mb",
    Shape::Count,
    "Most address space of each of its processes, in MB of 1024 × 1024 bytes",
)
.default("no limit");

pub const MAX_CPU_SECONDS: Key = Key::new(
    "max_cpu_seconds",
    Shape::Count,
    "Most seconds of a processor that each of its processes may use",
)
.default("no limit");

/// The numbers of the signal that a process gets whose seconds are used up, and of the code that a
/// shell has for it.
const SIGXCPU: i32 = 24;
const SHELL_XCPU: i32 = 128 + SIGXCPU;

const MEGABYTE: u64 = 1024 * 1024;
/// Beyond this, limits overflow somewhere on their way to the system: a tebibyte of megabytes, and
/// more seconds than anybody lives.
const MOST: u64 = 1 << 32;

/// Limits of a process and of each that comes from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Of address space: what a process reserves, not what it touches.
    pub memory_bytes: Option<u64>,
    pub cpu_seconds: Option<u64>,
}

impl ProcessLimits {
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Reads the two keys. Everything wrong with them is reported, and nothing is given then.
    pub fn read(fields: &Fields<'_>, problems: &mut Problems) -> Option<Self> {
        let memory = fields.optional(MAX_MEMORY_MB.name, problems, amount);
        let cpu_seconds = fields.optional(MAX_CPU_SECONDS.name, problems, amount);
        let memory_bytes = memory?.map(|megabytes| megabytes.saturating_mul(MEGABYTE));
        Some(Self { memory_bytes, cpu_seconds: cpu_seconds? })
    }

    /// What to add to the words about a program that ended like this. Seconds that are used up are
    /// known by their signal; memory that was refused is known to the program alone, so it is only
    /// said that there is a limit.
    pub fn explain(&self, exit: Exit) -> String {
        let mut words = String::new();
        let out_of_time = matches!(exit, Exit::Signal(SIGXCPU) | Exit::Code(SHELL_XCPU));
        if let Some(seconds) = self.cpu_seconds.filter(|_| out_of_time) {
            words = format!(" (it used up its {seconds} CPU seconds)");
        }
        let failed =
            matches!(exit, Exit::Signal(_)) || matches!(exit, Exit::Code(code) if code != 0);
        if let Some(bytes) = self.memory_bytes.filter(|_| failed && !out_of_time) {
            words = format!(" (its memory is limited to {} MB)", bytes / MEGABYTE);
        }
        words
    }
}

fn amount(fields: &Fields<'_>, name: &str, problems: &mut Problems) -> Option<u64> {
    let count = u64::try_from(fields.count(name, problems)?).unwrap_or(u64::MAX);
    if count <= MOST {
        return Some(count);
    }
    let span = fields.get(name).map_or(fields.span(), |node| node.span);
    problems.error(span, format!("`{name}` is more than any machine has"));
    None
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::node::Node;

    const KEYS: &[Key] = &[MAX_MEMORY_MB, MAX_CPU_SECONDS];

    fn check(settings: &Value) -> (Option<ProcessLimits>, Vec<String>) {
        let node = Node::from_json(settings);
        let mut problems = Problems::default();
        let fields = Fields::read(&node, "target", &[KEYS], &mut problems).unwrap();
        let limits = ProcessLimits::read(&fields, &mut problems);
        (limits, problems.iter().map(|problem| problem.message.clone()).collect())
    }

    #[test]
    fn limits_are_whole_numbers_from_one_on_under_either_spelling() {
        let none = check(&json!({}));
        assert_eq!(none, (Some(ProcessLimits::default()), vec![]));
        let both = ProcessLimits { memory_bytes: Some(512 * MEGABYTE), cpu_seconds: Some(3) };
        assert_eq!(check(&json!({"max_memory_mb": 512, "maxCpuSeconds": 3})), (Some(both), vec![]));
    }

    #[test]
    fn every_limit_that_cannot_be_set_is_named() {
        let (limits, problems) =
            check(&json!({"max_memory_mb": 0, "max_cpu_seconds": 1_u64 << 40}));
        assert_eq!(limits, None);
        assert_eq!(
            problems,
            [
                "`max_memory_mb` must be a whole number of at least 1",
                "`max_cpu_seconds` is more than any machine has"
            ]
        );
    }

    #[test]
    fn used_up_seconds_are_named_and_memory_is_only_hinted_at() {
        let limits = ProcessLimits { memory_bytes: Some(64 * MEGABYTE), cpu_seconds: Some(2) };
        for (exit, words) in [
            (Exit::Signal(24), " (it used up its 2 CPU seconds)"),
            (Exit::Code(152), " (it used up its 2 CPU seconds)"),
            (Exit::Code(1), " (its memory is limited to 64 MB)"),
            (Exit::Signal(6), " (its memory is limited to 64 MB)"),
            (Exit::Code(0), ""),
            (Exit::TimedOut, ""),
        ] {
            assert_eq!(limits.explain(exit), words, "{exit:?}");
            assert_eq!(ProcessLimits::default().explain(exit), "");
        }
    }
}
