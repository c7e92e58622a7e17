//! Messages → the one text that a target is asked, and the guidelines beside it.

use std::{path::PathBuf, sync::Arc};

use super::attachment::Attachment;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    System,
    User,
    Assistant,
    Tool,
}

impl Role {
    pub(crate) const NAMES: [&'static str; 4] = ["system", "user", "assistant", "tool"];

    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "system" => Some(Self::System),
            "user" => Some(Self::User),
            "assistant" => Some(Self::Assistant),
            "tool" => Some(Self::Tool),
            _ => None,
        }
    }

    fn marker(self) -> &'static str {
        match self {
            Self::System => "@[System]:",
            Self::User => "@[User]:",
            Self::Assistant => "@[Assistant]:",
            Self::Tool => "@[Tool]:",
        }
    }
}

/// One piece of a message.
#[derive(Clone, Debug)]
pub(crate) enum Segment {
    Text(Arc<str>),
    File(Arc<Attachment>),
}

/// A message as far as it becomes part of the prompt.
#[derive(Debug)]
pub(crate) struct Spoken {
    pub(crate) role: Role,
    pub(crate) segments: Vec<Segment>,
}

impl Spoken {
    /// Whether it says anything that is part of the question.
    fn is_visible(&self) -> bool {
        self.segments.iter().any(|segment| match segment {
            Segment::Text(text) => !text.trim().is_empty(),
            Segment::File(file) => !file.is_guideline,
        })
    }
}

/// The question: plain where one message alone speaks, with a line for each role otherwise.
pub(crate) fn question(messages: &[Spoken]) -> String {
    let visible = messages.iter().filter(|message| message.is_visible());
    let answered =
        messages.iter().any(|message| matches!(message.role, Role::Assistant | Role::Tool));
    if !answered && visible.clone().count() <= 1 {
        let segments = visible.flat_map(|message| &message.segments);
        return joined(segments.filter_map(plain), "\n\n");
    }
    let parts = visible.map(|message| {
        let content = joined(message.segments.iter().filter_map(marked), "\n");
        format!("{}\n{content}", message.role.marker())
    });
    joined(parts, "\n\n")
}

fn plain(segment: &Segment) -> Option<String> {
    match segment {
        Segment::Text(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Segment::File(file) if file.is_guideline => None,
        Segment::File(file) => Some(file_block(&file.name, &file.text)),
    }
}

/// Between messages it must stay visible where a guideline was attached.
fn marked(segment: &Segment) -> Option<String> {
    match segment {
        Segment::File(file) if file.is_guideline => Some(format!("<Attached: {}>", file.name)),
        Segment::File(_) | Segment::Text(_) => plain(segment),
    }
}

fn file_block(path: &str, text: &str) -> String {
    format!("<file path=\"{path}\">\n{}\n</file>", text.trim())
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> String {
    let mut whole = String::new();
    for part in parts {
        if !whole.is_empty() {
            whole.push_str(between);
        }
        // The usual prompt is one part, and moves instead of being copied.
        if whole.is_empty() {
            whole = part;
        } else {
            whole.push_str(&part);
        }
    }
    whole
}

/// Files of the messages in their order, each once: the guidelines, and the others.
pub(crate) fn attached(messages: &[Spoken]) -> (Vec<Arc<Attachment>>, Vec<PathBuf>) {
    let mut guidelines: Vec<Arc<Attachment>> = Vec::new();
    let mut files = Vec::new();
    for segment in messages.iter().flat_map(|message| &message.segments) {
        let Segment::File(file) = segment else {
            continue;
        };
        if file.is_guideline {
            if !guidelines.iter().any(|known| known.path == file.path) {
                guidelines.push(file.clone());
            }
        } else if !files.contains(&file.path) {
            files.push(file.path.clone());
        }
    }
    (guidelines, files)
}

/// The guidelines as one text, each file under its own name.
pub(crate) fn guidelines(files: &[Arc<Attachment>]) -> Option<String> {
    let blocks = files.iter().map(|file| {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        file_block(&name, &file.text)
    });
    (!files.is_empty()).then(|| joined(blocks, "\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Segment {
        Segment::Text(value.into())
    }

    fn file(name: &str, value: &str, is_guideline: bool) -> Segment {
        Segment::File(Arc::new(Attachment {
            name: name.to_owned(),
            path: PathBuf::from("/r").join(name),
            text: value.into(),
            is_guideline,
        }))
    }

    fn check(messages: Vec<(Role, Vec<Segment>)>) -> String {
        let messages: Vec<Spoken> =
            messages.into_iter().map(|(role, segments)| Spoken { role, segments }).collect();
        question(&messages)
    }

    #[test]
    fn one_message_alone_is_plain_and_its_code_stands_once() {
        assert_eq!(
            check(vec![(
                Role::User,
                vec![text("Look:\n```\nx\n```\n"), file("a/b.md", "text\n", false)]
            )]),
            "Look:\n```\nx\n```\n\n<file path=\"a/b.md\">\ntext\n</file>"
        );
    }

    #[test]
    fn messages_that_say_nothing_make_no_difference() {
        assert_eq!(
            check(vec![
                (Role::System, vec![text("  \n"), file("g", "rules", true)]),
                (Role::User, vec![text("hi"), file("g", "rules", true)]),
            ]),
            "hi"
        );
        assert_eq!(check(vec![]), "");
    }

    #[test]
    fn several_messages_are_told_apart_by_role() {
        assert_eq!(
            check(vec![
                (Role::System, vec![text("be brief\n")]),
                (Role::User, vec![text("hi"), file("g.md", "rules", true), file("f", "x", false)]),
            ]),
            "@[System]:\nbe brief\n\n@[User]:\nhi\n<Attached: g.md>\n<file path=\"f\">\nx\n</file>"
        );
    }

    #[test]
    fn an_answer_among_the_messages_makes_them_a_conversation() {
        assert_eq!(
            check(vec![(Role::User, vec![text("hi")]), (Role::Assistant, vec![]),]),
            "@[User]:\nhi"
        );
    }

    #[test]
    fn guidelines_stand_under_their_own_names() {
        let messages = [Spoken {
            role: Role::User,
            segments: vec![
                file("p/a.prompt.md", " A ", true),
                file("p/b.prompt.md", "B", true),
                file("p/a.prompt.md", " A ", true),
                file("c", "C", false),
                file("c", "C", false),
            ],
        }];
        let (found, files) = attached(&messages);
        assert_eq!(
            guidelines(&found).unwrap(),
            "<file path=\"a.prompt.md\">\nA\n</file>\n\n<file path=\"b.prompt.md\">\nB\n</file>"
        );
        assert_eq!(files, [PathBuf::from("/r/c")]);
        assert_eq!(guidelines(&[]), None);
    }
}
