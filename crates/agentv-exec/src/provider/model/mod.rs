//! Models over HTTP: everything that the services have in common. What each of them says and
//! understands is a wire.

pub(in crate::provider) mod address;
mod attempt;
mod complaint;
mod gate;
pub(in crate::provider) mod kind;
pub(in crate::provider) mod naming;
mod pricing;
mod retry;
mod sending;
pub(in crate::provider) mod speaking;
mod transport;
pub(in crate::provider) mod wire;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agentv_base::{
    Answer, Answers, Batching, BoxFuture, ChatMessage, ChatRole, Failure, FailureKind, Fields,
    Input, Message, ModelRaw, Problems, Provenance, Provider, Raw, Request, Response, TargetSpec,
};
use serde_json::Value;

use self::{
    attempt::Heard,
    complaint::{Called, Discretion},
    pricing::Pricing,
    sending::Sending,
    transport::{Delivery, Transport},
    wire::{Ask, Reply, Wire},
};
pub(super) use self::{gate::Gate, sending::SENDING_KEYS};
use super::Services;

/// What a kind of service says about a target.
pub(super) struct ModelParts {
    pub(super) wire: Box<dyn Wire>,
    pub(super) model: String,
    /// It is asked at the service's own address, so its list prices hold.
    pub(super) vendors_own: bool,
    pub(super) system_prompt: Option<String>,
    /// What every answer must look like: a JSON Schema.
    pub(super) output_schema: Option<Arc<Value>>,
}

/// What holds for all targets of a kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    /// The key of the model.
    pub(super) model_key: &'static str,
    /// The key of the address.
    pub(super) address_key: &'static str,
    /// Statuses of its own that are tried again besides the usual ones.
    pub(super) also_retried: &'static [u16],
}

/// Builds the provider of a model, with the keys of its target that say how it is asked.
pub(super) fn build(
    spec: &TargetSpec,
    fields: &Fields<'_>,
    parts: ModelParts,
    traits: Traits,
    services: &Services,
    problems: &mut Problems,
) -> Option<Arc<dyn Provider>> {
    let sending = Sending::read(fields, traits.also_retried, problems)?;
    let pricing = Pricing {
        own: sending.price,
        project: Arc::clone(&spec.prices),
        by_list: parts.vendors_own,
    };
    let talkative = sending.verbose || services.verbose;
    let transport = Transport {
        name: Arc::clone(&spec.name),
        timeout: sending.timeout.or(services.agent_timeout),
        sending,
        gate: services.network.gate(&spec.file, &spec.name, spec.workers),
        network: Arc::clone(&services.network),
        stop: services.stop.clone(),
        redactor: services.redactor.clone(),
        journal: talkative.then(|| Arc::clone(&services.journal)),
        called: Called { model: traits.model_key, address: traits.address_key },
    };
    Some(Arc::new(ModelProvider { parts, pricing, transport }))
}

struct ModelProvider {
    parts: ModelParts,
    pricing: Pricing,
    transport: Transport,
}

impl Provider for ModelProvider {
    fn batching(&self) -> Batching {
        Batching::Single
    }

    /// A model is fit to be asked until it says otherwise.
    fn check(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    fn invoke(&self, requests: Vec<Request>) -> BoxFuture<'_, Result<Arc<dyn Answers>, Failure>> {
        Box::pin(async move {
            let Some(request) = requests.first() else {
                return Err(Failure::new(FailureKind::Output, "nothing was asked"));
            };
            let response = self.ask(request).await?;
            Ok(Arc::new(ModelAnswer(Mutex::new(Some(response)))) as Arc<dyn Answers>)
        })
    }
}

impl ModelProvider {
    async fn ask(&self, request: &Request) -> Result<Response, Failure> {
        let ModelParts { wire, system_prompt, output_schema, .. } = &self.parts;
        let chat = chat(&request.input, system_prompt.as_deref());
        let schema = request.output_schema.as_deref().or(output_schema.as_deref());
        let outgoing = wire.request(&Ask { chat: &chat, schema });
        let discretion = Discretion::new(&self.transport.redactor, &outgoing);
        let delivery = self.transport.ask(&**wire, &outgoing, &discretion).await?;
        self.settle(delivery, &discretion)
    }

    fn settle(&self, delivery: Delivery, discretion: &Discretion) -> Result<Response, Failure> {
        let Delivery { heard, tries, duration, url } = delivery;
        let Heard { reply, status, request_id } = heard;
        let Reply { text, output_messages, token_usage, cache_written, model, finish_reason } =
            reply;
        let asked = self.parts.model.as_str();
        let names: Vec<&str> = [Some(asked), model.as_deref()].into_iter().flatten().collect();
        let cost_usd =
            token_usage.as_ref().and_then(|usage| self.pricing.cost(&names, usage, cache_written));
        let duration_ms = Some(millis(duration));
        let finish_reason = finish_reason.map(|reason| discretion.show(&reason));
        let calls = output_messages.iter().flatten().any(|message| !message.tool_calls.is_empty());
        if text.trim().is_empty() && !calls {
            let reason =
                finish_reason.as_deref().map(|reason| format!(" (it stopped with `{reason}`)"));
            let way_out = match finish_reason.as_deref() {
                Some(reason) if is_limit(reason) => {
                    "; all of its tokens were spent before it said anything: raise \
                     `max_output_tokens`"
                }
                _ => "",
            };
            let message = format!("its answer is empty{}{way_out}", reason.unwrap_or_default());
            let failure = Failure::new(FailureKind::Output, message);
            return Err(Failure { duration_ms, token_usage, cost_usd, ..failure });
        }
        Ok(Response {
            text: discretion.without_keys(&text).into_owned(),
            output_messages: output_messages.map(|it| without_keys(it, discretion)),
            trace: None,
            token_usage,
            cost_usd,
            duration_ms,
            dropped_elements: 0,
            provenance: Provenance::Asked,
            leaked: Vec::new(),
            raw: Raw::Model(ModelRaw {
                model: model.map_or_else(|| asked.to_owned(), |model| discretion.show(&model)),
                url: url.into(),
                status: status.as_u16(),
                finish_reason,
                request_id,
                tries,
            }),
        })
    }
}

/// Whether a service says that it stopped because of the limit of tokens; each has its own word.
fn is_limit(reason: &str) -> bool {
    let words = ["length", "max_tokens", "max_output_tokens"];
    words.iter().any(|word| reason.eq_ignore_ascii_case(word))
}

/// The turns of an input below the system prompt of the target, if it has one. Nothing is added
/// that nobody wrote.
fn chat(input: &Input, system_prompt: Option<&str>) -> Vec<ChatMessage> {
    let mut chat = input.chat_prompt();
    let Some(prompt) = system_prompt else { return chat };
    match chat.first_mut() {
        Some(ChatMessage { role: ChatRole::System, content }) => {
            *content = format!("{prompt}\n\n{content}");
        }
        _ => {
            let content = prompt.to_owned();
            chat.insert(0, ChatMessage { role: ChatRole::System, content });
        }
    }
    chat
}

/// The messages without the keys of their own request, should a server repeat one in them.
fn without_keys(messages: Vec<Message>, discretion: &Discretion) -> Vec<Message> {
    let Ok(written) = serde_json::to_string(&messages) else { return messages };
    let hidden = discretion.without_keys(&written);
    if hidden == written {
        return messages;
    }
    serde_json::from_str(&hidden).unwrap_or_default()
}

fn millis(duration: Duration) -> f64 {
    // Whole microseconds: more digits would claim a precision that no scheduler has.
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// The one answer of an invocation.
struct ModelAnswer(
    /// Taken once: an answer can be large, and nobody needs two of it.
    Mutex<Option<Response>>,
);

impl Answers for ModelAnswer {
    fn settle(&self, _index: usize) -> Answer {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(response) => Answer::Given(Box::new(response)),
            None => {
                Answer::Failed(Failure::new(FailureKind::Output, "the answer was taken before"))
            }
        }
    }
}

#[cfg(test)]
mod tests;
