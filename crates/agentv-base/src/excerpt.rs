//! Short, harmless pieces of text from outside: what a message or a screen may show of it.

use std::{borrow::Cow, fmt::Write as _};

/// At most `limit` characters of `text` with control characters escaped; `…` where it was cut.
pub fn excerpt(text: &str, limit: usize) -> String {
    if text.len() <= limit && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let whole = text.chars().nth(limit).is_none();
    // One place is kept for the sign that something was cut.
    let mut shown: String =
        text.chars().take(if whole { limit } else { limit.saturating_sub(1) }).collect();
    if !whole {
        shown.push('…');
    }
    let escaped = escape_controls(&shown);
    if escaped.chars().count() <= limit {
        return escaped.into_owned();
    }
    let mut cut: String = escaped.chars().take(limit.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// As [`excerpt`], of a text that says most at its start and at its end, as what a failed program
/// wrote: where it is cut, half is from the start and half from the end.
pub fn excerpt_ends(text: &str, limit: usize) -> String {
    let escaped = escape_controls(&ends(text, limit)).into_owned();
    if escaped.chars().count() <= limit { escaped } else { ends(&escaped, limit).into_owned() }
}

fn ends(text: &str, limit: usize) -> Cow<'_, str> {
    let length = text.chars().count();
    if length <= limit {
        return Cow::Borrowed(text);
    }
    let from_start = limit / 2;
    let from_end = limit.saturating_sub(from_start + 1);
    let start: String = text.chars().take(from_start).collect();
    let end: String = text.chars().skip(length - from_end).collect();
    // Half a word is worse than none, where a word ends near the cut.
    let near = |cut: usize| cut <= LONGEST_WORD;
    let start = match start.rsplit_once(char::is_whitespace) {
        Some((whole, part)) if near(part.chars().count()) => format!("{whole} "),
        _ => start,
    };
    let end = match end.split_once(char::is_whitespace) {
        Some((part, whole)) if near(part.chars().count()) => format!(" {whole}"),
        _ => end,
    };
    Cow::Owned(format!("{start}…{end}"))
}

/// Up to this length a word is left out rather than cut.
const LONGEST_WORD: usize = 20;

/// `text` with everything that could move a cursor, colour a screen or reorder its line escaped.
pub fn escape_controls(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            c if is_unsafe(c) => {
                let _ = write!(escaped, "\\u{{{:x}}}", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

/// Control characters, the marks that change the direction of text around them, and characters
/// that nobody can see. Those that join letters and emoji stay: they are seen by what they join.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The last `limit` bytes of `text` or a little less, from the start of a character.
pub fn tail(text: &str, limit: usize) -> &str {
    let mut start = text.len().saturating_sub(limit);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_shown_whole() {
        assert_eq!(excerpt("abc", 3), "abc");
    }

    #[test]
    fn a_long_text_is_cut_to_the_limit() {
        let shown = excerpt(&"x".repeat(500), 200);
        assert_eq!(shown.chars().count(), 200);
        assert!(shown.ends_with('…'));
    }

    #[test]
    fn escaping_never_makes_it_longer_than_the_limit() {
        assert_eq!(excerpt(&"\u{1b}".repeat(300), 200).chars().count(), 200);
    }

    #[test]
    fn escape_sequences_and_direction_marks_lose_their_power() {
        assert_eq!(escape_controls("a\u{1b}[31m\u{202e}b\n"), "a\\u{1b}[31m\\u{202e}b\\n");
    }

    #[test]
    fn every_control_and_every_mark_of_direction_is_escaped() {
        // C0, DEL and C1, of which some terminals take one for the start of a sequence.
        let controls = ('\0'..'\u{20}').chain('\u{7f}'..='\u{9f}');
        // What embeds, overrides, isolates or marks a direction, and what only old text has.
        let directions = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{206a}\u{206f}";
        let unseen = "\u{34f}\u{115f}\u{1160}\u{2028}\u{2029}\u{2060}\u{3164}\u{ffa0}\u{fff9}\u{fffb}\u{e0001}";
        for c in controls.chain(directions.chars()).chain(unseen.chars()) {
            let text = format!("a{c}b");
            let escaped = escape_controls(&text);
            assert!(!escaped.contains(c) && escaped.starts_with("a\\"), "{c:?} gives {escaped:?}");
        }
        assert_eq!(
            escape_controls("naïve 全角 é\u{301} ❤\u{fe0f}"),
            "naïve 全角 é\u{301} ❤\u{fe0f}"
        );
    }

    #[test]
    fn what_nobody_can_see_is_shown_and_what_joins_is_kept() {
        assert_eq!(escape_controls("\u{feff}a\u{200b}b\u{ad}"), "\\u{feff}a\\u{200b}b\\u{ad}");
        assert_eq!(escape_controls("👩\u{200d}🚀"), "👩\u{200d}🚀");
    }

    #[test]
    fn a_tail_starts_at_a_character() {
        assert_eq!(tail("aäb", 2), "b");
        assert_eq!(tail("aäb", 3), "äb");
    }

    #[test]
    fn of_a_long_text_the_start_and_the_end_are_shown() {
        assert_eq!(excerpt_ends("short\n", 9), "short\\n");
        let text = format!("exited with code 7: {} the last words", "noise ".repeat(1000));
        let shown = excerpt_ends(&text, 60);
        assert_eq!(shown, "exited with code 7: noise … noise noise  the last words");
        assert_eq!(excerpt_ends(&"x".repeat(100), 60).chars().count(), 60);
        assert_eq!(excerpt_ends(&"\u{1b}".repeat(100), 30).chars().count(), 30);
    }
}
