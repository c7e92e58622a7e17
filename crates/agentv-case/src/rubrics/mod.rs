//! Rubrics put into the text of a suite, with every other byte as it was.
//!
//! What is written is read again and compared with what it must be: the old suite, and the rubrics
//! in their cases. Where that does not hold (an anchor would bring them into other cases, say) the
//! case is refused, and its text stays.

mod layout;

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::Arc,
};

use agentv_base::{Entry, Key, Node, NodeValue, Problems, SourceId, Span, find_key};
use serde_json::{Map, Value};

use self::layout::{CaseText, ListStyle};
use crate::{
    convert::same,
    suite::keys::{CASE_KEYS, SCENARIO_KEYS, SUITE_KEYS},
    yaml,
};

/// One point that a judge checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Rubric {
    pub id: String,
    pub description: String,
    pub weight: f64,
    pub required: bool,
}

impl Rubric {
    /// As it is written: what is so by default is not said.
    fn fields(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("id".to_owned(), self.id.as_str().into());
        fields.insert("description".to_owned(), self.description.as_str().into());
        #[expect(clippy::float_cmp, reason = "only the default itself is left out")]
        let heavy = self.weight != 1.0;
        if heavy {
            fields.insert("weight".to_owned(), number(self.weight));
        }
        if !self.required {
            fields.insert("required".to_owned(), false.into());
        }
        fields
    }
}

/// A whole number where it is one, as a person would write it.
fn number(value: f64) -> Value {
    const MOST: f64 = 1e9;
    if value.fract() == 0.0 && value.abs() < MOST {
        #[expect(clippy::cast_possible_truncation, reason = "whole, and far below the limit")]
        return Value::from(value as i64);
    }
    Value::from(value)
}

/// Rubrics for the case at a place.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Where the case says its id, as [`agentv_base::CasePlace`] has it.
    pub at: Span,
    pub rubrics: Vec<Rubric>,
}

/// A text with rubrics in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    pub text: String,
    /// Which of the proposals are not in it.
    pub refused: Vec<usize>,
}

/// The text of a suite in which cases can be given rubrics.
pub struct Draft<'d> {
    text: &'d str,
    node: &'d Node,
    style: ListStyle,
    /// What a case is known by: where its first key begins, by where it says its id.
    cases: HashMap<u32, u32>,
    /// The maps that are written out, by where their first key begins.
    written: HashMap<u32, &'d Node>,
}

impl<'d> Draft<'d> {
    /// Of a text and the tree that it was read to.
    pub fn new(text: &'d str, node: &'d Node) -> Self {
        let style = ListStyle::default();
        let mut draft = Self { text, node, style, cases: HashMap::new(), written: HashMap::new() };
        if let Some(cases) = entry_called(node, SUITE_KEYS, "evalcases") {
            draft.take_cases(cases);
        }
        let scenarios = entry_called(node, SUITE_KEYS, "scenarios");
        for scenario in scenarios.and_then(|entry| entry.value.as_list()).unwrap_or_default() {
            if let Some(cases) = entry_called(scenario, SCENARIO_KEYS, "tests") {
                draft.take_cases(cases);
            }
        }
        draft.find_written(node);
        draft
    }

    fn take_cases(&mut self, list: &'d Entry) {
        if self.cases.is_empty() {
            self.style = ListStyle::of(self.text, list);
        }
        for case in list.value.as_list().unwrap_or_default() {
            let Some(first) = first_key(case) else { continue };
            self.cases.insert(case.span.start, first);
            if let Some(id) = entry_called(case, CASE_KEYS, "id") {
                self.cases.insert(id.value.span.start, first);
            }
        }
    }

    fn find_written(&mut self, node: &'d Node) {
        for item in node.as_list().unwrap_or_default() {
            self.find_written(item);
        }
        let Some(entries) = node.as_map() else { return };
        if let Some(first) = first_key(node)
            && node.span.start <= first
            && first < node.span.end
        {
            self.written.insert(first, node);
        }
        for entry in entries {
            self.find_written(&entry.value);
        }
    }

    /// The case at a place; nothing where none is written out in this text.
    fn case(&self, at: Span) -> Option<(u32, &'d Node)> {
        let first = *self.cases.get(&at.start)?;
        Some((first, self.written.get(&first)?))
    }

    /// Whether the case at this place can be found in the text.
    pub fn has_case(&self, at: Span) -> bool {
        self.case(at).is_some()
    }

    /// Whether a case has rubrics already. An empty list, which no judge takes, is none.
    pub fn has_rubrics(&self, at: Span) -> bool {
        let rubrics = self.case(at).and_then(|(_, case)| entry_called(case, CASE_KEYS, "rubrics"));
        rubrics.is_some_and(|entry| match &entry.value.value {
            NodeValue::Null => false,
            NodeValue::List(items) => !items.is_empty(),
            NodeValue::Bool(_)
            | NodeValue::Integer(_)
            | NodeValue::Float(_)
            | NodeValue::String(_)
            | NodeValue::Map(_) => true,
        })
    }

    /// The text with these rubrics, in place of those that a case has.
    pub fn with(&self, proposals: &[Proposal]) -> Edited {
        let cases: Vec<Option<CaseText<'_>>> = proposals
            .iter()
            .map(|proposal| {
                let (first, node) = self.case(proposal.at)?;
                Some(CaseText::new(self.text, node, first, &self.style))
            })
            .collect();
        let first_choice: Vec<Option<usize>> =
            cases.iter().map(|case| case.as_ref().map(|_| 0)).collect();
        if let Some(edited) = self.tried(&cases, proposals, &first_choice) {
            return edited;
        }
        // Someone is in the way, and is looked for in ever smaller groups: where few are, most
        // groups fit at once.
        let mut placing = Placing { draft: self, cases: &cases, proposals, choices: Vec::new() };
        placing.choices = vec![None; cases.len()];
        placing.place_all(0..cases.len());
        // What was in the way of one may be so no longer, now that others have theirs.
        placing.place_those_without();
        let choices = placing.choices;
        self.tried(&cases, proposals, &choices).unwrap_or_else(|| Edited {
            text: self.text.to_owned(),
            refused: (0..proposals.len()).collect(),
        })
    }

    /// The text with the proposals that have a choice of place, if it says what it must.
    fn tried(
        &self,
        cases: &[Option<CaseText<'_>>],
        proposals: &[Proposal],
        choices: &[Option<usize>],
    ) -> Option<Edited> {
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        let mut wanted: BTreeMap<u32, Node> = BTreeMap::new();
        let mut refused = Vec::new();
        for (place, ((case, proposal), choice)) in
            cases.iter().zip(proposals).zip(choices).enumerate()
        {
            let (Some(case), Some(choice)) = (case, choice) else {
                refused.push(place);
                continue;
            };
            changes.push(case.change(*choice, &proposal.rubrics)?);
            let rubrics = proposal.rubrics.iter().map(|rubric| Value::Object(rubric.fields()));
            wanted.insert(case.first, Node::from_json(&rubrics.collect()));
        }
        let text = changed(self.text, changes)?;
        let mut problems = Problems::default();
        let read = yaml::parse(&text, SourceId::default(), &mut problems)?;
        let fits = problems.is_empty() && same(&read, &with_wanted(self.node, &wanted));
        fits.then_some(Edited { text, refused })
    }
}

/// The search for places, where not all cases can have the best one.
///
/// Invariant: the choices made so far fit together.
struct Placing<'p> {
    draft: &'p Draft<'p>,
    cases: &'p [Option<CaseText<'p>>],
    proposals: &'p [Proposal],
    choices: Vec<Option<usize>>,
}

impl Placing<'_> {
    fn place_all(&mut self, group: Range<usize>) {
        if let [case] = self.cases.get(group.clone()).unwrap_or_default() {
            let count = case.as_ref().map_or(0, CaseText::choices);
            let _ = (0..count).any(|choice| self.takes(group.clone(), choice));
        } else if !group.is_empty() && !self.takes(group.clone(), 0) {
            let middle = group.start + group.len() / 2;
            self.place_all(group.start..middle);
            self.place_all(middle..group.end);
        }
    }

    fn place_those_without(&mut self) {
        for place in 0..self.choices.len() {
            if self.choices.get(place) == Some(&None) {
                self.place_all(place..place + 1);
            }
        }
    }

    /// Gives a group its places, if that fits.
    fn takes(&mut self, group: Range<usize>, choice: usize) -> bool {
        let mut choices = self.choices.clone();
        for (own, case) in choices.iter_mut().zip(self.cases).skip(group.start).take(group.len()) {
            *own = case.as_ref().map(|_| choice);
        }
        let fits = self.draft.tried(self.cases, self.proposals, &choices).is_some();
        if fits {
            self.choices = choices;
        }
        fits
    }
}

/// What a map is known by: where its first own key begins. Keys that `<<` brings in come behind.
fn first_key(node: &Node) -> Option<u32> {
    Some(node.as_map()?.first()?.key_span.start)
}

fn entry_called<'n>(node: &'n Node, keys: &'static [Key], name: &str) -> Option<&'n Entry> {
    let is_called =
        |entry: &&Entry| find_key(&entry.key, &[keys]).is_some_and(|key| key.name == name);
    node.as_map()?.iter().find(is_called)
}

/// The text with all changes; nothing where two of them are about the same piece of it.
fn changed(text: &str, mut changes: Vec<(Range<usize>, String)>) -> Option<String> {
    changes.sort_by_key(|(range, _)| (range.start, range.end));
    let mut new_text = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in changes {
        new_text.push_str(text.get(at..range.start)?);
        new_text.push_str(&new);
        at = range.end;
    }
    new_text.push_str(text.get(at..)?);
    Some(new_text)
}

/// The tree that a text with rubrics must have.
fn with_wanted(node: &Node, wanted: &BTreeMap<u32, Node>) -> Node {
    let value = match &node.value {
        NodeValue::List(items) => {
            NodeValue::List(items.iter().map(|item| with_wanted(item, wanted)).collect())
        }
        NodeValue::Map(entries) => {
            let mut entries: Vec<Entry> = entries
                .iter()
                .map(|entry| Entry { value: with_wanted(&entry.value, wanted), ..entry.clone() })
                .collect();
            if let Some(rubrics) = first_key(node).and_then(|first| wanted.get(&first)) {
                match entries.iter_mut().find(|entry| is_rubrics(entry)) {
                    Some(old) => old.value = rubrics.clone(),
                    None => entries.push(Entry {
                        key: "rubrics".into(),
                        key_span: Span::default(),
                        value: rubrics.clone(),
                    }),
                }
            }
            NodeValue::Map(Arc::from(entries))
        }
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Integer(_)
        | NodeValue::Float(_)
        | NodeValue::String(_) => node.value.clone(),
    };
    Node::new(node.span, value)
}

fn is_rubrics(entry: &Entry) -> bool {
    &*entry.key == "rubrics"
}
