//! Rows of an earlier run as answers: targets are not asked again.
//!
//! Only where each row stands is kept in memory; each is read when its answer is taken.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{
    Answer, Answers, Batching, BoxFuture, Earlier, FailedAttempt, Failure, FailureKind, Provenance,
    Provider, Raw, RecordRaw, Request, Response,
};
use agentv_exec::provider::kept::suite_of;
use agentv_report::{FailedAttemptRow, Ledger, Row, SlotName};

use crate::provision::StandIn;

/// The rows of a file by the slot that they belong to.
pub struct RowAnswers {
    pub ledger: Ledger,
    path: Arc<Path>,
}

impl RowAnswers {
    pub fn new(ledger: Ledger, path: &Path) -> Self {
        Self { ledger, path: path.into() }
    }

    pub fn slots(&self) -> impl Iterator<Item = &SlotName> {
        self.ledger.rows.iter().map(|row| &row.slot)
    }

    /// The suites that rows are of, in order.
    pub fn suites(&self) -> BTreeSet<&str> {
        self.slots().map(|slot| &*slot.suite).collect()
    }

    fn response(&self, slot: &SlotName) -> Result<Response, String> {
        let shown = || format!("the row of {} in {}", slot.in_words(), self.path.display());
        let row = self.ledger.find(slot).ok_or_else(|| format!("{} is not there", shown()))?;
        let bytes = self
            .ledger
            .line(row)
            .map_err(|error| format!("{} cannot be read: {error}", shown()))?;
        let row: Row<'_> = serde_json::from_slice(&bytes)
            .map_err(|error| format!("{} was changed while it was read: {error}", shown()))?;
        let text = row.candidate_answer.ok_or_else(|| format!("{} has no answer", shown()))?;
        let earlier = Earlier {
            attempts: row.attempts,
            failed_attempts: row.failed_attempts.into_iter().map(failed_attempt).collect(),
            trace_summary: row.trace_summary,
        };
        Ok(Response {
            text: text.into_owned(),
            output_messages: row.output_messages.map(std::borrow::Cow::into_owned),
            trace: row.trace.map(std::borrow::Cow::into_owned),
            token_usage: row.token_usage,
            cost_usd: row.cost_usd,
            duration_ms: row.duration_ms,
            dropped_elements: row.dropped_elements,
            leaked: Vec::new(),
            provenance: Provenance::Earlier(Arc::new(earlier)),
            raw: Raw::Record(RecordRaw { file: Some(Arc::clone(&self.path)), line: None }),
        })
    }
}

fn failed_attempt(row: FailedAttemptRow<'_>) -> FailedAttempt {
    let kind = FailureKind::named(&row.error_kind).unwrap_or(FailureKind::Target);
    let failure = Failure {
        duration_ms: row.duration_ms,
        token_usage: row.token_usage,
        cost_usd: row.cost_usd,
        ..Failure::new(kind, row.error.into_owned())
    };
    FailedAttempt { failure }
}

/// Answers for every target from its rows; suites are named from `root`.
pub fn stand_in(rows: &Arc<RowAnswers>, root: &Path) -> StandIn {
    let (rows, root) = (Arc::clone(rows), root.to_owned());
    Arc::new(move |spec| {
        let (rows, root) = (Arc::clone(&rows), root.clone());
        Arc::new(FromRows { rows, root, target: Arc::clone(&spec.name) })
    })
}

/// A target that is not asked: its answers stand in rows.
struct FromRows {
    rows: Arc<RowAnswers>,
    root: PathBuf,
    target: Arc<str>,
}

impl Provider for FromRows {
    fn batching(&self) -> Batching {
        Batching::Single
    }

    fn check(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    fn invoke(&self, requests: Vec<Request>) -> BoxFuture<'_, Result<Arc<dyn Answers>, Failure>> {
        let slots = requests.iter().map(|request| SlotName {
            suite: suite_of(request, &self.root).into(),
            eval_id: (&*request.input.eval_id).into(),
            target: (&*self.target).into(),
            repeat: request.repeat,
        });
        let answers = OfRows { rows: Arc::clone(&self.rows), slots: slots.collect() };
        Box::pin(async move { Ok(Arc::new(answers) as Arc<dyn Answers>) })
    }
}

struct OfRows {
    rows: Arc<RowAnswers>,
    slots: Vec<SlotName>,
}

impl Answers for OfRows {
    fn settle(&self, index: usize) -> Answer {
        let found = match self.slots.get(index) {
            Some(slot) => self.rows.response(slot),
            None => Err("nobody asked for this answer".to_owned()),
        };
        match found {
            Ok(response) => Answer::Given(Box::new(response)),
            Err(message) => Answer::Failed(Failure::new(FailureKind::Missing, message)),
        }
    }

    fn are_kept(&self) -> bool {
        true
    }
}
