//! `provider: mock`: answers that stand in the targets file, for trying out suites, graders and
//! judges without asking anyone.

mod answer;
mod settings;

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
    time::{Duration, Instant},
};

use agentv_base::{
    Answer, Answers, Batching, BoxFuture, Failure, FailureKind, Key, Problems, Provider, Request,
    StopLevel, TargetSpec, excerpt,
};

use self::answer::Scripted;
use super::{
    ProviderKind, Services,
    cli::{millis, timed_out},
};

/// Most characters of an id that a message shows.
const ID_EXCERPT: usize = 120;

pub(super) struct Mock;

impl ProviderKind for Mock {
    fn name(&self) -> &'static str {
        "mock"
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
        let settings = settings::read(spec, problems)?;
        Some(Arc::new(MockProvider {
            name: Arc::clone(&spec.name),
            timeout: settings.timeout.or(services.agent_timeout),
            settings,
            services: services.clone(),
        }))
    }
}

struct MockSettings {
    /// The answer to cases that have none of their own.
    response: Option<Scripted>,
    responses: HashMap<Arc<str>, Scripted>,
    delay: Delay,
    timeout: Option<Duration>,
}

/// How long answers take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Delay {
    least_ms: f64,
    most_ms: f64,
}

impl Delay {
    /// Somewhere between the limits. Nothing is thrown: the same case takes as long in every run.
    fn of(self, eval_id: &str, attempt: u32) -> Duration {
        let mut hasher = DefaultHasher::new();
        (eval_id, attempt).hash(&mut hasher);
        let thousandths = u32::try_from(hasher.finish() % 1001).unwrap_or_default();
        let share = f64::from(thousandths) / 1000.0;
        let delay = self.least_ms + (self.most_ms - self.least_ms) * share;
        Duration::try_from_secs_f64(delay / 1000.0).unwrap_or(Duration::MAX)
    }
}

struct MockProvider {
    name: Arc<str>,
    settings: MockSettings,
    timeout: Option<Duration>,
    services: Services,
}

impl MockProvider {
    async fn wait(&self, request: &Request) -> Result<(), Failure> {
        let delay = self.settings.delay.of(&request.input.eval_id, request.attempt);
        if delay.is_zero() {
            return Ok(());
        }
        let late = self.timeout.filter(|timeout| *timeout < delay);
        tokio::select! {
            () = tokio::time::sleep(late.unwrap_or(delay)) => {}
            () = self.services.stop.reached(StopLevel::Terminate) => {
                return Err(Failure::new(FailureKind::Interrupted, "interrupted"));
            }
        }
        match late {
            Some(_) => Err(Failure::new(FailureKind::Timeout, timed_out(late))),
            None => Ok(()),
        }
    }

    fn answer(&self, request: &Request, took: Duration) -> Answer {
        let id = &request.input.eval_id;
        let scripted = self.settings.responses.get(id).or(self.settings.response.as_ref());
        match scripted {
            Some(scripted) => scripted.play(request, millis(took), &self.services.redactor),
            None => Answer::Failed(Failure {
                duration_ms: Some(millis(took)),
                ..Failure::new(
                    FailureKind::Missing,
                    format!(
                        "mock target `{}` has no answer for `{}`: its `responses` do not name it, \
                         and there is no `response` for the others",
                        self.name,
                        excerpt(id, ID_EXCERPT)
                    ),
                )
            }),
        }
    }
}

impl Provider for MockProvider {
    fn batching(&self) -> Batching {
        Batching::Single
    }

    fn check(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    fn invoke(&self, requests: Vec<Request>) -> BoxFuture<'_, Result<Arc<dyn Answers>, Failure>> {
        Box::pin(async move {
            let mut answers = Vec::with_capacity(requests.len());
            for request in &requests {
                let asked = Instant::now();
                self.wait(request).await.map_err(|failure| Failure {
                    duration_ms: Some(millis(asked.elapsed())),
                    ..failure
                })?;
                answers.push(self.answer(request, asked.elapsed()));
            }
            Ok(Arc::new(Played(answers)) as Arc<dyn Answers>)
        })
    }
}

/// Answers that are there already.
struct Played(Vec<Answer>);

impl Answers for Played {
    fn settle(&self, index: usize) -> Answer {
        self.0.get(index).cloned().unwrap_or_else(|| {
            Answer::Failed(Failure::new(FailureKind::Missing, "nobody asked for this answer"))
        })
    }
}

#[cfg(test)]
mod tests;
