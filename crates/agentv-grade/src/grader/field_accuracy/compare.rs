//! How an expected value and that of an answer are compared: deeply, as numbers, or as days.

use serde_json::Value;

use super::date::{self, Format, Read};
use crate::{
    grader::json_text::{kind_of, shown},
    json_value::{Quantity, equal},
};

#[derive(Debug)]
pub(super) enum Match {
    Exact,
    Number { tolerance: f64, relative: bool },
    Date(Vec<Format>),
}

/// Why an expected value is nothing to compare by.
#[derive(Debug, PartialEq)]
pub(super) enum Unfit {
    NoNumber,
    NoDate,
    TwoDates(String),
}

impl Match {
    /// Whether it can be compared with `expected` at all.
    pub(super) fn fits(&self, expected: &Value) -> Result<(), Unfit> {
        match self {
            Self::Exact => Ok(()),
            Self::Number { .. } => quantity_of(expected).map(|_| ()).ok_or(Unfit::NoNumber),
            Self::Date(formats) => match read_day(expected, formats) {
                Read::Day(_) => Ok(()),
                Read::Either(one, other) => Err(Unfit::TwoDates(format!("{one} or {other}"))),
                Read::Nothing => Err(Unfit::NoDate),
            },
        }
    }

    /// What is to be said of `actual`, in words that go on after the path: it is what is expected,
    /// or it is not.
    pub(super) fn compare(&self, expected: &Value, actual: &Value) -> Result<String, String> {
        match self {
            Self::Exact => exact(expected, actual),
            Self::Number { tolerance, relative } => number(expected, actual, *tolerance, *relative),
            Self::Date(formats) => day(expected, actual, formats),
        }
    }
}

fn exact(expected: &Value, actual: &Value) -> Result<String, String> {
    if equal(expected, actual) {
        return Ok(format!("is {}", shown(actual)));
    }
    let said = format!("is {}, not {}", shown(actual), shown(expected));
    Err(match (kind_of(actual), kind_of(expected)) {
        (is, wanted) if is == wanted => said,
        (is, wanted) => format!("{said}: {is}, not {wanted}"),
    })
}

/// The number in a value: a JSON number, or a text that is one and nothing else.
fn quantity_of(value: &Value) -> Option<Quantity> {
    match value {
        Value::Number(number) => Some(Quantity::of(number)),
        Value::String(text) if is_plain_number(text) => match text.parse() {
            Ok(whole) => Some(Quantity::Whole(whole)),
            Err(_) => {
                text.parse().ok().filter(|real: &f64| real.is_finite()).map(Quantity::of_real)
            }
        },
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

/// Digits with a sign, a point and an exponent where it has them: no separators, no units.
fn is_plain_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = |text: &str| digits(text.strip_prefix(['+', '-']).unwrap_or(text));
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, decimals) = match mantissa.split_once('.') {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (mantissa, None),
    };
    unsigned(whole) && decimals.is_none_or(digits) && exponent.is_none_or(unsigned)
}

/// Decimals are kept as the nearest binary fractions: 1.01 − 1.00 is a little more than 0.01.
/// Each of the numbers is off by half of this at most, and so is what is computed of them.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Whether two numbers are no further apart than allowed, the last bits aside.
fn is_near(expected: Quantity, actual: Quantity, bound: f64) -> bool {
    if let (Quantity::Whole(expected), Quantity::Whole(actual)) = (expected, actual)
        && let Some(apart) = expected.checked_sub(actual)
    {
        // These are exact, and only the bound is not: two long numbers stay two.
        return apart.unsigned_abs() as f64 <= bound * (1.0 + ROUNDING);
    }
    let (expected, actual) = (expected.real(), actual.real());
    let largest = expected.abs().max(actual.abs()).max(bound);
    (expected - actual).abs() <= bound + ROUNDING * largest
}

fn number(
    expected: &Value,
    actual: &Value,
    tolerance: f64,
    relative: bool,
) -> Result<String, String> {
    let (Some(wanted), Some(found)) = (quantity_of(expected), quantity_of(actual)) else {
        return Err(format!(
            "is {}, which is no number: {} is expected",
            shown(actual),
            shown(expected)
        ));
    };
    let bound = if relative { tolerance * wanted.real().abs() } else { tolerance };
    let (near, actual, expected) = (is_near(wanted, found, bound), shown(actual), shown(expected));
    let share = if relative { "a share of " } else { "" };
    let within = format!("within {share}{tolerance} of {expected}");
    match (near, actual == expected) {
        (true, true) => Ok(format!("is {actual}")),
        (true, false) => Ok(format!("is {actual}, {within}")),
        (false, _) if tolerance > 0.0 => Err(format!("is {actual}, not {within}")),
        (false, _) => Err(format!("is {actual}, not {expected}")),
    }
}

fn read_day(value: &Value, formats: &[Format]) -> Read {
    value.as_str().map_or(Read::Nothing, |text| date::read(text, formats))
}

fn day(expected: &Value, actual: &Value, formats: &[Format]) -> Result<String, String> {
    let (shown, wanted) = (shown(actual), shown(expected));
    match (read_day(actual, formats), read_day(expected, formats)) {
        (Read::Day(day), Read::Day(other)) if day == other && actual == expected => {
            Ok(format!("is {shown}"))
        }
        (Read::Day(day), Read::Day(other)) if day == other => {
            Ok(format!("is {shown}, the day of {wanted}"))
        }
        (Read::Day(_), _) => Err(format!("is {shown}, not the day of {wanted}")),
        (Read::Either(one, other), _) => Err(format!(
            "is {shown}, which could be {one} or {other} (`formats` can say which): {wanted} is \
             expected"
        )),
        (Read::Nothing, _) => Err(format!("is {shown}, which is no date: {wanted} is expected")),
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
