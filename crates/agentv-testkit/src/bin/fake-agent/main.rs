//! An agent that does what its arguments say, one word after the other, and misbehaves if asked:
//!
//! `fake-agent print hello spawn session sleep 600 end exit 3`
//!
//! | words | what it does |
//! |---|---|
//! | `print TEXT`, `eprint TEXT` | writes a line to standard output or error |
//! | `noise BYTES`, `enoise BYTES` | writes so many bytes to standard output or error |
//! | `read-input` | reads standard input to its end and prints how many bytes came |
//! | `print-env NAME` | prints a variable |
//! | `write FILE TEXT`, `append FILE TEXT` | writes a text to a file, without a line end |
//! | `answer TEXT` | writes a text to the file named by `AGENTV_OUTPUT_FILE` |
//! | `answer-prompt` | copies the prompt file to the output file |
//! | `batch FLAGS` | answers a batch; see `batch.rs` |
//! | `candidate LOG` | answers a case or a batch as the ids say, and logs; see `candidate.rs` |
//! | `sleep SECONDS` | sleeps, fractions too |
//! | `wait-for FILE` | waits until a file is there |
//! | `ignore-term` | is deaf to SIGTERM from now on |
//! | `die-by SIGNAL` | sends itself a signal, by number |
//! | `spawn HOW WORDS end` | starts another one that does WORDS; see `spawn.rs` |
//! | `tag TEXT` | does nothing: a mark to find the process by |
//! | `exit CODE` | ends |

#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for tests: a wrong word ends it loudly"
)]

mod batch;
mod candidate;
mod spawn;

use std::{
    env,
    fs::{self, OpenOptions},
    io::{self, Read as _, Write},
    path::Path,
    process, thread,
    time::Duration,
};

use nix::{
    sys::signal::{SigSet, Signal, raise},
    unistd::setsid,
};

/// The words that are still to be done.
pub(crate) struct Words(std::vec::IntoIter<String>);

impl Words {
    pub(crate) fn next(&mut self) -> Option<String> {
        self.0.next()
    }

    pub(crate) fn peek(&self) -> Option<&str> {
        self.0.as_slice().first().map(String::as_str)
    }

    pub(crate) fn take(&mut self, what: &str) -> String {
        self.next().unwrap_or_else(|| fail(&format!("{what} is missing")))
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> T {
        let word = self.take(what);
        word.parse().unwrap_or_else(|_| fail(&format!("`{word}` is not {what}")))
    }
}

fn main() {
    let mut words = Words(env::args().skip(1).collect::<Vec<_>>().into_iter());
    while let Some(word) = words.next() {
        act(&word, &mut words);
    }
}

fn act(word: &str, words: &mut Words) {
    match word {
        "print" => say(io::stdout(), &words.take("a text")),
        "eprint" => say(io::stderr(), &words.take("a text")),
        "noise" => make_noise(io::stdout(), words.number("a number of bytes")),
        "enoise" => make_noise(io::stderr(), words.number("a number of bytes")),
        "read-input" => read_input(),
        "print-env" => print_variable(&words.take("a name")),
        "write" => {
            let file = words.take("a file");
            write_file(&file, words.take("a text").as_bytes());
        }
        "append" => {
            let file = words.take("a file");
            append(&file, &words.take("a text"));
        }
        "answer" => write_file(&variable("AGENTV_OUTPUT_FILE"), words.take("a text").as_bytes()),
        "answer-prompt" => {
            let prompt = fs::read(variable("AGENTV_PROMPT_FILE"));
            let prompt = prompt.unwrap_or_else(|error| fail(&format!("prompt: {error}")));
            write_file(&variable("AGENTV_OUTPUT_FILE"), &prompt);
        }
        "batch" => batch::answer(words),
        "candidate" => candidate::answer(words),
        "sleep" => thread::sleep(Duration::from_secs_f64(words.number("a number of seconds"))),
        "wait-for" => wait_for(&words.take("a file")),
        "ignore-term" => ignore_term(),
        "die-by" => die_by(words.number("the number of a signal")),
        "spawn" => spawn::spawn(words),
        "tag" => drop(words.take("a text")),
        "exit" => process::exit(words.number("a code")),
        spawn::LEAVE_SESSION => drop(setsid()),
        spawn::MIDDLE => spawn::be_the_middle(words),
        spawn::READY => spawn::say_ready(),
        word => fail(&format!("`{word}` is no word of fake-agent")),
    }
}

pub(crate) fn fail(message: &str) -> ! {
    eprintln!("fake-agent: {message}");
    process::exit(99);
}

pub(crate) fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| fail(&format!("{name} is not set")))
}

pub(crate) fn write_file(path: &str, bytes: &[u8]) {
    if let Err(error) = fs::write(path, bytes) {
        fail(&format!("{path}: {error}"));
    }
}

pub(crate) fn append(path: &str, text: &str) {
    let file = OpenOptions::new().append(true).create(true).open(path);
    if let Err(error) = file.and_then(|mut file| file.write_all(text.as_bytes())) {
        fail(&format!("{path}: {error}"));
    }
}

/// Nobody may be listening any more, which is no reason to complain.
fn say(mut stream: impl Write, line: &str) {
    let _ = writeln!(stream, "{line}").and_then(|()| stream.flush());
}

fn make_noise(mut stream: impl Write, bytes: u64) {
    const CHUNK: u64 = 1 << 16;
    // Lines of 64, so that tools which read lines can take it too.
    let line = format!("{}\n", "noise...".repeat(8).split_at(63).0);
    let chunk = line.repeat(1 << 10);
    let mut left = bytes;
    while left > 0 {
        let size = usize::try_from(left.min(CHUNK)).expect("a chunk is small");
        if stream.write_all(chunk.as_bytes().split_at(size).0).is_err() {
            return;
        }
        left -= size as u64;
    }
    let _ = stream.flush();
}

fn read_input() {
    let mut buffer = vec![0; 1 << 16];
    let mut count = 0;
    loop {
        match io::stdin().read(&mut buffer) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) => fail(&format!("standard input: {error}")),
        }
    }
    say(io::stdout(), &count.to_string());
}

fn print_variable(name: &str) {
    let value = env::var_os(name)
        .map_or_else(|| String::from("(unset)"), |value| value.to_string_lossy().into_owned());
    say(io::stdout(), &value);
}

fn wait_for(file: &str) {
    while !Path::new(file).exists() {
        thread::sleep(Duration::from_millis(2));
    }
}

/// A blocked signal waits for ever, which is as good as ignoring it in a program of one thread.
fn ignore_term() {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGTERM);
    if let Err(error) = signals.thread_block() {
        fail(&format!("cannot block SIGTERM: {error}"));
    }
}

pub(crate) fn die_by(number: i32) {
    let signal = Signal::try_from(number)
        .unwrap_or_else(|_| fail(&format!("{number} is not the number of a signal")));
    if let Err(error) = raise(signal) {
        fail(&format!("cannot raise {signal}: {error}"));
    }
    thread::sleep(Duration::from_mins(10));
}
