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

/// A bundle that is being written.
pub(super) struct Bundle<W> {
    out: W,
    written: Vec<u8>,
}

impl<W: Write> Bundle<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, written: Vec::new() }
    }

    /// Adds a line.
    pub(super) fn add(&mut self, Request { input, attempt, .. }: &Request) -> io::Result<()> {
        let line = Line {
            id: &input.eval_id,
            attempt: *attempt,
            question: input.question(),
            guidelines: input.guidelines(),
            input_messages: &input.messages,
            input_files: &input.files,
            conversation_id: input.conversation_id.as_deref(),
        };
        append_json(&mut self.written, &line)?;
        self.written.push(b'\n');
        if self.written.len() >= BUFFER {
            self.out.write_all(&self.written)?;
            self.written.clear();
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.write_all(&self.written)
    }
}
