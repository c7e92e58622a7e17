//! Suites with rubrics put into them: what changes, and that nothing else does.

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;

fn rubric(id: &str, description: &str) -> Rubric {
    Rubric { id: id.to_owned(), description: description.to_owned(), weight: 1.0, required: true }
}

fn parse(text: &str) -> Node {
    let mut problems = Problems::default();
    let node = yaml::parse(text, SourceId::default(), &mut problems);
    assert!(problems.is_empty(), "{problems:?}\n{text}");
    node.unwrap()
}

/// Where the case with this id says so.
fn place_of(node: &Node, id: &str) -> Option<Span> {
    if let Some(own) = node.get("id").filter(|own| own.as_str() == Some(id)) {
        return Some(own.span);
    }
    let items = node.as_list().unwrap_or_default().iter();
    let values = node.as_map().unwrap_or_default().iter().map(|entry| &entry.value);
    items.chain(values).find_map(|below| place_of(below, id))
}

/// Gives every one of these cases two rubrics.
fn edited(text: &str, ids: &[&str]) -> Edited {
    let node = parse(text);
    let draft = Draft::new(text, &node);
    let rubrics = vec![
        rubric("names-it", "Names it: 'the' city"),
        Rubric { weight: 2.0, required: false, ..rubric("short", "At most 10 words") },
    ];
    let proposals: Vec<Proposal> = ids
        .iter()
        .map(|id| Proposal { at: place_of(&node, id).unwrap(), rubrics: rubrics.clone() })
        .collect();
    draft.with(&proposals)
}

/// The old lines are there in their order, and others in between; what is in braces may be
/// continued inside of them.
fn assert_kept(old: &str, new: &str) {
    let mut lines = new.lines();
    for line in old.lines().filter(|line| !line.contains('{')) {
        assert!(
            lines.any(|it| it == line || it.strip_suffix(',') == Some(line)),
            "{line:?} is lost:\n{new}"
        );
    }
    let mut letters = new.chars();
    assert!(old.chars().all(|c| letters.any(|it| it == c)), "something is lost:\n{new}");
}

/// The text with rubrics in all of these cases; every line of the old text is still there.
fn check(text: &str, ids: &[&str]) -> String {
    let edited = edited(text, ids);
    assert_eq!(edited.refused, Vec::<usize>::new(), "{}", edited.text);
    assert_kept(text, &edited.text);
    edited.text
}

#[test]
fn rubrics_stand_behind_what_they_were_made_from() {
    assert_snapshot!(check("\
# A suite
evalcases:
  - id: a   # first
    expected_outcome: >-
      Names the
      city

    # what is asked
    input: x
  - expected_outcome: 'done' # why
    id: b
    input: y", &["a", "b"]), @r"
    # A suite
    evalcases:
      - id: a   # first
        expected_outcome: >-
          Names the
          city
        rubrics:
          - id: names-it
            description: 'Names it: ''the'' city'
          - id: short
            description: At most 10 words
            weight: 2
            required: false

        # what is asked
        input: x
      - expected_outcome: 'done' # why
        rubrics:
          - id: names-it
            description: 'Names it: ''the'' city'
          - id: short
            description: At most 10 words
            weight: 2
            required: false
        id: b
        input: y
    ");
}

#[test]
fn lists_are_indented_as_the_cases_are() {
    assert_snapshot!(check("tests:\n- id: a\n  criteria: x\n", &["a"]), @r"
    tests:
    - id: a
      criteria: x
      rubrics:
      - id: names-it
        description: 'Names it: ''the'' city'
      - id: short
        description: At most 10 words
        weight: 2
        required: false
    ");
    assert_snapshot!(check("cases:\n    -   id: a\n        outcome: x", &["a"]), @r"
    cases:
        -   id: a
            outcome: x
            rubrics:
                -   id: names-it
                    description: 'Names it: ''the'' city'
                -   id: short
                    description: At most 10 words
                    weight: 2
                    required: false
    ");
}

#[test]
fn cases_in_braces_stay_in_braces() {
    assert_snapshot!(check("evalcases: [{id: a, expected_outcome: x, input: y}]\n", &["a"]), @r#"evalcases: [{id: a, expected_outcome: x, rubrics: [{id: "names-it", description: "Names it: 'the' city"}, {id: "short", description: "At most 10 words", weight: 2, required: false}], input: y}]"#);
    assert_snapshot!(check("{\n  \"evalcases\": [\n    {\n      \"id\": \"a\",\n      \"criteria\": \"x\"\n    }\n  ]\n}\n", &["a"]), @r#"
    {
      "evalcases": [
        {
          "id": "a",
          "criteria": "x",
          "rubrics": [{"id": "names-it", "description": "Names it: 'the' city"}, {"id": "short", "description": "At most 10 words", "weight": 2, "required": false}]
        }
      ]
    }
    "#);
}

#[test]
fn ends_of_lines_are_those_of_the_file() {
    let text = "evalcases:\r\n  - id: a\r\n    expected_outcome: |\r\n      x\r\n    input: y";
    let edited = check(text, &["a"]);
    assert!(edited.contains("      x\r\n    rubrics:\r\n      - id: names-it\r\n"), "{edited:?}");
    assert_eq!(edited.matches('\n').count(), edited.matches("\r\n").count());
}

#[test]
fn texts_whose_empty_lines_count_keep_them() {
    let kept = check(
        "evalcases:\n  - id: a\n    expected_outcome: |+\n      x\n\n\n    input: y\n",
        &["a"],
    );
    assert!(kept.contains("      x\n\n\n    rubrics:\n"), "{kept}");
    check("evalcases:\n  - id: a\n    input: y\n    expected_outcome: |\n      x", &["a"]);
}

#[test]
fn old_rubrics_are_replaced_where_they_stand() {
    for old in [
        "    rubrics:\n      - old one\n      - {id: x, outcome: old two}\n",
        "    rubrics: [old one]\n",
        "    rubrics: # none\n",
        "    rubrics: ~\n",
    ] {
        let text = format!("evalcases:\n  - id: a\n    criteria: x\n{old}    input: y\n");
        let edited = edited(&text, &["a"]);
        assert_eq!(edited.refused, Vec::<usize>::new(), "{old}");
        assert!(!edited.text.contains("old"), "{}", edited.text);
        assert!(edited.text.starts_with("evalcases:\n  - id: a\n    criteria: x\n    rubrics:\n"));
        assert!(edited.text.ends_with("\n    input: y\n"), "{}", edited.text);
    }
    let node = parse("evalcases:\n  - {id: a, rubrics: [x]}\n  - {id: b, rubrics: }\n");
    let draft = Draft::new("", &node);
    let has = |id| draft.case(place_of(&node, id).unwrap()).is_some();
    assert!(has("a") && has("b"));
    assert!(draft.has_rubrics(place_of(&node, "a").unwrap()));
    assert!(!draft.has_rubrics(place_of(&node, "b").unwrap()));
    assert!(!draft.has_case(Span { start: 1, ..Span::default() }));
}

#[test]
fn cases_of_scenarios_are_cases_too() {
    let text = "scenarios:\n  - config: [{vars: {a: 1}}]\n    tests:\n      - id: a\n        criteria: x\n";
    assert!(check(text, &["a"]).contains("        rubrics:\n          - id: names-it\n"));
}

#[test]
fn a_case_that_others_take_keys_from_is_left_as_it_is_and_the_rest_goes_on() {
    let text = "\
x-shared: &shared
  tags: [t]
evalcases:
  - &base
    id: a
    criteria: x
  - <<: *base
    id: b
  - <<: *base
    id: also
  - <<: *shared
    id: c
    criteria: z
";
    let all = edited(text, &["a", "b", "c"]);
    assert_eq!(all.refused, [0]);
    // One that takes its outcome from another case has its rubrics to itself.
    assert!(all.text.contains("    id: b\n    rubrics:\n"), "{}", all.text);
    assert!(all.text.contains("    criteria: z\n    rubrics:\n"), "{}", all.text);
    assert!(all.text.contains("    criteria: x\n  - <<: *base\n"), "{}", all.text);
}

#[test]
fn a_list_that_is_used_twice_is_written_once() {
    let text =
        "scenarios:\n  - id: s\n    tests: &t\n      - id: a\n        criteria: x\n  - tests: *t\n";
    assert_eq!(check(text, &["a"]).matches("rubrics:").count(), 1);
}

/// A case in one of many layouts, with where it ends.
fn any_case(number: usize) -> impl Strategy<Value = String> {
    let outcome = prop_oneof![
        Just("expected_outcome: plain words".to_owned()),
        Just("criteria: 'it''s quoted' # said".to_owned()),
        Just("outcome: \"two\\nlines\"".to_owned()),
        Just("expected_outcome: |\n        a\n         b\n\n        c".to_owned()),
        Just("expected_outcome: >+\n        kept\n\n".to_owned()),
        Just("expected_outcome: plain\n        over lines".to_owned()),
        Just("expectedOutcome: &out \"anchored\"".to_owned()),
    ];
    let other = prop_oneof![
        Just("input: x".to_owned()),
        Just(
            "input_messages:\n      - role: user\n        content: |\n          a\n\n          b"
                .to_owned()
        ),
        Just("tags: [a, b]  # two".to_owned()),
        Just("# a comment\n    metadata: {k: 'v'}".to_owned()),
        Just("\n    threshold: 0.5".to_owned()),
    ];
    (outcome, prop::collection::vec(other, 0..4), any::<prop::sample::Index>(), 0..3_usize)
        .prop_map(move |(outcome, mut others, at, style)| {
            others.sort();
            others.dedup();
            let id = format!("id: c{number}");
            if style == 2 {
                return format!("  - {{{id}, expected_outcome: 'x, y', metadata: {{}}}}\n");
            }
            let place = at.index(others.len() + 1);
            others.insert(place, outcome);
            others.insert(if style == 0 { 0 } else { others.len() }, id);
            // Only the first line of a case has a dash, and only a key can stand behind one.
            let first = others.iter().position(|part| part.chars().next().unwrap().is_alphabetic());
            others.swap(0, first.unwrap());
            format!("  - {}\n", others.join("\n    "))
        })
}

proptest! {
    #[test]
    fn in_any_layout_the_suite_is_the_old_one_with_rubrics(
        cases in prop::collection::vec(Just(()), 1..5).prop_flat_map(|list| {
            (0..list.len()).map(any_case).collect::<Vec<_>>()
        }),
        crlf in any::<bool>(), cut in any::<bool>(),
        descriptions in prop::collection::vec(r"[ -~äß\t]{1,40}", 1..4),
    ) {
        let mut text = format!("# top\nevalcases:\n{}", cases.concat());
        if cut {
            text.truncate(text.trim_end().len());
        }
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        let node = parse(&text);
        let rubrics: Vec<Rubric> = descriptions
            .iter()
            .enumerate()
            .map(|(n, description)| rubric(&format!("r-{n}"), description))
            .collect();
        let proposals: Vec<Proposal> = (0..cases.len())
            .map(|n| Proposal { at: place_of(&node, &format!("c{n}")).unwrap(), rubrics: rubrics.clone() })
            .collect();
        let edited = Draft::new(&text, &node).with(&proposals);
        prop_assert_eq!(&edited.refused, &Vec::<usize>::new(), "{}\n---\n{}", text, edited.text);
        // The model: the old cases, each with its rubrics.
        let old = node.to_json();
        let mut new = parse(&edited.text).to_json();
        for case in new["evalcases"].as_array_mut().unwrap() {
            let found = case.as_object_mut().unwrap().shift_remove("rubrics").unwrap();
            let found: Vec<&str> =
                found.as_array().unwrap().iter().map(|it| it["description"].as_str().unwrap()).collect();
            prop_assert_eq!(&found, &descriptions);
        }
        prop_assert_eq!(new, old);
        assert_kept(&text, &edited.text);
    }
}

#[test]
fn one_in_the_way_of_many_is_found_without_trying_each() {
    let case = |id: usize| format!("  - id: c{id}\n    criteria: x\n    input: y\n");
    let shared = "  - &base\n    id: shared\n    criteria: x\n    input: y\n";
    let taker = "  - {<<: *base, id: taker}\n";
    let blanks = "  - id: blanks\n    criteria: |+\n      x\n\n    input: y\n";
    let before: String = (0..400).map(case).collect();
    let behind: String = (400..1000).map(case).collect();
    let text = format!("evalcases:\n{before}{shared}{taker}{blanks}{behind}");
    let ids: Vec<String> = (0..1000).map(|id| format!("c{id}")).collect();
    let mut asked: Vec<&str> = ids.iter().map(String::as_str).collect();
    asked.insert(400, "shared");
    asked.push("blanks");
    let edited = edited(&text, &asked);
    assert_eq!(edited.refused, [400]);
    assert_eq!(edited.text.matches("rubrics:").count(), 1001);
}
