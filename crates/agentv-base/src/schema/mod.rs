//! Tables of keys → JSON Schema (draft-07), for editors and for whoever reads our files.
//!
//! What is written here must accept and refuse what `Fields` and the readers behind it do: names,
//! doubled and missing keys, and the shape of values. Whether a value makes sense (a file exists,
//! an id is new) no schema can say. Which graders and targets there are is not known here: who
//! knows defines them under the name that `Shape::Named` gives.

mod map;
mod value;

use serde_json::{Map, Value, json};

use crate::key::{Key, Part, Shape};

/// The draft that editors support best.
const DRAFT: &str = "http://json-schema.org/draft-07/schema#";

/// A string with a variable in it, which is filled in before the value is read.
pub const VARIABLE_PATTERN: &str = r"\$\{\{|\{\{\s*env\.";

/// Who writes what the schema is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenBy {
    /// Settings: keys under all their names, null for absent, numbers in quotes, variables; a key
    /// that nobody knows is a mistake.
    People,
    /// Records of ours: one name, exact values, and room for the keys of later versions. A key
    /// that is required is always there; with the default `null` it can be null.
    Program,
}

/// Writes one schema. Parts that can stand in several places, or in themselves, are written once
/// and referred to.
#[derive(Debug)]
pub struct SchemaWriter {
    by: WrittenBy,
    definitions: Map<String, Value>,
}

impl SchemaWriter {
    pub fn new(by: WrittenBy) -> Self {
        Self { by, definitions: Map::new() }
    }

    /// What a value of this shape must be.
    pub fn shape(&mut self, shape: &Shape) -> Value {
        value::write(self, shape)
    }

    /// A map that may have these keys.
    pub fn map(&mut self, keys: &[Key]) -> Map<String, Value> {
        map::write(self, keys)
    }

    /// A map that may have the keys of a part, in place.
    pub fn part(&mut self, part: &Part) -> Map<String, Value> {
        self.map(&part.tables.concat())
    }

    /// Makes a definition unless it is there, or under way, and refers to it.
    pub fn define(&mut self, name: &str, make: impl FnOnce(&mut Self) -> Value) -> Value {
        if !self.definitions.contains_key(name) {
            // Its place is taken first: a part may contain itself.
            self.definitions.insert(name.to_owned(), Value::Null);
            let definition = make(self);
            self.definitions.insert(name.to_owned(), definition);
        }
        reference(name)
    }

    /// The whole schema, of a file that is `root`.
    pub fn finish(self, title: &str, root: Map<String, Value>) -> Value {
        let mut schema = Map::new();
        schema.insert("$schema".to_owned(), DRAFT.into());
        schema.insert("title".to_owned(), title.into());
        schema.extend(root);
        if !self.definitions.is_empty() {
            schema.insert("definitions".to_owned(), self.definitions.into());
        }
        schema.into()
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/definitions/{name}") })
}

/// What a part is called among the definitions.
fn definition_name(part: &Part) -> String {
    part.what.replace(' ', "_")
}

#[cfg(test)]
mod tests;
