//! What is measured with, how often, how much, and all that was found.

use std::{fs, io, path::PathBuf};

use serde::Serialize;
use serde_json::json;

use crate::{
    child::Taken,
    contender::Contender,
    spread::{Spread, median},
    table::{self, Row},
};

/// Of many rounds, one of so many is told of.
const TOLD: usize = 10;

/// Seconds in which a program can write more than a disk takes at once.
const LONG: f64 = 1.0;

pub struct Bench {
    /// This program.
    pub this: PathBuf,
    pub agentv: PathBuf,
    pub rounds: usize,
    /// Whether this is only to see that it works.
    pub quick: bool,
    /// Whether seconds are printed too.
    pub verbose: bool,
    pub sizes: Sizes,
    pub measured: Vec<Measured>,
    pub rows: Vec<Row>,
}

/// How much there is of everything.
#[derive(Clone, Debug, Serialize)]
pub struct Sizes {
    /// Rounds of what takes milliseconds.
    pub starts: usize,
    /// Commands, one process each: few, and many.
    pub commands: [usize; 2],
    /// Records of a batch.
    pub records: usize,
    /// Cases of a YAML suite.
    pub cases: usize,
    /// Lines of JSONL data.
    pub lines: usize,
    /// Answers that are graded.
    pub answers: usize,
    /// Code judges.
    pub judges: usize,
    /// Recorded rows.
    pub rows: usize,
    /// Recorded runs.
    pub runs: usize,
}

impl Sizes {
    pub const FULL: Self = Self {
        starts: 50,
        commands: [1_000, 10_000],
        records: 1_000_000,
        cases: 50_000,
        lines: 1_000_000,
        answers: 20_000,
        judges: 1_000,
        rows: 1_000_000,
        runs: 1_000,
    };
    /// To see that everything works, in a minute.
    pub const QUICK: Self = Self {
        starts: 5,
        commands: [32, 64],
        records: 8_000,
        cases: 500,
        lines: 8_000,
        answers: 500,
        judges: 32,
        rows: 8_000,
        runs: 50,
    };
}

/// A measurement: all contenders, with what each took in each round.
#[derive(Serialize)]
pub struct Measured {
    name: String,
    contenders: Vec<Samples>,
}

/// One contender of a measurement.
#[derive(Clone, Serialize)]
pub struct Samples {
    pub name: String,
    command: Vec<String>,
    pub rounds: Vec<Taken>,
}

impl Samples {
    pub fn cpu(&self) -> Vec<f64> {
        self.rounds.iter().map(|taken| taken.cpu_seconds).collect()
    }

    pub fn wall(&self) -> Vec<f64> {
        self.rounds.iter().map(|taken| taken.wall_seconds).collect()
    }

    /// The middle of the peaks, in MiB.
    pub fn mebibytes(&self) -> f64 {
        let peaks: Vec<f64> = self.rounds.iter().map(|taken| taken.peak_bytes as f64).collect();
        median(&peaks) / f64::from(1 << 20)
    }
}

impl Bench {
    /// Runs all contenders in turns, in every round beginning with another, and hands back what
    /// they took, in their order. At most so many rounds, for what takes seconds.
    pub fn measure<const N: usize>(
        &mut self,
        name: &str,
        most_rounds: usize,
        contenders: &[Contender; N],
    ) -> io::Result<[Samples; N]> {
        let samples = self.measure_all(name, self.rounds.min(most_rounds), contenders)?;
        samples.try_into().map_err(|_| io::Error::other("a contender got lost"))
    }

    /// As `measure`, of any number of contenders and with as many rounds as is said.
    pub fn measure_all(
        &mut self,
        name: &str,
        rounds: usize,
        contenders: &[Contender],
    ) -> io::Result<Vec<Samples>> {
        let mut samples: Vec<Samples> = contenders
            .iter()
            .map(|contender| Samples {
                name: contender.name.clone(),
                command: contender.command_line(),
                rounds: Vec::new(),
            })
            .collect();
        // What was just made, or what the one before wrote in seconds, is still on its way to the disk,
        // and would be in the way of the next.
        let mut has_written = true;
        for round in 0..rounds {
            if round.is_multiple_of(TOLD) || rounds <= TOLD {
                eprintln!("{name}: round {} of {rounds}", round + 1);
            }
            for place in 0..contenders.len() {
                let place = (place + round) % contenders.len();
                if has_written && !self.quick {
                    nix::unistd::sync();
                }
                let taken = contenders[place].run(&self.this)?;
                has_written = taken.wall_seconds > LONG;
                samples[place].rounds.push(taken);
            }
        }
        if self.verbose {
            for one in &samples {
                let (cpu, wall, peak) = (median(&one.cpu()), median(&one.wall()), one.mebibytes());
                let who = &one.name;
                eprintln!("  {who}: {cpu:.4} s of CPU, {wall:.4} s, {peak:.1} MiB");
            }
        }
        self.measured.push(Measured { name: name.to_owned(), contenders: samples.clone() });
        Ok(samples)
    }

    /// What the first took in times of the second, which is the floor.
    pub fn row(measurement: impl Into<String>, of: &Samples, floor: &Samples) -> Row {
        Row {
            cpu: Some(Spread::of(&of.cpu(), &floor.cpu())),
            wall: Some(Spread::of(&of.wall(), &floor.wall())),
            ..Row::new(measurement, &*floor.name)
        }
    }

    /// Prints a line of the table.
    pub fn tell(&mut self, row: Row) {
        if self.rows.is_empty() {
            println!("{}", table::HEAD);
        }
        println!("{}", row.line());
        self.rows.push(row);
    }

    /// Whether no bar was missed.
    pub fn holds(&self) -> bool {
        self.rows.iter().all(Row::holds)
    }

    /// Everything that was measured, for programs.
    pub fn write(&self, file: &std::path::Path) -> io::Result<()> {
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let all = json!({
            "system": std::env::consts::OS,
            "architecture": std::env::consts::ARCH,
            "cores": cores,
            "sizes": self.sizes,
            "rows": self.rows,
            "measurements": self.measured,
        });
        fs::write(file, serde_json::to_vec_pretty(&all)?)
    }
}
