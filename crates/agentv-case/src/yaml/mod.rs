//! YAML text → a tree in which every key and value knows its place.
//!
//! Nothing here knows what a suite is. Doubled keys are reported and dropped; where a value is
//! lost (a syntax error, an unknown tag, an alias to nothing) there is no tree, because whatever
//! would be said about the rest could be wrong.

mod anchors;
mod map;
mod names;
mod reading;
mod scalar;
mod syntax;
mod tree;

pub(crate) use self::{
    names::Names,
    reading::{Items, Reading},
    scalar::lost_digits,
};

#[cfg(test)]
mod tests;

use std::sync::Arc;

use agentv_base::{Node, Problems, SourceId};

/// Reads one file. An empty one is a null.
pub fn parse(text: &str, source: SourceId, problems: &mut Problems) -> Option<Node> {
    told(Reading::new(text, source).whole(), problems)
}

/// As `parse`; the texts of the tree are pieces of the file's own text.
pub(crate) fn parse_shared(
    text: &Arc<String>,
    source: SourceId,
    problems: &mut Problems,
) -> Option<Node> {
    told(Reading::sharing(text, source).whole(), problems)
}

fn told((tree, found): (Option<Node>, Problems), problems: &mut Problems) -> Option<Node> {
    problems.append(found);
    tree
}

/// What an unquoted text is taken for.
pub(crate) fn plain_scalar(text: &str) -> agentv_base::NodeValue {
    scalar::plain(text).unwrap_or_else(|| scalar::string(text))
}
