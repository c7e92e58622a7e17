//! YAML text → a tree in which every key and value knows its place.
//!
//! Nothing here knows what a suite is. Doubled keys are reported and dropped; where a value is
//! lost (a syntax error, an unknown tag, an alias to nothing) there is no tree, because whatever
//! would be said about the rest could be wrong.

mod anchors;
mod map;
mod names;
mod scalar;
mod syntax;
mod tree;

pub(crate) use self::{names::Names, scalar::lost_digits};

#[cfg(test)]
mod tests;

use std::sync::Arc;

use agentv_base::{Node, Problems, SourceId};
use granit_parser::{Parser, ScanError};

use self::tree::TreeBuilder;

/// Reads one file. An empty one is a null.
pub fn parse(text: &str, source: SourceId, problems: &mut Problems) -> Option<Node> {
    read(text, TreeBuilder::new(text, source, problems))
}

/// As `parse`; the texts of the tree are pieces of the file's own text.
pub(crate) fn parse_shared(
    text: &Arc<String>,
    source: SourceId,
    problems: &mut Problems,
) -> Option<Node> {
    read(text, TreeBuilder::new(text, source, problems).sharing(text))
}

fn read<'t>(text: &'t str, mut tree: TreeBuilder<'t, '_>) -> Option<Node> {
    let mut options = granit_parser::options! { emit_unresolved_aliases: true };
    // Another crate may have switched comments on for all of us.
    options.set_emit_comments(false);
    let events = Parser::new_from_str_with_options(text, options);
    for said in events {
        let go_on = match said {
            Ok((event, ref at)) => tree.take(event, at),
            Err(error) => {
                broken(&error, text, &mut tree);
                false
            }
        };
        if !go_on {
            break;
        }
    }
    tree.finish()
}

fn broken(error: &ScanError, text: &str, tree: &mut TreeBuilder<'_, '_>) {
    let offset = error.marker().byte_offset().unwrap_or_default();
    let end = offset + width_of_character(text, offset);
    let span = tree.place(offset, end);
    tree.report(syntax::diagnose(error, span));
}

/// A place of no width cannot be underlined; at the end of a line there is nothing to underline.
fn width_of_character(text: &str, offset: usize) -> usize {
    let next = text.get(offset..).and_then(|rest| rest.chars().next());
    next.filter(|c| !c.is_control()).map_or(0, char::len_utf8)
}

/// What an unquoted text is taken for.
pub(crate) fn plain_scalar(text: &str) -> agentv_base::NodeValue {
    scalar::plain(text).unwrap_or_else(|| scalar::string(text))
}
