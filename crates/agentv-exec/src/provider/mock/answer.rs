//! One answer of a mock: what the author wrote, and what of it depends on the case.

use agentv_base::{
    Answer, Blanks, Diagnostic, Entry, Failure, FailureKind, Fields, Key, Node, Part, Problems,
    Provenance, Raw, RecordRaw, Redactor, Request, Response, Shape, nearest, tail,
};
use serde_json::Value;

use crate::provider::{
    cli::SAID,
    record::{Reading, Record},
};

pub(super) const ANSWER: Part = Part { what: "answer", tables: &[ANSWER_KEYS] };

const ANSWER_KEYS: &[Key] = &[
    Key::new("text", Shape::Any, "The answer; a text may have `{{ … }}`, anything else is JSON"),
    Key::new("output_messages", MAPS, "The messages that led to it, with calls of tools"),
    Key::new("trace", MAPS, "The events that led to it"),
    Key::new("token_usage", Shape::AnyMap, "Tokens: `input`, `output` and perhaps `cached`"),
    Key::new("cost_usd", Shape::Limit, "What it cost"),
    Key::new("duration_ms", Shape::Limit, "How long it took").default("what is measured"),
    Key::new("error", Shape::Name, "The target fails with this text instead of answering"),
];

const MAPS: Shape = Shape::List(&Shape::AnyMap);

/// What may stand in double braces, and what it is called here.
const BLANKS: &[(&str, &str)] = &[
    ("question", "question"),
    ("prompt", "question"),
    ("input", "question"),
    ("eval_id", "eval_id"),
    ("id", "eval_id"),
    ("attempt", "attempt"),
    ("guidelines", "guidelines"),
];

/// An answer that was written beforehand.
#[derive(Clone, Debug)]
pub(super) struct Scripted {
    /// What the text becomes once there is a case; none where it does not depend on one.
    template: Option<Blanks>,
    reading: Reading,
}

impl Scripted {
    /// A text that is the same for every case.
    pub(super) fn plain(text: &str) -> Self {
        let reading = Reading { text: Some(text.to_owned()), ..Reading::default() };
        Self { template: None, reading }
    }

    /// Reads the answer under the key `name`.
    pub(super) fn read(name: &str, node: &Node, problems: &mut Problems) -> Option<Self> {
        if let Some(text) = node.as_str() {
            let reading = Reading { text: Some(String::new()), ..Reading::default() };
            return Some(Self { template: Some(template(text, node, problems)?), reading });
        }
        if node.as_map().is_none() {
            let message = format!(
                "`{name}` must be a text, or a map as a command answers with, not {}",
                node.kind_name()
            );
            let mut problem = Diagnostic::error(message).code("wrong-type").at(node.span);
            if node.as_list().is_none() {
                problem = problem.hint("put it in quotes");
            }
            problems.push(problem);
            return None;
        }
        let fields = Fields::read(node, ANSWER.what, ANSWER.tables, problems)?;
        read_map(&fields, problems)
    }

    /// The answer to this request, which took so long.
    pub(super) fn play(&self, request: &Request, took_ms: f64, redactor: &Redactor) -> Answer {
        let reading = self.reading.clone();
        let duration_ms = reading.duration_ms.or(Some(took_ms));
        if let Some(error) = &reading.error {
            let error = redactor.redact(error);
            return Answer::Failed(Failure {
                duration_ms,
                token_usage: reading.token_usage,
                cost_usd: reading.cost_usd,
                ..Failure::new(FailureKind::Target, tail(&error, SAID))
            });
        }
        let text = self.template.as_ref().map(|template| fill(template, request));
        Answer::Given(Box::new(Response {
            text: text.or(reading.text).unwrap_or_default(),
            output_messages: reading.output_messages,
            trace: reading.trace,
            token_usage: reading.token_usage,
            cost_usd: reading.cost_usd,
            duration_ms,
            dropped_elements: 0,
            provenance: Provenance::Asked,
            leaked: Vec::new(),
            raw: Raw::Record(RecordRaw { file: None, line: None }),
        }))
    }
}

fn fill(template: &Blanks, request: &Request) -> String {
    template.fill(|name| match name {
        "question" => request.input.question().into_owned(),
        "eval_id" => request.input.eval_id.to_string(),
        "attempt" => request.attempt.to_string(),
        _ => request.input.guidelines().unwrap_or_default(),
    })
}

fn template(text: &str, node: &Node, problems: &mut Problems) -> Option<Blanks> {
    match Blanks::read(text, BLANKS) {
        Ok(blanks) => Some(blanks),
        Err(unknown) => {
            let hint = match nearest(&unknown, BLANKS.iter().map(|(name, _)| *name)) {
                Some(near) => format!("did you mean `{{{{ {near} }}}}`?"),
                None => "known: question, eval_id, attempt, guidelines".to_owned(),
            };
            problems.push(
                Diagnostic::error(format!("a mock knows no `{{{{ {unknown} }}}}`"))
                    .code("bad-placeholder")
                    .at(node.span)
                    .piece(unknown, 0)
                    .hint(hint),
            );
            None
        }
    }
}

fn read_map(fields: &Fields<'_>, problems: &mut Problems) -> Option<Scripted> {
    let before = problems.iter().count();
    for name in ["cost_usd", "duration_ms"] {
        fields.limit(name, problems);
    }
    fields.non_blank("error", problems);
    let mut value = |name: &str| fields.get(name).and_then(|node| node.checked_json(problems));
    let record = Record {
        text: value("text"),
        output_messages: value("output_messages"),
        trace: value("trace"),
        error: value("error"),
        duration_ms: value("duration_ms").map(number),
        token_usage: value("token_usage"),
        cost_usd: value("cost_usd").map(number),
    };
    check_parts(fields, &record, problems);
    let given = |name: &str| fields.entry(name).filter(|entry| !entry.value.is_null());
    let answers = given("text").or_else(|| given("output_messages"));
    match (answers, given("error")) {
        (Some(answer), Some(error)) => problems.push(both(answer, error)),
        (None, None) => problems.push(
            Diagnostic::error("this answer says nothing")
                .code("missing-key")
                .at(fields.span())
                .hint("give it `text`, `output_messages` or `error`"),
        ),
        (Some(_), None) | (None, Some(_)) => {}
    }
    let text = fields.get("text").and_then(|node| Some((node.as_str()?, node)));
    let template = match text {
        Some((text, node)) => Some(template(text, node, problems)?),
        None => None,
    };
    (problems.iter().count() == before).then(|| Scripted { template, reading: record.read() })
}

/// A number that a variable of the environment brought is a text.
fn number(value: Value) -> Value {
    let text = value.as_str().and_then(|text| text.trim().parse::<f64>().ok());
    text.map_or(value, Value::from)
}

fn both(answer: &Entry, error: &Entry) -> Diagnostic {
    Diagnostic::error(format!("an answer has either `{}` or `error`", answer.key))
        .code("misplaced-key")
        .at(error.key_span)
        .note(answer.key_span, "it answers here")
}

/// What a tool writes by mistake is dropped and counted; what an author writes is told.
fn check_parts(fields: &Fields<'_>, record: &Record, problems: &mut Problems) {
    let alone = [
        ("output_messages", Record { output_messages: record.output_messages.clone(), ..none() }),
        ("trace", Record { trace: record.trace.clone(), ..none() }),
        ("token_usage", Record { token_usage: record.token_usage.clone(), ..none() }),
    ];
    for (name, part) in alone {
        let Some(node) = fields.get(name).filter(|_| part.read().dropped > 0) else { continue };
        let wanted = match name {
            "output_messages" => "a list of messages, each with a `role`; calls have a `tool`",
            "trace" => "a list of events, each with a `type` such as `tool_call`",
            _ => "a map with whole numbers as `input` and `output`",
        };
        let message = format!("`{name}` must be {wanted}");
        problems.push(Diagnostic::error(message).code("wrong-type").at(node.span));
    }
}

fn none() -> Record {
    Record::default()
}
