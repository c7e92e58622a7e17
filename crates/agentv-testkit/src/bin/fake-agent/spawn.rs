//! Starts others and leaves them behind. HOW is one of
//!
//! - `group`: in the same process group,
//! - `session`: in a session of its own,
//! - `daemon`: in a session of its own, with a parent that has ended,
//!
//! and any of `+quiet` (its output goes nowhere; otherwise it holds ours open), `+clean` (without
//! an environment). It goes on when the other one comes to its first `sleep` or `wait-for`, or to
//! its end.

use std::{
    env,
    io::{self, Read as _, Write as _},
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::net::UnixStream,
    },
    process::{Command, Stdio},
};

use nix::unistd::setsid;

use crate::{Words, fail};

pub(crate) const LEAVE_SESSION: &str = "__leave-session";
pub(crate) const MIDDLE: &str = "__middle";
pub(crate) const READY: &str = "__ready";

#[expect(clippy::zombie_processes, reason = "leaving them behind is what it is for")]
pub(crate) fn spawn(words: &mut Words) {
    let how = words.take("how to spawn");
    let inner = with_ready(words_until_end(words));
    let mut parts = how.split('+');
    let first: &[&str] = match parts.next() {
        Some("group") => &[],
        Some("session") => &[LEAVE_SESSION],
        Some("daemon") => &[MIDDLE],
        _ => fail(&format!("`{how}` is no way to spawn")),
    };
    let mut command = this_program();
    command.args(first).args(inner);
    for part in parts {
        match part {
            "quiet" => command.stdout(Stdio::null()).stderr(Stdio::null()),
            "clean" => command.env_clear(),
            part => fail(&format!("`{part}` is no way to spawn")),
        };
    }

    // The other one says that it is ready through its standard input.
    let (mut ours, theirs) = pair();
    command.stdin(Stdio::from(OwnedFd::from(theirs)));
    let child = command.spawn();
    let mut child = child.unwrap_or_else(|error| fail(&format!("cannot spawn: {error}")));
    drop(command);
    // Nothing comes from one that has ended, which is as good.
    let _ = ours.read_exact(&mut [0]);
    if first.contains(&MIDDLE) {
        let _ = child.wait();
    }
}

/// Starts the last one and ends, so that it has no parent.
pub(crate) fn be_the_middle(words: &mut Words) {
    let _ = setsid();
    let mut command = this_program();
    command.stdin(Stdio::inherit());
    while let Some(word) = words.next() {
        command.arg(word);
    }
    if let Err(error) = command.spawn() {
        fail(&format!("cannot spawn: {error}"));
    }
}

pub(crate) fn say_ready() {
    let input = io::stdin().as_fd().try_clone_to_owned();
    let told = input.and_then(|input| UnixStream::from(input).write_all(b"."));
    if let Err(error) = told {
        fail(&format!("cannot say that it is ready: {error}"));
    }
}

fn words_until_end(words: &mut Words) -> Vec<String> {
    let mut inner = Vec::new();
    let mut depth = 1;
    loop {
        let word = words.take("`end`");
        match word.as_str() {
            "spawn" => depth += 1,
            "end" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return inner;
        }
        inner.push(word);
    }
}

/// Puts the word that says `ready` before the first one that takes time.
fn with_ready(mut words: Vec<String>) -> Vec<String> {
    let mut depth = 0;
    let place = words.iter().position(|word| {
        match word.as_str() {
            "spawn" => depth += 1,
            "end" => depth -= 1,
            _ => {}
        }
        depth == 0 && matches!(word.as_str(), "sleep" | "wait-for")
    });
    words.insert(place.unwrap_or(words.len()), READY.to_owned());
    words
}

fn this_program() -> Command {
    Command::new(env::current_exe().unwrap_or_else(|error| fail(&error.to_string())))
}

fn pair() -> (UnixStream, UnixStream) {
    UnixStream::pair().unwrap_or_else(|error| fail(&error.to_string()))
}
