//! Words for a command that people copy into a shell: quoted, harmless to look at, and taken literally
//! where a pattern is expected.

use std::{borrow::Cow, fmt::Write as _};

use agentv_base::escape_controls;

/// The word so that a shell takes it as it is. Characters that would move the cursor are written in
/// the `$'…'` form of bash, zsh and ksh; everything else is understood by any shell.
pub(crate) fn shell_word(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@+:,./-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    if let Cow::Borrowed(_) = escape_controls(word) {
        return Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")));
    }
    let mut quoted = String::from("$'");
    let mut bytes = [0; 4];
    for c in word.chars() {
        let text: &str = c.encode_utf8(&mut bytes);
        match c {
            '\\' | '\'' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ if matches!(escape_controls(text), Cow::Borrowed(_)) => quoted.push(c),
            // Byte by byte: what `\u` means depends on the locale.
            _ => text.bytes().for_each(|byte| {
                let _ = write!(quoted, "\\x{byte:02x}");
            }),
        }
    }
    quoted.push('\'');
    Cow::Owned(quoted)
}

/// A pattern that matches this text and nothing else.
pub(super) fn literal_pattern(text: &str) -> Cow<'_, str> {
    let is_special = |c: char| matches!(c, '*' | '?' | '[' | '{' | '}' | '\\');
    if !text.contains(is_special) {
        return Cow::Borrowed(text);
    }
    let mut pattern = String::with_capacity(text.len() + 4);
    for c in text.chars() {
        if is_special(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    Cow::Owned(pattern)
}

/// A flag with its value; a value that looks like a flag is tied to its own.
pub(super) fn flag(name: &str, value: &str) -> String {
    let tie = if value.starts_with('-') { "=" } else { " " };
    format!("{name}{tie}{}", shell_word(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_as_little_as_needed() {
        for (word, quoted) in [
            ("evals/a.yaml", "evals/a.yaml"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("a*b", "'a*b'"),
            ("$(rm -rf ~)", "'$(rm -rf ~)'"),
            ("über", "'über'"),
            ("~", "'~'"),
            ("a=b", "'a=b'"),
            ("a\u{1b}[2J'\\é\n", r"$'a\x1b[2J\'\\é\n'"),
            ("\u{202e}1", r"$'\xe2\x80\xae1'"),
        ] {
            assert_eq!(shell_word(word), quoted);
        }
    }

    #[test]
    fn a_pattern_means_its_text_alone() {
        for (text, pattern) in [
            ("capital-1", "capital-1"),
            ("a*b?", r"a\*b\?"),
            ("[x]", r"\[x]"),
            ("{a,b}", r"\{a,b\}"),
            (r"a\b", r"a\\b"),
        ] {
            assert_eq!(literal_pattern(text), pattern);
        }
    }

    #[test]
    fn a_value_that_looks_like_a_flag_is_tied_to_its_own() {
        assert_eq!(flag("--eval-id", "a"), "--eval-id a");
        assert_eq!(flag("--eval-id", "--help"), "--eval-id=--help");
        assert_eq!(flag("--eval-id", "-a b"), "--eval-id='-a b'");
    }
}
