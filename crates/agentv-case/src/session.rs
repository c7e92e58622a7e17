//! What one load has read so far: every file once, with its place among the sources.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use agentv_base::{Diagnostic, Node, PriceList, Problems, SourceId, Sources, Span};

use crate::{
    config::{self, CONFIG_FILES, Config},
    dotenv,
    environment::{DotEnv, Variables},
    folders,
    library::{FileText, Library},
    load::LoadOptions,
    prices::{self, PRICES_FILES},
    read::{LARGEST_FILE, decode, read_bytes},
    suite::Texts,
    targets::{self, TARGETS_FILES, TargetsFile},
    yaml,
};

/// A YAML file that was read.
#[derive(Clone)]
pub(crate) struct Tree {
    pub(crate) source: SourceId,
    pub(crate) text: Arc<String>,
    pub(crate) content_hash: String,
    /// Nothing where it is no YAML.
    pub(crate) node: Option<Node>,
}

impl Tree {
    pub(crate) fn new(file: FileText, node: Option<Node>) -> Self {
        let FileText { source, text, content_hash } = file;
        Self { source, text, content_hash, node }
    }
}

/// What holds for all suites in one folder.
pub(crate) struct Surroundings<'o> {
    /// Where things are looked for, nearest first.
    pub(crate) chain: Vec<PathBuf>,
    pub(crate) variables: Variables<'o>,
    pub(crate) config: Config,
    pub(crate) prices: Prices,
}

/// What models cost, and the file that says so.
#[derive(Clone, Default)]
pub(crate) struct Prices {
    pub(crate) list: Arc<PriceList>,
    file: Option<PathBuf>,
}

/// What targets are made of besides their file: the `.env` files that variables come from, and the
/// file of prices.
type Origin = (PathBuf, Vec<PathBuf>, Option<PathBuf>);

pub(crate) struct Session<'o> {
    pub(crate) options: &'o LoadOptions,
    pub(crate) root: PathBuf,
    pub(crate) library: Library,
    pub(crate) problems: Problems,
    pub(crate) secrets: BTreeSet<String>,
    pub(crate) texts: Texts,
    pub(crate) targets_files: Vec<Arc<TargetsFile>>,
    /// Files of ours that were looked at.
    pub(crate) checked: BTreeSet<PathBuf>,
    /// Targets and configurations, which many suites share.
    trees: HashMap<PathBuf, Option<Tree>>,
    surroundings: HashMap<PathBuf, Rc<Surroundings<'o>>>,
    dotenvs: HashMap<PathBuf, Option<Arc<DotEnv>>>,
    targets_in_folder: HashMap<PathBuf, Option<PathBuf>>,
    targets_by_origin: HashMap<Origin, Arc<TargetsFile>>,
    prices_by_origin: HashMap<(PathBuf, Vec<PathBuf>), Arc<PriceList>>,
}

impl<'o> Session<'o> {
    pub(crate) fn new(options: &'o LoadOptions) -> Self {
        Self {
            options,
            root: folders::repository_root(&options.current_dir),
            library: Library {
                sources: Sources::default(),
                current_dir: options.current_dir.clone(),
                hashing: options.needs_hashes,
                referred: HashSet::new(),
                taken: BTreeMap::new(),
                known: HashMap::new(),
            },
            problems: Problems::default(),
            secrets: BTreeSet::new(),
            texts: Texts::new(options.needs_hashes),
            targets_files: Vec::new(),
            checked: BTreeSet::new(),
            trees: HashMap::new(),
            surroundings: HashMap::new(),
            dotenvs: HashMap::new(),
            targets_in_folder: HashMap::new(),
            targets_by_origin: HashMap::new(),
            prices_by_origin: HashMap::new(),
        }
    }

    pub(crate) fn shown(&self, path: &Path) -> PathBuf {
        self.library.shown(path)
    }

    /// Reads a file as YAML, and gives back what is wrong with it.
    pub(crate) fn read_tree(&mut self, path: &Path) -> (Option<Tree>, Problems) {
        let mut problems = Problems::default();
        let tree = match self.library.read(path, LARGEST_FILE) {
            Ok(file) => {
                let node = yaml::parse_shared(&file.text, file.source, &mut problems);
                Some(Tree::new(file, node))
            }
            Err(unreadable) => {
                problems.push(unreadable);
                None
            }
        };
        (tree, problems)
    }

    /// A file that was read already, and whose problems have been told.
    pub(crate) fn known_tree(&self, path: &Path) -> Option<Tree> {
        self.trees.get(path).cloned().flatten()
    }

    /// Keeps a tree for those who come to the same file by another way.
    pub(crate) fn keep_tree(&mut self, path: &Path, tree: Tree) {
        self.trees.insert(path.to_owned(), Some(tree));
    }

    /// A file that several suites share: read once, its problems told once.
    pub(crate) fn shared_tree(&mut self, path: &Path) -> Option<Tree> {
        if let Some(tree) = self.trees.get(path) {
            return tree.clone();
        }
        let (tree, problems) = self.read_tree(path);
        self.problems.append(problems);
        self.trees.insert(path.to_owned(), tree.clone());
        tree
    }

    pub(crate) fn surroundings(&mut self, folder: &Path) -> Rc<Surroundings<'o>> {
        if let Some(known) = self.surroundings.get(folder) {
            return known.clone();
        }
        let chain = folders::lookup_chain(folder, &self.root, &self.options.current_dir);
        let dotenvs = chain.iter().filter_map(|folder| self.dotenv(folder)).collect();
        let variables = Variables::new(&self.options.environment, dotenvs);
        let config = self.config(&chain, &variables);
        let prices = self.prices(&chain, &variables);
        let found = Rc::new(Surroundings { chain, variables, config, prices });
        self.surroundings.insert(folder.to_owned(), found.clone());
        found
    }

    fn dotenv(&mut self, folder: &Path) -> Option<Arc<DotEnv>> {
        if let Some(known) = self.dotenvs.get(folder) {
            return known.clone();
        }
        let file = folder.join(".env");
        // A folder of this name is common, and is none of ours.
        let read = if file.is_file() { self.read_dotenv(file) } else { None };
        self.dotenvs.insert(folder.to_owned(), read.clone());
        read
    }

    fn read_dotenv(&mut self, file: PathBuf) -> Option<Arc<DotEnv>> {
        let shown = self.shown(&file);
        let text = match read_bytes(&file, LARGEST_FILE).and_then(decode) {
            Ok(text) => text,
            Err(fault) => {
                // The text around the place may be a secret, so none of it is shown.
                let message = format!("`{}` cannot be read: {fault}", shown.display());
                self.problems.push(Diagnostic::error(message).code("unreadable-file"));
                return None;
            }
        };
        let (values, faults) = dotenv::parse(&text);
        if !faults.is_empty() {
            let source = self.library.sources.add(shown, dotenv::masked(&text));
            for fault in faults {
                let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
                let span = Span { source, start: offset(fault.start), end: offset(fault.end) };
                self.problems.push(Diagnostic::error(fault.message).code("syntax").at(span));
            }
        }
        Some(Arc::new(DotEnv { file, values }))
    }

    fn config(&mut self, chain: &[PathBuf], variables: &Variables<'_>) -> Config {
        let file = first_file(chain, &CONFIG_FILES);
        let node = file.as_deref().and_then(|file| self.shared_tree(file)?.node);
        let (Some(file), Some(node)) = (file, node) else {
            return Config::default();
        };
        self.checked.insert(file);
        config::lower(&node, variables, &mut self.secrets, &mut self.problems)
    }

    fn prices(&mut self, chain: &[PathBuf], variables: &Variables<'_>) -> Prices {
        let Some(file) = first_file(chain, &PRICES_FILES) else {
            return Prices::default();
        };
        let list = self.price_list(&file, variables).unwrap_or_default();
        Prices { list, file: Some(file) }
    }

    /// The prices of one file with the variables of one folder; nothing where it is no YAML.
    pub(crate) fn price_list(
        &mut self,
        file: &Path,
        variables: &Variables<'_>,
    ) -> Option<Arc<PriceList>> {
        let origin = (file.to_owned(), variables.origin());
        if let Some(known) = self.prices_by_origin.get(&origin) {
            return Some(known.clone());
        }
        self.checked.insert(file.to_owned());
        let node = self.shared_tree(file)?.node?;
        let list = prices::lower(&node, variables, &mut self.secrets, &mut self.problems);
        let list = Arc::new(list);
        self.prices_by_origin.insert(origin, list.clone());
        Some(list)
    }

    /// The targets file for a suite, where there is one in a folder of its chain.
    pub(crate) fn find_targets(&mut self, chain: &[PathBuf]) -> Option<PathBuf> {
        chain.iter().find_map(|folder| {
            let folders = &mut self.targets_in_folder;
            if let Some(known) = folders.get(folder) {
                return known.clone();
            }
            let found = targets_in(folder);
            folders.insert(folder.clone(), found.clone());
            found
        })
    }

    /// A targets file with the variables of one folder.
    pub(crate) fn targets(
        &mut self,
        file: &Path,
        surroundings: &Surroundings<'o>,
    ) -> Option<Arc<TargetsFile>> {
        let Surroundings { variables, prices, .. } = surroundings;
        let origin = (file.to_owned(), variables.origin(), prices.file.clone());
        if let Some(known) = self.targets_by_origin.get(&origin) {
            return Some(known.clone());
        }
        self.checked.insert(file.to_owned());
        let node = self.shared_tree(file)?.node?;
        let lowered = targets::lower(file, &node, variables, &mut self.secrets, &mut self.problems);
        let lowered = Arc::new(lowered.priced(&prices.list));
        self.targets_files.push(lowered.clone());
        self.targets_by_origin.insert(origin, lowered.clone());
        Some(lowered)
    }
}

/// The targets file of one folder.
pub(crate) fn targets_in(folder: &Path) -> Option<PathBuf> {
    first_file(std::slice::from_ref(&folder.to_owned()), &TARGETS_FILES)
}

fn first_file(folders: &[PathBuf], names: &[&str]) -> Option<PathBuf> {
    folders
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(name)))
        .find(|file| file.is_file())
}
