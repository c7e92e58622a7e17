//! Targets that keep their settings in a map of its own, `{id: cli, label: x, config: {…}}`, and
//! how their lines move when that map is dissolved.

use std::ops::Range;

use agentv_base::{Entry, Key, Node, find_key};

use super::{vocabulary::Vocabulary, written};

/// The parts of such a target.
pub(super) struct NestedSettings<'n> {
    pub(super) id: &'n Entry,
    pub(super) label: Option<&'n Entry>,
    pub(super) config: &'n Entry,
    /// Of its provider.
    pub(super) keys: &'static [Key],
}

impl<'n> NestedSettings<'n> {
    pub(super) fn of(node: &'n Node, vocabulary: &Vocabulary) -> Option<Self> {
        let entry = |name: &str| node.as_map()?.iter().find(|entry| &*entry.key == name);
        let id = entry("id")?;
        let kind = vocabulary.provider(id.value.as_str()?)?;
        let config = entry("config").filter(|entry| entry.value.as_map().is_some())?;
        Some(Self { id, label: entry("label"), config, keys: kind.keys })
    }
}

/// What makes the target flat: the line of `config:` goes, and those below it move to the left.
/// Nothing where that is not all there is to it.
pub(super) fn layout(
    text: &str,
    target: &Node,
    nested: &NestedSettings<'_>,
    tables: &[&'static [Key]],
) -> Option<Vec<(Range<usize>, String)>> {
    // Without a label, the target would have to be given a name.
    nested.label?;
    let settings = nested.config.value.as_map()?;
    let first = settings.first()?;
    let name = |entry: &Entry| find_key(&entry.key, tables).map(|key| key.name);
    let around = target.as_map()?;
    let taken = settings.iter().any(|entry| {
        name(entry).is_some_and(|name| {
            matches!(name, "name" | "provider")
                || around
                    .iter()
                    .any(|other| find_key(&other.key, tables).is_some_and(|key| key.name == name))
        })
    });
    let key = nested.config.key_span;
    // An alias or a merged map has its lines elsewhere.
    let here = settings.iter().all(|entry| entry.key_span.start > key.end);
    if taken || !here || nested.config.value.span.start < key.end {
        return None;
    }
    let line_start = text.get(..key.start as usize)?.rfind('\n').map_or(0, |at| at + 1);
    let indent = text.get(line_start..key.start as usize)?;
    let first_start = text.get(..first.key_span.start as usize)?.rfind('\n').map_or(0, |at| at + 1);
    let inner = text.get(first_start..first.key_span.start as usize)?;
    let blank = |piece: &str| piece.bytes().all(|byte| byte == b' ');
    if written(text, key) != "config"
        || !blank(indent)
        || !blank(inner)
        || first_start <= line_start
    {
        return None;
    }
    let depth = inner.len().checked_sub(indent.len()).filter(|depth| *depth > 0)?;
    // Between `config:` and its first line there may be a comment, and nothing else.
    let line_end = line_start + text.get(line_start..)?.find('\n')? + 1;
    let after = text.get(key.end as usize..line_end)?.strip_prefix(':')?.trim();
    let mut layout = vec![match after {
        "" => (line_start..line_end, String::new()),
        comment if comment.starts_with('#') => {
            let comment_start = line_start + text.get(line_start..line_end)?.find('#')?;
            (key.start as usize..comment_start, String::new())
        }
        _ => return None,
    }];
    let end = nested.config.value.span.end as usize;
    let mut at = line_end;
    while at < end {
        let line = text.get(at..)?;
        let spaces = line.bytes().take_while(|byte| *byte == b' ').count();
        if spaces >= depth {
            layout.push((at..at + depth, String::new()));
        }
        at += line.find('\n').map_or(line.len(), |at| at + 1);
    }
    Some(layout)
}
