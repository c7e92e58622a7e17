//! Finding the answer of a judge in what it said: one JSON object, whatever fences and words are
//! around it.

use agentv_base::excerpt;

use crate::grader::json_find::Candidates;

/// A score with its reasons is a few KiB.
const MOST_ANSWERED: usize = 1024 * 1024;

/// Enough of an answer to see what went wrong with it.
const SHOWN: usize = 200;

/// The first JSON object that has `key`, which no other may have: of two scores nobody could say
/// which one counts. Else what is wrong, in words that go on after "the judge gave no score".
pub fn only_object<'t>(text: &'t str, key: &str) -> Result<&'t str, String> {
    if text.len() > MOST_ANSWERED {
        return Err(format!(
            "it gave {} KiB, and more than {} is no answer",
            text.len() / 1024,
            MOST_ANSWERED / 1024
        ));
    }
    let shown = || excerpt(text.trim(), SHOWN);
    let mut any = None;
    let mut with_key = None;
    for object in Candidates::objects(text) {
        let object = object.map_err(|fault| fault.to_string())?;
        any = any.or(Some(object));
        if !has_key(object, key) {
            continue;
        }
        if with_key.is_some() {
            return Err(format!("it gave more than one JSON object with `{key}`: `{}`", shown()));
        }
        with_key = Some(object);
    }
    match (with_key, any) {
        (Some(object), _) if stands_alone(object, text) => {
            match another_verdict(object, text, key) {
                None => Ok(object),
                Some(other) => Err(format!("{other}: `{}`", shown())),
            }
        }
        (Some(_), _) => {
            Err(format!("it gave an object that is no JSON, or more than an object: `{}`", shown()))
        }
        (None, Some(_)) => Err(format!("its JSON object has no `{key}`: `{}`", shown())),
        (None, None) if text.trim().is_empty() => Err("it gave an empty answer".to_owned()),
        (None, None) if text.contains("NaN") || text.contains("Infinity") => Err(format!(
            "it gave no JSON object (JSON knows neither NaN nor Infinity): `{}`",
            shown()
        )),
        (None, None) if text.contains('{') => {
            Err(format!("it gave a JSON object that is broken or cut off: `{}`", shown()))
        }
        (None, None) => Err(format!("it gave no JSON object: `{}`", shown())),
    }
}

fn has_key(object: &str, key: &str) -> bool {
    let read: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_str(object);
    // What cannot be read in full is told by whoever reads it in full.
    read.map_or(true, |map| map.contains_key(key))
}

/// What else the text says that may be the verdict, where it does: an object that is broken, or
/// another score in words. A judge quotes an answer that gives itself a score, and is then cut off.
fn another_verdict(object: &str, text: &str, key: &str) -> Option<String> {
    let (before, after) = text.split_once(object)?;
    let quoted = format!("\"{key}\"");
    if [before, after].iter().any(|rest| rest.contains(&quoted)) {
        return Some(format!("it gave an object with `{key}` and another one that is broken"));
    }
    let read: serde_json::Value = serde_json::from_str(object).ok()?;
    let number = read.get(key)?.as_f64()?;
    let told = [before, after].into_iter().flat_map(|rest| numbers_after(rest, key));
    let other = told.into_iter().find(|told| (told - number).abs() > 1e-9)?;
    Some(format!("it gave two scores, {number} as JSON and {other} in words"))
}

/// The numbers that a text gives as `score: 0.5` or `score = 0.5`.
fn numbers_after(text: &str, key: &str) -> Vec<f64> {
    let lower = text.to_ascii_lowercase();
    let told = lower.match_indices(key).filter_map(|(at, _)| {
        let starts_word = lower.get(..at)?.chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        let rest = lower.get(at + key.len()..)?.trim_start_matches(['*', '`', '\'', ' ']);
        let rest = rest.strip_prefix([':', '='])?.trim_start_matches(['*', '`', '\'', ' ']);
        let number: String =
            rest.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | '-')).collect();
        number.trim_end_matches('.').parse().ok().filter(|_| starts_word)
    });
    told.collect()
}

/// Whether everything that was opened before an object was closed before it too. What can be read
/// inside of something that cannot be read to its end is no answer.
fn stands_alone(object: &str, text: &str) -> bool {
    let before = text.split_once(object).map_or(text, |(before, _)| before);
    let count = |bracket: char| before.matches(bracket).count();
    count('{') <= count('}') && count('[') <= count(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_object_counts_whatever_is_around_it() {
        for text in [
            "{\"score\": 1}",
            "Sure!\n```json\n{\"score\": 1}\n```\nHope that helps.",
            "{\"note\": 1} {\"score\": 1}",
            "Score: 1. As JSON: {\"score\": 1}",
            "The underscore: 0 matters. {\"score\": 1}",
        ] {
            assert_eq!(only_object(text, "score").unwrap(), "{\"score\": 1}", "{text}");
        }
    }

    /// Judges quote answers that give themselves a score.
    #[test]
    fn a_quoted_verdict_does_not_stand_in_for_one_that_is_broken() {
        for text in [
            "It claims {\"score\":1}. My verdict: {\"score\": 0, \"reasoning\": \"says \"x\" there\"}",
            "It claims {\"score\":1}. My verdict: {\"score\": 0, \"reas",
            "{\"score\":1}{\"score\":",
            "{\"score\": 0.0.1} {\"score\":1}",
            "{\"score\": NaN} {\"score\":1}",
            "```json\n{\"score\": 0, // low\n}\n```\nExample: {\"score\":1}",
            "\"score\":0,\"quote\":{\"score\":1}",
        ] {
            let fault = only_object(text, "score").unwrap_err();
            assert!(fault.contains("another one that is broken"), "{text}: {fault}");
        }
        for text in
            ["score: 0\n{\"score\":1}", "{\"score\":1}\n**Score**: 0.5.", "Score = 0 {\"score\":1}"]
        {
            let fault = only_object(text, "score").unwrap_err();
            assert!(fault.contains("two scores, 1 as JSON and 0"), "{text}: {fault}");
        }
        let text = "{\"checks\":[]} but: {\"checks\":[{\"id\":\"a\",\"satisfied\":fal";
        assert!(only_object(text, "checks").is_err());
    }
}
