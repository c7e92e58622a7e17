//! Reading `value`: what a text grader looks for. How it is looked for is each grader's own.

use std::io;

use agentv_base::{Diagnostic, Fields, Node, NodeValue, Problems, excerpt};

use crate::kind::BuildContext;

/// In front of a path, `value` is the text of that file.
pub(super) const FILE: &str = "file://";

/// Enough of a text to recognise it in a list of hits and misses.
const QUOTED: usize = 200;

/// The text that stands in `value`: a string, a number or a boolean as text, or a file's content.
pub(super) fn wanted_text(
    fields: &Fields<'_>,
    context: &BuildContext<'_>,
    problems: &mut Problems,
) -> Option<String> {
    let node = fields.required("value", problems)?;
    read_text(node, "`value`", context, problems)
}

/// Every text of the list in `value`, for graders that look for many. One that is empty is in
/// every answer, and a list without any says nothing, so both are errors.
pub(super) fn wanted_texts(
    fields: &Fields<'_>,
    context: &BuildContext<'_>,
    problems: &mut Problems,
) -> Option<Vec<String>> {
    let list = fields.required("value", problems)?;
    let Some(items) = list.as_list() else {
        problems.push(
            Diagnostic::error(format!("`value` must be a list, not {}", list.kind_name()))
                .at(list.span)
                .hint(format!("write the texts as a list: `value: [{}]`", as_list(list))),
        );
        return None;
    };
    if items.is_empty() {
        problems.error(list.span, "`value` is an empty list, so there is nothing to look for");
        return None;
    }
    let read: Vec<Option<String>> = items
        .iter()
        .map(|item| {
            let text = read_text(item, "a text of `value`", context, problems)?;
            if text.is_empty() {
                problems.error(item.span, "this text is empty, so every answer would contain it");
                return None;
            }
            Some(text)
        })
        .collect();
    read.into_iter().collect()
}

/// The list that a text with commas may stand for, as YAML; else an example of a list.
fn as_list(node: &Node) -> String {
    let text = node.as_str().filter(|text| text.len() <= QUOTED).unwrap_or_default();
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    // One or two letters could be a word of YAML, such as `no`.
    let is_plain = |item: &str| item.len() > 2 && item.bytes().all(|b| b.is_ascii_alphabetic());
    let is_word = |item: &str| matches!(item, "true" | "false" | "null" | "yes" | "off");
    let written: Vec<String> = items
        .map(|item| {
            if is_plain(item) && !is_word(item) {
                item.to_owned()
            } else {
                serde_json::Value::from(item).to_string()
            }
        })
        .collect();
    if written.is_empty() { "one, two".to_owned() } else { written.join(", ") }
}

/// The text of one node. `what` names it in messages.
pub(super) fn read_text(
    node: &Node,
    what: &str,
    context: &BuildContext<'_>,
    problems: &mut Problems,
) -> Option<String> {
    let text = match &node.value {
        NodeValue::String(text) => text.to_string(),
        NodeValue::Bool(value) => value.to_string(),
        NodeValue::Integer(value) => number_text(node, value.to_string(), problems),
        // The form with a decimal point: `1.0` is `1.0`, not `1`.
        NodeValue::Float(value) => number_text(node, format!("{value:?}"), problems),
        NodeValue::Null | NodeValue::List(_) | NodeValue::Map(_) => {
            let message = format!("{what} must be a text, not {}", node.kind_name());
            problems.push(Diagnostic::error(message).code("wrong-type").at(node.span));
            return None;
        }
    };
    match text.strip_prefix(FILE) {
        Some(path) => read_file(path, node, context, problems),
        None => Some(text),
    }
}

/// As [`wanted_text`], for graders that any answer would satisfy if nothing were looked for.
pub(super) fn wanted_something(
    fields: &Fields<'_>,
    context: &BuildContext<'_>,
    problems: &mut Problems,
) -> Option<String> {
    let text = wanted_text(fields, context, problems)?;
    if text.is_empty() {
        let span = fields.get("value").map_or(fields.span(), |node| node.span);
        problems.push(Diagnostic::error("`value` is empty, so every answer would pass").at(span));
        return None;
    }
    Some(text)
}

/// YAML keeps the number, not how it was written: `3.10` is 3.1 and `007` is 7. Where the two
/// differ in length, which a place in the file shows, the author should know.
fn number_text(node: &Node, text: String, problems: &mut Problems) -> String {
    let written = node.span.end.saturating_sub(node.span.start) as usize;
    if written != 0 && written != text.len() {
        problems.push(
            Diagnostic::warning(format!("this number is looked for as `{text}`"))
                .code("rewritten-number")
                .at(node.span)
                .hint("put it in quotes to look for it as it is written"),
        );
    }
    text
}

/// The file's text without the line break that editors put at its end.
pub(super) fn read_file(
    path: &str,
    node: &Node,
    context: &BuildContext<'_>,
    problems: &mut Problems,
) -> Option<String> {
    match std::fs::read_to_string(context.suite_dir.join(path)) {
        Ok(text) => {
            let text = text.replace("\r\n", "\n");
            Some(text.strip_suffix('\n').unwrap_or(&text).to_owned())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            problems.push(missing_file(path, node, context));
            None
        }
        Err(error) => {
            let message = format!("cannot read `{path}`: {error}");
            problems.push(Diagnostic::error(message).code("unreadable-file").at(node.span));
            None
        }
    }
}

/// What is said of a file that is not there.
pub(super) fn missing_file(path: &str, node: &Node, context: &BuildContext<'_>) -> Diagnostic {
    Diagnostic::error(format!("file `{}` was not found", excerpt(path, QUOTED)))
        .code("missing-file")
        .at(node.span)
        .hint(format!("looked in `{}`", context.shown_dir.display()))
}

/// A text as hits and misses show it: in backticks, on one line, cut where it is long.
pub(super) fn quoted(text: &str) -> String {
    format!("`{}`", excerpt(text, QUOTED))
}

#[cfg(test)]
mod tests {
    use agentv_base::Shape;
    use agentv_base::{Key, Span};
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{Project, node};

    fn check(value: &Value) -> Result<String, String> {
        let project = Project::new();
        project.write("wanted.txt", "two\r\nlines\r\n");
        let node = node(&json!({"value": value}));
        let mut problems = Problems::default();
        let fields = Fields::read(
            &node,
            "contains",
            &[const { &[Key::new("value", Shape::Scalar, "")] }],
            &mut problems,
        )
        .unwrap();
        let text = wanted_text(&fields, &project.context(), &mut problems);
        let message = problems.iter().next().map(|problem| problem.message.clone());
        text.ok_or_else(|| message.unwrap())
    }

    #[test]
    fn scalars_are_looked_for_as_their_text() {
        for (value, text) in
            [(json!(" a "), " a "), (json!(42), "42"), (json!(1.0), "1.0"), (json!(true), "true")]
        {
            assert_eq!(check(&value).as_deref(), Ok(text));
        }
    }

    #[test]
    fn lists_and_maps_are_not_text() {
        assert_eq!(check(&json!(["a"])).unwrap_err(), "`value` must be a text, not a list");
    }

    #[test]
    fn a_file_is_read_from_the_suites_folder_without_its_last_line_break() {
        assert_eq!(check(&json!("file://wanted.txt")).as_deref(), Ok("two\nlines"));
        let message = check(&json!("file://absent.txt")).unwrap_err();
        assert_eq!(message, "file `absent.txt` was not found");
        let message = check(&json!("file://.")).unwrap_err();
        assert!(message.starts_with("cannot read `.`: "), "{message}");
    }

    #[test]
    fn a_number_that_was_written_otherwise_is_a_warning() {
        for (start, end, warnings) in [(5, 9, 1), (5, 8, 0)] {
            let span = Span { start, end, ..Span::default() };
            let node = Node::new(span, NodeValue::Float(3.1));
            let mut problems = Problems::default();
            assert_eq!(number_text(&node, "3.1".to_owned(), &mut problems), "3.1");
            assert_eq!(problems.iter().count(), warnings);
            assert!(!problems.has_errors());
        }
    }
}
