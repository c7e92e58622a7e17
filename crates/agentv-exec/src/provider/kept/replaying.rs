//! Answers from a recording of a whole run: nobody is asked.
//!
//! The file is looked at once, and only where each answer stands is kept; each is read when it is
//! taken.

use std::{
    collections::{HashMap, HashSet},
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use agentv_base::{
    Answer, Answers, Backoff, Batching, BoxFuture, Failure, FailureKind, Provider, Request,
    RetryPolicy,
};
use serde::Deserialize;

use super::{
    line::{FORM, Line},
    place::{Place, Role, request_sha256, suite_of},
};
use crate::provider::jsonl::{bad_line, why_no_object};

/// Large reads: the first look is bound by parsing, not by system calls.
const BUFFER: usize = 1 << 20;
/// Far above any answer with its trace; what is longer is no recording.
const LONGEST_LINE: u64 = 256 * 1024 * 1024;

/// What keeps a recording from answering will be there at the next attempt: whoever replays it has
/// written down other cases than whoever recorded it.
const NOT_RECORDED: FailureKind = FailureKind::Refused;
const REMEDY: &str = "record the run again with --record";

/// A recording of which is known where each answer stands.
pub struct RecordedAnswers {
    file: File,
    shown: String,
    places: HashMap<u128, Spot>,
    policies: HashMap<String, RetryPolicy>,
    /// Targets and judges that were not fit to be asked, and why.
    unfit: HashMap<(Role, String), Failure>,
    /// Those who have answered all the same: they were fit when the run was gone on with.
    fit: HashSet<(Role, String)>,
    /// How often the run was gone on with, as far as was read.
    resumed: u32,
    /// That the last line was never finished, where it was not.
    warning: Option<String>,
}

/// Where the answers to one question stand, and how many were taken.
#[derive(Default)]
struct Spot {
    places: Vec<Stretch>,
    taken: AtomicUsize,
    /// How often the run had been gone on with.
    resumed: u32,
}

#[derive(Clone, Copy)]
struct Stretch {
    offset: u64,
    length: usize,
    /// From 1.
    line: usize,
}

/// What the first look at a line wants to know.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Glance {
    agentv_recording: Option<u32>,
    policy_of: Option<String>,
    max_retries: Option<u32>,
    retry_on: Option<Vec<String>>,
    check_of: Option<String>,
    checked_as: Option<Role>,
    resumed_by: Option<String>,
    error: Option<String>,
    error_kind: Option<String>,
    role: Option<Role>,
    #[serde(default)]
    target: String,
    #[serde(default)]
    judged: String,
    #[serde(default)]
    grader: String,
    #[serde(default)]
    suite: String,
    #[serde(default)]
    eval_id: String,
    #[serde(default)]
    repeat: u32,
    #[serde(default)]
    attempt: u32,
    #[serde(default)]
    sample: u32,
    #[serde(default)]
    ask: u32,
    #[serde(default)]
    request: String,
}

impl RecordedAnswers {
    /// Looks at every line. What is wrong with the file is wrong for every case.
    pub fn read(path: &Path) -> Result<Self, String> {
        let shown = format!("`{}`", path.display());
        let file = File::open(path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
        if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return Err(format!("{shown} is no regular file"));
        }
        let mut recording = Self {
            file: file.try_clone().map_err(|error| format!("{shown} cannot be read: {error}"))?,
            shown,
            places: HashMap::new(),
            policies: HashMap::new(),
            unfit: HashMap::new(),
            fit: HashSet::new(),
            resumed: 0,
            warning: None,
        };
        recording.look(&file)?;
        Ok(recording)
    }

    fn look(&mut self, file: &File) -> Result<(), String> {
        let mut reader = BufReader::with_capacity(BUFFER, file);
        let mut buffer = Vec::new();
        let mut offset = 0;
        for line in 1.. {
            buffer.clear();
            let length = (&mut reader)
                .take(LONGEST_LINE + 1)
                .read_until(b'\n', &mut buffer)
                .map_err(|error| format!("{} cannot be read: {error}", self.shown))?;
            if length == 0 {
                break;
            }
            let content = buffer.trim_ascii();
            let stretch = Stretch { offset, length, line };
            offset += length as u64;
            if length as u64 > LONGEST_LINE {
                return Err(bad_line(&self.shown, line, "is longer than any answer", content));
            }
            if content.is_empty() {
                continue;
            }
            let glance =
                std::str::from_utf8(content).map_err(|_| "is not UTF-8".to_owned()).and_then(
                    |text| serde_json::from_str(text).map_err(|error| why_no_object(text, &error)),
                );
            match glance {
                Ok(glance) => self
                    .take_in(glance, stretch)
                    .map_err(|what| bad_line(&self.shown, line, &what, content))?,
                // Whoever wrote it was ended while writing: the run went no further.
                Err(_) if !buffer.ends_with(b"\n") && line > 1 => {
                    self.warning = Some(format!(
                        "the last line of {} was never finished, and is left out",
                        self.shown
                    ));
                }
                Err(what) => return Err(bad_line(&self.shown, line, &what, content)),
            }
        }
        if offset == 0 { Err(format!("{} is empty", self.shown)) } else { Ok(()) }
    }

    fn take_in(&mut self, glance: Glance, stretch: Stretch) -> Result<(), String> {
        match glance.agentv_recording {
            Some(FORM) if stretch.line == 1 => return Ok(()),
            None if stretch.line > 1 => {}
            Some(_) if stretch.line == 1 => {
                return Err("is of another form; another version wrote it".to_owned());
            }
            _ => return Err("is not as `--record` writes it".to_owned()),
        }
        if glance.resumed_by.is_some() {
            self.resumed += 1;
            return Ok(());
        }
        if let Some(target) = glance.policy_of {
            let kinds = glance.retry_on;
            let on =
                kinds.map(|kinds| kinds.iter().filter_map(|it| FailureKind::named(it)).collect());
            let now = Backoff { initial: Duration::ZERO, most: Duration::ZERO, factor: 1.0 };
            let policy = RetryPolicy { max_retries: glance.max_retries, on, backoff: now };
            self.policies.insert(target, policy);
            return Ok(());
        }
        if let Some(target) = glance.check_of {
            let kind = glance.error_kind.as_deref().and_then(FailureKind::named);
            let kind = kind.unwrap_or(FailureKind::Healthcheck);
            let role = glance.checked_as.unwrap_or(Role::Target);
            self.unfit.insert((role, target), Failure::new(kind, glance.error.unwrap_or_default()));
            return Ok(());
        }
        let Some(role) = glance.role else {
            return Err("does not say who answered".to_owned());
        };
        let place = Place {
            role,
            target: &glance.target,
            judged: &glance.judged,
            grader: &glance.grader,
            suite: &glance.suite,
            eval_id: &glance.eval_id,
            repeat: glance.repeat,
            attempt: glance.attempt,
            sample: glance.sample,
            ask: glance.ask,
        };
        let spot = self.places.entry(place.key(&glance.request));
        let spot =
            spot.or_insert_with(|| Spot { places: Vec::with_capacity(1), ..Spot::default() });
        // The row is of the answer that was given last.
        if spot.resumed != self.resumed {
            spot.places.clear();
            spot.resumed = self.resumed;
        }
        if role == Role::Target && !spot.places.is_empty() {
            return Err(format!("answers again for {}", place.shown()));
        }
        spot.places.push(stretch);
        let who = (role, glance.target);
        if self.unfit.contains_key(&who) {
            self.fit.insert(who);
        }
        Ok(())
    }

    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// How a target was asked again when it was recorded, without the waiting.
    pub fn retry_policy(&self, target: &str) -> RetryPolicy {
        let now = Backoff { initial: Duration::ZERO, most: Duration::ZERO, factor: 1.0 };
        let known = self.policies.get(target).cloned();
        known.unwrap_or(RetryPolicy { backoff: now, ..RetryPolicy::default() })
    }

    /// Whether a target was fit to be asked when it was recorded.
    pub fn check(&self, role: Role, target: &str) -> Result<(), Failure> {
        let who = (role, target.to_owned());
        self.unfit
            .get(&who)
            .filter(|_| !self.fit.contains(&who))
            .map_or(Ok(()), |failure| Err(failure.clone()))
    }

    /// The recorded answer to a question.
    pub fn answer(&self, place: &Place<'_>, request: &str) -> Answer {
        self.find(place, request)
            .unwrap_or_else(|message| Answer::Failed(Failure::new(NOT_RECORDED, message)))
    }

    fn find(&self, place: &Place<'_>, request: &str) -> Result<Answer, String> {
        let Self { shown, .. } = self;
        let Some(spot) = self.places.get(&place.key(request)) else {
            if let Some(failure) = self.unfit.get(&(place.role, place.target.to_owned())) {
                return Ok(Answer::Failed(failure.clone()));
            }
            let question = if place.role == Role::Judge { " to this question" } else { "" };
            let place = place.shown();
            return Err(format!("{shown} has no answer of {place}{question}; {REMEDY}"));
        };
        // Of equal questions of equal graders, each answer is given once, in order; then the last.
        let taken = spot.taken.fetch_add(1, Ordering::Relaxed);
        let stretch = spot.places.get(taken).or(spot.places.last());
        let Some(Stretch { offset, length, line }) = stretch.copied() else {
            return Err(format!("{shown} has no answer of {}; {REMEDY}", place.shown()));
        };
        let mut bytes = vec![0; length];
        self.file
            .read_exact_at(&mut bytes, offset)
            .map_err(|error| format!("line {line} of {shown} cannot be read: {error}"))?;
        let found: Line = serde_json::from_slice(&bytes)
            .map_err(|error| format!("line {line} of {shown} cannot be used: {error}"))?;
        if found.place() != *place {
            return Err(format!("{shown} was changed while it was read (line {line})"));
        }
        if found.request != request {
            return Err(format!(
                "the recording answers another question: the case changed since (line {line} of \
                 {shown}); {REMEDY}"
            ));
        }
        Ok(found.answer())
    }
}

/// A target that is not asked: its answers were recorded.
pub struct Replayed {
    recording: Arc<RecordedAnswers>,
    target: Arc<str>,
    root: Arc<Path>,
}

impl Replayed {
    pub fn new(recording: Arc<RecordedAnswers>, target: Arc<str>, root: Arc<Path>) -> Self {
        Self { recording, target, root }
    }
}

impl Provider for Replayed {
    /// Whatever the target did when it was recorded: each answer stands alone in the file.
    fn batching(&self) -> Batching {
        Batching::Single
    }

    fn retry_policy(&self) -> RetryPolicy {
        self.recording.retry_policy(&self.target)
    }

    fn check(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { self.recording.check(Role::Target, &self.target) })
    }

    fn invoke(&self, requests: Vec<Request>) -> BoxFuture<'_, Result<Arc<dyn Answers>, Failure>> {
        let (recording, target) = (Arc::clone(&self.recording), Arc::clone(&self.target));
        let root = self.root.to_path_buf();
        Box::pin(async move {
            Ok(Arc::new(FromFile { recording, target, root, requests }) as Arc<dyn Answers>)
        })
    }
}

/// Answers that are still in their file.
struct FromFile {
    recording: Arc<RecordedAnswers>,
    target: Arc<str>,
    root: PathBuf,
    requests: Vec<Request>,
}

impl Answers for FromFile {
    fn settle(&self, index: usize) -> Answer {
        let Some(request) = self.requests.get(index) else {
            let message = "nobody asked for this answer";
            return Answer::Failed(Failure::new(FailureKind::Missing, message));
        };
        let suite = suite_of(request, &self.root);
        let place = Place::of_target(&self.target, &suite, request);
        self.recording.answer(&place, &request_sha256(request, &self.root))
    }
}

#[cfg(test)]
#[path = "replaying_tests.rs"]
mod tests;
