//! `provider: openai`, and whatever speaks as OpenAI does: gateways, local servers, OpenRouter.

use agentv_base::{Diagnostic, Fields, Key, Problems, Shape, TargetSpec, words_of};

use super::{
    joined,
    model::{
        ModelParts,
        address::{Address, Vendor},
        kind::ModelKind,
        naming::{self, Named, Unnamed},
        speaking::{Access, MODEL_KEYS, ModelSettings},
        wire::{LimitName, Manner, OpenaiChat, OpenaiResponses, Wire},
    },
};

/// `provider: openai`.
pub struct Openai;

/// `provider: openrouter`.
pub struct Openrouter;

const OPENAI_KEYS: &[Key] = &[
    Key::new("model", Shape::Name, "The model").required(),
    Key::new("base_url", Shape::Name, "The part of the address before `/chat/completions`")
        .or(&["api_base_url", "api_base"])
        .default("https://api.openai.com/v1"),
    API_FORMAT,
];

const OPENROUTER_KEYS: &[Key] = &[
    Key::new("model", Shape::Name, "The model, such as `meta-llama/llama-3.3-70b-instruct`")
        .required(),
    Key::new("base_url", Shape::Name, "The part of the address before `/chat/completions`")
        .or(&["api_base_url", "api_base"])
        .default("https://openrouter.ai/api/v1"),
    API_FORMAT,
];

const API_FORMAT: Key = Key::new(
    "api_format",
    Shape::Choice(const { &words_of(&FORMATS) }),
    "Which of its two APIs is asked",
)
.default("chat");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Chat,
    Responses,
}

const FORMATS: [(&str, Format); 2] = [("chat", Format::Chat), ("responses", Format::Responses)];

const BEHIND: &[&str] = &["/chat/completions", "/responses"];

const OPENAI: Vendor = Vendor {
    key: "base_url",
    base: "https://api.openai.com/v1",
    host: "api.openai.com",
    behind: BEHIND,
};

const OPENROUTER: Vendor = Vendor {
    key: "base_url",
    base: "https://openrouter.ai/api/v1",
    host: "openrouter.ai",
    behind: BEHIND,
};

impl ModelKind for Openai {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn keys(&self) -> &'static [Key] {
        const ALL: &[Key] =
            &joined::<{ OPENAI_KEYS.len() + MODEL_KEYS.len() }>(&[OPENAI_KEYS, MODEL_KEYS]);
        ALL
    }

    fn own_keys(&self) -> &'static [Key] {
        OPENAI_KEYS
    }

    fn parts(
        &self,
        spec: &TargetSpec,
        fields: &Fields<'_>,
        problems: &mut Problems,
    ) -> Option<ModelParts> {
        parts(&OPENAI, true, spec, fields, problems)
    }
}

impl ModelKind for Openrouter {
    fn name(&self) -> &'static str {
        "openrouter"
    }

    fn keys(&self) -> &'static [Key] {
        const ALL: &[Key] =
            &joined::<{ OPENROUTER_KEYS.len() + MODEL_KEYS.len() }>(&[OPENROUTER_KEYS, MODEL_KEYS]);
        ALL
    }

    fn own_keys(&self) -> &'static [Key] {
        OPENROUTER_KEYS
    }

    fn parts(
        &self,
        spec: &TargetSpec,
        fields: &Fields<'_>,
        problems: &mut Problems,
    ) -> Option<ModelParts> {
        // Many vendors stand behind it, each with prices of its own.
        parts(&OPENROUTER, false, spec, fields, problems)
    }
}

fn parts(
    vendor: &Vendor,
    makes_models: bool,
    spec: &TargetSpec,
    fields: &Fields<'_>,
    problems: &mut Problems,
) -> Option<ModelParts> {
    let named =
        naming::read(spec, fields, "model", &words_of(&FORMATS), Unnamed::IsWrong, problems);
    let format = read_format(spec, fields, named.as_ref(), problems);
    let address = Address::read(fields, vendor, problems);
    let vendors_own = address.as_ref().is_some_and(|address| address.vendors_own);
    let access = Access {
        header: "authorization",
        before: "Bearer ",
        variable: if makes_models { "OPENAI_API_KEY" } else { "OPENROUTER_API_KEY" },
        required: vendors_own,
    };
    let model = named.as_ref().map(|named| named.model.clone()).unwrap_or_default();
    let settings = ModelSettings::read(fields, model.clone(), &access, problems);
    // Only now, so that nothing wrong hides anything else.
    let (_, format, address) = (named?, format?, address?);
    let vendors_own = vendors_own && makes_models;
    let ModelSettings { manner, system_prompt, output_schema } = settings;
    let wire = wire(format, &address, vendors_own, manner);
    Some(ModelParts { wire, model, vendors_own, system_prompt, output_schema })
}

/// The form under its key, else the one behind the provider.
fn read_format(
    spec: &TargetSpec,
    fields: &Fields<'_>,
    named: Option<&Named>,
    problems: &mut Problems,
) -> Option<Format> {
    let by_key = fields.optional("api_format", problems, |fields, key, problems| {
        fields.choice(key, &FORMATS, problems)
    })?;
    let behind = named.and_then(|named| named.form);
    let behind = FORMATS.iter().find(|(word, _)| Some(*word) == behind).map(|(_, form)| *form);
    if let (Some(by_key), Some(behind)) = (by_key, behind)
        && by_key != behind
    {
        problems.push(
            Diagnostic::error("`provider` names one form of its API, and `api_format` another")
                .at(fields.get("api_format").map_or(fields.span(), |node| node.span))
                .note(spec.provider_span, "the first stands here")
                .hint("keep one of the two"),
        );
        return None;
    }
    Some(by_key.or(behind).unwrap_or(Format::Chat))
}

fn wire(format: Format, address: &Address, vendors_own: bool, manner: Manner) -> Box<dyn Wire> {
    match format {
        Format::Chat => Box::new(OpenaiChat {
            url: address.with("/chat/completions"),
            manner,
            limit: if vendors_own { LimitName::MaxCompletionTokens } else { LimitName::MaxTokens },
            names_model: true,
        }),
        Format::Responses => Box::new(OpenaiResponses { url: address.with("/responses"), manner }),
    }
}
