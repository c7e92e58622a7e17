//! One answer of the cache on disk, and what its key was made of.

use agentv_base::{Provenance, Response};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::response::KeptResponse;

/// The form of the files. Others are not understood, and not touched.
const VERSION: u32 = 1;

/// Something that an answer depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// As messages name it: `the question`, `file agent.py`.
    pub name: String,
    pub sha256: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    version: u32,
    pub kept_at: String,
    pub target: String,
    pub suite: String,
    pub eval_id: String,
    pub repeat: u32,
    pub parts: Vec<Part>,
    dropped_elements: usize,
    response: KeptResponse,
}

/// The parts of an entry, without the answer.
#[derive(Deserialize)]
pub(super) struct PartsOnly {
    pub parts: Vec<Part>,
}

impl Entry {
    pub(super) fn new(
        (target, suite, eval_id, repeat): (&str, &str, &str, u32),
        parts: Vec<Part>,
        response: &Response,
    ) -> Self {
        Self {
            version: VERSION,
            kept_at: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            target: target.to_owned(),
            suite: suite.to_owned(),
            eval_id: eval_id.to_owned(),
            repeat,
            parts,
            dropped_elements: response.dropped_elements,
            response: KeptResponse::of(response),
        }
    }

    /// Reads a file of the cache.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let entry: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        match entry.version {
            VERSION => Ok(entry),
            other => Err(format!("it has form {other}, which another version wrote")),
        }
    }

    pub(super) fn into_response(self) -> Response {
        self.response.into_response(self.dropped_elements, Provenance::Cache)
    }
}

/// What differs between what an answer was made of and what would make it now.
pub(super) fn difference(before: &[Part], now: &[Part]) -> Option<String> {
    let of = |parts: &[Part], name: &str| {
        parts.iter().find(|part| part.name == name).map(|part| part.sha256.clone())
    };
    let changed = now.iter().filter_map(|part| match of(before, &part.name) {
        Some(sha256) if sha256 == part.sha256 => None,
        Some(_) => Some(format!("{} changed", part.name)),
        None => Some(format!("{} is new", part.name)),
    });
    let gone = before.iter().filter(|part| of(now, &part.name).is_none());
    let gone = gone.map(|part| format!("{} is no more", part.name));
    let all: Vec<String> = changed.chain(gone).collect();
    let more = all.len().saturating_sub(MOST_TOLD);
    let mut told = all.get(..MOST_TOLD.min(all.len()))?.join(", ");
    if more > 0 {
        told = format!("{told} and {more} more");
    }
    (!told.is_empty()).then_some(told)
}

/// As many differences are told.
const MOST_TOLD: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &[(&str, &str)], now: &[(&str, &str)]) -> Option<String> {
        let parts = |parts: &[(&str, &str)]| -> Vec<Part> {
            let part = |(name, sha256): &(&str, &str)| Part {
                name: (*name).to_owned(),
                sha256: (*sha256).to_owned(),
            };
            parts.iter().map(part).collect()
        };
        difference(&parts(before), &parts(now))
    }

    #[test]
    fn what_changed_came_and_went_is_told() {
        assert_eq!(check(&[("a", "1")], &[("a", "1")]), None);
        assert_eq!(check(&[("a", "1")], &[("a", "2")]).unwrap(), "a changed");
        assert_eq!(check(&[("a", "1")], &[("b", "1")]).unwrap(), "b is new, a is no more");
        let many = [("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")];
        assert_eq!(check(&[], &many).unwrap(), "a is new, b is new, c is new and 1 more");
    }
}
