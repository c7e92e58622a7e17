//! The parts of a schema, and where its references lead. Nothing outside of the schema is known
//! here: a reference that leads there, or nowhere, has no target.

use std::{borrow::Cow, collections::HashMap};

use serde_json::{Map, Value};

/// Keywords under which a schema names another one.
pub(super) const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

pub(super) type Part = Map<String, Value>;

/// What a part is known by while the schema is borrowed.
pub(super) type Address = *const Part;

pub(super) fn address(part: &Part) -> Address {
    std::ptr::from_ref(part)
}

pub(super) struct References<'s> {
    root: &'s Value,
    /// Every object of the schema, whether it is a part that checks something or not.
    pub(super) all: Vec<&'s Part>,
    /// What goes by an anchor or by an id. A dynamic anchor may stand for several.
    names: HashMap<&'s str, Vec<&'s Value>>,
    /// The nearest part around a part that has an id of its own: what `#` means there.
    documents: HashMap<Address, &'s Value>,
}

impl<'s> References<'s> {
    pub(super) fn of(root: &'s Value) -> Self {
        let mut found =
            Self { root, all: Vec::new(), names: HashMap::new(), documents: HashMap::new() };
        let mut waiting = vec![(root, root)];
        while let Some((value, document)) = waiting.pop() {
            match value {
                Value::Array(items) => waiting.extend(items.iter().map(|item| (item, document))),
                Value::Object(part) => {
                    let document = found.read_names(value, part).unwrap_or(document);
                    found.all.push(part);
                    if !std::ptr::eq(document, root) {
                        found.documents.insert(address(part), document);
                    }
                    waiting.extend(part.values().map(|value| (value, document)));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        found
    }

    /// Keeps the names of a part, and says whether it is a document of its own.
    fn read_names(&mut self, value: &'s Value, part: &'s Part) -> Option<&'s Value> {
        let mut document = None;
        for key in ["$id", "id"] {
            let Some(id) = part.get(key).and_then(Value::as_str) else { continue };
            // In older drafts an id such as `#name` is an anchor.
            match id.strip_prefix('#') {
                Some(anchor) => self.names.entry(anchor).or_default().push(value),
                None => {
                    document = Some(value);
                    self.names.entry(id).or_default().push(value);
                    // A reference may name it relative to where it stands.
                    if let Some((_, last)) = id.rsplit_once('/') {
                        self.names.entry(last).or_default().push(value);
                    }
                }
            }
        }
        for key in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = part.get(key).and_then(Value::as_str) {
                self.names.entry(anchor).or_default().push(value);
            }
        }
        document
    }

    /// Where the references of a part may lead. For one whose target depends on the way to it,
    /// these are all that it can be.
    pub(super) fn targets(&self, part: &'s Part) -> Vec<&'s Value> {
        let written = REFERENCES.iter().filter_map(|key| part.get(*key)?.as_str());
        written.flat_map(|reference| self.target(part, reference)).collect()
    }

    fn target(&self, part: &'s Part, reference: &str) -> Vec<&'s Value> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let here = *self.documents.get(&address(part)).unwrap_or(&self.root);
        let documents = if document.is_empty() {
            vec![here]
        } else {
            let last = document.rsplit('/').next().unwrap_or(document);
            self.names.get(document).or_else(|| self.names.get(last)).cloned().unwrap_or_default()
        };
        if fragment.is_empty() {
            return documents;
        }
        let fragment = decoded(fragment);
        let pointed: Vec<_> =
            documents.iter().filter_map(|document| document.pointer(&fragment)).collect();
        if pointed.is_empty() {
            self.names.get(fragment.as_ref()).cloned().unwrap_or_default()
        } else {
            pointed
        }
    }
}

/// A fragment without its `%20` and the like.
fn decoded(fragment: &str) -> Cow<'_, str> {
    let Some((first, rest)) = fragment.split_once('%') else { return Cow::Borrowed(fragment) };
    let mut bytes = first.as_bytes().to_vec();
    for piece in rest.split('%') {
        let byte = piece.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (byte, piece.get(2..)) {
            (Some(byte), Some(after)) => {
                bytes.push(byte);
                bytes.extend_from_slice(after.as_bytes());
            }
            _ => return Cow::Borrowed(fragment),
        }
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(fragment), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What the reference of the part at `at` leads to, as JSON Pointers would find it.
    fn check(schema: &Value, at: &str, expected: &[&str]) {
        let references = References::of(schema);
        let part = schema.pointer(at).unwrap().as_object().unwrap();
        let found: Vec<&Value> = references.targets(part);
        assert_eq!(found.len(), expected.len(), "{schema} {found:?}");
        for (found, pointer) in found.iter().zip(expected) {
            assert!(std::ptr::eq(*found, schema.pointer(pointer).unwrap()), "{schema} {found}");
        }
    }

    #[test]
    fn a_reference_leads_to_a_place_an_anchor_or_a_document() {
        let to = |reference: &str| {
            json!({
                "$id": "https://a/b",
                "$defs": {
                    "a b": {"$anchor": "n"},
                    "old": {"$id": "#o"},
                    "other": {"$id": "c", "$defs": {"x": {"$ref": "#"}, "d": {}}},
                },
                "not": {"$ref": reference},
            })
        };
        for (reference, target) in [
            ("#", ""),
            ("#/$defs/a%20b", "/$defs/a b"),
            ("https://a/b#/$defs/a%20b", "/$defs/a b"),
            ("#n", "/$defs/a b"),
            ("#o", "/$defs/old"),
            ("c#/$defs/d", "/$defs/other/$defs/d"),
            ("https://a/c#/$defs/d", "/$defs/other/$defs/d"),
        ] {
            check(&to(reference), "/not", &[target]);
        }
        check(&to("#"), "/$defs/other/$defs/x", &["/$defs/other"]);
        for nowhere in ["#/nowhere", "#no", "d.json", "#/%zz"] {
            check(&to(nowhere), "/not", &[]);
        }
    }

    #[test]
    fn a_dynamic_reference_may_lead_to_each_anchor_of_its_name() {
        let schema = json!({
            "$dynamicAnchor": "n",
            "$defs": {"a": {"$id": "a", "$dynamicAnchor": "n"}},
            "not": {"$dynamicRef": "#n"},
        });
        let references = References::of(&schema);
        assert_eq!(references.targets(schema["not"].as_object().unwrap()).len(), 2);
    }
}
