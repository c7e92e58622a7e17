//! A JSON Schema that has been read and compiled, and what an answer does not keep of it.
//!
//! A schema is complete in itself: nothing is fetched or read for a `$ref`. Its patterns run in
//! the engine that `regex` uses, in time proportional to the answer.

use agentv_base::{Diagnostic, Fields, GraderFault, Node, Problems, Span, excerpt};
use jsonschema::{
    PatternOptions, ReferencingError, ValidationError, Validator, error::ValidationErrorKind,
};
use serde_json::Value;

use super::{
    growth::{self, Detail},
    limits::fault_of,
    parts::Parts,
    references::REFERENCES,
    warnings::{Written, has_effect, warn},
};
use crate::{
    grader::{
        json_text::{key_of_part, pointer_part, shown},
        wanted::{FILE, read_file},
    },
    kind::BuildContext,
    told::{and_more, first_of},
};

/// So many misses say what is wrong; the rest is counted.
const MOST_MISSES: usize = 5;

/// What is said of every answer that is wrong.
const WRONG: &str = "does not satisfy the schema";

/// Enough of a place in an answer to recognise it.
const SHOWN_PLACE: usize = 80;

/// Enough of a reason, which may list what is allowed.
const SHOWN_REASON: usize = 300;

pub(crate) struct Schema {
    validator: Validator,
    parts: Parts,
}

impl Schema {
    /// Reads the schema in `node`, a map or the name of a file, and reports what is wrong with it.
    pub(crate) fn read(
        node: &Node,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        if node.as_map().is_some() {
            let schema = node.checked_json(problems)?;
            warn(&schema, Written::Here(node), problems);
            let built = check_limits(&schema).and_then(|()| compile(&schema).map_err(Fault::from));
            return built
                .map_err(|fault| {
                    let span = fault.0.as_ref().map_or(node.span, |error| place(node, error));
                    problems.push(unusable("`value`", &fault.1).at(span));
                })
                .ok()
                .filter(|_| has_effect(&schema, Written::Here(node), problems));
        }
        let Some(path) = node.as_str().and_then(|text| text.strip_prefix(FILE)) else {
            problems.push(
                Diagnostic::error(format!("`value` must be a schema, not {}", node.kind_name()))
                    .at(node.span)
                    .hint("write it as a map, or name its file: `value: file://schema.json`"),
            );
            return None;
        };
        let text = read_file(path, node, context, problems)?;
        let read = serde_json::from_str::<Value>(&text)
            .map_err(|error| format!("`{path}` is not JSON: {error}"))
            .and_then(|schema| check_shape(schema, path));
        let schema = read.map_err(|message| problems.error(node.span, message)).ok()?;
        let written = Written::InFile(path, node.span);
        warn(&schema, written, problems);
        check_limits(&schema)
            .and_then(|()| compile(&schema).map_err(Fault::from))
            .map_err(|Fault(error, reason)| {
                let inside = error.map(|error| pointer(&schema, &error)).unwrap_or_default();
                let inside = if inside.is_empty() { inside } else { format!("{inside}: ") };
                problems.push(unusable(&format!("`{path}`"), &(inside + &reason)).at(node.span));
            })
            .ok()
            .filter(|_| has_effect(&schema, written, problems))
    }

    /// The schema in `value`, where there is one; nothing, twice over, where it cannot be used.
    #[expect(clippy::option_option, reason = "absent and wrong are two things")]
    pub(crate) fn read_optional(
        fields: &Fields<'_>,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Option<Self>> {
        let Some(node) = fields.get("value") else { return Some(None) };
        Self::read(node, context, problems).map(Some)
    }

    /// Why it cannot be found out whether `answer` satisfies the schema, where it cannot.
    pub(crate) fn fault(&self, answer: &Value) -> Option<GraderFault> {
        let (most, depth) = growth::check(&self.parts, answer).err()?;
        Some(GraderFault::new(format!(
            "the schema comes back to the same parts in several branches: an answer that is nested \
             {depth} levels deep would be checked more than {most} times"
        )))
    }

    /// In which ways `answer` is not what the schema wants: the first few in full. Of an answer
    /// that is large, or has very many ways to be wrong, only what can be said in a bounded time
    /// and room.
    pub(crate) fn misses(&self, answer: &Value) -> Vec<String> {
        if self.validator.is_valid(answer) {
            return Vec::new();
        }
        match growth::detail(&self.parts, answer) {
            Detail::Everything => {
                let errors = self.validator.iter_errors(answer);
                let misses = first_of(errors, MOST_MISSES, |error| miss(&error), and_more);
                if misses.is_empty() { vec![WRONG.to_owned()] } else { misses }
            }
            Detail::First => match self.validator.validate(answer) {
                Err(error) => vec![miss(&error), "and perhaps more".to_owned()],
                Ok(()) => vec![WRONG.to_owned()],
            },
            Detail::Nothing => vec![format!(
                "{WRONG}; where it does not is not said, since there are too many ways to be wrong"
            )],
        }
    }
}

/// Why a schema cannot be used: what the library found, where it was the library, and in words.
struct Fault(Option<ValidationError<'static>>, String);

impl From<ValidationError<'static>> for Fault {
    fn from(error: ValidationError<'static>) -> Self {
        let reason = reason(&error);
        Self(Some(error), reason)
    }
}

fn check_limits(schema: &Value) -> Result<(), Fault> {
    fault_of(schema).map_or(Ok(()), |reason| Err(Fault(None, reason)))
}

fn check_shape(schema: Value, path: &str) -> Result<Value, String> {
    if schema.is_object() {
        Ok(schema)
    } else {
        Err(format!("`{path}` is not a schema: it is no object"))
    }
}

fn compile(schema: &Value) -> Result<Schema, ValidationError<'static>> {
    jsonschema::options()
        // Said aloud, since a feature that another crate turns on could bring fetching back.
        .offline()
        .with_pattern_options(PatternOptions::regex())
        // Who writes `format: date` wants a date. The standard leaves the choice to us.
        .should_validate_formats(true)
        .build(schema)
        .map(|validator| Schema { validator, parts: Parts::of(schema) })
}

fn unusable(what: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(format!("{what} is not a JSON Schema that can be used: {reason}"))
}

/// Why a schema cannot be used.
fn reason(error: &ValidationError<'_>) -> String {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the library's own words do for the rest")]
    let said = match error.kind() {
        ValidationErrorKind::Referencing(ReferencingError::Unretrievable { uri, .. }) => {
            format!("it refers to `{uri}`, and nothing is fetched; copy that part into `$defs`")
        }
        // A keyword may have several forms; the first is the plain one.
        ValidationErrorKind::AnyOf { context } => {
            let plain = context.first().and_then(|form| form.first());
            plain.map_or_else(|| error.to_string(), reason)
        }
        ValidationErrorKind::Enum { options } => {
            let options = options.as_array().into_iter().flatten().map(Value::to_string);
            format!("{} is none of {}", error.instance(), options.collect::<Vec<_>>().join(", "))
        }
        ValidationErrorKind::Format { format } if format == "regex" => format!(
            "{} is not a regular expression without look-around and back-references",
            error.instance()
        ),
        _ => error.to_string(),
    };
    excerpt(&said, SHOWN_REASON)
}

/// Where in the tree of `schema` the part stands that cannot be used.
fn place(schema: &Node, error: &ValidationError<'_>) -> Span {
    if let ValidationErrorKind::Referencing(error) = error.kind() {
        return find_reference(schema, error).map_or(schema.span, |node| node.span);
    }
    let mut found = schema;
    for segment in error.instance_path().as_str().split('/').skip(1) {
        let key = key_of_part(segment);
        let below = match found.as_list() {
            Some(items) => key.parse().ok().and_then(|index: usize| items.get(index)),
            None => found.get(&key),
        };
        match below {
            Some(below) => found = below,
            None => break,
        }
    }
    found.span
}

/// As [`place`], in a schema that was not written in the suite: as a JSON Pointer.
fn pointer(schema: &Value, error: &ValidationError<'_>) -> String {
    let ValidationErrorKind::Referencing(error) = error.kind() else {
        return error.instance_path().as_str().to_owned();
    };
    let Some(leads_to) = leads_to(error) else { return String::new() };
    let mut waiting = vec![(String::new(), schema)];
    while let Some((at, value)) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(
                items.iter().enumerate().rev().map(|(index, item)| (format!("{at}/{index}"), item)),
            ),
            Value::Object(map) => {
                for (key, value) in map.iter().rev() {
                    let at = format!("{at}/{}", pointer_part(key));
                    if is_reference(key, value.as_str(), leads_to) {
                        return at;
                    }
                    waiting.push((at, value));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    String::new()
}

/// The reference that leads nowhere. The library does not say where it stands, only where it
/// leads, so it is the first whose text is the end of that.
fn find_reference<'n>(schema: &'n Node, error: &ReferencingError) -> Option<&'n Node> {
    if let ReferencingError::UnknownSpecification { .. } = error {
        return schema.get("$schema");
    }
    search(schema, leads_to(error)?)
}

fn leads_to(error: &ReferencingError) -> Option<&str> {
    match error {
        ReferencingError::Unretrievable { uri, .. } => Some(uri.as_str()),
        ReferencingError::PointerToNowhere { pointer }
        | ReferencingError::InvalidPercentEncoding { pointer, .. }
        | ReferencingError::InvalidArrayIndex { pointer, .. } => Some(pointer.as_str()),
        ReferencingError::NoSuchAnchor { anchor } | ReferencingError::InvalidAnchor { anchor } => {
            Some(anchor.as_str())
        }
        ReferencingError::UnknownSpecification { .. }
        | ReferencingError::InvalidUri(_)
        | ReferencingError::CircularMetaschema { .. } => None,
    }
}

/// Whether a keyword is the reference that leads there.
fn is_reference(keyword: &str, value: Option<&str>, leads_to: &str) -> bool {
    let Some(reference) = value.filter(|_| REFERENCES.contains(&keyword)) else { return false };
    let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    let named = if document.is_empty() { fragment } else { document };
    !named.is_empty() && leads_to.ends_with(named.trim_start_matches("./"))
}

fn search<'n>(node: &'n Node, leads_to: &str) -> Option<&'n Node> {
    if let Some(items) = node.as_list() {
        return items.iter().find_map(|item| search(item, leads_to));
    }
    node.as_map()?.iter().find_map(|entry| {
        let found = is_reference(&entry.key, entry.value.as_str(), leads_to);
        if found { Some(&entry.value) } else { search(&entry.value, leads_to) }
    })
}

/// What is wrong with an answer, with the place in the answer.
fn miss(error: &ValidationError<'_>) -> String {
    let value = shown(error.instance());
    let at = match error.instance_path().as_str() {
        "" => String::new(),
        path => format!(" at {}", excerpt(path, SHOWN_PLACE)),
    };
    let reason = error.masked_with(value).to_string();
    format!("{WRONG}{at}: {}", excerpt(&reason, SHOWN_REASON))
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
