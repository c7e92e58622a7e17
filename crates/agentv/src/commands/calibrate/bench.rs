//! Who judges which labelled answer.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use agentv_base::{
    Appointed, Bench, Diagnostic, EvalCase, JudgeWish, Problems, Provenance, Raw, RecordRaw,
    Response, Span, TargetSpec,
};
use agentv_case::{HumanSaid, Label, TargetsFile};
use agentv_grade::{CaseGraders, CaseJudge};
use agentv_report::CalibratedJudge;

use crate::{
    args::CalibrateArgs,
    fingerprint::Provider,
    graders::Built,
    judges::{Found, Judges},
    resolve::unknown,
    settings,
    wiring::DEFAULT_THRESHOLD,
};

/// What stands for the target where nobody says whose answers these are.
const NOBODY: &str = "labels";

/// One judge that is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sitting {
    pub grader: String,
    pub fingerprint: String,
    pub judge: CalibratedJudge,
    /// Questions that it takes at once.
    pub workers: usize,
}

/// A labelled answer and all that is needed to judge it.
pub struct SeatedLabel {
    pub sitting: Arc<Sitting>,
    pub case: Arc<EvalCase>,
    pub graders: Arc<CaseGraders>,
    pub bench: Bench,
    /// The name of the target whose answer it is.
    pub target: Arc<str>,
    pub response: Response,
    pub threshold: f64,
    /// The score from which the judge passes it.
    pub cutoff: f64,
    /// What everyone said who labelled it.
    said: Vec<HumanSaid>,
    /// Whether most people pass it.
    pub people_pass: bool,
    /// All who gave their names.
    pub labelers: Vec<String>,
    /// Of the file of labels; of its first label, where it has several.
    pub line: usize,
}

/// Finds a judge for every label. Problems are added to those of `judges`, each once.
pub fn seat(
    labels: &[Label],
    file: &TargetsFile,
    built: &Built,
    args: &CalibrateArgs,
    judges: &mut Judges<'_>,
) -> Vec<SeatedLabel> {
    let overriding = settings::target_overrides(args.target.as_slice());
    for (noun, name) in [("judge target", args.judge.as_ref()), ("target", overriding.first())] {
        if let Some(name) = name.filter(|name| file.named(name).is_none()) {
            let problem = unknown(noun, name, file, judges.sources());
            judges.problems.push(problem);
        }
    }
    if judges.problems.has_errors() {
        return Vec::new();
    }
    let overriding = overriding.first().and_then(|name| file.named(name));
    let mut seating =
        Seating { file, overriding, args, judges, sittings: Vec::new(), said: HashSet::new() };
    let seated = labels.iter().filter_map(|label| {
        let graders = built.get(&label.case.graders.as_ptr())?.as_ref()?;
        seating.seat(label, graders)
    });
    let answers = once_each(seated.collect());
    decided(answers, &mut judges.problems)
}

/// Every answer once, with all that people said of it: judged as often as it was labelled, it would
/// count as several, and all intervals would be too narrow.
fn once_each(labels: Vec<SeatedLabel>) -> Vec<SeatedLabel> {
    let mut answers: Vec<SeatedLabel> = Vec::with_capacity(labels.len());
    let mut places: HashMap<(*const Sitting, *const EvalCase, String), Vec<usize>> = HashMap::new();
    for label in labels {
        let text = label.response.text.clone();
        let key = (Arc::as_ptr(&label.sitting), Arc::as_ptr(&label.case), text);
        let places = places.entry(key).or_default();
        let same = places.iter().copied().find(|place| {
            answers.get(*place).is_some_and(|known| {
                known.response.output_messages == label.response.output_messages
                    && known.response.trace == label.response.trace
            })
        });
        match same.and_then(|place| answers.get_mut(place)) {
            Some(known) => {
                known.said.extend(label.said);
                known.labelers.extend(label.labelers);
            }
            None => {
                places.push(answers.len());
                answers.push(label);
            }
        }
    }
    answers
}

/// Answers of which most people say one thing. How far people disagree is told.
fn decided(mut answers: Vec<SeatedLabel>, problems: &mut Problems) -> Vec<SeatedLabel> {
    let (mut shared, mut disputed, mut undecided) = (0_usize, 0_usize, 0_usize);
    answers.retain_mut(|answer| {
        let all = answer.said.len();
        let passing = answer.said.iter().filter(|said| said.passes(answer.cutoff)).count();
        shared += usize::from(all > 1);
        disputed += usize::from(passing > 0 && passing < all);
        undecided += usize::from(passing * 2 == all);
        answer.people_pass = passing * 2 > all;
        passing * 2 != all
    });
    if disputed == 0 {
        return answers;
    }
    let left_out = match undecided {
        0 => String::new(),
        1 => "; 1 that as many pass as fail is left out".to_owned(),
        _ => format!("; {undecided} that as many pass as fail are left out"),
    };
    let message = format!(
        "people disagree on {disputed} of {shared} answers that several of them labelled{left_out}"
    );
    let hint = "a judge cannot agree with people better than people do: let them agree first on \
                what passes";
    let problem =
        if answers.is_empty() { Diagnostic::error(message) } else { Diagnostic::warning(message) };
    problems.push(problem.hint(hint));
    answers
}

struct Seating<'s, 'j> {
    file: &'s TargetsFile,
    /// The target of the command line.
    overriding: Option<&'s TargetSpec>,
    args: &'s CalibrateArgs,
    judges: &'s mut Judges<'j>,
    sittings: Vec<Arc<Sitting>>,
    /// Problems that were told, by where they stand.
    said: HashSet<Span>,
}

impl<'s> Seating<'s, '_> {
    fn seat(&mut self, label: &Label, graders: &Arc<CaseGraders>) -> Option<SeatedLabel> {
        let judge = self.choose(label, graders)?;
        let wish = judge.wish()?;
        let target = self.judged_target(label, &wish)?;
        let found = self.judges.find(judge.name(), &wish, &label.case, self.file, target)?;
        let sitting = self.sitting(judge.name(), &found);
        let mut bench = Bench::default();
        let fingerprint = found.fingerprint.into();
        bench.appoint(wish, Appointed { judge: found.judge, fingerprint, calibration: None });
        let threshold = self.args.threshold.or(label.case.threshold).unwrap_or(DEFAULT_THRESHOLD);
        Some(SeatedLabel {
            sitting,
            case: Arc::clone(&label.case),
            graders: Arc::clone(graders),
            bench,
            target: target.map_or_else(|| NOBODY.into(), |spec| Arc::clone(&spec.name)),
            response: response(label),
            threshold,
            cutoff: judge.cutoff(threshold),
            said: vec![label.said],
            people_pass: false,
            labelers: label.labeler.iter().cloned().collect(),
            line: label.line,
        })
    }

    fn sitting(&mut self, grader: &str, found: &Found<'_>) -> Arc<Sitting> {
        let text = |key: &str| found.spec.node.get(key).and_then(|node| node.as_str());
        let provider = Provider::of(found.spec);
        let model = provider.model().or_else(|| text("model")).or_else(|| text("deployment"));
        let sitting = Sitting {
            grader: grader.to_owned(),
            fingerprint: found.fingerprint.clone(),
            judge: CalibratedJudge {
                target: found.spec.name.to_string(),
                provider: provider.name.to_owned(),
                model: model.map(str::to_owned),
            },
            workers: found.workers,
        };
        if let Some(known) = self.sittings.iter().find(|known| ***known == sitting) {
            return Arc::clone(known);
        }
        let sitting = Arc::new(sitting);
        self.sittings.push(Arc::clone(&sitting));
        sitting
    }

    /// The judge that a label is about: the one that it names, else that of the command line, else
    /// the only one there is.
    fn choose<'g>(&mut self, label: &Label, graders: &'g CaseGraders) -> Option<CaseJudge<'g>> {
        let named = label.grader.as_ref().map(|(name, span)| (name, *span));
        let named = named.or(self.args.grader.as_ref().map(|name| (name, label.span)));
        let all: Vec<CaseJudge<'g>> = graders.judges().collect();
        let listed = || all.iter().map(|judge| judge.name()).collect::<Vec<_>>().join("`, `");
        let id = label.case.id();
        let problem = match (named, all.as_slice()) {
            (_, []) => Diagnostic::error(format!("case `{id}` has no grader that asks a judge"))
                .code("no-judge")
                .at(label.span)
                .note(label.case.place.span, "this case")
                .hint("give it an `llm_judge`; one inside of a composite cannot be calibrated"),
            (None, [only]) => return Some(*only),
            (None, _) => {
                Diagnostic::error(format!("case `{id}` has several judges: `{}`", listed()))
                    .code("no-judge")
                    .at(label.span)
                    .hint("say in `grader` which one the label is about, or pass --grader NAME")
            }
            (Some((name, span)), judges) => {
                if let Some(judge) = judges.iter().find(|judge| judge.name() == name) {
                    return Some(*judge);
                }
                let near = agentv_base::nearest(name, judges.iter().map(|judge| judge.name()));
                let hint = match near {
                    Some(near) => format!("did you mean `{near}`? its judges are `{}`", listed()),
                    None => format!("its judges are `{}`", listed()),
                };
                let shown = agentv_base::excerpt(name, 100);
                Diagnostic::error(format!("case `{id}` has no judge called `{shown}`"))
                    .code("no-judge")
                    .at(span)
                    .hint(hint)
            }
        };
        // What the label does not say is wrong with the case: one problem, however many labels.
        if label.grader.is_some() || self.said.insert(label.case.place.span) {
            self.judges.problems.push(problem);
        }
        None
    }

    /// The target whose answers are judged, which may say who judges them: that of the command
    /// line, of the case, or the default. Nobody inside where nobody needs to be known.
    #[expect(clippy::option_option, reason = "unclear, unknown and known are three things")]
    fn judged_target(&mut self, label: &Label, wish: &JudgeWish) -> Option<Option<&'s TargetSpec>> {
        if self.overriding.is_some() {
            return Some(self.overriding);
        }
        let case = &label.case;
        let candidates: Vec<&'s TargetSpec> = if case.targets.is_empty() {
            self.file.default_target().into_iter().collect()
        } else {
            case.targets.iter().filter_map(|named| self.file.named(&named.name)).collect()
        };
        let first = candidates.first().copied();
        let judge_of = |spec: &TargetSpec| spec.judge_target.as_ref().map(|(name, _)| name.clone());
        let alike = candidates.iter().all(|spec| judge_of(spec) == first.and_then(judge_of));
        let is_named =
            self.args.judge.is_some() || wish.target.is_some() || case.judge_target.is_some();
        if is_named || (first.is_some() && alike) {
            return Some(first);
        }
        // One problem a case, however many labels it has.
        if self.said.insert(case.place.span) {
            let message = match first {
                Some(_) => format!("the targets of case `{}` have different judges", case.id()),
                None => format!("nobody says who judges the answers to case `{}`", case.id()),
            };
            self.judges.problems.push(
                Diagnostic::error(message)
                    .code("no-judge")
                    .at(label.span)
                    .hint("pass --judge NAME, or --target NAME for the `judge_target` of a target"),
            );
        }
        None
    }
}

fn response(label: &Label) -> Response {
    Response {
        text: label.answer.clone(),
        output_messages: label.output_messages.clone(),
        trace: label.trace.clone(),
        token_usage: None,
        cost_usd: None,
        duration_ms: None,
        dropped_elements: 0,
        provenance: Provenance::Asked,
        leaked: Vec::new(),
        raw: Raw::Record(RecordRaw { file: None, line: Some(label.line) }),
    }
}
