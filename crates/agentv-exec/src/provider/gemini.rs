//! `provider: gemini`.

use agentv_base::{Fields, Key, Problems, Shape, TargetSpec};

use super::{
    joined,
    model::{
        ModelParts,
        address::{Address, Vendor, as_segment},
        kind::ModelKind,
        naming::{self, Unnamed},
        speaking::{Access, MODEL_KEYS, ModelSettings},
        wire,
    },
};

/// `provider: gemini`.
pub struct Gemini;

const KEYS: &[Key] = &[
    Key::new("model", Shape::Name, "The model").default(DEFAULT_MODEL),
    Key::new("base_url", Shape::Name, "The part of the address before `/v1beta/models`")
        .or(&["api_base_url", "api_base"])
        .default("https://generativelanguage.googleapis.com"),
];

const DEFAULT_MODEL: &str = "gemini-2.5-flash";

const GOOGLE: Vendor = Vendor {
    key: "base_url",
    base: "https://generativelanguage.googleapis.com",
    host: "generativelanguage.googleapis.com",
    behind: &["/v1beta/models", "/v1beta", "/v1"],
};

impl ModelKind for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["google", "google-gemini"]
    }

    fn keys(&self) -> &'static [Key] {
        const ALL: &[Key] = &joined::<{ KEYS.len() + MODEL_KEYS.len() }>(&[KEYS, MODEL_KEYS]);
        ALL
    }

    fn own_keys(&self) -> &'static [Key] {
        KEYS
    }

    fn parts(
        &self,
        spec: &TargetSpec,
        fields: &Fields<'_>,
        problems: &mut Problems,
    ) -> Option<ModelParts> {
        let named = naming::read(spec, fields, "model", &[], Unnamed::Is(DEFAULT_MODEL), problems);
        let address = Address::read(fields, &GOOGLE, problems);
        let vendors_own = address.as_ref().is_some_and(|address| address.vendors_own);
        let access = Access {
            header: "x-goog-api-key",
            before: "",
            variable: "GEMINI_API_KEY",
            required: vendors_own,
        };
        let model = named.as_ref().map_or("", |named| named.model.as_str());
        // Lists of models name them with what is a part of the address.
        let bare = model.strip_prefix("models/").filter(|bare| !bare.is_empty());
        let model = bare.unwrap_or(model).to_owned();
        let settings = ModelSettings::read(fields, model.clone(), &access, problems);
        let (_, address) = (named?, address?);
        let ModelSettings { manner, system_prompt, output_schema } = settings;
        let path = format!("/v1beta/models/{}:generateContent", as_segment(&model));
        let wire = Box::new(wire::Gemini { url: address.with(&path), manner });
        Some(ModelParts { wire, model, vendors_own, system_prompt, output_schema })
    }
}
