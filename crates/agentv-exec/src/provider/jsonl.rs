//! Lines of JSON that others wrote: what is said of one that cannot be used.

use agentv_base::excerpt;
use serde::de::IgnoredAny;

/// Most characters of a line that a message shows.
const EXCERPT: usize = 200;

/// The content without a byte-order mark.
pub(super) fn strip_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Why a text could not be read as the object that was wanted.
pub(super) fn why_no_object(text: &str, error: &serde_json::Error) -> String {
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) if text.trim_start().starts_with('{') => cannot_be_used(error),
        Ok(_) => "is not a JSON object".to_owned(),
        // What speaks against the syntax alone: other reasons quote what they met.
        Err(error) => format!("is not valid JSON ({})", without_line(&error)),
    }
}

/// Valid JSON, but for a text that no text can hold, or a number that none can.
pub(super) fn cannot_be_used(error: &serde_json::Error) -> String {
    format!("cannot be used ({})", without_line(error))
}

/// The parser saw one line and calls it the first; which one it is of the file is said already.
fn without_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

/// What is wrong with a line of a file, with enough of it to see that.
pub(super) fn bad_line(file: &str, line: usize, what: &str, content: &[u8]) -> String {
    format!("line {line} of {file} {what}: {}", excerpt(&String::from_utf8_lossy(content), EXCERPT))
}
