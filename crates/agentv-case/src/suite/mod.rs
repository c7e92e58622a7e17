//! A suite that was read → a suite with its cases.
//!
//! This is the only place where what an author may write, in whatever dialect, is turned into what
//! the rest of AgentV knows; the names he may use for it stand in `keys`. `whole` is what holds for
//! all cases, `gather` finds the cases, `case` reads one.

mod attachment;
mod case;
mod command_lines;
mod dependencies;
mod execution;
mod gather;
mod graders;
pub(crate) mod keys;
mod message;
mod reference;
mod repeat;
mod rubric_files;
mod spoken;
mod template;
mod whole;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{Diagnostic, Fields, Node, NodeValue, Problems, Span, Suite};

pub(crate) use self::attachment::Texts;
use self::{
    attachment::Attacher, case::CaseReader, gather::Gathering, keys::SUITE_KEYS,
    template::Templates, whole::Whole,
};
use crate::{
    config::Config,
    environment::Variables,
    folders,
    interpolate::Interpolation,
    library::{FileText, Library},
    read::content_hash,
};

/// A suite file and what surrounds it.
pub(crate) struct SuiteFile<'s, 'e> {
    /// Absolute.
    pub(crate) file: &'s Path,
    pub(crate) content_hash: String,
    pub(crate) root: &'s Path,
    pub(crate) current_dir: &'s Path,
    /// Where files are looked for, nearest first.
    pub(crate) chain: &'s [PathBuf],
    pub(crate) config: &'s Config,
    pub(crate) variables: &'s Variables<'e>,
}

/// What a suite is made of.
pub(crate) enum Body<'b> {
    /// A YAML file.
    Tree(Node),
    /// A YAML file up to its first case, and the cases after it.
    Items(Node, More<'b>),
    /// Rows of data, with the settings of the YAML file beside them.
    Data { rows: &'b FileText, settings: Option<Node> },
}

/// Cases that are still to be read.
pub(crate) struct More<'b> {
    pub(crate) cases: &'b mut dyn Iterator<Item = Node>,
    pub(crate) about: usize,
}

/// A suite, and what else it says.
pub(crate) struct Lowered {
    pub(crate) suite: Suite,
    /// Targets that it describes itself.
    pub(crate) described_targets: Vec<Node>,
}

/// Where findings go.
pub(crate) struct Findings<'f> {
    pub(crate) library: &'f mut Library,
    pub(crate) texts: &'f mut Texts,
    pub(crate) secrets: &'f mut BTreeSet<String>,
    pub(crate) problems: &'f mut Problems,
}

/// Gives meaning to a suite. All problems are reported; a case that is not right is still among
/// its cases, with what is right of it.
pub(crate) fn lower(
    suite: SuiteFile<'_, '_>,
    body: Body<'_>,
    findings: Findings<'_>,
) -> Option<Lowered> {
    let Findings { library, texts, secrets, problems } = findings;
    library.taken.clear();
    let (node, rows, more) = match body {
        Body::Tree(node) => (Some(node), None, None),
        Body::Items(node, more) => (Some(node), None, Some(more)),
        Body::Data { rows, settings } => (settings, Some(rows), None),
    };
    let folder = suite.file.parent().unwrap_or(Path::new("/"));
    let mut settings = Interpolation { variables: suite.variables, problems, secrets };
    let (whole, places) = match &node {
        None => (Whole::default(), Places::default()),
        Some(node) => {
            let fields = Fields::read(node, "suite", &[SUITE_KEYS], settings.problems)?;
            let whole = Whole::read(&fields, folder, library, &mut settings);
            let places = match rows {
                None => check_lists(&fields, settings.problems)?,
                Some(_) => Places::default(),
            };
            (whole, places)
        }
    };
    let path: Arc<str> = folders::from_root(suite.file, suite.root).into();
    let mut reader = CaseReader {
        suite_file: suite.file.into(),
        suite_path: path.clone(),
        dataset: whole.dataset.clone().unwrap_or_else(|| default_dataset(suite.file)),
        lines: HashMap::new(),
        whole,
        library,
        attacher: Attacher {
            chain: suite.chain,
            root: suite.root,
            current_dir: suite.current_dir,
            config: suite.config,
            texts,
            beside: None,
            found: HashMap::new(),
            taken: BTreeMap::new(),
        },
        settings,
        templates: Templates::default(),
        ids: foldhash::HashMap::default(),
        variants: HashMap::new(),
    };
    let mut gathering = Gathering {
        reader: &mut reader,
        root: suite.root,
        cases: Vec::new(),
        open: vec![suite.file.canonicalize().unwrap_or_else(|_| suite.file.to_owned())],
        hashes: Vec::new(),
    };
    match (rows, node) {
        (Some(rows), _) => gathering.of_data(suite.file, rows),
        (None, Some(node)) => {
            let (cases, scenarios) = take_lists(node, &places);
            if let Some(cases) = cases {
                gathering.of_suite(cases, more);
            }
            gathering.of_scenarios(scenarios.as_ref().and_then(Node::as_list).unwrap_or_default());
        }
        (None, None) => {}
    }
    let Gathering { mut cases, mut hashes, .. } = gathering;
    dependencies::resolve(&mut cases, &reader.variants, reader.settings.problems);
    let whole = reader.whole;
    // With their names: the same texts in each other's places are another question.
    let name = |path: &Path| folders::portable(path, suite.root);
    let referred = std::mem::take(&mut reader.library.taken);
    let referred = referred.iter().map(|(path, hash)| format!("{} {hash}", name(path)));
    let attached = reader.attacher.taken.iter();
    let attached = attached.map(|(path, it)| format!("{} {}", name(path), it.in_words()));
    let mut taken: Vec<String> = referred.chain(attached).collect();
    taken.sort_unstable();
    hashes.extend(taken);
    let content_hash = whole_hash(suite.content_hash, &hashes);
    let file = suite.file.to_owned();
    let (workers, graders) = (whole.workers, whole.graders);
    let suite = Suite { file, path, content_hash, workers, graders, cases };
    Some(Lowered { suite, described_targets: whole.described_targets })
}

/// The hash of a suite that takes cases from other files is that of all their hashes.
fn whole_hash(own: String, others: &[String]) -> String {
    if others.is_empty() {
        return own;
    }
    content_hash(format!("{own}\n{}", others.join("\n")).as_bytes())
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

/// Where the lists of cases stand, whatever they are called there.
#[derive(Default)]
struct Places {
    cases: Option<Span>,
    scenarios: Option<Span>,
}

fn check_lists(fields: &Fields<'_>, problems: &mut Problems) -> Option<Places> {
    let place = |key: &str| fields.get(key).and(fields.entry(key)).map(|entry| entry.key_span);
    let places = Places { cases: place("evalcases"), scenarios: place("scenarios") };
    if places.scenarios.is_some() {
        fields.list("scenarios", problems);
    }
    if places.cases.is_none() && places.scenarios.is_none() {
        fields.required("evalcases", problems);
        return None;
    }
    let Some(node) = fields.get("evalcases") else {
        return Some(places);
    };
    match &node.value {
        NodeValue::List(cases) if cases.is_empty() && places.scenarios.is_none() => {
            problems.push(
                Diagnostic::error("the suite has no cases")
                    .at(node.span)
                    .hint(format!("add one:\n{EXAMPLE}")),
            );
            None
        }
        NodeValue::List(_) | NodeValue::String(_) => Some(places),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Integer(_)
        | NodeValue::Float(_)
        | NodeValue::Map(_) => {
            fields.list("evalcases", problems);
            None
        }
    }
}

/// The lists out of the tree; copied only where an alias holds on to them.
fn take_lists(node: Node, places: &Places) -> (Option<Node>, Option<Node>) {
    let NodeValue::Map(mut entries) = node.value else {
        return (None, None);
    };
    let (mut cases, mut scenarios) = (None, None);
    for entry in Arc::make_mut(&mut entries) {
        if Some(entry.key_span) == places.cases {
            cases = Some(entry.value.take());
        } else if Some(entry.key_span) == places.scenarios {
            scenarios = Some(entry.value.take());
        }
    }
    (cases, scenarios)
}

/// The name of the file without its ending.
fn default_dataset(file: &Path) -> Arc<str> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    if stem.is_empty() { "eval".into() } else { stem.into() }
}
