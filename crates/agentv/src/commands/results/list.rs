//! `agentv results list`: runs, the newest first.

use std::{
    collections::{HashMap, HashSet},
    time::SystemTime,
};

use agentv_base::{Diagnostic, excerpt};
use agentv_case::Patterns;
use agentv_report::{ListedRun, RunEntry, Timestamp, ask_index, runs_csv, runs_json, runs_text};

use super::{
    place::{Here, is_idle, tell, tell_passed_over},
    progress::Reading,
};
use crate::{
    args::{FilterArgs, ListArgs, ResultsFormat},
    commands::given,
    console::Console,
    exit::Exit,
    telling::style,
    when,
};

pub fn run(args: &ListArgs, console: Console) -> Exit {
    match list(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn list(args: &ListArgs, console: Console) -> Result<Exit, Exit> {
    let here = Here::find(console)?;
    let now = SystemTime::now();
    let wanted = Wanted::of(&args.filter, now, console)?;
    let mut reading = Reading::begin(console);
    let answer = ask_index(&here.index, &mut |rows| reading.told(rows), |index| {
        let all = index.runs()?;
        let is_empty = all.is_empty();
        let mut runs: Vec<RunEntry> = all.into_iter().filter(|run| wanted.fits(run)).collect();
        if !args.filter.tags.is_empty() {
            let names: Vec<&str> = runs.iter().map(|run| run.run_id.as_str()).collect();
            let tagged: HashSet<String> = index.tagged(&names, &args.filter.tags)?;
            runs.retain(|run| tagged.contains(&run.run_id));
        }
        runs.truncate(args.last.unwrap_or(usize::MAX));
        index.count_unfinished(&mut runs)?;
        let names: Vec<&str> = runs.iter().map(|run| run.run_id.as_str()).collect();
        let costs = if args.cost { index.costs(&names)? } else { HashMap::new() };
        Ok((runs, costs, is_empty, index.take_notes()))
    });
    drop(reading);
    let (runs, costs, is_empty, notes) = answer.map_err(|fault| {
        tell([Diagnostic::error(fault.to_string()).code("unreadable-run")], console)
    })?;
    tell_passed_over(&notes, console);
    let listed: Vec<ListedRun> = runs
        .into_iter()
        .map(|entry| {
            let folder = here.index.results.join(&entry.run_id);
            let is_abandoned = entry.status.as_deref() == Some("running") && is_idle(&folder);
            ListedRun { cost_usd: costs.get(&entry.run_id).copied(), is_abandoned, entry }
        })
        .collect();
    if listed.is_empty() {
        let shown = here.index.results.display();
        let none = if is_empty {
            format!("there are no runs in {shown}; `agentv eval` makes one\n")
        } else {
            "no run fits\n".to_owned()
        };
        console.say(&none);
    }
    let text = match args.format {
        ResultsFormat::Table if listed.is_empty() => Ok(String::new()),
        ResultsFormat::Table => Ok(runs_text(&listed, now, style(console.stdout_has_color()))),
        ResultsFormat::Json => runs_json(&listed),
        ResultsFormat::Csv => runs_csv(&listed),
    };
    Ok(given(text.and_then(|text| console.result(&text)), console))
}

/// Which runs, by what `run.json` says.
struct Wanted<'a> {
    suites: Patterns,
    targets: &'a [String],
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl<'a> Wanted<'a> {
    fn of(filter: &'a FilterArgs, now: SystemTime, console: Console) -> Result<Self, Exit> {
        let moment = |typed: &Option<String>, flag: &str| {
            let typed = typed.as_deref();
            typed.map(|typed| when::moment(typed, now)).transpose().map_err(|fault| {
                let message = format!("{flag}: {}", excerpt(&fault, 300));
                tell([Diagnostic::error(message).code("bad-value")], console)
            })
        };
        Ok(Self {
            suites: Patterns::new(&filter.suites),
            targets: &filter.targets,
            since: moment(&filter.since, "--since")?,
            until: moment(&filter.until, "--until")?,
        })
    }

    fn fits(&self, run: &RunEntry) -> bool {
        let suite = self.suites.is_empty() || run.suites.iter().any(|it| self.suites.matches(it));
        let target =
            self.targets.is_empty() || run.targets.iter().any(|it| self.targets.contains(it));
        let since = self.since.is_none_or(|since| run.started_at.is_some_and(|it| it >= since));
        let until = self.until.is_none_or(|until| run.started_at.is_some_and(|it| it < until));
        suite && target && since && until
    }
}
