//! Asking a judge until it has given an answer of use, or has failed to: once, and once more with
//! what was wrong. What was asked, and what it took, is kept either way.

mod reply;

use agentv_base::{
    Appointed, Exchange, GradeContext, GraderFault, JudgeQuestion, JudgeRecord, JudgeWish, Repair,
    TokenUsage, excerpt_ends,
};

pub use self::reply::only_object;

/// So much of an answer of no use is shown to the judge again.
const SHOWN_AGAIN: usize = 4000;

/// One conversation with a judge.
pub struct Hearing<'a> {
    appointed: &'a Appointed,
    context: &'a GradeContext<'a>,
    /// What the judge is asked for, as messages say it.
    wanted: &'static str,
    record: JudgeRecord,
}

impl<'a> Hearing<'a> {
    /// With the judge that was appointed for this wish.
    pub(crate) fn open(
        wish: &JudgeWish,
        context: &'a GradeContext<'a>,
    ) -> Result<Self, GraderFault> {
        let appointed = context.bench.of(wish).ok_or_else(|| {
            GraderFault::new("a model must judge, but nobody is named in `judge_target`")
        })?;
        Ok(Self::with(appointed, "score", context))
    }

    /// With a judge that is asked for something, which messages call `wanted`.
    pub fn with(
        appointed: &'a Appointed,
        wanted: &'static str,
        context: &'a GradeContext<'a>,
    ) -> Self {
        let record = JudgeRecord {
            target: appointed.judge.target().to_owned(),
            fingerprint: appointed.fingerprint.to_string(),
            calibration: appointed.calibration.clone(),
            ..JudgeRecord::default()
        };
        Self { appointed, context, wanted, record }
    }

    /// Asks, and reads the answer; an answer that cannot be read is shown to the judge with the
    /// reason, once. `read` says what is wrong in words that go on after "the judge".
    pub async fn ask<T>(
        &mut self,
        mut question: JudgeQuestion,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, GraderFault> {
        let answer = self.ask_once(&question).await?;
        let first = match read(&answer) {
            Ok(read) => return Ok(read),
            Err(fault) => fault,
        };
        question.repair =
            Some(Repair { answer: excerpt_ends(&answer, SHOWN_AGAIN), fault: first.clone() });
        let answer = self.ask_once(&question).await?;
        read(&answer).map_err(|second| {
            let none = format!("the judge gave no {}", self.wanted);
            let message = if first == second {
                format!("{none}, nor when it was asked again: {second}")
            } else {
                format!("{none}: {first}; nor when it was asked again: {second}")
            };
            self.fault(message)
        })
    }

    async fn ask_once(&mut self, question: &JudgeQuestion) -> Result<String, GraderFault> {
        self.record.asks += 1;
        let answer = match self.appointed.judge.ask(question, self.context).await {
            Ok(answer) => answer,
            Err(fault) if fault.interrupted => {
                // What it took until then, nobody knows.
                self.spend(None, None);
                return Err(fault);
            }
            Err(fault) => {
                let took = fault.judge.unwrap_or_default();
                self.spend(took.token_usage, took.cost_usd);
                return Err(self.fault(fault.message));
            }
        };
        self.spend(answer.token_usage, answer.cost_usd);
        let record = &mut self.record;
        if self.context.bench.keeps_exchanges {
            record.exchanges.push(Exchange {
                instructions: question.instructions.clone(),
                prompt: question.prompt.clone(),
                repair: question.repair.as_ref().map(|repair| repair.fault.clone()),
                answer: answer.text.clone(),
            });
        }
        Ok(answer.text)
    }

    /// Adds what the last question took.
    fn spend(&mut self, token_usage: Option<TokenUsage>, cost_usd: Option<f64>) {
        let first = self.record.asks == 1;
        let record = &mut self.record;
        record.token_usage = known_sum(first, record.token_usage, token_usage, TokenUsage::plus);
        record.cost_usd = known_sum(first, record.cost_usd, cost_usd, |a, b| a + b);
    }

    /// A fault that keeps what was asked so far.
    fn fault(&self, message: String) -> GraderFault {
        GraderFault { judge: Some(Box::new(self.record.clone())), ..GraderFault::new(message) }
    }

    /// What is kept of it.
    pub fn close(self) -> JudgeRecord {
        self.record
    }
}

/// Several conversations with one judge as one.
pub(crate) fn together(records: impl IntoIterator<Item = JudgeRecord>) -> Option<JudgeRecord> {
    records.into_iter().reduce(|mut all, next| {
        all.asks += next.asks;
        all.token_usage = known_sum(false, all.token_usage, next.token_usage, TokenUsage::plus);
        all.cost_usd = known_sum(false, all.cost_usd, next.cost_usd, |a, b| a + b);
        all.exchanges.extend(next.exchanges);
        all
    })
}

/// What is not known of one part is not known of the whole.
fn known_sum<T>(first: bool, sum: Option<T>, next: Option<T>, add: fn(T, T) -> T) -> Option<T> {
    if first { next } else { Some(add(sum?, next?)) }
}
