//! A target as a judge: how a question becomes a request to it, and its answer an opinion. Who is
//! asked is found in `judges`.

use std::{path::Path, sync::Arc};

use agentv_base::{
    Answer, BoxFuture, Failure, FailureKind, GradeContext, GraderFault, Input, Judge, JudgeAnswer,
    JudgeQuestion, JudgeRecord, Messages, ModelRaw, Node, Provider, Raw, Request, Response,
};
use agentv_exec::provider::kept::{
    Place, RecordedAnswers, RecordingFile, Role, request_sha256, suite_of,
};
use serde_json::json;
use tokio::sync::{OnceCell, Semaphore};

/// A target that is asked for its opinion.
pub struct TargetJudge {
    name: Arc<str>,
    provider: Arc<dyn Provider>,
    /// Whether it is fit to be asked, which is found out once.
    checked: OnceCell<Result<(), Failure>>,
    /// As many questions at once as its target takes.
    places: Semaphore,
    witness: Witness,
}

/// Who listens to a judge, or speaks for it.
pub enum Witness {
    Nobody,
    /// Every answer is written down.
    Records {
        file: Arc<RecordingFile>,
        root: Arc<Path>,
    },
    /// It is not asked: its answers were recorded.
    Replays {
        recording: Arc<RecordedAnswers>,
        root: Arc<Path>,
    },
}

/// A judge as one grader asks it. Graders that ask the same are told apart by it.
pub struct AskedBy {
    pub judge: Arc<TargetJudge>,
    /// The grader, among those of its case.
    pub grader: String,
}

impl Judge for AskedBy {
    fn target(&self) -> &str {
        &self.judge.name
    }

    fn ask<'a>(
        &'a self,
        question: &'a JudgeQuestion,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<JudgeAnswer, GraderFault>> {
        self.judge.ask_for(&self.grader, question, context)
    }
}

impl Judge for TargetJudge {
    fn target(&self) -> &str {
        &self.name
    }

    fn ask<'a>(
        &'a self,
        question: &'a JudgeQuestion,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<JudgeAnswer, GraderFault>> {
        self.ask_for("", question, context)
    }
}

impl TargetJudge {
    fn ask_for<'a>(
        &'a self,
        grader: &'a str,
        question: &'a JudgeQuestion,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<JudgeAnswer, GraderFault>> {
        Box::pin(async move {
            let fit = self.checked.get_or_init(|| self.check()).await;
            fit.as_ref().map_err(|failure| self.fault(failure))?;
            // It is never closed, so nobody is refused a place.
            let _place = self.places.acquire().await;
            let request = Request {
                input: Arc::new(input(question, context)),
                attempt: 0,
                repeat: context.repeat,
                output_schema: question.schema.clone(),
            };
            match self.answer(request, grader, question, context).await {
                Answer::Given(response) => self.heard(*response),
                Answer::Failed(failure) | Answer::Unanswered { failure, .. } => {
                    Err(self.fault(&failure))
                }
            }
        })
    }

    /// Asked no more than `workers` questions at once.
    pub fn new(name: Arc<str>, provider: Arc<dyn Provider>, workers: usize) -> Self {
        let (checked, places) = (OnceCell::new(), Semaphore::new(workers));
        Self { name, provider, checked, places, witness: Witness::Nobody }
    }

    #[must_use]
    pub fn heard_by(self, witness: Witness) -> Self {
        Self { witness, ..self }
    }

    /// Whether it is fit to be asked, or was when it was recorded.
    async fn check(&self) -> Result<(), Failure> {
        if let Witness::Replays { recording, .. } = &self.witness {
            return recording.check(Role::Judge, &self.name);
        }
        let checked = self.provider.check().await;
        if let (Witness::Records { file, .. }, Err(failure)) = (&self.witness, &checked) {
            file.keep_check(Role::Judge, &self.name, failure);
        }
        checked
    }

    /// Asks, with whoever listens.
    async fn answer(
        &self,
        request: Request,
        grader: &str,
        question: &JudgeQuestion,
        context: &GradeContext<'_>,
    ) -> Answer {
        let place = Place {
            role: Role::Judge,
            target: &self.name,
            judged: context.target,
            grader,
            suite: "",
            eval_id: &context.case.input.eval_id,
            repeat: context.repeat,
            attempt: 0,
            sample: question.sample,
            ask: u32::from(question.repair.is_some()),
        };
        if let Witness::Replays { recording, root } = &self.witness {
            let suite = suite_of(&request, root);
            let place = Place { suite: &suite, ..place };
            return recording.answer(&place, &request_sha256(&request, root));
        }
        let answer = match self.provider.invoke(vec![request.clone()]).await {
            Ok(answers) => answers.settle(0),
            Err(failure) => Answer::Failed(failure),
        };
        if let Witness::Records { file, root } = &self.witness {
            let suite = suite_of(&request, root);
            let place = Place { suite: &suite, ..place };
            file.keep(&place, request_sha256(&request, root), &answer);
        }
        answer
    }

    /// An answer that was cut off, or that the service kept back, is none, whatever it begins with.
    fn heard(&self, response: Response) -> Result<JudgeAnswer, GraderFault> {
        if let Raw::Model(ModelRaw { finish_reason: Some(reason), .. }) = &response.raw
            && let Some(what) = unfinished(reason)
        {
            return Err(self.fault(&Failure {
                token_usage: response.token_usage,
                cost_usd: response.cost_usd,
                ..Failure::new(FailureKind::Output, format!("{what} (`{reason}`)"))
            }));
        }
        Ok(JudgeAnswer {
            text: response.text,
            token_usage: response.token_usage,
            cost_usd: response.cost_usd,
        })
    }

    fn fault(&self, failure: &Failure) -> GraderFault {
        if failure.kind == FailureKind::Interrupted {
            return GraderFault::interrupted();
        }
        let took = JudgeRecord {
            token_usage: failure.token_usage,
            cost_usd: failure.cost_usd,
            ..JudgeRecord::default()
        };
        let message = format!("judge `{}`: {}", self.name, failure.message);
        GraderFault { judge: Some(Box::new(took)), ..GraderFault::new(message) }
    }
}

/// What became of an answer that a model did not end by itself, by the words of the services.
fn unfinished(finish_reason: &str) -> Option<&'static str> {
    match finish_reason.to_ascii_lowercase().as_str() {
        "length"
        | "max_tokens"
        | "max_output_tokens"
        | "incomplete"
        | "model_context_window_exceeded" => {
            Some("its answer was cut off; raise `max_output_tokens` of the judge")
        }
        "content_filter" | "refusal" | "safety" | "recitation" | "blocklist"
        | "prohibited_content" | "spii" => Some("it refused to judge"),
        _ => None,
    }
}

/// The question as a case of its own, with the id of the case that is judged.
fn input(question: &JudgeQuestion, context: &GradeContext<'_>) -> Input {
    let message = |role: &str, text: &str| Node::from_json(&json!({"role": role, "content": text}));
    let mut messages =
        vec![message("system", &question.instructions), message("user", &question.prompt)];
    if let Some(repair) = &question.repair {
        // A model refuses a turn that says nothing.
        if !repair.answer.trim().is_empty() {
            messages.push(message("assistant", &repair.answer));
        }
        let asked = format!(
            "This answer cannot be used: {}. Answer the same question again, with one JSON object \
             as described and nothing else.",
            repair.fault
        );
        messages.push(message("user", &asked));
    }
    let judged = &context.case.input;
    Input {
        eval_id: Arc::clone(&judged.eval_id),
        suite_file: Arc::clone(&judged.suite_file),
        messages: Messages::new(messages),
        files: Vec::new(),
        guideline_files: Vec::new(),
        conversation_id: None,
    }
}
