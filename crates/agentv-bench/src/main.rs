//! Measures what AgentV claims about its speed: the one place in the repository for such claims.
//!
//! Everything is a ratio of things measured in the same run, taken in turns, so that a slow or
//! busy machine slows all of them. `docs/benchmarks.md` explains the measurements. Nothing of this
//! is part of the product.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal of a developer"
)]

mod bench;
mod child;
mod contender;
mod counts;
mod floor;
mod group;
mod made;
mod memory;
mod processors;
mod spread;
mod table;

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use bench::{Bench, Sizes};
use clap::{Parser, Subcommand, ValueEnum};

/// Measures what AgentV claims about its speed, and prints ratios with their spread
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    options: Options,
}

#[derive(Subcommand)]
enum Command {
    /// Start-up, against `/bin/true` and `sh -c true`
    Start,
    /// One process a case, against `xargs` with the same commands
    Cases,
    /// One process for a million cases, against a bare loop over the same answers
    Batch,
    /// Loading suites, against a bare parser
    Load,
    /// Every grader that asks nobody, against `contains`; code judges against `xargs`
    Grade,
    /// Looking at recorded rows, against the bare parse of the same files
    Results,
    /// The same at N, 4 N and 16 N
    Growth,
    /// The same commands through other programs, where they are installed
    Peers {
        /// The program of AgentV in TypeScript
        #[arg(long, value_name = "PROGRAM")]
        original: Option<PathBuf>,
    },
    /// All of these but the peers
    All,
    /// How many instructions small runs take, against what is stored
    Counts(counts::CountsArguments),
    /// Writes a file of cases to standard output
    Generate {
        #[arg(value_enum)]
        format: Format,
        #[arg(long, value_name = "N", default_value_t = 50_000)]
        number: usize,
    },
    /// The least that anybody can do with a file
    #[command(hide = true, subcommand)]
    Floor(Floor),
    /// Runs a program and prints what it took
    #[command(hide = true)]
    Measure {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<String>,
    },
}

#[derive(Subcommand)]
enum Floor {
    /// Walks the events of a YAML file
    Walk { file: PathBuf },
    /// Parses the answers of a batch
    Parse { file: PathBuf },
    /// Parses them, looks for a text in each, and writes rows
    Grade { file: PathBuf, looked_for: String, out: PathBuf },
    /// Parses recorded rows
    Rows { files: Vec<PathBuf> },
}

#[derive(clap::Args)]
struct Options {
    /// The binary to measure [default: the `agentv` beside this program]
    #[arg(long, global = true, value_name = "PROGRAM")]
    agentv: Option<PathBuf>,
    /// How often each thing is measured; fewer times where it takes seconds [default: 7]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// Everything small, to see that it works; the ratios mean nothing
    #[arg(long, global = true)]
    quick: bool,
    /// Exit with 1 where a bar is missed
    #[arg(long, global = true)]
    check: bool,
    /// Also write everything that was measured to this file
    #[arg(long, global = true, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also say seconds, on standard error
    #[arg(short, long, global = true)]
    verbose: bool,
    /// Commands, one process each; ten times as many where there are many [default: 1,000]
    #[arg(long, global = true, value_name = "N")]
    commands: Option<usize>,
    /// Records of the batch [default: 1,000,000]
    #[arg(long, global = true, value_name = "N")]
    records: Option<usize>,
    /// Recorded rows [default: 1,000,000]
    #[arg(long, global = true, value_name = "N")]
    rows: Option<usize>,
    /// Cases of the YAML suite [default: 50,000]
    #[arg(long, global = true, value_name = "N")]
    cases: Option<usize>,
    /// Lines of JSONL data [default: 1,000,000]
    #[arg(long, global = true, value_name = "N")]
    lines: Option<usize>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Yaml,
    Jsonl,
}

fn main() -> ExitCode {
    if let Some(done) = counts::floor_asked_for(std::env::args_os()) {
        return ended(done.map(|()| true));
    }
    let Arguments { command, options } = Arguments::parse();
    ended(run(&command, &options))
}

fn ended(done: io::Result<bool>) -> ExitCode {
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// False where a bar is missed and that matters.
fn run(command: &Command, options: &Options) -> io::Result<bool> {
    match command {
        Command::Generate { format, number } => generate(*format, *number)?,
        Command::Floor(floor) => println!("{}", do_the_least(floor)?),
        Command::Measure { command } => child::measure_and_print(command)?,
        Command::Counts(arguments) => {
            let this = std::env::current_exe()?;
            let agentv = options.agentv(&this)?;
            return counts::measure(&this, &agentv, arguments, options.check, options.rounds);
        }
        Command::Start
        | Command::Cases
        | Command::Batch
        | Command::Load
        | Command::Grade
        | Command::Results
        | Command::Growth
        | Command::Peers { .. }
        | Command::All => {
            let mut bench = options.bench()?;
            let _held = if bench.quick { None } else { memory::hold() };
            let measured = measure(command, &mut bench);
            if let Some(file) = &options.json {
                bench.write(file)?;
            }
            measured?;
            return Ok(bench.holds() || !options.check);
        }
    }
    Ok(true)
}

fn measure(command: &Command, bench: &mut Bench) -> io::Result<()> {
    let groups: &[fn(&mut Bench) -> io::Result<()>] = match command {
        Command::Start => &[group::start::run],
        Command::Cases => &[group::cases::run],
        Command::Batch => &[group::batch::run],
        Command::Load => &[group::load::run],
        Command::Grade => &[group::grade::run],
        Command::Results => &[group::results::run],
        Command::Growth => &[group::growth::run],
        Command::Peers { original } => return group::peers::run(bench, original.as_deref()),
        Command::All => &[
            group::start::run,
            group::cases::run,
            group::batch::run,
            group::load::run,
            group::grade::run,
            group::results::run,
            group::growth::run,
        ],
        Command::Generate { .. }
        | Command::Floor(_)
        | Command::Measure { .. }
        | Command::Counts(_) => &[],
    };
    // A group that cannot be measured does not take the others with it.
    let failed: Vec<io::Error> = groups.iter().filter_map(|group| group(bench).err()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    let all: Vec<String> = failed.iter().map(ToString::to_string).collect();
    Err(io::Error::other(all.join("\n\n")))
}

fn generate(format: Format, number: usize) -> io::Result<()> {
    let out = &mut io::BufWriter::new(io::stdout().lock());
    match format {
        Format::Yaml => made::suite::write_yaml(number, out),
        Format::Jsonl => made::suite::write_jsonl(number, out),
    }
}

fn do_the_least(floor: &Floor) -> io::Result<String> {
    Ok(match floor {
        Floor::Walk { file } => format!("{} events", floor::walk::walk(file)?),
        Floor::Parse { file } => format!("{} records", floor::records::parse(file)?),
        Floor::Grade { file, looked_for, out } => {
            format!("{} records", floor::records::grade(file, looked_for, out)?)
        }
        Floor::Rows { files } => format!("{} rows", floor::rows::parse(files)?),
    })
}

impl Options {
    /// The binary to measure.
    fn agentv(&self, this: &Path) -> io::Result<PathBuf> {
        let beside = this.parent().unwrap_or(Path::new(".")).join("agentv");
        let agentv = self.agentv.as_ref().unwrap_or(&beside);
        if !agentv.is_file() {
            let message =
                format!("{} does not exist: build it, or give --agentv", agentv.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        agentv.canonicalize()
    }

    fn bench(&self) -> io::Result<Bench> {
        let this = std::env::current_exe()?;
        let agentv = self.agentv(&this)?;
        let (usual, rounds) = if self.quick { (Sizes::QUICK, 2) } else { (Sizes::FULL, 7) };
        let sizes = Sizes {
            commands: self.commands.map_or(usual.commands, |few| [few, few * 10]),
            records: self.records.unwrap_or(usual.records),
            rows: self.rows.unwrap_or(usual.rows),
            cases: self.cases.unwrap_or(usual.cases),
            lines: self.lines.unwrap_or(usual.lines),
            ..usual
        };
        let rounds = self.rounds.map_or(rounds, usize::from);
        Ok(Bench {
            this,
            agentv,
            rounds,
            quick: self.quick,
            verbose: self.verbose,
            sizes,
            measured: Vec::new(),
            rows: Vec::new(),
        })
    }
}
