//! Where the index is: a file beside the runs that one process at a time uses, or the memory.
//!
//! Invariant: the file is believed only while it is as this program left it. Beside it lies a lock
//! that holds the stamp of the file; whoever writes takes the stamp away first and gives a new one
//! when all is on the disk. A process that was killed, a file that was cut, replaced or written to
//! by anybody else: the stamp does not fit, and the index is made again. So SQLite needs no journal
//! on the disk, and two processes never have the file open at once.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::{schema, stamp::FileStamp};

const FILE: &str = ".index.sqlite";
const LOCK: &str = ".index.lock";

/// Somebody else mostly needs the index for milliseconds. Who needs it longer is making it, and then
/// reading what is wanted into memory is faster than waiting.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 150 } else { 1500 });
const PAUSE: Duration = Duration::from_millis(5);

/// An open index.
pub(super) struct Store {
    pub(super) connection: Connection,
    /// Nothing for an index in memory.
    kept: Option<Kept>,
}

struct Kept {
    path: PathBuf,
    lock: File,
    /// The stamp was taken away.
    is_written: bool,
}

impl Store {
    /// Nothing where the folder cannot be written to, or somebody else is at it for too long.
    pub(super) fn on_disk(results: &Path) -> Option<Self> {
        let mut lock = locked(&results.join(LOCK))?;
        let path = results.join(FILE);
        let mut left = String::new();
        lock.read_to_string(&mut left).ok()?;
        let stamp = fs::symlink_metadata(&path).ok().map(|file| FileStamp::of(&file));
        let is_as_left = stamp.is_some_and(|stamp| stamp.as_str() == left);
        let opened = if is_as_left { open(&path).ok().flatten() } else { None };
        let mut kept = Kept { path, lock, is_written: false };
        let connection = match opened {
            Some(connection) => connection,
            None => kept.make_anew().ok()?,
        };
        Some(Self { connection, kept: Some(kept) })
    }

    pub(super) fn in_memory() -> rusqlite::Result<Self> {
        let connection = Connection::open_in_memory()?;
        schema::create(&connection)?;
        Ok(Self { connection, kept: None })
    }

    /// To be called before anything is written.
    pub(super) fn begin_writing(&mut self) {
        if let Some(kept) = &mut self.kept {
            kept.begin_writing();
        }
    }

    /// Closes the index, and says that it is whole.
    pub(super) fn close(self) {
        let Self { connection, kept } = self;
        let is_closed = connection.close().is_ok();
        if let Some(mut kept) = kept
            && kept.is_written
            && is_closed
        {
            // Without a stamp the next one makes the index again: slower, and as right.
            let _ = kept.stamp();
        }
    }

    /// Throws the file away: something is wrong with it.
    pub(super) fn discard(self) {
        let Self { connection, kept } = self;
        let _ = connection.close();
        if let Some(mut kept) = kept {
            kept.begin_writing();
            let _ = fs::remove_file(&kept.path);
        }
    }
}

impl Kept {
    fn begin_writing(&mut self) {
        if !self.is_written {
            self.is_written = true;
            let _ = self.lock.set_len(0);
        }
    }

    fn make_anew(&mut self) -> io::Result<Connection> {
        self.begin_writing();
        match fs::remove_file(&self.path) {
            Err(fault) if fault.kind() != io::ErrorKind::NotFound => return Err(fault),
            _ => {}
        }
        let made = Connection::open(&self.path).and_then(|connection| {
            set_up(&connection)?;
            schema::create(&connection)?;
            Ok(connection)
        });
        made.map_err(io::Error::other)
    }

    fn stamp(&mut self) -> io::Result<()> {
        let file = File::open(&self.path)?;
        file.sync_data()?;
        let stamp = FileStamp::of(&file.metadata()?);
        self.lock.seek(SeekFrom::Start(0))?;
        self.lock.set_len(0)?;
        self.lock.write_all(stamp.as_str().as_bytes())
    }
}

/// Nothing where it is of another version.
fn open(path: &Path) -> rusqlite::Result<Option<Connection>> {
    let connection = Connection::open(path)?;
    set_up(&connection)?;
    Ok(schema::fits(&connection)?.then_some(connection))
}

/// What SQLite does against crashes and against other processes is done by lock and stamp.
fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "PRAGMA journal_mode = MEMORY;
         PRAGMA synchronous = OFF;
         PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -65536;
         PRAGMA trusted_schema = OFF;",
    )
}

/// The lock, held as long as the file is open. The system takes it back when the process ends.
fn locked(path: &Path) -> Option<File> {
    // A link that came with a repository could lead anywhere.
    if fs::symlink_metadata(path).is_ok_and(|it| !it.is_file()) {
        return None;
    }
    let file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).ok()?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Some(file),
            Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => thread::sleep(PAUSE),
            Err(_) => return None,
        }
    }
}
