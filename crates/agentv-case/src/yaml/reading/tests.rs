//! A list that is read item by item is the same list.

use proptest::prelude::*;

use super::*;

const WANTED: &str = "cases";

/// What comes of a file that is read item by item; nothing where it is to be read as a whole.
fn by_items(text: &Arc<String>) -> Option<(Node, Vec<Node>, Option<Problems>)> {
    let mut reading = Reading::sharing(text, SourceId::default());
    let head = reading.up_to_items(|key| key == WANTED)?;
    let mut items = reading.items();
    let given = items.by_ref().collect();
    Some((head, given, items.finish()))
}

/// Both ways to read a file say the same of it, or the way by items says that it is none. Tells
/// which.
fn check(text: &str) -> &'static str {
    let text = Arc::new(text.to_owned());
    let (tree, problems) = Reading::sharing(&text, SourceId::default()).whole();
    // Whoever has looked for items and found none goes on.
    let mut reading = Reading::sharing(&text, SourceId::default());
    let _ = reading.up_to_items(|key| key == WANTED);
    assert_eq!(reading.whole(), (tree.clone(), problems.clone()), "{text}");
    let Some((head, mut given, found)) = by_items(&text) else { return "whole" };
    let Some(found) = found else { return "to be read again" };
    assert_eq!(found, problems, "{text}");
    let tree = tree.unwrap();
    let entries = |node: &Node| node.as_map().unwrap().to_vec();
    let (mut of_tree, mut of_head) = (entries(&tree), entries(&head));
    let (last, begun) = (of_tree.pop().unwrap(), of_head.pop().unwrap());
    assert_eq!(of_tree, of_head, "{text}");
    assert_eq!((&last.key, last.key_span), (&begun.key, begun.key_span), "{text}");
    given.splice(0..0, begun.value.as_list().unwrap().iter().cloned());
    assert_eq!(last.value.as_list(), Some(&*given), "{text}");
    "by items"
}

#[test]
fn a_list_at_the_end_of_a_file_is_read_item_by_item() {
    for text in [
        "cases:\n- a\n- b\n",
        "cases:\n  - {id: a}\n  # between\n  - id: b\n    x: [1, 2]\n\n# the end\n",
        "a: 1\nb: [x, y]\nc:\n  - d: {e: f}\ncases:\n  -\n  - ~\n  - - 1\n    - 2\n",
        "base: &b {x: 1}\ncases:\n  - *b\n  - {<<: *b, y: &y 2}\n  - [*y]\n  - {a: 1, a: 2}\n",
        "cases:\n  - |\n    text\n    - more\n  - 'quoted\n    on'\n",
    ] {
        assert_eq!(check(text), "by items", "{text}");
    }
}

#[test]
fn other_files_are_read_as_a_whole() {
    for text in [
        "",
        "a: 1\n",
        "- cases:\n  - a\n",
        "cases: a\n",
        "cases: [a, b]\n",
        "{cases: [a]}\n",
        "a:\n  cases:\n    - a\n",
        "cases: &all\n- a\nx: *all\n",
        "<<: {a: 1}\ncases:\n- a\n",
        "cases:\n- a\n...\n",
        "cases:\n- a\nb: 1\n",
        "cases:\n- a\n'b': 1\n",
        "a: !env x\ncases:\n- a\n",
    ] {
        assert_eq!(check(text), "whole", "{text}");
    }
}

#[test]
fn what_was_given_is_taken_back_where_the_file_goes_on_or_is_broken() {
    let long = format!("cases:\n- a\nb: 1\nc: |\n{}", " x\n".repeat(TAIL));
    for text in [
        &*long,
        "  cases:\n  - a\n  b: 1\n",
        "cases:\n- a\n- b: {\n",
        "cases:\n- a\n- *nobody\n",
        "cases:\n- a\n- !env b\n",
        "cases:\n- a\n--- \n- b\n",
    ] {
        assert_eq!(check(text), "to be read again", "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn both_ways_agree_on_any_text(
        lines in prop::collection::vec(prop::sample::select(vec![
            "cases:", "- a", "  - b", "  - x: 1", "    y: 2", "z: 3", "- &a {k: v}", "- *a", "# c", "",
            "  - |", "     t", "cases: &c", "- [1", " ]", "<<: {m: 1}", "---", "- 'q", "'", "x: [a]",
        ]), 0..9)
    ) {
        check(&lines.join("\n"));
        check(&format!("cases:\n- first\n{}", lines.join("\n")));
    }
}
