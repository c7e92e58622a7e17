//! `provider: azure`: models of OpenAI in deployments of one's own.

use agentv_base::{Diagnostic, Fields, Key, Problems, Shape, TargetSpec};

use super::{
    joined,
    model::{
        ModelParts,
        address::{Address, Vendor, as_segment},
        kind::ModelKind,
        naming::{self, Unnamed},
        speaking::{Access, MODEL_KEYS, ModelSettings},
        wire::{LimitName, OpenaiChat},
    },
};

/// `provider: azure`.
pub struct Azure;

const KEYS: &[Key] = &[
    Key::new("endpoint", Shape::Name, "The address of the resource, or its name")
        .or(&["resource", "resource_name"])
        .required(),
    Key::new("deployment", Shape::Name, "The deployment of a model")
        .or(&["deployment_name", "model"])
        .required(),
    Key::new("api_version", Shape::Name, "The version of the API")
        .or(&["version"])
        .default(DEFAULT_VERSION),
];

const DEFAULT_VERSION: &str = "2024-12-01-preview";

/// There is no address that everybody shares; this one is an example.
const AZURE: Vendor = Vendor {
    key: "endpoint",
    base: "https://NAME.openai.azure.com",
    host: "openai.azure.com",
    behind: &["/chat/completions"],
};

impl ModelKind for Azure {
    fn name(&self) -> &'static str {
        "azure"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["azure-openai"]
    }

    fn keys(&self) -> &'static [Key] {
        const ALL: &[Key] = &joined::<{ KEYS.len() + MODEL_KEYS.len() }>(&[KEYS, MODEL_KEYS]);
        ALL
    }

    fn own_keys(&self) -> &'static [Key] {
        KEYS
    }

    fn model_key(&self) -> &'static str {
        "deployment"
    }

    fn address_key(&self) -> &'static str {
        AZURE.key
    }

    fn parts(
        &self,
        spec: &TargetSpec,
        fields: &Fields<'_>,
        problems: &mut Problems,
    ) -> Option<ModelParts> {
        let named = naming::read(spec, fields, "deployment", &["chat"], Unnamed::IsWrong, problems);
        let endpoint = read_endpoint(fields, problems);
        let version = read_version(fields, problems);
        let access = Access {
            header: "api-key",
            before: "",
            variable: "AZURE_OPENAI_API_KEY",
            required: true,
        };
        let model = named.as_ref().map(|named| named.model.clone()).unwrap_or_default();
        let settings = ModelSettings::read(fields, model.clone(), &access, problems);
        let (_, endpoint, version) = (named?, endpoint?, version?);
        let ModelSettings { manner, system_prompt, output_schema } = settings;
        let deployment = as_segment(&model);
        let wire = Box::new(OpenaiChat {
            url: format!(
                "{endpoint}/openai/deployments/{deployment}/chat/completions?api-version={version}"
            ),
            manner,
            limit: LimitName::MaxCompletionTokens,
            names_model: false,
        });
        // A deployment is called as its owner likes, and Azure has prices of its own.
        Some(ModelParts { wire, model, vendors_own: false, system_prompt, output_schema })
    }
}

/// The address before `/openai`.
fn read_endpoint(fields: &Fields<'_>, problems: &mut Problems) -> Option<String> {
    fields.required("endpoint", problems)?;
    let text = fields.non_blank("endpoint", problems)?.trim();
    let span = fields.get("endpoint").map_or(fields.span(), |node| node.span);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if text.chars().all(is_name) {
        return Some(format!("https://{text}.openai.azure.com"));
    }
    let address = Address::parse(text, span, &AZURE, problems)?;
    let base = address.base.strip_suffix("/openai").unwrap_or(&address.base);
    if base.ends_with("/openai/v1") || base.contains("/openai/deployments") {
        problems.push(
            Diagnostic::error("`endpoint` is only the part before `/openai`").at(span).hint(
                "AgentV adds `/openai/deployments/…`; `/openai/v1` is asked with \
                 `provider: openai` and `base_url`",
            ),
        );
        return None;
    }
    Some(base.to_owned())
}

fn read_version(fields: &Fields<'_>, problems: &mut Problems) -> Option<String> {
    let given = fields.optional("api_version", problems, Fields::non_blank)?;
    let version = given.unwrap_or(DEFAULT_VERSION).trim();
    let version = version.strip_prefix("api-version=").unwrap_or(version);
    let is_version = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    if version.is_empty() || !version.chars().all(is_version) {
        problems.push(
            Diagnostic::error("`api_version` is no version")
                .at(fields.get("api_version").map_or(fields.span(), |node| node.span))
                .hint(format!("write one such as `{DEFAULT_VERSION}`")),
        );
        return None;
    }
    Some(version.to_owned())
}
