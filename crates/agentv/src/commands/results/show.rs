//! `agentv results show`: a run, or cases of it with everything that was recorded of them.

use std::{io, time::SystemTime};

use agentv_base::{Diagnostic, excerpt};
use agentv_report::{
    Digester, Fared, Row, RunFolder, RunStatus, Summary, ask_index, case_text, history_text,
    run_text, write_rows_csv, write_rows_json,
};
use serde_json::{Value, json};

use super::{
    place::{Chosen, Here, Wish, choose, is_idle, tell, tell_passed_over},
    progress::Reading,
};
use crate::{
    again::again,
    args::{ResultsFormat, ShowArgs},
    commands::given,
    console::Console,
    exit::Exit,
    telling::{shown_path, style},
    workflow,
};

/// Cases whose history is looked for.
const MOST_CASES: usize = 1000;

pub fn run(args: &ShowArgs, console: Console) -> Exit {
    match show(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn show(args: &ShowArgs, console: Console) -> Result<Exit, Exit> {
    let here = Here::find(console)?;
    let (word, ids) = meant(args, &here, console);
    if args.history && ids.is_empty() {
        let problem = Diagnostic::error("--history is of cases, and none is named");
        let hint =
            "add their ids, or globs in quotes: agentv results show latest 'capital-*' --history";
        return Err(tell([problem.hint(hint)], console));
    }
    let wish = Wish::of(&args.filter, &ids, false);
    let chosen = choose(&here, word, &wish, console)?;
    if ids.is_empty() {
        if !wish.is_everything() && chosen.recorded.is_empty() && chosen.of > 0 {
            return Err(chosen.nothing_fits(&here, &wish, console));
        }
        return show_run(&chosen, &wish, args.format, console);
    }
    show_cases(args, &here, &chosen, &wish, console)
}

/// The run and the ids. Whoever leaves the run out means the newest.
fn meant<'a>(args: &'a ShowArgs, here: &Here, console: Console) -> (Option<&'a str>, Vec<String>) {
    match args.run.as_deref() {
        Some(word) if here.is_no_run(word) => {
            let shown = excerpt(word, 120);
            console.say(&format!("there is no run `{shown}`: looking for cases in the newest\n"));
            (None, [&[word.to_owned()], args.ids.as_slice()].concat())
        }
        word => (word, args.ids.clone()),
    }
}

/// What was run, and what the rows that were wished for came to.
fn show_run(
    chosen: &Chosen,
    wish: &Wish,
    format: ResultsFormat,
    console: Console,
) -> Result<Exit, Exit> {
    let rows = chosen.rows(wish, console)?;
    let manifest = chosen.recorded.manifest.as_ref();
    let written = match format {
        ResultsFormat::Csv => Console::stream(|out| write_rows_csv(rows.map(Ok), out)),
        ResultsFormat::Json => {
            let mut digester = Digester::default();
            rows.for_each(|row| digester.add(&row));
            let run = json!({"run": manifest, "digest": digester.finish()});
            serde_json::to_string_pretty(&run)
                .map_err(io::Error::from)
                .and_then(|text| console.result(&format!("{text}\n")))
        }
        ResultsFormat::Table => {
            let mut summary = Summary::default();
            let option = |name: &str| manifest.and_then(|it| it.options.get(name));
            if option("until_decided").and_then(Value::as_bool) == Some(true) {
                summary.end_when_decided();
            }
            rows.for_each(|row| summary.add(&row));
            let style = style(console.stdout_has_color());
            let mut text = String::new();
            if let Some(manifest) = manifest {
                let is_abandoned = manifest.status == RunStatus::Running
                    && chosen.run_folder.as_deref().is_some_and(is_idle);
                let (name, now) = (&chosen.recorded.name, SystemTime::now());
                text.push_str(&run_text(name, manifest, is_abandoned, now, style));
                text.push('\n');
                // Of cases without a row nobody knows whether they were wished for.
                if wish.is_everything() {
                    summary.read_skipped(manifest);
                    summary.set_not_run(manifest.counts.not_run, 0);
                }
            }
            let folder = chosen.run_folder.clone().map(RunFolder::at);
            let again =
                folder.zip(manifest).and_then(|(folder, manifest)| again(&folder, manifest));
            let path = shown_path(chosen.recorded.path());
            text.push_str(&summary.render(style, Some(&path), again.as_ref()));
            console.tell(&text)
        }
    };
    Ok(given(written, console))
}

fn show_cases(
    args: &ShowArgs,
    here: &Here,
    chosen: &Chosen,
    wish: &Wish,
    console: Console,
) -> Result<Exit, Exit> {
    let mut cases: Vec<(String, String, String)> = Vec::new();
    let mut rows = chosen.rows(wish, console)?.inspect(|row| {
        if args.history && cases.len() < MOST_CASES {
            let case = case_of(row);
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
    });
    let Some(first) = rows.next() else {
        drop(rows);
        return Err(chosen.nothing_fits(here, wish, console));
    };
    let rows = std::iter::once(first).chain(rows);
    let style = style(console.stdout_has_color());
    let written = match (args.format, args.history) {
        (ResultsFormat::Csv, _) => Console::stream(|out| write_rows_csv(rows.map(Ok), out)),
        (ResultsFormat::Json, false) => Console::stream(|out| write_rows_json(rows.map(Ok), out)),
        (ResultsFormat::Json, true) => {
            let rows: Vec<Row<'static>> = rows.collect();
            let history = history_of(here, &cases, console)?;
            serde_json::to_string_pretty(&json!({"rows": rows, "history": history}))
                .map_err(io::Error::from)
                .and_then(|text| console.result(&format!("{text}\n")))
        }
        (ResultsFormat::Table, history) => {
            // Told case by case: there may be more than anybody holds in memory.
            let written = Console::stream(|out| {
                for (place, row) in rows.enumerate() {
                    let gap = if place == 0 { "" } else { "\n" };
                    let text = format!("{gap}{}", case_text(&row, style));
                    out.write_all(workflow::harmless(&text).as_bytes())?;
                }
                Ok(())
            });
            match (written, history) {
                (Ok(()), true) => {
                    let history = history_of(here, &cases, console)?;
                    let name = &chosen.recorded.name;
                    console.tell(&history_text(&history, name, SystemTime::now(), style))
                }
                (written, _) => written,
            }
        }
    };
    Ok(given(written, console))
}

fn case_of(row: &Row<'_>) -> (String, String, String) {
    (
        row.suite.clone().into_owned(),
        row.eval_id.clone().into_owned(),
        row.target.clone().into_owned(),
    )
}

fn history_of(
    here: &Here,
    cases: &[(String, String, String)],
    console: Console,
) -> Result<Vec<Fared>, Exit> {
    let mut reading = Reading::begin(console);
    let answer = ask_index(&here.index, &mut |rows| reading.told(rows), |index| {
        Ok((index.history(cases)?, index.take_notes()))
    });
    drop(reading);
    let (history, notes) = answer.map_err(|fault| {
        tell([Diagnostic::error(fault.to_string()).code("unreadable-run")], console)
    })?;
    tell_passed_over(&notes, console);
    Ok(history)
}
