//! How the scores of members add up. Members of weight 0 are there to be seen: no way but those
//! that ask a program or a model looks at them.

use std::sync::Arc;

use agentv_base::{
    Diagnostic, Entry, Fields, GradeContext, GraderFault, GraderResult, JudgeWish, Key,
    MAX_CPU_SECONDS, MAX_MEMORY_MB, Node, NodeValue, Part, Problems, Score, Shape, choice_of,
    reaches, words_of,
};

use super::{
    by_model::ByModel,
    said,
    weights::{self, Weights},
};
use crate::{
    case_graders::NamedGrader,
    grader::code_judge::{Judge, PROGRAM},
    kind::BuildContext,
    mean::weighted_mean,
    numbers,
};

/// Every name of every way, the first of each the one that messages use.
const KINDS: [(&str, Kind); 12] = [
    ("weighted_average", Kind::WeightedAverage),
    ("minimum", Kind::Minimum),
    ("maximum", Kind::Maximum),
    ("threshold", Kind::Threshold),
    ("all_or_nothing", Kind::AllOrNothing),
    ("code_judge", Kind::CodeJudge),
    ("code_grader", Kind::CodeJudge),
    ("script", Kind::CodeJudge),
    ("code", Kind::CodeJudge),
    ("llm_judge", Kind::LlmJudge),
    ("llm_grader", Kind::LlmJudge),
    ("llm_rubric", Kind::LlmJudge),
];

pub(super) const AGGREGATORS: [&str; 12] = words_of(&KINDS);

pub(super) const AGGREGATOR: Part = Part {
    what: "aggregator",
    tables: &[&[
        Key::new("type", Shape::Choice(&AGGREGATORS), "The way to add up").required(),
        Key::new(
            "weights",
            Shape::MapOf(&Shape::Limit),
            "Of `weighted_average`: weights by the names of members, before their own",
        ),
        Key::new(
            "threshold",
            Shape::Share,
            "Of `threshold`: the share of the weight that must pass",
        ),
        Key::new(
            "script",
            PROGRAM,
            "Of `code_judge`: a line for the shell, or a program and its arguments",
        ),
        Key::new("command", PROGRAM, "Of `code_judge`: the same as `script`").or(&["path"]),
        Key::new("cwd", Shape::Name, "Of `code_judge`: where it runs")
            .default("the suite's folder"),
        Key::new("config", Shape::Any, "Of `code_judge`: handed to it as it stands"),
        Key::new("timeout_seconds", Shape::Positive, "Of `code_judge`: its deadline")
            .default("`--agent-timeout`"),
        Key::new(
            MAX_MEMORY_MB.name,
            MAX_MEMORY_MB.shape,
            "Of `code_judge`: most address space of each of its processes, in MB",
        ),
        Key::new(
            MAX_CPU_SECONDS.name,
            MAX_CPU_SECONDS.shape,
            "Of `code_judge`: most seconds of a processor for each of its processes",
        ),
        Key::new(
            "prompt",
            Shape::Name,
            "Of `llm_judge`: what the model is asked, with `{{ evaluator_results_json }}` in it; \
             or a file",
        )
        .default("one of ours"),
        Key::new("judge_target", Shape::Name, "Of `llm_judge`: the target that judges")
            .or(&["grader_target", "target"])
            .default("that of the case, the suite or the target"),
    ]],
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    WeightedAverage,
    Minimum,
    Maximum,
    Threshold,
    AllOrNothing,
    CodeJudge,
    LlmJudge,
}

impl Kind {
    fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// Which keys are whose.
const OWNERS: [(&str, Kind); 11] = [
    ("weights", Kind::WeightedAverage),
    ("threshold", Kind::Threshold),
    ("script", Kind::CodeJudge),
    ("command", Kind::CodeJudge),
    ("cwd", Kind::CodeJudge),
    ("config", Kind::CodeJudge),
    ("timeout_seconds", Kind::CodeJudge),
    (MAX_MEMORY_MB.name, Kind::CodeJudge),
    (MAX_CPU_SECONDS.name, Kind::CodeJudge),
    ("prompt", Kind::LlmJudge),
    ("judge_target", Kind::LlmJudge),
];

pub(super) enum Aggregator {
    WeightedAverage,
    Minimum,
    Maximum,
    /// The share of the weight that must pass.
    Threshold(f64),
    Program(Judge),
    Model(ByModel),
}

impl Aggregator {
    /// The way that the keys of a composite ask for, and the weights that it gives to members.
    /// Without `members`, which could not be built, their names are not looked at.
    pub(super) fn read(
        fields: &Fields<'_>,
        members: Option<&[NamedGrader]>,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<(Self, Weights)> {
        let Some(node) = fields.get("aggregator") else {
            return match fields.get("threshold") {
                Some(_) => Some((Self::Threshold(read_share(fields, problems)?), Weights::new())),
                None => Some((Self::WeightedAverage, Weights::new())),
            };
        };
        // A word alone says the same as a map with nothing but this type.
        let expanded = node.as_str().map(|_| of_word(node));
        let node = expanded.as_ref().unwrap_or(node);
        let settings = Fields::read(node, AGGREGATOR.what, AGGREGATOR.tables, problems)?;
        let kind = read_kind(&settings, problems)?;
        refuse_others_keys(kind, fields, &settings, problems);
        let weights = weights::read(&settings, members, problems);
        let read = match kind {
            Kind::WeightedAverage => Some(Self::WeightedAverage),
            Kind::Minimum => Some(Self::Minimum),
            Kind::Maximum => Some(Self::Maximum),
            Kind::Threshold => read_threshold(fields, &settings, problems).map(Self::Threshold),
            Kind::AllOrNothing => Some(Self::Threshold(1.0)),
            Kind::CodeJudge => Judge::read(&settings, context, problems).map(Self::Program),
            Kind::LlmJudge => ByModel::read(&settings, context, problems).map(Self::Model),
        };
        Some((read?, weights?))
    }

    pub(super) async fn add_up(
        &self,
        results: &[GraderResult],
        context: &GradeContext<'_>,
    ) -> Result<Score, GraderFault> {
        let scores = counting(results).filter_map(|result| result.score);
        let score = match self {
            Self::Program(judge) => return judge.ask(context, Some(results)).await,
            Self::Model(model) => return model.ask(results, context).await,
            Self::Threshold(needed) => return share(results, *needed),
            Self::WeightedAverage => {
                let parts: Vec<(f64, f64)> = counting(results)
                    .filter_map(|result| Some((result.score?, result.weight)))
                    .collect();
                weighted_mean(&parts)
            }
            Self::Minimum => scores.reduce(f64::min),
            Self::Maximum => scores.reduce(f64::max),
        };
        Ok(said::of_members(results, score.ok_or_else(without_weight)?))
    }

    pub(super) fn judge_wish(&self) -> Option<JudgeWish> {
        match self {
            Self::Model(model) => Some(model.wish.clone()),
            Self::WeightedAverage
            | Self::Minimum
            | Self::Maximum
            | Self::Threshold(_)
            | Self::Program(_) => None,
        }
    }
}

fn counting(results: &[GraderResult]) -> impl Iterator<Item = &GraderResult> {
    results.iter().filter(|result| result.weight > 0.0)
}

fn without_weight() -> GraderFault {
    GraderFault::new("no member has a weight above 0")
}

/// All or nothing: whether enough of the weight is that of members which pass.
fn share(results: &[GraderResult], needed: f64) -> Result<Score, GraderFault> {
    let value = |result| if said::passes(result) { 1.0 } else { 0.0 };
    let parts: Vec<(f64, f64)> =
        counting(results).map(|result| (value(result), result.weight)).collect();
    let reached = weighted_mean(&parts).ok_or_else(without_weight)?;
    let passed = counting(results).filter(|result| said::passes(result)).count();
    let text = format!(
        "{passed} of {} graders passed, which is {} of the weight; {} is needed",
        parts.len(),
        numbers::share(reached),
        numbers::share(needed)
    );
    let met = reaches(reached, needed);
    let mut score = said::of_members(results, if met { 1.0 } else { 0.0 });
    if met {
        score.hits.insert(0, text);
    } else {
        score.misses.insert(0, text);
    }
    Ok(score)
}

fn of_word(word: &Node) -> Node {
    let entry = Entry { key: "type".into(), key_span: word.span, value: word.clone() };
    Node::new(word.span, NodeValue::Map(Arc::from([entry])))
}

fn read_kind(settings: &Fields<'_>, problems: &mut Problems) -> Option<Kind> {
    let node = settings.required("type", problems)?;
    settings.string("type", problems)?;
    choice_of("aggregator", node, &KINDS, problems)
}

fn refuse_others_keys(
    kind: Kind,
    fields: &Fields<'_>,
    settings: &Fields<'_>,
    problems: &mut Problems,
) {
    let others = OWNERS.iter().filter(|(_, owner)| *owner != kind);
    for (key, owner) in others {
        let beside = fields.entry(key).filter(|_| *key == "threshold");
        for entry in settings.entry(key).into_iter().chain(beside) {
            let message = format!("`{}` belongs to the aggregator `{}`", entry.key, owner.name());
            problems.push(Diagnostic::error(message).code("misplaced-key").at(entry.key_span));
        }
    }
}

/// `threshold` of the aggregator, or of the composite beside it.
fn read_threshold(
    fields: &Fields<'_>,
    settings: &Fields<'_>,
    problems: &mut Problems,
) -> Option<f64> {
    match (settings.get("threshold"), fields.get("threshold")) {
        (None, None) => {
            problems.push(
                Diagnostic::error("the aggregator `threshold` needs `threshold`")
                    .code("missing-key")
                    .at(settings.span())
                    .hint("add the share of the weight that must pass, such as `threshold: 0.5`"),
            );
            None
        }
        (Some(_), None) => read_share(settings, problems),
        (None, Some(_)) => read_share(fields, problems),
        (Some(first), Some(_)) => {
            let span = fields.entry("threshold").map_or(fields.span(), |entry| entry.key_span);
            problems.push(
                Diagnostic::error("`threshold` is given twice: here and in `aggregator`")
                    .code("duplicate-key")
                    .at(span)
                    .note(first.span, "given here too"),
            );
            None
        }
    }
}

fn read_share(fields: &Fields<'_>, problems: &mut Problems) -> Option<f64> {
    let share = fields.share("threshold", problems)?;
    if share > 0.0 {
        return Some(share);
    }
    let span = fields.get("threshold").map_or(fields.span(), |node| node.span);
    problems.error(span, "`threshold` is 0, so every answer would pass");
    None
}
