//! One label: its keys, and what they say.

use agentv_base::{
    Diagnostic, Fields, Key, Message, Node, NodeValue, Problems, Shape, Span, TraceEvent, find_key,
    is_free, share_of,
};
use serde::de::DeserializeOwned;

use super::HumanSaid;

/// The keys of a label. A row of results has other keys too, and `label` under fewer names.
pub(super) const LABEL_KEYS: &[Key] = &[
    Key::new("eval_id", Shape::Name, "The case that the answer is to")
        .or(&["id", "test_id"])
        .required(),
    Key::new("candidate_answer", Shape::Any, "The answer that was judged")
        .or(&["answer", "text", "output", "response"]),
    Key::new("output_messages", Shape::List(&Shape::AnyMap), "The messages of the answer"),
    Key::new("trace", Shape::List(&Shape::AnyMap), "The trace of the answer"),
    Key::new("label", Shape::Scalar, "What a person said of the answer")
        .or(&["human_label", "human", "verdict", "passed", "pass", "human_score"])
        .required(),
    Key::new("grader", Shape::Name, "The judge of the case that the label is about")
        .or(&["evaluator", "judge"]),
    Key::new("labeler", Shape::Name, "Who gave the label").or(&["annotator"]),
];

/// Words for answers that pass, and for those that fail.
const PASS: [&str; 6] = ["pass", "passed", "true", "yes", "good", "1"];
const FAIL: [&str; 6] = ["fail", "failed", "false", "no", "bad", "0"];

/// Whether a key is one under which the answer stands.
pub(super) fn is_answer(key: &str) -> bool {
    find_key(key, &[LABEL_KEYS]).is_some_and(|key| key.name == "candidate_answer")
}

/// Whether a place for the label is there, and nothing in it. One that is not there at all is a
/// mistake.
pub(super) fn is_unlabelled(node: &Node) -> bool {
    let is_label = |key: &str| find_key(key, &[LABEL_KEYS]).is_some_and(|key| key.name == "label");
    let mut labels = node.as_map().unwrap_or_default().iter().filter(|entry| is_label(&entry.key));
    labels.next().is_some_and(|first| is_blank(&first.value) && labels.next().is_none())
}

pub(super) fn is_blank(value: &Node) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Whether a label may have such a key.
pub(super) fn is_known(key: &str) -> bool {
    find_key(key, &[LABEL_KEYS]).is_some() || is_free(key)
}

/// A label whose case nobody has looked for yet.
pub(super) struct Draft {
    pub(super) eval_id: String,
    pub(super) id_span: Span,
    pub(super) answer: String,
    pub(super) output_messages: Option<Vec<Message>>,
    pub(super) trace: Option<Vec<TraceEvent>>,
    pub(super) said: HumanSaid,
    pub(super) grader: Option<(String, Span)>,
    pub(super) labeler: Option<String>,
}

/// Reads one label; nothing where something of it is wrong.
pub(super) fn read_label(node: &Node, problems: &mut Problems) -> Option<Draft> {
    let fields = Fields::read(node, "label", &[LABEL_KEYS], problems)?;
    let id = fields.required("eval_id", problems);
    let eval_id = id.and_then(|id| name_of(&fields, "eval_id", id, problems));
    let said = fields.required("label", problems).and_then(|said| read_said(said, problems));
    let output_messages = elements(&fields, "output_messages", problems);
    let trace = elements(&fields, "trace", problems);
    let answer = read_answer(&fields, output_messages.as_ref().and_then(Option::as_deref));
    if answer.is_none() && output_messages.is_some() {
        problems.push(without_answer(&fields));
    }
    let optional = |name: &str, problems: &mut Problems| match fields.get(name) {
        None => Some(None),
        Some(value) => name_of(&fields, name, value, problems).map(|text| Some((text, value.span))),
    };
    let grader = optional("grader", problems);
    let labeler = optional("labeler", problems);
    Some(Draft {
        eval_id: eval_id?,
        id_span: id?.span,
        answer: answer?,
        output_messages: output_messages?,
        trace: trace?,
        said: said?,
        grader: grader?,
        labeler: labeler?.map(|(text, _)| text),
    })
}

/// A name that is not blank. Ids that look like numbers are written without quotes all the time.
fn name_of(
    fields: &Fields<'_>,
    name: &str,
    node: &Node,
    problems: &mut Problems,
) -> Option<String> {
    if let NodeValue::Integer(number) = node.value {
        return Some(number.to_string());
    }
    fields.non_blank(name, problems).map(|text| text.trim().to_owned())
}

/// What stands under a key of answers, else what the last of the assistant's messages says. An
/// empty answer is an answer; one that is no text is judged as JSON, as answers of targets are.
fn read_answer(fields: &Fields<'_>, messages: Option<&[Message]>) -> Option<String> {
    match fields.get("candidate_answer") {
        Some(node) => Some(match node.as_str() {
            Some(text) => text.to_owned(),
            None => node.to_json().to_string(),
        }),
        None => messages?
            .iter()
            .rev()
            .filter(|message| message.role == "assistant")
            .find_map(Message::text),
    }
}

fn without_answer(fields: &Fields<'_>) -> Diagnostic {
    let span = fields.entry("candidate_answer").map_or(fields.span(), |entry| entry.key_span);
    Diagnostic::error("label needs `answer`: there is nothing to judge")
        .code("missing-key")
        .at(span)
        .hint("add `answer: …`, which may be empty, or `output_messages` with one of the assistant")
}

/// The elements of a list; nothing where one does not fit, and nothing inside where there is none.
#[expect(clippy::option_option, reason = "wrong, absent and there are three things")]
fn elements<T: DeserializeOwned>(
    fields: &Fields<'_>,
    name: &str,
    problems: &mut Problems,
) -> Option<Option<Vec<T>>> {
    if fields.get(name).is_none() {
        return Some(None);
    }
    let nodes = fields.list(name, problems)?;
    let read = |node: &Node, problems: &mut Problems| match serde_json::from_value(node.to_json()) {
        Ok(element) => Some(element),
        Err(error) => {
            let message = format!("this element of `{name}` does not fit: {error}");
            problems.push(Diagnostic::error(message).code("wrong-type").at(node.span));
            None
        }
    };
    let all: Vec<Option<T>> = nodes.iter().map(|node| read(node, problems)).collect();
    all.into_iter().collect::<Option<Vec<T>>>().map(Some)
}

/// Words and whole numbers say whether it passes; a number with a point is a score.
fn read_said(node: &Node, problems: &mut Problems) -> Option<HumanSaid> {
    let word = match &node.value {
        NodeValue::Bool(passes) => return Some(decided(*passes)),
        NodeValue::Float(_) => return share_of("label", node, problems).map(HumanSaid::Score),
        NodeValue::Integer(number) => number.to_string(),
        NodeValue::String(text) => text.trim().to_lowercase(),
        NodeValue::Null | NodeValue::List(_) | NodeValue::Map(_) => node.kind_name().to_owned(),
    };
    if PASS.contains(&word.as_str()) {
        return Some(HumanSaid::Pass);
    }
    if FAIL.contains(&word.as_str()) {
        return Some(HumanSaid::Fail);
    }
    if word.parse::<f64>().is_ok() {
        return share_of("label", node, problems).map(HumanSaid::Score);
    }
    let shown = agentv_base::excerpt(&word, 80);
    problems.push(
        Diagnostic::error(format!("`{shown}` does not say whether the answer passes"))
            .code("bad-value")
            .at(node.span)
            .hint("write pass or fail (also true/false, yes/no, good/bad, 1/0), or a score from 0 to 1"),
    );
    None
}

fn decided(passes: bool) -> HumanSaid {
    if passes { HumanSaid::Pass } else { HumanSaid::Fail }
}
