//! Why the record of a run could not be kept.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use agentv_base::escape_controls;

/// Something about a run's folder that did not work: what was tried, where, and the cause.
#[derive(Debug)]
pub struct RecordFault {
    /// What was tried, as in "cannot …".
    pub action: &'static str,
    pub path: PathBuf,
    pub cause: io::Error,
}

impl RecordFault {
    /// For `map_err`: the fault of doing `action` to `path`.
    pub(crate) fn of(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self { action, path, cause }
    }
}

impl fmt::Display for RecordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string_lossy();
        write!(f, "cannot {} `{}`: {}", self.action, escape_controls(&path), self.cause)
    }
}

// The cause is part of the message already; naming it as a source too would show it twice.
impl std::error::Error for RecordFault {}
