//! A suite file that was read → a suite with its cases.
//!
//! This is the only place where what an author may write is turned into what the rest of AgentV
//! knows; the names he may use for it stand in `keys`.

mod attachment;
mod case;
mod execution;
pub(crate) mod keys;
mod message;
mod prompt;

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{Diagnostic, Fields, Node, NodeValue, Problems, Span, Suite};

pub(crate) use self::attachment::Texts;
use self::{
    attachment::Attacher,
    case::{CaseReader, Inherited},
    execution::{Execution, read_text},
    keys::SUITE_KEYS,
};
use crate::{
    config::Config, environment::Variables, folders, interpolate::Interpolation, lines::LineIndex,
};

/// A suite file and what surrounds it.
pub(crate) struct SuiteFile<'s, 'e> {
    /// Absolute.
    pub(crate) file: &'s Path,
    pub(crate) text: &'s str,
    pub(crate) content_hash: String,
    pub(crate) root: &'s Path,
    pub(crate) current_dir: &'s Path,
    /// Where files are looked for, nearest first.
    pub(crate) chain: &'s [PathBuf],
    pub(crate) config: &'s Config,
    pub(crate) variables: &'s Variables<'e>,
}

/// Gives meaning to a suite. All problems are reported; a case that is not right is still among
/// its cases, with what is right of it.
pub(crate) fn lower(
    suite: SuiteFile<'_, '_>,
    node: Node,
    texts: &mut Texts,
    secrets: &mut BTreeSet<String>,
    problems: &mut Problems,
) -> Option<Suite> {
    let fields = Fields::read(&node, "suite", &[SUITE_KEYS], problems)?;
    fields.string("$schema", problems);
    let mut settings = Interpolation { variables: suite.variables, problems, secrets };
    let dataset = read_text("dataset", &fields, &mut settings).map(|(name, _)| name);
    let execution = Execution::read(&fields, &mut settings);
    let key = check_list(&fields, settings.problems)?;
    let cases = take_cases(node, key)?;

    let path: Arc<str> = folders::from_root(suite.file, suite.root).into();
    let mut reader = CaseReader {
        text: suite.text,
        lines: LineIndex::new(suite.text),
        inherited: Inherited {
            file: suite.file.into(),
            path: path.clone(),
            dataset: dataset.unwrap_or_else(|| default_dataset(suite.file)),
            graders: execution.graders.unwrap_or_default(),
            target: execution.target,
        },
        attacher: Attacher {
            chain: suite.chain,
            root: suite.root,
            current_dir: suite.current_dir,
            config: suite.config,
            texts,
            found: HashMap::new(),
        },
        settings,
        ids: HashMap::with_capacity(cases.len()),
    };
    // Each case as written goes as its own form comes: the two never stand in memory together.
    let cases = cases.into_iter().filter_map(|case| reader.read(&case).map(Arc::new)).collect();
    Some(Suite { file: suite.file.to_owned(), path, content_hash: suite.content_hash, cases })
}

/// What an author is shown who has no case yet: the smallest suite that works.
pub(crate) const EXAMPLE: &str = "\
evalcases:
  - id: first
    input_messages:
      - role: user
        content: What is 2 + 2?
    evaluators:
      - type: contains
        value: '4'";

/// The place of the key of the cases, whatever it is called there.
fn check_list(fields: &Fields<'_>, problems: &mut Problems) -> Option<Span> {
    let node = fields.required("evalcases", problems)?;
    let cases = fields.list("evalcases", problems)?;
    if cases.is_empty() {
        problems.push(
            Diagnostic::error("the suite has no cases")
                .at(node.span)
                .hint(format!("add one:\n{EXAMPLE}")),
        );
        return None;
    }
    fields.entry("evalcases").map(|entry| entry.key_span)
}

/// The list of cases out of the tree; copied only where an alias holds on to it.
fn take_cases(node: Node, key: Span) -> Option<Vec<Node>> {
    let NodeValue::Map(entries) = node.value else {
        return None;
    };
    let mut entries = Arc::unwrap_or_clone(entries).into_iter();
    let entry = entries.find(|entry| entry.key_span == key)?;
    let NodeValue::List(cases) = entry.value.value else {
        return None;
    };
    Some(Arc::unwrap_or_clone(cases))
}

/// The name of the file without `.yaml`.
fn default_dataset(file: &Path) -> Arc<str> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    if stem.is_empty() { "eval".into() } else { stem.into() }
}
