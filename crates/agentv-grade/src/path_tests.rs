//! Paths that are read and followed, paths that are not, and that no text is too odd for either.

use proptest::prelude::*;
use serde_json::json;

use super::{steps::SEVERAL, *};

fn invoice() -> Value {
    json!({
        "total": 12,
        "a.b": {"c d": 1},
        "lines": [{"amount": 5, "tags": []}, {"amount": 7}],
        "it's": {"\"q\"": null},
    })
}

/// What a path leads to in the invoice, as JSON; where it ended else.
fn check(path: &str) -> Result<Value, String> {
    let path = Path::parse(path).unwrap_or_else(|fault| panic!("{path}: {fault:?}"));
    match path.find(&invoice()) {
        Found::One(value) => Ok(value.clone()),
        Found::Several(values) => Ok(json!({ "several": values })),
        Found::Absent(why) => Err(why),
    }
}

#[test]
fn a_path_leads_to_a_value_by_names_and_indices() {
    for (path, value) in [
        ("total", json!(12)),
        ("lines[0].amount", json!(5)),
        ("lines[-1]", json!({"amount": 7})),
        ("lines.1.amount", json!(7)),
        ("lines[ 1 ]['amount']", json!(7)),
        (r#"["a.b"]["c d"]"#, json!(1)),
        ("['a.b'].c d", json!(1)),
        (r#"it's['"q"']"#, json!(null)),
        (r#"['it\'s']["\"q\""]"#, json!(null)),
        ("$.total", json!(12)),
        ("$['lines'][1].amount", json!(7)),
        ("$", invoice()),
    ] {
        assert_eq!(check(path), Ok(value), "{path}");
    }
}

#[test]
fn a_json_path_may_select_several_values() {
    for (path, values) in [
        ("$.lines[*].amount", json!([5, 7])),
        ("$..amount", json!([5, 7])),
        ("$.lines[0:1].amount", json!([5])),
        ("$.lines[?@.amount > 5].amount", json!([7])),
    ] {
        assert_eq!(check(path), Ok(json!({ "several": values })), "{path}");
        assert!(Path::parse(path).unwrap().selects_several());
    }
    assert!(!Path::parse("$.lines[0]").unwrap().selects_several());
}

#[test]
fn a_way_that_ends_says_where() {
    for (path, ended) in [
        ("sum", "the answer has no `sum`"),
        ("lines[2].amount", "`lines` has 2 items"),
        ("lines[-3]", "`lines` has 2 items"),
        ("lines.2", "`lines` has 2 items"),
        ("lines.-1", "`lines` is a list"),
        ("lines[0].tags[0]", "`lines[0].tags` has 0 items"),
        ("total.net", "`total` is a number"),
        ("lines.amount", "`lines` is a list"),
        ("total[0]", "`total` is a number"),
        ("[\"a.b\"].x.y", "`[\"a.b\"]` has no `x`"),
        ("$.lines[7].amount", "`lines` has 2 items"),
        ("$..nothing", "it selects nothing"),
    ] {
        assert_eq!(check(path), Err(ended.to_owned()), "{path}");
    }
}

#[test]
fn a_path_that_cannot_be_read_is_told_at_its_place() {
    for (path, column, message) in [
        ("  ", 1, "it is blank"),
        ("a..b", 3, "a name is missing"),
        ("a.", 3, "a name is missing"),
        ("ä.b]", 4, "this `]` closes nothing"),
        ("a[*].b", 3, SEVERAL),
        ("a.*", 3, SEVERAL),
        ("a[b]", 3, "a whole number or a name in quotes must stand in brackets"),
        ("a[]", 3, "a whole number or a name in quotes must stand in brackets"),
        ("a[0", 4, "`]` must come here"),
        ("a[0]b", 5, "`.` or `[` must come here"),
        ("a[\"b]", 3, "this quote is not closed"),
        (r#"a["\x"]"#, 3, "this name has an escape that JSON does not know"),
        ("a.\"b\"", 3, "a name in quotes stands in brackets, as in `[\"a.b\"]`"),
        ("a. b", 3, "a name with blanks around it stands in `[\"…\"]`"),
        ("a[99999999999999999999]", 3, "this number is too large"),
        ("$.a[", 4, "this is no JSONPath"),
        ("$ref", 2, "this is no JSONPath"),
        ("$.a[?@.b == $.c]", 13, "`$` can stand at the start only; below, `@` is known"),
        ("$..a..b", 5, "`..` can be used once only"),
        ("$[0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0][0,0]", 44, "it has more than 8 commas"),
        ("$[?((((((@))))))]", 8, "brackets stand deeper than 5 in each other"),
    ] {
        let fault = Path::parse(path).unwrap_err();
        let problem = fault.problem("path", path, Span::default());
        let expected = format!("`path` cannot be read at character {column}: {message}");
        assert_eq!((problem.message.as_str(), problem.code), (expected.as_str(), "bad-path"));
    }
    assert!(Path::parse(&"a".repeat(1_001)).is_err());
}

#[test]
fn a_problem_points_to_the_rest_of_the_path() {
    let fault = Path::parse("a.b.b[x]").unwrap_err();
    let piece = fault.problem("path", "a.b.b[x]", Span::default()).piece.unwrap();
    assert_eq!((piece.text.as_str(), piece.before), ("x]", 0));
}

#[test]
fn ways_to_write_the_same_path_are_the_same() {
    for path in ["a.b[0]", "$.a.b[0]", "['a'][\"b\"][ 0 ]"] {
        assert_eq!(Path::parse(path).unwrap().canonical(), "a.b[0]");
    }
}

proptest! {
    #[test]
    fn no_text_can_upset_it(text in any::<String>(), json_path in r#"\$([.\[\]*?@()'"0-9:,a-c\\<>=&|!é -]|\.\.){0,40}"#) {
        for text in [text, json_path] {
            match Path::parse(&text) {
                Ok(path) => _ = path.find(&json!({"a": [{"b": [1, 2, {"c": "é"}]}], "b": {"a": null}})),
                Err(fault) => {
                    prop_assert!(text.is_char_boundary(fault.at), "{}", fault.at);
                    fault.problem("path", &text, Span::default());
                }
            }
        }
    }

    #[test]
    fn indices_and_slices_of_any_size_are_followed(from in any::<i64>(), to in any::<i64>(), step in any::<i64>()) {
        for text in [format!("$[{from}:{to}:{step}]"), format!("$[{from}]"), format!("a[{from}]")] {
            if let Ok(path) = Path::parse(&text) {
                path.find(&json!([1, 2, 3]));
            }
        }
    }

    #[test]
    fn a_name_of_any_letters_is_found_in_quotes(name in any::<String>()) {
        let path = Path::parse(&format!("[{}]", Value::from(name.as_str())));
        prop_assume!(name.len() < 200);
        let value = json!({name: 1});
        prop_assert_eq!(path.unwrap().find(&value), Found::One(&json!(1)));
    }
}
