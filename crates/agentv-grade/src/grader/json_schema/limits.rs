//! How often a schema asks of one and the same value: through `allOf` and its like, and through
//! references. Each such step goes deeper into the stack while an answer is checked, and each fork
//! is one more check, so both have a limit that is looked at before anything is run.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::references::{Address, Part, References, address};

/// So many steps may follow each other without a step into the value. An answer may be nested 127
/// deep with as many steps at each level, and all of them must fit into the stack of a thread.
const MOST_STEPS: usize = 32;

/// So many checks of one value, all forks together.
const MOST_CHECKS: usize = 1_000_000;

/// Keywords with one schema, with a list and with a map of schemas for the same value.
const ONE: [&str; 4] = ["not", "if", "then", "else"];
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const MAPS: [&str; 2] = ["dependentSchemas", "dependencies"];

/// What is wrong with a schema that goes beyond a limit, or nothing.
pub(super) fn fault_of(schema: &Value) -> Option<String> {
    let references = References::of(schema);
    let mut walk = Walk { references: &references, known: HashMap::new() };
    references.all.iter().find_map(|part| walk.cost(part, 0).err())
}

/// What a part of a schema costs: the steps of its longest way, and all checks.
#[derive(Clone, Copy)]
struct Cost {
    steps: usize,
    checks: usize,
}

struct Walk<'r, 's> {
    references: &'r References<'s>,
    /// Parts by their address; nothing for those on the way from the first to this one.
    known: HashMap<Address, Option<Cost>>,
}

impl<'s> Walk<'_, 's> {
    /// Invariant: goes no deeper than `MOST_STEPS`.
    fn cost(&mut self, part: &'s Part, before: usize) -> Result<Cost, String> {
        let address = address(part);
        match self.known.get(&address) {
            Some(Some(cost)) if before + cost.steps <= MOST_STEPS => return Ok(*cost),
            // A circle is walked once only: what was asked of a value is not asked again.
            Some(None) => return Ok(Cost { steps: 0, checks: 1 }),
            _ if before > MOST_STEPS => {
                return Err(format!(
                    "more than {MOST_STEPS} of its parts follow each other for one value, through \
                     references, `allOf` and the like"
                ));
            }
            _ => {}
        }
        self.known.insert(address, None);
        let mut cost = Cost { steps: 0, checks: 1 };
        for next in in_place(part, self.references).into_iter().filter_map(Value::as_object) {
            let below = self.cost(next, before + 1)?;
            cost.steps = cost.steps.max(below.steps + 1);
            cost.checks = cost.checks.saturating_add(below.checks);
        }
        if cost.checks > MOST_CHECKS {
            return Err(format!("it would check one value more than {MOST_CHECKS} times"));
        }
        self.known.insert(address, Some(cost));
        Ok(cost)
    }
}

/// The parts that the same value is checked against.
pub(super) fn in_place<'s>(part: &'s Part, references: &References<'s>) -> Vec<&'s Value> {
    let ones = ONE.iter().filter_map(|key| part.get(*key));
    let lists = LISTS.iter().filter_map(|key| part.get(*key)?.as_array()).flatten();
    let maps = MAPS.iter().filter_map(|key| part.get(*key)?.as_object());
    // A property may also have a list of those that it needs.
    let maps = maps.flat_map(Map::values).filter(|value| !value.is_array());
    ones.chain(lists).chain(maps).chain(references.targets(part)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Definitions that each lead to the next, in a form of which `#` is the next.
    fn chain(length: usize, form: &str) -> Value {
        let links = (0..length).map(|number| {
            let next = format!("#/$defs/d{}", number + 1);
            (format!("d{number}"), serde_json::from_str(&form.replace('#', &next)).unwrap())
        });
        let mut defs: Map<String, Value> = links.collect();
        defs.insert(format!("d{length}"), json!({"type": "object"}));
        json!({"$defs": defs, "$ref": "#/$defs/d0"})
    }

    #[test]
    fn a_chain_has_a_limit_whatever_it_is_made_of() {
        for form in [r##"{"$ref": "#"}"##, r##"{"not": {"$ref": "#"}}"##] {
            assert_eq!(fault_of(&chain(10, form)), None);
            let fault = fault_of(&chain(20_000, form)).unwrap();
            assert!(fault.starts_with("more than 32 of its parts follow"), "{fault}");
        }
        assert_eq!(fault_of(&chain(31, r##"{"$ref": "#"}"##)), None);
        assert!(fault_of(&chain(32, r##"{"$ref": "#"}"##)).is_some());
        // A step into the value starts anew.
        assert_eq!(fault_of(&chain(20_000, r##"{"properties": {"a": {"$ref": "#"}}}"##)), None);
    }

    #[test]
    fn forks_have_a_limit_too() {
        let fork = r##"{"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]}"##;
        assert_eq!(fault_of(&chain(5, fork)), None);
        assert_eq!(
            fault_of(&chain(12, fork)).as_deref(),
            Some("it would check one value more than 1000000 times")
        );
    }

    #[test]
    fn circles_and_references_to_nowhere_are_no_fault_of_this_kind() {
        for schema in [
            json!({"$ref": "#"}),
            json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#/nowhere"}, {"$ref": "#no"}]}),
            json!({"$id": "https://a/b", "anyOf": [{"$ref": "https://a/b#/anyOf/0"}]}),
            json!({"$dynamicAnchor": "n", "not": {"$dynamicRef": "#n"}}),
        ] {
            assert_eq!(fault_of(&schema), None, "{schema}");
        }
    }
}
