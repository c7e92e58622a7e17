//! The arguments of `agentv compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

const COMPARE_EXAMPLES: &str = "\
Examples:
  agentv compare main.jsonl branch.jsonl            what changed, and is it chance?
  agentv compare 20260131T… 20260201T…              runs of this project, by id
  agentv compare a.jsonl b.jsonl --gate significant --margin 0.02
                                                    exit 1 if significantly worse by more than 0.02
  agentv compare a.jsonl b.jsonl c.jsonl            every pair, corrected for their number
  agentv compare a.jsonl b.jsonl --format md >> \"$GITHUB_STEP_SUMMARY\"
  agentv compare a.jsonl b.jsonl --format html --out compared.html

The first is the baseline. Cases match by dataset, id and repeat within a target; two runs of one
target each match whatever the targets are called. Where there are several targets, each is a
comparison of its own, besides the one over all.

Gates: `case` asks whether a case that passed fails now, more often than its repeats in the baseline
explain; `mean` whether the mean over all is lower by more than the margin; `significant` whether a
comparison says worse, by more than the margin and beyond chance.

Exit codes: 0 no regression, 1 the gate found one, 2 something could not be read or nothing matches,
3 a case that the baseline has a grade for could not be evaluated (unless --gate none).";

#[derive(Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub struct CompareArgs {
    /// Runs (ids, beginnings of them, folders) or files of rows; the first is the baseline
    #[arg(required = true, num_args = 2.., value_name = "RUN|FILE", value_hint = ValueHint::AnyPath)]
    pub runs: Vec<String>,

    /// How it is told [default: by the ending of --out, else table]
    #[arg(short, long, value_name = "FORMAT")]
    pub format: Option<CompareFormat>,

    /// The same as --format json
    #[arg(long, hide = true, conflicts_with = "format")]
    pub json: bool,

    /// What counts as a regression
    #[arg(long, value_name = "GATE", default_value = "case")]
    pub gate: CompareGate,

    /// The difference from which a case counts as won or lost
    #[arg(long, visible_alias = "threshold", short = 't', value_name = "D", default_value = "0.1")]
    #[arg(value_parser = delta, value_hint = ValueHint::Other, allow_negative_numbers = true)]
    pub min_delta: f64,

    /// How much lower the mean may be and still be no worse
    #[arg(long, value_name = "M", default_value = "0", value_parser = delta)]
    #[arg(value_hint = ValueHint::Other, allow_negative_numbers = true)]
    pub margin: f64,

    /// What is like each other: resampled as a whole
    #[arg(long, value_name = "BY", default_value = "case")]
    pub cluster: Cluster,

    /// Only this target; repeatable
    #[arg(long = "target", value_name = "NAME", value_hint = ValueHint::Other)]
    pub targets: Vec<String>,

    /// List every case, also those that did not change
    #[arg(short, long)]
    pub verbose: bool,

    /// Write to FILE instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,

    /// Exit 0 although there is a regression; what could not be evaluated is still 3
    #[arg(long)]
    pub no_fail: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// For people
    Table,
    Json,
    Md,
    Html,
    Csv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompareGate {
    /// A case that passed fails, beyond its known flake rate
    Case,
    /// The mean is lower, by more than the margin
    Mean,
    /// It is significantly worse, by more than the margin
    Significant,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Cluster {
    /// The repeats of a case
    Case,
    /// The cases of a conversation
    Conversation,
    /// The cases of a dataset
    Dataset,
}

fn delta(typed: &str) -> Result<f64, String> {
    match typed.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("must be a number from 0 to 1".to_owned()),
    }
}
