//! When two values of JSON are the same, for every grader that asks: the order of keys does not
//! count, and numbers are what they are worth, to the last digit, however they are written.

use serde_json::{Number, Value};

/// Deep equality in which 1 and 1.0 are the same number.
pub(crate) fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => equal_numbers(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key).is_some_and(|it| equal(one, it)))
        }
        _ => one == other,
    }
}

fn equal_numbers(one: &Number, other: &Number) -> bool {
    match (Quantity::of(one), Quantity::of(other)) {
        (Quantity::Whole(one), Quantity::Whole(other)) => one == other,
        (Quantity::Real(one), Quantity::Real(other)) => one.total_cmp(&other).is_eq(),
        _ => false,
    }
}

/// A finite number. Whole numbers are kept to the last digit, also where they are written `1.0`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Quantity {
    Whole(i128),
    Real(f64),
}

/// Whole numbers of this size and above are told apart as floating point has them.
const LARGE: f64 = 1e30;

impl Quantity {
    pub(crate) fn of(number: &Number) -> Self {
        match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Self::Whole(whole.into()),
            (None, Some(whole)) => Self::Whole(whole.into()),
            (None, None) => Self::of_real(number.as_f64().unwrap_or_default()),
        }
    }

    pub(crate) fn of_real(real: f64) -> Self {
        if real.fract() == 0.0 && real.abs() < LARGE {
            #[expect(clippy::cast_possible_truncation, reason = "whole, and far from the limit")]
            return Self::Whole(real as i128);
        }
        Self::Real(real)
    }

    pub(crate) fn real(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Real(real) => real,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_what_they_are_worth_to_the_last_digit() {
        for (one, other, same) in [
            (json!(1), json!(1.0), true),
            (json!(-0.0), json!(0), true),
            (json!(1e3), json!(1000), true),
            (json!(0.1), json!(0.1), true),
            (json!(1e300), json!(1e300), true),
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992_u64), false),
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0), false),
            (json!(9_007_199_254_740_992_u64), json!(9_007_199_254_740_992.0), true),
            (json!(u64::MAX), json!(1.844_674_407_370_955_2e19), false),
            (json!(-1), json!(u64::MAX), false),
            (json!(1), json!("1"), false),
            (json!({"a": 1, "b": [2]}), json!({"b": [2.0], "a": 1}), true),
            (json!({"a": null}), json!({}), false),
        ] {
            assert_eq!(equal(&one, &other), same, "{one} and {other}");
            assert_eq!(equal(&other, &one), same, "{other} and {one}");
        }
    }

    proptest! {
        #[test]
        fn whole_numbers_are_equal_where_they_are_the_same(one in any::<i64>(), other in any::<u64>()) {
            prop_assert!(equal(&json!(one), &json!(one)));
            prop_assert_eq!(equal(&json!(one), &json!(other)), i128::from(one) == i128::from(other));
        }

        #[test]
        fn a_decimal_equals_itself_and_the_whole_number_that_it_is(real in any::<f64>(), whole in any::<i32>()) {
            prop_assert!(equal(&json!(real), &json!(real)));
            prop_assert!(equal(&json!(f64::from(whole)), &json!(whole)));
        }
    }
}
