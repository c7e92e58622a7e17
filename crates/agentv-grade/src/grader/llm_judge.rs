//! `llm_judge`: a model reads an answer and says how good it is, as a whole or rubric by rubric.
//!
//! This file reads the settings and asks; `form.rs` is in which form the judge answers, `prompt.rs`
//! what it is asked, `reply.rs` what it says, `samples.rs` what several opinions add up to,
//! `rubric.rs` and `ranges.rs` what rubrics are. An answer of no use is asked for once more and is
//! then a fault, never a score.

mod form;
mod manual;
mod prompt;
mod ranges;
mod reply;
mod rubric;
mod samples;

use std::sync::Arc;

use agentv_base::{
    BoxFuture, Diagnostic, EvalCase, Fields, GradeContext, Grader, GraderFault, JudgeQuestion,
    JudgeRecord, JudgeWish, Key, Node, NodeValue, Problems, RUBRICS, Score, Shape, share_of,
    words_of,
};
use futures_util::future::join_all;

pub(super) use self::form::{DATA, FREEFORM_REPLY, score_schema};
use self::{
    form::Form,
    prompt::Prompt,
    reply::{Checks, read_checks, read_score},
    samples::{Aggregate, of_checks, of_scores},
};
use crate::{
    hearing::{Hearing, together},
    kind::{BuildContext, GraderKind},
    manual::Manual,
};

pub(crate) struct LlmJudge;

/// More opinions on one answer are a slip of the pen, and a bill.
const MOST_SAMPLES: usize = 100;

const AGGREGATES: [(&str, Aggregate); 4] = [
    ("mean", Aggregate::Mean),
    ("average", Aggregate::Mean),
    ("majority", Aggregate::Majority),
    ("majority_vote", Aggregate::Majority),
];

const AGGREGATE_WORDS: [&str; 4] = words_of(&AGGREGATES);

const OF_THE_TARGET: &str =
    "describe a target with these settings in the targets file, and name it in `judge_target`";

impl GraderKind for LlmJudge {
    fn name(&self) -> &'static str {
        "llm_judge"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["llm_grader", "llm_rubric", "rubric", "rubrics", "agent_judge", "agent_rubric"]
    }

    fn description(&self) -> &'static str {
        "A model judges the answer, as a whole or by each of some rubrics"
    }

    fn manual(&self) -> Manual {
        manual::MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const {
            &[
                Key::new(
                    "rubrics",
                    RUBRICS,
                    "The points that the answer is checked for: texts, maps, or a file with a list",
                )
                .or(&["criteria", "value"])
                .default("none: the answer is judged as a whole"),
                Key::new(
                    "prompt",
                    Shape::Name,
                    "What the judge is asked, with `{{ candidate_answer }}` in it; or a file",
                )
                .default("one of ours"),
                Key::new("judge_target", Shape::Name, "The target that judges")
                    .or(&["grader_target", "target"])
                    .default("that of the case, the suite or the target"),
                Key::new("samples", Shape::Count, "How often the judge is asked").default("1"),
                Key::new(
                    "aggregate",
                    Shape::Choice(&AGGREGATE_WORDS),
                    "What samples add up to: `mean` or `majority`",
                )
                .default("mean"),
                Key::later("model", OF_THE_TARGET),
                Key::later("temperature", OF_THE_TARGET),
                Key::later("max_steps", OF_THE_TARGET),
                Key::later("threshold", "write `min_score`"),
            ]
        }
    }

    fn build(
        &self,
        fields: &Fields<'_>,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Grader>> {
        // Everything is read before anything is given up, so that all problems are told.
        let form = match fields.get("rubrics") {
            Some(node) => rubric::read_all(node, context, problems).map(Form::Rubrics),
            None => read_absent(fields, problems),
        };
        let has_rubrics = fields.entry("rubrics").is_some();
        let prompt = Prompt::read(fields, has_rubrics, context, problems);
        let target = fields.optional("judge_target", problems, Fields::non_blank);
        let sampling = read_sampling(fields, problems);
        let (form, prompt, target) = (form?, prompt?, target?);
        let (samples, aggregate) = sampling?;
        let kind = if form.rubrics().is_some() { "rubrics" } else { "freeform" };
        let instructions = form.instructions();
        let words = prompt.words();
        let instrument = format!(
            "llm_judge {kind}, {samples} samples, {}\n{instructions}\n{words}",
            aggregate.name()
        );
        let span = fields.get("judge_target").map_or(fields.span(), |node| node.span);
        let wish = JudgeWish {
            target: target.map(|name| name.trim().into()),
            span,
            instrument: instrument.into(),
        };
        let min_score = read_min_score(fields);
        let votes = aggregate == Aggregate::Majority && form.rubrics().is_none();
        if let (true, Some(node), Some(0.0)) = (votes, fields.get("min_score"), min_score) {
            problems
                .error(node.span, "`min_score` is 0, so every sample would vote for the answer");
            return None;
        }
        let samples = u32::try_from(samples).unwrap_or(u32::MAX);
        Some(Arc::new(Judge { form, instructions, prompt, wish, samples, aggregate, min_score }))
    }
}

/// `rubrics:` with nothing behind it says that there should be some.
fn read_absent(fields: &Fields<'_>, problems: &mut Problems) -> Option<Form> {
    let Some(entry) = fields.entry("rubrics") else { return Some(Form::Freeform) };
    problems.push(
        Diagnostic::error(format!("`{}` is empty, so there is nothing to judge by", entry.key))
            .code("nothing-to-grade-by")
            .at(entry.key_span)
            .hint("add a rubric, or remove the key to judge the answer as a whole"),
    );
    None
}

fn read_sampling(fields: &Fields<'_>, problems: &mut Problems) -> Option<(usize, Aggregate)> {
    let samples = fields.optional("samples", problems, Fields::count);
    let aggregate = fields.optional("aggregate", problems, |fields, name, problems| {
        fields.choice(name, &AGGREGATES, problems)
    });
    let samples = samples?.unwrap_or(1);
    let span = fields.get("samples").map_or(fields.span(), |node| node.span);
    if samples > MOST_SAMPLES {
        problems.error(span, format!("`samples` must be at most {MOST_SAMPLES}"));
        return None;
    }
    let aggregate = aggregate?.unwrap_or(Aggregate::Mean);
    if aggregate == Aggregate::Majority && samples % 2 == 0 {
        problems.push(
            Diagnostic::error(format!("{samples} samples may have no majority"))
                .at(span)
                .hint(format!("take an odd number, such as `samples: {}`", samples + 1)),
        );
        return None;
    }
    Some((samples, aggregate))
}

/// The score from which the grader passes, where it says so. What is wrong with it is told where
/// it is read for good.
fn read_min_score(fields: &Fields<'_>) -> Option<f64> {
    let is_number =
        |node: &&Node| matches!(node.value, NodeValue::Integer(_) | NodeValue::Float(_));
    let node = fields.get("min_score").or_else(|| fields.get("required").filter(is_number))?;
    share_of("min_score", node, &mut Problems::default())
}

/// A judge, ready to be asked.
struct Judge {
    form: Form,
    instructions: String,
    prompt: Prompt,
    wish: JudgeWish,
    samples: u32,
    aggregate: Aggregate,
    min_score: Option<f64>,
}

/// One opinion.
enum Opinion {
    Whole(Score),
    Checked(Checks),
}

/// An opinion, and what it took.
type Heard = Result<(Opinion, JudgeRecord), GraderFault>;

impl Judge {
    async fn hear(
        &self,
        sample: u32,
        question: &JudgeQuestion,
        context: &GradeContext<'_>,
    ) -> Heard {
        let mut hearing = Hearing::open(&self.wish, context)?;
        let read = |text: &str| match &self.form {
            Form::Freeform => read_score(text).map(Opinion::Whole),
            Form::Rubrics(rubrics) => read_checks(text, rubrics).map(Opinion::Checked),
        };
        let opinion = hearing.ask(JudgeQuestion { sample, ..question.clone() }, read).await?;
        Ok((opinion, hearing.close()))
    }

    async fn judge(&self, context: &GradeContext<'_>) -> Result<Score, GraderFault> {
        let question = JudgeQuestion {
            instructions: self.instructions.clone(),
            prompt: self.prompt.filled(&self.form, context),
            schema: Some(self.form.schema()),
            repair: None,
            sample: 0,
        };
        let asked = (0..self.samples).map(|sample| self.hear(sample, &question, context));
        let (opinions, mut record) = all_of(join_all(asked).await)?;
        let cutoff = self.min_score.unwrap_or(context.threshold);
        let (mut scores, mut checks) = (Vec::new(), Vec::new());
        for opinion in opinions {
            match opinion {
                Opinion::Whole(score) => scores.push(score),
                Opinion::Checked(checked) => checks.push(checked),
            }
        }
        let score = match &self.form {
            Form::Freeform => of_scores(scores, self.aggregate, cutoff, &mut record),
            Form::Rubrics(rubrics) => {
                of_checks(rubrics, &checks, self.aggregate, cutoff, &mut record)
            }
        };
        Ok(Score { judge: Some(Box::new(record)), ..score })
    }
}

/// All opinions as one record. One that failed fails them all: the others are no sample of what
/// the judge would have said.
fn all_of(heard: Vec<Heard>) -> Result<(Vec<Opinion>, JudgeRecord), GraderFault> {
    let count = heard.len();
    let (mut opinions, mut records, mut first) = (Vec::new(), Vec::new(), None);
    for (place, heard) in heard.into_iter().enumerate() {
        match heard {
            Ok((opinion, record)) => {
                opinions.push(opinion);
                records.push(record);
            }
            Err(fault) if fault.interrupted => return Err(fault),
            Err(fault) => {
                records.extend(fault.judge.map(|record| *record));
                let which = format!("sample {} of {count}: ", place + 1);
                let which = if count > 1 { which } else { String::new() };
                first.get_or_insert(format!("{which}{}", fault.message));
            }
        }
    }
    let record = together(records);
    match (first, record) {
        (None, Some(record)) => Ok((opinions, record)),
        (fault, record) => Err(GraderFault {
            judge: record.map(Box::new),
            ..GraderFault::new(fault.unwrap_or_else(|| "nobody was asked".to_owned()))
        }),
    }
}

impl Grader for Judge {
    fn grade<'a>(
        &'a self,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<Score, GraderFault>> {
        Box::pin(self.judge(context))
    }

    fn judge_wishes(&self) -> Vec<JudgeWish> {
        vec![self.wish.clone()]
    }

    fn looks_at_trail(&self) -> bool {
        self.prompt.shows_trail()
    }

    fn lacks(&self, case: &EvalCase) -> Option<String> {
        self.prompt.lacks(case, &self.form)
    }

    fn remedy(&self) -> Option<&'static str> {
        Some(self.prompt.remedy())
    }
}

#[cfg(test)]
mod tests;
