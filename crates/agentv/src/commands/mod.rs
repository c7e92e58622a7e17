//! One verb, one file.

mod calibrate;
mod compare;
mod completions;
mod convert;
mod eval;
mod generate;
mod grade;
mod graders;
mod init;
mod invoke;
mod man;
mod report;
mod results;
mod schema;
mod validate;

use std::{borrow::Cow, path::Path};

use agentv_base::{Diagnostic, Problems, Sources, StopLevel};
use agentv_case::Loaded;
use tokio::{runtime::Runtime, sync::mpsc::UnboundedReceiver};

use crate::{
    args::{Arguments, Command, SelectArgs},
    console::Console,
    diagnostics,
    exit::Exit,
    signals,
};

pub fn run(arguments: Arguments, console: Console) -> Exit {
    match arguments.command {
        Command::Eval(args) => eval::run(*args, console),
        Command::Grade(args) => grade::run(args, console),
        Command::Invoke(args) => invoke::run(&args, console),
        Command::Validate(args) => validate::run(&args, console),
        Command::Compare(args) => compare::run(&args, console),
        Command::Report(args) => report::run(&args, console),
        Command::Results(args) => results::run(&args, console),
        Command::Calibrate(args) => calibrate::run(&args, console),
        Command::Init(args) => init::run(&args, console),
        Command::Convert(args) => convert::run(&args, console),
        Command::Generate(args) => generate::run(&args, console),
        Command::Schema(args) => schema::run(&args, console),
        Command::Graders(args) => graders::run(&args, console),
        Command::Completions(args) => completions::run(&args, console),
        Command::Man(args) => man::run(&args, console),
    }
}

/// Every problem found so far, as it may be shown.
fn problems_of(loaded: &Loaded) -> Problems {
    loaded.problems.in_order().redacted(&loaded.redactor)
}

/// The files that problems are shown in, as they may be shown: a problem with a key can stand in
/// the line of its value.
fn sources_of(loaded: &Loaded) -> Cow<'_, Sources> {
    if loaded.problems.is_empty() {
        return Cow::Borrowed(&loaded.sources);
    }
    Cow::Owned(loaded.sources.without_secrets(&loaded.redactor))
}

/// Shows every problem of what was loaded, and says whether one of them is in the way.
pub fn report_loaded(loaded: &Loaded, console: Console) -> Result<(), Exit> {
    report(&problems_of(loaded), &sources_of(loaded), console)
}

/// Shows problems, and says whether one of them is in the way.
pub fn report(problems: &Problems, sources: &Sources, console: Console) -> Result<(), Exit> {
    let problems = problems.in_order();
    console.say(&diagnostics::as_text(&problems, sources, console.stderr_has_color()));
    if problems.has_errors() { Err(Exit::Refused) } else { Ok(()) }
}

/// A problem that no file has the place of.
pub fn refuse(message: impl Into<String>, console: Console) -> Exit {
    let mut problems = Problems::default();
    problems.push(Diagnostic::error(message));
    report(&problems, &Sources::default(), console).err().unwrap_or(Exit::Refused)
}

/// What a command ends with that has given all it had to give.
fn given(written: std::io::Result<()>, console: Console) -> Exit {
    match written {
        Ok(()) => Exit::Passed,
        Err(error) => {
            refuse(error.to_string(), console);
            Exit::Unevaluated
        }
    }
}

/// Makes the folders above a file that is to be written.
fn make_folder_of(path: &Path, console: Console) -> Result<(), Exit> {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.map_err(|error| refuse(format!("cannot write `{}`: {error}", path.display()), console))
}

pub fn current_dir(console: Console) -> Result<std::path::PathBuf, Exit> {
    std::env::current_dir()
        .map_err(|error| refuse(format!("the current folder cannot be found: {error}"), console))
}

/// The threads that invocations and graders run on, and the user's wish to stop, which is heard
/// from here on. Made only by commands that run something, before they make anything that would be
/// left behind if a signal ended them there and then.
pub struct Attention {
    pub runtime: Runtime,
    pub signals: UnboundedReceiver<StopLevel>,
}

impl Attention {
    fn begin(console: Console) -> Result<Self, Exit> {
        let begun = || -> std::io::Result<Self> {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
            let signals = {
                let _inside = runtime.enter();
                signals::listen()?
            };
            Ok(Self { runtime, signals })
        };
        begun().map_err(|error| refuse(format!("cannot start: {error}"), console))
    }
}

/// Keeps the cases that were asked for, of files that are suites, and those that they depend on.
pub fn select(loaded: &mut Loaded, wanted: &SelectArgs) {
    check_suites(loaded);
    agentv_case::select_with_dependencies(loaded, &wanted.eval_ids, &wanted.tags);
}

/// Keeps the cases that were asked for and no others: for commands that only look at them.
fn select_alone(loaded: &mut Loaded, wanted: &SelectArgs) {
    check_suites(loaded);
    agentv_case::select(loaded, &wanted.eval_ids, &wanted.tags);
}

fn check_suites(loaded: &mut Loaded) {
    if loaded.suites.is_empty() && !loaded.problems.has_errors() {
        let problem = Diagnostic::error("none of these files is a suite: there is nothing to run")
            .code("no-suite");
        loaded
            .problems
            .push(problem.hint("a suite has `evalcases`; `agentv validate` checks others"));
    }
}
