//! The arguments of `agentv results`.

use std::path::PathBuf;

use clap::{ArgAction, ArgGroup, Args, Subcommand, ValueEnum, ValueHint};

use super::formats::{format_help, out_help};

const RESULTS_EXAMPLES: &str = "\
Examples:
  agentv results list --last 10            the newest runs, a line each
  agentv results show 20260131T… capital   one case of a run, with all its attempts
  agentv results failures                  what failed in the newest run, and why
  agentv results trend --last 20           how a suite has fared
  agentv results merge shards/*            one run of all its parts
  agentv results prune --keep 50           which runs could go; --yes removes them

Exit codes: those of the command.";

#[derive(Args)]
#[command(after_help = RESULTS_EXAMPLES)]
pub struct ResultsArgs {
    #[command(subcommand)]
    pub what: ResultsWhat,
}

#[derive(Subcommand)]
pub enum ResultsWhat {
    /// List runs, the newest first
    List(ListArgs),
    /// Show a run, or one case of it with all its attempts
    Show(ShowArgs),
    /// What failed or could not be evaluated, and why
    Failures(FailuresArgs),
    /// How pass rate and score have changed from run to run
    Trend(TrendArgs),
    /// Remove old runs
    Prune(PruneArgs),
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

    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(help = out_help("Also write the rows here"))]
    pub out: Vec<PathBuf>,

    #[arg(long, value_name = "FORMAT", requires = "out", value_hint = ValueHint::Other)]
    #[arg(help = format_help())]
    pub output_format: Option<String>,

    /// Exit 0 although cases failed (errors still exit 3)
    #[arg(long)]
    pub no_fail: bool,

    /// Only the outcome
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub quiet: bool,
}

/// Which runs, and which of their rows.
#[derive(Args, Clone, Default)]
pub struct FilterArgs {
    /// Only of suites whose path matches; repeatable
    #[arg(long = "suite", value_name = "GLOB", value_hint = ValueHint::Other)]
    pub suites: Vec<String>,

    /// Only of this target; repeatable
    #[arg(long = "target", value_name = "NAME", value_hint = ValueHint::Other)]
    pub targets: Vec<String>,

    /// Only of cases with this tag; repeatable
    #[arg(long = "tag", value_name = "TAG", value_hint = ValueHint::Other)]
    pub tags: Vec<String>,

    /// Only runs begun since then: 2026-01-31, 2026-01-31T12:00:00Z, or an age such as 7d
    #[arg(long, value_name = "WHEN", value_hint = ValueHint::Other)]
    pub since: Option<String>,

    /// Only runs begun before then
    #[arg(long, value_name = "WHEN", value_hint = ValueHint::Other)]
    pub until: Option<String>,
}

/// Which rows of a run.
#[derive(Args, Clone, Default)]
pub struct RowFilterArgs {
    /// Only of suites whose path matches; repeatable
    #[arg(long = "suite", value_name = "GLOB", value_hint = ValueHint::Other)]
    pub suites: Vec<String>,

    /// Only of this target; repeatable
    #[arg(long = "target", value_name = "NAME", value_hint = ValueHint::Other)]
    pub targets: Vec<String>,

    /// Only of cases with this tag; repeatable, one of them is enough
    #[arg(long = "tag", value_name = "TAG", value_hint = ValueHint::Other)]
    pub tags: Vec<String>,
}

/// How it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ResultsFormat {
    /// For people
    Table,
    Json,
    Csv,
}

const LIST_EXAMPLES: &str = "\
Examples:
  agentv results list --last 10                 the newest ten
  agentv results list --suite 'evals/qa/*' --since 7d
  agentv results list --target mine --tag smoke --cost
  agentv results list --format json | jq -r '.[0].run_id'

The numbers are those of the whole run, whatever it was found by. A run whose run.json cannot be
read is listed and says so. `abandoned` is a run that was killed: run.json says that it is running,
and nobody is writing to it (`agentv eval --resume RUN` goes on with it).

Exit codes: 0, or 2 where the runs cannot be read.";

#[derive(Args)]
#[command(after_help = LIST_EXAMPLES)]
pub struct ListArgs {
    #[command(flatten)]
    pub filter: FilterArgs,

    /// At most so many, the newest
    #[arg(long, visible_alias = "limit", value_name = "N", value_hint = ValueHint::Other)]
    pub last: Option<usize>,

    /// Also what each run cost; its rows are read for it, once
    #[arg(long)]
    pub cost: bool,

    /// How to tell it: json is a list of objects, csv has a line a run
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub format: ResultsFormat,
}

const SHOW_EXAMPLES: &str = "\
Examples:
  agentv results show                           the newest run: what was run and what it came to
  agentv results show 20260131T                 the run whose id begins so
  agentv results show latest capital-france     one case, with everything that was recorded of it
  agentv results show latest 'capital-*' --history
                                                and how these cases fared in earlier runs
  agentv results show results.jsonl q1 --format json
                                                rows of a file, as a list

`latest` is the newest run. Without ids, json is an object with `run` and `digest`; with ids it is a
list of rows, and with --history an object with `rows` and `history`. csv has a line a row.

Exit codes: 0, or 2 where there is no such run or no such case.";

#[derive(Args)]
#[command(after_help = SHOW_EXAMPLES)]
pub struct ShowArgs {
    /// The run: its id, the beginning of it, its folder, a file of rows, or `latest` [default: latest]
    #[arg(value_name = "RUN|FILE", value_hint = ValueHint::AnyPath)]
    pub run: Option<String>,

    /// Cases with this id, or whose id matches a glob: all their repeats, of every target
    #[arg(value_name = "ID", value_hint = ValueHint::Other)]
    pub ids: Vec<String>,

    #[command(flatten)]
    pub filter: RowFilterArgs,

    /// Also how these cases fared in the runs of this project, a line each
    #[arg(long)]
    pub history: bool,

    /// How to tell it
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub format: ResultsFormat,
}

const FAILURES_EXAMPLES: &str = "\
Examples:
  agentv results failures                       of the newest run
  agentv results failures --tag smoke --most 0  all of those with a tag
  agentv results failures old.jsonl --format csv > failures.csv

Errors that say the same are told once, with their number. json is a list of rows, csv has a line a
row; both have all of them unless --most is given.

Exit codes: 0 also where cases failed (it only looks), 2 where there is no such run.";

#[derive(Args)]
#[command(after_help = FAILURES_EXAMPLES)]
pub struct FailuresArgs {
    /// The run: its id, the beginning of it, its folder, a file of rows, or `latest` [default: latest]
    #[arg(value_name = "RUN|FILE", value_hint = ValueHint::AnyPath)]
    pub run: Option<String>,

    #[command(flatten)]
    pub filter: RowFilterArgs,

    /// Tell so many failed cases and kinds of errors; 0 for all [default: 20, in json and csv all]
    #[arg(long, value_name = "N", value_hint = ValueHint::Other)]
    pub most: Option<usize>,

    /// How to tell it
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub format: ResultsFormat,
}

const TREND_EXAMPLES: &str = "\
Examples:
  agentv results trend                          the last 30 runs of this project
  agentv results trend --suite 'evals/qa/*' --target mine --since 4w
  agentv results trend --tag smoke --last 100   only rows of cases with this tag count
  agentv results trend main.jsonl branch.jsonl  files of rows, in this order
  agentv results trend --format html --out trend.html
  agentv results trend --format csv | cut -d, -f2,10

Every rate and mean has its 95 % interval. The slope is that of least squares over the runs; the
first run and the last are compared case by case, as `agentv compare` does it.

A run without a row that fits is left out and counted, and so are the parts of a merged run that is
there as well. A run that cannot be read is told and left out.

Exit codes: 0, or 2 where a run that was named cannot be read.";

#[derive(Args)]
#[command(after_help = TREND_EXAMPLES)]
pub struct TrendArgs {
    /// Runs (ids, beginnings of them, folders) or files of rows, oldest first [default: the runs of
    /// this project]
    #[arg(value_name = "RUN|FILE", value_hint = ValueHint::AnyPath)]
    pub runs: Vec<String>,

    #[command(flatten)]
    pub filter: FilterArgs,

    /// At most so many runs with rows that fit, the newest [default: 30, of runs that are named all]
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = at_least_one)]
    pub last: Option<usize>,

    /// How to tell it
    #[arg(short, long, value_name = "FORMAT")]
    pub format: Option<TrendFormat>,

    /// Write to FILE instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TrendFormat {
    /// For people, with a plot
    Table,
    Json,
    Csv,
    Html,
}

const PRUNE_EXAMPLES: &str = "\
Examples:
  agentv results prune --keep 50                what would go, with sizes; nothing is removed
  agentv results prune --keep 50 --yes          remove all but the newest 50
  agentv results prune --older-than 30d --yes   remove those begun more than 30 days ago
  agentv results prune --keep 10 --older-than 30d --yes
                                                of those, keep the newest 10 whatever their age

Never removed: a run that is being written, and whatever is no run or cannot be read as one. A run
that others were made from can go: they have copies of its rows.

Exit codes: 0, 2 where it was asked wrongly, 3 where a run could not be removed.";

#[derive(Args)]
#[command(after_help = PRUNE_EXAMPLES)]
#[command(group(ArgGroup::new("which").required(true).multiple(true).args(["keep", "older_than"])))]
pub struct PruneArgs {
    /// Keep the newest so many
    #[arg(long, value_name = "N", value_hint = ValueHint::Other)]
    pub keep: Option<usize>,

    /// Only those begun longer ago: 30d, 12h, 2w
    #[arg(long, value_name = "AGE", value_hint = ValueHint::Other)]
    pub older_than: Option<String>,

    /// Really remove them; without it they are only listed
    #[arg(long)]
    pub yes: bool,
}

fn at_least_one(typed: &str) -> Result<usize, String> {
    match typed.parse::<usize>() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err("must be a whole number from 1".to_owned()),
    }
}
