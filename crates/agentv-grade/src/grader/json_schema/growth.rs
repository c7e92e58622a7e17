//! What it would take to check an answer: a schema that refers to itself in several branches has
//! twice as much to say at each level of an answer, so that a hundred bytes can ask for gigabytes.
//!
//! Whether an answer satisfies a schema is cheap to ask all the same: the library remembers what
//! it found for a part that refers to itself. All that is wrong it can say only by going every
//! way, and it keeps everything it finds on them. So that is counted here first.

use std::{collections::HashSet, iter};

use serde_json::{Map, Value};

use super::parts::{Part, Parts, VALUE};

/// So many checks of any answer are counted, and of a large one so many more for each value in
/// it: a schema may well ask fifty things of a value, but the same thing over and over is what a
/// deep answer makes of a schema that forks. A million are counted in a few milliseconds.
const CHECKS: usize = 1_000_000;
const CHECKS_OF_VALUE: usize = 50;

/// Beyond these, counting would take seconds itself.
const MOST_CHECKS: usize = 20_000_000;

/// A schema that has no more ways through it is checked as fast as its author may expect.
const FEW_WAYS: usize = 1_000_000;

/// So many bytes of what is wrong may be kept in memory to tell the first few of.
const ROOM: usize = 128 << 20;

/// An error without its place in the answer, rounded up from what was measured.
const ERROR: usize = 600;

/// Parts that may follow each other for one value. What is longer is a circle, since a schema
/// with a longer way has been refused before.
const MOST_STEPS: usize = 33;

/// How much can be asked about what is wrong with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    Everything,
    /// Only what is found first.
    First,
    Nothing,
}

/// What can be asked about an answer that is wrong.
pub(super) fn detail(parts: &Parts, answer: &Value) -> Detail {
    let mut count = Count::new(parts, answer, None);
    match count.run(answer) {
        Err(TooMuch) => Detail::Nothing,
        Ok(()) if count.kept <= ROOM => Detail::Everything,
        Ok(()) => Detail::First,
    }
}

/// Finds out whether it can be checked in a bounded time if an answer satisfies the schema; where
/// not, how many checks are too many, and how deep the answer is.
pub(super) fn check(parts: &Parts, answer: &Value) -> Result<(), (usize, usize)> {
    if parts.most_ways <= FEW_WAYS {
        return Ok(());
    }
    let mut count = Count::new(parts, answer, Some(HashSet::new()));
    count.run(answer).map_err(|TooMuch| (count.most, measure(answer).depth))
}

struct Measure {
    values: usize,
    depth: usize,
}

/// How many values an answer has, and how many are inside of each other.
fn measure(answer: &Value) -> Measure {
    fn inside<'v>(values: impl Iterator<Item = &'v Value>) -> Measure {
        values.map(measure).fold(Measure { values: 1, depth: 1 }, |sum, one| Measure {
            values: sum.values + one.values,
            depth: sum.depth.max(one.depth + 1),
        })
    }
    match answer {
        Value::Array(items) => inside(items.iter()),
        Value::Object(map) => inside(map.values()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            Measure { values: 1, depth: 1 }
        }
    }
}

struct TooMuch;

/// How a part was reached.
#[derive(Clone, Copy, Default)]
struct Way {
    /// Steps since the last one into the value.
    steps: usize,
    /// Bytes of the place in the answer, which each error has a copy of.
    place: usize,
    /// What was kept before the outermost part that tries several, where there is one.
    outside: Option<usize>,
}

impl Way {
    fn into(self, name: usize) -> Self {
        Self { steps: 0, place: self.place + name + 1, ..self }
    }
}

/// One check of a value against a part.
struct Step<'v> {
    part: usize,
    value: &'v Value,
    way: Way,
}

type Steps<'v> = Box<dyn Iterator<Item = Step<'v>> + 'v>;

/// Stands for the name of a property: it has nothing inside of it.
static NAME: Value = Value::Null;

fn into_object<'v>(
    part: &'v Part,
    map: &'v Map<String, Value>,
    way: Way,
) -> impl Iterator<Item = Step<'v>> {
    map.iter().flat_map(move |(name, value)| {
        let way = way.into(name.len());
        let named = part.properties.get(name);
        let other = if named.is_none() { part.other_properties.as_slice() } else { &[] };
        let inside = named.into_iter().chain(other).chain(&part.every_property);
        let inside = inside.map(move |next| Step { part: *next, value, way });
        inside.chain(part.names.iter().map(move |next| Step { part: *next, value: &NAME, way }))
    })
}

fn into_list<'v>(part: &'v Part, items: &'v [Value], way: Way) -> impl Iterator<Item = Step<'v>> {
    // The digits of the last place are enough for all.
    let way = way.into(20);
    items.iter().enumerate().flat_map(move |(index, value)| {
        let first = part.first_items.get(index);
        let other = if first.is_none() { part.other_items.as_slice() } else { &[] };
        let inside = first.into_iter().chain(other).chain(&part.every_item);
        inside.map(move |next| Step { part: *next, value, way })
    })
}

/// Goes every way that the library may go, and counts.
struct Count<'p> {
    parts: &'p Parts,
    /// So many checks are too many.
    most: usize,
    checks: usize,
    /// Bytes of errors, if all of them were wrong.
    kept: usize,
    /// What the library remembers, where it does: parts with the values they were asked of.
    known: Option<HashSet<(usize, *const Value)>>,
}

impl<'p> Count<'p> {
    fn new(
        parts: &'p Parts,
        answer: &Value,
        known: Option<HashSet<(usize, *const Value)>>,
    ) -> Self {
        let more = measure(answer).values.saturating_mul(CHECKS_OF_VALUE);
        let most = CHECKS.saturating_add(more).min(MOST_CHECKS);
        Self { parts, most, checks: 0, kept: 0, known }
    }

    fn check(&mut self, more: usize) -> Result<(), TooMuch> {
        self.checks = self.checks.saturating_add(more);
        if self.checks > self.most { Err(TooMuch) } else { Ok(()) }
    }

    fn run(&mut self, answer: &Value) -> Result<(), TooMuch> {
        let first = Step { part: self.parts.root, value: answer, way: Way::default() };
        // Not the stack of the thread: what follows each other may be some thousand parts.
        let mut stack: Vec<Steps<'_>> = vec![Box::new(iter::once(first))];
        while let Some(steps) = stack.last_mut() {
            match steps.next() {
                Some(step) => stack.extend(self.take(&step)?),
                None => {
                    stack.pop();
                }
            }
        }
        Ok(())
    }

    /// Counts one check, and says which follow from it.
    fn take<'v>(&mut self, step: &Step<'v>) -> Result<Option<Steps<'v>>, TooMuch>
    where
        'p: 'v,
    {
        let Step { part: place, value, mut way } = *step;
        self.check(1)?;
        let Some(part) = self.parts.get(place).filter(|_| way.steps <= MOST_STEPS) else {
            return Ok(None);
        };
        let container = value.is_array() || value.is_object();
        if let Some(known) = &mut self.known {
            if part.circles && container && !known.insert((place, std::ptr::from_ref(value))) {
                return Ok(None);
            }
        } else {
            self.keep(part, value, &mut way)?;
        }
        let here = Way { steps: way.steps + 1, ..way };
        let here = part.in_place.iter().map(move |next| Step { part: *next, value, way: here });
        Ok(match value {
            Value::Object(map) => Some(Box::new(here.chain(into_object(part, map, way)))),
            Value::Array(items) => Some(Box::new(here.chain(into_list(part, items, way)))),
            _ if part.in_place.is_empty() => None,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                Some(Box::new(here))
            }
        })
    }

    /// Adds what the errors of a part would keep.
    fn keep(&mut self, part: &Part, value: &Value, way: &mut Way) -> Result<(), TooMuch> {
        let mut each = ERROR.saturating_add(way.place).saturating_add(part.copied);
        // An error among what was tried has a copy of the value.
        if way.outside.is_some() {
            each = each.saturating_add(self.size(value)?);
        }
        // Errors that list the names that should not be there.
        let names = value.as_object().map_or(0, Map::len);
        let errors = part.errors.saturating_mul(each).saturating_add(VALUE.saturating_mul(names));
        if part.tries && way.outside.is_none() {
            way.outside = Some(self.kept);
        }
        self.kept = self.kept.saturating_add(errors);
        match way.outside {
            // These are kept together, even where only the first error is asked for.
            Some(before) if self.kept.saturating_sub(before) > ROOM => Err(TooMuch),
            _ => Ok(()),
        }
    }

    /// Bytes of a value in memory. Looking at what is inside of it counts as checks.
    fn size(&mut self, value: &Value) -> Result<usize, TooMuch> {
        let mut size = VALUE;
        match value {
            Value::String(text) => size += text.len(),
            Value::Array(items) => {
                self.check(items.len())?;
                for item in items {
                    size = size.saturating_add(self.size(item)?);
                }
            }
            Value::Object(map) => {
                self.check(map.len())?;
                for (name, value) in map {
                    size = size.saturating_add(name.len()).saturating_add(self.size(value)?);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        Ok(size)
    }
}

#[cfg(test)]
#[path = "growth_tests.rs"]
mod tests;
