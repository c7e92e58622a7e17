//! What was typed after `agentv generate`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum, ValueHint};

use super::seconds;

const GENERATE_EXAMPLES: &str = "\
Asks a model to take the `expected_outcome` of each case apart into rubrics, and writes them into
the case. Every other byte of the file stays as it is. Cases that have rubrics are left alone.

Examples:
  agentv generate rubrics evals/a.yaml --target gpt    write them into the file
  agentv generate rubrics evals/a.yaml --dry-run       see the file that would be written
  agentv generate rubrics evals/a.yaml --eval-id 'login-*' --force
                                                       new rubrics for some cases

Ctrl-C ends the asking; rubrics that are there by then are written.

Exit codes: 0 every case has its rubrics, 2 nothing was asked, 3 some case got none, 130 interrupted.";

#[derive(Args)]
#[command(after_help = GENERATE_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that may be given or not")]
pub struct GenerateArgs {
    /// What to propose
    #[arg(value_name = "WHAT")]
    pub what: GenerateWhat,

    /// The suite, a YAML file
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,

    /// Ask this target [default: the `judge_target` of the case, the suite or its target]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub target: Option<String>,

    /// Where the targets are [default: the nearest .agentv/targets.yaml]
    #[arg(long = "targets", value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub targets_file: Option<PathBuf>,

    /// Only cases whose id matches; repeatable
    #[arg(long = "eval-id", value_name = "GLOB", value_hint = ValueHint::Other)]
    pub eval_ids: Vec<String>,

    /// Replace the rubrics that cases have
    #[arg(long)]
    pub force: bool,

    /// Print the file that would be written, and write nothing
    #[arg(long, conflicts_with = "out")]
    pub dry_run: bool,

    /// Write to this file instead, and leave FILE as it is
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,

    /// Deadline of an answer of a target that sets none; 0 is off
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    #[arg(value_hint = ValueHint::Other)]
    pub agent_timeout: f64,

    /// No progress, only the outcome
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub quiet: bool,

    /// Say more: the commands that are run
    #[arg(short, long)]
    pub verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GenerateWhat {
    /// Points that a judge checks one by one, from `expected_outcome`
    Rubrics,
}
