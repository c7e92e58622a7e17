//! The way from a list of paths to suites with their targets, and to every problem on it.

mod suites;

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{Diagnostic, Problems, Redactor, Sources, Span, Suite};

use crate::{
    classify::{
        FileKind, classify, has_cases, has_only_cases, holds_cases, is_list_of_cases,
        mentions_suite,
    },
    config,
    discover::{Found, discover, is_rows, rows_beside},
    environment::Environment,
    folders, prices,
    read::LARGEST_FILE,
    rows::RowsKind,
    session::{Session, Tree, targets_in},
    suite,
    targets::{EXAMPLE, TARGETS_FILES, TargetsFile},
    yaml::Reading,
};

/// What to load, and where from.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Files, directories and globs: suites; targets and configurations are only checked.
    pub paths: Vec<String>,
    /// A targets file, or a directory with one, to use instead of looking for it.
    pub targets: Option<PathBuf>,
    /// Absolute.
    pub current_dir: PathBuf,
    /// The variables of the process.
    pub environment: Environment,
    /// Whether a suite without a targets file is an error.
    pub needs_targets: bool,
    /// Whether the hashes of suites are wanted, for a record of what was run.
    pub needs_hashes: bool,
}

/// Everything that was loaded, right or not.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The repository's root, absolute.
    pub root: PathBuf,
    pub suites: Vec<LoadedSuite>,
    /// Every targets file that was loaded, once; once more where another folder's `.env` files
    /// give its variables other values.
    pub targets_files: Vec<Arc<TargetsFile>>,
    /// How many suites, targets files and configurations were looked at.
    pub files_checked: usize,
    pub sources: Sources,
    /// By file, then by place; those without a place come first.
    pub problems: Problems,
    /// Knows the values of secret variables.
    pub redactor: Redactor,
}

/// A suite and the targets it may name.
#[derive(Debug)]
pub struct LoadedSuite {
    pub suite: Suite,
    pub targets: Option<Arc<TargetsFile>>,
}

/// Loads everything that the paths lead to, and reports all problems at once.
pub fn load(options: &LoadOptions) -> Loaded {
    let mut loading = Loading {
        session: Session::new(options),
        targets: WhichTargets::Nearest,
        place: 0,
        suites: Vec::new(),
        without_targets: Vec::new(),
        of_use: HashSet::new(),
        rows: HashSet::new(),
        parts: Vec::new(),
        skipped: Vec::new(),
    };
    if let Some(given) = &options.targets {
        loading.targets = loading.given_targets(given);
    }
    let found = discover(&options.paths, &options.current_dir, &mut loading.session.problems);
    for (place, found) in found.iter().enumerate() {
        loading.place = place;
        if loading.take(found) {
            loading.of_use.extend(&found.origins);
        }
    }
    loading.take_parts();
    loading.report_skipped();
    loading.report_useless(&found);
    loading.report_missing_targets();
    loading.finish()
}

/// Which targets file the suites use.
enum WhichTargets {
    /// The one that each finds in its folders.
    Nearest,
    Given(PathBuf),
    /// The given one does not exist, which has been reported.
    Missing,
}

struct Loading<'o> {
    session: Session<'o>,
    targets: WhichTargets,
    /// Which of the files that were found is being taken.
    place: usize,
    /// With the places of their files.
    suites: Vec<(usize, LoadedSuite)>,
    /// Suites that no targets file was found for.
    without_targets: Vec<PathBuf>,
    /// The given paths that led to a file of ours.
    of_use: HashSet<usize>,
    /// Rows of data that were taken, by their real paths.
    rows: HashSet<PathBuf>,
    /// Files of nothing but cases, with their places: parts of a suite, if one takes them.
    parts: Vec<(usize, PathBuf, Tree)>,
    /// Files that seem to be none of ours, with what is said of them.
    skipped: Vec<(PathBuf, Skipped)>,
}

/// What is said of a file that is no suite.
enum Skipped {
    Alone(Diagnostic),
    /// Together with others of its kind: folders of data would else fill the screen.
    Rows(RowsKind),
}

impl Loading<'_> {
    /// Takes one file; false where it is none of ours.
    fn take(&mut self, found: &Found) -> bool {
        if is_rows(&found.file) {
            return self.rows(&found.file, found.named);
        }
        if let Some(tree) = self.session.known_tree(&found.file) {
            return self.tree(found, tree, Problems::default());
        }
        let file = match self.session.library.read(&found.file, LARGEST_FILE) {
            Ok(file) => file,
            Err(unreadable) => {
                self.session.problems.push(unreadable);
                return true;
            }
        };
        let mut reading = Reading::sharing(&file.text, file.source);
        if let Some(head) = reading.up_to_items(holds_cases)
            && classify(&found.file, &head) == FileKind::Suite
            && (found.named || !has_only_cases(&head))
        {
            if self.case_by_case(&found.file, &file, head, reading.items()) {
                return true;
            }
            reading = Reading::sharing(&file.text, file.source);
        }
        let (node, problems) = reading.whole();
        self.tree(found, Tree::new(file, node), problems)
    }

    /// Takes a file that was read to its end; false where it is none of ours.
    fn tree(&mut self, found: &Found, tree: Tree, problems: Problems) -> bool {
        let Some(node) = &tree.node else {
            let ours = found.named || mentions_suite(&tree.text);
            if ours {
                self.session.checked.insert(found.file.clone());
                self.session.problems.append(problems);
            } else {
                self.skip(&found.file, &tree, &problems);
            }
            return ours;
        };
        let kind = classify(&found.file, node);
        let rows = rows_beside(&found.file)
            .filter(|_| matches!(kind, FileKind::Suite | FileKind::Foreign) && !has_cases(node));
        if let Some(rows) = rows {
            self.session.problems.append(problems);
            self.session.keep_tree(&found.file, tree);
            return self.rows(&rows, true);
        }
        if !found.named && (is_list_of_cases(node) || has_only_cases(node)) {
            self.session.problems.append(problems);
            self.parts.push((self.place, found.file.clone(), tree));
            return true;
        }
        let rows =
            if kind == FileKind::Foreign { RowsKind::of_list(node) } else { RowsKind::Cases };
        if found.named && self.refuses(&found.file, rows) {
            return true;
        }
        if rows != RowsKind::Cases {
            self.skipped.push((found.file.clone(), Skipped::Rows(rows)));
            return false;
        }
        if kind == FileKind::Foreign && !found.named {
            self.skip(&found.file, &tree, &Problems::default());
            return false;
        }
        self.session.problems.append(problems);
        self.session.checked.insert(found.file.clone());
        if node.is_null() && kind != FileKind::Config {
            let message = format!("`{}` is empty", self.session.shown(&found.file).display());
            let mut empty = Diagnostic::error(message).code("empty-file").at(start_of(&tree));
            empty.hint = Some(match kind {
                FileKind::Targets => format!("a minimal targets file:\n{EXAMPLE}"),
                FileKind::Prices => format!("a minimal file of prices:\n{}", prices::EXAMPLE),
                FileKind::Suite | FileKind::Config | FileKind::Foreign => {
                    format!("a minimal suite:\n{}", suite::EXAMPLE)
                }
            });
            self.session.problems.push(empty);
            return true;
        }
        match kind {
            FileKind::Suite | FileKind::Foreign => self.suite(&found.file, tree),
            FileKind::Targets | FileKind::Config | FileKind::Prices => {
                self.check(&found.file, kind, tree);
            }
        }
        true
    }

    /// Files of cases that no suite took: whoever wrote them expects them to be run.
    fn take_parts(&mut self) {
        for (place, file, tree) in std::mem::take(&mut self.parts) {
            self.place = place;
            if !self.is_referred(&file) {
                self.session.checked.insert(file.clone());
                self.suite(&file, tree);
            }
        }
    }

    /// Files that no suite refers to either: a suite among them would be a surprise.
    fn report_skipped(&mut self) {
        let mut rows: Vec<(RowsKind, Vec<String>)> = Vec::new();
        for (file, skipped) in std::mem::take(&mut self.skipped) {
            if self.is_referred(&file) {
                continue;
            }
            let kind = match skipped {
                Skipped::Alone(warning) => {
                    self.session.problems.push(warning);
                    continue;
                }
                Skipped::Rows(kind) => kind,
            };
            let shown = self.session.shown(&file).display().to_string();
            match rows.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, files)) => files.push(shown),
                None => rows.push((kind, vec![shown])),
            }
        }
        for (kind, files) in rows {
            self.session.problems.push(kind.skipped(&files));
        }
    }

    fn is_referred(&self, file: &Path) -> bool {
        let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        self.session.library.referred.contains(&real) || self.session.texts.contains(file)
    }

    /// Targets, configurations and prices are no suites: there is nothing to run, only to check.
    fn check(&mut self, file: &Path, kind: FileKind, tree: Tree) {
        let Some(node) = tree.node.clone() else {
            return;
        };
        self.session.keep_tree(file, tree);
        let folder = file.parent().unwrap_or(Path::new("/"));
        let surroundings = self.session.surroundings(folder);
        if kind == FileKind::Targets {
            self.session.targets(file, &surroundings);
        } else if kind == FileKind::Prices {
            self.session.price_list(file, &surroundings.variables);
        } else {
            config::lower(
                &node,
                &surroundings.variables,
                &mut self.session.secrets,
                &mut self.session.problems,
            );
        }
    }

    fn skip(&mut self, file: &Path, tree: &Tree, problems: &Problems) {
        let shown = self.session.shown(file);
        let what = if problems.is_empty() { "is no suite" } else { "is no YAML" };
        let message = format!("`{}` {what} and is skipped", shown.display());
        let reasons: Vec<&str> = problems.iter().map(|problem| &*problem.message).collect();
        let mut warning = Diagnostic::warning(message).code("skipped-file").at(start_of(tree));
        if let Some(first) = problems.iter().next() {
            warning.span = first.span;
            warning = warning.label(reasons.join("; "));
        }
        self.skipped.push((file.to_owned(), Skipped::Alone(warning)));
    }

    /// What `--targets` leads to.
    fn given_targets(&mut self, given: &Path) -> WhichTargets {
        let path = folders::absolute(given, &self.session.options.current_dir);
        let (found, message) = if path.is_dir() {
            let message = format!("no targets file in the directory `{}`", given.display());
            (targets_in(&path), message)
        } else {
            let message = format!("no such targets file: `{}`", given.display());
            (Some(path).filter(|path| path.exists()), message)
        };
        if let Some(file) = found {
            return WhichTargets::Given(file);
        }
        let names = TARGETS_FILES.join(", ");
        let hint = format!("a targets file is one of {names}\na minimal one:\n{EXAMPLE}");
        self.session.problems.push(Diagnostic::error(message).code("missing-file").hint(hint));
        WhichTargets::Missing
    }

    /// A directory or a glob in which nothing is ours would else look like a run that passed.
    fn report_useless(&mut self, found: &[Found]) {
        let met: BTreeSet<usize> = found
            .iter()
            .flat_map(|found| found.origins.iter().copied())
            .filter(|origin| !self.of_use.contains(origin))
            .collect();
        for origin in met {
            let given = self.session.options.paths.get(origin).map_or("", String::as_str);
            self.session
                .problems
                .push(Diagnostic::error(format!("no suite in `{given}`")).code("no-suite").hint(
                "a suite is a YAML file with `evalcases`, or rows of data with a YAML file beside",
            ));
        }
    }

    fn report_missing_targets(&mut self) {
        let Some(first) = self.without_targets.first() else {
            return;
        };
        if !self.session.options.needs_targets {
            return;
        }
        let surroundings = self.session.surroundings(first.parent().unwrap_or(Path::new("/")));
        let folders = surroundings
            .chain
            .iter()
            .map(|folder| format!("`{}`", self.session.shown(folder).display()));
        let folders = folders.collect::<Vec<_>>().join(", ");
        let more = match self.without_targets.len() - 1 {
            0 => String::new(),
            1 => " and one more suite".to_owned(),
            more => format!(" and {more} more suites"),
        };
        let message = format!(
            "no targets file was found for `{}`{more}",
            self.session.shown(first).display()
        );
        let hint = format!(
            "looked for {} in {folders}\na minimal one:\n{EXAMPLE}",
            TARGETS_FILES.join(", ")
        );
        self.session.problems.push(Diagnostic::error(message).code("no-targets-file").hint(hint));
    }

    fn finish(mut self) -> Loaded {
        self.suites.sort_by_key(|(place, _)| *place);
        let session = self.session;
        Loaded {
            root: session.root,
            suites: self.suites.into_iter().map(|(_, suite)| suite).collect(),
            targets_files: session.targets_files,
            files_checked: session.checked.len(),
            sources: session.library.sources,
            problems: session.problems.in_order(),
            redactor: Redactor::new(session.secrets),
        }
    }
}

fn start_of(tree: &Tree) -> Span {
    Span { source: tree.source, start: 0, end: 0 }
}
