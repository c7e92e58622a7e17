//! Which messages say the same: one fault is told once, however many met it.

use agentv_base::excerpt;

/// Far enough into a message to tell two apart, without keeping thousands of long ones.
const COMPARED: usize = 1000;

/// Words after a number that make it a time.
const UNITS: [&str; 8] = ["ms", "s", "sec", "second", "seconds", "min", "minute", "minutes"];

/// What two messages have in common that say the same. How long something took or is to be waited
/// for is another each time, and tells nobody apart.
pub(crate) fn likeness(message: &str) -> String {
    let message = excerpt(message, COMPARED);
    let mut alike: Vec<&str> = Vec::new();
    let mut words = message.split(' ').peekable();
    while let Some(word) = words.next() {
        let before_unit = words.peek().is_some_and(|next| UNITS.contains(&plain(next)));
        let number = plain(word).trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_number = number.len() < plain(word).len();
        let is_time = is_number && (UNITS.contains(&number) || (number.is_empty() && before_unit));
        alike.push(if is_time { "#" } else { word });
    }
    alike.join(" ")
}

/// A word without the signs around it.
fn plain(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_tell_messages_not_apart_and_other_numbers_do() {
        let alike = |a: &str, b: &str| likeness(a) == likeness(b);
        assert!(alike("HTTP 429, (waited 2.5 s)", "HTTP 429, (waited 17 s)"));
        assert!(alike("no answer after 120ms; gave up", "no answer after 98ms; gave up"));
        assert!(!alike("exit code 1", "exit code 2"));
        assert!(!alike("HTTP 429 after 2 tries", "HTTP 503 after 2 tries"));
        assert!(!alike("seconds", "ms"));
    }
}
