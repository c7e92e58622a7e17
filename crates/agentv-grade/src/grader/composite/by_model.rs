//! A model reads what members said, and says what the whole is worth.

use agentv_base::{
    Diagnostic, Fields, GradeContext, GraderFault, GraderResult, JudgeQuestion, Problems, Score,
    excerpt,
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

How good is the answer on the whole?";

/// What the model is asked.
pub(super) struct ByModel {
    /// The prompt in pieces; results stand between them.
    prompt: Vec<String>,
}

impl ByModel {
    pub(super) fn read(
        settings: &Fields<'_>,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let Some(node) = settings.get("prompt") else {
            return Some(Self { prompt: pieces(PROMPT) });
        };
        let typed = settings.non_blank("prompt", problems)?;
        let path = typed.trim();
        // What is asked has braces in it, which the name of a file hardly has.
        let is_file = !path.contains(['\n', '{']) && context.suite_dir.join(path).is_file();
        let text = match path.strip_prefix(FILE).or_else(|| is_file.then_some(path)) {
            Some(path) => read_file(path, node, context, problems)?,
            None => typed.to_owned(),
        };
        let prompt = pieces(&text);
        if prompt.len() > 1 {
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
            prompt: self.prompt.join(&results),
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

/// What stands before, between and after the places for results.
fn pieces(prompt: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut rest = prompt;
    while let Some((before, after)) = rest.split_once("{{") {
        piece.push_str(before);
        match after.split_once("}}") {
            Some((name, next)) if name.trim().eq_ignore_ascii_case(RESULTS) => {
                pieces.push(std::mem::take(&mut piece));
                rest = next;
            }
            _ => {
                piece.push_str("{{");
                rest = after;
            }
        }
    }
    piece.push_str(rest);
    pieces.push(piece);
    pieces
}

/// The only JSON object in a text, whatever fences and words are around it.
fn only_object(text: &str) -> Result<&str, String> {
    if text.len() > MOST_ANSWERED {
        return Err(format!("it gave more than {} KiB", MOST_ANSWERED / 1024));
    }
    let mut objects = Candidates::objects(text);
    match (objects.next().transpose(), objects.next().transpose()) {
        (Ok(Some(object)), Ok(None)) => Ok(object),
        (Ok(Some(_)), Ok(Some(_))) => {
            Err(format!("it gave more than one JSON object: `{}`", excerpt(text.trim(), SHOWN)))
        }
        (Ok(None), _) => Err(format!("it gave no JSON object: `{}`", excerpt(text.trim(), SHOWN))),
        (Err(fault), _) | (Ok(_), Err(fault)) => Err(fault.to_string()),
    }
}

#[cfg(test)]
#[path = "by_model_tests.rs"]
mod tests;
