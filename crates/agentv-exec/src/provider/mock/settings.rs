//! The keys of a `mock` target, read and checked once.

use std::{collections::HashMap, sync::Arc, time::Duration};

use agentv_base::{Diagnostic, Fields, Key, Problems, Shape, TARGET_KEYS, TargetSpec};

use super::{
    Delay, MockSettings,
    answer::{ANSWER, Scripted},
};

/// The answer where none is given.
const DEFAULT_ANSWER: &str =
    "This is a mock: give its target a `response`, or `responses` by the ids of cases.";

const ONE: Shape = Shape::Either(&[Shape::Text, Shape::Part(&ANSWER)]);

pub(super) const KEYS: &[Key] = &[
    Key::new(
        "response",
        ONE,
        "The answer: a text, in which `{{ question }}`, `{{ eval_id }}`, `{{ attempt }}` and \
         `{{ guidelines }}` stand for those of the case, or a map as a command answers with",
    )
    .default("a text that says that it is a mock"),
    Key::new(
        "responses",
        Shape::MapOf(&ONE),
        "Answers by the id of their case; others get `response`",
    ),
    Key::new("delay_ms", Shape::Limit, "How long an answer takes, in milliseconds").default("0"),
    Key::new("delay_min_ms", Shape::Limit, "How long it takes at least; with `delay_max_ms`"),
    Key::new("delay_max_ms", Shape::Limit, "How long it takes at most; with `delay_min_ms`"),
    Key::new("timeout_seconds", Shape::Positive, "The deadline of an answer")
        .default("`--agent-timeout`"),
];

pub(super) fn read(spec: &TargetSpec, problems: &mut Problems) -> Option<MockSettings> {
    let before = problems.iter().count();
    let fields = Fields::read(&spec.node, "target", &[TARGET_KEYS, KEYS], problems)?;
    let response =
        fields.get("response").and_then(|node| Scripted::read("response", node, problems));
    let responses = read_responses(&fields, problems);
    let delay = read_delay(&fields, problems);
    let timeout = fields.positive("timeout_seconds", problems);
    let nothing = fields.get("response").is_none() && fields.get("responses").is_none();
    let response = if nothing { Some(Scripted::plain(DEFAULT_ANSWER)) } else { response };
    let timeout = timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    (problems.iter().count() == before).then_some(MockSettings {
        response,
        responses,
        delay,
        timeout,
    })
}

fn read_responses(fields: &Fields<'_>, problems: &mut Problems) -> HashMap<Arc<str>, Scripted> {
    let mut responses = HashMap::new();
    let Some(entries) = fields.map("responses", problems) else { return responses };
    if let ([], Some(node)) = (entries, fields.get("responses")) {
        problems.push(
            Diagnostic::error("`responses` is empty")
                .at(node.span)
                .hint("name an answer by the id of its case, or remove the key"),
        );
    }
    for entry in entries {
        if entry.key.trim().is_empty() {
            problems.error(entry.key_span, "the id of a case is blank");
        }
        let name = format!("responses.{}", entry.key);
        if let Some(scripted) = Scripted::read(&name, &entry.value, problems) {
            responses.insert(Arc::from(&*entry.key), scripted);
        }
    }
    responses
}

fn read_delay(fields: &Fields<'_>, problems: &mut Problems) -> Delay {
    let fixed = fields.limit("delay_ms", problems);
    let least = fields.limit("delay_min_ms", problems);
    let most = fields.limit("delay_max_ms", problems);
    let range = ["delay_min_ms", "delay_max_ms"];
    let (min, max) = (fields.entry(range[0]), fields.entry(range[1]));
    if let (Some(delay), Some(other)) = (fields.entry("delay_ms"), min.or(max)) {
        problems.push(
            Diagnostic::error(format!("`{}` and `delay_ms` both say how long it takes", other.key))
                .code("misplaced-key")
                .at(other.key_span)
                .note(delay.key_span, "given here too")
                .hint("keep one of them"),
        );
    } else if let (Some(alone), None) | (None, Some(alone)) = (min, max) {
        let absent = if min.is_some() { range[1] } else { range[0] };
        problems.push(
            Diagnostic::error(format!("`{}` needs `{absent}`", alone.key))
                .code("missing-key")
                .at(alone.key_span)
                .hint(format!(
                    "add `{absent}: …`, or say `delay_ms` for a delay that is always the same"
                )),
        );
    } else if let (Some(least), Some(most), Some(max)) = (least, most, max)
        && least > most
    {
        problems.error(max.value.span, "`delay_max_ms` is less than `delay_min_ms`");
    }
    Delay {
        least_ms: fixed.or(least).unwrap_or_default(),
        most_ms: fixed.or(most).unwrap_or_default(),
    }
}
