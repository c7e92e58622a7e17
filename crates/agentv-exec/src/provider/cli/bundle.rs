//! The request bundle: what a batch tool is asked, one JSON object a line.
//!
//! It is written from [`Request`]s, which hold nothing of the expected answer or the graders.

use std::{
    borrow::Cow,
    io::{self, Write},
    path::PathBuf,
};

use agentv_base::{Messages, Request, append_json};
use serde::Serialize;

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    attempt: u32,
    question: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guidelines: Option<String>,
    input_messages: &'a Messages,
    #[serde(skip_serializing_if = "<[PathBuf]>::is_empty")]
    input_files: &'a [PathBuf],
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation_id: Option<&'a str>,
}

/// What is written at once: of a million requests that is hundreds of megabytes.
const BUFFER: usize = 1 << 17;

/// Writes one line a request.
pub(super) fn write(requests: &[Request], out: &mut impl Write) -> io::Result<()> {
    let mut written = Vec::new();
    for Request { input, attempt, .. } in requests {
        let line = Line {
            id: &input.eval_id,
            attempt: *attempt,
            question: input.question(),
            guidelines: input.guidelines(),
            input_messages: &input.messages,
            input_files: &input.files,
            conversation_id: input.conversation_id.as_deref(),
        };
        append_json(&mut written, &line)?;
        written.push(b'\n');
        if written.len() >= BUFFER {
            out.write_all(&written)?;
            written.clear();
        }
    }
    out.write_all(&written)
}
