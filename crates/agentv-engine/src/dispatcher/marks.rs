//! Some of the slots of a plan: a million of them are a megabyte, and none is looked for.

pub(super) struct Marks {
    marked: Vec<bool>,
    count: usize,
}

impl Marks {
    /// None of so many slots.
    pub fn none(slots: usize) -> Self {
        Self { marked: vec![false; slots], count: 0 }
    }

    pub fn add(&mut self, slot: usize) {
        self.count += usize::from(!std::mem::replace(&mut self.marked[slot], true));
    }

    pub fn remove(&mut self, slot: usize) {
        self.count -= usize::from(std::mem::replace(&mut self.marked[slot], false));
    }

    pub fn contains(&self, slot: usize) -> bool {
        self.marked[slot]
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// In the order of the plan.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.marked.iter().enumerate().filter(|(_, marked)| **marked).map(|(slot, _)| slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_counted_once() {
        let mut marks = Marks::none(5);
        for slot in [3, 1, 3] {
            marks.add(slot);
        }
        marks.remove(0);
        assert_eq!((marks.len(), marks.iter().collect::<Vec<_>>()), (2, vec![1, 3]));
        marks.remove(3);
        marks.remove(3);
        assert_eq!((marks.len(), marks.contains(1), marks.contains(3)), (1, true, false));
    }
}
