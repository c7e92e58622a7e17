//! How many graders may stand in one, and how deep.
//!
//! An alias of YAML costs a few bytes wherever it is used, and a composite of composites of aliases
//! can stand for millions of graders. So they are counted before any of them is built.

use agentv_base::{Diagnostic, MEMBERS, Node, Span};

/// Far above what anyone writes, and built in a second or two.
const MOST: usize = 100_000;

/// Each level is two levels of JSON in a row, which readers of JSON take a limited number of (128
/// is a common limit).
const DEEPEST: usize = 50;

/// What is too much about the members of a composite.
pub(super) fn check(members: &[Node]) -> Result<(), Diagnostic> {
    let mut count = Count { left: MOST };
    count.list(members, 1)
}

struct Count {
    left: usize,
}

impl Count {
    /// `depth` is how many composites the graders of the list stand in.
    fn list(&mut self, graders: &[Node], depth: usize) -> Result<(), Diagnostic> {
        for grader in graders {
            if depth > DEEPEST {
                return Err(too_deep(grader.span));
            }
            self.left = self.left.checked_sub(1).ok_or_else(|| too_many(grader.span))?;
            for entry in grader.as_map().unwrap_or_default() {
                if MEMBERS.is_called(&entry.key)
                    && let Some(members) = entry.value.as_list()
                {
                    self.list(members, depth + 1)?;
                }
            }
        }
        Ok(())
    }
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(format!("graders stand in each other more than {DEEPEST} levels deep"))
        .at(span)
}

fn too_many(span: Span) -> Diagnostic {
    Diagnostic::error(format!("a composite stands for more than {MOST} graders"))
        .at(span)
        .hint("an alias counts as often as it is used")
}
