//! A chat in the form that services take which know two speakers and let the user begin.

use std::borrow::Cow;

use agentv_base::{ChatMessage, ChatRole};

/// What one speaker says before the other does.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Turn<'a> {
    pub(super) by_model: bool,
    pub(super) parts: Vec<Cow<'a, str>>,
}

/// The system message, which stands apart, and the messages after it.
pub(super) fn apart(chat: &[ChatMessage]) -> (Option<&str>, &[ChatMessage]) {
    match chat.split_first() {
        Some((first, rest)) if first.role == ChatRole::System => (Some(&first.content), rest),
        _ => (None, chat),
    }
}

/// The system message and turns that alternate, the user's first.
///
/// No word is added but the names of the speakers, in the form that a prompt of one text has them,
/// where the model would begin: then its words are quoted in the first turn of the user. A system
/// message that stands alone is what the user says.
pub(super) fn alternating(chat: &[ChatMessage]) -> (Option<&str>, Vec<Turn<'_>>) {
    let (system, messages) = apart(chat);
    let mut turns: Vec<Turn<'_>> = Vec::new();
    for message in messages {
        let by_model = message.role == ChatRole::Assistant;
        let part = Cow::Borrowed(message.content.as_str());
        match turns.last_mut() {
            Some(turn) if turn.by_model == by_model => turn.parts.push(part),
            _ => turns.push(Turn { by_model, parts: vec![part] }),
        }
    }
    if turns.first().is_some_and(|turn| turn.by_model) {
        quote_the_beginning(&mut turns);
    }
    match system {
        Some(alone) if turns.is_empty() => {
            (None, vec![Turn { by_model: false, parts: vec![Cow::Borrowed(alone)] }])
        }
        _ => (system, turns),
    }
}

/// Makes what the model said first, and what the user said then, one turn of the user.
fn quote_the_beginning(turns: &mut Vec<Turn<'_>>) {
    let begun = turns.len().min(2);
    let parts: Vec<Cow<'_, str>> = turns
        .drain(..begun)
        .flat_map(|turn| {
            let speaker = if turn.by_model { "@[Assistant]:" } else { "@[User]:" };
            turn.parts.into_iter().map(move |part| Cow::Owned(format!("{speaker}\n{part}")))
        })
        .collect();
    turns.insert(0, Turn { by_model: false, parts });
}
