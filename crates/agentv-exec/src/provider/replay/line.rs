//! One line of a recording, in any of the forms that answers are kept in.
//!
//! | form | its id | its answer |
//! |---|---|---|
//! | a record of a batch | `id` | `text` |
//! | what `invoke` printed | `evalId` | `response.text` |
//! | a row of results | `eval_id` | `candidate_answer` |
//!
//! Rows of the original tool are rows like ours. A recording of a whole run (`--record`) has what
//! `invoke` prints, and lines with answers of judges and notes, which are none of a target.

use std::{
    borrow::Cow,
    fmt,
    path::{Component, Path, PathBuf},
};

use agentv_base::excerpt;
use serde::{
    Deserialize,
    de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use super::index::NAME_EXCERPT;
use crate::provider::record::{Reading, Record};

/// The names of the id, the most telling first.
const IDS: [&str; 3] = ["eval_id", "evalId", "id"];

/// The keys of a line that say whose answer it is, and where the answer stands.
const HEADER_KEYS: [&str; 9] =
    ["eval_id", "evalId", "id", "suite", "dataset", "target", "repeat", "attempt", "response"];

/// The keys of a line that say something of its answer, besides those of a header.
const ANSWER_KEYS: [&str; 13] = [
    "text",
    "candidate_answer",
    "output_messages",
    "outputMessages",
    "trace",
    "error",
    "error_kind",
    "duration_ms",
    "durationMs",
    "token_usage",
    "tokenUsage",
    "cost_usd",
    "costUsd",
];

/// The cases that an answer can be for, by the word of its line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Owner {
    /// Those of the suite with this path from the root of its repository.
    Suite(Box<str>),
    /// Those of a suite that results call so.
    Dataset(Box<str>),
}

impl Owner {
    /// How well a suite fits: by so many parts of its path, and not at all where this is none.
    pub(super) fn fits(&self, suite_file: &Path) -> Option<usize> {
        match self {
            Self::Suite(suite) => {
                // Where the root is, the file of the suite does not say.
                let above =
                    |part: &Component<'_>| matches!(part, Component::ParentDir | Component::CurDir);
                let path: PathBuf = Path::new(&**suite).components().skip_while(above).collect();
                suite_file.ends_with(&path).then(|| path.components().count())
            }
            Self::Dataset(name) => {
                (suite_file.file_stem().is_some_and(|stem| stem == &**name)).then_some(1)
            }
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Suite(suite) => write!(formatter, "`{}`", excerpt(suite, NAME_EXCERPT)),
            Self::Dataset(name) => write!(formatter, "dataset `{}`", excerpt(name, NAME_EXCERPT)),
        }
    }
}

/// Whose answer it is: all that the first look at a line wants to know.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Header {
    ids: [Option<Value>; 3],
    suite: Option<Value>,
    dataset: Option<Value>,
    target: Option<Value>,
    repeat: Option<Value>,
    attempt: Option<Value>,
    /// As what somebody was asked.
    role: Option<Value>,
    /// It is a note of `--record` about the recording itself.
    is_note: bool,
    /// A key that stands in the line more than once.
    twice: Option<String>,
}

impl Header {
    /// The id of the case, or what is wrong with the line, in words that go on after "line 3".
    pub(super) fn id(&self) -> Result<&str, String> {
        if let Some(key) = &self.twice {
            return Err(format!("has `{key}` twice, and nothing tells which counts"));
        }
        let given = self.ids.iter().zip(IDS).find_map(|(id, name)| Some((id.as_ref()?, name)));
        match given {
            None => Err("names no case: it has neither `id` nor `evalId` nor `eval_id`".to_owned()),
            Some((Value::String(id), name)) if id.trim().is_empty() => {
                Err(format!("has a blank `{name}`"))
            }
            Some((Value::String(id), _)) => Ok(id),
            Some((_, name)) => Err(format!("has an `{name}` that is not a string")),
        }
    }

    /// Whether the line of a recording is none of a target.
    pub(super) fn is_no_answer(&self) -> bool {
        self.is_note || self.role.as_ref().is_some_and(|role| role == "judge")
    }

    pub(super) fn target(&self) -> Option<&str> {
        self.target.as_ref()?.as_str()
    }

    /// Whose case it is; of two names the one that says more. None where it is anybody's.
    pub(super) fn owner(&self) -> Option<Owner> {
        let name = |value: &Option<Value>| {
            let name = value.as_ref()?.as_str()?;
            (!name.trim().is_empty()).then(|| Box::from(name))
        };
        name(&self.suite).map(Owner::Suite).or_else(|| name(&self.dataset).map(Owner::Dataset))
    }

    /// Which of several runs of the case it is, from 1.
    pub(super) fn repeat(&self) -> Option<u32> {
        whole(self.repeat.as_ref())
    }

    /// Which try of the case it is, from 0.
    pub(super) fn attempt(&self) -> Option<u32> {
        whole(self.attempt.as_ref())
    }
}

fn whole(value: Option<&Value>) -> Option<u32> {
    value?.as_u64()?.try_into().ok()
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct HeaderVisitor;

        impl<'de> Visitor<'de> for HeaderVisitor {
            type Value = Header;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
                let mut header = Header::default();
                let mut seen = Seen::default();
                let [eval_id, camel_id, id] = &mut header.ids;
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    seen.note(&key);
                    let field = match &*key {
                        "eval_id" => &mut *eval_id,
                        "evalId" => &mut *camel_id,
                        "id" => &mut *id,
                        "suite" => &mut header.suite,
                        "dataset" => &mut header.dataset,
                        "target" => &mut header.target,
                        "repeat" => &mut header.repeat,
                        "attempt" => &mut header.attempt,
                        "role" => &mut header.role,
                        "agentvRecording" | "resumedBy" | "policyOf" | "checkOf" => {
                            header.is_note = true;
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                        "response" => {
                            let Said(twice) = map.next_value()?;
                            seen.twice = seen.twice.or(twice);
                            continue;
                        }
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    *field = map.next_value::<Option<Value>>()?;
                }
                header.twice = seen.twice;
                Ok(header)
            }
        }

        deserializer.deserialize_map(HeaderVisitor)
    }
}

/// The keys of an object so far, of those that are read.
#[derive(Default)]
struct Seen {
    keys: Vec<String>,
    twice: Option<String>,
}

impl Seen {
    fn note(&mut self, key: &str) {
        let is_read = HEADER_KEYS.contains(&key) || ANSWER_KEYS.contains(&key);
        if !is_read || self.twice.is_some() {
            return;
        }
        if self.keys.iter().any(|known| known == key) {
            self.twice = Some(key.to_owned());
        } else {
            self.keys.push(key.to_owned());
        }
    }
}

/// What `invoke` printed of an answer, of which only is looked at whether a key stands there twice.
struct Said(Option<String>);

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SaidVisitor;

        impl<'de> Visitor<'de> for SaidVisitor {
            type Value = Said;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("any JSON")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Said, A::Error> {
                let mut seen = Seen::default();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    seen.note(&key);
                    map.next_value::<IgnoredAny>()?;
                }
                Ok(Said(seen.twice))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Said, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Said(None))
            }

            fn visit_str<E>(self, _: &str) -> Result<Said, E> {
                Ok(Said(None))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Said, E> {
                Ok(Said(None))
            }

            fn visit_i64<E>(self, _: i64) -> Result<Said, E> {
                Ok(Said(None))
            }

            fn visit_u64<E>(self, _: u64) -> Result<Said, E> {
                Ok(Said(None))
            }

            fn visit_f64<E>(self, _: f64) -> Result<Said, E> {
                Ok(Said(None))
            }

            fn visit_unit<E>(self) -> Result<Said, E> {
                Ok(Said(None))
            }
        }

        deserializer.deserialize_any(SaidVisitor)
    }
}

/// The id and the answer of a whole line.
pub(super) fn answer(bytes: &[u8]) -> Result<(Option<String>, Reading), serde_json::Error> {
    let mut line: Map<String, Value> = serde_json::from_slice(bytes)?;
    let id = IDS.iter().find_map(|name| Some(line.get(*name)?.as_str()?.to_owned()));
    // What a grader could not do says nothing of the answer that it was given.
    let by_grader = line.get("error_kind").is_some_and(|kind| kind == "grader");
    let error = take(&mut line, "error", "error").filter(|_| !by_grader);
    let mut said = match line.remove("response") {
        Some(Value::Object(response)) => response,
        _ => line,
    };
    let text = match said.remove("candidate_answer") {
        Some(Value::Null) | None => said.remove("text"),
        answer => answer,
    };
    let record = Record {
        text: text.filter(|text| !text.is_null()),
        output_messages: take(&mut said, "output_messages", "outputMessages").map(in_snake_case),
        trace: take(&mut said, "trace", "trace"),
        error,
        duration_ms: take(&mut said, "duration_ms", "durationMs"),
        token_usage: take(&mut said, "token_usage", "tokenUsage"),
        cost_usd: take(&mut said, "cost_usd", "costUsd"),
    };
    Ok((id, record.read()))
}

/// A field under one of its names; null counts as absent.
fn take(map: &mut Map<String, Value>, name: &str, camel: &str) -> Option<Value> {
    let value = map.remove(name).or_else(|| map.remove(camel));
    value.filter(|value| !value.is_null())
}

/// Messages as `invoke` prints them, under the names that files have for the same.
fn in_snake_case(mut messages: Value) -> Value {
    for message in messages.as_array_mut().into_iter().flatten() {
        rename(message, "toolCalls", "tool_calls");
        let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
        for call in calls.into_iter().flatten() {
            rename(call, "durationMs", "duration_ms");
        }
    }
    messages
}

fn rename(value: &mut Value, camel: &str, snake: &str) {
    if let Value::Object(map) = value
        && let Some(inner) = map.remove(camel)
    {
        map.entry(snake).or_insert(inner);
    }
}
