//! Writing down a run: every answer of targets and judges, as it comes.
//!
//! The file is written in place, a line at a time, so that a crash costs the line that was being
//! written and nothing else.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agentv_base::{
    Answer, Answers, Batching, BoxFuture, Failure, FailureKind, Provider, Request, RetryPolicy,
};
use serde::Serialize;

use super::{
    line::{CheckLine, FORM, Head, Line, PolicyLine, ResumedLine},
    place::{Place, Role, request_sha256, suite_of},
};

/// The file of one recording.
pub struct RecordingFile {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// None before the run begins, and after a line could not be written: what follows a torn line
    /// would be torn too.
    file: Option<File>,
    fault: Option<String>,
}

impl RecordingFile {
    /// Nothing is written before the run begins: an earlier recording is not lost to a typo.
    pub fn new(path: PathBuf) -> Self {
        Self { path, state: Mutex::default() }
    }

    /// Goes on with a recording of this run, and replaces anything else that is there; says how each
    /// target is asked again.
    pub fn begin<'p>(
        &self,
        version: &str,
        run_id: &str,
        policies: impl IntoIterator<Item = (&'p str, RetryPolicy)>,
    ) -> io::Result<()> {
        // Answers are kept as they are, and may hold anything: nobody else may read them.
        let options = OpenOptions::new().read(true).write(true).create(true).mode(0o600).clone();
        let mut file = options.open(&self.path)?;
        let goes_on = file.metadata()?.is_file() && run_of(&file)?.as_deref() == Some(run_id);
        if goes_on {
            end_whole(&mut file)?;
            file.write_all(&line_of(&ResumedLine { resumed_by: version.to_owned() })?)?;
        } else {
            if file.metadata()?.is_file() {
                file.set_len(0)?;
            }
            let (agentv_version, run_id) = (version.to_owned(), run_id.to_owned());
            let head = Head { agentv_recording: FORM, agentv_version, run_id };
            file.write_all(&line_of(&head)?)?;
        }
        for (target, policy) in policies {
            file.write_all(&line_of(&PolicyLine::of(target, &policy))?)?;
        }
        self.state().file = Some(file);
        Ok(())
    }

    /// Writes down an answer. One that an interrupt cut short is none.
    pub fn keep(&self, place: &Place<'_>, request: String, answer: &Answer) {
        let interrupted = |failure: &Failure| failure.kind == FailureKind::Interrupted;
        if matches!(answer, Answer::Failed(failure) if interrupted(failure)) {
            return;
        }
        self.write(line_of(&Line::of(place, request, answer)));
    }

    /// Writes down that a target, or a judge, was not fit to be asked.
    pub fn keep_check(&self, role: Role, target: &str, failure: &Failure) {
        if failure.kind != FailureKind::Interrupted {
            self.write(line_of(&CheckLine {
                check_of: target.to_owned(),
                checked_as: role,
                error: failure.message.to_string(),
                error_kind: failure.kind.name().to_owned(),
            }));
        }
    }

    fn write(&self, line: io::Result<Vec<u8>>) {
        let mut state = self.state();
        let Some(file) = state.file.as_mut() else { return };
        if let Err(error) = line.and_then(|line| file.write_all(&line)) {
            state.fault = Some(format!("cannot write {}: {error}", self.path.display()));
            state.file = None;
        }
    }

    /// Why the recording is not complete, where it is not.
    pub fn fault(&self) -> Option<String> {
        self.state().fault.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Longer first lines are none of ours.
const LONGEST_HEAD: u64 = 4096;

/// The run that a file is the recording of; none where it is no recording.
fn run_of(file: &File) -> io::Result<Option<String>> {
    let mut first = Vec::new();
    BufReader::new(file).take(LONGEST_HEAD).read_until(b'\n', &mut first)?;
    let head: Option<Head> = serde_json::from_slice(&first).ok();
    Ok(head.filter(|head| head.agentv_recording == FORM).map(|head| head.run_id))
}

/// Stands at the end of the last whole line. What is behind it is an answer that was never finished:
/// its case has no row, and is asked again.
fn end_whole(file: &mut File) -> io::Result<()> {
    const PIECE: u64 = 1 << 16;
    let mut end = file.metadata()?.len();
    let mut piece = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(PIECE);
        file.seek(SeekFrom::Start(start))?;
        piece.clear();
        (&*file).take(end - start).read_to_end(&mut piece)?;
        if let Some(place) = piece.iter().rposition(|byte| *byte == b'\n') {
            end = start + place as u64 + 1;
            break;
        }
        end = start;
    }
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end)).map(drop)
}

/// The whole line, so that it is written in one go.
fn line_of(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

/// A target whose answers are written down.
pub struct Recorded {
    inner: Arc<dyn Provider>,
    target: Arc<str>,
    root: Arc<Path>,
    file: Arc<RecordingFile>,
}

impl Recorded {
    pub fn new(
        inner: Arc<dyn Provider>,
        target: Arc<str>,
        root: Arc<Path>,
        file: Arc<RecordingFile>,
    ) -> Self {
        Self { inner, target, root, file }
    }
}

/// What is needed to write down an answer once it is taken.
struct Asked {
    target: Arc<str>,
    root: Arc<Path>,
    file: Arc<RecordingFile>,
    requests: Vec<Request>,
}

impl Asked {
    fn keep(&self, index: usize, answer: &Answer) {
        let Some(request) = self.requests.get(index) else { return };
        let suite = suite_of(request, &self.root);
        let place = Place::of_target(&self.target, &suite, request);
        self.file.keep(&place, request_sha256(request, &self.root), answer);
    }
}

impl Provider for Recorded {
    fn batching(&self) -> Batching {
        self.inner.batching()
    }

    fn retry_policy(&self) -> RetryPolicy {
        self.inner.retry_policy()
    }

    fn check(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async {
            let checked = self.inner.check().await;
            if let Err(failure) = &checked {
                self.file.keep_check(Role::Target, &self.target, failure);
            }
            checked
        })
    }

    fn invoke(&self, requests: Vec<Request>) -> BoxFuture<'_, Result<Arc<dyn Answers>, Failure>> {
        Box::pin(async move {
            let asked = Asked {
                target: Arc::clone(&self.target),
                root: Arc::clone(&self.root),
                file: Arc::clone(&self.file),
                requests: requests.clone(),
            };
            match self.inner.invoke(requests).await {
                Ok(inner) => Ok(Arc::new(Taken { inner, asked }) as Arc<dyn Answers>),
                Err(failure) => {
                    let answer = Answer::Failed(failure.clone());
                    for index in 0..asked.requests.len() {
                        asked.keep(index, &answer);
                    }
                    Err(failure)
                }
            }
        })
    }
}

/// Answers that are written down when they are taken.
struct Taken {
    inner: Arc<dyn Answers>,
    asked: Asked,
}

impl Answers for Taken {
    fn settle(&self, index: usize) -> Answer {
        let answer = self.inner.settle(index);
        self.asked.keep(index, &answer);
        answer
    }

    fn are_kept(&self) -> bool {
        self.inner.are_kept()
    }

    fn warnings(&self) -> &[String] {
        self.inner.warnings()
    }
}
