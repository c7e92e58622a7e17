//! The exit codes that CI jobs rely on.

use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Every case passed.
    Passed,
    /// Some case failed its threshold.
    Failed,
    /// Usage, configuration or load error: nothing was run.
    Refused,
    /// Some case could not be evaluated, or results could not be recorded.
    Unevaluated,
    /// Interrupted by a signal, with everything finished so far on disk.
    Interrupted,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::Failed => 1,
            Self::Refused => 2,
            Self::Unevaluated => 3,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
