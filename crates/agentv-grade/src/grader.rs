//! The graders, a file for each kind or family, and the small pieces they share.

pub(crate) mod code_judge;
pub(crate) mod composite;
pub(crate) mod contains;
pub(crate) mod contains_json;
pub(crate) mod contains_many;
pub(crate) mod equals;
pub(crate) mod execution_metrics;
pub(crate) mod field_accuracy;
mod immediate;
pub(crate) mod json_schema;
mod json_text;
mod letter_case;
mod limits;
mod measured;
pub(crate) mod negated;
pub(crate) mod one_limit;
pub(crate) mod regex;
pub(crate) mod similar;
pub(crate) mod text_end;
pub(crate) mod token_usage;
pub(crate) mod tool_trajectory;
mod trajectory;
pub(crate) mod trajectory_step_count;
pub(crate) mod trajectory_tool_args_match;
pub(crate) mod trajectory_tool_sequence;
pub(crate) mod trajectory_tool_used;
mod wanted;
