//! Every file that was read as text, with its place among the sources.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{Diagnostic, SourceId, Sources, Span};

use crate::{
    folders,
    read::{ReadFault, content_hash, decode, read_bytes},
};

/// A file that was read.
#[derive(Clone)]
pub(crate) struct FileText {
    pub(crate) source: SourceId,
    pub(crate) text: Arc<String>,
    /// SHA-256 in hex; empty where nobody wants it.
    pub(crate) content_hash: String,
}

pub(crate) struct Library {
    pub(crate) sources: Sources,
    pub(crate) current_dir: PathBuf,
    /// Whether files are hashed.
    pub(crate) hashing: bool,
    /// Files that suites refer to, by their real paths.
    pub(crate) referred: HashSet<PathBuf>,
    /// Files that the suite being read took prompts and variables from, with their hashes.
    pub(crate) taken: BTreeMap<PathBuf, String>,
    /// Files that suites take prompts and variables from, each read once.
    pub(crate) known: HashMap<PathBuf, Result<FileText, Diagnostic>>,
}

impl Library {
    pub(crate) fn shown(&self, path: &Path) -> PathBuf {
        folders::shown(path, &self.current_dir)
    }

    /// Reads a file of at most this many bytes.
    pub(crate) fn read(&mut self, path: &Path, most: u64) -> Result<FileText, Diagnostic> {
        let shown = self.shown(path);
        let hashing = self.hashing;
        let read = read_bytes(path, most).and_then(|bytes| {
            let hash = if hashing { content_hash(&bytes) } else { String::new() };
            decode(bytes).map(|text| (hash, Arc::new(text)))
        });
        match read {
            Ok((content_hash, text)) => {
                let source = self.sources.add(shown, text.clone());
                Ok(FileText { source, text, content_hash })
            }
            Err(fault) => Err(self.unreadable(&shown, fault)),
        }
    }

    /// Reads a file that many cases may refer to.
    pub(crate) fn refer(&mut self, path: &Path, most: u64) -> Result<FileText, Diagnostic> {
        let read = match self.known.get(path) {
            Some(known) => known.clone(),
            None => {
                let read = self.read(path, most);
                self.known.insert(path.to_owned(), read.clone());
                read
            }
        };
        if let Ok(file) = &read
            && self.hashing
            && !self.taken.contains_key(path)
        {
            self.taken.insert(path.to_owned(), file.content_hash.clone());
        }
        read
    }

    fn unreadable(&mut self, shown: &Path, fault: ReadFault) -> Diagnostic {
        let message = format!("`{}` cannot be read: {fault}", shown.display());
        let hint = fault.hint();
        let mut diagnostic = Diagnostic::error(message).code("unreadable-file");
        diagnostic.hint = hint.map(str::to_owned);
        if let ReadFault::NotText { shown: text, at, .. } = fault {
            let source = self.sources.add(shown, text);
            let start = u32::try_from(at).unwrap_or(u32::MAX);
            diagnostic = diagnostic.at(Span { source, start, end: start });
        }
        diagnostic
    }
}
