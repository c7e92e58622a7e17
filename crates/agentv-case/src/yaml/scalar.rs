//! What a scalar means: the core schema of YAML 1.2, no more.
//!
//! Dates, `yes`, `no`, `on` and `off` stay strings, as the author sees them.

use agentv_base::{Diagnostic, NodeValue};

/// What a scalar without quotes and without a tag means, where that is not the text itself.
pub(super) fn plain(text: &str) -> Option<NodeValue> {
    // Most plain scalars are words, and the first byte tells.
    match text.as_bytes().first() {
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => {
            integer(text).or_else(|| float(text).map(NodeValue::Float))
        }
        None | Some(b'~' | b'n' | b'N') => is_null(text).then_some(NodeValue::Null),
        Some(b't' | b'T' | b'f' | b'F') => boolean(text).map(NodeValue::Bool),
        Some(_) => None,
    }
}

/// A scalar that its author gave a type of the core schema; the problem where it does not fit.
pub(super) fn tagged(tag: &str, text: &str) -> Result<NodeValue, String> {
    let value = match tag {
        "str" => Some(string(text)),
        "null" => is_null(text).then_some(NodeValue::Null),
        "bool" => boolean(text).map(NodeValue::Bool),
        "int" => integer(text),
        "float" => float(text).map(NodeValue::Float),
        _ => return Err(format!("`!!{tag}` does not fit a scalar")),
    };
    value.ok_or_else(|| format!("`{text}` is not what its tag `!!{tag}` says"))
}

pub(super) fn string(text: &str) -> NodeValue {
    NodeValue::String(text.into())
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// A whole number; one that does not fit 64 bits becomes the nearest float.
fn integer(text: &str) -> Option<NodeValue> {
    let (digits, radix) = if let Some(digits) = text.strip_prefix("0x") {
        (digits, 16)
    } else if let Some(digits) = text.strip_prefix("0o") {
        (digits, 8)
    } else {
        (text.strip_prefix(['+', '-']).unwrap_or(text), 10)
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let negative = text.starts_with('-');
    let signed = if negative { text } else { digits };
    Some(match i64::from_str_radix(signed, radix) {
        Ok(value) => NodeValue::Integer(value),
        Err(_) => NodeValue::Float(large(digits, radix, negative)),
    })
}

/// The problem with a whole number that does not fit: it would be looked for, compared and sent
/// with other digits than it is written with.
pub(crate) fn lost_digits(text: &str, value: &NodeValue) -> Option<Diagnostic> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_whole = digits.starts_with("0x") || digits.bytes().all(|byte| byte.is_ascii_digit());
    let lost = is_whole && matches!(value, NodeValue::Float(_));
    lost.then(|| {
        Diagnostic::error("this whole number is beyond 64 bits and would lose its last digits")
            .code("large-number")
            .hint("put it in quotes")
    })
}

fn large(digits: &str, radix: u32, negative: bool) -> f64 {
    let size = if radix == 10 {
        digits.parse().unwrap_or(f64::INFINITY)
    } else {
        digits
            .chars()
            .filter_map(|c| c.to_digit(radix))
            .fold(0.0, |sum, digit| sum * f64::from(radix) + f64::from(digit))
    };
    if negative { -size } else { size }
}

fn float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" if text.starts_with('-') => return Some(f64::NEG_INFINITY),
        ".inf" | ".Inf" | ".INF" => return Some(f64::INFINITY),
        _ => {}
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(f64::NAN);
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    let exponent_fits = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    if has_digits && digits(whole) && digits(fraction) && exponent_fits {
        text.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use NodeValue::{Bool, Float, Integer, Null};

    use super::*;

    #[test]
    fn words_that_other_schemas_bend_stay_strings() {
        for text in [
            "2025-01-01",
            "yes",
            "no",
            "on",
            "off",
            "y",
            "1_000",
            "0b1",
            "1:30",
            "+",
            "-",
            ".",
            "0x",
            "0o8",
            "1e",
            "tRUE",
            "nil",
            "e3",
            "1.2.3",
            "+0x1F",
            "--1",
            "+.nan",
            "inf",
            "nan",
            "infinity",
            "-infinity",
            "ten",
            "-.",
            ".e1",
            "0xG",
        ] {
            assert_eq!(plain(text), None, "{text}");
        }
    }

    #[test]
    fn scalars_of_the_core_schema_get_their_type() {
        for (text, value) in [
            ("", Null),
            ("~", Null),
            ("NULL", Null),
            ("True", Bool(true)),
            ("false", Bool(false)),
            ("012", Integer(12)),
            ("-7", Integer(-7)),
            ("+7", Integer(7)),
            ("0x1F", Integer(31)),
            ("0o17", Integer(15)),
            ("9223372036854775807", Integer(i64::MAX)),
            ("-9223372036854775808", Integer(i64::MIN)),
            ("9223372036854775808", Float(9_223_372_036_854_775_808.0)),
            ("-9223372036854775809", Float(-9_223_372_036_854_775_809.0)),
            ("0xFFFFFFFFFFFFFFFF", Float(18_446_744_073_709_551_615.0)),
            ("1.5", Float(1.5)),
            ("1.", Float(1.0)),
            (".5", Float(0.5)),
            ("-1e3", Float(-1000.0)),
            ("+1.5E-1", Float(0.15)),
            (".inf", Float(f64::INFINITY)),
            ("-.INF", Float(f64::NEG_INFINITY)),
        ] {
            assert_eq!(plain(text), Some(value), "{text}");
        }
        assert!(matches!(plain(".nan"), Some(Float(value)) if value.is_nan()));
    }

    #[test]
    fn a_tag_decides_and_a_value_that_does_not_fit_it_is_a_problem() {
        assert_eq!(tagged("str", "012"), Ok(string("012")));
        assert_eq!(tagged("int", "12"), Ok(Integer(12)));
        assert_eq!(tagged("float", "1"), Ok(Float(1.0)));
        assert_eq!(tagged("null", ""), Ok(Null));
        assert_eq!(tagged("int", "x"), Err("`x` is not what its tag `!!int` says".to_owned()));
        assert_eq!(tagged("map", "x"), Err("`!!map` does not fit a scalar".to_owned()));
    }
}
