//! Targets and judges of a dry run: nobody is asked, and every answer says so.

use std::sync::Arc;

use agentv_base::{
    Answer, Answers, Batching, BoxFuture, Failure, FailureKind, Provenance, Provider, Raw,
    RecordRaw, Request, Response,
};
use serde_json::{Map, Value, json};

/// What is said in every place that takes a text.
const SAID: &str = "dry run";

/// Deeper schemas are no forms of answers of ours.
const DEEPEST: usize = 32;

/// Answers anything, and means nothing by it.
pub struct DryRun;

impl Provider for DryRun {
    fn batching(&self) -> Batching {
        Batching::Single
    }

    fn check(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    fn invoke(&self, requests: Vec<Request>) -> BoxFuture<'_, Result<Arc<dyn Answers>, Failure>> {
        Box::pin(async move { Ok(Arc::new(MadeUp(requests)) as Arc<dyn Answers>) })
    }
}

struct MadeUp(Vec<Request>);

impl Answers for MadeUp {
    fn settle(&self, index: usize) -> Answer {
        let Some(request) = self.0.get(index) else {
            let message = "nobody asked for this answer";
            return Answer::Failed(Failure::new(FailureKind::Missing, message));
        };
        let text = match &request.output_schema {
            Some(schema) => smallest(schema, DEEPEST).to_string(),
            None => "This is a made-up answer of a dry run: nobody was asked.".to_owned(),
        };
        Answer::Given(Box::new(Response {
            text,
            output_messages: None,
            trace: None,
            token_usage: None,
            cost_usd: None,
            duration_ms: None,
            dropped_elements: 0,
            leaked: Vec::new(),
            provenance: Provenance::Asked,
            raw: Raw::Record(RecordRaw { file: None, line: None }),
        }))
    }
}

/// The least that a schema of the form of an answer asks for: every required key, `false`, the
/// lowest number, and of a list that has something for each of some ids, one for each.
fn smallest(schema: &Value, deepest: usize) -> Value {
    let first = |key: &str| schema.get(key).and_then(Value::as_array).and_then(|list| list.first());
    let fixed = schema.get("const").or_else(|| first("enum"));
    if let Some(value) = fixed {
        return value.clone();
    }
    let inner = |schema: &Value| match deepest.checked_sub(1) {
        Some(deepest) => smallest(schema, deepest),
        None => Value::Null,
    };
    if let Some(one) = first("anyOf").or_else(|| first("oneOf")) {
        return inner(one);
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let required = schema.get("required").and_then(Value::as_array);
            let names = required.into_iter().flatten().filter_map(Value::as_str);
            let keys =
                names.filter_map(|name| Some((name.to_owned(), inner(properties?.get(name)?))));
            Value::Object(keys.collect::<Map<String, Value>>())
        }
        Some("array") => schema.get("items").map_or_else(|| json!([]), |items| each(items, &inner)),
        Some("boolean") => json!(false),
        Some("number" | "integer") => lowest(schema),
        Some("string") => json!(SAID),
        _ => Value::Null,
    }
}

/// One item for each id that the items of a list may have; none where they have none.
fn each(items: &Value, inner: &impl Fn(&Value) -> Value) -> Value {
    let kinds = items.get("anyOf").and_then(Value::as_array);
    let kinds: Vec<&Value> = kinds.map_or_else(|| vec![items], |kinds| kinds.iter().collect());
    let mut all = Vec::new();
    for kind in kinds {
        let ids = kind.pointer("/properties/id/enum").and_then(Value::as_array);
        for id in ids.into_iter().flatten() {
            let mut item = inner(kind);
            if let Some(item) = item.as_object_mut() {
                item.insert("id".to_owned(), id.clone());
            }
            all.push(item);
        }
    }
    Value::Array(all)
}

/// The lowest number that is allowed, by a limit or by the words of the description, since models
/// are told ranges in words.
fn lowest(schema: &Value) -> Value {
    if let Some(least) = schema.get("minimum").filter(|least| least.is_number()) {
        return least.clone();
    }
    let told = schema.get("description").and_then(Value::as_str);
    let from = told.and_then(|told| told.strip_prefix("From ")?.split(' ').next());
    let number = from.and_then(|from| serde_json::from_str::<Value>(from).ok());
    number.filter(Value::is_number).unwrap_or_else(|| json!(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: &Value, answer: &Value) {
        assert_eq!(smallest(schema, DEEPEST), *answer);
    }

    #[test]
    fn a_score_is_the_lowest_and_lists_without_ids_are_empty() {
        let texts = json!({"type": "array", "items": {"type": "string"}});
        let schema = json!({"type": "object", "required": ["reasoning", "hits", "score"],
            "properties": {"reasoning": {"type": "string"}, "hits": texts, "other": texts,
                "score": {"type": "number", "description": "From 0 to 1"}}});
        check(&schema, &json!({"reasoning": "dry run", "hits": [], "score": 0}));
    }

    #[test]
    fn every_rubric_has_its_check() {
        let check_of = |ids: Value, key: &str, shape: Value| {
            json!({"type": "object", "required": ["id", key],
                "properties": {"id": {"type": "string", "enum": ids}, key: shape}})
        };
        let plain = check_of(json!(["a", "b"]), "satisfied", json!({"type": "boolean"}));
        let range = json!({"type": "number", "description": "From 1 to 5"});
        let items = json!({"anyOf": [plain, check_of(json!(["c"]), "score", range)]});
        check(
            &json!({"type": "array", "items": items}),
            &json!([
                {"id": "a", "satisfied": false}, {"id": "b", "satisfied": false},
                {"id": "c", "score": 1},
            ]),
        );
        check(&json!({"type": "integer", "minimum": 2}), &json!(2));
    }

    #[test]
    fn a_schema_without_end_has_an_answer_all_the_same() {
        let mut schema = json!({"type": "string"});
        for _ in 0..100 {
            schema = json!({"anyOf": [schema]});
        }
        check(&schema, &Value::Null);
    }
}
