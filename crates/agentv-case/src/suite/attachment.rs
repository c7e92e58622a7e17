//! Files that messages refer to: where they are found, what is in them, each read once.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    config::Config,
    folders,
    read::{LARGEST_FILE, content_hash, decode, read_bytes},
};

/// A file attached to a message.
#[derive(Debug)]
pub(crate) struct Attachment {
    /// Absolute.
    pub(crate) path: PathBuf,
    /// With `\n` at the end of every line.
    pub(crate) text: Arc<str>,
    /// It belongs to the guidelines and not to the question.
    pub(crate) is_guideline: bool,
}

/// Why a file could not be attached.
#[derive(Clone, Debug)]
pub(crate) struct AttachFault {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// Every attached file of all suites, by its path.
pub(crate) struct Texts {
    /// Whether files are hashed.
    hashing: bool,
    read: HashMap<PathBuf, Result<ReadText, AttachFault>>,
}

/// A file that was read.
#[derive(Clone)]
struct ReadText {
    text: Arc<str>,
    /// Of the file as it is, in hex; empty where nobody wants it.
    content_hash: Arc<str>,
}

impl Texts {
    pub(crate) fn new(hashing: bool) -> Self {
        Self { hashing, read: HashMap::new() }
    }

    /// Whether a file is attached to a message.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        self.read.contains_key(path)
    }

    fn get(&mut self, path: &Path, name: &str) -> Result<ReadText, AttachFault> {
        if let Some(known) = self.read.get(path) {
            return known.clone();
        }
        let hashing = self.hashing;
        let read = read_bytes(path, LARGEST_FILE)
            .and_then(|bytes| {
                let hash = if hashing { content_hash(&bytes) } else { String::new() };
                let text = decode(bytes)?;
                let text = if text.contains('\r') { text.replace("\r\n", "\n") } else { text };
                Ok(ReadText { text: text.into(), content_hash: hash.into() })
            })
            .map_err(|fault| AttachFault {
                message: format!("file `{name}` cannot be read: {fault}"),
                hint: fault.hint().map(str::to_owned),
            });
        self.read.insert(path.to_owned(), read.clone());
        read
    }
}

/// Finds the files of one suite.
pub(crate) struct Attacher<'s> {
    /// Where files are looked for, nearest first.
    pub(crate) chain: &'s [PathBuf],
    pub(crate) root: &'s Path,
    pub(crate) current_dir: &'s Path,
    pub(crate) config: &'s Config,
    pub(crate) texts: &'s mut Texts,
    /// The folder of the file that the case stands in, where that is not the suite's: the nearest.
    pub(crate) beside: Option<PathBuf>,
    pub(crate) found: HashMap<String, Result<Arc<Attachment>, AttachFault>>,
    /// Every file that was attached, with its hash and what it was taken for.
    pub(crate) taken: BTreeMap<PathBuf, Taken>,
}

/// What of an attached file decides what is asked.
pub(crate) struct Taken {
    content_hash: Arc<str>,
    is_guideline: bool,
}

impl Taken {
    /// For the hash of the suite.
    pub(crate) fn in_words(&self) -> String {
        let what = if self.is_guideline { "guideline" } else { "file" };
        format!("{what} {}", self.content_hash)
    }
}

impl Attacher<'_> {
    /// From now on cases come from a file in this folder.
    pub(crate) fn stand_in(&mut self, folder: &Path) {
        let beside = Some(folder).filter(|folder| !self.chain.iter().any(|known| known == folder));
        if self.beside.as_deref() != beside {
            self.beside = beside.map(Path::to_owned);
            self.found.clear();
        }
    }

    fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.beside.iter().chain(self.chain)
    }

    pub(crate) fn attach(&mut self, value: &str) -> Result<Arc<Attachment>, AttachFault> {
        if let Some(found) = self.found.get(value) {
            return found.clone();
        }
        let found = self.look_up(value);
        self.found.insert(value.to_owned(), found.clone());
        found
    }

    /// An absolute path is tried as it stands; then, like any other, below each folder.
    fn look_up(&mut self, value: &str) -> Result<Arc<Attachment>, AttachFault> {
        let name = value.trim_start_matches(['/', '\\']);
        let as_written = Path::new(value);
        let path = Some(as_written)
            .filter(|path| path.is_absolute() && path.is_file())
            .map(Path::to_owned)
            .or_else(|| {
                let mut below = self.folders().map(|folder| folder.join(name));
                below.find(|path| path.is_file())
            });
        let Some(path) = path else {
            return Err(self.not_found(value));
        };
        let path = folders::absolute(&path, self.current_dir);
        let ReadText { text, content_hash } = self.texts.get(&path, name)?;
        let is_guideline = self.config.is_guideline(&folders::from_root(&path, self.root));
        if !content_hash.is_empty() {
            self.taken.insert(path.clone(), Taken { content_hash, is_guideline });
        }
        Ok(Arc::new(Attachment { path, text, is_guideline }))
    }

    fn not_found(&self, value: &str) -> AttachFault {
        let folders = self.folders().map(|folder| {
            let shown = folders::shown(folder, self.current_dir);
            format!("`{}`", shown.display())
        });
        AttachFault {
            message: format!("file `{value}` was not found"),
            hint: Some(format!("looked in {}", folders.collect::<Vec<_>>().join(", "))),
        }
    }
}
