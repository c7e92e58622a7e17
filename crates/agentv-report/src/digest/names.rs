//! Names by the order in which they were met.

use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Names {
    places: HashMap<String, usize>,
    names: Vec<String>,
}

impl Names {
    pub(super) fn place(&mut self, name: &str) -> usize {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = self.names.len();
        self.places.insert(name.to_owned(), place);
        self.names.push(name.to_owned());
        place
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}
