//! What a target is told: the messages of an input as one text for programs, or as turns for
//! models. Both say the same, in the same words.

use std::borrow::Cow;

use serde::Serialize;

use crate::{
    messages::{BETWEEN_BLOCKS, Role, Segment, Spoken},
    request::Input,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    System,
    User,
    Assistant,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChatMessage {
    pub role: ChatRole,
    pub content: String,
}

/// What stands before the guidelines in the system message of a chat.
const GUIDELINES: &str = "[[ ## Guidelines ## ]]";

impl Role {
    fn marker(self) -> &'static str {
        match self {
            Self::System => "@[System]:",
            Self::User => "@[User]:",
            Self::Assistant => "@[Assistant]:",
            Self::Tool => "@[Tool]:",
        }
    }
}

impl Input {
    /// The question: plain where one message alone speaks, with a line for each role otherwise.
    pub fn question(&self) -> Cow<'_, str> {
        // Nearly all there are: nothing has to be put together.
        if let Some(text) = self.messages.only_text() {
            return Cow::Borrowed(text.trim());
        }
        Cow::Owned(self.whole_question())
    }

    fn whole_question(&self) -> String {
        let messages = self.messages.spoken();
        let visible = messages.iter().filter(|message| self.is_visible(message));
        let answered =
            messages.iter().any(|message| matches!(message.role, Role::Assistant | Role::Tool));
        if !answered && visible.clone().count() <= 1 {
            let segments = visible.flat_map(|message| &message.segments);
            return joined(segments.filter_map(|segment| self.plain(segment)), BETWEEN_BLOCKS);
        }
        let parts = visible.map(|message| {
            let content = self.marked(message);
            format!("{}\n{content}", message.role.marker())
        });
        joined(parts, "\n\n")
    }

    /// The guidelines as one text, each file under its own name; none where there are no files.
    pub fn guidelines(&self) -> Option<String> {
        if self.guideline_files.is_empty() {
            return None;
        }
        let messages = self.messages.spoken();
        let mut seen = Vec::new();
        let blocks = messages.iter().flat_map(|message| &message.segments).filter_map(|segment| {
            let Segment::File { path, text, .. } = segment else { return None };
            if !self.is_guideline(segment) || seen.contains(path) {
                return None;
            }
            seen.push(*path);
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            Some(file_block(&name, text))
        });
        Some(joined(blocks, "\n\n"))
    }

    /// The input as a chat. Guidelines and the system messages at the beginning are one system
    /// message; system and tool messages further down are told as turns of the assistant that say
    /// whose words they are, because models take neither there; messages that say nothing are left
    /// out.
    pub fn chat_prompt(&self) -> Vec<ChatMessage> {
        let mut system: Vec<String> =
            self.guidelines().iter().map(|text| format!("{GUIDELINES}\n\n{text}")).collect();
        let mut turns = Vec::new();
        for message in self.messages.spoken() {
            let content = self.marked(&message);
            if content.is_empty() {
                continue;
            }
            let (role, content) = match message.role {
                Role::System if turns.is_empty() => {
                    system.push(content);
                    continue;
                }
                Role::System | Role::Tool => {
                    (ChatRole::Assistant, format!("{}\n{content}", message.role.marker()))
                }
                Role::Assistant => (ChatRole::Assistant, content),
                Role::User => (ChatRole::User, content),
            };
            turns.push(ChatMessage { role, content });
        }
        if !system.is_empty() {
            let content = system.join("\n\n");
            turns.insert(0, ChatMessage { role: ChatRole::System, content });
        }
        turns
    }

    /// Whether a message says anything that is part of the question.
    fn is_visible(&self, message: &Spoken<'_>) -> bool {
        message.segments.iter().any(|segment| match segment {
            Segment::Text(text) => !text.trim().is_empty(),
            Segment::Object(_) => true,
            Segment::File { .. } => !self.is_guideline(segment),
        })
    }

    fn is_guideline(&self, segment: &Segment<'_>) -> bool {
        let Segment::File { path, .. } = segment else { return false };
        self.guideline_files.iter().any(|file| file == path)
    }

    fn plain(&self, segment: &Segment<'_>) -> Option<String> {
        match segment {
            Segment::Text(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Segment::Object(node) => Some(format!("{:#}", node.to_json())),
            Segment::File { .. } if self.is_guideline(segment) => None,
            Segment::File { name, text, .. } => Some(file_block(name, text)),
        }
    }

    /// What a message says among others, where it must stay visible that a guideline was attached.
    fn marked(&self, message: &Spoken<'_>) -> String {
        let parts = message.segments.iter().filter_map(|segment| match segment {
            Segment::File { name, .. } if self.is_guideline(segment) => {
                Some(format!("<Attached: {name}>"))
            }
            Segment::File { .. } | Segment::Text(_) | Segment::Object(_) => self.plain(segment),
        });
        joined(parts, "\n")
    }
}

fn file_block(path: &str, text: &str) -> String {
    format!("<file path=\"{path}\">\n{}\n</file>", text.trim())
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> String {
    let mut whole = String::new();
    for part in parts {
        // The usual prompt is one part, and moves instead of being copied.
        if whole.is_empty() {
            whole = part;
        } else {
            whole.push_str(between);
            whole.push_str(&part);
        }
    }
    whole
}

#[cfg(test)]
mod tests;
