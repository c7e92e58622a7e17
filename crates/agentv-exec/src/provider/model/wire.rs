//! What is said to a model and what it says, in the form of each service. A wire is pure: it writes
//! a request and reads an answer, and knows neither connections nor retries.

mod anthropic;
mod gemini;
mod manner;
mod openai_chat;
mod openai_responses;
mod reading;
mod schema;
mod turns;

use std::fmt;

use agentv_base::{ChatMessage, Message, TokenUsage};
use serde_json::Value;

pub(in crate::provider) use self::{
    anthropic::Anthropic,
    gemini::Gemini,
    manner::Manner,
    openai_chat::{LimitName, OpenaiChat},
    openai_responses::OpenaiResponses,
};

/// What a model is asked.
#[derive(Clone, Debug)]
pub(in crate::provider) struct Ask<'a> {
    /// System prompt, guidelines and turns, in their order; a system message is the first, if any.
    pub(in crate::provider) chat: &'a [ChatMessage],
    /// What the answer must look like, where it is to be JSON.
    pub(in crate::provider) schema: Option<&'a Value>,
}

/// A request that is ready to be sent: always a POST of JSON. Secrets are in `headers` only.
#[derive(Clone, PartialEq)]
pub(in crate::provider) struct Outgoing {
    pub(in crate::provider) url: String,
    pub(in crate::provider) headers: Vec<(String, String)>,
    pub(in crate::provider) body: Value,
}

/// Without the values of headers, which are secret, and without the body, which may be anything.
impl fmt::Debug for Outgoing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        formatter
            .debug_struct("Outgoing")
            .field("url", &self.url)
            .field("headers", &headers)
            .finish_non_exhaustive()
    }
}

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::provider) struct Reply {
    pub(in crate::provider) text: String,
    /// Every message with the calls of tools in it, where there are any calls.
    pub(in crate::provider) output_messages: Option<Vec<Message>>,
    pub(in crate::provider) token_usage: Option<TokenUsage>,
    /// How many tokens of the input were put into a cache, which costs more than other input.
    pub(in crate::provider) cache_written: u64,
    /// The model as the service names it.
    pub(in crate::provider) model: Option<String>,
    pub(in crate::provider) finish_reason: Option<String>,
}

/// One form of requests and answers.
pub(in crate::provider) trait Wire: Send + Sync {
    fn request(&self, ask: &Ask<'_>) -> Outgoing;

    /// Reads the body of an answer with a status of success; an error says what is wrong with it,
    /// in words that go on after "its answer". An answer that is well formed and says nothing is
    /// an empty reply, so that what it took and why it stopped is known.
    fn read(&self, body: &[u8]) -> Result<Reply, String>;

    /// What a body says of an error, where it has the form of the service.
    fn error_in(&self, body: &[u8]) -> Option<String>;

    /// What can be done about the error of a body that will be the same however often one asks,
    /// also where its status says otherwise; nothing where the status tells it all.
    fn dead_end(&self, _body: &[u8]) -> Option<&'static str> {
        None
    }
}

#[cfg(test)]
mod tests;
