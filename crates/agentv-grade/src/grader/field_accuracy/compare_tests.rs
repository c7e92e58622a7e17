//! Values that are the same and values that are not, and what is said of them.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn within(tolerance: f64) -> Match {
    Match::Number { tolerance, relative: false }
}

fn share(tolerance: f64) -> Match {
    Match::Number { tolerance, relative: true }
}

fn right(how: &Match, expected: &Value, actual: &Value, said: &str) {
    assert_eq!(how.compare(expected, actual), Ok(said.to_owned()), "{expected} and {actual}");
}

fn wrong(how: &Match, expected: &Value, actual: &Value, said: &str) {
    assert_eq!(how.compare(expected, actual), Err(said.to_owned()), "{expected} and {actual}");
}

#[test]
fn exact_is_deep_equality_in_which_a_number_is_a_number() {
    for (expected, actual) in [
        (json!(1), json!(1.0)),
        (json!(-0.0), json!(0)),
        (json!({"a": [1, {"b": 2}], "c": null}), json!({"c": null, "a": [1.0, {"b": 2.0}]})),
        (json!(u64::MAX), json!(u64::MAX)),
        (json!("Ada"), json!("Ada")),
    ] {
        let said = format!("is {actual}");
        right(&Match::Exact, &expected, &actual, &said);
    }
    for (expected, actual, said) in [
        (json!("Ada"), json!("ada"), r#"is "ada", not "Ada""#),
        (json!(1), json!("1"), r#"is "1", not 1: a text, not a number"#),
        (json!(1), json!(null), "is null, not 1: null, not a number"),
        (json!([1, 2]), json!([2, 1]), "is [2,1], not [1,2]"),
        (json!({"a": 1}), json!({"a": 1, "b": null}), r#"is {"a":1,"b":null}, not {"a":1}"#),
        (
            json!(9_007_199_254_740_993_i64),
            json!(9_007_199_254_740_992.0),
            "is 9007199254740992.0, not 9007199254740993",
        ),
    ] {
        wrong(&Match::Exact, &expected, &actual, said);
    }
}

#[test]
fn a_number_may_be_as_far_away_as_the_tolerance() {
    right(&within(0.01), &json!(1.0), &json!(1.01), "is 1.01, within 0.01 of 1.0");
    right(&within(0.01), &json!(1.01), &json!(1.0), "is 1.0, within 0.01 of 1.01");
    right(&within(0.0), &json!(0.3), &json!(0.1 + 0.2), "is 0.30000000000000004, within 0 of 0.3");
    right(&within(0.0), &json!(3), &json!(3), "is 3");
    right(&within(1.0), &json!(100), &json!("101"), r#"is "101", within 1 of 100"#);
    right(&within(0.5), &json!("12.5"), &json!(13), r#"is 13, within 0.5 of "12.5""#);
    right(&within(0.0), &json!(1200), &json!("1.2e3"), r#"is "1.2e3", within 0 of 1200"#);
    wrong(&within(0.01), &json!(1.0), &json!(1.0101), "is 1.0101, not within 0.01 of 1.0");
    wrong(&within(0.0), &json!(3), &json!(4), "is 4, not 3");
    wrong(
        &within(0.0),
        &json!(9_007_199_254_740_993_i64),
        &json!(9_007_199_254_740_992_i64),
        "is 9007199254740992, not 9007199254740993",
    );
}

#[test]
fn a_relative_tolerance_is_a_share_of_what_is_expected() {
    right(&share(0.05), &json!(200), &json!(210), "is 210, within a share of 0.05 of 200");
    right(&share(0.05), &json!(-200), &json!(-190), "is -190, within a share of 0.05 of -200");
    right(&share(0.1), &json!(0.3), &json!(0.33), "is 0.33, within a share of 0.1 of 0.3");
    wrong(&share(0.05), &json!(200), &json!(211), "is 211, not within a share of 0.05 of 200");
    right(&share(0.05), &json!(0), &json!(0.0), "is 0.0, within a share of 0.05 of 0");
    wrong(&share(0.05), &json!(0), &json!(0.001), "is 0.001, not within a share of 0.05 of 0");
}

#[test]
fn only_plain_numbers_are_numbers() {
    for text in ["1", "-1", "+1.50", "0.5e-3", "1E5"] {
        assert!(is_plain_number(text), "{text}");
    }
    for text in
        ["", "1,234.50", "NaN", "inf", "-", ".5", "5.", "1e", "0x10", " 1", "1 EUR", "1_000"]
    {
        assert!(!is_plain_number(text), "{text}");
        wrong(
            &within(1.0),
            &json!(1),
            &json!(text),
            &format!("is {}, which is no number: 1 is expected", json!(text)),
        );
    }
    assert_eq!(within(1.0).fits(&json!("1e999")), Err(Unfit::NoNumber));
    assert_eq!(within(1.0).fits(&json!(true)), Err(Unfit::NoNumber));
}

#[test]
fn days_are_compared_and_times_are_not() {
    let dates = Match::Date(date::usual());
    let expected = json!("2025-03-04");
    right(&dates, &expected, &json!("2025-03-04"), r#"is "2025-03-04""#);
    right(
        &dates,
        &expected,
        &json!("4 March 2025"),
        r#"is "4 March 2025", the day of "2025-03-04""#,
    );
    right(
        &dates,
        &expected,
        &json!("2025-03-04T23:30:00-05:00"),
        r#"is "2025-03-04T23:30:00-05:00", the day of "2025-03-04""#,
    );
    for (actual, said) in [
        (json!("2025-03-05"), r#"is "2025-03-05", not the day of "2025-03-04""#),
        (json!("soon"), r#"is "soon", which is no date: "2025-03-04" is expected"#),
        (json!(20_250_304), r#"is 20250304, which is no date: "2025-03-04" is expected"#),
        (
            json!("03/04/2025"),
            r#"is "03/04/2025", which could be 2025-03-04 or 2025-04-03 (`formats` can say which): "2025-03-04" is expected"#,
        ),
    ] {
        wrong(&dates, &expected, &actual, said);
    }
    assert_eq!(dates.fits(&json!("2025-02-30")), Err(Unfit::NoDate));
    let two = Unfit::TwoDates("2025-03-04 or 2025-04-03".to_owned());
    assert_eq!(dates.fits(&json!("03/04/2025")), Err(two));
}

proptest! {
    #[test]
    fn decimals_at_the_edge_of_a_tolerance_are_within_it(cents in -1_000_000_i32..1_000_000, off in 0_i32..1_000) {
        let real = |cents: i32| f64::from(cents) / 100.0;
        let (expected, actual) = (json!(real(cents)), json!(real(cents + off)));
        prop_assert!(within(real(off)).compare(&expected, &actual).is_ok());
        prop_assert!(within(real(off)).compare(&expected, &json!(real(cents + off + 1))).is_err());
    }

    #[test]
    fn a_number_is_equal_to_itself_as_text(real in any::<f64>().prop_filter("finite", |real| real.is_finite())) {
        let text = json!(real).to_string();
        prop_assert!(within(0.0).compare(&json!(real), &json!(text)).is_ok());
        prop_assert!(Match::Exact.compare(&json!(real), &json!(real)).is_ok());
    }
}
