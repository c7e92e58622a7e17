//! `agentv generate rubrics`: asks a model what a good answer must do, point by point, and writes
//! that into the suite.

mod asking;
mod choice;
mod prompt;

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use agentv_base::{Diagnostic, Problems, SourceId, Sources};
use agentv_case::{
    Loaded,
    language::parse_yaml,
    rubrics::{Draft, Proposal},
};
use agentv_report::check_out;

use self::{
    asking::{Outcome, Proposed, ask_all},
    choice::{Came, Choice},
};
use super::{Attention, current_dir, given, refuse, report, report_loaded, select_alone};
use crate::{
    args::{GenerateArgs, GenerateWhat, SelectArgs},
    console::Console,
    exit::Exit,
    judges::Judges,
    settings::{self, Asking, target_overrides},
    whole_file::{self, Existing},
    wiring,
};

const BOM: &str = "\u{feff}";

pub fn run(args: &GenerateArgs, console: Console) -> Exit {
    let GenerateWhat::Rubrics = args.what;
    match rubrics(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn rubrics(args: &GenerateArgs, console: Console) -> Result<Exit, Exit> {
    check_files(args, console)?;
    let paths = [args.file.to_string_lossy().into_owned()];
    let wanted = SelectArgs {
        targets_file: args.targets_file.clone(),
        eval_ids: args.eval_ids.clone(),
        tags: Vec::new(),
    };
    let mut loaded =
        agentv_case::load(&settings::load_options(&paths, &wanted, current_dir(console)?));
    select_alone(&mut loaded, &wanted);
    if loaded.problems.has_errors() {
        report_loaded(&loaded, console)?;
    }
    let (file, source) = own_text(&mut loaded, console)?;
    let text = loaded.sources.get(source).map(|source| source.text.clone()).unwrap_or_default();
    let mut problems = Problems::default();
    let Some(node) = parse_yaml(&text, source, &mut problems) else {
        report(&problems, &loaded.sources, console)?;
        return Err(Exit::Refused);
    };
    let draft = Draft::new(&text, &node);
    let Attention { runtime, mut signals } = Attention::begin(console)?;
    let asking = Asking::from(args);
    let workshop = wiring::workshop(&mut loaded, asking, console);
    let Some(workshop) = workshop else {
        report_loaded(&loaded, console)?;
        return Err(Exit::Refused);
    };
    let mut judges = Judges::new(&workshop.services, &loaded.sources, &loaded.root, false)
        .with_workers(workshop.workers);
    let overriding = target_overrides(args.target.as_slice()).into_iter().next();
    let choice = Choice::of(&loaded, &draft, args.force, overriding.as_deref(), &mut judges);
    let most = judges.places();
    let found = judges.problems;
    loaded.problems.append(found);
    report_loaded(&loaded, console)?;
    let progress = |line: &str, is_fault: bool| {
        if is_fault || !args.quiet {
            console.say(&format!("{}\n", loaded.redactor.redact(line)));
        }
    };
    let proposed = runtime.block_on(async {
        let stop = workshop.services.stop.clone();
        let proposed = ask_all(choice.asked, most, stop, &mut signals, progress).await;
        workshop.close(console).await;
        proposed
    });
    let finished = Finished { args, file: &file, text: &text, draft: &draft, proposed, console };
    let exit = finished.write(&choice.counts, &loaded);
    Ok(exit)
}

/// What can be told of the files before anyone is asked.
fn check_files(args: &GenerateArgs, console: Console) -> Result<(), Exit> {
    let shown = args.file.display();
    let message = if is_data(&args.file) {
        Some(format!("`{shown}` holds rows of data: rubrics can be written into YAML suites only"))
    } else if args.file.is_dir() {
        Some(format!("`{shown}` is a folder: rubrics are written into one suite at a time"))
    } else {
        None
    };
    if let Some(message) = message {
        let mut problems = Problems::default();
        problems.push(Diagnostic::error(message).code("not-supported"));
        return report(&problems, &Sources::default(), console);
    }
    let target = args.out.as_deref().unwrap_or(&args.file);
    if args.dry_run || (args.out.is_none() && !args.file.exists()) {
        return Ok(());
    }
    // A new file takes the place of the old one, which its permissions alone would not prevent.
    let read_only =
        fs::metadata(target).is_ok_and(|it| it.is_file() && it.permissions().readonly());
    let problem = if read_only {
        let message = format!("`{}` is read-only", target.display());
        let hint = "make it writable, or pass --out FILE or --dry-run";
        Diagnostic::error(message).hint(hint)
    } else {
        match check_out(target) {
            Ok(()) => return Ok(()),
            Err(fault) => Diagnostic::error(fault.to_string()),
        }
    };
    let mut problems = Problems::default();
    problems.push(problem.code("unwritable-file"));
    report(&problems, &Sources::default(), console)
}

/// The file of the only suite, and where its text stands among the sources.
fn own_text(loaded: &mut Loaded, console: Console) -> Result<(PathBuf, SourceId), Exit> {
    let problem = match loaded.suites.as_slice() {
        [only] => {
            let own = only.suite.cases.iter().find(|case| case.place.file.is_none());
            let shown = only.suite.path.clone();
            match own {
                Some(_) if is_data(&only.suite.file) => {
                    format!("the cases of this suite are the rows of `{shown}`, which is no YAML")
                }
                Some(case) => return Ok((only.suite.file.clone(), case.place.span.source)),
                None => {
                    let elsewhere: Vec<Diagnostic> = only
                        .suite
                        .cases
                        .iter()
                        .take(10)
                        .map(|case| choice::elsewhere(case))
                        .collect();
                    for problem in elsewhere {
                        loaded.problems.push(problem);
                    }
                    format!("`{shown}` has no case in its own text")
                }
            }
        }
        several => format!("rubrics are written into one suite at a time, not {}", several.len()),
    };
    loaded.problems.push(Diagnostic::error(problem).code("not-supported"));
    report_loaded(loaded, console)?;
    Err(Exit::Refused)
}

fn is_data(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    matches!(ending, "jsonl" | "ndjson" | "csv")
}

/// What came of the asking, to be put into the file.
struct Finished<'f> {
    args: &'f GenerateArgs,
    /// The suite's own, absolute.
    file: &'f Path,
    text: &'f str,
    draft: &'f Draft<'f>,
    proposed: Vec<Proposed>,
    console: Console,
}

impl Finished<'_> {
    fn write(self, counts: &choice::Counts, loaded: &Loaded) -> Exit {
        let Self { args, file, text, draft, proposed, console } = self;
        let interrupted =
            proposed.iter().filter(|it| matches!(it.outcome, Outcome::Interrupted)).count();
        let mut faults =
            proposed.iter().filter(|it| matches!(it.outcome, Outcome::Fault(_))).count();
        let found: Vec<&Proposed> =
            proposed.iter().filter(|it| matches!(it.outcome, Outcome::Rubrics(_))).collect();
        let proposals: Vec<Proposal> = found.iter().filter_map(|it| it.proposal()).collect();
        let edited = draft.with(&proposals);
        for place in &edited.refused {
            faults += 1;
            if let Some(proposed) = found.get(*place) {
                console.say(&refused(proposed, loaded));
            }
        }
        let written = proposals.len() - edited.refused.len();
        let exit = if args.dry_run {
            given(print(mark_of(file), &edited.text), console)
        } else if written == 0 {
            Exit::Passed
        } else {
            match put(args, file, text, &edited.text) {
                Ok(()) => Exit::Passed,
                Err(message) => {
                    refuse(message, console);
                    return Exit::Unevaluated;
                }
            }
        };
        console.say(&counts.summary(&Came { written, faults, interrupted }, args));
        console.say(&asking::spent(&proposed));
        match (exit == Exit::Passed, interrupted, faults) {
            (false, _, _) => exit,
            (true, 0, 0) => Exit::Passed,
            (true, 0, _) => Exit::Unevaluated,
            (true, _, _) => Exit::Interrupted,
        }
    }
}

fn refused(proposed: &Proposed, loaded: &Loaded) -> String {
    let place = &proposed.case.place;
    let file = loaded.sources.path(place.span.source).display();
    format!(
        "error: {file}:{}:{}: rubrics of `{}` cannot be written here without changing something \
         else: other cases share its text by an anchor\n",
        place.line,
        place.column,
        agentv_base::excerpt(proposed.case.id(), 120),
    )
}

fn print(mark: &str, text: &str) -> io::Result<()> {
    let mut stdout = Console::stdout();
    stdout.write_all(mark.as_bytes())?;
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// The byte-order mark of a file, where it has one.
fn mark_of(file: &Path) -> &'static str {
    let starts = fs::read(file).is_ok_and(|bytes| bytes.starts_with(BOM.as_bytes()));
    if starts { BOM } else { "" }
}

/// Writes the new text, unless the old one was changed while the model was asked.
fn put(args: &GenerateArgs, file: &Path, old: &str, new: &str) -> Result<(), String> {
    let mark = mark_of(file);
    let target = match &args.out {
        Some(out) => out.as_path(),
        None => {
            let shown = args.file.display();
            let now =
                fs::read(file).map_err(|error| format!("`{shown}` cannot be read: {error}"))?;
            if now.strip_prefix(mark.as_bytes()) != Some(old.as_bytes()) {
                return Err(format!(
                    "`{shown}` was changed while the model was asked: nothing is written"
                ));
            }
            file
        }
    };
    whole_file::write(target, &format!("{mark}{new}"), Existing::IsReplaced)
        .map_err(|error| format!("cannot write `{}`: {error}", target.display()))
}
