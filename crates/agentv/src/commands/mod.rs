//! One verb, one file.

mod completions;
mod eval;
mod invoke;
mod validate;

use agentv_base::{Diagnostic, Problems, Sources};
use agentv_case::Loaded;

use crate::{
    args::{Arguments, Command},
    console::Console,
    diagnostics,
    exit::Exit,
};

pub fn run(arguments: Arguments, console: Console) -> Exit {
    match arguments.command {
        Command::Eval(args) => eval::run(&args, console),
        Command::Invoke(args) => invoke::run(&args, console),
        Command::Validate(args) => validate::run(&args, console),
        Command::Completions(args) => completions::run(&args, console),
    }
}

/// Shows every problem found so far, and says whether one of them is in the way.
fn report(problems: &Problems, sources: &Sources, console: Console) -> Result<(), Exit> {
    if !problems.is_empty() {
        let problems = problems.in_order();
        console.say(&diagnostics::render(&problems, sources, console.stderr_has_color()));
    }
    if problems.has_errors() { Err(Exit::Refused) } else { Ok(()) }
}

/// A problem that no file has the place of.
fn refuse(message: impl Into<String>, console: Console) -> Exit {
    let mut problems = Problems::default();
    problems.push(Diagnostic::error(message));
    console.say(&diagnostics::render(&problems, &Sources::default(), console.stderr_has_color()));
    Exit::Refused
}

fn current_dir(console: Console) -> Result<std::path::PathBuf, Exit> {
    std::env::current_dir()
        .map_err(|error| refuse(format!("the current folder cannot be found: {error}"), console))
}

/// The threads that invocations and graders run on; made only by commands that run something.
fn runtime(console: Console) -> Result<tokio::runtime::Runtime, Exit> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| refuse(format!("cannot start: {error}"), console))
}

/// Cases that were selected, or the reason why none was.
fn selected(loaded: &mut Loaded, ids: &[String]) {
    if !ids.is_empty() {
        agentv_case::select(loaded, ids);
    }
}
