//! `trials` of another dialect, a number or a map with a `count` → `repeat`.

use std::ops::Range;

use agentv_base::{Entry, Key, Node};

use super::{edit::quoted_alike, written};
use crate::suite::keys::TRIALS_KEYS;

/// What says the same today.
pub(super) const NAME: &str = "repeat";

/// The change to the text, and the entry that comes of it. Nothing where the key is another one, or
/// says more than a number: that stays, and `agentv validate` speaks of it. Nor where a comment or
/// an anchor would be lost.
pub(super) fn in_short(
    text: &str,
    key: &Key,
    entry: &Entry,
) -> Option<((Range<usize>, String), Entry)> {
    if key.name != "trials" {
        return None;
    }
    let value = &entry.value;
    let count = match value.as_map() {
        None => value,
        Some(entries) => {
            let known = |entry: &Entry| {
                let key = agentv_base::find_key(&entry.key, &[TRIALS_KEYS])?;
                ["count", "strategy"].contains(&key.name).then_some(key.name)
            };
            let names: Vec<&str> = entries.iter().filter_map(known).collect();
            let strange = names.len() != entries.len();
            let count = entries.iter().find(|entry| known(entry) == Some("count"))?;
            Some(&count.value).filter(|_| !strange)?
        }
    };
    let start = entry.key_span.start as usize;
    let whole = text.get(start..value.span.end as usize)?.trim_end();
    let plain = |node: &Node| {
        // What an alias stands for is elsewhere.
        node.span.start >= entry.key_span.end && node.span.end <= value.span.end
    };
    let kept = !whole.contains(['#', '&', '*', '!']);
    if !kept || !plain(count) || count.as_list().is_some() || count.as_map().is_some() {
        return None;
    }
    let name = quoted_alike(written(text, entry.key_span), NAME);
    let new = format!("{name}: {}", written(text, count.span));
    let short = Entry { key: NAME.into(), key_span: entry.key_span, value: count.clone() };
    Some(((start..start + whole.len(), new), short))
}
