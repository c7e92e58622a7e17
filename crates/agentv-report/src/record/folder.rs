//! The folder of one run, `.agentv/results/<run-id>`.
//!
//! Invariant: under its own name a run's folder is complete from the first moment; whatever is not
//! complete has a name that starts with a dot.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, ErrorKind, Write as _},
    path::{Path, PathBuf},
};

use super::{
    fault::RecordFault,
    manifest::RunManifest,
    run_id::{random_suffix, run_id},
};

const MANIFEST: &str = "run.json";
const RESULTS: &str = "results.jsonl";

/// Two runs that start in the same millisecond and draw the same four characters are one in a
/// million; so many in a row is something else.
const MOST_NAMES: usize = 64;

/// Where a run is recorded.
#[derive(Clone, Debug)]
pub struct RunFolder {
    run_id: String,
    path: PathBuf,
}

/// Writes the rows that a run begins with.
pub type Rows<'a> = &'a mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>;

impl RunFolder {
    /// Makes the folder of a new run under the repository root, with a complete `run.json` and no
    /// rows. The run's id is given here, whatever the manifest says. Whoever records the run brings
    /// it to the disk: to wait for that would hold up the first case.
    pub fn create(root: &Path, manifest: &RunManifest) -> Result<Self, RecordFault> {
        Self::create_with(root, manifest, random_suffix, &mut |_| Ok(()))
    }

    /// The same with rows of other runs, which are all there, and on the disk, before the folder is.
    pub fn create_carrying(
        root: &Path,
        manifest: &RunManifest,
        rows: Rows<'_>,
    ) -> Result<Self, RecordFault> {
        let folder = Self::create_with(root, manifest, random_suffix, rows)?;
        let failed = RecordFault::of("bring to the disk the folder", &folder.path);
        folder.bring_to_disk().map_err(failed)?;
        Ok(folder)
    }

    /// The folder of a run that was made before.
    pub fn at(path: PathBuf) -> Self {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        // `.` and `..` have no name of their own.
        let named = || Some(path.canonicalize().ok()?.file_name()?.to_string_lossy().into_owned());
        Self { run_id: name.or_else(named).unwrap_or_default(), path }
    }

    fn create_with(
        root: &Path,
        manifest: &RunManifest,
        mut suffix: impl FnMut() -> String,
        rows: Rows<'_>,
    ) -> Result<Self, RecordFault> {
        let results = root.join(".agentv").join("results");
        let made = fs::create_dir_all(&results).map_err(in_the_way);
        made.map_err(RecordFault::of("make the folder", &results))?;
        for _ in 0..MOST_NAMES {
            let run_id = run_id(manifest.started_at, &suffix());
            if let Some(folder) = Self::claim(&results, run_id, manifest, rows)? {
                return Ok(folder);
            }
        }
        Err(RecordFault::of("find a free name for the run in", &results)(
            ErrorKind::AlreadyExists.into(),
        ))
    }

    /// Makes the folder under this name; nothing where the name is taken.
    fn claim(
        results: &Path,
        run_id: String,
        manifest: &RunManifest,
        rows: Rows<'_>,
    ) -> Result<Option<Self>, RecordFault> {
        let new = results.join(format!(".new-{run_id}"));
        match fs::create_dir(&new) {
            Ok(()) => {}
            Err(fault) if fault.kind() == ErrorKind::AlreadyExists => return Ok(None),
            Err(fault) => return Err(RecordFault::of("make the folder", &new)(fault)),
        }
        let claimed = fill(&new, &run_id, manifest, rows).and_then(|()| {
            let path = results.join(&run_id);
            match fs::rename(&new, &path) {
                Ok(()) => Ok(Some(Self { run_id, path })),
                // A run's folder is never empty, so it is never replaced by a rename.
                Err(fault) if is_taken(&fault) => Ok(None),
                Err(fault) => Err(RecordFault::of("make the folder", &path)(fault)),
            }
        });
        if !matches!(claimed, Ok(Some(_))) {
            // What could not be finished is of no use to anybody; if it stays, its dot hides it.
            let _ = fs::remove_dir_all(&new);
        }
        claimed
    }

    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn results_path(&self) -> PathBuf {
        self.path.join(RESULTS)
    }

    pub fn manifest_path(&self) -> PathBuf {
        self.path.join(MANIFEST)
    }

    /// Replaces `run.json` in one step: whoever reads it sees the old or the new one, whole.
    pub fn write_manifest(&self, manifest: &RunManifest) -> Result<(), RecordFault> {
        let path = self.manifest_path();
        let written = self.replace_manifest(manifest, File::sync_all);
        written.and_then(|()| sync_folder(&self.path)).map_err(RecordFault::of("write", &path))
    }

    /// The same of a run that begins: whoever records it brings it to the disk.
    pub fn write_first_manifest(&self, manifest: &RunManifest) -> Result<(), RecordFault> {
        let path = self.manifest_path();
        self.replace_manifest(manifest, |_| Ok(())).map_err(RecordFault::of("write", &path))
    }

    fn replace_manifest(
        &self,
        manifest: &RunManifest,
        sync: fn(&File) -> io::Result<()>,
    ) -> io::Result<()> {
        let new = self.path.join(".run.json.new");
        let json = manifest_json(&self.run_id, manifest)?;
        let mut file = File::create(&new)?;
        file.write_all(&json)?;
        sync(&file)?;
        fs::rename(&new, self.manifest_path())
    }

    /// Its files, and then its name and those of the folders above it, which may be new.
    pub(super) fn bring_to_disk(&self) -> io::Result<()> {
        File::open(self.manifest_path())?.sync_all()?;
        File::open(self.results_path())?.sync_all()?;
        // Its own folder, and that of all runs; then `.agentv` and the root, which are new at most
        // once, and which not everybody may open.
        let mut folders = self.path.ancestors().filter(|it| !it.as_os_str().is_empty());
        folders.by_ref().take(2).try_for_each(sync_folder)?;
        folders.take(2).for_each(|above| drop(sync_folder(above)));
        Ok(())
    }
}

/// A name is on the disk when the folder that it stands in is: to sync the file is not enough.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    match File::open(path).and_then(|folder| folder.sync_all()) {
        // There are file systems that cannot sync a folder; nobody would be helped by refusing.
        Err(fault) if matches!(fault.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
            Ok(())
        }
        synced => synced,
    }
}

/// "File exists" is no reason why a folder cannot be made, unless it is a file.
fn in_the_way(fault: io::Error) -> io::Error {
    let kind = fault.kind();
    if matches!(kind, ErrorKind::AlreadyExists | ErrorKind::NotADirectory) {
        return io::Error::new(kind, "a file is in the way");
    }
    fault
}

/// The two files of a run that has not begun.
fn fill(
    folder: &Path,
    run_id: &str,
    manifest: &RunManifest,
    rows: Rows<'_>,
) -> Result<(), RecordFault> {
    let path = folder.join(MANIFEST);
    manifest_json(run_id, manifest)
        .and_then(|json| create_new(&path)?.write_all(&json))
        .map_err(RecordFault::of("write", &path))?;
    let path = folder.join(RESULTS);
    let written = create_new(&path).and_then(|file| {
        let mut buffered = BufWriter::new(file);
        rows(&mut buffered)?;
        buffered.flush()
    });
    written.map_err(RecordFault::of("write", &path))
}

fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// The manifest under the name of its folder: the two can never differ.
fn manifest_json(run_id: &str, manifest: &RunManifest) -> io::Result<Vec<u8>> {
    let mut manifest = manifest.clone();
    run_id.clone_into(&mut manifest.run_id);
    manifest.to_json()
}

fn is_taken(fault: &io::Error) -> bool {
    matches!(fault.kind(), ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty)
}

#[cfg(test)]
mod tests;
