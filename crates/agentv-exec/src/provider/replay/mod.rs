//! `provider: replay`: answers that were recorded before, from a file of JSON lines.
//!
//! The file is looked at once, when the first answer is needed, and only where each answer stands
//! is kept: recordings may be larger than memory. Each answer is read when it is taken.

mod index;
mod line;

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{
    Answer, Answers, Batching, BoxFuture, Diagnostic, Failure, FailureKind, Fields, Key, Problems,
    Provenance, Provider, Raw, RecordRaw, Redactor, Request, Response, Shape, TARGET_KEYS,
    TargetSpec, tail,
};
use tokio::sync::OnceCell;

use self::index::{Fault, Index, NoPlace, Place};
use super::{ProviderKind, Services, cli::SAID, project_folder};

const KEYS: &[Key] = &[
    Key::new(
        "file",
        Shape::Name,
        "Recorded answers as JSON lines: results of a run, what `invoke` printed, or the output of \
         a batch; or the folder of a run. A relative path starts at the folder that holds `.agentv`",
    )
    .required(),
    Key::new("recorded_target", Shape::Name, "Only the answers of this target")
        .default("whoever answered, if that is only one"),
];

/// The file of rows in the folder of a run.
const ROWS: &str = "results.jsonl";

pub(super) struct Replay;

impl ProviderKind for Replay {
    fn name(&self) -> &'static str {
        "replay"
    }

    fn keys(&self) -> &'static [Key] {
        KEYS
    }

    fn build(
        &self,
        spec: &TargetSpec,
        services: &Services,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Provider>> {
        let fields = Fields::read(&spec.node, "target", &[TARGET_KEYS, KEYS], problems)?;
        let recorded_target = fields.optional("recorded_target", problems, Fields::non_blank);
        let node = fields.required("file", problems)?;
        let mut file = project_folder(spec).join(fields.non_blank("file", problems)?);
        // The folder of a run means the rows of that run.
        if file.join(ROWS).exists() {
            file.push(ROWS);
        }
        if let Some(fault) = unusable(&file) {
            problems.push(fault.at(node.span));
            return None;
        }
        Some(Arc::new(ReplayProvider {
            file,
            recorded_target: recorded_target?.map(str::to_owned),
            services: services.clone(),
            recording: OnceCell::new(),
        }))
    }
}

/// What can be told of a file without reading it. One that is bad inside is told when it is asked.
fn unusable(file: &Path) -> Option<Diagnostic> {
    let shown = file.display();
    let metadata = match fs::metadata(file) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let message = format!("no such file of recorded answers: `{shown}`");
            let hint = "a relative path starts at the folder that holds `.agentv`, else at that of \
                        the targets file";
            return Some(Diagnostic::error(message).code("missing-file").hint(hint));
        }
        Err(error) => {
            let message = format!("`{shown}` cannot be read: {error}");
            return Some(Diagnostic::error(message).code("unreadable-file"));
        }
    };
    // Before it is opened: to open a pipe is to wait for someone who writes to it.
    let what = match (metadata.is_dir(), metadata.is_file()) {
        (true, _) => format!("is a folder without a `{ROWS}`"),
        (false, false) => "is a pipe or a device, not a file".to_owned(),
        (false, true) => return None,
    };
    let message = format!("`{shown}` {what}: recorded answers are lines of JSON in one file");
    Some(Diagnostic::error(message).code("unreadable-file"))
}

struct ReplayProvider {
    file: PathBuf,
    recorded_target: Option<String>,
    services: Services,
    /// Read when it is first needed; what is wrong with it is wrong for every case.
    recording: OnceCell<Result<Arc<Recording>, Failure>>,
}

/// A file of answers of which is known where each stands.
struct Recording {
    file: File,
    path: Arc<Path>,
    /// What messages call it.
    shown: String,
    index: Index,
}

impl ReplayProvider {
    async fn recording(&self) -> Result<&Arc<Recording>, Failure> {
        let read = self.recording.get_or_init(|| async {
            let (path, stop) = (self.file.clone(), self.services.stop.clone());
            let target = self.recorded_target.clone();
            // A large file takes a while to look at: not on a thread that others wait for.
            let reading = tokio::task::spawn_blocking(move || {
                let shown = format!("`{}`", path.display());
                let file = File::open(&path)
                    .map_err(|error| Fault::Bad(format!("{shown} cannot be read: {error}")))?;
                let index = Index::read(&file, &shown, target.as_deref(), &stop)?;
                Ok(Arc::new(Recording { file, path: path.into(), shown, index }))
            });
            let read = reading.await.unwrap_or_else(|error| Err(Fault::Bad(error.to_string())));
            read.map_err(|fault| match fault {
                Fault::Interrupted => Failure::new(FailureKind::Interrupted, "interrupted"),
                Fault::Bad(message) => {
                    let message = self.services.redactor.redact(&message).into_owned();
                    Failure::new(FailureKind::Healthcheck, message)
                }
            })
        });
        read.await.as_ref().map_err(Clone::clone)
    }
}

impl Provider for ReplayProvider {
    fn batching(&self) -> Batching {
        Batching::Single
    }

    /// A recording that cannot be used is told before the first case.
    fn check(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { self.recording().await.map(drop) })
    }

    fn invoke(&self, requests: Vec<Request>) -> BoxFuture<'_, Result<Arc<dyn Answers>, Failure>> {
        Box::pin(async move {
            let recording = self.recording().await?;
            let places = requests
                .iter()
                .map(|request| {
                    let (id, suite) = (&request.input.eval_id, &request.input.suite_file);
                    let Request { repeat, attempt, .. } = *request;
                    let found = recording.index.find(id, suite, repeat, attempt, &recording.shown);
                    (Arc::clone(id), found)
                })
                .collect();
            Ok(Arc::new(Replayed {
                recording: Arc::clone(recording),
                places,
                redactor: self.services.redactor.clone(),
            }) as Arc<dyn Answers>)
        })
    }
}

/// Answers that are still in their file.
struct Replayed {
    recording: Arc<Recording>,
    /// The id of each request, and where its answer stands, or why there is none.
    places: Vec<(Arc<str>, Result<Place, NoPlace>)>,
    redactor: Redactor,
}

impl Replayed {
    fn failed(&self, kind: FailureKind, message: &str) -> Failure {
        // Hidden before it is cut: half a secret is no longer found.
        let message = self.redactor.redact(message);
        Failure::new(kind, tail(&message, SAID))
    }

    fn take(&self, id: &str, place: &Result<Place, NoPlace>) -> Result<Response, Failure> {
        let place = place.as_ref().map_err(|what| self.failed(what.kind(), what.message()))?;
        let Recording { file, path, shown, .. } = &*self.recording;
        let reading = place
            .read(file, shown, id)
            .map_err(|message| self.failed(FailureKind::Output, &message))?;
        // An answer that is of no use has still cost what it cost.
        let spent = |failure: Failure| Failure {
            duration_ms: reading.duration_ms,
            token_usage: reading.token_usage,
            cost_usd: reading.cost_usd,
            ..failure
        };
        if let Some(error) = &reading.error {
            return Err(spent(self.failed(FailureKind::Target, error)));
        }
        let Some(text) = reading.text else {
            let line = place.line();
            let message = format!("line {line} of {shown} has neither an answer nor an error");
            return Err(spent(self.failed(FailureKind::Output, &message)));
        };
        Ok(Response {
            text,
            output_messages: reading.output_messages,
            trace: reading.trace,
            token_usage: reading.token_usage,
            cost_usd: reading.cost_usd,
            // As recorded, and unknown where that says nothing: reading a line measures nothing.
            duration_ms: reading.duration_ms,
            dropped_elements: reading.dropped,
            provenance: Provenance::Asked,
            leaked: Vec::new(),
            raw: Raw::Record(RecordRaw { file: Some(Arc::clone(path)), line: Some(place.line()) }),
        })
    }
}

impl Answers for Replayed {
    fn settle(&self, index: usize) -> Answer {
        let Some((id, place)) = self.places.get(index) else {
            let message = "nobody asked for this answer";
            return Answer::Failed(Failure::new(FailureKind::Missing, message));
        };
        match self.take(id, place) {
            Ok(response) => Answer::Given(Box::new(response)),
            Err(failure) => Answer::Failed(failure),
        }
    }
}

#[cfg(test)]
mod tests;
