//! Sentences of a fixed vocabulary: the same cases on every machine and on every day.

use std::fmt::Write as _;

const SUBJECTS: [&str; 8] = [
    "The payment from Zürich",
    "A cancelled order",
    "The agent",
    "A new customer",
    "The third report",
    "Every document",
    "Transfer 4711",
    "A listed name",
];
const VERBS: [&str; 8] = [
    "is compared with",
    "is not",
    "was answered before",
    "must name",
    "stands beside",
    "depends on",
    "refers to",
    "is the same as",
];
const OBJECTS: [&str; 8] = [
    "the last entry",
    "a limit of 10,000",
    "the strict rule",
    "the first message",
    "a \"quoted\" text",
    "the customer's words",
    "every tool call",
    "the sanctions list",
];

/// `count` sentences that belong to this number; other numbers have others.
pub fn sentences(number: usize, count: usize) -> String {
    let mut text = String::new();
    for index in 0..count {
        // Steps that share no factor with the sizes above, so that combinations do not repeat soon.
        let seed = number.wrapping_mul(31).wrapping_add(index * 7);
        let pick = |words: &[&'static str], step: usize| {
            words.get((seed / step + seed) % words.len()).copied().unwrap_or_default()
        };
        let between = if index == 0 { "" } else { " " };
        let (subject, verb) = (pick(&SUBJECTS, 3), pick(&VERBS, 5));
        let _ = write!(text, "{between}{subject} {verb} {}.", pick(&OBJECTS, 11));
    }
    text
}
