//! What the kinds of model targets have in common: each only says how its service is asked.

use std::sync::Arc;

use agentv_base::{Fields, Key, Part, Problems, Provider, TARGET_KEYS, TargetSpec};

use super::{ModelParts, Traits, build, speaking::MODEL_TARGET};
use crate::provider::{ProviderKind, Services};

/// A kind of target that is a model of some service.
pub(in crate::provider) trait ModelKind: Sync {
    fn name(&self) -> &'static str;

    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// All keys: its own, then those of every model target.
    fn keys(&self) -> &'static [Key];

    fn own_keys(&self) -> &'static [Key];

    /// The key of the model, which may also stand behind the name.
    fn model_key(&self) -> &'static str {
        "model"
    }

    /// The key of another address than the service's own.
    fn address_key(&self) -> &'static str {
        "base_url"
    }

    /// Statuses that only this service has, and that pass.
    fn also_retried(&self) -> &'static [u16] {
        &[]
    }

    /// How the service is asked. Everything wrong with the settings is reported.
    fn parts(
        &self,
        spec: &TargetSpec,
        fields: &Fields<'_>,
        problems: &mut Problems,
    ) -> Option<ModelParts>;
}

impl<K: ModelKind> ProviderKind for K {
    fn name(&self) -> &'static str {
        ModelKind::name(self)
    }

    fn aliases(&self) -> &'static [&'static str] {
        ModelKind::aliases(self)
    }

    fn keys(&self) -> &'static [Key] {
        ModelKind::keys(self)
    }

    fn own_keys(&self) -> &'static [Key] {
        ModelKind::own_keys(self)
    }

    fn shared(&self) -> Option<&'static Part> {
        Some(&MODEL_TARGET)
    }

    fn model_key(&self) -> Option<&'static str> {
        Some(ModelKind::model_key(self))
    }

    fn build(
        &self,
        spec: &TargetSpec,
        services: &Services,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Provider>> {
        let tables = [TARGET_KEYS, ModelKind::keys(self)];
        let fields = Fields::read(&spec.node, "target", &tables, problems)?;
        let parts = self.parts(spec, &fields, problems)?;
        let traits = Traits {
            model_key: ModelKind::model_key(self),
            address_key: self.address_key(),
            also_retried: self.also_retried(),
        };
        build(spec, &fields, parts, traits, services, problems)
    }
}

#[cfg(test)]
#[path = "kind_tests.rs"]
mod tests;
