//! The `cli` provider: any command line, one process a case or one process a batch.

mod ahead;
mod batch;
mod bundle;
mod healthcheck;
mod invocation;
pub mod output;
mod retries;
mod settings;
mod single;
pub mod template;

use std::{
    io::Read as _,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use agentv_base::{
    Answer, Answers, AskAgain, Batching, BoxFuture, CommandRaw, CommandRun, Failure, FailureKind,
    Key, LeakedProcess, Problems, Provenance, Provider, Raw, Redactor, Request, Response,
    RetryPolicy, TargetSpec,
};

pub(super) use self::invocation::{SAID, millis, timed_out};
use self::{
    ahead::Ahead,
    batch::{Index, Place},
    invocation::{Finished, end_of_output},
    settings::CliSettings,
};
use crate::provider::{ProviderKind, Services, project_folder, record::Reading};

/// `provider: cli`.
pub struct Cli;

impl ProviderKind for Cli {
    fn name(&self) -> &'static str {
        "cli"
    }

    fn keys(&self) -> &'static [Key] {
        settings::KEYS
    }

    fn build(
        &self,
        spec: &TargetSpec,
        services: &Services,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Provider>> {
        let settings = CliSettings::read(spec, problems)?;
        Some(Arc::new(CliProvider {
            name: Arc::clone(&spec.name),
            project: project_folder(spec).to_path_buf(),
            settings,
            services: services.clone(),
        }))
    }
}

struct CliProvider {
    name: Arc<str>,
    /// The folder that the targets belong to: where a healthcheck, which belongs to no suite, runs.
    project: PathBuf,
    settings: CliSettings,
    services: Services,
}

impl Provider for CliProvider {
    fn batching(&self) -> Batching {
        match &self.settings.batch {
            None => Batching::Single,
            Some(batch) => Batching::Batch { most: batch.most },
        }
    }

    fn retry_policy(&self) -> RetryPolicy {
        self.settings.retries.clone()
    }

    fn check(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async {
            match &self.settings.healthcheck {
                Some(check) => self.run_healthcheck(check).await,
                None => Ok(()),
            }
        })
    }

    fn invoke(&self, requests: Vec<Request>) -> BoxFuture<'_, Result<Arc<dyn Answers>, Failure>> {
        Box::pin(async move {
            let finished = self.run_command(requests).await?;
            match &self.settings.batch {
                Some(batch) => {
                    let redactor = self.services.redactor.clone();
                    batch_answers(finished, batch.ask_again, redactor).await
                }
                None => single_answer(finished),
            }
        })
    }
}

/// Reads the one answer of a single invocation.
fn single_answer(mut finished: Finished) -> Result<Arc<dyn Answers>, Failure> {
    let mut bytes = Vec::new();
    let read = finished
        .output
        .read_to_end(&mut bytes)
        .map_err(|error| format!("output cannot be read: {error}"));
    let reading = read.and_then(|_| single::read(bytes)).map_err(|what| {
        let said = end_of_output(&finished.run.stderr, "");
        let message = format!("exited with code 0 but its {what}{said}");
        Failure {
            duration_ms: Some(millis(finished.duration)),
            leaked: Arc::clone(&finished.leaked),
            ..Failure::new(FailureKind::Output, message)
        }
    })?;
    let measured = (!reading.reports_duration).then(|| millis(finished.duration));
    let warnings = finished.warnings;
    let raw = CommandRaw { run: finished.run, record_id: None };
    let mut response = respond(reading, raw, &finished.leaked);
    response.duration_ms = response.duration_ms.or(measured);
    Ok(Arc::new(SingleAnswer { response: Mutex::new(Some(response)), warnings }))
}

/// Makes sure that the output of a batch is whole before anything is taken from it.
async fn batch_answers(
    finished: Finished,
    ask_again: Option<AskAgain>,
    redactor: Redactor,
) -> Result<Arc<dyn Answers>, Failure> {
    let leaked = Arc::clone(&finished.leaked);
    // Hundreds of megabytes take a second to look at: not on a thread that others wait for.
    let read = move || read_batch(finished, ask_again, redactor);
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| {
        let message = format!("cannot read batch output: {error}");
        Err(Failure { leaked, ..Failure::new(FailureKind::Batch, message) })
    })
}

fn read_batch(
    finished: Finished,
    ask_again: Option<AskAgain>,
    redactor: Redactor,
) -> Result<Arc<dyn Answers>, Failure> {
    let fail = |kind, message: &str| {
        let message = redactor.redact(message);
        Err(Failure { leaked: Arc::clone(&finished.leaked), ..Failure::new(kind, message) })
    };
    let ids = finished.ids;
    let index = match Index::read(&finished.output, &ids) {
        Ok(index) => index,
        Err(message) => return fail(FailureKind::Batch, &message),
    };
    let missing = index.missing(&ids);
    if let (Some(message), None) = (&missing, ask_again) {
        return fail(FailureKind::Missing, message);
    }
    let mut warnings = finished.warnings;
    warnings.extend(index.unasked_in_words().map(|words| format!("batch output {words}; ignored")));
    Ok(Arc::new(BatchAnswers {
        output: Ahead::of(finished.output),
        places: index.places,
        ids,
        ask_again: ask_again.unwrap_or(AskAgain::Together),
        missing: missing.unwrap_or_default().into(),
        run: finished.run,
        leaked: finished.leaked,
        redactor,
        warnings,
    }))
}

fn respond(reading: Reading, raw: CommandRaw, leaked: &[LeakedProcess]) -> Response {
    Response {
        text: reading.text.unwrap_or_default(),
        output_messages: reading.output_messages,
        trace: reading.trace,
        token_usage: reading.token_usage,
        cost_usd: reading.cost_usd,
        duration_ms: reading.duration_ms,
        dropped_elements: reading.dropped,
        provenance: Provenance::Asked,
        leaked: leaked.to_vec(),
        raw: Raw::Command(raw),
    }
}

struct SingleAnswer {
    /// Taken once: an answer can be large, and nobody needs two of it.
    response: Mutex<Option<Response>>,
    warnings: Vec<String>,
}

impl Answers for SingleAnswer {
    fn settle(&self, _index: usize) -> Answer {
        let taken = self.response.lock().unwrap_or_else(PoisonError::into_inner).take();
        match taken {
            Some(response) => Answer::Given(Box::new(response)),
            None => {
                Answer::Failed(Failure::new(FailureKind::Output, "the answer was taken before"))
            }
        }
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// The answers of a batch, still in their file.
struct BatchAnswers {
    output: Ahead,
    places: Vec<Option<Place>>,
    ids: Vec<Arc<str>>,
    ask_again: AskAgain,
    missing: Arc<str>,
    run: Arc<CommandRun>,
    leaked: Arc<[LeakedProcess]>,
    redactor: Redactor,
    warnings: Vec<String>,
}

impl BatchAnswers {
    fn failed(&self, kind: FailureKind, message: impl Into<Arc<str>>) -> Failure {
        Failure { leaked: Arc::clone(&self.leaked), ..Failure::new(kind, message) }
    }
}

impl Answers for BatchAnswers {
    fn settle(&self, index: usize) -> Answer {
        let Some(place) = self.places[index] else {
            let failure = self.failed(FailureKind::Missing, Arc::clone(&self.missing));
            return Answer::Unanswered { ask: self.ask_again, failure };
        };
        let reading = match place.record(&self.output) {
            Ok(reading) => reading,
            Err(message) => {
                let message = self.redactor.redact(&message);
                return Answer::Failed(self.failed(FailureKind::Output, message));
            }
        };
        // An answer that is of no use has still cost what it cost.
        let failed = |kind, message: String| {
            Answer::Failed(Failure {
                duration_ms: reading.duration_ms,
                token_usage: reading.token_usage,
                cost_usd: reading.cost_usd,
                ..self.failed(kind, message)
            })
        };
        if let Some(error) = &reading.error {
            // Hidden before it is cut: half a secret is no longer found.
            let error = self.redactor.redact(error);
            return failed(FailureKind::Target, agentv_base::tail(&error, SAID).to_owned());
        }
        if reading.text.is_none() {
            let message = format!(
                "record on line {} of batch output has neither `text` nor `output_messages`",
                place.line()
            );
            return failed(FailureKind::Output, message);
        }
        let record_id = Some(Arc::clone(&self.ids[index]));
        let raw = CommandRaw { run: Arc::clone(&self.run), record_id };
        Answer::Given(Box::new(respond(reading, raw, &self.leaked)))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
