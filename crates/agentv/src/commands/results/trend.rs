//! `agentv results trend`: how numbers change from run to run.

use std::{
    collections::{BTreeSet, HashSet},
    ffi::OsStr,
    io::Write as _,
    path::Path,
    time::SystemTime,
};

use agentv_base::{Diagnostic, Problems, Sources, escape_controls, excerpt};
use agentv_case::{Patterns, repository_root};
use agentv_report::{
    FoundRun, PlotSigns, Recorded, RenderFault, Row, RowFault, RunKind, RunManifest, Style,
    Timestamp, Trend, TrendBuilder, TrendScreen, Wanted, check_out, find_run, run_folders,
    write_whole,
};
use serde_json::Value;

use crate::{
    args::{FilterArgs, TrendArgs, TrendFormat},
    commands::{current_dir, given, refuse, report},
    console::Console,
    exit::Exit,
    recorded::{open_all, tell_notes},
    telling::unrecorded,
    when,
};

/// Runs of the project that are looked at unless it is said how many.
const USUAL: usize = 30;

/// Lines of the plot: a third of the window, within these.
const PLOT_HEIGHT: (usize, usize) = (7, 15);

pub fn run(args: &TrendArgs, console: Console) -> Exit {
    let told = Wish::of(&args.filter, console).and_then(|wish| {
        let trend = if args.runs.is_empty() {
            of_project(&wish, args.last.unwrap_or(USUAL), console)?
        } else {
            of_named(&args.runs, &wish, args.last, console)?
        };
        Ok(tell(&trend, args, console))
    });
    told.unwrap_or_else(|exit| exit)
}

/// Which rows count.
struct Wish {
    suites: Patterns,
    targets: Vec<String>,
    tags: Vec<String>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl Wish {
    fn of(filter: &FilterArgs, console: Console) -> Result<Self, Exit> {
        let now = SystemTime::now();
        let mut problems = Problems::default();
        let mut moment = |flag: &str, typed: &Option<String>| {
            let found = when::moment(typed.as_deref()?, now);
            found.map_err(|fault| problems.push(Diagnostic::error(format!("{flag}: {fault}")))).ok()
        };
        let (since, until) = (moment("--since", &filter.since), moment("--until", &filter.until));
        report(&problems, &Sources::default(), console)?;
        Ok(Self {
            suites: Patterns::new(&filter.suites),
            targets: filter.targets.clone(),
            tags: filter.tags.clone(),
            since,
            until,
        })
    }

    fn is_in_time(&self, begun: Timestamp) -> bool {
        self.since.is_none_or(|since| begun >= since)
            && self.until.is_none_or(|until| begun < until)
    }

    /// Whether nothing says which suites and targets are meant, so that the newest run does.
    fn follows_newest(&self) -> bool {
        self.suites.is_empty() && self.targets.is_empty()
    }

    /// Whether a run may have rows that fit, by what it says that it ran.
    fn may_fit(&self, run: &FoundRun) -> bool {
        let manifest = &run.manifest;
        let suites = &manifest.suites;
        let targets = &manifest.targets;
        (self.suites.is_empty()
            || suites.is_empty()
            || suites.iter().any(|suite| self.suites.matches(&suite.path)))
            && (self.targets.is_empty()
                || targets.is_empty()
                || targets.iter().any(|target| self.targets.contains(&target.name)))
    }

    fn takes(&self, row: &Row<'_>) -> bool {
        let suite = if row.suite.is_empty() { &row.dataset } else { &row.suite };
        (self.suites.is_empty() || self.suites.matches(suite))
            && (self.targets.is_empty() || self.targets.iter().any(|it| *it == row.target))
            && (self.tags.is_empty()
                || row.tags.iter().any(|tag| self.tags.contains(&tag.to_string())))
    }
}

/// The rows of a run that count. This is the only place where a trend reads rows.
fn rows_of<'r>(
    recorded: &'r Recorded,
    wish: &'r Wish,
) -> Result<impl Iterator<Item = Result<Row<'static>, RowFault>> + 'r, RowFault> {
    Ok(recorded.rows()?.filter(|row| row.as_ref().map_or(true, |row| wish.takes(row))))
}

fn add(builder: &mut TrendBuilder, recorded: &Recorded, wish: &Wish) -> Result<(), RowFault> {
    let begun = recorded.manifest.as_ref().map(|manifest| manifest.started_at);
    builder.add(&recorded.name, begun, rows_of(recorded, wish)?)
}

/// Runs and files in the order in which they were named. What cannot be read is in the way.
fn of_named(
    words: &[String],
    wish: &Wish,
    last: Option<usize>,
    console: Console,
) -> Result<Trend, Exit> {
    let mut all = open_all(words, console)?;
    all.retain(|recorded| {
        let begun = recorded.manifest.as_ref().map(|manifest| manifest.started_at);
        begun.is_none_or(|begun| wish.is_in_time(begun))
    });
    let mut out = LeftOut::default();
    all.retain(|recorded| {
        let made_up = recorded.manifest.as_ref().is_some_and(is_dry_run);
        out.dry_runs += usize::from(made_up);
        !made_up
    });
    out.tell(console);
    let earlier = all.len().saturating_sub(last.unwrap_or(usize::MAX));
    let mut builder = TrendBuilder::default();
    for recorded in all.iter().skip(earlier) {
        add(&mut builder, recorded, wish).map_err(|fault| refuse(fault.to_string(), console))?;
    }
    Ok(builder.finish(earlier))
}

/// The newest runs of the project that have rows that fit. What cannot be read is told.
fn of_project(wish: &Wish, last: usize, console: Console) -> Result<Trend, Exit> {
    let current_dir = current_dir(console)?;
    let root = repository_root(&current_dir);
    let results = root.join(".agentv").join("results");
    let names = run_folders(&results);
    let runs = readable(&names, &root, console);
    let parts: HashSet<String> =
        runs.iter().flat_map(|run| run.manifest.parts.iter().cloned()).collect();
    let mut chosen: Vec<Recorded> = Vec::new();
    let (mut without, mut earlier, mut out) = (0_usize, 0_usize, LeftOut::default());
    let mut newest: Option<Series> = None;
    // From the newest on, until there are enough; each is opened only when it is looked at.
    for run in runs.into_iter().rev() {
        if parts.contains(run.folder.run_id()) || !wish.is_in_time(run.manifest.started_at) {
            continue;
        }
        if !wish.may_fit(&run) {
            without += 1;
            continue;
        }
        if out.takes(&run.manifest) {
            continue;
        }
        let series = wish.follows_newest().then(|| Series::of(&run.manifest));
        if newest.is_some() && newest != series {
            out.others += 1;
            continue;
        }
        if chosen.len() >= last {
            earlier += 1;
            continue;
        }
        let name = run.folder.run_id().to_owned();
        match opened(run, wish) {
            Ok(Some(recorded)) => {
                tell_notes(&recorded, console);
                chosen.push(recorded);
                newest = series;
            }
            Ok(None) => without += 1,
            Err(fault) => left_out(&name, &fault, console),
        }
    }
    if names.is_empty() {
        return Err(nothing_there(&results, console));
    }
    out.tell(console);
    let mut builder = TrendBuilder::default();
    for recorded in chosen.iter().rev() {
        if let Err(fault) = add(&mut builder, recorded, wish) {
            left_out(&recorded.name, &fault.to_string(), console);
        }
    }
    let mut trend = builder.finish(earlier);
    trend.without_rows += without;
    Ok(trend)
}

/// What was evaluated: numbers of other suites or of other targets are no points of one line.
#[derive(PartialEq, Eq)]
struct Series {
    suites: BTreeSet<String>,
    targets: BTreeSet<String>,
}

impl Series {
    fn of(manifest: &RunManifest) -> Self {
        Self {
            suites: manifest.suites.iter().map(|suite| suite.path.clone()).collect(),
            targets: manifest.targets.iter().map(|target| target.name.clone()).collect(),
        }
    }
}

/// How many runs are no points of the trend, by why.
#[derive(Default)]
struct LeftOut {
    dry_runs: usize,
    carried: usize,
    others: usize,
}

impl LeftOut {
    /// Whether a run says nothing new, whatever is asked for.
    fn takes(&mut self, manifest: &RunManifest) -> bool {
        let (is_dry, is_carried) = (is_dry_run(manifest), is_carried(manifest));
        self.dry_runs += usize::from(is_dry);
        self.carried += usize::from(!is_dry && is_carried);
        is_dry || is_carried
    }

    fn tell(&self, console: Console) {
        let told = |count: usize, one: &str, many: &str| {
            if count > 0 {
                console.say(&format!("{count} {}\n", if count == 1 { one } else { many }));
            }
        };
        told(self.dry_runs, "dry run is left out", "dry runs are left out");
        told(
            self.carried,
            "run that asked nothing anew is left out: all of its rows are of its parent",
            "runs that asked nothing anew are left out: all of their rows are of their parents",
        );
        told(
            self.others,
            "run of other suites or targets than the newest is left out: --suite and --target \
             choose another series",
            "runs of other suites or targets than the newest are left out: --suite and --target \
             choose another series",
        );
    }
}

/// The answers of a dry run are made up.
fn is_dry_run(manifest: &RunManifest) -> bool {
    manifest.options.get("dry_run").and_then(Value::as_bool).unwrap_or_default()
}

/// Whether all rows were taken over from the parent. Grading them anew makes new numbers.
fn is_carried(manifest: &RunManifest) -> bool {
    let counts = &manifest.counts;
    let rows = counts.passed.saturating_add(counts.failed).saturating_add(counts.errors);
    let sessions = &manifest.sessions;
    manifest.kind != RunKind::Grade
        && manifest.parent.is_some()
        && !sessions.is_empty()
        && sessions.iter().all(|session| session.rows_before == rows)
}

/// A run with at least one row that fits.
fn opened(run: FoundRun, wish: &Wish) -> Result<Option<Recorded>, String> {
    let recorded = Recorded::of_run(run).map_err(|fault| fault.to_string())?;
    let mut rows = rows_of(&recorded, wish).map_err(|fault| fault.to_string())?;
    let first = rows.next().transpose().map_err(|fault| fault.to_string())?;
    drop(rows);
    Ok(first.map(|_| recorded))
}

/// All runs whose `run.json` can be read, the oldest first.
fn readable(names: &[String], root: &Path, console: Console) -> Vec<FoundRun> {
    let results = root.join(".agentv").join("results");
    let open = |name: &String| {
        let wanted = Wanted { name, current_dir: &results, fits: &|_| true };
        find_run(root, &wanted).map_err(|fault| left_out(name, &fault.message, console)).ok()
    };
    let mut runs: Vec<FoundRun> = names.iter().filter_map(open).collect();
    runs.sort_by_key(|run| run.manifest.started_at);
    runs
}

fn left_out(name: &str, reason: &str, console: Console) {
    let (name, reason) = (escape_controls(name), excerpt(reason, 300));
    console.say(&format!("warning: run {name} is left out: {reason}\n"));
}

fn nothing_there(results: &Path, console: Console) -> Exit {
    let mut problems = Problems::default();
    problems.push(
        Diagnostic::error(format!("there are no runs in {}", results.display()))
            .code("no-run")
            .hint("`agentv eval` makes one; or name runs or files of rows"),
    );
    report(&problems, &Sources::default(), console).err().unwrap_or(Exit::Refused)
}

/// What the ending of a file asks for; a text for people where it asks for nothing.
fn format_for(path: &Path) -> TrendFormat {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "json" => TrendFormat::Json,
        "csv" => TrendFormat::Csv,
        "html" | "htm" => TrendFormat::Html,
        _ => TrendFormat::Table,
    }
}

fn tell(trend: &Trend, args: &TrendArgs, console: Console) -> Exit {
    let width = if args.out.is_some() { 100 } else { Console::width() };
    let color = args.out.is_none() && console.stdout_has_color();
    let screen = TrendScreen {
        style: Style { color, width },
        plot_height: plot_height(),
        signs: plot_signs(),
    };
    let path = args.out.as_deref().filter(|path| *path != Path::new("-"));
    let format = args.format.unwrap_or_else(|| path.map_or(TrendFormat::Table, format_for));
    let write = |out: &mut dyn std::io::Write| -> Result<(), RenderFault> {
        match format {
            TrendFormat::Table => Ok(out.write_all(trend.text(screen).as_bytes())?),
            TrendFormat::Json => trend.write_json(out),
            TrendFormat::Csv => trend.write_csv(out),
            TrendFormat::Html => trend.write_html(out),
        }
    };
    if let Some(path) = path {
        if let Err(fault) = check_out(path) {
            return refuse(fault.to_string(), console);
        }
        return match write_whole(path, write) {
            Ok(()) => Exit::Passed,
            Err(fault) => unrecorded(&fault.to_string(), console),
        };
    }
    if format == TrendFormat::Table {
        return given(console.tell(&trend.text(screen)), console);
    }
    let mut stdout = std::io::BufWriter::new(Console::stdout());
    let written = write(&mut stdout).map_err(|fault| std::io::Error::other(fault.to_string()));
    given(written.and_then(|()| stdout.flush()), console)
}

fn plot_height() -> usize {
    let (low, high) = PLOT_HEIGHT;
    let lines = std::env::var("LINES").ok().and_then(|lines| lines.trim().parse().ok());
    let lines = lines.or_else(|| terminal_size::terminal_size().map(|(_, it)| usize::from(it.0)));
    lines.map_or(11, |lines| (lines / 3).clamp(low, high))
}

/// Letters alone where the locale says that there is nothing else.
fn plot_signs() -> PlotSigns {
    let said = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    match said {
        Some(locale) if !locale.to_ascii_lowercase().replace('-', "").contains("utf8") => {
            PlotSigns::Ascii
        }
        _ => PlotSigns::Unicode,
    }
}
