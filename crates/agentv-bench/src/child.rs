//! Programs that are measured, each in a process of its own.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use nix::sys::{
    resource::{UsageWho, getrusage},
    time::TimeValLike as _,
};
use serde::{Deserialize, Serialize};

/// What is measured, and how often.
pub struct Bench {
    /// This program.
    pub this: PathBuf,
    pub agentv: PathBuf,
    pub rounds: u16,
}

/// What one run of a program took.
#[derive(Debug, Serialize, Deserialize)]
pub struct Taken {
    pub seconds: f64,
    /// Of the processor, in the program and in the system for it.
    pub processor_seconds: f64,
    /// The most memory it had at one time.
    pub peak_bytes: u64,
    /// None where a signal ended it.
    pub code: Option<i32>,
    /// What it said, where it failed.
    pub said: String,
}

impl Bench {
    /// Runs a program in a folder. A process between this one and that one asks the system what
    /// its only child took; asked here, it would be the most that any child ever took.
    pub fn run(&self, folder: &Path, program: &Path, args: &[&str]) -> io::Result<Taken> {
        let output = Command::new(&self.this)
            .args([OsStr::new("measure"), OsStr::new("--"), program.as_os_str()])
            .args(args)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()?;
        serde_json::from_slice(&output.stdout).map_err(io::Error::other)
    }

    /// As `run`, for a program that must succeed.
    pub fn run_well(&self, folder: &Path, program: &Path, args: &[&str]) -> io::Result<Taken> {
        let taken = self.run(folder, program, args)?;
        if taken.code == Some(0) {
            return Ok(taken);
        }
        let message = format!("{} {} failed: {}", program.display(), args.join(" "), taken.said);
        Err(io::Error::other(message))
    }
}

/// The process between: runs the command and prints what it took.
pub fn measure_and_print(command: &[String]) -> io::Result<()> {
    let (program, args) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let start = Instant::now();
    let output = Command::new(program).args(args).stdin(Stdio::null()).output()?;
    let seconds = start.elapsed().as_secs_f64();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let of_processor = usage.user_time() + usage.system_time();
    let processor_seconds = of_processor.num_microseconds() as f64 / 1e6;
    // Linux counts kibibytes there, macOS bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let peak_bytes = u64::try_from(usage.max_rss()).unwrap_or_default() * unit;
    let said = match output.status.code() {
        Some(0) => String::new(),
        Some(_) | None => String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    let taken = Taken { seconds, processor_seconds, peak_bytes, code: output.status.code(), said };
    println!("{}", serde_json::to_string(&taken)?);
    Ok(())
}

/// The middle of all times, which one disturbed round does not move.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The least of all times: what the machine can do when nothing disturbs it.
pub fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}
