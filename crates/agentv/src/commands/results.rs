//! `agentv results`: what was recorded, looked at and joined. One file for each verb.

mod merge;
mod part;
mod proof;

use crate::{
    args::{ResultsArgs, ResultsWhat},
    console::Console,
    exit::Exit,
};

pub fn run(args: &ResultsArgs, console: Console) -> Exit {
    match &args.what {
        ResultsWhat::Merge(args) => merge::run(args, console),
    }
}
