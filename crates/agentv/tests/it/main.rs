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
mod calibrate;
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
mod generate;
mod grader_index;
mod grader_pages;
mod hostile;
mod hostile_answers;
mod init;
mod interrupts;
mod json_schemas;
mod judge_targets;
mod judging_page;
mod language;
mod language_examples;
mod language_page;
mod language_reference;
mod llm_judges;
mod manual;
mod metrics;
mod mock_targets;
mod model_faults;
mod model_judges;
mod model_network;
mod model_project;
mod model_secrets;
mod models;
mod models_page;
mod network;
mod outputs;
mod page_examples;
mod project;
mod replay_targets;
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
