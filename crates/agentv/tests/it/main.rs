//! The one integration test binary: the real `agentv`, real processes, real files.

#![allow(
    clippy::expect_used,
    clippy::format_push_string,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on panics, and no test is in a hurry"
)]

mod bad_input;
mod batches;
mod choices;
mod cli_target;
mod closed_pipes;
mod code_judges;
mod completions;
mod composites;
mod convert;
mod convert_runs;
mod dialects;
mod fields;
mod grader_index;
mod grader_pages;
mod hostile;
mod hostile_answers;
mod init;
mod interrupts;
mod json_schemas;
mod judge_targets;
mod language;
mod language_examples;
mod language_page;
mod language_reference;
mod manual;
mod metrics;
mod outputs;
mod project;
mod rows;
mod safety;
mod schema;
mod similar;
mod spec;
mod tidy;
mod tour;
mod trajectories;
mod validate_formats;
mod verdicts;
