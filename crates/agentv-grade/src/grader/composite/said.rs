//! What a composite says of its members: their hits and misses, each with the name of its member.

use agentv_base::{GraderResult, Score, Verdict, excerpt, reaches};

use crate::{
    numbers::share,
    panel,
    told::{and_more, first_of},
};

/// Hits, and misses, that a composite has at most: all of them stand in the results of its members.
const MOST: usize = 100;

/// A name can be as long as its author likes.
const NAME: usize = 80;

pub(super) fn name(result: &GraderResult) -> String {
    excerpt(&result.name, NAME)
}

/// This score, with what the members said. A member that says nothing of its own speaks by its
/// score.
pub(super) fn of_members(results: &[GraderResult], score: f64) -> Score {
    let silent = |result: &&GraderResult| result.hits.is_empty() && result.misses.is_empty();
    let scored = |result: &GraderResult, passed: bool| {
        let speaks = silent(&result) && passes(result) == passed;
        Some(format!("scored {}", share(result.score.filter(|_| speaks)?)))
    };
    let hits = results.iter().flat_map(|result| {
        let own = result.hits.iter().cloned().chain(scored(result, true));
        own.map(|hit| format!("[{}] {hit}", name(result)))
    });
    let misses = results.iter().flat_map(|result| {
        let own = result.misses.iter().cloned().chain(scored(result, false));
        own.map(|miss| format!("[{}] {miss}", name(result)))
    });
    Score { score, hits: bounded(hits), misses: bounded(misses), ..Score::default() }
}

/// What to say of each member that is required and did not reach what is required of it.
pub(super) fn barred(results: &[GraderResult]) -> Vec<String> {
    bounded(results.iter().filter(|result| panel::bars(result)).map(|result| {
        let scored = result.score.unwrap_or_default();
        let name = name(result);
        match result.required_score {
            Some(needed) if !reaches(scored, needed) => {
                let (scored, needed) = (share(scored), share(needed));
                format!("`{name}` scored {scored} and is required to reach {needed}")
            }
            _ => format!("`{name}` does not meet what is required of a part of it"),
        }
    }))
}

/// Whether a member reached its own bar: its `min_score`, else the threshold of the run.
pub(super) fn passes(result: &GraderResult) -> bool {
    result.verdict == Some(Verdict::Pass)
}

fn bounded(texts: impl Iterator<Item = String>) -> Vec<String> {
    first_of(texts, MOST, |text| text, and_more)
}
