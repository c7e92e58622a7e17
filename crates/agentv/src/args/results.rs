//! The arguments of `agentv results`.

use std::path::PathBuf;

use clap::{ArgAction, Args, Subcommand, ValueHint};

const RESULTS_EXAMPLES: &str = "\
Examples:
  agentv results merge shards/*            one run of all its parts

Exit codes: those of the command.";

#[derive(Args)]
#[command(after_help = RESULTS_EXAMPLES)]
pub struct ResultsArgs {
    #[command(subcommand)]
    pub what: ResultsWhat,
}

#[derive(Subcommand)]
pub enum ResultsWhat {
    /// Join the shards of one run, and prove that nothing is missing, doubled or strange
    Merge(MergeArgs),
}

const MERGE_EXAMPLES: &str = "\
Examples:
  agentv eval evals/ --shard 1/3           on one machine, and 2/3 and 3/3 on others
  agentv results merge shards/*            folders that were collected from them
  agentv results merge 20260131T… 20260131T… --out results.jsonl
                                           runs of this project, by id

The joined run goes to .agentv/results/<run-id>/ and names its parts.

Exit codes: as one `agentv eval` of everything would have, or 2 where the parts do not make a whole.";

#[derive(Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub struct MergeArgs {
    /// The parts: run ids, beginnings of them, or folders of runs
    #[arg(required = true, value_name = "RUN", value_hint = ValueHint::DirPath)]
    pub runs: Vec<String>,

    /// Also write the rows here; the ending picks the format (.jsonl, .yaml); repeatable
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Vec<PathBuf>,

    /// The format of --out, whatever its ending
    #[arg(long, value_name = "FORMAT", requires = "out", value_hint = ValueHint::Other)]
    pub output_format: Option<String>,

    /// Exit 0 although cases failed (errors still exit 3)
    #[arg(long)]
    pub no_fail: bool,

    /// Only the outcome
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub quiet: bool,
}
