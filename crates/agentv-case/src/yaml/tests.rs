//! The tree that YAML becomes, and everything that YAML may not do.

use std::fmt::Write as _;

use agentv_base::Source;
use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;

/// The tree as JSON (or that there is none), then every problem with its place.
fn check(text: &str) -> String {
    let mut problems = Problems::default();
    let node = parse(text, SourceId::default(), &mut problems);
    let source = Source { path: "x".into(), text: std::sync::Arc::new(text.to_owned()) };
    let place = |start: u32| {
        let (line, column) = source.line_and_column(start as usize);
        format!("{line}:{column}")
    };
    let mut lines = vec![node.map_or("no tree".to_owned(), |node| node.to_json().to_string())];
    for problem in problems.iter() {
        let at = problem.span.map(|span| place(span.start)).unwrap_or_default();
        lines.push(format!("{at} {}", problem.message));
        for note in &problem.notes {
            lines.push(format!("  {} {}", place(note.span.start), note.text));
        }
        if let Some(hint) = &problem.hint {
            lines.push(format!("  hint: {hint}"));
        }
    }
    lines.join("\n")
}

/// Every value and key with the text that its span covers.
fn spans(text: &str) -> String {
    fn walk(text: &str, node: &Node, lines: &mut Vec<String>) {
        let slice =
            |span: agentv_base::Span| text.get(span.start as usize..span.end as usize).unwrap();
        lines.push(format!("{} {:?}", node.kind_name(), slice(node.span)));
        for item in node.as_list().unwrap_or_default() {
            walk(text, item, lines);
        }
        for entry in node.as_map().unwrap_or_default() {
            lines.push(format!("key {:?}", slice(entry.key_span)));
            walk(text, &entry.value, lines);
        }
    }
    let mut problems = Problems::default();
    let node = parse(text, SourceId::default(), &mut problems).unwrap();
    let mut lines = Vec::new();
    walk(text, &node, &mut lines);
    lines.join("\n")
}

#[test]
fn every_key_and_value_knows_its_place() {
    assert_snapshot!(spans("a: 1\nb:\n  - 'x y'\n  - {k: \"v\", e: }\nc: |\n  one\n  two\n\nd: &n\n  ä: ß\ne: *n\n"), @r#"
    a map "a: 1\nb:\n  - 'x y'\n  - {k: \"v\", e: }\nc: |\n  one\n  two\n\nd: &n\n  ä: ß\ne: *n"
    key "a"
    a number "1"
    key "b"
    a list "- 'x y'\n  - {k: \"v\", e: }"
    a string "'x y'"
    a map "{k: \"v\", e: }"
    key "k"
    a string "\"v\""
    key "e"
    nothing ""
    key "c"
    a string "one\n  two"
    key "d"
    a map "ä: ß"
    key "ä"
    a string "ß"
    key "e"
    a map "*n"
    key "ä"
    a string "ß"
    "#);
}

#[test]
fn quoted_scalars_are_strings_and_plain_ones_follow_the_core_schema() {
    assert_snapshot!(check("[012, '012', \"true\", true, yes, 2025-01-01, ~, '', null, 1.5]"), @r#"[12,"012","true",true,"yes","2025-01-01",null,"",null,1.5]"#);
}

#[test]
fn tags_of_the_core_schema_are_honoured_and_others_refused() {
    assert_snapshot!(check("a: !!str 012\nb: !!int '7'\nc: ! 12\nd: !!map {x: !!seq [1]}\ne: !!str"), @r#"{"a":"012","b":7,"c":"12","d":{"x":[1]},"e":""}"#);
    assert_snapshot!(check("a: !env X\nb: !!int x\nc: !!map [1]\nd: !!binary aGk=\ne: !thing {}"), @"
    no tree
    1:4 unknown tag `!env`
      hint: put a text that starts with `!` into quotes
    2:10 `x` is not what its tag `!!int` says
    3:4 `!!map` does not fit a list
    4:4 unknown tag `!!binary`
      hint: put a text that starts with `!` into quotes
    5:4 unknown tag `!thing`
      hint: put a text that starts with `!` into quotes
    ");
}

#[test]
fn merged_keys_give_way_to_own_keys_and_to_earlier_merges() {
    assert_snapshot!(check("- &a {x: 1, y: 1}\n- &b {y: 2, z: 2}\n- {<<: [*a, *b], x: own}\n- {z: own, <<: *b}"), @r#"[{"x":1,"y":1},{"y":2,"z":2},{"x":"own","y":1,"z":2},{"z":"own","y":2}]"#);
    assert_snapshot!(check("a: {'<<': 1}"), @r#"{"a":{"<<":1}}"#);
    assert_snapshot!(check("a: {<<: 1}\nb: {<<: [{}, x]}"), @"
    no tree
    1:9 `<<` takes keys from a map, not from a number
      hint: write `<<: *name` with the name of a map, or a list of those
    2:14 `<<` takes keys from a map, not from a string
      hint: write `<<: *name` with the name of a map, or a list of those
    ");
}

#[test]
fn a_doubled_key_is_reported_at_its_second_place() {
    assert_snapshot!(check("a: 1\nb: 2\na: 3\nc: {<<: {}, <<: {}}"), @r#"
    {"a":1,"b":2,"c":{}}
    3:1 key `a` stands twice in one map
      1:1 first given here
    4:13 key `<<` stands twice in one map
      4:5 first given here
      hint: several maps are merged as a list: `<<: [*first, *second]`
    "#);
}

#[test]
fn a_doubled_key_is_found_among_many() {
    let mut text = String::new();
    for number in 0..100 {
        let _ = writeln!(text, "k{number}: {number}");
    }
    text.push_str("k99: x\nk3: x\n");
    let said = check(&text);
    let said: Vec<&str> = said.lines().skip(1).collect();
    assert_eq!(
        said,
        [
            "101:1 key `k99` stands twice in one map",
            "  100:1 first given here",
            "102:1 key `k3` stands twice in one map",
            "  4:1 first given here",
        ]
    );
}

#[test]
fn scalar_keys_are_taken_as_written_and_other_keys_refused() {
    assert_snapshot!(check("1: a\n012: b\ntrue: c\n~: d\n&n 0x1: e\n*n : f\n'q r': g"), @r#"
    {"1":"a","012":"b","true":"c","~":"d","0x1":"e","q r":"g"}
    6:1 key `0x1` stands twice in one map
      5:4 first given here
    "#);
    assert_snapshot!(check("? [a, b]\n: 1\n? {c: d}\n: 2\n: 3\ne: &m {}\n*m : 4"), @r#"
    {"e":{}}
    1:3 a key must be a text, not a list
      hint: put a text that starts with `{` or `[` into quotes
    3:3 a key must be a text, not a map
      hint: put a text that starts with `{` or `[` into quotes
    5:1 a `:` without a key before it
    7:1 a key must be a text, not a map
    "#);
}

#[test]
fn aliases_share_what_they_name() {
    let mut problems = Problems::default();
    let node = parse("- &a [1]\n- *a", SourceId::default(), &mut problems).unwrap();
    let items = node.as_list().unwrap();
    let slice = |at: usize| items[at].as_list().unwrap().as_ptr();
    assert_eq!(slice(0), slice(1));
    assert_snapshot!(check("- &a 1\n- &a 2\n- *a"), @"[1,2,2]");
    assert_snapshot!(check("a: *b\nc: &d [*d]\n*e : 1"), @"
    no tree
    1:4 no `&b` stands before this
    2:8 this alias stands inside what it names
    3:1 no `&e` stands before this
    ");
}

#[test]
fn aliases_that_explode_are_stopped() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..30 {
        let list = vec![format!("*a{}", level - 1); 10].join(", ");
        let _ = writeln!(text, "a{level}: &a{level} [{list}]");
    }
    let said = check(&text);
    assert_eq!(said, "no tree\n7:45 the aliases of this file stand for more than 10000000 values");
}

#[test]
fn aliases_that_nest_without_end_are_stopped() {
    let mut text = "a0: &a0 [x]\n".to_owned();
    for level in 1..1_000 {
        let _ = writeln!(text, "a{level}: &a{level} [*a{}]", level - 1);
    }
    let said = check(&text);
    let first: Vec<&str> = said.lines().take(2).collect();
    assert_eq!(first, ["no tree", "254:14 nested more than 255 levels deep"]);
}

#[test]
fn nesting_has_an_end() {
    assert!(!check(&("[".repeat(255) + &"]".repeat(255))).contains("nested"));
    for text in [
        "[".repeat(100_000),
        "{a: ".repeat(100_000),
        "- ".repeat(100_000) + "x",
        "- ".repeat(200) + &"[".repeat(200) + &"]".repeat(200),
    ] {
        let said = check(&text);
        assert!(said.starts_with("no tree\n"), "{said}");
        assert!(said.contains("nested more than 255 levels deep"), "{said}");
    }
}

#[test]
fn an_empty_file_is_nothing() {
    for text in ["", "\n\n", "# only a comment\n", "---\n", "\u{feff}"] {
        assert_eq!(check(text), "null", "{text:?}");
    }
}

#[test]
fn a_second_document_is_refused() {
    assert_snapshot!(check("a: 1\n---\nb: 2\n"), @"
    no tree
    2:1 a second document starts in this file
      hint: keep one document per file
    ");
}

#[test]
fn a_syntax_error_has_its_place_and_a_way_out() {
    let said = [
        "a: [1,\n",
        "a: [1}\n",
        "a: b: c\n",
        "a:\n\t- b\n",
        "a: @x\n",
        "a: 'it's'\n",
        "a: \"x\" y\n",
        "a: \"x\ny: 1\n",
        "a: \"open",
        "a: \"\\w\"\n",
        "a:\n  b: 1\n c: 2\n",
        "a: 1\nb\nc: 2\n",
        "a: ]\n",
        "a: 1\na: 2\nb: [",
    ]
    .map(|text| check(text).replace("no tree\n", &format!("=== {text:?}\n")));
    assert_snapshot!(said.join("\n"), @r#"
    === "a: [1,\n"
    1:4 not valid YAML: `[` is never closed
    === "a: [1}\n"
    1:4 not valid YAML: `[` is closed by `}`
    === "a: b: c\n"
    1:5 not valid YAML: a `:` is not allowed here
      hint: put a text that contains `: ` into quotes, or check the indentation
    === "a:\n\t- b\n"
    2:2 not valid YAML: a tab cannot indent
      hint: indent with spaces
    === "a: @x\n"
    1:4 not valid YAML: a value cannot start with `@`
      hint: put the value into quotes
    === "a: 'it's'\n"
    1:8 not valid YAML: something follows the closing quote
      hint: a `'` inside single quotes is written twice: `'it''s'`
    === "a: \"x\" y\n"
    1:8 not valid YAML: something follows the closing quote
      hint: a `"` inside double quotes is written `\"`
    === "a: \"x\ny: 1\n"
    2:1 not valid YAML: a quoted text goes on into a line that cannot belong to it
      hint: is a closing quote missing?
    === "a: \"open"
    1:4 not valid YAML: a quote is never closed
      hint: add the closing quote
    === "a: \"\\w\"\n"
    1:4 not valid YAML: an escape that double quotes do not know
      hint: write the backslash twice, or use single quotes
    === "a:\n  b: 1\n c: 2\n"
    3:2 not valid YAML: the indentation fits no line above
      hint: keys of one map start in the same column
    === "a: 1\nb\nc: 2\n"
    2:1 not valid YAML: a key without its `:`
      hint: write `key: value`
    === "a: ]\n"
    1:4 not valid YAML: a bracket that closes nothing
      hint: put a text that starts with a bracket into quotes
    === "a: 1\na: 2\nb: ["
    2:1 key `a` stands twice in one map
      1:1 first given here
    3:4 not valid YAML: `[` is never closed
    "#);
}

#[test]
fn what_an_alias_could_not_bring_is_not_told_once_more_where_it_would_be_merged() {
    for text in ["a: {<<: *b}\n", "a: {<<: [*b]}\n"] {
        let mut problems = Problems::default();
        assert_eq!(parse(text, SourceId::default(), &mut problems), None);
        let told: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(told, ["no `&b` stands before this"], "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        check(&text);
    }

    #[test]
    fn any_text_of_yaml_signs_is_read_or_refused(text in "[-\\[\\]{}:,&*!|>'\"%#a1~ \n\t<?\\\\]{0,80}") {
        let said = check(&text);
        prop_assert!(said.lines().count() > 1 || said != "no tree", "refused without a reason");
    }

    #[test]
    fn a_quoted_text_is_that_text(text in "\\PC{0,60}") {
        let mut problems = Problems::default();
        let quoted = format!("k: '{}'", text.replace('\'', "''"));
        let node = parse(&quoted, SourceId::default(), &mut problems).unwrap();
        // Spaces around a line break fold, and there is none here.
        prop_assert_eq!(node.get("k").unwrap().as_str(), Some(text.as_str()));
    }

    #[test]
    fn json_means_in_yaml_what_it_means_in_json(numbers in prop::collection::vec(any::<i64>(), 0..5), text in "[ -~]{0,30}", flag: bool) {
        let json = serde_json::json!({"n": numbers, "t": text, "f": flag, "z": null});
        prop_assert_eq!(check(&json.to_string()), json.to_string());
    }
}
