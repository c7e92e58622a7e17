//! What a code judge says on its standard output: one JSON object with a `score`. Fields that are
//! not ours are the judge's own business.

use agentv_base::{Score, excerpt};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

/// Enough of an output to see what went wrong with it.
const SHOWN: usize = 200;

/// The score that `text` holds, or what is wrong with it.
pub(super) fn read(text: &str) -> Result<Score, String> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err("it printed nothing; a judge prints `{\"score\": …}`".to_owned());
    }
    let object = one_object(text)?;
    let said: Said = serde_json::from_str(object).map_err(|error| not_json(text, &error))?;
    Ok(Score {
        score: read_score(said.score)?,
        hits: read_texts("hits", said.hits)?,
        misses: read_texts("misses", said.misses)?,
        reasoning: read_reasoning(said.reasoning)?,
        ..Score::default()
    })
}

/// Fields of any type, so that a wrong one is told in our words; a field that stands there twice is
/// refused, since nobody could say which one counts.
#[derive(Deserialize)]
struct Said {
    score: Option<Value>,
    hits: Option<Value>,
    misses: Option<Value>,
    reasoning: Option<Value>,
}

/// The only JSON value in `text`, where it is an object.
fn one_object(text: &str) -> Result<&str, String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let first = match values.next() {
        Some(Ok(value)) => value.get(),
        Some(Err(error)) => return Err(not_json(text, &error)),
        None => return Err("it printed nothing".to_owned()),
    };
    match values.next() {
        None => {}
        Some(Ok(_)) => {
            return Err(format!("it printed more than one JSON value: `{}`", excerpt(text, SHOWN)));
        }
        Some(Err(_)) => {
            return Err(format!(
                "it printed more than its JSON object (other output belongs to standard error): `{}`",
                excerpt(text, SHOWN)
            ));
        }
    }
    if first.starts_with('{') {
        return Ok(first);
    }
    Err(format!("it printed JSON that is not an object: `{}`", excerpt(text, SHOWN)))
}

fn not_json(text: &str, error: &serde_json::Error) -> String {
    // The one mistake of this kind that a judge's author does not see: `json.dumps` writes both.
    let hint = if text.contains("NaN") || text.contains("Infinity") {
        "; JSON knows neither NaN nor Infinity"
    } else {
        ""
    };
    format!("it printed what is not a JSON object ({error}{hint}): `{}`", excerpt(text, SHOWN))
}

fn read_score(score: Option<Value>) -> Result<f64, String> {
    let score = score.ok_or("its output has no `score`")?;
    let Some(number) = score.as_f64() else {
        return Err(format!(
            "its `score` is not a number: `{}`",
            excerpt(&score.to_string(), SHOWN)
        ));
    };
    if (0.0..=1.0).contains(&number) {
        // Without the sign of a negative zero.
        return Ok(number + 0.0);
    }
    Err(format!("its `score` is {score}, which is not between 0 and 1"))
}

fn read_texts(key: &str, list: Option<Value>) -> Result<Vec<String>, String> {
    let Some(list) = list else {
        return Ok(Vec::new());
    };
    let texts: Vec<String> = serde_json::from_value(list)
        .map_err(|_| format!("its `{key}` is not a list of strings"))?;
    Ok(texts.into_iter().filter(|text| !text.trim().is_empty()).collect())
}

fn read_reasoning(reasoning: Option<Value>) -> Result<Option<String>, String> {
    match reasoning {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
        Some(_) => Err("its `reasoning` is not a string".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, fault: &str) {
        assert_eq!(read(text), Err(fault.to_owned()), "{text}");
    }

    #[test]
    fn a_score_alone_is_enough() {
        for text in [
            "{\"score\":1}",
            "\u{feff}\r\n{ \"score\" : 1.0 }\n\n",
            "{\"score\":1e0,\"verdict\":\"pass\",\"hits\":null}",
        ] {
            let score = Score { score: 1.0, ..Score::default() };
            assert_eq!(read(text), Ok(score), "{text}");
        }
    }

    #[test]
    fn hits_misses_and_reasoning_are_kept_without_blank_ones() {
        let text = r#"{"score":0.5,"hits":["a"," ",""],"misses":["b","\n"],"reasoning":"so so"}"#;
        assert_eq!(
            read(text),
            Ok(Score {
                score: 0.5,
                hits: vec!["a".to_owned()],
                misses: vec!["b".to_owned()],
                reasoning: Some("so so".to_owned()),
                ..Score::default()
            })
        );
    }

    #[test]
    fn a_negative_zero_is_zero() {
        assert!(read("{\"score\":-0.0}").unwrap().score.is_sign_positive());
    }

    #[test]
    fn what_is_not_one_json_object_is_a_fault_of_its_own_kind() {
        check(" \n", "it printed nothing; a judge prints `{\"score\": …}`");
        check("0.5", "it printed JSON that is not an object: `0.5`");
        check("[1]", "it printed JSON that is not an object: `[1]`");
        check(
            "{\"score\":1}\n{\"score\":0}",
            "it printed more than one JSON value: `{\"score\":1}\\n{\"score\":0}`",
        );
        check(
            "{\"score\":1} done",
            "it printed more than its JSON object (other output belongs to standard error): `{\"score\":1} done`",
        );
        check(
            "loading\n{\"score\":1}",
            "it printed what is not a JSON object (expected value at line 1 column 1): `loading\\n{\"score\":1}`",
        );
        check(
            "{\"score\":",
            "it printed what is not a JSON object (EOF while parsing a value at line 1 column 9): `{\"score\":`",
        );
        check(
            "{\"score\":NaN}",
            "it printed what is not a JSON object (expected value at line 1 column 10; JSON knows neither NaN nor Infinity): `{\"score\":NaN}`",
        );
    }

    #[test]
    fn a_score_given_twice_is_no_score() {
        check(
            "{\"score\":1,\"score\":0}",
            "it printed what is not a JSON object (duplicate field `score` at line 1 column 18): `{\"score\":1,\"score\":0}`",
        );
    }

    #[test]
    fn a_score_that_is_none_is_a_fault() {
        check("{}", "its output has no `score`");
        check("{\"score\":null}", "its output has no `score`");
        check("{\"score\":\"1\"}", "its `score` is not a number: `\"1\"`");
        check("{\"score\":true}", "its `score` is not a number: `true`");
        check("{\"score\":1.01}", "its `score` is 1.01, which is not between 0 and 1");
        check("{\"score\":-1}", "its `score` is -1, which is not between 0 and 1");
        let text = read("{\"score\":1e999}").unwrap_err();
        assert!(text.contains("number out of range"), "{text}");
    }

    #[test]
    fn texts_that_are_none_are_a_fault() {
        check("{\"score\":1,\"hits\":\"a\"}", "its `hits` is not a list of strings");
        check("{\"score\":1,\"misses\":[1]}", "its `misses` is not a list of strings");
        check("{\"score\":1,\"reasoning\":{}}", "its `reasoning` is not a string");
    }

    #[test]
    fn an_output_is_shown_short_and_harmless() {
        let text = read(&"\u{1b}x".repeat(10_000)).unwrap_err();
        assert!(text.len() < 500, "{text}");
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn deeply_nested_output_is_a_fault_and_not_the_end() {
        let deep = format!("{{\"score\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(read(&deep).is_err());
    }

    proptest! {
        #[test]
        fn any_output_is_a_score_between_0_and_1_or_a_fault(text in "[{}\\[\\]:,\"a-z0-9.eE+ -]*") {
            for text in [text.clone(), format!("{{\"score\":{text}}}")] {
                if let Ok(score) = read(&text) {
                    prop_assert!((0.0..=1.0).contains(&score.score));
                }
            }
        }

        #[test]
        fn every_score_between_0_and_1_is_kept_to_the_last_bit(score in 0.0..=1.0) {
            let text = serde_json::json!({"score": score}).to_string();
            prop_assert_eq!(read(&text).unwrap().score.to_bits(), f64::to_bits(score));
        }
    }
}
