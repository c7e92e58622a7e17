//! `agentv compare`: what changed between runs, and whether it is more than chance.

use std::{
    ffi::OsStr,
    io::{self, BufWriter, IsTerminal as _, Write as _},
    path::Path,
};

use agentv_base::{Diagnostic, Problems, Sources, escape_controls};
use agentv_report::{
    ClusterBy, CompareOptions, Comparison, Gate, Recorded, Ruled, Style, write_comparison,
    write_whole,
};

use super::{given, make_folder_of, refuse, report};
use crate::{
    args::{Cluster, CompareArgs, CompareFormat, CompareGate},
    console::Console,
    exit::Exit,
    recorded::open_all,
};

/// So many rows are read before anybody wonders whether something happens.
const ROWS_WORTH_TELLING: usize = 100_000;

pub fn run(args: &CompareArgs, console: Console) -> Exit {
    match compare(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn compare(args: &CompareArgs, console: Console) -> Result<Exit, Exit> {
    let runs = open_all(&args.runs, console)?;
    check_out(args, &runs, console)?;
    tell_of_twins(&runs, console);
    let mut progress = Progress::of(&runs, console);
    let comparison = Comparison::of(&runs, options(args), &mut |rows| progress.add(rows));
    progress.end();
    let comparison = comparison.map_err(|fault| unreadable(&fault.to_string(), console))?;
    let missing = comparison.missing();
    if missing > 0 {
        let rows =
            if missing == 1 { "1 row has".to_owned() } else { format!("{missing} rows have") };
        console.say(&format!(
            "warning: {rows} no partner in a later run: whether they got worse is not known\n"
        ));
    }
    let written = write(args, &comparison, console)?;
    if written != Exit::Passed {
        return Err(written);
    }
    Ok(match comparison.ruled() {
        Ruled::Incomparable => incomparable(args, &comparison, console),
        Ruled::Unevaluated => Exit::Unevaluated,
        Ruled::Regressed if !args.no_fail => Exit::Failed,
        Ruled::Regressed | Ruled::Passed => Exit::Passed,
    })
}

fn options(args: &CompareArgs) -> CompareOptions {
    CompareOptions {
        min_delta: args.min_delta,
        margin: args.margin,
        cluster: match args.cluster {
            Cluster::Case => ClusterBy::Case,
            Cluster::Conversation => ClusterBy::Conversation,
            Cluster::Dataset => ClusterBy::Dataset,
        },
        gate: match args.gate {
            CompareGate::Case => Gate::Case,
            CompareGate::Mean => Gate::Mean,
            CompareGate::Significant => Gate::Significant,
            CompareGate::None => Gate::None,
        },
        targets: args.targets.clone(),
    }
}

/// What the ending of a file asks for; a text for people where it asks for nothing.
fn format_for(path: &Path) -> CompareFormat {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "json" => CompareFormat::Json,
        "md" | "markdown" => CompareFormat::Md,
        "html" | "htm" => CompareFormat::Html,
        "csv" => CompareFormat::Csv,
        _ => CompareFormat::Table,
    }
}

/// A file that is read is not replaced.
fn check_out(args: &CompareArgs, runs: &[Recorded], console: Console) -> Result<(), Exit> {
    let out = args.out.as_deref().and_then(|path| path.canonicalize().ok());
    let Some(out) = out.filter(|out| out.is_file()) else { return Ok(()) };
    let typed = args.runs.iter().map(Path::new);
    let read = typed.chain(runs.iter().map(Recorded::path));
    if read.filter_map(|path| path.canonicalize().ok()).any(|path| path == out) {
        let shown = out.to_string_lossy();
        let message = format!("--out would replace `{}`, which is read", escape_controls(&shown));
        return Err(refuse(message, console));
    }
    Ok(())
}

/// The same rows on both sides are a slip of the hand more often than a question.
fn tell_of_twins(runs: &[Recorded], console: Console) {
    let Some((baseline, others)) = runs.split_first() else { return };
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let first = real(baseline.path());
    if others.iter().any(|run| real(run.path()) == first) {
        let name = escape_controls(&baseline.name);
        console.say(&format!("warning: `{name}` is compared with itself\n"));
    }
}

fn unreadable(message: &str, console: Console) -> Exit {
    let mut problems = Problems::default();
    problems.push(Diagnostic::error(message).code("unreadable-run"));
    report(&problems, &Sources::default(), console).err().unwrap_or(Exit::Refused)
}

/// Nothing was compared, so nothing can have passed.
fn incomparable(args: &CompareArgs, comparison: &Comparison, console: Console) -> Exit {
    // One run can be enough to fail many: what each has is told for all of them.
    let sides = comparison.names_on_each_side().join(" — ");
    let message = format!("no case of one run is in the other: nothing was compared ({sides})");
    let problem = Diagnostic::error(message).code("nothing-matches");
    let hint = if args.targets.is_empty() {
        "cases match by dataset, id and repeat within a target; --target picks one of each run \
         where their targets have other names; --gate none lets it pass"
    } else {
        "only rows of the targets that --target names are compared"
    };
    let mut problems = Problems::default();
    problems.push(problem.hint(hint));
    report(&problems, &Sources::default(), console).err().unwrap_or(Exit::Refused)
}

fn write(args: &CompareArgs, comparison: &Comparison, console: Console) -> Result<Exit, Exit> {
    let format = match (args.json, args.format) {
        (true, _) => CompareFormat::Json,
        (false, Some(format)) => format,
        (false, None) => args.out.as_deref().map_or(CompareFormat::Table, format_for),
    };
    let color = args.out.is_none() && console.stdout_has_color();
    let format = match format {
        CompareFormat::Table => agentv_report::CompareFormat::Table {
            style: Style { color, width: Console::width() },
            verbose: args.verbose,
        },
        CompareFormat::Json => agentv_report::CompareFormat::Json,
        CompareFormat::Md => agentv_report::CompareFormat::Md,
        CompareFormat::Html => agentv_report::CompareFormat::Html,
        CompareFormat::Csv => agentv_report::CompareFormat::Csv,
    };
    let Some(path) = args.out.as_deref().filter(|path| *path != Path::new("-")) else {
        if matches!(format, agentv_report::CompareFormat::Table { .. }) {
            let mut text = Vec::new();
            let written = write_comparison(comparison, format, &mut text)
                .and_then(|()| console.tell(&String::from_utf8_lossy(&text)));
            return Ok(given(written, console));
        }
        let mut out = BufWriter::with_capacity(1 << 16, Console::stdout());
        let written = write_comparison(comparison, format, &mut out).and_then(|()| out.flush());
        return Ok(given(written, console));
    };
    make_folder_of(path, console)?;
    write_whole(path, |out| Ok(write_comparison(comparison, format, out)?)).map_err(|fault| {
        refuse(fault.to_string(), console);
        Exit::Unevaluated
    })?;
    Ok(Exit::Passed)
}

/// How far the reading is, in place, on a terminal only.
struct Progress {
    console: Console,
    total: usize,
    read: usize,
    percent: usize,
}

impl Progress {
    fn of(runs: &[Recorded], console: Console) -> Self {
        let total: usize = runs.iter().map(Recorded::len).sum();
        let is_shown =
            total >= ROWS_WORTH_TELLING && Console::stderr_is_live() && io::stderr().is_terminal();
        Self { console, total: if is_shown { total } else { 0 }, read: 0, percent: 0 }
    }

    fn add(&mut self, rows: usize) {
        self.read += rows;
        let percent = (self.read * 100).checked_div(self.total).unwrap_or(0);
        if percent > self.percent {
            self.percent = percent;
            self.console.say(&format!("\rreading {} rows: {percent} %", self.total));
        }
    }

    fn end(&self) {
        if self.percent > 0 {
            self.console.say("\r\u{1b}[K");
        }
    }
}
