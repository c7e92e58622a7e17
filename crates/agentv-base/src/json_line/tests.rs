//! Whatever `serde_json` writes is written the same here.

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use super::append_json;

fn check(value: &(impl Serialize + ?Sized)) {
    let mut written = b"before ".to_vec();
    append_json(&mut written, value).unwrap();
    let wanted = format!("before {}", serde_json::to_string(value).unwrap());
    assert_eq!(String::from_utf8(written).unwrap(), wanted);
}

#[derive(Serialize)]
enum Shape {
    Unit,
    New(u8),
    Tuple(i64, &'static str),
    Fields { a: Option<f64>, b: char },
}

#[derive(Serialize)]
struct Whole<'a> {
    #[serde(rename = "odd \"key\"\n")]
    odd: u128,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    absent: Option<u8>,
    shapes: [Shape; 4],
    unit: (),
    nothing: Nothing,
    pair: Pair,
    newtype: New,
    bytes: &'a [u8],
    #[serde(flatten)]
    more: BTreeMap<&'static str, f32>,
}

#[derive(Serialize)]
struct Nothing;
#[derive(Serialize)]
struct Pair(i128, bool);
#[derive(Serialize, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct New(i16);

#[test]
fn all_that_serde_knows_is_written_as_serde_json_does() {
    check(&Whole {
        odd: u128::MAX,
        text: "a \"b\" \\ \u{1f} \u{7f} \u{2028} é 🦀",
        absent: None,
        shapes: [
            Shape::Unit,
            Shape::New(0),
            Shape::Tuple(-5, "x"),
            Shape::Fields { a: Some(f64::NAN), b: '"' },
        ],
        unit: (),
        nothing: Nothing,
        pair: Pair(i128::MIN, true),
        newtype: New(-1),
        bytes: &[0, 255],
        more: BTreeMap::from([("inf", f32::INFINITY), ("tenth", 0.1)]),
    });
    check(&(1.0, 1e300, -0.0, 0.1 + 0.2, u64::MAX, f32::MIN_POSITIVE));
    check(&[0.0, -0.0, 1.0, -1.0, 100.0, 0.5, 123_456_789.0, 1e14, 999_999_999_999_999.0]);
    check(&[1e15, -1e15, 1e16, 1e17, 9.2e18, -9.3e18, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY]);
    check(&json!([[], {}, [[]], {"a": {}}]));
    check("");
}

/// What cannot be the key of a map in Rust.
struct Keyed<T>(T);

impl<T: Serialize> Serialize for Keyed<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(&self.0, ())])
    }
}

#[test]
fn keys_that_are_no_texts_are_put_in_quotes_or_refused() {
    check(&BTreeMap::from([(New(-1), 'a')]));
    check(&BTreeMap::from([(true, 0)]));
    check(&BTreeMap::from([('"', Some(1))]));
    check(&BTreeMap::from([(u128::MAX, 0)]));
    check(&Keyed(0.1));
    check(&Keyed(1e30_f32));
    for refused in [
        append_json(&mut Vec::new(), &BTreeMap::from([((1, 2), 3)])),
        append_json(&mut Vec::new(), &BTreeMap::from([(None::<u8>, 3)])),
        append_json(&mut Vec::new(), &Keyed(f64::NAN)),
        append_json(&mut Vec::new(), &Keyed(f32::INFINITY)),
    ] {
        assert_eq!(refused.unwrap_err().to_string(), "key must be a string");
    }
}

#[test]
fn what_is_written_in_pieces_is_one_text() {
    struct Pieces;
    impl Serialize for Pieces {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&format_args!("{}\n{:?}", "a\"", "b"))
        }
    }
    check(&Pieces);
}

#[test]
fn every_byte_is_escaped_wherever_it_stands() {
    for byte in 0..0x80_u8 {
        for before in 0..40 {
            let text = format!("{}{}{}", "x".repeat(before), char::from(byte), "y".repeat(20));
            check(&text);
        }
    }
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        any::<String>().prop_map(Value::from),
        "[a-z\"\\\\\n]{0,60}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_is_written_as_serde_json_does(value in anything()) {
        check(&value);
    }

    #[test]
    fn any_number_and_key_is_too(whole: Vec<i32>, floats: Vec<f64>, narrow: Vec<f32>, map: HashMap<i32, String>) {
        let whole: Vec<f64> = whole.into_iter().map(f64::from).collect();
        check(&(whole, floats, narrow, map));
    }
}
