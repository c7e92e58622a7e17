//! Answers without the secrets of the run, for those who record and show them.
//!
//! Graders have seen the answer as it is: whoever checks that an agent does not tell its key must
//! not be misled. What is kept and shown afterwards does not have it.

use std::borrow::Cow;

use agentv_base::{Outcome, Redactor, Response, RunEvent, SettledCase, Sink, SinkFault};
use serde::{Serialize, de::DeserializeOwned};

/// Hands events on to others, answers without secrets.
pub struct Discreet {
    redactor: Redactor,
    /// In the order in which they hear.
    sinks: Vec<Box<dyn Sink>>,
}

impl Discreet {
    pub fn new(redactor: &Redactor, sinks: Vec<Box<dyn Sink>>) -> Self {
        Self { redactor: redactor.for_answers(), sinks }
    }

    /// The case with its answer hidden where that must be; nothing where it need not.
    fn hidden(&self, settled: &SettledCase) -> Option<SettledCase> {
        if self.redactor.is_empty() {
            return None;
        }
        let response = match &settled.outcome {
            Outcome::Assessed { response, .. } | Outcome::Answered { response } => response,
            Outcome::Failed { .. } => return None,
        };
        let hidden = Box::new(self.without_secrets(response)?);
        let outcome = match &settled.outcome {
            Outcome::Assessed { assessment, .. } => {
                Outcome::Assessed { response: hidden, assessment: assessment.clone() }
            }
            Outcome::Answered { .. } | Outcome::Failed { .. } => {
                Outcome::Answered { response: hidden }
            }
        };
        Some(SettledCase { outcome, ..settled.clone() })
    }

    fn without_secrets(&self, response: &Response) -> Option<Response> {
        let text = match self.redactor.redact(&response.text) {
            Cow::Owned(hidden) => Some(hidden),
            Cow::Borrowed(_) => None,
        };
        let messages = response.output_messages.as_ref().and_then(|it| self.rewritten(it));
        let trace = response.trace.as_ref().and_then(|it| self.rewritten(it));
        if text.is_none() && messages.is_none() && trace.is_none() {
            return None;
        }
        let mut hidden = response.clone();
        hidden.text = text.unwrap_or(hidden.text);
        hidden.output_messages = messages.or(hidden.output_messages);
        hidden.trace = trace.or(hidden.trace);
        Some(hidden)
    }

    /// The same without secrets, where it has any; without anything where it cannot be told apart
    /// from them.
    fn rewritten<T: Serialize + DeserializeOwned + Default>(&self, value: &T) -> Option<T> {
        let written = serde_json::to_string(value).ok()?;
        match self.redactor.redact(&written) {
            Cow::Owned(hidden) => Some(serde_json::from_str(&hidden).unwrap_or_default()),
            Cow::Borrowed(_) => None,
        }
    }
}

impl Sink for Discreet {
    fn hear(&mut self, event: &RunEvent) -> Result<(), SinkFault> {
        self.hear_all(&[event])
    }

    fn hear_all(&mut self, events: &[&RunEvent]) -> Result<(), SinkFault> {
        if self.redactor.is_empty() {
            return self.sinks.iter_mut().try_for_each(|sink| sink.hear_all(events));
        }
        let hidden = |event: &&RunEvent| match event {
            RunEvent::Settled(settled) => {
                self.hidden(settled).map(|settled| RunEvent::Settled(Box::new(settled)))
            }
            RunEvent::Started { .. }
            | RunEvent::Invoking { .. }
            | RunEvent::Invoked { .. }
            | RunEvent::Grading { .. }
            | RunEvent::Graded { .. }
            | RunEvent::Waiting { .. }
            | RunEvent::Skipped(_)
            | RunEvent::Warning(_)
            | RunEvent::Stopping(_)
            | RunEvent::Finished(_) => None,
        };
        let hidden: Vec<Option<RunEvent>> = events.iter().map(hidden).collect();
        let told: Vec<&RunEvent> = events
            .iter()
            .zip(&hidden)
            .map(|(event, hidden)| hidden.as_ref().unwrap_or(event))
            .collect();
        self.sinks.iter_mut().try_for_each(|sink| sink.hear_all(&told))
    }
}
