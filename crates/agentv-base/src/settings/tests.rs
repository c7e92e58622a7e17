//! Keys that are known, misspelt, doubled or free, and values of every type.

use std::sync::Arc;

use super::*;

const KEYS: &[Key] = &[
    Key::new("command_template", Shape::Name, "").or(&["command"]),
    Key::new("workers", Shape::Count, ""),
];

fn map(entries: &[(&str, NodeValue)]) -> Node {
    let entries: Vec<Entry> = entries
        .iter()
        .map(|(key, value)| Entry {
            key: (*key).into(),
            key_span: Span::default(),
            value: Node::new(Span::default(), value.clone()),
        })
        .collect();
    Node::new(Span::default(), NodeValue::Map(Arc::from(entries)))
}

fn text(value: &str) -> NodeValue {
    NodeValue::String(value.into())
}

fn messages(problems: &Problems) -> Vec<String> {
    problems.iter().map(|problem| problem.message.clone()).collect()
}

#[test]
fn a_key_is_found_by_its_alias_and_in_camel_case() {
    for name in ["command_template", "command", "commandTemplate"] {
        let node = map(&[(name, text("x"))]);
        let mut problems = Problems::default();
        let fields = Fields::read(&node, "target", &[KEYS], &mut problems).unwrap();
        assert_eq!(fields.string("command_template", &mut problems), Some("x"));
        assert!(problems.is_empty());
    }
}

#[test]
fn an_unknown_key_is_an_error_that_names_the_nearest() {
    let node = map(&[("wokers", NodeValue::Integer(1))]);
    let mut problems = Problems::default();
    Fields::read(&node, "target", &[KEYS], &mut problems);
    assert_eq!(messages(&problems), ["unknown key `wokers` in target"]);
    assert_eq!(problems.iter().next().unwrap().hint.as_deref(), Some("did you mean `workers`?"));
}

#[test]
fn a_misspelt_key_is_told_once_and_what_is_below_it_is_checked() {
    let node = map(&[("wokers", NodeValue::Integer(0)), ("comand", NodeValue::Null)]);
    let mut problems = Problems::default();
    let fields = Fields::read(&node, "target", &[KEYS], &mut problems).unwrap();
    fields.count("workers", &mut problems);
    assert_eq!(
        messages(&problems),
        [
            "unknown key `wokers` in target",
            "unknown key `comand` in target",
            "`workers` must be a whole number of at least 1",
        ]
    );
    assert!(fields.entry("command_template").is_some());
}

#[test]
fn a_value_that_does_not_look_like_that_of_the_key_that_was_guessed_is_left_alone() {
    let node = map(&[("wokers", text("many")), ("comand", NodeValue::Integer(1))]);
    let mut problems = Problems::default();
    let fields = Fields::read(&node, "target", &[KEYS], &mut problems).unwrap();
    assert_eq!(fields.count("workers", &mut problems), None);
    assert_eq!(fields.required("command_template", &mut problems), None);
    assert_eq!(
        messages(&problems),
        ["unknown key `wokers` in target", "unknown key `comand` in target"]
    );
}

#[test]
fn a_word_that_meant_a_boolean_once_is_told_how_to_write_it() {
    for (written, hint) in [
        ("yes", Some("write `true`: YAML 1.2 has no yes and no")),
        ("Off", Some("write `false`: YAML 1.2 has no yes and no")),
        ("maybe", None),
    ] {
        let (node, mut problems) = (map(&[("quick", text(written))]), Problems::default());
        let table: &[Key] = const { &[Key::new("quick", Shape::Bool, "")] };
        let fields = Fields::read(&node, "target", &[table], &mut problems).unwrap();
        assert_eq!(fields.boolean("quick", &mut problems), None);
        fields.boolean_or("quick", "a number", &mut problems);
        assert_eq!(
            messages(&problems),
            [
                "`quick` must be true or false, not a string",
                "`quick` must be true, false or a number, not a string"
            ]
        );
        for problem in problems.iter() {
            assert_eq!(problem.hint.as_deref(), hint);
        }
    }
}

#[test]
fn a_misspelt_key_does_not_take_the_place_of_one_that_is_there() {
    let node = map(&[("wokers", NodeValue::Integer(1)), ("workers", NodeValue::Integer(2))]);
    let mut problems = Problems::default();
    let fields = Fields::read(&node, "target", &[KEYS], &mut problems).unwrap();
    assert_eq!(fields.count("workers", &mut problems), Some(2));
    assert_eq!(messages(&problems), ["unknown key `wokers` in target"]);
}

#[test]
fn a_misspelt_free_key_is_told_its_name() {
    let node = map(&[("metdata", text("x"))]);
    let mut problems = Problems::default();
    Fields::read(&node, "target", &[KEYS], &mut problems);
    let hints: Vec<_> = problems.iter().map(|problem| problem.hint.clone()).collect();
    assert_eq!(hints, [Some("did you mean `metadata`?".to_owned())]);
}

#[test]
fn free_keys_and_keys_of_the_authors_own_are_left_alone() {
    let node = map(&[("metadata", text("x")), ("x-owner", text("x")), ("note", text("x"))]);
    let mut problems = Problems::default();
    Fields::read(&node, "target", &[KEYS], &mut problems);
    assert!(problems.is_empty());
}

#[test]
fn one_key_under_two_names_is_an_error() {
    let node = map(&[("command", text("a")), ("command_template", text("b"))]);
    let mut problems = Problems::default();
    Fields::read(&node, "target", &[KEYS], &mut problems);
    assert_eq!(
        messages(&problems),
        ["`command_template` and `command` are the same key of target"]
    );
}

#[test]
fn a_count_takes_whole_numbers_from_one() {
    for (value, expected) in [
        (NodeValue::Integer(3), Some(3)),
        (text("3"), Some(3)),
        (NodeValue::Integer(0), None),
        (NodeValue::Float(1.5), None),
    ] {
        let node = map(&[("workers", value)]);
        let mut problems = Problems::default();
        let fields = Fields::read(&node, "target", &[KEYS], &mut problems).unwrap();
        assert_eq!(fields.count("workers", &mut problems), expected);
        assert_eq!(problems.is_empty(), expected.is_some());
    }
}

#[test]
fn a_limit_may_be_zero_and_not_less() {
    for (value, limit, said) in [
        (NodeValue::Integer(0), Some(0.0), None),
        (NodeValue::Float(1.5), Some(1.5), None),
        (text(" 2.5 "), Some(2.5), None),
        (NodeValue::Float(-0.5), None, Some("`max` must not be negative")),
        (text("-1"), None, Some("`max` must not be negative")),
        (text("inf"), None, Some("`max` must be a number, not a string")),
        (NodeValue::Float(f64::NAN), None, Some("`max` must be a number, not NaN")),
    ] {
        let (node, mut problems) = (map(&[("max", value)]), Problems::default());
        let table: &[Key] = const { &[Key::new("max", Shape::Limit, "")] };
        let fields = Fields::read(&node, "target", &[table], &mut problems).unwrap();
        assert_eq!(fields.limit("max", &mut problems), limit);
        assert_eq!(messages(&problems).first().map(String::as_str), said);
    }
}

#[test]
fn a_limit_of_a_count_is_whole() {
    for (value, limit, said) in [
        (NodeValue::Integer(0), Some(0), None),
        (text("12"), Some(12), None),
        (NodeValue::Integer(-1), None, Some("`max` must be a whole number of at least 0")),
        (NodeValue::Float(1.5), None, Some("`max` must be a whole number of at least 0")),
        (
            NodeValue::Bool(true),
            None,
            Some("`max` must be a whole number of at least 0, not a boolean"),
        ),
    ] {
        let (node, mut problems) = (map(&[("max", value)]), Problems::default());
        let table: &[Key] = const { &[Key::new("max", Shape::CountLimit, "")] };
        let fields = Fields::read(&node, "target", &[table], &mut problems).unwrap();
        assert_eq!(fields.count_limit("max", &mut problems), limit);
        assert_eq!(messages(&problems).first().map(String::as_str), said);
    }
}
