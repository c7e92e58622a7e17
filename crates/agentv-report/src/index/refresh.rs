//! Brings the list of runs up to date: new ones are read, changed ones again, and those that are gone
//! are forgotten.

use std::{
    collections::{HashMap, HashSet},
    fs, io,
    path::Path,
};

use rusqlite::{OptionalExtension as _, params};

use super::{Index, IndexFault, entry::RunEntry, stamp::FileStamp};
use crate::record::Timestamp;

/// A folder that a run is in.
struct Folder {
    name: String,
    /// Of its `run.json`, or why there is none to be had.
    stamp: io::Result<FileStamp>,
}

impl Index<'_> {
    /// Every run, the newest first. One whose `run.json` cannot be read says so.
    pub fn runs(&mut self) -> Result<Vec<RunEntry>, IndexFault> {
        let folders = folders(&self.results).map_err(IndexFault::io(&self.results))?;
        let mut known: HashMap<String, (i64, String, String)> = HashMap::new();
        {
            let mut all = self
                .store
                .connection
                .prepare("SELECT name, run, manifest_stamp, entry FROM runs")?;
            let mut rows = all.query([])?;
            while let Some(row) = rows.next()? {
                known.insert(row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?));
            }
        }
        let mut entries = Vec::with_capacity(folders.len());
        for folder in &folders {
            let before = known.get(&folder.name);
            entries.push(self.entry(folder, before)?);
        }
        let there: HashSet<&str> = folders.iter().map(|folder| folder.name.as_str()).collect();
        for (name, (run, ..)) in &known {
            if !there.contains(name.as_str()) {
                self.forget(*run)?;
            }
        }
        sort(&mut entries);
        Ok(entries)
    }

    fn entry(
        &mut self,
        folder: &Folder,
        before: Option<&(i64, String, String)>,
    ) -> Result<RunEntry, IndexFault> {
        let stamp = match &folder.stamp {
            Ok(stamp) => stamp.as_str(),
            // Not remembered: rights can change without a trace.
            Err(cause) => return Ok(RunEntry::unreadable(&folder.name, cause)),
        };
        if let Some((_, known, entry)) = before
            && known == stamp
            && let Ok(entry) = serde_json::from_str(entry)
        {
            return Ok(entry);
        }
        let entry = RunEntry::read(&folder.name, &self.results.join(&folder.name).join("run.json"));
        self.remember(&folder.name, stamp, &entry)?;
        Ok(entry)
    }

    fn remember(&mut self, name: &str, stamp: &str, entry: &RunEntry) -> Result<(), IndexFault> {
        self.store.begin_writing();
        let entry = serde_json::to_string(entry).unwrap_or_default();
        self.store
            .connection
            .prepare_cached(
                "INSERT INTO runs (name, manifest_stamp, entry) VALUES (?1, ?2, ?3)
                 ON CONFLICT (name) DO UPDATE SET manifest_stamp = ?2, entry = ?3",
            )?
            .execute(params![name, stamp, entry])?;
        Ok(())
    }

    fn forget(&mut self, run: i64) -> Result<(), IndexFault> {
        self.store.begin_writing();
        for table in ["rows", "run_tags", "runs"] {
            let forget = format!("DELETE FROM {table} WHERE run = ?1");
            self.store.connection.prepare_cached(&forget)?.execute([run])?;
        }
        Ok(())
    }

    /// The number of a run whose folder has this name; it need not have been listed.
    pub(super) fn number_of(&mut self, name: &str) -> Result<i64, IndexFault> {
        let find = "SELECT run FROM runs WHERE name = ?1";
        let found =
            self.store.connection.query_row(find, [name], |row| row.get::<_, i64>(0)).optional()?;
        if let Some(run) = found {
            return Ok(run);
        }
        // No stamp is empty, so that its `run.json` is read when somebody asks for it.
        self.remember(name, "", &RunEntry::default())?;
        Ok(self.store.connection.last_insert_rowid())
    }
}

/// The newest first, by what `run.json` says, else by the name, which begins with the time.
fn sort(entries: &mut [RunEntry]) {
    let key = |entry: &RunEntry| {
        let told = entry.started_at.map(Timestamp::compact);
        (told.unwrap_or_else(|| entry.run_id.clone()), entry.run_id.clone())
    };
    entries.sort_by_cached_key(|entry| std::cmp::Reverse(key(entry)));
}

/// Folders with a `run.json`, also one that cannot be read. What starts with a dot is no run.
fn folders(results: &Path) -> io::Result<Vec<Folder>> {
    let entries = match fs::read_dir(results) {
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut folders = Vec::new();
    for entry in entries {
        let Ok(name) = entry?.file_name().into_string() else { continue };
        if name.starts_with('.') {
            continue;
        }
        let stamp = match fs::metadata(results.join(&name).join("run.json")) {
            Ok(file) if file.is_file() => Ok(FileStamp::of(&file)),
            Ok(_) => continue,
            Err(fault) if is_none(&fault) => continue,
            Err(fault) => Err(fault),
        };
        folders.push(Folder { name, stamp });
    }
    Ok(folders)
}

fn is_none(fault: &io::Error) -> bool {
    matches!(fault.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
