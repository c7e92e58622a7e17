//! Where runs are looked for, and which of their rows are meant: what the verbs that only look have
//! in common.

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
};

use agentv_base::{Diagnostic, Problems, Sources, excerpt, nearest};
use agentv_case::{Patterns, convert::read_document, repository_root};
use agentv_report::{
    FindFault, FoundRun, IndexPlace, Picked, Recorded, RecordedFault, Row, RowFacts, Selection,
    ask_index, run_folders,
};

use super::progress::Reading;
use crate::{
    args::RowFilterArgs,
    commands::{current_dir, report},
    console::Console,
    exit::Exit,
    recorded::{found, tell_notes},
};

/// Ids that a hint names, and lines that a warning is given for.
const NAMED: usize = 5;

/// The runs of the project that the user stands in.
pub struct Here {
    pub current_dir: PathBuf,
    pub root: PathBuf,
    pub index: IndexPlace,
}

impl Here {
    pub fn find(console: Console) -> Result<Self, Exit> {
        let current_dir = current_dir(console)?;
        let root = repository_root(&current_dir);
        let index = IndexPlace { results: root.join(".agentv").join("results"), is_kept: true };
        Ok(Self { current_dir, root, index })
    }

    /// Whether a word can only be an id of a case: it names no run, no file, and begins none.
    pub fn is_no_run(&self, word: &str) -> bool {
        let begins_as_run = word.starts_with(|c: char| c.is_ascii_digit());
        let is_path = word.contains('/') || self.current_dir.join(word).exists();
        !begins_as_run && !is_path && self.meant(Some(word)).is_err() && self.meant(None).is_ok()
    }

    /// What a word means: a run, or, where it is none, a file of rows.
    fn meant(&self, word: Option<&str>) -> Result<Option<FoundRun>, FindFault> {
        match word {
            None => found("", &self.root, &self.current_dir),
            Some(word) => match found(word, &self.root, &self.current_dir) {
                Err(_) if word == "latest" => found("", &self.root, &self.current_dir),
                found => found,
            },
        }
    }

    /// The index that knows a run: the one beside the runs of this project, or none that is kept.
    fn index_of(&self, run: &FoundRun) -> IndexPlace {
        let parent = run.folder.path().parent().unwrap_or(Path::new("."));
        let same = |one: &Path, other: &Path| match (one.canonicalize(), other.canonicalize()) {
            (Ok(one), Ok(other)) => one == other,
            _ => false,
        };
        if same(parent, &self.index.results) {
            self.index.clone()
        } else {
            IndexPlace { results: parent.to_owned(), is_kept: false }
        }
    }
}

/// What rows are wanted, as typed.
pub struct Wish {
    pub ids: Patterns,
    pub suites: Patterns,
    pub targets: Vec<String>,
    pub tags: Vec<String>,
    pub only_wrong: bool,
}

impl Wish {
    pub fn of(filter: &RowFilterArgs, ids: &[String], only_wrong: bool) -> Self {
        Self {
            ids: Patterns::new(ids),
            suites: Patterns::new(&filter.suites),
            targets: filter.targets.clone(),
            tags: filter.tags.clone(),
            only_wrong,
        }
    }

    /// Whether every row is wanted.
    pub fn is_everything(&self) -> bool {
        let is_any = self.ids.is_empty() && self.suites.is_empty();
        is_any && self.targets.is_empty() && self.tags.is_empty() && !self.only_wrong
    }

    fn fits(&self, row: RowFacts<'_>) -> bool {
        (self.ids.is_empty() || self.ids.matches(row.eval_id))
            && (self.suites.is_empty() || self.suites.matches(row.suite))
            && (self.targets.is_empty() || self.targets.iter().any(|it| it == row.target))
    }

    /// Has `use_it` answer with the selection that this wish means.
    fn selected<T>(&self, use_it: impl FnOnce(&Selection<'_>) -> T) -> T {
        let exact = !self.ids.is_empty() && self.ids.are_plain();
        use_it(&Selection {
            exact_ids: exact.then(|| self.ids.written()),
            only_wrong: self.only_wrong,
            fits: &|row| self.fits(row),
            tags: &self.tags,
        })
    }

    pub fn takes(&self, row: &Row<'_>) -> bool {
        self.selected(|selection| selection.takes(row))
    }
}

/// Recorded results as they were chosen.
pub struct Chosen {
    /// Of a run, only rows that were wished for; of a file, all of its rows.
    pub recorded: Recorded,
    /// How many rows there are, wished for or not.
    pub of: usize,
    pub run_folder: Option<PathBuf>,
}

/// Opens what a word means. What is wrong, and what was passed over, is told.
pub fn choose(
    here: &Here,
    word: Option<&str>,
    wish: &Wish,
    console: Console,
) -> Result<Chosen, Exit> {
    let meant = here.meant(word).map_err(|fault| tell([no_run(here, word, fault)], console))?;
    let chosen = match meant {
        Some(run) => {
            let run_folder = Some(run.folder.path().to_owned());
            let index = here.index_of(&run);
            let mut reading = Reading::begin(console);
            let picked = wish.selected(|selection| {
                Picked::of_run(run, &index, selection, &mut |rows| reading.told(rows))
            });
            drop(reading);
            let Picked { recorded, of } = picked.map_err(|fault| {
                tell([Diagnostic::error(fault.to_string()).code("unreadable-run")], console)
            })?;
            Chosen { recorded, of, run_folder }
        }
        None => {
            let word = word.unwrap_or_default();
            let path = here.current_dir.join(word);
            let recorded = Recorded::of_file(&path, word, read_document)
                .map_err(|fault| tell(unreadable(fault), console))?;
            let of = recorded.len();
            Chosen { recorded, of, run_folder: None }
        }
    };
    tell_notes(&chosen.recorded, console);
    Ok(chosen)
}

/// That there is no such run, for somebody who only wants to look.
fn no_run(here: &Here, word: Option<&str>, fault: FindFault) -> Diagnostic {
    let results = &here.index.results;
    if run_folders(results).is_empty() && word.is_none_or(|word| !word.contains('/')) {
        let message = match word {
            Some(word) if word != "latest" => {
                format!("there is no run and no file `{}`", excerpt(word, 120))
            }
            _ => format!("there are no runs in {}", results.display()),
        };
        let hint = "`agentv eval` makes a run; a file of rows can be given by its path";
        return Diagnostic::error(message).code("no-run").hint(hint);
    }
    let problem = Diagnostic::error(fault.message).code("no-run");
    fault.hint.into_iter().fold(problem, Diagnostic::hint)
}

impl Chosen {
    /// The rows that were wished for. A line that is no row after all is told and passed over.
    pub fn rows<'c>(
        &'c self,
        wish: &'c Wish,
        console: Console,
    ) -> Result<impl Iterator<Item = Row<'static>> + 'c, Exit> {
        let rows = self.recorded.rows().map_err(|fault| {
            tell([Diagnostic::error(fault.to_string()).code("unreadable-run")], console)
        })?;
        let mut passed_over = 0;
        Ok(rows.filter_map(move |row| match row {
            Ok(row) => wish.takes(&row).then_some(row),
            Err(fault) => {
                passed_over += 1;
                if passed_over <= NAMED {
                    console.say(&format!("warning: passed over: {fault}\n"));
                } else if passed_over == NAMED + 1 {
                    console.say("warning: further lines like these are passed over\n");
                }
                None
            }
        }))
    }

    /// That no row fits, with what there is instead.
    pub fn nothing_fits(&self, here: &Here, wish: &Wish, console: Console) -> Exit {
        let ids = wish.ids.written();
        let (message, code) = match ids {
            [] => ("no row fits".to_owned(), "unknown-case"),
            [id] => (format!("no case matches `{}`", excerpt(id, 120)), "unknown-case"),
            _ => ("no case matches any of these ids".to_owned(), "unknown-case"),
        };
        let message = format!("{message} in {}", excerpt(&self.recorded.name, 200));
        let problem = Diagnostic::error(message).code(code);
        let known = self.known_ids(here, console);
        let near = ids.iter().find_map(|id| nearest(id, known.iter().map(String::as_str)));
        let problem = match (near, known.len()) {
            (Some(near), _) => problem.hint(format!("did you mean `{}`?", excerpt(near, 120))),
            (None, 0) => problem.hint("it has no rows"),
            (None, count) => {
                let named = known.iter().take(NAMED).map(|id| excerpt(id, 60));
                let more = if count > NAMED {
                    format!(", and {} more", count - NAMED)
                } else {
                    String::new()
                };
                problem.hint(format!("it has: {}{more}", named.collect::<Vec<_>>().join(", ")))
            }
        };
        tell([problem], console)
    }

    fn known_ids(&self, here: &Here, console: Console) -> Vec<String> {
        let Some(folder) = &self.run_folder else {
            let rows = self.recorded.rows().into_iter().flatten().flatten();
            return rows.map(|row| row.eval_id.into_owned()).collect();
        };
        let parent = folder.parent().unwrap_or(Path::new(".")).to_owned();
        let is_kept = parent == here.index.results;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let place = IndexPlace { results: parent, is_kept };
        let mut reading = Reading::begin(console);
        ask_index(&place, &mut |rows| reading.told(rows), |index| index.ids_of(&name))
            .unwrap_or_default()
    }
}

/// Whether nobody is writing to a run. Where that cannot be found out, somebody may be.
pub fn is_idle(folder: &Path) -> bool {
    match File::open(folder.join("results.jsonl")) {
        Ok(file) => match file.try_lock_shared() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Error(fault)) => fault.kind() == std::io::ErrorKind::Unsupported,
        },
        Err(fault) => fault.kind() == std::io::ErrorKind::NotFound,
    }
}

/// Says which of many runs could not be looked through.
pub fn tell_passed_over(notes: &[String], console: Console) {
    for note in notes.iter().take(NAMED) {
        console.say(&format!("warning: passed over: {note}\n"));
    }
    let more = notes.len().saturating_sub(NAMED);
    if more > 0 {
        console.say(&format!("warning: and {more} more runs\n"));
    }
}

/// Shows problems, which are in the way.
pub fn tell(found: impl IntoIterator<Item = Diagnostic>, console: Console) -> Exit {
    let mut problems = Problems::default();
    found.into_iter().for_each(|problem| problems.push(problem));
    report(&problems, &Sources::default(), console).err().unwrap_or(Exit::Refused)
}

fn unreadable(fault: RecordedFault) -> Vec<Diagnostic> {
    let hint = fault.hint;
    let problem = |message: String| {
        let problem = Diagnostic::error(message).code("unreadable-run");
        hint.clone().into_iter().fold(problem, Diagnostic::hint)
    };
    fault.messages.into_iter().map(problem).collect()
}
