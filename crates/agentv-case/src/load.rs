//! The way from a list of paths to suites with their targets, and to every problem on it.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{Diagnostic, Problems, Redactor, Sources, Span, Suite};

use crate::{
    classify::{FileKind, classify, mentions_suite},
    config,
    discover::{Found, discover},
    environment::Environment,
    folders,
    session::{Session, Tree, targets_in},
    suite::{self, SuiteFile},
    targets::{EXAMPLE, TARGETS_FILES, TargetsFile},
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
}

/// Everything that was loaded, right or not.
#[derive(Debug)]
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
        suites: Vec::new(),
        without_targets: Vec::new(),
        of_use: HashSet::new(),
    };
    if let Some(given) = &options.targets {
        loading.targets = loading.given_targets(given);
    }
    let found = discover(&options.paths, &options.current_dir, &mut loading.session.problems);
    for found in &found {
        if loading.take(found) {
            loading.of_use.extend(&found.origins);
        }
    }
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
    suites: Vec<LoadedSuite>,
    /// Suites that no targets file was found for.
    without_targets: Vec<PathBuf>,
    /// The given paths that led to a file of ours.
    of_use: HashSet<usize>,
}

impl Loading<'_> {
    /// Takes one file; false where it is none of ours.
    fn take(&mut self, found: &Found) -> bool {
        let (tree, problems) = match self.session.known_tree(&found.file) {
            Some(tree) => (Some(tree), Problems::default()),
            None => self.session.read_tree(&found.file),
        };
        let Some(tree) = tree else {
            self.session.problems.append(problems);
            return true;
        };
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
        if kind == FileKind::Foreign && !found.named {
            self.skip(&found.file, &tree, &Problems::default());
            return false;
        }
        self.session.problems.append(problems);
        self.session.checked.insert(found.file.clone());
        if node.is_null() && kind != FileKind::Config {
            let message = format!("`{}` is empty", self.session.shown(&found.file).display());
            let mut empty = Diagnostic::error(message).at(start_of(&tree));
            empty.hint = Some(match kind {
                FileKind::Targets => format!("a minimal targets file:\n{EXAMPLE}"),
                FileKind::Suite | FileKind::Config | FileKind::Foreign => {
                    format!("a minimal suite:\n{}", suite::EXAMPLE)
                }
            });
            self.session.problems.push(empty);
            return true;
        }
        match kind {
            FileKind::Suite | FileKind::Foreign => self.suite(&found.file, tree),
            FileKind::Targets | FileKind::Config => self.check(&found.file, kind, tree),
        }
        true
    }

    fn suite(&mut self, file: &Path, tree: Tree) {
        let Some(node) = tree.node else { return };
        let session = &mut self.session;
        let surroundings = session.surroundings(file.parent().unwrap_or(Path::new("/")));
        let suite_file = SuiteFile {
            file,
            text: &tree.text,
            content_hash: tree.content_hash,
            root: &session.root,
            current_dir: &session.options.current_dir,
            chain: &surroundings.chain,
            config: &surroundings.config,
            variables: &surroundings.variables,
        };
        let suite = suite::lower(
            suite_file,
            node,
            &mut session.texts,
            &mut session.secrets,
            &mut session.problems,
        );
        let targets_file = match &self.targets {
            WhichTargets::Given(file) => Some(file.clone()),
            WhichTargets::Missing => None,
            WhichTargets::Nearest => {
                let found = session.find_targets(&surroundings.chain);
                if found.is_none() {
                    self.without_targets.push(file.to_owned());
                }
                found
            }
        };
        let targets = targets_file.and_then(|file| session.targets(&file, &surroundings));
        if let Some(suite) = suite {
            self.suites.push(LoadedSuite { suite, targets });
        }
    }

    /// Targets and configurations are no suites: there is nothing to run, only to check.
    fn check(&mut self, file: &Path, kind: FileKind, tree: Tree) {
        let Some(node) = tree.node.clone() else {
            return;
        };
        self.session.keep_tree(file, tree);
        let folder = file.parent().unwrap_or(Path::new("/"));
        let surroundings = self.session.surroundings(folder);
        if kind == FileKind::Targets {
            self.session.targets(file, &surroundings);
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
        let mut warning = Diagnostic::warning(message).at(start_of(tree));
        if let Some(first) = problems.iter().next() {
            warning.span = first.span;
            warning = warning.label(reasons.join("; "));
        }
        self.session.problems.push(warning);
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
        self.session.problems.push(Diagnostic::error(message).hint(hint));
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
            self.session.problems.push(
                Diagnostic::error(format!("no suite in `{given}`"))
                    .hint("a suite is a YAML file with `evalcases`"),
            );
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
        self.session.problems.push(Diagnostic::error(message).hint(hint));
    }

    fn finish(self) -> Loaded {
        let session = self.session;
        Loaded {
            root: session.root,
            suites: self.suites,
            targets_files: session.targets_files,
            files_checked: session.checked.len(),
            sources: session.sources,
            problems: session.problems.in_order(),
            redactor: Redactor::new(session.secrets),
        }
    }
}

fn start_of(tree: &Tree) -> Span {
    Span { source: tree.source, start: 0, end: 0 }
}
