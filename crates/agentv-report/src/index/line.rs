//! A line of `results.jsonl` as far as the index needs it. Everything else is passed over, which is
//! many times faster than reading the whole row.

use std::borrow::Cow;

use serde::Deserialize;

use crate::{
    record::{Row, Status, from_line, spent_on},
    recorded::row_of_any,
};

/// What the index keeps of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line<'a> {
    pub(super) eval_id: Cow<'a, str>,
    pub(super) dataset: Cow<'a, str>,
    pub(super) suite: Cow<'a, str>,
    pub(super) target: Cow<'a, str>,
    pub(super) repeat: u32,
    pub(super) place: Option<u64>,
    pub(super) status: Status,
    pub(super) score: Option<f64>,
    pub(super) cost: Option<f64>,
    pub(super) tags: Vec<Cow<'a, str>>,
    /// Written by some other program, or an earlier version.
    pub(super) is_foreign: bool,
}

#[derive(Deserialize)]
struct Light<'a> {
    #[serde(borrow)]
    eval_id: Cow<'a, str>,
    #[serde(borrow)]
    dataset: Cow<'a, str>,
    #[serde(borrow)]
    suite: Cow<'a, str>,
    #[serde(borrow)]
    target: Cow<'a, str>,
    repeat: u32,
    status: Status,
    #[serde(default)]
    score: Option<f64>,
    #[serde(default)]
    line: Option<u64>,
    #[serde(default)]
    cost_usd: Option<f64>,
    #[serde(default)]
    cached: bool,
    #[serde(borrow, default)]
    tags: Vec<Cow<'a, str>>,
    #[serde(default)]
    failed_attempts: Vec<LightCost>,
    #[serde(default)]
    evaluator_results: Option<Vec<LightGrader>>,
}

#[derive(Deserialize)]
struct LightCost {
    #[serde(default)]
    cost_usd: Option<f64>,
}

#[derive(Deserialize)]
struct LightGrader {
    #[serde(default)]
    judge: Option<LightCost>,
    #[serde(default)]
    evaluator_results: Vec<LightGrader>,
}

impl<'a> Line<'a> {
    /// The row on a line that is not empty, or why it is none.
    pub(super) fn read(line: &'a [u8]) -> Result<Self, String> {
        let light = from_line::<Light<'a>>(line);
        match light {
            Ok(light) if light.is_sound() => Ok(light.into()),
            // Whatever is not quite a row of ours is looked at as a whole.
            _ => row_of_any(line).map(Self::of_row).map_err(|problem| problem.to_string()),
        }
    }

    fn of_row(row: Row<'static>) -> Self {
        let cost = spent_on(&row).cost_usd;
        Self {
            eval_id: row.eval_id,
            dataset: row.dataset,
            suite: row.suite,
            target: row.target,
            repeat: row.repeat,
            place: row.line.map(|line| line as u64),
            status: row.status,
            score: row.score.filter(|_| row.status != Status::Error),
            cost,
            tags: row.tags,
            is_foreign: row.fingerprint.is_none() && row.line.is_none(),
        }
    }
}

impl Light<'_> {
    fn is_sound(&self) -> bool {
        let has_score = self.score.is_some_and(|score| (0.0..=1.0).contains(&score));
        self.status == Status::Error || has_score
    }

    /// As `spent_on` has it of a whole row.
    fn cost(&self) -> Option<f64> {
        let judges = judges(self.evaluator_results.as_deref().unwrap_or_default());
        if self.cached {
            return judges;
        }
        let failed = self.failed_attempts.iter().map(|attempt| finite(attempt.cost_usd));
        failed.fold(plus(finite(self.cost_usd), judges), plus)
    }
}

impl<'a> From<Light<'a>> for Line<'a> {
    fn from(light: Light<'a>) -> Self {
        let cost = light.cost();
        Self {
            score: light.score.filter(|_| light.status != Status::Error),
            cost,
            eval_id: light.eval_id,
            dataset: light.dataset,
            suite: light.suite,
            target: light.target,
            repeat: light.repeat,
            place: light.line,
            status: light.status,
            tags: light.tags,
            is_foreign: false,
        }
    }
}

fn judges(results: &[LightGrader]) -> Option<f64> {
    results.iter().fold(None, |sum, result| {
        let own = result.judge.as_ref().and_then(|judge| finite(judge.cost_usd));
        plus(plus(sum, own), judges(&result.evaluator_results))
    })
}

fn finite(cost: Option<f64>) -> Option<f64> {
    cost.filter(|cost| cost.is_finite())
}

/// What is unknown adds nothing, and two unknowns stay unknown.
fn plus(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or(0.0) + other.unwrap_or(0.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{
        Keeping,
        sample::{full_response, grader, settled},
    };

    /// A row read lightly is the row read as a whole.
    fn check(line: &str) -> Line<'_> {
        let light = Line::read(line.as_bytes()).unwrap();
        let whole = Line::of_row(row_of_any(line.as_bytes()).unwrap());
        assert_eq!(Line { is_foreign: light.is_foreign, ..whole }, light);
        light
    }

    #[test]
    fn a_row_read_lightly_is_the_row_read_as_a_whole() {
        let graders = vec![grader("has", 1.0, &["x"], &[])];
        let case = settled(
            0,
            "a \"quoted\" one",
            crate::record::sample::assessed(full_response(), graders),
        );
        let row = Row::of(&case, Keeping::default()).unwrap();
        let line = check(&serde_json::to_string(&row).unwrap()).cost;
        assert_eq!(line, Some(0.0125));
    }

    #[test]
    fn costs_of_judges_and_of_attempts_that_failed_count_and_an_answer_that_was_kept_costs_nothing()
    {
        let row = |cached: bool| {
            format!(
                r#"{{"timestamp":"2026-01-01T00:00:00.000Z","eval_id":"a","dataset":"d","suite":"s","target":"t","repeat":1,"status":"passed","score":1,"verdict":"pass","threshold":0.8,"hits":[],"misses":[],"candidate_answer":"x","evaluator_results":[{{"name":"n","type":"composite","score":1,"weight":1,"verdict":"pass","hits":[],"misses":[],"duration_ms":1,"evaluator_results":[{{"name":"j","type":"llm_judge","score":1,"weight":1,"verdict":"pass","hits":[],"misses":[],"duration_ms":1,"judge":{{"target":"j","asks":1,"cost_usd":0.5}}}}]}}],"attempts":2,"failed_attempts":[{{"error":"e","error_kind":"timeout","duration_ms":1,"cost_usd":0.25}}],"cost_usd":1.0,"cached":{cached}}}"#
            )
        };
        assert_eq!(check(&row(false)).cost, Some(1.75));
        assert_eq!(check(&row(true)).cost, Some(0.5));
    }

    #[test]
    fn rows_of_the_original_are_read_and_what_is_none_is_said() {
        let line = check(r#"{"eval_id":"a","score":0.5}"#);
        assert!(line.is_foreign && line.status == Status::Failed);
        assert!(Line::read(b"{\"eval_id\":\"a\",\"score\":7}").is_err());
        assert!(Line::read(b"hello").is_err());
    }
}
