//! What an answer cost in tokens.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    pub input: u64,
    pub output: u64,
    /// How many of `input` came from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
}

impl TokenUsage {
    /// All tokens that were read or written.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}
