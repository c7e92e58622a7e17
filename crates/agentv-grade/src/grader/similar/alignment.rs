//! Edit distance and longest common subsequence of two sequences, 64 rows of their table at a time.
//!
//! The longer sequence goes down the table and is streamed; the shorter one goes across and is
//! kept. A word of 64 bits holds one column of a block of rows (Myers 1999 and Hyyrö 2003 for
//! distances, Hyyrö 2004 for subsequences), and what a block hands down to the next is one small
//! number a column. So memory grows with the shorter sequence only, and time with the number of
//! cells over 64.

use std::{collections::HashMap, hash::Hash};

/// How many cells may be compared for one answer: two texts of 131,072 characters each, which take
/// a second or two. Without a limit, two texts of a megabyte would hold a run for a minute, and two
/// of a hundred megabytes for a week.
pub(super) const MOST_CELLS: u64 = 1 << 34;

/// The cells that may still be compared.
pub(super) struct Work {
    left: u64,
}

impl Default for Work {
    fn default() -> Self {
        Self { left: MOST_CELLS }
    }
}

impl Work {
    #[cfg(test)]
    pub(super) fn of(cells: u64) -> Self {
        Self { left: cells }
    }

    fn spend(&mut self, cells: u64) -> Result<(), TooMuch> {
        self.left = self.left.checked_sub(cells).ok_or(TooMuch)?;
        Ok(())
    }
}

/// There are more cells to compare than may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMuch;

/// How many items must be put in, taken out or replaced to make `a` of `b`.
pub(super) fn distance<T, I>(a: I, b: I, work: &mut Work) -> Result<usize, TooMuch>
where
    T: Copy + Eq + Hash,
    I: DoubleEndedIterator<Item = T> + Clone,
{
    let core = Core::of(a, b, work)?;
    let Some((columns, rows)) = core.table else { return Ok(core.longer) };
    Ok(edits(&columns, rows))
}

/// How many items stand in both in the same order, others in between or not.
pub(super) fn common<T, I>(a: I, b: I, work: &mut Work) -> Result<usize, TooMuch>
where
    T: Copy + Eq + Hash,
    I: DoubleEndedIterator<Item = T> + Clone,
{
    let core = Core::of(a, b, work)?;
    let Some((columns, rows)) = core.table else { return Ok(core.ends) };
    Ok(core.ends + subsequence(&columns, rows))
}

/// Two sequences without what they begin and end with alike, which changes neither measure's core.
struct Core<R> {
    /// How many items were left out at both ends.
    ends: usize,
    /// How many are left of the longer sequence.
    longer: usize,
    /// What is left, as numbers that are equal where the items are; nothing where one of the two is
    /// used up.
    table: Option<(Vec<u32>, R)>,
}

impl Core<()> {
    fn of<T, I>(a: I, b: I, work: &mut Work) -> Result<Core<impl Iterator<Item = u32>>, TooMuch>
    where
        T: Copy + Eq + Hash,
        I: DoubleEndedIterator<Item = T> + Clone,
    {
        let (lengths, (shorter, longer)) = match (a.clone().count(), b.clone().count()) {
            (first, second) if first > second => ((second, first), (b, a)),
            (first, second) => ((first, second), (a, b)),
        };
        let alike = |(one, other): &(T, T)| one == other;
        let start = shorter.clone().zip(longer.clone()).take_while(alike).count();
        let rest = lengths.0 - start;
        let end = shorter.clone().rev().zip(longer.clone().rev());
        let end = end.take(rest).take_while(alike).count();
        let (across, down) = (rest - end, lengths.1 - start - end);
        let table = if across == 0 {
            None
        } else {
            work.spend((across as u64).saturating_mul(down as u64))?;
            let mut numbers = Numbers::default();
            let columns = shorter.skip(start).take(across).map(|item| numbers.learn(item));
            let columns: Vec<u32> = columns.collect();
            let rows = longer.skip(start).take(down).map(move |item| numbers.of(item));
            Some((columns, rows))
        };
        Ok(Core { ends: start + end, longer: down, table })
    }
}

/// What no other item is called: an item that was never learnt.
pub(super) const UNKNOWN: u32 = 0;

/// Items as small numbers, from 1 on.
pub(super) struct Numbers<T>(HashMap<T, u32>);

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T: Copy + Eq + Hash> Numbers<T> {
    /// The number of an item, which has one from now on.
    pub(super) fn learn(&mut self, item: T) -> u32 {
        // More than 4 billion different items would need more memory than there is; they would be
        // taken for the same one.
        let next = u32::try_from(self.0.len() + 1).unwrap_or(u32::MAX);
        *self.0.entry(item).or_insert(next)
    }

    pub(super) fn of(&self, item: T) -> u32 {
        self.0.get(&item).copied().unwrap_or(UNKNOWN)
    }
}

/// Up to 64 rows of the table: for each number, in which of them it stands.
struct Block {
    places: Vec<u64>,
    filled: Vec<u32>,
    height: u32,
}

impl Block {
    fn new(columns: &[u32]) -> Self {
        let largest = columns.iter().copied().max().unwrap_or_default();
        Self { places: vec![0; largest as usize + 1], filled: Vec::new(), height: 0 }
    }

    /// Takes the next rows; false where there are none.
    fn fill(&mut self, rows: &mut impl Iterator<Item = u32>) -> bool {
        for number in self.filled.drain(..) {
            if let Some(places) = self.places.get_mut(number as usize) {
                *places = 0;
            }
        }
        self.height = 0;
        for number in rows.take(64) {
            if let Some(places) = self.places.get_mut(number as usize)
                && number != UNKNOWN
            {
                *places |= 1 << self.height;
                self.filled.push(number);
            }
            self.height += 1;
        }
        self.height > 0
    }

    fn places(&self, number: u32) -> u64 {
        self.places.get(number as usize).copied().unwrap_or_default()
    }

    /// The bit of the last row.
    fn last(&self) -> u64 {
        1 << self.height.saturating_sub(1)
    }
}

fn edits(columns: &[u32], mut rows: impl Iterator<Item = u32>) -> usize {
    // By how much each column's cell in the last row so far is above its neighbour on the left.
    let mut steps: Vec<i8> = vec![1; columns.len()];
    let mut block = Block::new(columns);
    let mut height = 0;
    while block.fill(&mut rows) {
        height += block.height as usize;
        let last = block.last();
        // By how much each cell is above (`more`) or below (`less`) the one over it.
        let (mut more, mut less) = (u64::MAX, 0_u64);
        for (number, step) in columns.iter().zip(&mut steps) {
            let mut equal = block.places(*number);
            let vertical = equal | less;
            equal |= u64::from(*step < 0);
            let diagonal = ((equal & more).wrapping_add(more) ^ more) | equal;
            let mut right_more = less | !(diagonal | more);
            let mut right_less = more & diagonal;
            let handed_down = *step;
            *step = i8::from(right_more & last != 0) - i8::from(right_less & last != 0);
            right_more = right_more << 1 | u64::from(handed_down > 0);
            right_less = right_less << 1 | u64::from(handed_down < 0);
            more = right_less | !(vertical | right_more);
            less = right_more & vertical;
        }
    }
    // The first cell of the last row is the number of rows; each step leads one cell further.
    let up = steps.iter().filter(|step| **step > 0).count();
    let down = steps.iter().filter(|step| **step < 0).count();
    (height + up).saturating_sub(down)
}

fn subsequence(columns: &[u32], mut rows: impl Iterator<Item = u32>) -> usize {
    let mut carries = vec![false; columns.len()];
    let mut block = Block::new(columns);
    let mut length = 0;
    while block.fill(&mut rows) {
        // A bit of a row is 0 where the subsequence grew by one there.
        let mut still = u64::MAX;
        for (number, carry) in columns.iter().zip(&mut carries) {
            let places = block.places(*number);
            let (sum, over) = still.overflowing_add(still & places);
            let (sum, over_again) = sum.overflowing_add(u64::from(*carry));
            *carry = over || over_again;
            still = sum | (still & !places);
        }
        let rows = block.last() | (block.last() - 1);
        length += (!still & rows).count_ones() as usize;
    }
    length
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Both measures from the whole table, cell by cell.
    fn slowly(a: &[u8], b: &[u8]) -> (usize, usize) {
        let mut edits: Vec<usize> = (0..=b.len()).collect();
        let mut common = vec![0; b.len() + 1];
        for (row, one) in a.iter().enumerate() {
            let (mut edits_before, mut common_before) = (edits[0], 0);
            edits[0] = row + 1;
            for (column, other) in b.iter().enumerate() {
                let replaced = edits_before + usize::from(one != other);
                let both = common_before + usize::from(one == other);
                (edits_before, common_before) = (edits[column + 1], common[column + 1]);
                edits[column + 1] = replaced.min(edits_before + 1).min(edits[column] + 1);
                common[column + 1] = both.max(common_before).max(common[column]);
            }
        }
        (edits[b.len()], common[b.len()])
    }

    fn check(a: &[u8], b: &[u8]) {
        let mut work = Work::default();
        let found = (
            distance(a.iter(), b.iter(), &mut work).unwrap(),
            common(a.iter(), b.iter(), &mut work).unwrap(),
        );
        assert_eq!(found, slowly(a, b), "{a:?} {b:?}");
    }

    #[test]
    fn blocks_meet_without_a_seam() {
        for rows in [1, 63, 64, 65, 127, 128, 129, 200] {
            for columns in [1, 2, 63, 64, 65, 130] {
                let a: Vec<u8> = (0..rows).map(|at| at % 7).collect();
                let b: Vec<u8> = (0..columns).map(|at| (at + 3) % 5).collect();
                check(&a, &b);
                check(&b, &a);
            }
        }
    }

    #[test]
    fn what_is_alike_at_both_ends_costs_nothing() {
        let long = vec![7; 1_000_000];
        let mut other = long.clone();
        other[500_000] = 8;
        let mut work = Work::of(1);
        assert_eq!(distance(long.iter(), other.iter(), &mut work), Ok(1));
        let mut work = Work::of(1);
        assert_eq!(common(long.iter(), other.iter(), &mut work), Ok(999_999));
        assert_eq!(common(long.iter(), long.iter(), &mut work), Ok(1_000_000));
        assert_eq!(distance([1, 2].iter(), [3].iter(), &mut work), Err(TooMuch));
    }

    #[test]
    fn work_adds_up() {
        let mut work = Work::of(10);
        assert_eq!(distance([1, 2, 3].iter(), [4, 5, 6].iter(), &mut work), Ok(3));
        assert_eq!(distance([1].iter(), [4, 5].iter(), &mut work), Err(TooMuch));
    }

    proptest! {
        #[test]
        fn it_agrees_with_the_table_filled_cell_by_cell(
            a in prop::collection::vec(0..6_u8, 0..300), b in prop::collection::vec(0..6_u8, 0..300)
        ) {
            check(&a, &b);
        }
    }
}
