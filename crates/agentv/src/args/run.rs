//! The flags of `agentv eval` that say how much of a run there is to be, and where to go on.

use std::path::PathBuf;

use clap::{
    Args, ValueHint,
    builder::{StringValueParser, TypedValueParser},
};

/// How often, how much, and from where.
#[derive(Args)]
pub struct RunArgs {
    /// Ask every case N times, whatever the suite says
    #[arg(long, value_name = "N", value_parser = repeats, value_hint = ValueHint::Other)]
    pub repeat: Option<u32>,

    /// Stop repeating a case once its verdict is settled (error level 5 %)
    #[arg(long)]
    pub until_decided: bool,

    /// Finish an interrupted run: only what has no row is run [default: the newest run]
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "")]
    #[arg(value_parser = run_name(), value_hint = ValueHint::DirPath)]
    #[arg(conflicts_with_all = ["rerun_failed", "rerun_errors"])]
    pub resume: Option<String>,

    /// A new run of what failed, erred or changed in an earlier one; the rest is carried over
    /// [default: the newest run]
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "")]
    #[arg(value_parser = run_name(), value_hint = ValueHint::DirPath)]
    pub rerun_failed: Option<String>,

    /// The same of errors only: cases that failed are carried over too
    #[arg(long, visible_alias = "retry-errors", value_name = "RUN", num_args = 0..=1)]
    #[arg(default_missing_value = "", value_parser = run_name(), value_hint = ValueHint::DirPath)]
    #[arg(conflicts_with = "rerun_failed")]
    pub rerun_errors: Option<String>,

    /// Run only one part of N, chosen by the cases' names: the same on every machine
    #[arg(long, value_name = "I/N", value_parser = shard, value_hint = ValueHint::Other)]
    pub shard: Option<Shard>,

    /// Begin nothing that the rest of X dollars cannot pay for; the first case of a target is asked
    /// to learn its price
    #[arg(long, value_name = "X", value_parser = amount, value_hint = ValueHint::Other)]
    #[arg(allow_negative_numbers = true)]
    pub budget_usd: Option<f64>,

    /// The same in tokens
    #[arg(long, value_name = "N", value_parser = tokens, value_hint = ValueHint::Other)]
    #[arg(allow_negative_numbers = true)]
    pub budget_tokens: Option<u64>,

    /// End the run after so many seconds; what is not done is counted as not run
    #[arg(long, value_name = "SECONDS", value_parser = time, value_hint = ValueHint::Other)]
    #[arg(allow_negative_numbers = true)]
    pub deadline: Option<f64>,

    /// Begin nothing new after N failed cases or errors [default: 1]
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1")]
    #[arg(value_parser = failures(), value_hint = ValueHint::Other)]
    pub fail_fast: Option<usize>,

    /// Take answers that were given before to the same question by the same target
    #[arg(long)]
    pub cache: bool,

    /// Write every answer of targets and judges to FILE, for --replay
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "replay")]
    pub record: Option<PathBuf>,

    /// Take every answer of targets and judges from FILE; nobody is asked
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["cache", "dry_run"])]
    pub replay: Option<PathBuf>,

    /// Ask nobody: every target gives a made-up answer, everything else is done
    #[arg(long, conflicts_with_all = ["cache", "record"])]
    pub dry_run: bool,
}

/// One part of several, as typed: `2/5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub index: u32,
    pub count: u32,
}

/// The same limit as that of `repeat` in a suite.
fn repeats(typed: &str) -> Result<u32, String> {
    match typed.parse::<u32>() {
        Ok(value @ 1..=10_000) => Ok(value),
        _ => Err("must be a whole number from 1 to 10,000".to_owned()),
    }
}

fn amount(typed: &str) -> Result<f64, String> {
    match typed.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("must be an amount of dollars, 0 or more".to_owned()),
    }
}

fn tokens(typed: &str) -> Result<u64, String> {
    let typed = typed.replace('_', "");
    typed.parse::<u64>().map_err(|_| "must be a whole number of tokens, 0 or more".to_owned())
}

fn time(typed: &str) -> Result<f64, String> {
    match typed.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("must be a number of seconds above 0, as in 600".to_owned()),
    }
}

/// Most parts of a run. More are a mistyped number: every part is a process with a run of its own.
const MOST_SHARDS: u32 = 10_000;

fn shard(typed: &str) -> Result<Shard, String> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let parts =
        typed.split_once('/').and_then(|(index, count)| Some((number(index)?, number(count)?)));
    let Some((index, count)) = parts else {
        return Err("must be I/N, as in 2/5: the second of five parts".to_owned());
    };
    match (u32::try_from(index), u32::try_from(count)) {
        (Ok(0), _) | (_, Ok(0)) => Err("shards are counted from 1: 1/N is the first".to_owned()),
        (Ok(index), Ok(count)) if count <= MOST_SHARDS && index <= count => {
            Ok(Shard { index, count })
        }
        (_, Ok(count)) if count <= MOST_SHARDS => Err(format!("{index} is above {count}")),
        _ => Err(format!("{count} parts are more than {MOST_SHARDS}")),
    }
}

/// A run by its id, the beginning of it, or its folder. Empty where it may be left out. A suite
/// that was taken for it is refused here, because without it the command line may lack its paths.
fn run_name() -> impl TypedValueParser<Value = String> {
    StringValueParser::new().try_map(|typed| {
        let ending = typed.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_results = typed.ends_with("results.jsonl");
        if matches!(ending, "yaml" | "yml" | "jsonl" | "csv") && !is_results {
            return Err("a suite, not a run; put suites before this flag, or write `=RUN`");
        }
        Ok(typed)
    })
}

fn failures() -> impl TypedValueParser<Value = usize> {
    StringValueParser::new().try_map(|typed| match typed.parse::<usize>() {
        Ok(value) if value > 0 => Ok(value),
        _ => {
            Err("must be a whole number of at least 1; put suites before this flag, or write `=N`")
        }
    })
}
