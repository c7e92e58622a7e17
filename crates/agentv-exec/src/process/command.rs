//! Builds the command of a process from its description. It starts nothing; the only file that it
//! makes is a script, where a line is too long to be an argument.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Write as _},
    os::unix::ffi::OsStrExt as _,
    path::Path,
    process::Stdio,
};

use agentv_base::{ProcessSpec, Program, Stdout};
use tempfile::NamedTempFile;
use tokio::process::Command;

use super::{MARKER_VARIABLE, limits::preamble};
use crate::scratch::create_private;

/// Linux takes at most 128 KiB in one argument; a longer line becomes a script. The margin is for
/// systems that count more closely.
const LONGEST_ARGUMENT: usize = 100 * 1024;

const SHELL: &str = "/bin/sh";

pub(super) struct Prepared {
    pub(super) command: Command,
    /// Removed when it is dropped, which must wait until the process has ended.
    pub(super) script: Option<NamedTempFile>,
}

/// `stdin` is what the process reads from; the description of its input has become that.
pub(super) fn prepare(
    spec: &ProcessSpec,
    stdin: Stdio,
    marker: &str,
    scripts: &Path,
) -> io::Result<Prepared> {
    check(spec)?;
    let (mut command, script) = program(spec, scripts)?;
    command
        .current_dir(&spec.cwd)
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .env(MARKER_VARIABLE, marker)
        .process_group(0)
        .kill_on_drop(true)
        .stdin(stdin)
        .stdout(match &spec.stdout {
            Stdout::Capture | Stdout::CaptureHead(_) => Stdio::piped(),
            Stdout::File(path) => Stdio::from(create_output(path)?),
        })
        .stderr(Stdio::piped());
    Ok(Prepared { command, script })
}

/// Says which part is at fault where the system only says that something was not found.
pub(super) fn explain_spawn_error(spec: &ProcessSpec, error: io::Error) -> io::Error {
    let folder = std::fs::metadata(&spec.cwd).and_then(|metadata| {
        let is_folder = metadata.is_dir();
        is_folder.then_some(()).ok_or_else(|| io::ErrorKind::NotADirectory.into())
    });
    if let Err(fault) = folder {
        return about(&format!("folder {}", spec.cwd.display()), &fault);
    }
    match &spec.program {
        Program::Argv(argv) => match argv.first() {
            Some(program) => about(&format!("`{program}`"), &error),
            None => error,
        },
        Program::Shell(_) => error,
    }
}

fn program(spec: &ProcessSpec, scripts: &Path) -> io::Result<(Command, Option<NamedTempFile>)> {
    let mut preamble = preamble(&spec.limits);
    let line = match &spec.program {
        Program::Argv(argv) => {
            let (first, rest) =
                argv.split_first().ok_or_else(|| refused("the command is empty"))?;
            if preamble.is_empty() {
                let mut command = Command::new(first);
                command.args(rest);
                return Ok((command, None));
            }
            preamble.push_str("exec \"$@\"");
            let mut command = Command::new(SHELL);
            command.arg("-c").arg(preamble).arg(SHELL).args(argv);
            return Ok((command, None));
        }
        Program::Shell(line) => line,
    };
    let mut command = Command::new(SHELL);
    if preamble.len() + line.len() <= LONGEST_ARGUMENT {
        preamble.push_str(line);
        command.arg("-c").arg(preamble);
        return Ok((command, None));
    }
    let script = write_script(&[&preamble, line, "\n"], scripts)
        .map_err(|error| about(&format!("script in {}", scripts.display()), &error))?;
    command.arg(script.path());
    Ok((command, Some(script)))
}

/// A file of mode 0600 that only its owner can read, under a name that nobody can guess.
fn write_script(pieces: &[&str], scripts: &Path) -> io::Result<NamedTempFile> {
    let mut script =
        tempfile::Builder::new().prefix("command-").rand_bytes(12).tempfile_in(scripts)?;
    for piece in pieces {
        script.write_all(piece.as_bytes())?;
    }
    Ok(script)
}

fn create_output(path: &Path) -> io::Result<File> {
    create_private(path).map_err(|error| about(&path.display().to_string(), &error))
}

/// A NUL byte would cut a string short without a word, and `=` in a name would set another one.
fn check(spec: &ProcessSpec) -> io::Result<()> {
    let words: &[String] = match &spec.program {
        Program::Shell(line) => std::slice::from_ref(line),
        Program::Argv(argv) => argv,
    };
    if words.iter().any(has_nul) {
        return Err(refused("the command contains a NUL byte"));
    }
    if has_nul(&spec.cwd) {
        return Err(refused("the path of the folder contains a NUL byte"));
    }
    for (name, value) in &spec.env {
        if has_nul(name) || name.contains('=') || name.is_empty() {
            let shown = name.escape_default();
            return Err(refused(&format!("`{shown}` cannot be the name of a variable")));
        }
        if has_nul(value) {
            return Err(refused(&format!(
                "the value of the variable `{name}` contains a NUL byte"
            )));
        }
    }
    Ok(())
}

fn has_nul(text: impl AsRef<OsStr>) -> bool {
    text.as_ref().as_bytes().contains(&0)
}

fn refused(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

pub(super) fn about(what: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}
