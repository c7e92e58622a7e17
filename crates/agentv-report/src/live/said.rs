//! Remembers what was said, so that a thousand equal sentences become one and a number.

use std::collections::BTreeMap;

/// Beyond so many different texts each is shown: nothing is kept back that is not counted.
const MOST_TEXTS: usize = 1000;

#[derive(Default)]
pub(super) struct Said {
    /// How often after the first time.
    again: BTreeMap<String, usize>,
}

impl Said {
    /// Whether the text should be shown: the first time it is heard.
    pub(super) fn is_news(&mut self, text: &str) -> bool {
        if let Some(again) = self.again.get_mut(text) {
            *again += 1;
            return false;
        }
        if self.again.len() < MOST_TEXTS {
            self.again.insert(text.to_owned(), 0);
        }
        true
    }

    /// What came again and how often, told once.
    pub(super) fn take_repeated(&mut self) -> Vec<(String, usize)> {
        std::mem::take(&mut self.again).into_iter().filter(|(_, again)| *again > 0).collect()
    }
}
