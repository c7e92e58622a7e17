//! `agentv results`: what was recorded, looked at and joined. One file for each verb.

mod failures;
mod list;
mod merge;
mod part;
mod place;
mod progress;
mod proof;
mod prune;
mod show;
mod trend;

use crate::{
    args::{ResultsArgs, ResultsWhat},
    console::Console,
    exit::Exit,
};

pub fn run(args: &ResultsArgs, console: Console) -> Exit {
    match &args.what {
        ResultsWhat::List(args) => list::run(args, console),
        ResultsWhat::Show(args) => show::run(args, console),
        ResultsWhat::Failures(args) => failures::run(args, console),
        ResultsWhat::Trend(args) => trend::run(args, console),
        ResultsWhat::Prune(args) => prune::run(args, console),
        ResultsWhat::Merge(args) => merge::run(args, console),
    }
}
