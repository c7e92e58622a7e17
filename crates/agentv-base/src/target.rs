//! A target as its author described it, before any provider reads its own keys.

use std::{path::PathBuf, sync::Arc};

use serde_json::Value;

use crate::{
    node::{Node, Span},
    settings::Key,
};

/// Keys that every target has, whatever its provider.
pub const TARGET_KEYS: &[Key] = &[
    Key::new("name"),
    Key::new("provider"),
    Key::new("workers"),
    Key::or("judge_target", &["grader_target"]),
];

#[derive(Clone, Debug)]
pub struct TargetSpec {
    pub name: Arc<str>,
    pub name_span: Span,
    /// In lower case.
    pub provider: Arc<str>,
    pub provider_span: Span,
    pub workers: Option<usize>,
    pub judge_target: Option<Arc<str>>,
    /// The whole map, variables filled in.
    pub node: Node,
    /// The map as written, with variables by name and secrets removed: what may be recorded.
    pub definition: Value,
    /// The targets file, absolute.
    pub file: PathBuf,
}
