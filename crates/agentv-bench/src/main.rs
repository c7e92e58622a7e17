//! Measures what AgentV claims about its speed: the one place in the repository for such claims.
//!
//! Everything is a ratio of things measured in the same run, taken in turns, so that a slow or
//! busy machine slows all of them. `docs/benchmarks.md` explains the measurements and holds the
//! latest table. Nothing of this is part of the product.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal of a developer"
)]

mod child;
mod jsonl;
mod results;
mod rows;
mod suite;
mod walk;
mod words;
mod yaml;

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, Subcommand, ValueEnum};

/// Measures what AgentV claims about its speed.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// How long files take to load, against a bare parser and against their own size
    Load(LoadArguments),
    /// What looking at recorded results takes, and how it grows with their number
    Results(ResultsArguments),
    /// Writes a file of cases to standard output
    Generate {
        #[arg(value_enum)]
        format: Format,
        #[arg(long, default_value_t = 50_000)]
        cases: usize,
    },
    /// Walks the events of a YAML file and does nothing with them
    #[command(hide = true)]
    Walk { file: PathBuf },
    /// Runs a program and prints what it took
    #[command(hide = true)]
    Measure {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<String>,
    },
}

#[derive(clap::Args)]
struct LoadArguments {
    /// Only one of the measurements
    #[arg(value_enum)]
    only: Option<Measurement>,
    /// The binary to measure [default: the `agentv` beside this program]
    #[arg(long)]
    agentv: Option<PathBuf>,
    /// Cases of the YAML suite
    #[arg(long, default_value_t = 50_000)]
    cases: usize,
    /// Cases of the smallest JSONL file; the others have 3 and 10 times as many
    #[arg(long, default_value_t = 100_000)]
    lines: usize,
    /// How often each thing is measured
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Exit with 1 where a bar is missed
    #[arg(long)]
    check: bool,
}

#[derive(clap::Args)]
struct ResultsArguments {
    /// The binary to measure [default: the `agentv` beside this program]
    #[arg(long)]
    agentv: Option<PathBuf>,
    /// Rows of the smaller files; the larger have ten times as many
    #[arg(long, default_value_t = 100_000)]
    rows: usize,
    /// How often each thing is measured
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Exit with 1 where a bar is missed
    #[arg(long)]
    check: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Measurement {
    #[value(name = "yaml-50k")]
    Yaml,
    #[value(name = "jsonl-1m")]
    Jsonl,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Yaml,
    Jsonl,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Load(arguments) => load(&arguments),
        Command::Results(arguments) => bench(arguments.agentv.as_deref(), arguments.rounds)
            .and_then(|bench| results::measure(&bench, arguments.rows))
            .map(|holds| holds || !arguments.check),
        Command::Generate { format, cases } => {
            let out = &mut io::BufWriter::new(io::stdout().lock());
            match format {
                Format::Yaml => suite::write_yaml(cases, out),
                Format::Jsonl => suite::write_jsonl(cases, out),
            }
            .map(|()| true)
        }
        Command::Walk { file } => walk::walk(&file).map(|events| {
            println!("{events} events");
            true
        }),
        Command::Measure { command } => child::measure_and_print(&command).map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the measurements; false where a bar is missed and that matters.
fn load(arguments: &LoadArguments) -> io::Result<bool> {
    let bench = bench(arguments.agentv.as_deref(), arguments.rounds)?;
    let mut holds = true;
    if arguments.only != Some(Measurement::Jsonl) {
        holds &= yaml::measure(&bench, arguments.cases)?;
    }
    if arguments.only != Some(Measurement::Yaml) {
        holds &= jsonl::measure(&bench, arguments.lines)?;
    }
    Ok(holds || !arguments.check)
}

/// What is measured with.
fn bench(agentv: Option<&Path>, rounds: u16) -> io::Result<child::Bench> {
    let this = std::env::current_exe()?;
    let beside = this.parent().unwrap_or(Path::new(".")).join("agentv");
    let agentv = agentv.unwrap_or(&beside);
    if !agentv.is_file() {
        let message = format!("{} does not exist: build it, or give --agentv", agentv.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, message));
    }
    Ok(child::Bench { this, agentv: agentv.canonicalize()?, rounds })
}
