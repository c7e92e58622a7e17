//! Names, each kept once however many rows of however many runs say it.

use std::{collections::HashMap, rc::Rc};

/// A name by its place; the empty one is 0.
pub(super) type Name = u32;

pub(super) struct Names {
    places: HashMap<Rc<str>, Name>,
    names: Vec<Rc<str>>,
}

impl Names {
    pub(super) fn new() -> Self {
        let mut names = Self { places: HashMap::new(), names: Vec::new() };
        names.place("");
        names
    }

    /// Where a name is kept. Beyond four billion names, which no memory holds, all are one.
    pub(super) fn place(&mut self, name: &str) -> Name {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = Name::try_from(self.names.len()).unwrap_or(Name::MAX);
        let kept: Rc<str> = Rc::from(name);
        self.names.push(Rc::clone(&kept));
        self.places.insert(kept, place);
        place
    }

    pub(super) fn get(&self, place: Name) -> &str {
        self.names.get(place as usize).map_or("", |name| name)
    }
}
