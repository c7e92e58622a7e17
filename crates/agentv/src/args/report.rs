//! The arguments of `agentv report`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::formats::{format_help, out_help};

const REPORT_EXAMPLES: &str = "\
Examples:
  agentv report 20260131T… --out report.html        one page with everything, to be mailed or kept
  agentv report results.jsonl --out junit.xml --out cases.csv
                                                    several files of the same rows
  agentv report a.jsonl b.jsonl --out both.html     two files, one report
  agentv report 20260131T… --out - --output-format md
                                                    to standard output

Exit codes: 0 written, 2 something could not be read or --out cannot be written there, 3 something
could not be written.";

#[derive(Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub struct ReportArgs {
    /// Runs (ids, beginnings of them, folders) or files of rows
    #[arg(required = true, value_name = "RUN|FILE", value_hint = ValueHint::AnyPath)]
    pub runs: Vec<String>,

    #[arg(long, required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(help = out_help("Where it goes"))]
    pub out: Vec<PathBuf>,

    #[arg(long, visible_alias = "format", value_name = "FORMAT", value_hint = ValueHint::Other)]
    #[arg(help = format_help())]
    pub output_format: Option<String>,
}
