//! What all requests of a target have in common, whatever it is asked.

use serde_json::{Map, Value};

use super::{Ask, Outgoing};

/// How a model is asked. There is no `Debug`: the headers hold the key.
pub(in crate::provider) struct Manner {
    pub(in crate::provider) model: String,
    pub(in crate::provider) temperature: Option<f64>,
    pub(in crate::provider) max_output_tokens: Option<u64>,
    /// Whether the service is told what an answer must look like, where it must look like something.
    pub(in crate::provider) structured_output: bool,
    /// All of them, the key's too.
    pub(in crate::provider) headers: Vec<(String, String)>,
    /// What the author adds to every body.
    pub(in crate::provider) extra_body: Map<String, Value>,
}

impl Manner {
    /// What the service is told that the answer must look like.
    pub(super) fn schema<'a>(&self, ask: &Ask<'a>) -> Option<&'a Value> {
        ask.schema.filter(|_| self.structured_output)
    }

    /// The request with this body, and with what the author adds to it.
    pub(super) fn outgoing(&self, url: &str, mut body: Map<String, Value>) -> Outgoing {
        merge(&mut body, &self.extra_body);
        Outgoing { url: url.to_owned(), headers: self.headers.clone(), body: Value::Object(body) }
    }
}

/// Puts `extra` over `body`: maps become one, anything else is replaced.
fn merge(body: &mut Map<String, Value>, extra: &Map<String, Value>) {
    for (key, value) in extra {
        match (body.get_mut(key), value) {
            (Some(Value::Object(known)), Value::Object(more)) => merge(known, more),
            _ => {
                body.insert(key.clone(), value.clone());
            }
        }
    }
}
