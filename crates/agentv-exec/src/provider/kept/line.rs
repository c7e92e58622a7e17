//! One line of a recording: a question and how it ended. Lines with answers of targets are such as
//! `provider: replay` reads too.

use agentv_base::{Answer, AskAgain, Failure, FailureKind, Provenance, RetryPolicy, TokenUsage};
use serde::{Deserialize, Serialize};

use super::{
    place::{Place, Role},
    response::KeptResponse,
};

/// The form of recordings.
pub(super) const FORM: u32 = 1;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Head {
    /// The form of the file. Only the first line has it.
    pub agentv_recording: u32,
    pub agentv_version: String,
    /// The run that it is of; none in recordings of an early version.
    #[serde(default)]
    pub run_id: String,
}

/// That the run was gone on with: what has no row is asked again, and the new answers count.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResumedLine {
    /// The version of agentv.
    pub resumed_by: String,
}

/// How a target is asked again after a failure: without it, retries would not be the same.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PolicyLine {
    /// The name of the target.
    pub policy_of: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_on: Option<Vec<String>>,
}

impl PolicyLine {
    pub(super) fn of(target: &str, policy: &RetryPolicy) -> Self {
        Self {
            policy_of: target.to_owned(),
            max_retries: policy.max_retries,
            retry_on: policy
                .on
                .as_deref()
                .map(|kinds| kinds.iter().map(|kind| kind.name().to_owned()).collect()),
        }
    }
}

/// That a target was not fit to be asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CheckLine {
    /// The name of the target.
    pub check_of: String,
    pub checked_as: Role,
    pub error: String,
    pub error_kind: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line {
    pub role: Role,
    pub eval_id: String,
    pub target: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub judged: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub grader: String,
    pub suite: String,
    pub repeat: u32,
    pub attempt: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sample: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ask: u32,
    /// SHA-256 of what was asked.
    pub request: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<KeptResponse>,
    #[serde(default, skip_serializing_if = "is_none_dropped")]
    pub dropped_elements: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask_again: Option<Again>,
}

/// How to ask for what a batch left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Again {
    Together,
    Alone,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_none_dropped(number: &usize) -> bool {
    *number == 0
}

impl Line {
    pub(super) fn of(place: &Place<'_>, request: String, answer: &Answer) -> Self {
        let mut line = Self {
            role: place.role,
            eval_id: place.eval_id.to_owned(),
            target: place.target.to_owned(),
            judged: place.judged.to_owned(),
            grader: place.grader.to_owned(),
            suite: place.suite.to_owned(),
            repeat: place.repeat,
            attempt: place.attempt,
            sample: place.sample,
            ask: place.ask,
            request,
            response: None,
            dropped_elements: 0,
            error: None,
            error_kind: None,
            duration_ms: None,
            token_usage: None,
            cost_usd: None,
            ask_again: None,
        };
        match answer {
            Answer::Given(response) => {
                line.response = Some(KeptResponse::of(response));
                line.dropped_elements = response.dropped_elements;
            }
            Answer::Failed(failure) => line.fail(failure),
            Answer::Unanswered { ask, failure } => {
                line.fail(failure);
                line.ask_again = Some(match ask {
                    AskAgain::Together => Again::Together,
                    AskAgain::Alone => Again::Alone,
                });
            }
        }
        line
    }

    fn fail(&mut self, failure: &Failure) {
        self.error = Some(failure.message.to_string());
        self.error_kind = Some(failure.kind.name().to_owned());
        self.duration_ms = failure.duration_ms;
        self.token_usage = failure.token_usage;
        self.cost_usd = failure.cost_usd;
    }

    pub(super) fn place(&self) -> Place<'_> {
        Place {
            role: self.role,
            target: &self.target,
            judged: &self.judged,
            grader: &self.grader,
            suite: &self.suite,
            eval_id: &self.eval_id,
            repeat: self.repeat,
            attempt: self.attempt,
            sample: self.sample,
            ask: self.ask,
        }
    }

    /// How the question ended.
    pub(super) fn answer(self) -> Answer {
        if let Some(response) = self.response {
            // It was paid for when it was recorded.
            let response = response.into_response(self.dropped_elements, Provenance::Cache);
            return Answer::Given(Box::new(response));
        }
        let kind = self.error_kind.as_deref().and_then(FailureKind::named);
        let failure = Failure {
            duration_ms: self.duration_ms,
            token_usage: self.token_usage,
            cost_usd: self.cost_usd,
            ..Failure::new(
                kind.unwrap_or(FailureKind::Target),
                self.error.unwrap_or_else(|| "the recording says nothing of the answer".to_owned()),
            )
        };
        match self.ask_again {
            Some(Again::Together) => Answer::Unanswered { ask: AskAgain::Together, failure },
            Some(Again::Alone) => Answer::Unanswered { ask: AskAgain::Alone, failure },
            None => Answer::Failed(failure),
        }
    }
}
