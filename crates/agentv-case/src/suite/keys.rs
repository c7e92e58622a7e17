//! The keys that a suite and its parts may have. Every name a user can type stands here.

use agentv_base::Key;

pub(crate) const SUITE_KEYS: &[Key] = &[
    Key::new("$schema"),
    Key::new("dataset"),
    Key::new("target"),
    Key::new("execution"),
    Key::new("evaluators"),
    Key::new("evaluator"),
    Key::new("evalcases"),
];

pub(crate) const CASE_KEYS: &[Key] = &[
    Key::new("id"),
    Key::or("expected_outcome", &["outcome"]),
    Key::new("input_messages"),
    Key::new("expected_messages"),
    Key::new("conversation_id"),
    Key::new("execution"),
    Key::new("evaluators"),
    Key::new("evaluator"),
    Key::new("rubrics"),
];

pub(crate) const EXECUTION_KEYS: &[Key] = &[Key::new("target"), Key::new("evaluators")];

pub(crate) const MESSAGE_KEYS: &[Key] =
    &[Key::new("role"), Key::new("content"), Key::new("name"), Key::new("tool_calls")];

pub(crate) const TOOL_CALL_KEYS: &[Key] = &[
    Key::new("tool"),
    Key::new("input"),
    Key::new("output"),
    Key::new("id"),
    Key::new("timestamp"),
    Key::new("duration_ms"),
];

/// Of a block of text and of a file; blocks of other types are the author's own.
pub(crate) const BLOCK_KEYS: &[Key] = &[Key::new("type"), Key::new("value")];
