//! `provider: anthropic`.

use agentv_base::{Diagnostic, Fields, Key, Problems, Shape, TargetSpec};

use super::{
    joined,
    model::{
        ModelParts,
        address::{Address, Vendor},
        kind::ModelKind,
        naming::{self, Unnamed},
        speaking::{Access, MODEL_KEYS, ModelSettings},
        wire,
    },
};

/// `provider: anthropic`.
pub struct Anthropic;

const KEYS: &[Key] = &[
    Key::new("model", Shape::Name, "The model").or(&["deployment", "variant"]).required(),
    Key::new("base_url", Shape::Name, "The part of the address before `/v1/messages`")
        .or(&["api_base_url", "api_base"])
        .default("https://api.anthropic.com"),
    Key::new("thinking_budget", Shape::Count, "Most tokens of its thoughts; at least 1024"),
];

const ANTHROPIC: Vendor = Vendor {
    key: "base_url",
    base: "https://api.anthropic.com",
    host: "api.anthropic.com",
    behind: &["/v1/messages", "/v1"],
};

/// The form of the API, in which every request and answer is written here.
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// The service takes no smaller budget.
const LEAST_THOUGHTS: u64 = 1024;

impl ModelKind for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn keys(&self) -> &'static [Key] {
        const ALL: &[Key] = &joined::<{ KEYS.len() + MODEL_KEYS.len() }>(&[KEYS, MODEL_KEYS]);
        ALL
    }

    fn own_keys(&self) -> &'static [Key] {
        KEYS
    }

    /// It is overloaded.
    fn also_retried(&self) -> &'static [u16] {
        &[529]
    }

    fn parts(
        &self,
        spec: &TargetSpec,
        fields: &Fields<'_>,
        problems: &mut Problems,
    ) -> Option<ModelParts> {
        let named = naming::read(spec, fields, "model", &["messages"], Unnamed::IsWrong, problems);
        let address = Address::read(fields, &ANTHROPIC, problems);
        let vendors_own = address.as_ref().is_some_and(|address| address.vendors_own);
        let access = Access {
            header: "x-api-key",
            before: "",
            variable: "ANTHROPIC_API_KEY",
            required: vendors_own,
        };
        let model = named.as_ref().map(|named| named.model.clone()).unwrap_or_default();
        let mut settings = ModelSettings::read(fields, model.clone(), &access, problems);
        let headers = &mut settings.manner.headers;
        if !headers.iter().any(|(name, _)| name == VERSION.0) {
            headers.push((VERSION.0.to_owned(), VERSION.1.to_owned()));
        }
        let thinking_budget = read_budget(fields, &settings, problems);
        check_tools(fields, &settings, problems);
        let (_, address) = (named?, address?);
        let ModelSettings { manner, system_prompt, output_schema } = settings;
        let url = address.with("/v1/messages");
        let wire = Box::new(wire::Anthropic { url, manner, thinking_budget });
        Some(ModelParts { wire, model, vendors_own, system_prompt, output_schema })
    }
}

/// The budget of thoughts, and what does not go with it.
fn read_budget(
    fields: &Fields<'_>,
    settings: &ModelSettings,
    problems: &mut Problems,
) -> Option<u64> {
    let budget = fields.count("thinking_budget", problems)?;
    let budget = u64::try_from(budget).ok()?;
    let span = |key: &str| fields.get(key).map_or(fields.span(), |node| node.span);
    if budget < LEAST_THOUGHTS {
        let message = format!("`thinking_budget` must be at least {LEAST_THOUGHTS}");
        problems.error(span("thinking_budget"), message);
    }
    if settings.manner.max_output_tokens.is_some_and(|limit| limit <= budget) {
        problems.push(
            Diagnostic::error("`max_output_tokens` must be greater than `thinking_budget`")
                .at(span("max_output_tokens"))
                .hint("thoughts count against it; what is left is for the answer"),
        );
    }
    if settings.manner.temperature.is_some_and(|said| (said - 1.0).abs() > f64::EPSILON) {
        problems.push(
            Diagnostic::error("a model that thinks takes no `temperature` but 1")
                .code("misplaced-key")
                .at(span("temperature"))
                .hint("remove it, or remove `thinking_budget`"),
        );
    }
    Some(budget)
}

/// What an answer must look like is said by a tool, which must be the only one.
fn check_tools(fields: &Fields<'_>, settings: &ModelSettings, problems: &mut Problems) {
    let extra = &settings.manner.extra_body;
    let tool = ["tools", "tool_choice"].into_iter().find(|key| extra.contains_key(*key));
    if let (Some(tool), Some(node)) = (tool, fields.get("output_schema")) {
        problems.push(
            Diagnostic::error(format!("`output_schema` does nothing beside `extra_body.{tool}`"))
                .code("misplaced-key")
                .at(node.span)
                .hint("remove one of the two"),
        );
    }
}
