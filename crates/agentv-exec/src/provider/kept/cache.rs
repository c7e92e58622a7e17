//! Answers that are kept from run to run, each under a hash of all that it depends on.
//!
//! Only answers are kept, never failures. Whatever is wrong with the cache is said once and costs
//! an answer that was kept, never a case.

use std::{
    collections::HashMap,
    fs::{self, DirBuilder, Permissions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agentv_base::{
    Answer, Answers, Batching, BoxFuture, Failure, FailureKind, Provider, Request, RetryPolicy,
    excerpt,
};
use serde_json::json;

use super::{
    entry::{Entry, Part, PartsOnly, difference},
    place::{request_sha256, sha256, suite_of},
};

/// Changed when keys are made in another way.
const FORM: u32 = 1;
/// Most characters of an id that a message shows.
const ID_EXCERPT: usize = 120;
/// Under this name lies, for each question, the key of its last answer.
const LAST: &str = "last";

/// What an answer of a target depends on besides the request: settings, files, variables.
pub trait Ingredients: Send + Sync {
    fn parts(&self, request: &Request) -> Vec<Part>;

    /// A file among them that is not what it was when it was looked at: an answer may be of what it
    /// is now.
    fn moved(&self, request: &Request) -> Option<PathBuf>;
}

/// Hears what is done.
pub type Journal = Arc<dyn Fn(&str) + Send + Sync>;

/// The folder that answers are kept in.
pub struct Cache {
    folder: PathBuf,
    /// Hears of every hit and miss, where somebody wants to.
    journal: Option<Journal>,
    /// Whether answers are taken from it, and not only kept in it.
    gives: bool,
    warnings: Mutex<Warnings>,
}

/// What is said once.
#[derive(Default)]
struct Warnings {
    waiting: Vec<String>,
    unreadable: bool,
    unwritable: bool,
    moved: bool,
}

impl Cache {
    pub fn new(folder: PathBuf, journal: Option<Journal>) -> Self {
        Self { folder, journal, gives: true, warnings: Mutex::default() }
    }

    /// One that no answer is taken from: everything is asked for, and kept in the place of what is
    /// there.
    pub fn keeping(folder: PathBuf, journal: Option<Journal>) -> Self {
        Self { gives: false, ..Self::new(folder, journal) }
    }

    /// What was not said yet.
    pub fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut self.state().waiting)
    }

    fn state(&self) -> MutexGuard<'_, Warnings> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path_of(&self, key: &str) -> PathBuf {
        self.folder.join(key.get(..2).unwrap_or_default()).join(format!("{key}.json"))
    }

    fn last_of(&self, question: &str) -> PathBuf {
        self.folder.join(LAST).join(question.get(..2).unwrap_or_default()).join(question)
    }

    /// The answer under a key; what cannot be read counts as none, and is said.
    fn find(&self, key: &str) -> Option<Entry> {
        let path = self.path_of(key);
        let read = match fs::read(&path) {
            Ok(bytes) => Entry::read(&bytes),
            Err(error) if is_absent(&error) => return None,
            Err(error) => Err(error.to_string()),
        };
        match read {
            Ok(entry) => Some(entry),
            Err(error) => {
                let mut state = self.state();
                if !std::mem::replace(&mut state.unreadable, true) {
                    let (path, error) = (path.display(), excerpt(&error, 200));
                    state.waiting.push(format!(
                        "the kept answer {path} cannot be used, and is asked for again: {error}"
                    ));
                }
                None
            }
        }
    }

    /// Why there is no answer under this key.
    fn why_not(&self, kept: &Key) -> String {
        let before = fs::read_to_string(self.last_of(&kept.question)).ok();
        let before = before.and_then(|key| fs::read(self.path_of(key.trim())).ok());
        let before = before.and_then(|it| serde_json::from_slice::<PartsOnly>(&it).ok());
        let different = before.and_then(|before| difference(&before.parts, &kept.parts));
        different.unwrap_or_else(|| "no answer is kept".to_owned())
    }

    fn tell(&self, text: &str) {
        if let Some(journal) = &self.journal {
            journal(text);
        }
    }

    fn keep(&self, key: &Key, entry: &Entry) {
        let written = serde_json::to_vec(entry).map_err(io::Error::from).and_then(|bytes| {
            self.make_folder()?;
            self.write(&self.path_of(&key.sha256), &bytes)?;
            self.write(&self.last_of(&key.question), key.sha256.as_bytes())
        });
        if let Err(error) = written {
            let mut state = self.state();
            if !std::mem::replace(&mut state.unwritable, true) {
                let folder = self.folder.display();
                state.waiting.push(format!("answers cannot be kept in {folder}: {error}"));
            }
        }
    }

    /// Answers are kept as they are, and may hold anything: they are for nobody else, and for no
    /// repository.
    fn make_folder(&self) -> io::Result<()> {
        let ignored = self.folder.join(".gitignore");
        if ignored.exists() {
            return Ok(());
        }
        private_folder(&self.folder)?;
        fs::set_permissions(&self.folder, Permissions::from_mode(0o700))?;
        self.write(&ignored, b"*\n")
    }

    /// Whole or not at all: others may read and write the same.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let folder = path.parent().unwrap_or(&self.folder);
        private_folder(folder)?;
        // Such a file is for its owner alone.
        let mut new = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
        new.write_all(bytes)?;
        new.persist(path).map(drop).map_err(|fault| fault.error)
    }
}

/// What cannot be there is not there: the folder may be a file, which is said when it is written to.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// A question, and the key of its answer.
struct Key {
    sha256: String,
    /// Of the target, the suite, the case and the repeat.
    question: String,
    parts: Vec<Part>,
    suite: String,
}

/// A target whose answers are kept.
pub struct Cached {
    inner: Arc<dyn Provider>,
    shelf: Arc<Shelf>,
}

/// Where the answers of one target are kept.
struct Shelf {
    cache: Arc<Cache>,
    ingredients: Arc<dyn Ingredients>,
    target: Arc<str>,
    root: Arc<Path>,
}

impl Cached {
    pub fn new(
        inner: Arc<dyn Provider>,
        cache: Arc<Cache>,
        ingredients: Arc<dyn Ingredients>,
        target: Arc<str>,
        root: Arc<Path>,
    ) -> Self {
        Self { inner, shelf: Arc::new(Shelf { cache, ingredients, target, root }) }
    }
}

impl Shelf {
    fn key(&self, request: &Request) -> Key {
        let suite = suite_of(request, &self.root);
        let asked = request_sha256(request, &self.root);
        let mut parts = vec![Part { name: "the question".to_owned(), sha256: asked }];
        parts.extend(self.ingredients.parts(request));
        let (target, id, repeat) = (&*self.target, &*request.input.eval_id, request.repeat);
        let made_of: Vec<[&str; 2]> =
            parts.iter().map(|part| [part.name.as_str(), part.sha256.as_str()]).collect();
        Key {
            sha256: sha256(&json!([FORM, target, repeat, made_of]).to_string()),
            question: sha256(&json!([target, suite, id, repeat]).to_string()),
            parts,
            suite,
        }
    }

    /// The key of a request, and whether an answer is kept under it.
    fn look_up(&self, request: &Request) -> (String, bool) {
        let key = self.key(request);
        let found = if self.cache.gives { self.cache.find(&key.sha256) } else { None };
        if self.cache.journal.is_some() {
            let (id, suite) = (excerpt(&request.input.eval_id, ID_EXCERPT), &key.suite);
            let who = match request.repeat {
                1 => self.target.to_string(),
                repeat => format!("{}, repeat {repeat}", self.target),
            };
            let text = match &found {
                Some(entry) => {
                    let kept_at = excerpt(&entry.kept_at, ID_EXCERPT);
                    format!("cache: hit for {suite} {id} ({who}), kept {kept_at}")
                }
                None if !self.cache.gives => {
                    format!("cache: not looked at for {suite} {id} ({who}): it is asked again")
                }
                None => {
                    let why = self.cache.why_not(&key);
                    format!("cache: miss for {suite} {id} ({who}): {why}")
                }
            };
            self.cache.tell(&text);
        }
        (key.sha256, found.is_some())
    }

    fn keep(&self, request: &Request, answer: &Answer) {
        let Answer::Given(response) = answer else { return };
        if let Some(file) = self.ingredients.moved(request) {
            let mut state = self.cache.state();
            if !std::mem::replace(&mut state.moved, true) {
                state.waiting.push(format!(
                    "{} was changed while the run went on: answers that depend on it are not kept",
                    file.display()
                ));
            }
            return;
        }
        // Made once more: the keys of a whole batch, with all their parts, would fill the memory.
        let key = self.key(request);
        let place = (&*self.target, key.suite.as_str(), &*request.input.eval_id, request.repeat);
        self.cache.keep(&key, &Entry::new(place, key.parts.clone(), response));
    }
}

impl Provider for Cached {
    fn batching(&self) -> Batching {
        self.inner.batching()
    }

    fn retry_policy(&self) -> RetryPolicy {
        self.inner.retry_policy()
    }

    fn check(&self) -> BoxFuture<'_, Result<(), Failure>> {
        self.inner.check()
    }

    fn invoke(&self, requests: Vec<Request>) -> BoxFuture<'_, Result<Arc<dyn Answers>, Failure>> {
        Box::pin(async move {
            let kept = Arc::clone(&self.shelf);
            // Files are read for it: not on a thread that others wait for.
            let looked_up = tokio::task::spawn_blocking(move || {
                let found: Vec<(String, bool)> =
                    requests.iter().map(|request| kept.look_up(request)).collect();
                (requests, found)
            });
            let (requests, found) = looked_up.await.map_err(|error| {
                Failure::new(FailureKind::Spawn, format!("the cache could not be read: {error}"))
            })?;
            let misses: Vec<Request> = requests
                .iter()
                .zip(&found)
                .filter(|(_, (_, hit))| !hit)
                .map(|(request, _)| request.clone())
                .collect();
            let nothing_kept = misses.len() == requests.len();
            let asked =
                if misses.is_empty() { None } else { Some(self.inner.invoke(misses).await) };
            if nothing_kept && let Some(Err(failure)) = asked {
                return Err(failure);
            }
            let mut warnings = self.shelf.cache.warnings();
            if let Some(Ok(answers)) = &asked {
                warnings.extend(answers.warnings().iter().cloned());
            }
            let mut places = HashMap::new();
            for (index, _) in found.iter().enumerate().filter(|(_, (_, hit))| !hit) {
                places.insert(index, places.len());
            }
            Ok(Arc::new(Mixed {
                shelf: Arc::clone(&self.shelf),
                requests,
                keys: found.into_iter().map(|(key, _)| key).collect(),
                places,
                asked,
                warnings,
            }) as _)
        })
    }
}

/// Answers that were kept, and those that were asked for now.
struct Mixed {
    shelf: Arc<Shelf>,
    requests: Vec<Request>,
    /// Under which each is kept.
    keys: Vec<String>,
    /// Of those that were asked for now, the place in their invocation.
    places: HashMap<usize, usize>,
    asked: Option<Result<Arc<dyn Answers>, Failure>>,
    warnings: Vec<String>,
}

impl Answers for Mixed {
    fn settle(&self, index: usize) -> Answer {
        let (Some(request), Some(key)) = (self.requests.get(index), self.keys.get(index)) else {
            let message = "nobody asked for this answer";
            return Answer::Failed(Failure::new(FailureKind::Missing, message));
        };
        match (self.places.get(&index), &self.asked) {
            (Some(place), Some(Ok(answers))) => {
                let answer = answers.settle(*place);
                self.shelf.keep(request, &answer);
                answer
            }
            (Some(_), Some(Err(failure))) => Answer::Failed(failure.clone()),
            // It was there a moment ago. Whoever asks again finds it missing, and asks the target.
            _ => match self.shelf.cache.find(key) {
                Some(entry) => Answer::Given(Box::new(entry.into_response())),
                None => Answer::Failed(Failure::new(
                    FailureKind::Output,
                    "the answer that was kept is gone: somebody removed it from the cache",
                )),
            },
        }
    }

    fn are_kept(&self) -> bool {
        self.places.is_empty()
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
