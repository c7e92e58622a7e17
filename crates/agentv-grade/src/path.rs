//! A path into JSON as authors write it: `invoice.lines[0].amount`, names in quotes where they need
//! them (`["a.b"]`), or after a `$` a JSONPath (RFC 9535), which may select several values.
//!
//! Whatever is written, reading and following it takes a bounded time: what could make a JSONPath
//! take a product of several sizes is refused.

mod steps;

use std::{fmt, fmt::Write as _};

use agentv_base::{Diagnostic, Node, Span, excerpt};
use serde_json::Value;
use serde_json_path::JsonPath;

use self::steps::steps;
use crate::grader::json_text::kind_of;

/// No path of a person is longer.
const LONGEST: usize = 1_000;

/// How deep brackets may stand in brackets: each level is read several times over.
const DEEPEST: usize = 5;

/// How many selectors may stand beside others: `[0,0][0,0]…` doubles what it selects each time.
const MOST_COMMAS: usize = 8;

/// Enough of a path, or of a name in it, to recognise it.
const SHOWN: usize = 120;

#[derive(Clone, Debug)]
pub(crate) struct Path {
    written: String,
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    /// To one value at most.
    Steps(Vec<Step>),
    Query(Box<JsonPath>),
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Name(String),
    /// Negative from the end.
    Index(i64),
}

impl Step {
    /// As the index of a list: `lines.0` is known from other tools, and means `lines[0]`.
    fn as_index(&self) -> Option<i64> {
        match self {
            Self::Index(index) => Some(*index),
            Self::Name(name) if name.bytes().all(|byte| byte.is_ascii_digit()) => name.parse().ok(),
            Self::Name(_) => None,
        }
    }
}

/// What a path leads to.
#[derive(Debug, PartialEq)]
pub(crate) enum Found<'v> {
    One(&'v Value),
    /// At least one; only for paths that may select several.
    Several(Vec<&'v Value>),
    /// Nothing; says where the way ended.
    Absent(String),
}

/// Why a path cannot be read.
#[derive(Debug, PartialEq)]
pub(crate) struct PathFault {
    pub(crate) message: String,
    /// The bytes before the place.
    pub(crate) at: usize,
}

impl Path {
    pub(crate) fn parse(text: &str) -> Result<Self, PathFault> {
        if text.trim().is_empty() {
            return Err(fault(0, "it is blank"));
        }
        if text.chars().nth(LONGEST).is_some() {
            return Err(fault(0, format!("it is longer than {LONGEST} characters")));
        }
        let way = if text.starts_with('$') { query(text)? } else { Way::Steps(steps(text, 0)?) };
        Ok(Self { written: text.to_owned(), way })
    }

    /// Whether it may lead to several values, which are then compared as a list.
    pub(crate) fn selects_several(&self) -> bool {
        matches!(self.way, Way::Query(_))
    }

    /// A text that is the same for all ways to write the same path to one value.
    pub(crate) fn canonical(&self) -> String {
        match &self.way {
            Way::Steps(steps) => rendered(steps),
            Way::Query(_) => self.written.clone(),
        }
    }

    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    /// What it leads to in settings; nothing for paths that may select several values.
    pub(crate) fn find_node<'n>(&self, node: &'n Node) -> Option<&'n Node> {
        let Way::Steps(steps) = &self.way else { return None };
        steps.iter().try_fold(node, |node, step| match (step, node.as_list()) {
            (_, Some(items)) => item(items, step.as_index()?),
            (Step::Name(name), None) => node.get(name),
            (Step::Index(_), None) => None,
        })
    }

    /// The keys of an object behind which it finds something.
    pub(crate) fn keys_on_the_way(&self, value: &Value) -> Vec<String> {
        match &self.way {
            Way::Steps(steps) => match (steps.first(), follow(steps, value)) {
                (Some(Step::Name(name)), Found::One(_)) => vec![name.clone()],
                _ => Vec::new(),
            },
            Way::Query(query) => {
                let found = query.query_located(value);
                let firsts = found.locations().filter_map(|place| place.first()?.as_name());
                firsts.map(str::to_owned).collect()
            }
        }
    }

    pub(crate) fn find<'v>(&self, value: &'v Value) -> Found<'v> {
        match &self.way {
            Way::Steps(steps) => follow(steps, value),
            Way::Query(query) => match query.query(value).all() {
                found if found.is_empty() => Found::Absent("it selects nothing".to_owned()),
                found => Found::Several(found),
            },
        }
    }
}

/// As hits and misses show it.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", excerpt(&self.written, SHOWN))
    }
}

impl PathFault {
    /// The problem of the path `written` at a place, which points to the part that is wrong.
    pub(crate) fn problem(&self, key: &str, written: &str, span: Span) -> Diagnostic {
        let before = written.get(..self.at).unwrap_or_default();
        let column = before.chars().count() + 1;
        let message = format!("`{key}` cannot be read at character {column}: {}", self.message);
        let problem = Diagnostic::error(message).code("bad-path").at(span);
        match written.get(self.at..).filter(|rest| !rest.is_empty() && self.at > 0) {
            Some(rest) => problem.piece(rest, before.matches(rest).count()),
            None => problem,
        }
    }
}

fn fault(at: usize, message: impl Into<String>) -> PathFault {
    PathFault { message: message.into(), at }
}

fn query(text: &str) -> Result<Way, PathFault> {
    check_limits(text)?;
    let query = JsonPath::parse(text).map_err(|error| {
        let at = if text.is_char_boundary(error.position()) { error.position() } else { 0 };
        // The library has no words of its own for most mistakes.
        let said = match error.message() {
            said if said.contains("parser error") => "this is no JSONPath".to_owned(),
            said => format!("this is no JSONPath: {said}"),
        };
        fault(at, excerpt(&said, SHOWN))
    })?;
    // Names and indices alone lead to one value at most, which is then compared as one.
    Ok(steps(text, 1).map_or(Way::Query(Box::new(query)), Way::Steps))
}

/// Refuses what takes a product of sizes to follow, or to read.
fn check_limits(text: &str) -> Result<(), PathFault> {
    let (mut depth, mut commas, mut descents) = (0_usize, 0, 0);
    let mut quote = None;
    let mut letters = text.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        if let Some(open) = quote {
            match c {
                '\\' => _ = letters.next(),
                c if c == open => quote = None,
                _ => {}
            }
            continue;
        }
        match c {
            '"' | '\'' => quote = Some(c),
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            ',' => commas += 1,
            '$' if at > 0 => {
                return Err(fault(at, "`$` can stand at the start only; below, `@` is known"));
            }
            '.' if letters.next_if(|(_, next)| *next == '.').is_some() => descents += 1,
            _ => {}
        }
        if depth > DEEPEST {
            return Err(fault(at, format!("brackets stand deeper than {DEEPEST} in each other")));
        }
        if commas > MOST_COMMAS {
            return Err(fault(at, format!("it has more than {MOST_COMMAS} commas")));
        }
        if descents > 1 {
            return Err(fault(at, "`..` can be used once only"));
        }
    }
    Ok(())
}

fn follow<'v>(steps: &[Step], value: &'v Value) -> Found<'v> {
    let mut found = value;
    for (number, step) in steps.iter().enumerate() {
        let next = match (step, found) {
            (Step::Name(name), Value::Object(map)) => map.get(name),
            (step, Value::Array(items)) => step.as_index().and_then(|index| item(items, index)),
            _ => None,
        };
        let Some(next) = next else {
            let before = steps.get(..number).unwrap_or_default();
            return Found::Absent(ended(before, step, found));
        };
        found = next;
    }
    Found::One(found)
}

fn item<T>(items: &[T], index: i64) -> Option<&T> {
    let from_start = usize::try_from(index.unsigned_abs()).ok()?;
    let place = if index < 0 { items.len().checked_sub(from_start)? } else { from_start };
    items.get(place)
}

/// Where the way of a path ended: behind the last part of it that there is.
fn ended(before: &[Step], step: &Step, found: &Value) -> String {
    let place = match before {
        [] => "the answer".to_owned(),
        _ => format!("`{}`", excerpt(&rendered(before), SHOWN)),
    };
    match (found, step) {
        (Value::Object(_), Step::Name(name)) => {
            format!("{place} has no `{}`", excerpt(name, SHOWN))
        }
        (Value::Array(items), step) if step.as_index().is_some() => {
            format!("{place} has {} item{}", items.len(), if items.len() == 1 { "" } else { "s" })
        }
        _ => format!("{place} is {}", kind_of(found)),
    }
}

fn rendered(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        let written = match step {
            Step::Name(name) if is_plain(name) && text.is_empty() => write!(text, "{name}"),
            Step::Name(name) if is_plain(name) => write!(text, ".{name}"),
            Step::Name(name) => write!(text, "[{}]", Value::from(name.as_str())),
            Step::Index(index) => write!(text, "[{index}]"),
        };
        debug_assert!(written.is_ok(), "writing to a text cannot fail");
    }
    text
}

/// Whether a name can stand in a path without quotes.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.trim() == name
        && name != "*"
        && !name.contains(['.', '[', ']'])
        && !name.starts_with(['"', '\'', '$'])
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
