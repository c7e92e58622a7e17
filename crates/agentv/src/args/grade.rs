//! The arguments of `agentv grade`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueHint};

use super::{
    KeepArgs, Progress, SelectArgs,
    formats::{format_help, out_help},
    threshold, workers,
};

const GRADE_EXAMPLES: &str = "\
Examples:
  agentv grade 20260131T…                  the answers of a run, by its id or the beginning of it
  agentv grade .agentv/results/20260131T…  the same, by its folder
  agentv grade results.jsonl --threshold 0.6
                                           rows that were kept elsewhere, by another threshold

No target is asked; judges are. Suites, graders and judges are those of now. Rows without an
answer are carried over as they are. The new run goes to .agentv/results/<run-id>/ and names the
one that its answers are from.

Exit codes: as `agentv eval`, and 2 where the suites no longer have a case of the rows.";

#[derive(Args)]
#[command(after_help = GRADE_EXAMPLES)]
pub struct GradeArgs {
    /// The run whose answers are graded, or a file with its rows
    #[arg(value_name = "RUN|FILE", value_hint = ValueHint::AnyPath)]
    pub rows: String,

    #[command(flatten)]
    pub select: SelectArgs,

    /// Most cases graded at once [default: as many as targets would be asked for]
    #[arg(long, value_name = "N", value_parser = workers, value_hint = ValueHint::Other)]
    pub workers: Option<usize>,

    /// Score from which a case passes, whatever the suite says [default: the suite's, else 0.8]
    #[arg(long, value_name = "S", value_parser = threshold, value_hint = ValueHint::Other)]
    pub threshold: Option<f64>,

    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(help = out_help("Also write the rows here"))]
    pub out: Vec<PathBuf>,

    #[arg(long, value_name = "FORMAT", requires = "out", value_hint = ValueHint::Other)]
    #[arg(help = format_help())]
    pub output_format: Option<String>,

    #[command(flatten)]
    pub keep: KeepArgs,

    /// Exit 0 although cases failed (errors still exit 3)
    #[arg(long)]
    pub no_fail: bool,

    /// How progress is shown
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub progress: Progress,

    /// No progress, only the outcome
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub quiet: bool,

    /// Say more: the commands that are run, and every case
    #[arg(short, long)]
    pub verbose: bool,
}
