//! Numbers in what is said: as people write them, and short however large or small they are.

/// With all its digits; one that is huge or tiny with an exponent.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 || (1e-6..1e15).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// A score or a share: four digits are enough to compare by, and what is not 1 never looks like 1.
pub(crate) fn share(value: f64) -> String {
    let rounded = rounded(value, 1e4);
    number(if rounded >= 1.0 && value < 1.0 - 1e-9 { 0.9999 } else { rounded })
}

/// Milliseconds without digits that say nothing.
pub(crate) fn milliseconds(duration: f64) -> String {
    format!("{} ms", number(rounded(duration, 1e3)))
}

/// How often something happened.
pub(crate) fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// To the digits of `scale`. A number that is so large that it cannot be scaled has none behind the
/// point.
fn rounded(value: f64, scale: f64) -> f64 {
    let scaled = value * scale;
    if scaled.is_finite() { scaled.round() / scale } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_short_however_large_or_small() {
        for (value, shown) in [
            (0.0, "0"),
            (1500.0, "1500"),
            (0.25, "0.25"),
            (0.000_001, "0.000001"),
            (1e-9, "1e-9"),
            (1e300, "1e300"),
        ] {
            assert_eq!(number(value), shown);
        }
    }

    #[test]
    fn what_is_not_1_never_looks_like_1() {
        for (value, shown) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (2.0 / 3.0, "0.6667"),
            (0.999_99, "0.9999"),
            (1.0 - 1e-12, "1"),
            (1.0, "1"),
            (0.000_01, "0"),
        ] {
            assert_eq!(share(value), shown);
        }
    }

    #[test]
    fn milliseconds_are_short_and_never_infinite() {
        for (duration, shown) in [
            (0.0, "0 ms"),
            (100.0, "100 ms"),
            (0.123_456, "0.123 ms"),
            (1e300, "1e300 ms"),
            (f64::MAX, "1.7976931348623157e308 ms"),
        ] {
            assert_eq!(milliseconds(duration), shown);
        }
    }

    #[test]
    fn times_are_counted_in_words() {
        assert_eq!([0, 1, 2].map(times), ["0 times", "once", "2 times"]);
    }
}
