//! Targets that judge the answers of other targets, where a grader must ask a model.
//!
//! A judge is asked through the same provider as any target, so whatever can be asked can judge. It
//! is built only where a grader of a case asks for it: a machine need not have the keys of every
//! vendor.

use std::{collections::HashMap, sync::Arc};

use agentv_base::{
    Answer, BoxFuture, Diagnostic, Failure, FailureKind, GradeContext, GraderFault, Input, Judge,
    JudgeQuestion, Messages, Node, Problems, Provider, Request, Span,
};
use agentv_exec::provider::{self, Services};
use serde_json::json;
use tokio::sync::{OnceCell, Semaphore};

use crate::{
    resolve::{AskedJudge, AskedTarget},
    wiring::DEFAULT_WORKERS,
};

/// The judges of targets, each built when the first grader asks for it.
pub struct Judges<'a> {
    services: &'a Services,
    appointed: HashMap<usize, Option<Arc<dyn Judge>>>,
    pub problems: Problems,
}

impl<'a> Judges<'a> {
    pub fn new(services: &'a Services) -> Self {
        Self { services, appointed: HashMap::new(), problems: Problems::default() }
    }

    /// The judge of the target at `place`, for a grader that stands at `span`. What keeps a judge
    /// from being asked is reported, once for each target.
    pub fn of(
        &mut self,
        place: usize,
        target: &AskedTarget,
        grader: &str,
        span: Span,
    ) -> Option<Arc<dyn Judge>> {
        let Self { services, appointed, problems } = self;
        let judge = appointed.entry(place).or_insert_with(|| {
            let Some(AskedJudge { spec, unset }) = &target.judge else {
                problems.push(without_judge(target, grader, span));
                return None;
            };
            if !unset.is_empty() {
                problems.append(unset.clone());
                return None;
            }
            let provider = provider::build(spec, services, problems)?;
            Some(Arc::new(TargetJudge {
                name: Arc::clone(&spec.name),
                provider,
                checked: OnceCell::new(),
                places: Semaphore::new(spec.workers.unwrap_or(DEFAULT_WORKERS)),
            }))
        });
        judge.clone()
    }
}

fn without_judge(target: &AskedTarget, grader: &str, span: Span) -> Diagnostic {
    let name = &target.spec.name;
    Diagnostic::error(format!("grader `{grader}` asks a model, and target `{name}` names none"))
        .code("nothing-to-grade-by")
        .at(span)
        .note(target.spec.name_span, "this target")
        .hint("give the target a `judge_target`: the name of the target that judges")
}

/// A target that is asked for its opinion.
struct TargetJudge {
    name: Arc<str>,
    provider: Arc<dyn Provider>,
    /// Whether it is fit to be asked, which is found out once.
    checked: OnceCell<Result<(), Failure>>,
    /// As many questions at once as its target takes.
    places: Semaphore,
}

impl Judge for TargetJudge {
    fn ask<'a>(
        &'a self,
        question: &'a JudgeQuestion,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<String, GraderFault>> {
        Box::pin(async move {
            let fit = self.checked.get_or_init(|| self.provider.check()).await;
            fit.as_ref().map_err(|failure| self.fault(failure))?;
            // It is never closed, so nobody is refused a place.
            let _place = self.places.acquire().await;
            let request = Request { input: Arc::new(input(question, context)), attempt: 0 };
            let answers = self.provider.invoke(vec![request]).await;
            let answers = answers.map_err(|failure| self.fault(&failure))?;
            match answers.settle(0) {
                Answer::Given(response) => Ok(response.text),
                Answer::Failed(failure) | Answer::Unanswered { failure, .. } => {
                    Err(self.fault(&failure))
                }
            }
        })
    }
}

impl TargetJudge {
    fn fault(&self, failure: &Failure) -> GraderFault {
        if failure.kind == FailureKind::Interrupted {
            return GraderFault::interrupted();
        }
        GraderFault::new(format!("judge `{}`: {}", self.name, failure.message))
    }
}

/// The question as a case of its own, with the id of the case that is judged.
fn input(question: &JudgeQuestion, context: &GradeContext<'_>) -> Input {
    let message = |role: &str, text: &str| Node::from_json(&json!({"role": role, "content": text}));
    let judged = &context.case.input;
    Input {
        eval_id: Arc::clone(&judged.eval_id),
        suite_file: Arc::clone(&judged.suite_file),
        messages: Messages::new(vec![
            message("system", &question.instructions),
            message("user", &question.prompt),
        ]),
        files: Vec::new(),
        guideline_files: Vec::new(),
        conversation_id: None,
    }
}
