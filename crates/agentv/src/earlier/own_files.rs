//! Files that a run changes by itself: a target may keep its state in a file that its command names.

use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    time::{Duration, SystemTime},
};

use agentv_report::{RunFile, RunManifest, Timestamp};

use super::Earlier;
use crate::{
    contents::{is_instruction, sha256_of},
    identity::Known,
};

/// What targets that were under way may still have written after the last row of a run that was
/// killed. One that came to an end says what it left.
const AFTERWARDS: Duration = Duration::from_secs(10);

/// Files are stamped by a clock that lags behind ours.
const CLOCK_LAG: Duration = Duration::from_millis(100);

impl Earlier {
    /// Data files that the run itself changed, as it found them when it began. Their changes are its
    /// own, as they are in a run that nobody disturbs; what was changed since is not among them, nor
    /// is any script.
    pub fn own_files(&self, root: &Path) -> Known {
        let manifest = &self.run.manifest;
        let has_ended = manifest.sessions.last().is_some_and(|it| it.finished_at.is_some());
        let last = self.last_sign();
        let by_itself = |file: &RunFile| {
            let path = root.join(&file.path);
            let (now, left) = (|| content(&path), file.left_sha256.as_ref());
            let now = if has_ended {
                left.and_then(|left| now().filter(|now| now == left))
            } else {
                let changed = changed_data_file(&path);
                changed.filter(|changed| *changed <= last + AFTERWARDS).and_then(|_| now())
            }?;
            Some(RunFile { left_sha256: Some(now), ..file.clone() })
        };
        let supposed = manifest.files.iter().filter_map(by_itself).collect();
        let all = manifest.files.iter().map(|file| root.join(&file.path)).collect();
        Known { supposed, all: Some(all) }
    }

    /// When the run is last known to have been at work.
    fn last_sign(&self) -> SystemTime {
        let sessions = self.run.manifest.sessions.iter();
        let times = sessions.flat_map(|it| [Some(it.started_at), it.finished_at]).flatten();
        let times = times.chain(self.ledger.rows.iter().map(|row| row.timestamp));
        times.max().map_or(SystemTime::UNIX_EPOCH, Timestamp::moment)
    }
}

/// Writes down what a session that ends leaves in the data files that were changed meanwhile.
pub fn note_what_is_left(manifest: &mut RunManifest, root: &Path) {
    let Some(session) = manifest.sessions.last() else { return };
    let begun = session.started_at.moment() - CLOCK_LAG;
    for file in &mut manifest.files {
        let path = root.join(&file.path);
        if changed_data_file(&path).is_some_and(|changed| changed >= begun) {
            file.left_sha256 = content(&path);
        }
        file.left_sha256.take_if(|left| *left == file.sha256);
    }
}

fn content(path: &Path) -> Option<String> {
    File::open(path).and_then(sha256_of).ok()
}

/// When a file was changed that says nothing of what is done or asked.
fn changed_data_file(path: &Path) -> Option<SystemTime> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let is_data = !is_instruction(path, metadata.permissions().mode());
    metadata.modified().ok().filter(|_| is_data)
}
