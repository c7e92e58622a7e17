//! Reading `fields`: every problem of every field is told, each at its place.

use std::collections::HashMap;

use agentv_base::{Diagnostic, Fields, Key, Node, Part, Problems, Shape, Span, words_of};
use serde_json::Value;

use super::{
    Aggregation,
    compare::{Match, Unfit},
    date::{self, Format, TOKENS_IN_WORDS},
    field::Field,
};
use crate::path::Path;

/// A way to compare, as it is named.
#[derive(Clone, Copy)]
enum Way {
    Exact,
    Number,
    Date,
}

const MATCHES: [(&str, Way); 3] =
    [("exact", Way::Exact), ("numeric_tolerance", Way::Number), ("date", Way::Date)];
const AGGREGATIONS: [(&str, Aggregation); 2] = [
    ("weighted_average", Aggregation::WeightedAverage),
    ("all_or_nothing", Aggregation::AllOrNothing),
];

pub(super) const KEYS: &[Key] = &[
    Key::new("fields", Shape::List(&Shape::Part(&FIELD)), "What to compare").required(),
    Key::new(
        "aggregation",
        Shape::Choice(const { &words_of(&AGGREGATIONS) }),
        "What the fields add up to",
    )
    .default("`weighted_average`"),
];

const FIELD: Part = Part {
    what: "field",
    tables: &[&[
        Key::new("path", Shape::Name, "Where it is: `invoice.lines[0].amount`, or a JSONPath")
            .required(),
        Key::new("match", Shape::Choice(const { &words_of(&MATCHES) }), "How values are compared")
            .default("`exact`"),
        Key::new("value", Shape::Any, "What is expected there")
            .default("what the case's expected answer has there"),
        Key::new("required", Shape::Bool, "Whether an answer without it is wrong")
            .default("true; else it is left out of the score"),
        Key::new("weight", Shape::Limit, "Its share in the weighted average").default("1"),
        Key::new("tolerance", Shape::Limit, "How far away a number may be").default("0"),
        Key::new("relative", Shape::Bool, "Whether `tolerance` is a share of what is expected")
            .default("false"),
        Key::new("formats", Shape::List(&Shape::Name), "How dates may be written")
            .default("the usual ones that say which day it is"),
    ]],
};

pub(super) fn read_aggregation(
    fields: &Fields<'_>,
    problems: &mut Problems,
) -> Option<Aggregation> {
    let read = fields.optional("aggregation", problems, |fields, key, problems| {
        fields.choice(key, &AGGREGATIONS, problems)
    });
    Some(read?.unwrap_or(Aggregation::WeightedAverage))
}

/// All fields; nothing where one of them has an error.
pub(super) fn read_fields(
    fields: &Fields<'_>,
    aggregation: Option<Aggregation>,
    problems: &mut Problems,
) -> Option<Vec<Field>> {
    let list = fields.required("fields", problems)?;
    let items = fields.list("fields", problems)?;
    if items.is_empty() {
        problems.error(list.span, "`fields` is empty, so every answer would pass");
        return None;
    }
    let mut known = HashMap::with_capacity(items.len());
    let read: Vec<_> =
        items.iter().map(|item| read_field(item, &mut known, aggregation, problems)).collect();
    let read: Vec<Field> = read.into_iter().collect::<Option<_>>()?;
    let counted =
        aggregation? == Aggregation::AllOrNothing || read.iter().any(|field| field.weight > 0.0);
    if !counted {
        problems.push(
            Diagnostic::error("every field has weight 0, so there would be no score")
                .at(list.span)
                .hint("give at least one field a weight above 0"),
        );
        return None;
    }
    Some(read)
}

fn read_field(
    item: &Node,
    known: &mut HashMap<String, Span>,
    aggregation: Option<Aggregation>,
    problems: &mut Problems,
) -> Option<Field> {
    // Everything is read before anything is given up, so that all problems are told.
    let fields = Fields::read(item, FIELD.what, FIELD.tables, problems)?;
    let path = read_path(&fields, known, problems);
    let how = read_match(&fields, problems);
    let required = match fields.get("required") {
        Some(_) => fields.boolean("required", problems),
        None => Some(true),
    };
    let weight = fields.optional("weight", problems, Fields::limit).map(|it| it.unwrap_or(1.0));
    if aggregation == Some(Aggregation::AllOrNothing)
        && let Some(entry) = fields.entry("weight").filter(|entry| !entry.value.is_null())
    {
        problems.push(
            Diagnostic::warning("`weight` has no effect where `aggregation` is `all_or_nothing`")
                .code("misplaced-key")
                .at(entry.key_span),
        );
    }
    // A null that is written is a value like any other.
    let written = fields.entry("value").map(|entry| &entry.value);
    let value = match (written, &path, &how) {
        (None, ..) => None,
        (Some(node), Some(path), Some(how)) => Some(read_value(node, path, how, problems)?),
        (Some(_), ..) => return None,
    };
    Some(Field { path: path?, how: how?, value, required: required?, weight: weight? })
}

fn read_path(
    fields: &Fields<'_>,
    known: &mut HashMap<String, Span>,
    problems: &mut Problems,
) -> Option<Path> {
    let node = fields.required("path", problems)?;
    let written = fields.non_blank("path", problems)?;
    let path = Path::parse(written)
        .map_err(|fault| problems.push(fault.problem("path", written, node.span)))
        .ok()?;
    if let Some(first) = known.insert(path.canonical(), node.span) {
        problems.push(
            Diagnostic::error(format!("the path {path} is given twice"))
                .code("duplicate-key")
                .at(node.span)
                .label("given again here")
                .note(first, "first given here"),
        );
        return None;
    }
    Some(path)
}

fn read_match(fields: &Fields<'_>, problems: &mut Problems) -> Option<Match> {
    let tolerance =
        fields.optional("tolerance", problems, Fields::limit).map(|it| it.unwrap_or(0.0));
    let relative = match fields.get("relative") {
        Some(_) => fields.boolean("relative", problems),
        None => Some(false),
    };
    let formats = read_formats(fields, problems);
    let way = fields.optional("match", problems, |fields, key, problems| {
        fields.choice(key, &MATCHES, problems)
    });
    let way = way?.unwrap_or(Way::Exact);
    let (word, misplaced): (&str, &[(&str, &str)]) = match way {
        Way::Number => ("numeric_tolerance", &[("formats", "date")]),
        Way::Date => {
            ("date", &[("tolerance", "numeric_tolerance"), ("relative", "numeric_tolerance")])
        }
        Way::Exact => (
            "exact",
            &[
                ("tolerance", "numeric_tolerance"),
                ("relative", "numeric_tolerance"),
                ("formats", "date"),
            ],
        ),
    };
    let mut wrong = false;
    for (key, of) in misplaced {
        if let Some(entry) = fields.entry(key).filter(|entry| !entry.value.is_null()) {
            problems.push(
                Diagnostic::error(format!("`{key}` belongs to `match: {of}`, not to `{word}`"))
                    .code("misplaced-key")
                    .at(entry.key_span),
            );
            wrong = true;
        }
    }
    if wrong {
        return None;
    }
    match way {
        Way::Number => {
            if relative == Some(true) && fields.get("tolerance").is_none() {
                let span = fields.entry("relative").map_or(fields.span(), |entry| entry.key_span);
                problems.push(
                    Diagnostic::error("`relative` needs `tolerance`")
                        .code("missing-key")
                        .at(span)
                        .hint("add `tolerance: 0.05` for five hundredths of what is expected"),
                );
                return None;
            }
            Some(Match::Number { tolerance: tolerance?, relative: relative? })
        }
        Way::Date => Some(Match::Date(formats?)),
        Way::Exact => Some(Match::Exact),
    }
}

fn read_formats(fields: &Fields<'_>, problems: &mut Problems) -> Option<Vec<Format>> {
    let Some(list) = fields.get("formats") else {
        return Some(date::usual());
    };
    let items = fields.list("formats", problems)?;
    if items.is_empty() {
        problems.error(list.span, "`formats` is an empty list, so no text would be a date");
        return None;
    }
    let read: Vec<_> = items.iter().map(|item| read_format(item, problems)).collect();
    read.into_iter().collect()
}

fn read_format(item: &Node, problems: &mut Problems) -> Option<Format> {
    let Some(written) = item.as_str() else {
        let message = format!("a format of `formats` must be a text, not {}", item.kind_name());
        problems.push(Diagnostic::error(message).code("wrong-type").at(item.span));
        return None;
    };
    Format::parse(written)
        .map_err(|why| {
            problems.push(
                Diagnostic::error(format!("this format of dates cannot be used: {why}"))
                    .at(item.span)
                    .hint(TOKENS_IN_WORDS),
            );
        })
        .ok()
}

fn read_value(node: &Node, path: &Path, how: &Match, problems: &mut Problems) -> Option<Value> {
    let value = node.checked_json(problems)?;
    let several = value.as_array().filter(|values| !values.is_empty());
    let parts = if !path.selects_several() {
        std::slice::from_ref(&value)
    } else if let Some(several) = several {
        several.as_slice()
    } else {
        problems.push(
            Diagnostic::error("`value` must be a list, as `path` may select several values")
                .at(node.span)
                .hint("write one value for each that is expected: `value: [1, 2]`"),
        );
        return None;
    };
    let unfit = parts.iter().find_map(|part| how.fits(part).err());
    match unfit {
        None => return Some(value),
        Some(Unfit::NoNumber) => problems.error(
            node.span,
            "`value` must be a number (or a text that is one) to be compared with a tolerance",
        ),
        Some(Unfit::NoDate) => problems.push(
            Diagnostic::error("`value` is no date in any of the formats")
                .at(node.span)
                .hint("write it as `YYYY-MM-DD`, or name its format in `formats`"),
        ),
        Some(Unfit::TwoDates(days)) => problems.push(
            Diagnostic::error(format!("`value` could be {days}"))
                .at(node.span)
                .hint("write it as `YYYY-MM-DD`, or say which in `formats: [DD/MM/YYYY]`"),
        ),
    }
    None
}
