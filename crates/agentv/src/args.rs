//! What was typed. What it means is in `settings`.

mod calibrate;
mod compare;
mod formats;
mod generate;
mod grade;
mod grader_types;
mod report;
mod results;
mod run;

use std::path::PathBuf;

use clap::{
    ArgAction, Args, Parser, Subcommand, ValueEnum, ValueHint,
    builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser},
};

pub use self::{
    calibrate::{CalibrateArgs, CalibrateFormat},
    compare::{Cluster, CompareArgs, CompareFormat, CompareGate},
    generate::{GenerateArgs, GenerateWhat},
    grade::GradeArgs,
    report::ReportArgs,
    results::{
        FailuresArgs, FilterArgs, ListArgs, MergeArgs, PruneArgs, ResultsArgs, ResultsFormat,
        ResultsWhat, RowFilterArgs, ShowArgs, TrendArgs, TrendFormat,
    },
    run::{RunArgs, Shard},
};
use self::{
    formats::{format_help, out_help},
    grader_types::GraderTypes,
};
use crate::diagnostics::{FORMATS, Format, format_named};

pub fn parse() -> Arguments {
    Arguments::parse()
}

const EXAMPLES: &str = "\
Examples:
  agentv init                             start with a suite that passes
  agentv eval evals/                      run every suite below evals/
  agentv eval evals/a.yaml --target mine  run one suite against one target
  agentv invoke evals/a.yaml --target mine --eval-id case-1
                                          see what a target gives back
  agentv validate evals/                  check without running anything

Exit codes: 0 every case passed, 1 some case failed, 2 nothing was run (usage,
configuration, load error), 3 some case could not be evaluated, 130 interrupted.";

/// Know whether an AI agent, or any program that answers questions, really works
#[derive(Parser)]
#[command(name = "agentv", version, after_help = EXAMPLES, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,

    /// When to use colour (NO_COLOR is honoured)
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true, display_order = 900)]
    color: Color,
}

impl Arguments {
    pub fn color(&self) -> Color {
        self.color
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run suites against targets, grade the answers, record and report
    Eval(Box<EvalArgs>),
    /// Grade recorded answers anew; no target is asked
    Grade(GradeArgs),
    /// Run only the provider and print what came back, one JSON object a line
    Invoke(InvokeArgs),
    /// Check suites, targets and config without running anything
    Validate(ValidateArgs),
    /// Compare recorded runs: what got better, what got worse, and whether that is chance
    Compare(CompareArgs),
    /// Turn recorded results into HTML, Markdown, JUnit XML, CSV, JSON and others
    Report(ReportArgs),
    /// Look at recorded runs, join and tidy them
    Results(ResultsArgs),
    /// Measure how far a judge agrees with people, and with itself
    Calibrate(CalibrateArgs),
    /// Start a project here: targets, settings, and a first suite that passes at once
    Init(InitArgs),
    /// Bring files of other dialects, formats and tools into the current form
    Convert(ConvertArgs),
    /// Propose rubrics for the cases of a suite, by asking a model
    Generate(GenerateArgs),
    /// Print the JSON Schema of a kind of file, for editors
    Schema(SchemaArgs),
    /// List the types of graders, or explain some of them
    Graders(GradersArgs),
    /// Print a completion script for your shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
}

/// Which cases, and whom to ask.
#[derive(Args, Clone)]
pub struct SelectArgs {
    /// Where the targets are: a file, or a folder that holds one [default: the nearest
    /// .agentv/targets.yaml, from the suite's folder upwards]
    #[arg(long = "targets", value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub targets_file: Option<PathBuf>,

    /// Only cases whose id matches; repeatable
    #[arg(long = "eval-id", value_name = "GLOB", value_hint = ValueHint::Other)]
    pub eval_ids: Vec<String>,

    /// Only cases with one of these tags; repeatable
    #[arg(long = "tag", value_name = "TAG", value_hint = ValueHint::Other)]
    pub tags: Vec<String>,
}

/// How targets are asked.
#[derive(Args)]
pub struct AskArgs {
    /// Most invocations at once over all targets [default: each target's `workers`, else 4]
    #[arg(long, value_name = "N", value_parser = workers, value_hint = ValueHint::Other)]
    pub workers: Option<usize>,

    /// Deadline of an invocation whose target sets none; 0 is off [default: 120]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    #[arg(value_hint = ValueHint::Other)]
    pub agent_timeout: Option<f64>,

    /// Further attempts of a case whose invocation timed out or failed [default: the target's
    /// `max_retries`, else 0]
    #[arg(long, value_name = "N", value_parser = retries, value_hint = ValueHint::Other)]
    #[arg(allow_negative_numbers = true)]
    pub max_retries: Option<u32>,

    /// Say more: the commands that are run, and every case
    #[arg(short, long)]
    pub verbose: bool,
}

const EVAL_EXAMPLES: &str = "\
Examples:
  agentv eval evals/                               every suite below evals/
  agentv eval 'evals/**/*.yaml' --eval-id 'math-*' some cases of many suites
  agentv eval evals/a.yaml --target old --target new
                                                   one suite, two targets
  agentv eval evals/a.yaml --out results.jsonl --out junit.xml --out report.md
                                                   keep the results elsewhere too
  agentv eval evals/a.yaml --no-fail               exit 0 although cases fail
  agentv eval --resume                             finish the newest run, after a crash
  agentv eval --rerun-failed                       a new run of what failed or changed
  agentv eval evals/ --repeat 5                    ask everything five times
  agentv eval evals/ --shard 2/5                   the second of five parts
  agentv eval evals/ --budget-usd 2.50 --deadline 3600
                                                   begin nothing that costs or takes more

Every run is recorded in .agentv/results/<run-id>/ (run.json and results.jsonl).
The summary goes to standard output, progress and warnings to standard error. In GitHub Actions
a summary of the step is written too, and annotations, unless -q is given.

Exit codes: 0 every case passed, 1 some case failed, 2 nothing was run, 3 some case could not be
evaluated or recorded, 130 interrupted.";

#[derive(Args)]
#[command(after_help = EVAL_EXAMPLES)]
pub struct EvalArgs {
    /// Suites: files, directories or globs [with --resume and its like: those of the run]
    #[arg(required_unless_present_any = ["resume", "rerun_failed", "rerun_errors"])]
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<String>,

    #[command(flatten)]
    pub select: SelectArgs,

    /// Ask this target instead of those that suites and cases name; repeatable, each is run
    #[arg(long = "target", value_name = "NAME", value_hint = ValueHint::Other)]
    pub targets: Vec<String>,

    #[command(flatten)]
    pub ask: AskArgs,

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
    pub run: RunArgs,

    #[command(flatten)]
    pub keep: KeepArgs,

    /// Write each case's prompt to a file [default folder: .agentv/prompts]
    #[arg(long, value_name = "DIR", value_parser = folder())]
    #[arg(num_args = 0..=1, default_missing_value = "", value_hint = ValueHint::DirPath)]
    pub dump_prompts: Option<PathBuf>,

    /// Write each answer's messages and trace to a file [default folder: .agentv/traces]
    #[arg(long, value_name = "DIR", value_parser = folder())]
    #[arg(num_args = 0..=1, default_missing_value = "", value_hint = ValueHint::DirPath)]
    pub dump_traces: Option<PathBuf>,

    /// Exit 0 although cases failed (errors still exit 3)
    #[arg(long)]
    pub no_fail: bool,

    /// How progress is shown
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub progress: Progress,

    /// No progress, only the outcome
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub quiet: bool,
}

/// What rows have besides the outcome.
#[derive(Args)]
pub struct KeepArgs {
    /// Keep messages and trace in the rows
    #[arg(long)]
    pub include_trace: bool,

    /// Keep every question to a judge, and its answer, in the rows
    #[arg(long)]
    pub include_prompts: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Progress {
    /// A live display on a terminal, plain lines elsewhere
    Auto,
    /// One line a case
    Plain,
    None,
}

const INVOKE_EXAMPLES: &str = "\
Examples:
  agentv invoke evals/a.yaml --target mine
  agentv invoke evals/a.yaml --target mine --eval-id case-1 | jq .response.text

Exit codes: 0 every case was answered, 2 nothing was run, 3 some case was not answered.";

#[derive(Args)]
#[command(after_help = INVOKE_EXAMPLES)]
pub struct InvokeArgs {
    /// Suites: files, directories or globs
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<String>,

    #[command(flatten)]
    pub select: SelectArgs,

    /// The target to ask
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub target: String,

    #[command(flatten)]
    pub ask: AskArgs,
}

const VALIDATE_EXAMPLES: &str = "\
Examples:
  agentv validate evals/                          every problem, with its place
  agentv validate evals/ --format github          annotations of a pull request
  agentv validate evals/ --format sarif > v.sarif a file for code scanning
  agentv validate evals/ --format json | jq '.problems[].code'

Exit codes: 0 nothing is wrong (there may be warnings), 2 something is.";

#[derive(Args)]
#[command(after_help = VALIDATE_EXAMPLES)]
pub struct ValidateArgs {
    /// Suites, targets and config files: files, directories or globs
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<String>,

    /// Where the targets are
    #[arg(long = "targets", value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub targets_file: Option<PathBuf>,

    /// How problems are told
    #[arg(long, visible_alias = "output-format", value_name = "FORMAT")]
    #[arg(default_value = "text", value_parser = told_format())]
    pub format: &'static Format,
}

fn told_format() -> impl TypedValueParser<Value = &'static Format> {
    let names =
        FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.description));
    PossibleValuesParser::new(names)
        .try_map(|name| format_named(&name).ok_or("there is no such format"))
}

const INIT_EXAMPLES: &str = "\
Examples:
  agentv init && agentv eval evals/       a first suite, and its run
  agentv init --path services/support     a project of its own in a folder

Writes .agentv/ (targets.yaml, config.yaml, schemas for editors, .gitignore) and
evals/first.yaml, which needs nothing but sh. A file that exists is left alone and named.

Exit codes: 0 everything is there, 2 something could not be written.";

#[derive(Args)]
#[command(after_help = INIT_EXAMPLES)]
pub struct InitArgs {
    /// The folder to start in; made where it does not exist
    #[arg(long, value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub path: PathBuf,

    /// Replace files that exist
    #[arg(long)]
    pub force: bool,
}

const CONVERT_EXAMPLES: &str = "\
What FILE is decides what happens:
  a suite, targets or config file   the same file under the current names (`tests` becomes
                                    `evalcases`, `code-grader` becomes `code_judge`, …);
                                    comments, order and formatting stay
  recorded results                  JSONL rows become YAML documents, YAML becomes JSONL
  a promptfoo configuration         a suite, and targets for its providers; what cannot be
                                    carried over is listed with its place and the reason

Examples:
  agentv convert evals/old.yaml              see the file under the current names
  agentv convert evals/old.yaml --write      change it in place
  agentv convert .agentv/targets.yaml --write
  agentv convert results.jsonl --out results.yaml
  agentv convert results.yaml --to jsonl | jq .score
  agentv convert promptfooconfig.yaml --out evals/imported.yaml
                                             the suite goes there, the targets to
                                             .agentv/targets.yaml of the project
  agentv convert promptfooconfig.yaml        print one suite that describes its targets
                                             itself, under `providers`

An existing targets file is never overwritten: the suite then describes its targets itself.";

#[derive(Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub struct ConvertArgs {
    /// The file to convert
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// What FILE is, where that cannot be told from what is in it
    #[arg(long, value_name = "WHAT")]
    pub from: Option<ConvertFrom>,

    /// The format that results are written in [default: the other one]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<ConvertTo>,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Change FILE itself (suites, targets, config)
    #[arg(long, conflicts_with = "out")]
    pub write: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConvertFrom {
    Suite,
    Targets,
    Results,
    Promptfoo,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConvertTo {
    Yaml,
    Jsonl,
}

const SCHEMA_EXAMPLES: &str = "\
Examples:
  agentv schema suite --out .agentv/schemas/suite.json
  agentv schema targets > targets.schema.json
  agentv schema result                       what a line of results.jsonl holds

Editors with yaml-language-server complete and check a file that begins with
  # yaml-language-server: $schema=.agentv/schemas/suite.json
The path starts at the file's own folder.";

#[derive(Args)]
#[command(after_help = SCHEMA_EXAMPLES)]
pub struct SchemaArgs {
    /// Which files it is about
    #[arg(value_name = "KIND")]
    pub kind: SchemaKind,

    /// Write it here, with the folders that are missing, instead of to standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaKind {
    /// Suites of eval cases
    Suite,
    /// `.agentv/targets.yaml`
    Targets,
    /// `.agentv/config.yaml`
    Config,
    /// `.agentv/prices.yaml`
    Prices,
    /// A line of `results.jsonl`
    Result,
}

const GRADERS_EXAMPLES: &str = "\
Examples:
  agentv graders                     every type, a line each
  agentv graders regex similar       what they do, their keys, examples
  agentv graders --format json       the same for programs

Exit codes: 0 printed, 2 no such type.";

#[derive(Args)]
#[command(after_help = GRADERS_EXAMPLES)]
pub struct GradersArgs {
    /// Types to explain, under any of their names [default: list them all]
    #[arg(value_name = "TYPE", value_parser = GraderTypes, hide_possible_values = true)]
    pub types: Vec<String>,

    /// How to print them
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: GradersFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GradersFormat {
    /// For people: a list, or pages in Markdown
    Text,
    /// One JSON object with names, keys and examples
    Json,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  agentv completions bash > ~/.local/share/bash-completion/completions/agentv
  agentv completions zsh > ~/.zfunc/_agentv
  agentv completions fish > ~/.config/fish/completions/agentv.fish

Exit codes: 0 printed, 2 no such shell.";

#[derive(Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell that is to complete commands
    pub shell: clap_complete::Shell,
}

const MAN_EXAMPLES: &str = "\
Examples:
  agentv man | man -l -                   read it
  agentv man --out ~/.local/share/man/man1
                                          install it, one page a command

Exit codes: 0 printed or written, 2 something could not be written.";

#[derive(Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManArgs {
    /// Write one page a command into this folder (agentv.1, agentv-eval.1, …) instead
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
}

fn workers(typed: &str) -> Result<usize, String> {
    match typed.parse::<usize>() {
        Ok(value) if value > 0 => Ok(value),
        _ => Err("must be a whole number of at least 1".to_owned()),
    }
}

fn retries(typed: &str) -> Result<u32, String> {
    typed.parse::<u32>().map_err(|_| "must be a whole number, 0 or more".to_owned())
}

fn seconds(typed: &str) -> Result<f64, String> {
    match typed.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("must be a number of seconds, 0 or more".to_owned()),
    }
}

/// A folder that may be left out, which is then empty. A suite that was taken for it is refused
/// here and not later, because without the suite the command line may lack its paths.
fn folder() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|typed| {
        let path = PathBuf::from(typed);
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if matches!(ending, "yaml" | "yml" | "jsonl" | "csv") {
            return Err("a suite, not a folder; put suites before this flag, or write `=DIR`");
        }
        Ok(path)
    })
}

fn threshold(typed: &str) -> Result<f64, String> {
    match typed.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("must be a number from 0 to 1".to_owned()),
    }
}
