//! An answer for tests of those who take answers.

use agentv_base::{Answer, Answers, Provenance, Raw, RecordRaw, Response};

/// Says nothing, to any question.
pub(crate) struct OneAnswer;

impl Answers for OneAnswer {
    fn settle(&self, _: usize) -> Answer {
        Answer::Given(Box::new(Response {
            text: String::new(),
            output_messages: None,
            trace: None,
            token_usage: None,
            cost_usd: None,
            duration_ms: None,
            dropped_elements: 0,
            leaked: Vec::new(),
            provenance: Provenance::Asked,
            raw: Raw::Record(RecordRaw { file: None, line: None }),
        }))
    }
}
