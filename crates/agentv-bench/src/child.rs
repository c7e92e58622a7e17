//! One run of a program in a process of its own, and what it took.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use nix::sys::{
    resource::{UsageWho, getrusage},
    time::TimeValLike as _,
};
use serde::{Deserialize, Serialize};

/// Most of what a program said that is kept: its end, where totals and errors stand.
const KEPT: u64 = 4096;

/// What one run of a program took.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Taken {
    pub wall_seconds: f64,
    /// Of the processor, in the program, in all that it started and waited for, and in the system
    /// for them.
    pub cpu_seconds: f64,
    /// The most memory that one of them had at one time.
    pub peak_bytes: u64,
    /// None where a signal ended it.
    pub code: Option<i32>,
    /// The end of what it printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub printed: String,
    /// The end of what it said on standard error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
}

/// Runs a program in a folder. A process between this one and that one asks the system what its
/// only child took; asked here, it would be the most that any child ever took.
pub fn run(this: &Path, folder: &Path, program: &Path, args: &[String]) -> io::Result<Taken> {
    let output = Command::new(this)
        .args([OsStr::new("measure"), OsStr::new("--"), program.as_os_str()])
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    serde_json::from_slice(&output.stdout)
        .map_err(|_| io::Error::other(format!("{} could not be started", program.display())))
}

/// The process between: runs the command and prints what it took. What the command says goes to
/// files, so that nobody has to read along while it runs.
pub fn measure_and_print(command: &[String]) -> io::Result<()> {
    let (program, args) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let (mut printed, mut said) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null());
    command.stdout(printed.try_clone()?).stderr(said.try_clone()?);
    let start = Instant::now();
    let status = command.status()?;
    let wall_seconds = start.elapsed().as_secs_f64();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let of_processor = usage.user_time() + usage.system_time();
    let taken = Taken {
        wall_seconds,
        cpu_seconds: of_processor.num_microseconds() as f64 / 1e6,
        // Linux counts kibibytes there, macOS bytes.
        peak_bytes: u64::try_from(usage.max_rss()).unwrap_or_default()
            * if cfg!(target_os = "macos") { 1 } else { 1024 },
        code: status.code(),
        printed: end_of(&mut printed)?,
        said: end_of(&mut said)?,
    };
    println!("{}", serde_json::to_string(&taken)?);
    Ok(())
}

fn end_of(file: &mut File) -> io::Result<String> {
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(KEPT)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
