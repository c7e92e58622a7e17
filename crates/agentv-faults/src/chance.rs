//! Random numbers that come again with their seed.

use std::time::Duration;

/// A generator of the xorshift family: no more is needed to choose a moment.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        let mut chance = Self(seed ^ 0x9E37_79B9_7F4A_7C15);
        // The first numbers of seeds that are alike are alike too.
        for _ in 0..8 {
            chance.next();
        }
        chance
    }

    fn next(&mut self) -> u64 {
        let Self(state) = self;
        // Zero would stay zero for ever.
        *state = (*state).max(1);
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    /// A number from 0 up to, and without, `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap();
        usize::try_from(self.next() % end).unwrap()
    }

    pub(crate) fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    /// A moment before `end`.
    pub(crate) fn moment(&mut self, end: Duration) -> Duration {
        let micros = usize::try_from(end.as_micros()).unwrap_or(usize::MAX);
        Duration::from_micros(u64::try_from(self.below(micros)).unwrap())
    }
}
