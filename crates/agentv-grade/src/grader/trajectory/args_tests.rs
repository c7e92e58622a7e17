//! Arguments of calls against those that are wanted, in every way to compare.

use agentv_base::Problems;
use serde_json::json;

use super::*;
use crate::testing::{node, place};

/// Whether these arguments are the wanted ones; the difference where they are not.
fn check(args: &Value, way: &Value, input: Option<&Value>) -> Result<(), String> {
    let mut problems = Problems::default();
    let (args, way) = (node(args), node(way));
    let way = ArgsMatch::read(&way, &mut problems).unwrap();
    let args = Args::read(&args, way, &mut problems).unwrap_or_else(|| panic!("{problems:?}"));
    match args.as_ref().and_then(|args| args.mismatch(input)) {
        None => Ok(()),
        Some(mismatch) => Err(mismatch.shown()),
    }
}

/// What is wrong with settings, with their places.
fn errors(args: &Value, way: &Value) -> Vec<(String, String)> {
    let both = node(&json!({"args": args, "way": way}));
    let mut problems = Problems::default();
    if let Some(way) = ArgsMatch::read(both.get("way").unwrap(), &mut problems) {
        let read = Args::read(both.get("args").unwrap(), way, &mut problems);
        assert_eq!(read.is_none(), problems.has_errors());
    }
    let told = problems.iter();
    told.map(|problem| (place(&both, problem.span.unwrap()), problem.message.clone())).collect()
}

#[test]
fn every_way_to_compare_does_what_it_says() {
    let given = json!({"path": "a.txt", "options": {"depth": 2, "all": true}, "ids": [1, 2]});
    let exact = json!({"path": "a.txt", "options": {"depth": 2, "all": true}, "ids": [1, 2]});
    let fewer = json!({"path": "a.txt", "options": {"depth": 2}});
    let more =
        json!({"path": "a.txt", "options": {"depth": 2, "all": true}, "ids": [1, 2], "x": 1});
    let other = json!({"path": "b.txt"});
    for (way, expected) in [
        (json!("exact"), [true, false, false, false]),
        (json!("superset"), [true, true, false, false]),
        (json!("subset"), [true, false, true, false]),
        (json!("ignore"), [true, true, true, true]),
        (json!(["path"]), [true, true, true, false]),
        (json!(["options.depth", "path"]), [true, true, true, false]),
        (json!(["path", "ids.1"]), [true, true, true, false]),
        (json!(["path", "ids[-1]"]), [true, true, true, false]),
        (json!(["path", "['options'].all"]), [true, true, true, false]),
        (json!(["$.path"]), [true, true, true, false]),
    ] {
        let found =
            [&exact, &fewer, &more, &other].map(|args| check(args, &way, Some(&given)).is_ok());
        assert_eq!(found, expected, "{way}");
    }
}

#[test]
fn fields_are_compared_exactly_and_must_be_there() {
    let given = json!({"a": {"b": 1, "c": 2}});
    let fields = json!(["a"]);
    assert_eq!(
        check(&json!({"a": {"b": 1}}), &fields, Some(&given)),
        Err(".a.c: expected nothing, got 2".to_owned())
    );
    assert_eq!(
        check(&json!({"x": {"y": 1}}), &json!(["x.y"]), Some(&given)),
        Err(".x.y: expected 1, got nothing".to_owned())
    );
    assert_eq!(
        check(&json!({"x": [1, 2]}), &json!(["x[1]"]), Some(&json!({"x": [1, 3]}))),
        Err(".x[1]: expected 2, got 3".to_owned())
    );
}

#[test]
fn a_path_selects_values_each_of_which_must_be_right() {
    let given = json!({"items": [{"id": 1}, {"id": 1}], "mode": "fast"});
    for (args, way, expected) in [
        (json!({"$.items[*].id": 1}), "exact", Ok(())),
        (json!({"$.items[0].id": 1, "mode": "fast"}), "exact", Ok(())),
        (json!({"$.items[0].id": 1, "mode": "fast"}), "subset", Ok(())),
        (json!({"$.items[0].id": 1}), "superset", Ok(())),
        (json!({"$['mode']": {"$regex": "^f"}}), "exact", Ok(())),
        (json!({"$.items[?@.id == 1]": {"id": 1}}), "exact", Ok(())),
        (json!({"$.items[2].id": 1}), "exact", Err(" at $.items[2].id: expected 1, got nothing")),
        (json!({"$.items[*].id": 2}), "exact", Err(" at $.items[*].id: expected 2, got 1")),
        (json!({"$.mode": "fast", "x": 1}), "exact", Err(".x: expected 1, got nothing")),
        (
            json!({"$.mode": "fast", "x": 1}),
            "subset",
            Err(".items: expected nothing, got [{\"id\":1},{\"id\":1}]"),
        ),
    ] {
        let found = check(&args, &json!(way), Some(&given));
        assert_eq!(found, expected.map_err(str::to_owned), "{args} {way}");
    }
    assert_eq!(check(&json!({"$.mode": "fast", "x": 1}), &json!(["$.mode"]), Some(&given)), Ok(()));
}

#[test]
fn a_call_without_arguments_has_no_others_than_none() {
    for (args, way, expected) in [
        (json!({"a": 1}), "exact", false),
        (json!({"a": 1}), "superset", false),
        (json!({"a": 1}), "subset", false),
        (json!({"a": 1}), "ignore", true),
        (json!("any"), "exact", true),
        (json!({}), "exact", true),
        (json!({}), "subset", true),
        (json!({"$.a": 1}), "exact", false),
    ] {
        assert_eq!(check(&args, &json!(way), None).is_ok(), expected, "{args} {way}");
        assert_eq!(check(&args, &json!(way), Some(&json!(null))).is_ok(), expected, "{args} {way}");
    }
    assert_eq!(check(&json!({}), &json!("exact"), Some(&json!({}))), Ok(()));
    assert_eq!(
        check(&json!({"a": 1}), &json!("exact"), Some(&json!("{\"a\": 1}"))),
        Err(": expected a map, got \"{\\\"a\\\": 1}\"".to_owned())
    );
}

#[test]
fn every_problem_is_told_at_its_place() {
    for (args, way, expected) in [
        (json!(1), json!("exact"), vec![("/args", "`args` must be a map or `any`, not a number")]),
        (
            json!("all"),
            json!("exact"),
            vec![("/args", "`args` must be a map or `any`, not a string")],
        ),
        (
            json!({"$a": 1, "$.b[": 2, "c": {"$x": 1}, "$": 1}),
            json!("exact"),
            vec![
                ("/args/$a#key", "unknown word `$a`"),
                ("/args/$.b[#key", "`$.b[` cannot be read at character 4: this is no JSONPath"),
                ("/args/c/$x#key", "unknown word `$x`"),
                ("/args/$#key", "unknown word `$`"),
            ],
        ),
        (
            json!({"$..a..b..c": 1}),
            json!("exact"),
            vec![(
                "/args/$..a..b..c#key",
                "`$..a..b..c` cannot be read at character 5: `..` can be used once only",
            )],
        ),
        (
            json!({"a": 1}),
            json!(["a", "b[", "c..d"]),
            vec![
                ("/way/1", "`args_match` cannot be read at character 3: "),
                ("/way/2", "`args_match` cannot be read at character 3: a name is missing"),
            ],
        ),
        (
            json!({}),
            json!("superset"),
            vec![("/args", "`args` is empty, so any arguments would do")],
        ),
        (json!({}), json!("most"), vec![("/way", "unknown args_match `most`")]),
        (
            json!({}),
            json!(3),
            vec![("/way", "`args_match` must be a word or a list of fields, not a number")],
        ),
        (
            json!({}),
            json!([]),
            vec![("/way", "there is no field to compare, so any arguments would do")],
        ),
        (
            json!({"a": 1}),
            json!(["a", " ", 3]),
            vec![
                ("/way/1", "a field to compare must be a text that is not blank"),
                ("/way/2", "a field to compare must be a text that is not blank"),
            ],
        ),
        (
            json!({"a": 1}),
            json!(["b", "a.c"]),
            vec![("/args", "no field of `args_match` is in these `args`, so any would do")],
        ),
    ] {
        let told = errors(&args, &way);
        assert_eq!(told.len(), expected.len(), "{told:?}");
        for ((at, message), (expected_at, start)) in told.iter().zip(expected) {
            assert_eq!(at, expected_at);
            assert!(message.starts_with(start), "{message}");
        }
    }
}
