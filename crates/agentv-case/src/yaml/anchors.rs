//! What `&name` keeps and `*name` brings back, and how much of that a file may do.
//!
//! Aliases share what they name, so a file can stand for far more than it holds; the tree's height
//! and the number of nodes it stands for are therefore limited here, before anyone walks it.

use std::collections::HashMap;

use agentv_base::{Diagnostic, Node, Span};

/// The parser's own limit for what is written, held for what aliases add.
pub(super) const DEEPEST: usize = 255;
/// Nodes that all aliases of one file may stand for together: a suite of 100,000 cases that share
/// a block of 100 lines stays below, a file made to explode does not.
const MOST_ALIASED: u64 = 10_000_000;

/// A finished value, with what it stands for once aliases are followed.
#[derive(Clone)]
pub(super) struct Built {
    pub(super) node: Node,
    pub(super) size: u64,
    pub(super) height: usize,
}

impl Built {
    pub(super) fn leaf(node: Node) -> Self {
        Self { node, size: 1, height: 1 }
    }
}

#[derive(Default)]
pub(super) struct Anchors {
    known: HashMap<usize, Built>,
    aliased: u64,
}

impl Anchors {
    /// Keeps a value under its anchor; 0 is the parser's word for none.
    pub(super) fn remember(&mut self, anchor: usize, built: &Built) {
        if anchor != 0 {
            self.known.insert(anchor, built.clone());
        }
    }

    /// The value that an anchor names, to be used as a key.
    pub(super) fn named(&self, anchor: usize) -> Option<&Node> {
        self.known.get(&anchor).map(|built| &built.node)
    }

    /// The value that an alias at this depth stands for, or what speaks against it: nothing where
    /// that has been said before.
    pub(super) fn follow(
        &mut self,
        anchor: usize,
        depth: usize,
        span: Span,
    ) -> Result<Built, Option<Diagnostic>> {
        let Some(built) = self.known.get(&anchor) else {
            let message = "this alias stands inside what it names";
            return Err(Some(Diagnostic::error(message).code("syntax").at(span)));
        };
        let was_within = self.aliased <= MOST_ALIASED;
        self.aliased = self.aliased.saturating_add(built.size);
        if self.aliased > MOST_ALIASED {
            let message =
                format!("the aliases of this file stand for more than {MOST_ALIASED} values");
            return Err(was_within.then(|| Diagnostic::error(message).code("syntax").at(span)));
        }
        if depth + built.height > DEEPEST {
            return Err(Some(too_deep(span)));
        }
        Ok(Built { node: Node::new(span, built.node.value.clone()), ..*built })
    }
}

pub(super) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(format!("nested more than {DEEPEST} levels deep")).code("syntax").at(span)
}
