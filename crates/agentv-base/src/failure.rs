//! Why a case could not be evaluated. It is data of the case, never the end of the run and never
//! a score.

use std::sync::Arc;

use crate::{process::LeakedProcess, usage::TokenUsage};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureKind {
    /// The command could not be started at all.
    Spawn,
    /// It ended with a code other than 0.
    Exit,
    /// It was ended by a signal that was not ours.
    Signal,
    /// It was still running at its deadline.
    Timeout,
    /// Its output was absent, empty or unreadable.
    Output,
    /// The output of its batch broke the rules of the format.
    Batch,
    /// Its batch ended without an answer for it.
    Missing,
    /// The target itself said that this case failed.
    Target,
    /// It could not be reached, or the connection broke.
    Connection,
    /// It answered with a status that may pass: too many requests, a fault of its own.
    Http,
    /// It answered that it will not: a wrong key, a request that it does not take.
    Refused,
    /// The target was not fit to be asked.
    Healthcheck,
    /// A grader could not give a score.
    Grader,
    /// The run was stopped while the case was under way. Leaves no row.
    Interrupted,
}

/// Where to look for the cause. None of them says anything about the quality of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultClass {
    /// The machine, the network or the service: it may be gone tomorrow.
    Infrastructure,
    /// What somebody wrote down is wrong: it will be there tomorrow.
    Configuration,
    /// The target broke its side of the contract.
    Target,
    Grader,
    Interrupted,
}

impl FaultClass {
    /// The name in rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Infrastructure => "infrastructure",
            Self::Configuration => "configuration",
            Self::Target => "target",
            Self::Grader => "grader",
            Self::Interrupted => "interrupted",
        }
    }
}

impl FailureKind {
    /// Every kind there is.
    pub const ALL: &'static [Self] = &[
        Self::Spawn,
        Self::Exit,
        Self::Signal,
        Self::Timeout,
        Self::Output,
        Self::Batch,
        Self::Missing,
        Self::Target,
        Self::Connection,
        Self::Http,
        Self::Refused,
        Self::Healthcheck,
        Self::Grader,
        Self::Interrupted,
    ];

    /// The kind that goes by this name in rows and recordings.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The name in rows and in `invoke`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spawn => "spawn",
            Self::Exit => "exit",
            Self::Signal => "signal",
            Self::Timeout => "timeout",
            Self::Output => "output",
            Self::Batch => "batch",
            Self::Missing => "missing",
            Self::Target => "target",
            Self::Connection => "connection",
            Self::Http => "http",
            Self::Refused => "refused",
            Self::Healthcheck => "healthcheck",
            Self::Grader => "grader",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whose fault it is.
    pub fn class(self) -> FaultClass {
        match self {
            // A shell starts nearly always; where it does not, the machine lacks processes, memory
            // or disk. A program that is not there is an exit of the shell.
            Self::Spawn
            | Self::Signal
            | Self::Timeout
            | Self::Connection
            | Self::Http
            | Self::Healthcheck => FaultClass::Infrastructure,
            Self::Refused => FaultClass::Configuration,
            Self::Exit | Self::Output | Self::Batch | Self::Missing | Self::Target => {
                FaultClass::Target
            }
            Self::Grader => FaultClass::Grader,
            Self::Interrupted => FaultClass::Interrupted,
        }
    }

    /// Whether another attempt could end differently: anything an invocation did wrong.
    pub fn is_worth_another_attempt(self) -> bool {
        match self {
            Self::Spawn
            | Self::Exit
            | Self::Signal
            | Self::Timeout
            | Self::Output
            | Self::Batch
            | Self::Missing
            | Self::Target
            | Self::Connection
            | Self::Http => true,
            Self::Refused | Self::Healthcheck | Self::Grader | Self::Interrupted => false,
        }
    }
}

/// Why, in words. Cases of one batch share the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub kind: FailureKind,
    pub message: Arc<str>,
    /// How long the attempt took, where it was this case's own.
    pub duration_ms: Option<f64>,
    /// What the target said that it took all the same.
    pub token_usage: Option<TokenUsage>,
    pub cost_usd: Option<f64>,
    pub leaked: Arc<[LeakedProcess]>,
}

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<Arc<str>>) -> Self {
        Self {
            kind,
            message: message.into(),
            duration_ms: None,
            token_usage: None,
            cost_usd: None,
            leaked: Arc::from([]),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_is_listed_once_and_has_a_name_of_its_own() {
        // A new kind does not compile here until it stands in the list.
        let listed = |kind: FailureKind| match kind {
            FailureKind::Spawn
            | FailureKind::Exit
            | FailureKind::Signal
            | FailureKind::Timeout
            | FailureKind::Output
            | FailureKind::Batch
            | FailureKind::Missing
            | FailureKind::Target
            | FailureKind::Connection
            | FailureKind::Http
            | FailureKind::Refused
            | FailureKind::Healthcheck
            | FailureKind::Grader
            | FailureKind::Interrupted => 14,
        };
        let names: BTreeSet<_> = FailureKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names.len(), FailureKind::ALL.len());
        for kind in FailureKind::ALL {
            assert_eq!(listed(*kind), FailureKind::ALL.len());
        }
    }

    #[test]
    fn only_what_may_be_gone_next_time_is_worth_another_attempt() {
        for kind in FailureKind::ALL {
            let may_pass = match kind.class() {
                FaultClass::Infrastructure | FaultClass::Target => true,
                FaultClass::Configuration | FaultClass::Grader | FaultClass::Interrupted => false,
            };
            // A healthcheck is done once for a run, before anything is asked.
            let expected = may_pass && *kind != FailureKind::Healthcheck;
            assert_eq!(kind.is_worth_another_attempt(), expected, "{kind:?}");
        }
    }

    #[test]
    fn every_kind_is_known_by_its_name() {
        for kind in FailureKind::ALL {
            assert_eq!(FailureKind::named(kind.name()), Some(*kind));
        }
        assert_eq!(FailureKind::named("boredom"), None);
    }
}
