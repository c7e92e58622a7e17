//! A target as its author described it, before any provider reads its own keys.

use std::{fmt, path::PathBuf, sync::Arc};

use serde_json::Value;

use crate::{
    key::{Key, Shape},
    node::{Node, Span},
    price::PriceList,
};

/// Keys that every target has, whatever its provider.
pub const TARGET_KEYS: &[Key] = &[
    Key::new("name", Shape::Name, "How suites and `--target` call it").required(),
    Key::new("provider", Shape::Name, "What kind of target it is").required(),
    Key::new("workers", Shape::Count, "Most invocations of it at once").default("4"),
    Key::new("judge_target", Shape::Name, "The target that judges its answers where a model must")
        .or(&["grader_target"]),
];

#[derive(Clone)]
pub struct TargetSpec {
    pub name: Arc<str>,
    pub name_span: Span,
    /// In lower case.
    pub provider: Arc<str>,
    pub provider_span: Span,
    pub workers: Option<usize>,
    /// By its name, and where that stands.
    pub judge_target: Option<(Arc<str>, Span)>,
    /// The whole map, variables filled in.
    pub node: Node,
    /// The map as written, with variables by name and secrets removed: what may be recorded.
    pub definition: Value,
    /// The targets file, absolute.
    pub file: PathBuf,
    /// What the project says that models cost.
    pub prices: Arc<PriceList>,
}

/// What may be recorded of it: `node` has secrets filled in.
impl fmt::Debug for TargetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TargetSpec")
            .field("name", &self.name)
            .field("definition", &self.definition)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}
