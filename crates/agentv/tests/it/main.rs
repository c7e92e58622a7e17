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
mod browsing;
mod budgets;
mod cache;
mod calibrate;
mod choices;
mod cli_target;
mod closed_pipes;
mod code_judges;
mod comparisons;
mod completions;
mod composites;
mod convert;
mod convert_runs;
mod deadlines;
mod dependencies;
mod dependent_runs;
mod dialects;
mod dry_run;
mod fail_fast;
mod faults;
mod fields;
mod generate;
mod grade;
mod grader_index;
mod grader_pages;
mod hostile;
mod hostile_answers;
mod html_report;
mod init;
mod interrupts;
mod json_schemas;
mod judge_targets;
mod judging_page;
mod language;
mod language_examples;
mod language_page;
mod language_reference;
mod limits;
mod live_display;
mod llm_judges;
mod manual;
mod merging;
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
mod recordings;
mod repeats;
mod replay_targets;
mod reports;
mod reruns;
mod resume;
mod retries;
mod retries_page;
mod rows;
mod safety;
mod schema;
mod shards;
mod similar;
mod spec;
mod summaries;
mod survival;
mod tidy;
mod tour;
mod trajectories;
mod trends;
mod until_decided;
mod validate_formats;
mod verdicts;
