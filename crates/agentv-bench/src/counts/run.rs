//! The runs that are counted. Each is small, because a counted program is some fifty times slower.

use std::{io, path::Path};

use super::files;

/// A command line of `agentv`, over files of a size, and its floor.
pub struct Run {
    pub name: &'static str,
    /// Cases, records or rows of its files.
    pub size: usize,
    pub files: fn(&Path, usize) -> io::Result<()>,
    pub args: &'static [&'static str],
    pub floor: &'static [&'static str],
    /// How much more than is stored its ratio may be, as a share of it.
    pub margin: f64,
    /// Whether it is counted at a quarter of its size too. What a case then takes in the whole,
    /// in times of what it takes in the quarter, is a figure of its own.
    pub grows: bool,
}

impl Run {
    /// The size at which it is counted to see how it grows.
    pub fn quarter(&self) -> usize {
        self.size / 4
    }
}

/// Of five counts on a busy machine the highest was never more than 0.6 % above the least. A C
/// library that copies memory by other instructions, on a processor without AVX2, adds 1 %; the
/// rest is for other compilers.
const MARGIN: f64 = 0.06;

/// Of a program that does next to nothing, the loader and the C library are a larger part: the same
/// other instructions add 4 %.
const MARGIN_OF_STARTS: f64 = 0.10;

/// How much more a case may take in the whole than in the quarter, beside what is stored. Both are
/// counted on the same system, so this one is narrow.
pub const GROWTH_MARGIN: f64 = 0.03;

/// Nothing is shown while it runs: what a display draws depends on the clock.
const QUIET: &str = "--quiet";

pub const RUNS: &[Run] = &[
    Run {
        name: "version",
        size: 1,
        files: files::none,
        args: &["--version"],
        floor: &["start"],
        margin: MARGIN_OF_STARTS,
        grows: false,
    },
    Run {
        name: "validate",
        size: 600,
        files: files::cases,
        args: &["validate", "suite.yaml"],
        floor: &["walk", "suite.yaml"],
        margin: MARGIN,
        grows: true,
    },
    Run {
        name: "eval-one",
        size: 1,
        files: files::singles,
        args: &["eval", "suite.yaml", QUIET],
        floor: &["start"],
        margin: MARGIN_OF_STARTS,
        grows: false,
    },
    Run {
        name: "eval-singles",
        size: 40,
        files: files::singles,
        args: &["eval", "suite.yaml", QUIET, "--no-fail"],
        floor: &["start"],
        margin: MARGIN,
        grows: false,
    },
    Run {
        name: "eval-batch",
        size: 320,
        files: files::batch,
        args: &["eval", "suite.yaml", QUIET, "--no-fail"],
        floor: &["lines", "answers.jsonl"],
        margin: MARGIN,
        grows: true,
    },
    Run {
        name: "eval-graders",
        size: 100,
        files: files::graded,
        args: &["eval", "suite.yaml", QUIET, "--no-fail"],
        floor: &["lines", "answers.jsonl"],
        margin: MARGIN,
        grows: false,
    },
    Run {
        name: "compare",
        size: 500,
        files: files::rows,
        args: &["compare", "a.jsonl", "b.jsonl", "--gate", "none"],
        floor: &["lines", "a.jsonl", "b.jsonl"],
        margin: MARGIN,
        grows: false,
    },
    Run {
        name: "report",
        size: 500,
        files: files::rows,
        args: &["report", "a.jsonl", "--out", "out.json"],
        floor: &["lines", "a.jsonl"],
        margin: MARGIN,
        grows: false,
    },
];
