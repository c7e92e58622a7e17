//! What was typed after `agentv calibrate`.

use std::path::PathBuf;

use agentv_report::Confidence;
use clap::{Args, ValueEnum, ValueHint};

use super::{seconds, threshold, workers};

const CALIBRATE_EXAMPLES: &str = "\
Examples:
  agentv calibrate evals/a.yaml --labels labels.jsonl
  agentv calibrate evals/a.yaml --labels labels.csv --judge new-model --repeat 5
                                          another judge for the same labels
  agentv calibrate evals/a.yaml --labels labels.jsonl --min-kappa 0.7
                                          a gate: exit 1 below it

A label is a case, an answer and what a person says of it:
  {\"eval_id\": \"refund\", \"answer\": \"We pay it back.\", \"label\": \"pass\"}
Lines of results.jsonl to which you add `label` are labels too. The result goes to
.agentv/calibrations/ and stands beside every score of that judge from then on.

What the numbers say, beside the report's own words:
  accuracy   how often the judge is right. With nine good answers of ten, one that
             passes everything has 90 %, so look at kappa too
  kappa      what is left when chance is taken off: 1 all, 0 none. Up to 0.6 it is
             moderate at best; above 0.8 as good as careful people
  rates      what a run gets wrong: good answers that fail, bad ones that pass
  interval   where the true number is likely to lie; more labels make it narrower
  itself     a judge that says different things of one answer cannot agree with anybody

A judge that fails the first 5 times, and never answers, is asked no more.

Exit codes: 0 measured and stored, 1 below --min-kappa or --min-accuracy, 2 nothing was
asked, 3 the judge failed or the result could not be stored, 130 interrupted.";

#[derive(Args)]
#[command(after_help = CALIBRATE_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct CalibrateArgs {
    /// The suite whose cases the labels are about
    #[arg(value_name = "SUITE", value_hint = ValueHint::FilePath)]
    pub suite: String,

    /// Answers with what people say of them (.jsonl, .csv, .yaml, .json)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub labels: PathBuf,

    /// Where the targets are
    #[arg(long = "targets", value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub targets_file: Option<PathBuf>,

    /// The target whose answers are judged, for its `judge_target`
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub target: Option<String>,

    /// The target that judges, whatever suite and targets say
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub judge: Option<String>,

    /// The grader to measure, where labels do not say and cases have several judges
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub grader: Option<String>,

    /// How often the judge is asked about each answer
    #[arg(long, value_name = "N", default_value = "3", value_parser = workers)]
    #[arg(value_hint = ValueHint::Other)]
    pub repeat: usize,

    /// Score from which an answer passes, whatever the suite says [default: the suite's, else 0.8]
    #[arg(long, value_name = "S", value_parser = threshold, value_hint = ValueHint::Other)]
    pub threshold: Option<f64>,

    /// How sure the intervals are to hold the true number
    #[arg(long, value_name = "LEVEL", default_value = "0.95", value_parser = confidence)]
    #[arg(value_hint = ValueHint::Other)]
    pub confidence: Confidence,

    /// Exit 1 where Cohen's kappa is below this
    #[arg(long, value_name = "K", value_parser = kappa, value_hint = ValueHint::Other)]
    #[arg(allow_negative_numbers = true)]
    pub min_kappa: Option<f64>,

    /// Exit 1 where the accuracy is below this
    #[arg(long, value_name = "A", value_parser = threshold, value_hint = ValueHint::Other)]
    pub min_accuracy: Option<f64>,

    /// Store the result although the judge failed on some answers, which are left out
    #[arg(long)]
    pub allow_errors: bool,

    /// Only measure: store nothing
    #[arg(long)]
    pub no_store: bool,

    /// Most judgements at once [default: what the judges' `workers` allow, else 4]
    #[arg(long, value_name = "N", value_parser = workers, value_hint = ValueHint::Other)]
    pub workers: Option<usize>,

    /// Deadline of a question to a judge whose target sets none; 0 is off
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    #[arg(value_hint = ValueHint::Other)]
    pub agent_timeout: f64,

    /// How the result is told
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: CalibrateFormat,

    /// No progress, only the outcome
    #[arg(short, long)]
    pub quiet: bool,

    /// Say more: the commands that are run
    #[arg(short, long)]
    pub verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CalibrateFormat {
    /// For people
    Text,
    /// One JSON object, with everything that is stored
    Json,
}

fn confidence(typed: &str) -> Result<Confidence, String> {
    let level = typed.parse::<f64>().ok().and_then(Confidence::new);
    level.ok_or_else(|| "must be a number between 0 and 1, such as 0.95".to_owned())
}

fn kappa(typed: &str) -> Result<f64, String> {
    match typed.parse::<f64>() {
        Ok(value) if (-1.0..=1.0).contains(&value) => Ok(value),
        _ => Err("must be a number from -1 to 1".to_owned()),
    }
}
