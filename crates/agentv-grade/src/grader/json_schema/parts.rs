//! A schema as a graph: which of its parts a value is checked against, and which the values inside
//! of it. It says what may be checked and never less than what is: what a pattern matches and what
//! an `if` decides is left open.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    keywords::ASSERTIONS,
    limits::in_place,
    references::{Address, Part as Source, References, address},
};

/// The part that `true` and `false` are: it leads nowhere.
const PLAIN: usize = 0;

/// One part, and the places of those that follow it.
#[derive(Default)]
pub(super) struct Part {
    /// For the same value.
    pub(super) in_place: Vec<usize>,
    pub(super) properties: HashMap<String, usize>,
    /// For those that have no name in `properties`.
    pub(super) other_properties: Vec<usize>,
    pub(super) every_property: Vec<usize>,
    /// For the names themselves.
    pub(super) names: Vec<usize>,
    pub(super) first_items: Vec<usize>,
    /// For those behind the first.
    pub(super) other_items: Vec<usize>,
    pub(super) every_item: Vec<usize>,
    /// How many errors it can have by itself.
    pub(super) errors: usize,
    /// It tries several parts and keeps what each of them said, together with what it said it of.
    pub(super) tries: bool,
    /// Bytes of the part under `not`, of which each error has a copy.
    pub(super) copied: usize,
    /// Some way leads from it back to it. Whether a value satisfies it is asked once only.
    pub(super) circles: bool,
}

impl Part {
    fn followers(&self) -> impl Iterator<Item = usize> {
        let lists = [
            &self.in_place,
            &self.other_properties,
            &self.every_property,
            &self.names,
            &self.first_items,
            &self.other_items,
            &self.every_item,
        ];
        lists.into_iter().flatten().chain(self.properties.values()).copied()
    }
}

/// All parts that can be reached from the first, which is the schema as a whole.
pub(super) struct Parts {
    all: Vec<Part>,
    pub(super) root: usize,
    /// How many ways lead through the schema from one part, circles left out, at most.
    pub(super) most_ways: usize,
}

impl Parts {
    pub(super) fn of(schema: &Value) -> Self {
        let references = References::of(schema);
        let mut builder = Builder { known: HashMap::new(), waiting: Vec::new(), count: PLAIN + 1 };
        let root = builder.place(schema);
        let mut all = vec![Part { errors: 1, ..Part::default() }];
        let mut next = 0;
        while let Some(source) = builder.waiting.get(next).copied() {
            all.push(builder.read(source, &references));
            next += 1;
        }
        let mut parts = Self { all, root, most_ways: 0 };
        parts.find_circles();
        parts
    }

    pub(super) fn get(&self, place: usize) -> Option<&Part> {
        self.all.get(place)
    }

    /// Marks the parts that lead back to themselves, and counts ways.
    fn find_circles(&mut self) {
        enum Seen {
            OnTheWay,
            Done(usize),
        }
        let mut seen: HashMap<usize, Seen> = HashMap::new();
        // Parts whose followers are looked at, each with those that are left and its ways so far.
        let mut way: Vec<(usize, Vec<usize>, usize)> = Vec::new();
        let mut entered = Some(self.root);
        loop {
            if let Some(place) = entered.take() {
                seen.insert(place, Seen::OnTheWay);
                let followers = self.all.get(place).map(|part| part.followers().collect());
                way.push((place, followers.unwrap_or_default(), 1));
            }
            let Some((place, left, ways)) = way.last_mut() else { break };
            let Some(follower) = left.pop() else {
                let (place, ways) = (*place, *ways);
                self.most_ways = self.most_ways.max(ways);
                seen.insert(place, Seen::Done(ways));
                way.pop();
                if let Some((_, _, above)) = way.last_mut() {
                    *above = above.saturating_add(ways);
                }
                continue;
            };
            match seen.get(&follower) {
                Some(Seen::Done(below)) => *ways = ways.saturating_add(*below),
                Some(Seen::OnTheWay) => {
                    *ways = ways.saturating_add(1);
                    if let Some(part) = self.all.get_mut(follower) {
                        part.circles = true;
                    }
                }
                None => entered = Some(follower),
            }
        }
    }
}

struct Builder<'s> {
    known: HashMap<Address, usize>,
    /// Parts that have a place and wait to be read, in the order of their places.
    waiting: Vec<&'s Source>,
    count: usize,
}

impl<'s> Builder<'s> {
    fn place(&mut self, value: &'s Value) -> usize {
        let Some(part) = value.as_object() else { return PLAIN };
        if let Some(place) = self.known.get(&address(part)) {
            return *place;
        }
        let place = self.count;
        self.count += 1;
        self.known.insert(address(part), place);
        self.waiting.push(part);
        place
    }

    /// The parts under keywords that have one.
    fn under(&mut self, source: &'s Source, keywords: &[&str]) -> Vec<usize> {
        let values = keywords.iter().filter_map(|keyword| source.get(*keyword));
        values.map(|value| self.place(value)).collect()
    }

    fn read(&mut self, source: &'s Source, references: &References<'s>) -> Part {
        let count = |key: &str| match source.get(key) {
            Some(Value::Array(items)) => items.len(),
            Some(Value::Object(map)) => {
                map.values().map(|value| value.as_array().map_or(1, Vec::len)).sum()
            }
            _ => 0,
        };
        let errors = ["required", "dependentRequired", "dependencies"].map(count);
        let own = source.keys().filter(|key| is_own(key)).count();
        let maps = |key| source.get(key).and_then(Value::as_object).into_iter().flatten();
        let mut part = Part {
            in_place: in_place(source, references)
                .into_iter()
                .map(|next| self.place(next))
                .collect(),
            properties: maps("properties")
                .map(|(name, value)| (name.clone(), self.place(value)))
                .collect(),
            other_properties: self.under(source, &["additionalProperties"]),
            // What was looked at already is found out by looking once more.
            every_property: self.under(source, &["unevaluatedProperties", "unevaluatedProperties"]),
            names: self.under(source, &["propertyNames"]),
            every_item: self.under(source, &["contains", "unevaluatedItems", "unevaluatedItems"]),
            errors: errors.iter().fold(own, |sum, more| sum.saturating_add(*more)),
            tries: source.contains_key("anyOf") || source.contains_key("oneOf"),
            copied: source.get("not").map_or(0, size),
            ..Part::default()
        };
        part.every_property.extend(maps("patternProperties").map(|(_, value)| self.place(value)));
        // Until 2019-09 a list under `items` is what `prefixItems` is now.
        let first =
            ["prefixItems", "items"].into_iter().find_map(|key| source.get(key)?.as_array());
        part.first_items = first.into_iter().flatten().map(|item| self.place(item)).collect();
        part.other_items = self.under(source, &["additionalItems"]);
        if let Some(items) = source.get("items").filter(|items| !items.is_array()) {
            part.other_items.push(self.place(items));
        }
        part
    }
}

/// Whether a keyword has errors of its own, and not only those of the parts under it.
fn is_own(keyword: &str) -> bool {
    ASSERTIONS.contains(&keyword)
        || ["anyOf", "oneOf", "not", "unevaluatedItems", "unevaluatedProperties"].contains(&keyword)
}

/// A value in memory without its text, rounded up.
pub(super) const VALUE: usize = 64;

fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => VALUE + text.len(),
        Value::Array(items) => VALUE + items.iter().map(size).sum::<usize>(),
        Value::Object(map) => {
            VALUE + map.iter().map(|(name, value)| name.len() + size(value)).sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => VALUE,
    }
}
