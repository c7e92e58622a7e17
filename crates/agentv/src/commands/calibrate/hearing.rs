//! Asking judges about labelled answers, several at a time, until all are heard or the user has
//! heard enough.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

use agentv_base::{GradeContext, GraderResult, Redactor, StopLevel, Verdict};
use agentv_report::{Judged, Judgement};
use tokio::{sync::mpsc::UnboundedReceiver, task::JoinSet};

use super::bench::{SeatedLabel, Sitting};
use crate::{args::CalibrateArgs, console::Console, wiring::Workshop};

/// A judge that failed so many times, and never said anything, is asked no more: a wrong key or
/// address does not mend itself.
const HOPELESS: usize = 5;

/// What judges said, by the judge.
pub type ByJudge = Vec<(Arc<Sitting>, Vec<Judged>)>;

/// A judgement that is asked for: which repeat, of which label.
type Job = (usize, usize);

/// All that was heard.
pub struct Heard {
    pub by_judge: ByJudge,
    /// Judges that were given up, each with how many judgements were not asked for.
    pub given_up: Vec<(Arc<Sitting>, usize)>,
}

/// Asks about every answer as often as was asked for; nothing where it was stopped.
///
/// All answers are asked about once before any is asked about again: what does not work at all is
/// seen early, and a judge that changes with time is not taken for one that wavers.
pub async fn hear(
    seated: Vec<SeatedLabel>,
    args: &CalibrateArgs,
    workshop: &Workshop,
    mut signals: UnboundedReceiver<StopLevel>,
    mut progress: Progress,
) -> Option<Heard> {
    let labels: Vec<Arc<SeatedLabel>> = seated.into_iter().map(Arc::new).collect();
    let most = args.workers.unwrap_or_else(|| places_of(&labels));
    let mut jobs: VecDeque<Job> =
        (0..args.repeat).flat_map(|repeat| (0..labels.len()).map(move |it| (repeat, it))).collect();
    let mut hopes = Hopes::default();
    let mut said: HashMap<Job, GraderResult> = HashMap::new();
    let mut tasks: JoinSet<(Job, Option<GraderResult>)> = JoinSet::new();
    progress.begin(labels.len(), args.repeat);
    loop {
        while tasks.len() < most && workshop.services.stop.level() == StopLevel::Run {
            // Those of a judge without hope stay: one that is still heard may give hope again.
            let label_of = |job: &Job| labels.get(job.1);
            let next = jobs.iter().position(|job| label_of(job).is_some_and(|it| hopes.has(it)));
            let Some(job) = next.and_then(|place| jobs.remove(place)) else { break };
            let Some(label) = label_of(&job).map(Arc::clone) else { break };
            let redactor = workshop.services.redactor.clone();
            tasks.spawn(async move { (job, ask(&label, &redactor).await) });
        }
        tokio::select! {
            Some(level) = signals.recv() => workshop.services.stop.raise(level),
            ended = tasks.join_next() => match ended {
                None => break,
                Some(Ok((job, Some(result)))) => {
                    if let Some(label) = labels.get(job.1) {
                        hopes.hear(label, result.score.is_some());
                    }
                    said.insert(job, result);
                    progress.step();
                }
                // It was stopped, or it broke: it has not been heard, which is seen below.
                Some(Ok((_, None)) | Err(_)) => {}
            }
        }
    }
    progress.end();
    if workshop.services.stop.level() != StopLevel::Run {
        return None;
    }
    let given_up = given_up(&labels, &jobs);
    let by_judge = by_judge(&labels, args.repeat, &jobs, &workshop.services.redactor, &mut said);
    Some(Heard { by_judge, given_up })
}

/// How often each judge said something, and how often it failed.
#[derive(Default)]
struct Hopes {
    heard: HashMap<*const Sitting, (usize, usize)>,
}

impl Hopes {
    fn hear(&mut self, label: &SeatedLabel, spoke: bool) {
        let (said, failed) = self.heard.entry(Arc::as_ptr(&label.sitting)).or_default();
        *(if spoke { said } else { failed }) += 1;
    }

    fn has(&self, label: &SeatedLabel) -> bool {
        let heard = self.heard.get(&Arc::as_ptr(&label.sitting));
        heard.is_none_or(|(said, failed)| *said > 0 || *failed < HOPELESS)
    }
}

/// Judges whose judgements were left, with how many.
fn given_up(labels: &[Arc<SeatedLabel>], left: &VecDeque<Job>) -> Vec<(Arc<Sitting>, usize)> {
    let mut all: Vec<(Arc<Sitting>, usize)> = Vec::new();
    for sitting in left.iter().filter_map(|job| Some(&labels.get(job.1)?.sitting)) {
        match all.iter_mut().find(|(known, _)| Arc::ptr_eq(known, sitting)) {
            Some((_, count)) => *count += 1,
            None => all.push((Arc::clone(sitting), 1)),
        }
    }
    all
}

/// As many questions at once as all judges take together.
fn places_of(labels: &[Arc<SeatedLabel>]) -> usize {
    let mut judges: HashMap<&str, usize> = HashMap::new();
    for label in labels {
        judges.insert(&label.sitting.judge.target, label.sitting.workers);
    }
    judges.values().sum::<usize>().max(1)
}

async fn ask(label: &SeatedLabel, redactor: &Redactor) -> Option<GraderResult> {
    let judge = label.graders.judges().find(|judge| judge.name() == label.sitting.grader)?;
    let context = GradeContext {
        repeat: 1,
        case: &label.case,
        target: &label.target,
        response: &label.response,
        threshold: label.threshold,
        bench: &label.bench,
    };
    judge.judge(&context, redactor).await
}

/// What was said of each answer; one that nobody was asked about is left out.
fn by_judge(
    labels: &[Arc<SeatedLabel>],
    repeats: usize,
    left: &VecDeque<Job>,
    redactor: &Redactor,
    said: &mut HashMap<Job, GraderResult>,
) -> ByJudge {
    let left: HashSet<&Job> = left.iter().collect();
    let mut all: ByJudge = Vec::new();
    for (place, label) in labels.iter().enumerate() {
        let asked = (0..repeats).map(|repeat| (repeat, place)).filter(|job| !left.contains(job));
        let results: Vec<Option<GraderResult>> = asked.map(|job| said.remove(&job)).collect();
        if results.is_empty() {
            continue;
        }
        let judged = judged(label, results, redactor);
        match all.iter_mut().find(|(sitting, _)| Arc::ptr_eq(sitting, &label.sitting)) {
            Some((_, answers)) => answers.push(judged),
            None => all.push((Arc::clone(&label.sitting), vec![judged])),
        }
    }
    all
}

fn judged(label: &SeatedLabel, results: Vec<Option<GraderResult>>, redactor: &Redactor) -> Judged {
    let asked = results.iter().flatten().filter_map(|result| result.judge.as_deref().cloned());
    Judged {
        eval_id: label.case.id().to_owned(),
        line: label.line,
        answer: redactor.redact(&label.response.text).into_owned(),
        labeler: (!label.labelers.is_empty()).then(|| label.labelers.join(", ")),
        people_pass: label.people_pass,
        pass_from: label.cutoff,
        asked: asked.collect(),
        judgements: results.into_iter().map(judgement).collect(),
    }
}

fn judgement(result: Option<GraderResult>) -> Result<Judgement, String> {
    let Some(result) = result else { return Err("the judge broke off".to_owned()) };
    match (result.score, result.error) {
        (Some(score), None) => Ok(Judgement {
            passes: result.verdict == Some(Verdict::Pass),
            score,
            reasoning: result.reasoning,
        }),
        (_, Some(error)) => Err(error),
        (None, None) => Err("the judge gave no score".to_owned()),
    }
}

/// Tells on standard error how far it is.
pub struct Progress {
    console: Console,
    quiet: bool,
    live: bool,
    done: usize,
    all: usize,
}

impl Progress {
    pub fn new(quiet: bool, console: Console) -> Self {
        Self { console, quiet, live: !quiet && Console::stderr_is_live(), done: 0, all: 0 }
    }

    fn begin(&mut self, answers: usize, repeats: usize) {
        self.all = answers * repeats;
        if !self.quiet {
            let answers = if answers == 1 { "1 answer" } else { &format!("{answers} answers") };
            let times = if repeats == 1 { "once" } else { &format!("{repeats} times each") };
            self.console.say(&format!("asking about {answers}, {times}\n"));
        }
    }

    fn step(&mut self) {
        self.done += 1;
        if self.live {
            self.console.say(&format!("\r  {} of {}", self.done, self.all));
        }
    }

    fn end(&self) {
        if self.live && self.done > 0 {
            self.console.say("\n");
        }
    }
}
