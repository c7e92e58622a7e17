//! Asking for the rubrics of many cases at once: each once, and once more where the answer was of
//! no use.

use std::sync::Arc;

use agentv_base::{
    Appointed, Bench, EvalCase, GradeContext, Judge, Provenance, Raw, RecordRaw, Response, Stop,
    StopLevel, TokenUsage, excerpt_ends,
};
use agentv_case::rubrics::{Proposal, Rubric};
use agentv_grade::Hearing;
use tokio::{sync::mpsc::UnboundedReceiver, task::JoinSet};

use super::{choice::AskedCase, prompt};

/// So much of a message is shown on a line of progress.
const SHOWN: usize = 600;

/// How the asking for one case ended.
pub(super) enum Outcome {
    Rubrics(Vec<Rubric>),
    Fault(String),
    Interrupted,
}

pub(super) struct Proposed {
    pub(super) case: Arc<EvalCase>,
    pub(super) outcome: Outcome,
    spent: Spent,
}

impl Proposed {
    pub(super) fn proposal(&self) -> Option<Proposal> {
        match &self.outcome {
            Outcome::Rubrics(rubrics) => {
                Some(Proposal { at: self.case.place.span, rubrics: rubrics.clone() })
            }
            Outcome::Fault(_) | Outcome::Interrupted => None,
        }
    }
}

/// What answers took; nothing where one of them does not say.
#[derive(Clone, Copy)]
struct Spent {
    asks: u32,
    tokens: Option<u64>,
    cost_usd: Option<f64>,
}

impl Spent {
    const NOTHING: Self = Self { asks: 0, tokens: Some(0), cost_usd: Some(0.0) };

    fn add(&mut self, asks: u32, tokens: Option<u64>, cost_usd: Option<f64>) {
        let sum = |a: u64, b: u64| a.saturating_add(b);
        self.asks += asks;
        self.tokens = self.tokens.zip(tokens).map(|(a, b)| sum(a, b));
        self.cost_usd = self.cost_usd.zip(cost_usd).map(|(a, b)| a + b);
    }
}

/// What all answers took, in words; an empty text where nobody was asked.
pub(super) fn spent(proposed: &[Proposed]) -> String {
    let mut all = Spent::NOTHING;
    for one in proposed {
        all.add(one.spent.asks, one.spent.tokens, one.spent.cost_usd);
    }
    if all.asks == 0 {
        return String::new();
    }
    let times = if all.asks == 1 { "once".to_owned() } else { format!("{} times", all.asks) };
    let tokens = all.tokens.map(|tokens| format!(", {tokens} tokens")).unwrap_or_default();
    let cost = all.cost_usd.map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
    format!("asked {times}{tokens}{cost}\n")
}

/// Asks for all of them, at most `most` at once, and as many as each judge takes; the answers come in the order of the
/// cases. A signal ends the asking, and what is there by then is given.
pub(super) async fn ask_all(
    asked: Vec<AskedCase>,
    most: usize,
    stop: Stop,
    signals: &mut UnboundedReceiver<StopLevel>,
    progress: impl Fn(&str, bool),
) -> Vec<Proposed> {
    let total = asked.len();
    let cases: Vec<Arc<EvalCase>> = asked.iter().map(|it| Arc::clone(&it.case)).collect();
    let mut asking = JoinSet::new();
    let mut waiting = asked.into_iter().enumerate();
    let mut answers: Vec<Option<(Outcome, Spent)>> = cases.iter().map(|_| None).collect();
    let mut done = 0;
    loop {
        while asking.len() < most.max(1)
            && let Some((place, AskedCase { case, judge })) = waiting.next()
        {
            asking.spawn(async move { (place, ask(&case, judge).await) });
        }
        let (place, answer) = tokio::select! {
            Some(level) = signals.recv() => {
                stop.raise(level);
                continue;
            }
            next = asking.join_next() => match next {
                None => break,
                Some(Ok(answered)) => answered,
                Some(Err(_)) => continue,
            }
        };
        done += 1;
        if let Some(case) = cases.get(place) {
            let is_fault = matches!(answer.0, Outcome::Fault(_));
            progress(&line(done, total, case, &answer.0), is_fault);
        }
        if let Some(own) = answers.get_mut(place) {
            *own = Some(answer);
        }
    }
    let panicked = || (Outcome::Fault("the asking panicked".to_owned()), Spent::NOTHING);
    cases
        .into_iter()
        .zip(answers)
        .map(|(case, answer)| {
            let (outcome, spent) = answer.unwrap_or_else(panicked);
            Proposed { case, outcome, spent }
        })
        .collect()
}

fn line(done: usize, total: usize, case: &EvalCase, outcome: &Outcome) -> String {
    let id = agentv_base::excerpt(case.id(), 120);
    match outcome {
        Outcome::Rubrics(rubrics) if rubrics.len() == 1 => {
            format!("[{done}/{total}] {id}: 1 rubric")
        }
        Outcome::Rubrics(rubrics) => format!("[{done}/{total}] {id}: {} rubrics", rubrics.len()),
        Outcome::Fault(message) => {
            format!("[{done}/{total}] {id}: error: {}", excerpt_ends(message, SHOWN))
        }
        Outcome::Interrupted => format!("[{done}/{total}] {id}: interrupted"),
    }
}

async fn ask(case: &EvalCase, judge: Arc<dyn Judge>) -> (Outcome, Spent) {
    // Nobody has answered the case: there is nothing to look at but the case itself.
    let response = Response {
        text: String::new(),
        output_messages: None,
        trace: None,
        token_usage: None,
        cost_usd: None,
        duration_ms: None,
        dropped_elements: 0,
        provenance: Provenance::Asked,
        leaked: Vec::new(),
        raw: Raw::Record(RecordRaw { file: None, line: None }),
    };
    // What it proposes is no score: nothing is kept of who it was.
    let appointed = Appointed { judge, fingerprint: Arc::from(""), calibration: None };
    let context = GradeContext {
        repeat: 1,
        case,
        target: appointed.judge.target(),
        response: &response,
        threshold: 0.0,
        bench: &Bench::default(),
    };
    let mut hearing = Hearing::with(&appointed, "rubrics", &context);
    let outcome = match hearing.ask(prompt::question(case), prompt::read).await {
        Ok(rubrics) => Outcome::Rubrics(rubrics),
        Err(fault) if fault.interrupted => Outcome::Interrupted,
        Err(fault) => Outcome::Fault(fault.message),
    };
    let took = hearing.close();
    let tokens = took.token_usage.as_ref().map(TokenUsage::total);
    (outcome, Spent { asks: took.asks, tokens, cost_usd: took.cost_usd })
}
