//! A file that is a suite → the suite, with the targets that it may name.

use std::{path::Path, sync::Arc};

use agentv_base::{Node, Problems};

use super::{LoadedSuite, Loading, Skipped, WhichTargets};
use crate::{
    classify::has_cases,
    discover::settings_beside,
    library::FileText,
    read::{LARGEST_DATA, content_hash},
    rows::RowsKind,
    session::{Surroundings, Tree},
    suite::{self, Body, Findings, Lowered, More, SuiteFile},
    targets::TargetsFile,
    yaml::Items,
};

impl<'o> Loading<'o> {
    /// Takes a suite while it is read, so that the whole of it never stands in memory as it is
    /// written. False where that cannot be done, and nothing has been: it is no YAML, or settings
    /// come after the cases.
    pub(super) fn case_by_case(
        &mut self,
        file: &Path,
        read: &FileText,
        head: Node,
        mut items: Items<'_>,
    ) -> bool {
        let surroundings = self.session.surroundings(file.parent().unwrap_or(Path::new("/")));
        let hash = read.content_hash.clone();
        let about = items.about();
        let body = Body::Items(head, More { cases: &mut items, about });
        let (lowered, mut problems) = self.lowered(file, hash, body, &surroundings);
        // Where the suite itself is wrong, nobody has asked for its cases.
        items.by_ref().for_each(drop);
        let Some(found) = items.finish() else {
            return false;
        };
        problems.append(found);
        self.session.problems.append(problems);
        self.session.checked.insert(file.to_owned());
        self.keep(file, lowered, &surroundings);
        true
    }

    pub(super) fn suite(&mut self, file: &Path, tree: Tree) {
        if let Some(node) = tree.node {
            self.lower(file, tree.content_hash, Body::Tree(node));
        }
    }

    /// Takes rows of data, which are a suite with the settings of the YAML file beside them; false
    /// where nobody said that they are one.
    pub(super) fn rows(&mut self, file: &Path, named: bool) -> bool {
        let settings = settings_beside(file)
            .and_then(|file| Some((file.clone(), self.session.shared_tree(&file)?)));
        // A file with cases of its own is a suite, which may well refer to these rows.
        let settings = settings.filter(|(_, tree)| !tree.node.as_ref().is_some_and(has_cases));
        let kind = if settings.is_none() { RowsKind::of_file(file) } else { RowsKind::Cases };
        if settings.is_none() && !named {
            self.skipped.push((file.to_owned(), Skipped::Rows(kind)));
            return false;
        }
        if self.refuses(file, kind) {
            return true;
        }
        let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        if !self.rows.insert(real) {
            return true;
        }
        self.session.checked.insert(file.to_owned());
        let rows = match self.session.library.read(file, LARGEST_DATA) {
            Ok(rows) => rows,
            Err(problem) => {
                self.session.problems.push(problem);
                return true;
            }
        };
        let mut hash = rows.content_hash.clone();
        let mut node = None;
        if let Some((file, tree)) = settings {
            self.session.checked.insert(file);
            hash = content_hash(format!("{hash}\n{}", tree.content_hash).as_bytes());
            // A file with nothing but comments sets nothing.
            node = tree.node.filter(|node| !node.is_null());
        }
        self.lower(file, hash, Body::Data { rows: &rows, settings: node });
        true
    }

    /// Tells of a file that was named as a suite and holds something else.
    pub(super) fn refuses(&mut self, file: &Path, kind: RowsKind) -> bool {
        let problem = kind.refused(&self.session.shown(file).display().to_string());
        let refused = problem.is_some();
        if let Some(problem) = problem {
            self.session.checked.insert(file.to_owned());
            self.session.problems.push(problem);
        }
        refused
    }

    fn lower(&mut self, file: &Path, content_hash: String, body: Body<'_>) {
        let surroundings = self.session.surroundings(file.parent().unwrap_or(Path::new("/")));
        let (lowered, problems) = self.lowered(file, content_hash, body, &surroundings);
        self.session.problems.append(problems);
        self.keep(file, lowered, &surroundings);
    }

    fn lowered(
        &mut self,
        file: &Path,
        content_hash: String,
        body: Body<'_>,
        surroundings: &Surroundings<'_>,
    ) -> (Option<Lowered>, Problems) {
        let session = &mut self.session;
        let mut problems = Problems::default();
        let suite_file = SuiteFile {
            file,
            content_hash,
            root: &session.root,
            current_dir: &session.options.current_dir,
            chain: &surroundings.chain,
            config: &surroundings.config,
            variables: &surroundings.variables,
        };
        let findings = Findings {
            library: &mut session.library,
            texts: &mut session.texts,
            secrets: &mut session.secrets,
            problems: &mut problems,
        };
        (suite::lower(suite_file, body, findings), problems)
    }

    /// Keeps a suite together with the targets that it may name.
    fn keep(&mut self, file: &Path, lowered: Option<Lowered>, surroundings: &Surroundings<'o>) {
        let session = &mut self.session;
        let described = lowered.as_ref().is_some_and(|suite| !suite.described_targets.is_empty());
        let targets_file = match &self.targets {
            WhichTargets::Given(file) => Some(file.clone()),
            WhichTargets::Missing => None,
            WhichTargets::Nearest => {
                let found = session.find_targets(&surroundings.chain);
                if found.is_none() && !described {
                    self.without_targets.push(file.to_owned());
                }
                found
            }
        };
        let mut targets = targets_file.and_then(|file| session.targets(&file, surroundings));
        let Some(Lowered { suite, described_targets }) = lowered else { return };
        if described {
            let own = TargetsFile::described_in(
                file,
                targets.as_deref(),
                &described_targets,
                &surroundings.variables,
                &mut session.secrets,
                &mut session.problems,
            );
            let own = Arc::new(own.priced(&surroundings.prices.list));
            session.targets_files.push(own.clone());
            targets = Some(own);
        }
        self.suites.push((self.place, LoadedSuite { suite, targets }));
    }
}
