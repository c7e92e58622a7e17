//! Values → YAML as a person would write it: block style, quotes only where they are needed, texts
//! of several lines as they look.

use std::{
    collections::{HashMap, HashSet},
    fmt::Write as _,
};

use agentv_base::NodeValue;
use serde_json::{Map, Value};

/// Words that YAML, or one of its older versions, takes for something else than text.
const WORDS: [&str; 10] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n", "nil"];

/// A text of so many lines that stands more than once is written once, and named after that.
const LONG: usize = 6;

/// A map as a document.
pub(super) fn document(map: &Map<String, Value>) -> String {
    let mut writer = Writer::default();
    let mut seen = HashSet::new();
    map.values().for_each(|value| writer.find_shared(value, &mut seen));
    writer.entries(map, 0);
    writer.text
}

/// One item of a list, at a depth of so many spaces.
pub(super) fn item(value: &Value, indent: usize) -> String {
    let mut writer = Writer::default();
    writer.list_item(value, indent);
    writer.text
}

#[derive(Default)]
struct Writer {
    text: String,
    /// Texts that stand more than once, and the number that each was given where it was written.
    shared: HashMap<String, Option<usize>>,
    numbers: usize,
}

impl Writer {
    fn find_shared<'v>(&mut self, value: &'v Value, seen: &mut HashSet<&'v str>) {
        match value {
            Value::String(text) if is_block(text) && text.lines().count() >= LONG => {
                if !seen.insert(text) {
                    self.shared.insert(text.clone(), None);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.find_shared(item, seen)),
            Value::Object(map) => map.values().for_each(|value| self.find_shared(value, seen)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn entries(&mut self, map: &Map<String, Value>, indent: usize) {
        for (key, value) in map {
            let _ = write!(self.text, "{:indent$}{}:", "", on_one_line(key));
            match value {
                Value::Object(inner) if !inner.is_empty() => {
                    self.text.push('\n');
                    self.entries(inner, indent + 2);
                }
                Value::Array(items) if !items.is_empty() => {
                    self.text.push('\n');
                    for item in items {
                        self.list_item(item, indent + 2);
                    }
                }
                Value::Object(_)
                | Value::Array(_)
                | Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_) => {
                    self.text.push(' ');
                    self.scalar(value, indent + 2);
                }
            }
        }
    }

    fn list_item(&mut self, value: &Value, indent: usize) {
        let _ = write!(self.text, "{:indent$}- ", "");
        let start = self.text.len();
        match value {
            Value::Object(map) if !map.is_empty() => self.entries(map, indent + 2),
            Value::Array(items) if !items.is_empty() => {
                for item in items {
                    self.list_item(item, indent + 2);
                }
            }
            Value::Object(_)
            | Value::Array(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_) => self.scalar(value, indent + 2),
        }
        // What is nested begins on the line of the dash.
        let inner = self.text.split_off(start);
        self.text.push_str(inner.trim_start_matches(' '));
    }

    /// A value that needs no lines of its own, with the end of its line.
    fn scalar(&mut self, value: &Value, indent: usize) {
        match value {
            Value::String(string) if is_block(string) => return self.block(string, indent),
            Value::String(string) => self.text.push_str(&on_one_line(string)),
            Value::Object(_) => self.text.push_str("{}"),
            Value::Array(_) => self.text.push_str("[]"),
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                self.text.push_str(&value.to_string());
            }
        }
        self.text.push('\n');
    }

    fn block(&mut self, string: &str, indent: usize) {
        if let Some(number) = self.shared.get_mut(string) {
            if let Some(number) = number {
                let _ = writeln!(self.text, "*code-{number}");
                return;
            }
            self.numbers += 1;
            *number = Some(self.numbers);
            let _ = write!(self.text, "&code-{} ", self.numbers);
        }
        self.text.push_str(if string.ends_with('\n') { "|\n" } else { "|-\n" });
        for line in string.lines() {
            if line.is_empty() {
                self.text.push('\n');
            } else {
                let _ = writeln!(self.text, "{:indent$}{line}", "");
            }
        }
    }
}

/// Whether a text of several lines can stand as it is.
fn is_block(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with(['\n', ' ', '\t'])
        && !text.ends_with("\n\n")
        && text.chars().all(|c| c == '\n' || c == '\t' || is_printable(c))
        && text.lines().all(|line| line.is_empty() || !line.trim().is_empty())
}

fn is_printable(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// A text as a value on one line, in quotes where it needs them.
pub(crate) fn on_one_line(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    if text.chars().all(is_printable) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if is_printable(c) => quoted.push(c),
            c => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
        }
    }
    quoted.push('"');
    quoted
}

fn is_plain(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '_'));
    starts
        && text.chars().all(is_printable)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([':', ' '])
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
        && matches!(crate::yaml::plain_scalar(text), NodeValue::String(_))
}

#[cfg(test)]
mod tests {
    use agentv_base::{Problems, SourceId};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn check(value: &Value) -> Result<(), TestCaseError> {
        let map = Map::from_iter([("key".to_owned(), value.clone())]);
        let text = document(&map);
        let mut problems = Problems::default();
        let node = crate::yaml::parse(&text, SourceId::default(), &mut problems);
        prop_assert!(problems.is_empty(), "{problems:?}\n{text}");
        prop_assert_eq!(node.unwrap().to_json(), Value::Object(map), "{}", text);
        Ok(())
    }

    #[test]
    fn values_look_as_a_person_would_write_them() {
        let value = json!({
            "plain": "a text", "quoted": "it's: '5'", "word": "yes", "number": "12",
            "lines": "one\n  two\n\nthree", "ended": "one\ntwo\n",
            "list": ["{{ x }}", [1, [true]], {"a": null, "b": {"c": []}}, {}],
        });
        let wanted = "\
plain: a text
quoted: 'it''s: ''5'''
word: 'yes'
number: '12'
lines: |-
  one
    two

  three
ended: |
  one
  two
list:
  - '{{ x }}'
  - - 1
    - - true
  - a: null
    b:
      c: []
  - {}
";
        assert_eq!(document(value.as_object().unwrap()), wanted);
    }

    #[test]
    fn a_long_text_that_stands_twice_is_written_once() {
        let long = "a\nb\nc\nd\ne\nf";
        let value = json!({"x": [long, {"deep": long}], "z": long});
        let text = document(value.as_object().unwrap());
        assert_eq!(
            text,
            "x:\n  - &code-1 |-\n    a\n    b\n    c\n    d\n    e\n    f\n  - deep: *code-1\nz: *code-1\n"
        );
        check(&value).unwrap();
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![any::<String>(), "[ab \n\t:#'\"{}&*!|>%@,\\[\\]?-]{0,20}"];
        let leaf = prop_oneof![
            text.prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z :#'-]{1,6}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_it_was(value in any_value()) {
            check(&value)?;
        }
    }
}
