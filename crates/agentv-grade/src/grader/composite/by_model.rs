//! A model reads what members said, and says what the whole is worth.

use std::sync::Arc;

use agentv_base::{
    Blanks, Diagnostic, Fields, GradeContext, GraderFault, GraderResult, JudgeQuestion, JudgeWish,
    Problems, Score, nearest,
};

use super::results::ByName;
use crate::{
    grader::{
        code_judge,
        llm_judge::{DATA, FREEFORM_REPLY, score_schema},
        marked,
        prompt_text::{PromptText, single_braces},
    },
    hearing::{Hearing, only_object},
    kind::BuildContext,
};

/// What stands in a prompt, in braces, for what members said.
const RESULTS: &str = "evaluator_results_json";

/// What may stand in braces.
const KNOWN: &[(&str, &str)] = &[
    ("question", "question"),
    ("candidate_answer", "candidate_answer"),
    ("reference_answer", "reference_answer"),
    ("expected_outcome", "expected_outcome"),
    (RESULTS, RESULTS),
];

const TASK: &str =
    "You weigh the results of several graders against each other and give one score.";

const OPENING: &str = "\
Several graders have looked at the same answer. Their results are given by the name of each \
grader: its score from 0 to 1, how much it weighs, and what it found.";

const ASKED: &str = "How good is the answer on the whole?";

/// The sections of our own prompt, in their order.
const SECTIONS: [&str; 3] = ["results", "question", "answer"];

/// What the model is asked.
pub(super) struct ByModel {
    /// The author's own; nothing for ours.
    prompt: Option<Blanks>,
    pub(super) wish: JudgeWish,
}

impl ByModel {
    pub(super) fn read(
        settings: &Fields<'_>,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let target = settings.optional("judge_target", problems, Fields::non_blank);
        let Some(node) = settings.get("prompt") else {
            let [results, question, answer] = SECTIONS;
            let words = [OPENING, &marked::words(), results, question, answer, ASKED].join("\n");
            return Some(Self { prompt: None, wish: wish(settings, target?, &words) });
        };
        let PromptText { text, .. } = PromptText::read(settings, context, problems)?;
        let blanks = match Blanks::read(&text, KNOWN) {
            Ok(blanks) => blanks,
            Err(unknown) => {
                let names = || KNOWN.iter().map(|(name, _)| *name);
                let hint = match nearest(&unknown, names()) {
                    Some(name) => format!("did you mean `{{{{ {name} }}}}`?"),
                    None => format!("known: {}", names().collect::<Vec<_>>().join(", ")),
                };
                let message = format!("nothing is known as `{{{{ {unknown} }}}}` in this prompt");
                problems.push(
                    Diagnostic::error(message).code("unset-variable").at(node.span).hint(hint),
                );
                return None;
            }
        };
        if blanks.has(RESULTS) {
            return Some(Self { prompt: Some(blanks), wish: wish(settings, target?, &text) });
        }
        let hint = single_braces(&text, std::iter::once(RESULTS)).unwrap_or_else(|| {
            format!("put `{{{{ {RESULTS} }}}}` where it should stand in `prompt`")
        });
        problems.push(
            Diagnostic::error("the model would not see what the graders said")
                .at(node.span)
                .hint(hint),
        );
        None
    }

    pub(super) async fn ask(
        &self,
        results: &[GraderResult],
        context: &GradeContext<'_>,
    ) -> Result<Score, GraderFault> {
        let mut hearing = Hearing::open(&self.wish, context)?;
        let results = serde_json::to_string_pretty(&ByName(results)).map_err(|error| {
            GraderFault::new(format!("what the model reads could not be written: {error}"))
        })?;
        let question = JudgeQuestion {
            instructions: instructions(),
            prompt: self.filled(&results, context),
            schema: Some(Arc::new(score_schema())),
            repair: None,
            sample: 0,
        };
        let read = |answer: &str| only_object(answer, "score").and_then(code_judge::read_score);
        let score = hearing.ask(question, read).await?;
        Ok(Score { judge: Some(Box::new(hearing.close())), ..score })
    }
}

impl ByModel {
    fn filled(&self, results: &str, context: &GradeContext<'_>) -> String {
        let GradeContext { case, response, .. } = context;
        let Some(prompt) = &self.prompt else {
            let texts =
                [results.to_owned(), case.input.question().into_owned(), response.text.clone()];
            let given: Vec<(&str, String)> = SECTIONS.into_iter().zip(texts).collect();
            return format!("{OPENING}\n\n{}\n{ASKED}", marked::sections(&given));
        };
        prompt.fill(|name| match name {
            "question" => case.input.question().into_owned(),
            "candidate_answer" => response.text.clone(),
            "reference_answer" => case.reference_answer(),
            "expected_outcome" => case.expected_outcome.as_deref().unwrap_or_default().to_owned(),
            _ => results.to_owned(),
        })
    }
}

/// How to answer, whatever the prompt.
fn instructions() -> String {
    format!("{TASK} {DATA}\n{FREEFORM_REPLY}")
}

/// Who is asked, with these words.
fn wish(settings: &Fields<'_>, target: Option<&str>, words: &str) -> JudgeWish {
    JudgeWish {
        target: target.map(|name| name.trim().into()),
        span: settings.get("judge_target").map_or(settings.span(), |node| node.span),
        instrument: format!("aggregator\n{}\n{words}", instructions()).into(),
    }
}

#[cfg(test)]
#[path = "by_model_tests.rs"]
mod tests;
