//! Files that a run changes by itself: a target may keep its state in a file that its command names.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, time::Duration};

use agentv_report::RunFile;

use super::Earlier;
use crate::{contents::is_instruction, identity::Known};

/// What targets that were under way may still have written after the last row of a run that was
/// killed. One that came to an end says when.
const AFTERWARDS: Duration = Duration::from_secs(10);

impl Earlier {
    /// Data files that were last changed while the run was at work, as it found them when it began.
    /// Their changes are its own, as they are in a run that nobody disturbs; what was changed since
    /// is not among them, nor is any script.
    pub fn own_files(&self, root: &Path) -> Known {
        let manifest = &self.run.manifest;
        let sessions = manifest.sessions.iter();
        let times = sessions.flat_map(|it| [Some(it.started_at), it.finished_at]).flatten();
        let times = times.chain(self.ledger.rows.iter().map(|row| row.timestamp));
        let Some(last) = times.max() else { return Known::default() };
        let ended = manifest.sessions.last().is_some_and(|it| it.finished_at.is_some());
        let afterwards = if ended { Duration::ZERO } else { AFTERWARDS };
        let by_itself = |file: &&RunFile| {
            let path = root.join(&file.path);
            let Ok(metadata) = fs::metadata(&path) else { return false };
            let changed = metadata.modified().ok();
            let since = changed.and_then(|changed| changed.duration_since(last.moment()).ok());
            !is_instruction(&path, metadata.permissions().mode())
                && since.is_none_or(|since| since <= afterwards)
        };
        let supposed = manifest.files.iter().filter(by_itself).cloned().collect();
        let all = manifest.files.iter().map(|file| root.join(&file.path)).collect();
        Known { supposed, all: Some(all) }
    }
}
