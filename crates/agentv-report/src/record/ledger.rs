//! A run that somebody comes back to: its rows by slot, under a lock, with a torn end set right.
//!
//! Invariant: nothing is changed but the end of a file that no row was finished on, and that piece
//! is kept beside before it is cut off.

use std::{
    collections::{HashMap, hash_map::Entry},
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _},
    os::unix::fs::{FileExt as _, MetadataExt as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use agentv_base::{Spent, escape_controls, excerpt};

use super::{
    fault::RecordFault,
    folder::{RunFolder, sync_folder},
    reader::{RowFault, RowReader, is_whole_row},
    row::{Row, Status},
    spending::{spent_on, spent_on_judges, spent_on_target},
    timestamp::Timestamp,
};

/// Which row it is: a case asked of a target once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlotName {
    pub suite: Box<str>,
    pub eval_id: Box<str>,
    pub target: Box<str>,
    pub repeat: u32,
}

impl SlotName {
    pub fn of(row: &Row<'_>) -> Self {
        Self {
            suite: (&*row.suite).into(),
            eval_id: (&*row.eval_id).into(),
            target: (&*row.target).into(),
            repeat: row.repeat,
        }
    }

    /// For messages: `evals/a.yaml capital (default) #2`.
    pub fn in_words(&self) -> String {
        let cut = |text: &str| excerpt(text, 120);
        let repeat = if self.repeat > 1 { format!(" #{}", self.repeat) } else { String::new() };
        format!("{} {} ({}){repeat}", cut(&self.suite), cut(&self.eval_id), cut(&self.target))
    }
}

/// What is known of a row without its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptRow {
    pub slot: SlotName,
    /// Where it begins, in bytes, and how long it is with its end of line.
    pub offset: u64,
    pub length: u64,
    /// The line of the suite, for the order of rows.
    pub place: Option<usize>,
    pub timestamp: Timestamp,
    pub status: Status,
    pub score: Option<f64>,
    pub threshold: Option<f64>,
    pub has_answer: bool,
    /// What was spent on it: by the target for the attempt that counts, by judges, and in all,
    /// with attempts that failed.
    pub own: Spent,
    pub judges: Spent,
    pub spent: Spent,
    pub fingerprint: Option<Box<str>>,
}

/// Why a run cannot be come back to.
#[derive(Debug, thiserror::Error)]
pub enum LedgerFault {
    #[error("run `{run_id}` is still running: its results are being written by another process")]
    Running { run_id: String },
    #[error(transparent)]
    Record(#[from] RecordFault),
    #[error(transparent)]
    Row(#[from] RowFault),
    #[error(
        "{}: line {second} is another row for {slot}, which has one on line {first}",
        escape_controls(&path.to_string_lossy())
    )]
    Doubled { path: PathBuf, slot: String, first: usize, second: usize },
}

/// What the rows are wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Rows will be added: nobody else may do so at the same time, and the end must be whole.
    GoOn,
    /// Nothing is changed; what was never finished at the end is left out.
    Read,
}

/// The rows of a run, each slot once, in the order of the file.
#[derive(Debug)]
pub struct Ledger {
    pub rows: Vec<KeptRow>,
    /// Where the piece of a torn last line was put, or that there is one.
    pub torn: Option<Torn>,
    /// Holds the lock, and where rows are added where that is the purpose.
    pub(super) file: File,
    by_slot: HashMap<SlotName, usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Torn {
    /// Cut off, and kept in this file.
    Kept(PathBuf),
    /// Left where it is.
    LeftOut,
}

impl Ledger {
    pub fn open(folder: &RunFolder, purpose: Purpose) -> Result<Self, LedgerFault> {
        let path = folder.results_path();
        let opened = match purpose {
            Purpose::GoOn => OpenOptions::new().read(true).append(true).open(&path),
            Purpose::Read => File::open(&path),
        };
        let file = opened.map_err(RecordFault::of("open", &path))?;
        let mut patience = Patience::default();
        lock(&file, purpose, folder, &path, &mut || patience.has_waited())?;
        // Whoever removed the run may have held the lock until now: rows would go into nothing.
        let is_same = |now: fs::Metadata, then: fs::Metadata| {
            (now.dev(), now.ino()) == (then.dev(), then.ino())
        };
        let then = file.metadata().map_err(RecordFault::of("read", &path))?;
        let now = fs::metadata(&path).map_err(RecordFault::of("open", &path))?;
        if !is_same(now, then) {
            return Err(RecordFault::of("open", &path)(ErrorKind::NotFound.into()).into());
        }
        let end = End::of(&file).map_err(RecordFault::of("read", &path))?;
        let mut ledger = Self { rows: Vec::new(), torn: None, file, by_slot: HashMap::new() };
        ledger.read(&path, end.readable())?;
        // Only when every row is known to be one: a run that is refused is left as it was.
        ledger.torn = match purpose {
            Purpose::GoOn => end
                .set_right(&mut ledger.file, &path)
                .map_err(RecordFault::of("set the end right of", &path))?
                .map(Torn::Kept),
            Purpose::Read => end.is_torn().then_some(Torn::LeftOut),
        };
        Ok(ledger)
    }

    /// The rows of a file that stands in no run, to be read: nobody is known to write to it.
    pub fn of_file(path: &Path) -> Result<Self, LedgerFault> {
        let file = File::open(path).map_err(RecordFault::of("open", path))?;
        let end = End::of(&file).map_err(RecordFault::of("read", path))?;
        let torn = end.is_torn().then_some(Torn::LeftOut);
        let mut ledger = Self { rows: Vec::new(), torn, file, by_slot: HashMap::new() };
        ledger.read(path, end.readable())?;
        Ok(ledger)
    }

    /// Reads the rows of so many bytes from the beginning.
    fn read(&mut self, path: &Path, length: u64) -> Result<(), LedgerFault> {
        let mut again = self.file.try_clone().map_err(RecordFault::of("read", path))?;
        again.seek(SeekFrom::Start(0)).map_err(RecordFault::of("read", path))?;
        let source = BufReader::with_capacity(1 << 16, again.take(length));
        let mut reader = RowReader::of(path, source);
        let mut lines = Vec::new();
        while let Some(row) = reader.next() {
            let row = row?;
            let kept = KeptRow::of(&row, reader.offset(), reader.length());
            match self.by_slot.entry(kept.slot.clone()) {
                Entry::Occupied(first) => {
                    return Err(LedgerFault::Doubled {
                        path: path.to_owned(),
                        slot: kept.slot.in_words(),
                        first: lines.get(*first.get()).copied().unwrap_or_default(),
                        second: usize::try_from(reader.line()).unwrap_or_default(),
                    });
                }
                Entry::Vacant(free) => {
                    free.insert(self.rows.len());
                }
            }
            lines.push(usize::try_from(reader.line()).unwrap_or_default());
            self.rows.push(kept);
        }
        Ok(())
    }

    pub fn find(&self, slot: &SlotName) -> Option<&KeptRow> {
        self.rows.get(*self.by_slot.get(slot)?)
    }

    /// The line of a row, byte for byte, with its end.
    pub fn line(&self, row: &KeptRow) -> io::Result<Vec<u8>> {
        let length = usize::try_from(row.length).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, row.offset)?;
        if bytes.last() != Some(&b'\n') {
            bytes.push(b'\n');
        }
        Ok(bytes)
    }
}

impl KeptRow {
    fn of(row: &Row<'_>, offset: u64, length: u64) -> Self {
        Self {
            slot: SlotName::of(row),
            offset,
            length,
            place: row.line,
            timestamp: row.timestamp,
            status: row.status,
            score: row.score,
            threshold: row.threshold,
            has_answer: row.candidate_answer.is_some(),
            own: spent_on_target(row),
            judges: spent_on_judges(row),
            spent: spent_on(row),
            fingerprint: row.fingerprint.as_deref().map(Into::into),
        }
    }
}

/// How long a lock may outlive its process. One that is killed while it starts another leaves a copy
/// of the file with the newcomer, until that has become the program that it is to be.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// How long a lock was waited for.
#[derive(Default)]
struct Patience {
    begun: Option<Instant>,
}

impl Patience {
    /// Waits a little; false where it has been long enough.
    fn has_waited(&mut self) -> bool {
        let begun = *self.begun.get_or_insert_with(Instant::now);
        let waits = begun.elapsed() < LOCK_PATIENCE;
        if waits {
            thread::sleep(LOCK_PAUSE);
        }
        waits
    }
}

/// The system takes a lock back when its process ends, however it ends. `wait` says whether to try
/// again, when it is time to.
fn lock(
    file: &File,
    purpose: Purpose,
    folder: &RunFolder,
    path: &Path,
    wait: &mut dyn FnMut() -> bool,
) -> Result<(), LedgerFault> {
    let locked = loop {
        let locked = match purpose {
            Purpose::GoOn => file.try_lock(),
            Purpose::Read => file.try_lock_shared(),
        };
        if !matches!(locked, Err(TryLockError::WouldBlock)) || !wait() {
            break locked;
        }
    };
    match locked {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            Err(LedgerFault::Running { run_id: folder.run_id().to_owned() })
        }
        // A file system without locks cannot tell; nobody would be helped by refusing.
        Err(TryLockError::Error(fault)) if fault.kind() == ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(fault)) => Err(RecordFault::of("lock", path)(fault).into()),
    }
}

/// How many bytes of the file are lines with an end.
fn whole_lines(file: &File) -> io::Result<u64> {
    const PIECE: u64 = 1 << 16;
    let mut end = file.metadata()?.len();
    while end > 0 {
        let start = end.saturating_sub(PIECE);
        let mut piece = vec![0; usize::try_from(end - start).map_err(io::Error::other)?];
        file.read_exact_at(&mut piece, start)?;
        if let Some(place) = piece.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + place as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// The end of a file of rows.
struct End {
    /// How many bytes are lines with an end.
    whole: u64,
    /// What stands behind the last end of line.
    rest: Vec<u8>,
}

impl End {
    fn of(file: &File) -> io::Result<Self> {
        let whole = whole_lines(file)?;
        let length = file.metadata()?.len().saturating_sub(whole);
        let mut rest = Vec::new();
        let mut file = file.try_clone()?;
        file.seek(SeekFrom::Start(whole))?;
        file.take(length).read_to_end(&mut rest)?;
        Ok(Self { whole, rest })
    }

    /// A last row that lacks only its end of line is one.
    fn is_row(&self) -> bool {
        is_whole_row(&self.rest)
    }

    fn is_torn(&self) -> bool {
        !self.rest.trim_ascii().is_empty() && !self.is_row()
    }

    /// How many bytes hold rows.
    fn readable(&self) -> u64 {
        self.whole + if self.is_row() { self.rest.len() as u64 } else { 0 }
    }

    /// Ends a last row that lacks only its end of line; cuts off anything else behind the last
    /// line, and says where it was kept.
    fn set_right(&self, file: &mut File, path: &Path) -> io::Result<Option<PathBuf>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        if self.is_row() {
            file.write_all(b"\n")?;
            file.sync_data()?;
            return Ok(None);
        }
        let kept = keep_beside(path, &self.rest)?;
        file.set_len(self.whole)?;
        file.sync_data()?;
        Ok(Some(kept))
    }
}

/// The piece under a name of its own: an earlier one is never replaced.
fn keep_beside(path: &Path, piece: &[u8]) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for number in 1.. {
        let beside = path.with_file_name(format!(".{name}.torn-{number}"));
        let mut new = match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(new) => new,
            Err(fault) if fault.kind() == ErrorKind::AlreadyExists => continue,
            Err(fault) => return Err(fault),
        };
        // The piece and its name are on the disk before it is cut off where it was.
        let folder = beside.parent().unwrap_or(Path::new("."));
        let written =
            new.write_all(piece).and_then(|()| new.sync_all()).and_then(|()| sync_folder(folder));
        if let Err(fault) = written {
            let _ = fs::remove_file(&beside);
            return Err(fault);
        }
        return Ok(beside);
    }
    Err(ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests;
