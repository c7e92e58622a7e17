//! Recorded runs as people look at them: lists of runs, one run, its failures, one case. Each text
//! is a function of what was recorded and of the width of the window; nothing here reads or prints.

mod case;
mod failures;
mod history;
mod moment;
mod reasons;
mod rows;
mod run;
mod runs;
mod table;

pub use self::{
    case::case_text,
    failures::Wrong,
    history::history_text,
    moment::{age_text, bytes_text},
    rows::{write_rows_csv, write_rows_json},
    run::run_text,
    runs::{ListedRun, runs_csv, runs_json, runs_text},
};

#[cfg(test)]
mod tests;
