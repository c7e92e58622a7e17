//! What a judge answers: a score with its reasons, or a check of each rubric. Whatever is wrong is
//! said in words that go on after "the judge gave no score".

use std::collections::HashMap;

use agentv_base::{Score, excerpt};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::rubric::Rubric;
use crate::{
    grader::code_judge,
    hearing::only_object,
    numbers::number,
    told::{and_more, first_of},
};

/// Enough of a value to see what is wrong with it.
const SHOWN: usize = 100;

/// Rubrics that are named of those without a check; more are counted.
const MOST_NAMED: usize = 20;

/// What was said of one rubric.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Check {
    /// From 0 to 1.
    pub(super) value: f64,
    /// The score of a rubric that has ranges.
    pub(super) score: Option<f64>,
    pub(super) reasoning: Option<String>,
}

/// What was said of all rubrics, in their order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Checks {
    pub(super) checks: Vec<Check>,
    pub(super) reasoning: Option<String>,
}

/// The score of an answer that is judged as a whole.
pub(super) fn read_score(text: &str) -> Result<Score, String> {
    only_object(text, "score").and_then(code_judge::read_score)
}

#[derive(Deserialize)]
struct SaidChecks<'t> {
    #[serde(borrow)]
    checks: &'t RawValue,
    overall_reasoning: Option<Value>,
}

/// Fields of any type, so that a wrong one is told in our words.
#[derive(Deserialize)]
struct Said {
    id: Option<Value>,
    satisfied: Option<Value>,
    score: Option<Value>,
    reasoning: Option<Value>,
}

/// Whether two ids differ in nothing but case and punctuation: then one is meant by the other.
fn is_like(a: &str, b: &str) -> bool {
    let plain = |id: &str| -> String {
        id.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    plain(a) == plain(b)
}

/// A check of every rubric. One that is left out, or given twice, also under a name like its own,
/// is no answer. What else a judge checks is nobody's business.
pub(super) fn read_checks(text: &str, rubrics: &[Rubric]) -> Result<Checks, String> {
    let object = only_object(text, "checks")?;
    // A key that stands there twice is refused, since nobody could say which one counts.
    let said: SaidChecks<'_> = serde_json::from_str(object)
        .map_err(|error| format!("its JSON object cannot be read ({error})"))?;
    let checks = said.checks.get();
    let items: Vec<&RawValue> = serde_json::from_str(checks)
        .map_err(|_| format!("its `checks` is not a list: `{}`", excerpt(checks, SHOWN)))?;
    let mut found: HashMap<String, Said> = HashMap::new();
    for (place, item) in items.into_iter().enumerate() {
        let check = read_check(item.get(), place + 1)?;
        let Some(Value::String(id)) = &check.id else {
            return Err(format!("check {} of its `checks` has no `id` that is a text", place + 1));
        };
        let id = id.trim().to_owned();
        if !rubrics.iter().any(|rubric| rubric.id == id) {
            if let Some(meant) = rubrics.iter().find(|rubric| is_like(&rubric.id, &id)) {
                let id = excerpt(&id, SHOWN);
                return Err(format!("it checks `{id}`, and the rubric is `{}`", meant.id));
            }
            continue;
        }
        if found.contains_key(&id) {
            return Err(format!("it checks `{id}` twice"));
        }
        found.insert(id, check);
    }
    let missing: Vec<&str> = rubrics
        .iter()
        .map(|rubric| rubric.id.as_str())
        .filter(|id| !found.contains_key(*id))
        .collect();
    if !missing.is_empty() {
        let named = first_of(missing.iter(), MOST_NAMED, |id| format!("`{id}`"), and_more);
        return Err(format!("it has no check of {}", named.join(", ")));
    }
    let checks: Result<Vec<Check>, String> = rubrics
        .iter()
        .filter_map(|rubric| Some(value_of(rubric, found.remove(&rubric.id)?)))
        .collect();
    let reasoning = text_of(said.overall_reasoning, || "its `overall_reasoning`".to_owned())?;
    Ok(Checks { checks: checks?, reasoning })
}

fn read_check(item: &str, place: usize) -> Result<Said, String> {
    serde_json::from_str(item).map_err(|error| {
        let what = if item.starts_with('{') {
            format!("cannot be read ({error})")
        } else {
            "is not an object".to_owned()
        };
        format!("check {place} of its `checks` {what}: `{}`", excerpt(item, SHOWN))
    })
}

fn value_of(rubric: &Rubric, said: Said) -> Result<Check, String> {
    let id = &rubric.id;
    let reasoning = text_of(said.reasoning, || format!("`reasoning` of its check of `{id}`"))?;
    let Some(ranges) = &rubric.ranges else {
        let value = match said.satisfied {
            Some(Value::Bool(satisfied)) => f64::from(u8::from(satisfied)),
            Some(other) => {
                return Err(format!(
                    "`satisfied` of its check of `{id}` is not true or false: `{}`",
                    shown(&other)
                ));
            }
            None => return Err(format!("its check of `{id}` has no `satisfied`")),
        };
        return Ok(Check { value, score: None, reasoning });
    };
    let score = said.score.ok_or_else(|| format!("its check of `{id}` has no `score`"))?;
    let Some(given) = score.as_f64() else {
        return Err(format!("`score` of its check of `{id}` is not a number: `{}`", shown(&score)));
    };
    let value = ranges.value(given).ok_or_else(|| {
        let (lowest, highest) = (number(ranges.lowest()), number(ranges.highest()));
        if (ranges.lowest()..=ranges.highest()).contains(&given) {
            return format!("`score` of its check of `{id}` is {score}, which is in no range");
        }
        format!(
            "`score` of its check of `{id}` is {score}, which is not between {lowest} and {highest}"
        )
    })?;
    Ok(Check { value, score: Some(given), reasoning })
}

fn text_of(value: Option<Value>, what: impl FnOnce() -> String) -> Result<Option<String>, String> {
    match value {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
        Some(other) => Err(format!("{} is not a text: `{}`", what(), shown(&other))),
    }
}

fn shown(value: &Value) -> String {
    excerpt(&value.to_string(), SHOWN)
}
