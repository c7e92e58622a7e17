//! Programs under valgrind, which counts the instructions that they execute.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Of all tools of valgrind that count instructions, this one does in the least time once it
/// simulates no caches: less than half of callgrind's, for the same count.
const COUNT: [&str; 5] = [
    "--tool=cachegrind",
    "--cache-sim=no",
    "--cachegrind-out-file=/dev/null",
    "--trace-children=no",
    "--child-silent-after-fork=yes",
];

/// All that a counted program is told of its surroundings.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// An error where there is no valgrind.
pub fn find() -> io::Result<()> {
    match Command::new("valgrind").arg("--version").env("PATH", PATH).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(_) | Err(_) => Err(io::Error::other(format!(
            "valgrind, which counts instructions, is not in {PATH}: install it \
             (apt-get install valgrind)"
        ))),
    }
}

/// The instructions of one run of a program in this folder, without those of its children.
pub fn count(folder: &Path, program: &Path, args: &[&str]) -> io::Result<u64> {
    // Outside of the folder that the program works in.
    let log = tempfile::NamedTempFile::new()?;
    let output = Command::new("valgrind")
        .args(COUNT)
        .arg(format!("--log-file={}", log.path().display()))
        .arg(program)
        .args(args)
        .current_dir(folder)
        .env_clear()
        .env("PATH", PATH)
        .env("HOME", folder)
        .env("LANG", "C")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()?;
    let log = fs::read_to_string(log.path())?;
    if output.status.success()
        && let Some(count) = counted(&log)
    {
        return Ok(count);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let args = args.join(" ");
    Err(io::Error::other(format!(
        "{} {args} under valgrind: {}\n{said}{log}",
        program.display(),
        output.status
    )))
}

/// The count in what valgrind says at the end: `==123== I   refs:      3,401,430`.
fn counted(log: &str) -> Option<u64> {
    log.lines().rev().find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        if (words.next()?, words.next()?) != ("I", "refs:") {
            return None;
        }
        words.next()?.replace(',', "").parse().ok()
    })
}

/// A copy without what debuggers read, which valgrind would read at every start; the program
/// itself where there is no `strip`. What is executed is the same.
pub fn without_symbols(program: &Path, folder: &Path, name: &str) -> PathBuf {
    let copy = folder.join(name);
    let stripped = Command::new("strip").arg("-o").arg(&copy).arg(program).output();
    match stripped {
        Ok(output) if output.status.success() => copy,
        Ok(_) | Err(_) => program.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn the_count_stands_on_the_last_line_of_valgrind() {
        let log = "==32250== Cachegrind, a cache and branch-prediction profiler\n\
                   ==32250== Command: ../agentv I refs: 7\n\
                   --32250-- warning: L3 cache found, using its data for the LL simulation.\n\
                   ==32250== \n\
                   ==32250== I   refs:      3,403,892\n";
        assert_eq!(counted(log), Some(3_403_892));
    }

    #[test]
    fn newer_versions_write_it_with_fewer_spaces() {
        assert_eq!(counted("==1== I refs:        1,093,379,884"), Some(1_093_379_884));
    }

    #[test]
    fn a_program_that_never_began_has_no_count() {
        assert_eq!(counted("valgrind: agentv: command not found\n"), None);
        assert_eq!(counted("==1== I   refs:      \n"), None);
        assert_eq!(counted(""), None);
    }
}
