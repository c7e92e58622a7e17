//! A model reads what members said, and says what the whole is worth.

use agentv_base::{
    Diagnostic, Fields, GradeContext, GraderFault, GraderResult, JudgeQuestion, Problems, Score,
    excerpt, nearest,
};

use super::results::ByName;
use crate::{
    grader::{
        code_judge,
        json_find::Candidates,
        wanted::{FILE, read_file},
    },
    kind::BuildContext,
};

/// What stands in a prompt, in braces, for what members said.
const RESULTS: &str = "evaluator_results_json";

/// What else may stand in braces.
const OTHERS: [&str; 4] = ["question", "candidate_answer", "reference_answer", "expected_outcome"];

/// A model that does not answer as it should is asked again: the next answer may be one.
const ASKS: usize = 3;

/// A score with its reasons is a few KiB.
const MOST_ANSWERED: usize = 1024 * 1024;

/// Enough of an answer to see what went wrong with it.
const SHOWN: usize = 200;

const INSTRUCTIONS: &str = "\
You weigh the results of several graders against each other and give one score.
Answer with one JSON object and nothing else:
{\"score\": a number from 0 (worst) to 1 (best), \"hits\": [what is good, in short texts], \
\"misses\": [what is bad, in short texts], \"reasoning\": \"why, in a sentence or two\"}";

const PROMPT: &str = "\
Several graders have looked at the same answer. Their results follow, by the name of each grader: \
its score from 0 to 1, how much it weighs, and what it found.

{{ evaluator_results_json }}

The question was:

{{ question }}

The answer was:

{{ candidate_answer }}

How good is the answer on the whole?";

/// A piece of a prompt.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    /// Something that is known when it is asked, by its name.
    Known(&'static str),
}

/// What the model is asked.
pub(super) struct ByModel {
    prompt: Vec<Piece>,
}

impl ByModel {
    pub(super) fn read(
        settings: &Fields<'_>,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let Some(node) = settings.get("prompt") else {
            return pieces(PROMPT).ok().map(|prompt| Self { prompt });
        };
        let typed = settings.non_blank("prompt", problems)?;
        let path = typed.trim();
        // What is asked has braces in it, which the name of a file hardly has.
        let is_file = !path.contains(['\n', '{']) && context.suite_dir.join(path).is_file();
        let text = match path.strip_prefix(FILE).or_else(|| is_file.then_some(path)) {
            Some(path) => read_file(path, node, context, problems)?,
            None => typed.to_owned(),
        };
        let prompt = match pieces(&text) {
            Ok(prompt) => prompt,
            Err(unknown) => {
                let names = || OTHERS.into_iter().chain([RESULTS]);
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
        if prompt.contains(&Piece::Known(RESULTS)) {
            return Some(Self { prompt });
        }
        problems.push(
            Diagnostic::error("the model would not see what the graders said")
                .at(node.span)
                .hint(format!("put `{{{{ {RESULTS} }}}}` where it should stand in `prompt`")),
        );
        None
    }

    pub(super) async fn ask(
        &self,
        results: &[GraderResult],
        context: &GradeContext<'_>,
    ) -> Result<Score, GraderFault> {
        let judge = context.judge.ok_or_else(|| {
            GraderFault::new("a model must add up, but the target names no `judge_target`")
        })?;
        let results = serde_json::to_string_pretty(&ByName(results)).map_err(|error| {
            GraderFault::new(format!("what the model reads could not be written: {error}"))
        })?;
        let question = JudgeQuestion {
            instructions: INSTRUCTIONS.to_owned(),
            prompt: self.filled(&results, context),
        };
        let mut last = String::new();
        for _ in 0..ASKS {
            let answer = judge.ask(&question, context).await?;
            match only_object(&answer).and_then(code_judge::read_score) {
                Ok(score) => return Ok(score),
                Err(reason) => last = reason,
            }
        }
        Err(GraderFault::new(format!(
            "the model was asked {ASKS} times and gave no score; the last time {last}"
        )))
    }
}

impl ByModel {
    fn filled(&self, results: &str, context: &GradeContext<'_>) -> String {
        let GradeContext { case, response, .. } = context;
        let said = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Known("question") => case.input.question(),
            Piece::Known("candidate_answer") => response.text.clone(),
            Piece::Known("reference_answer") => case.reference_answer(),
            Piece::Known("expected_outcome") => {
                case.expected_outcome.as_deref().unwrap_or_default().to_owned()
            }
            Piece::Known(_) => results.to_owned(),
        };
        self.prompt.iter().map(said).collect()
    }
}

/// The prompt with what stands in braces taken apart; the first name in braces that nobody knows.
/// Braces around anything but a name are text.
fn pieces(prompt: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = prompt;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        let name = after.split_once("}}").map(|(name, next)| (name.trim(), next));
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        match name.filter(|(name, _)| is_name(name)) {
            Some((name, next)) => {
                let lower = name.to_ascii_lowercase();
                let known = OTHERS.into_iter().chain([RESULTS]).find(|known| *known == lower);
                let Some(known) = known else { return Err(name.to_owned()) };
                pieces.push(Piece::Text(std::mem::take(&mut text)));
                pieces.push(Piece::Known(known));
                rest = next;
            }
            None => {
                text.push_str("{{");
                rest = after;
            }
        }
    }
    text.push_str(rest);
    pieces.push(Piece::Text(text));
    Ok(pieces)
}

/// The only JSON object in a text, whatever fences and words are around it.
fn only_object(text: &str) -> Result<&str, String> {
    if text.len() > MOST_ANSWERED {
        return Err(format!("it gave more than {} KiB", MOST_ANSWERED / 1024));
    }
    let mut objects = Candidates::objects(text);
    match (objects.next().transpose(), objects.next().transpose()) {
        (Ok(Some(object)), Ok(None)) if stands_alone(object, text) => Ok(object),
        (Ok(Some(_)), Ok(None)) => Err(format!(
            "it gave an object that is no JSON, or more than an object: `{}`",
            excerpt(text.trim(), SHOWN)
        )),
        (Ok(Some(_)), Ok(Some(_))) => {
            Err(format!("it gave more than one JSON object: `{}`", excerpt(text.trim(), SHOWN)))
        }
        (Ok(None), _) => Err(format!("it gave no JSON object: `{}`", excerpt(text.trim(), SHOWN))),
        (Err(fault), _) | (Ok(_), Err(fault)) => Err(fault.to_string()),
    }
}

/// Whether everything that was opened before an object was closed before it too. What can be read
/// inside of something that cannot be read to its end is no answer.
fn stands_alone(object: &str, text: &str) -> bool {
    // It is the first object of the text, so it does not stand there any earlier.
    let before = text.split_once(object).map_or(text, |(before, _)| before);
    let count = |bracket: char| before.matches(bracket).count();
    count('{') <= count('}') && count('[') <= count(']')
}

#[cfg(test)]
#[path = "by_model_tests.rs"]
mod tests;
