//! The settings of models.

use std::collections::BTreeMap;

use serde_json::json;

use super::{Config, Secret};
use crate::tool::ToolError;
use pagewise_model::{ModelChain, ModelName, ModelSettings, PROVIDERS, RemoteReferences};

/// The settings of models, as they are typed.
#[derive(Debug, Clone)]
pub(in crate::cli) struct ModelConfig {
    /// The models for PDFs.
    pub(in crate::cli) pdf_model: ModelNames,
    /// The models for pictures.
    pub(in crate::cli) image_model: ModelNames,
    /// Models that take no images.
    pub(in crate::cli) text_only_models: Vec<String>,
    /// Keys and addresses of the providers that are set.
    endpoints: BTreeMap<&'static str, EndpointConfig>,
    /// Largest size of a PDF, in MiB.
    pub(in crate::cli) max_bytes_mb: u64,
    /// Largest size of a request, in bytes; 0 for the provider's own limit.
    pub(in crate::cli) request_bytes: u64,
    /// Settings that need no conversion.
    pub(in crate::cli) settings: ModelSettings,
}

/// Models in order, by name.
#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct ModelNames {
    pub(in crate::cli) primary: Option<String>,
    pub(in crate::cli) fallbacks: Vec<String>,
}

/// Key and address of a provider.
#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct EndpointConfig {
    pub(in crate::cli) key: Option<Secret>,
    pub(in crate::cli) base_url: Option<String>,
}

impl Default for ModelConfig {
    fn default() -> Self {
        let settings = ModelSettings::default();
        Self {
            pdf_model: ModelNames::default(),
            image_model: ModelNames::default(),
            text_only_models: Vec::new(),
            endpoints: BTreeMap::new(),
            max_bytes_mb: settings.pdf_max_bytes >> 20,
            request_bytes: 0,
            settings,
        }
    }
}

impl ModelConfig {
    /// Key and address of `provider`.
    pub(in crate::cli) fn endpoint(&mut self, provider: &'static str) -> &mut EndpointConfig {
        self.endpoints.entry(provider).or_default()
    }

    /// The settings as the models take them.
    ///
    /// # Errors
    /// `validation_error` for a model without a provider.
    pub(in crate::cli) fn settings(&self, config: &Config) -> Result<ModelSettings, ToolError> {
        let endpoints = ModelSettings::from_variables(&|variable| self.variable(variable)).endpoints;
        Ok(ModelSettings {
            pdf_model: self.pdf_model.named("pdf_model")?,
            image_model: self.image_model.named("image_model")?,
            endpoints,
            pdf_max_bytes: self.max_bytes_mb.saturating_mul(1 << 20),
            pdf_request_bytes: (self.request_bytes > 0).then_some(self.request_bytes),
            text_only_models: self.text_only_models.clone(),
            remote: if config.require_sandbox { RemoteReferences::Refused } else { RemoteReferences::Allowed },
            ca_file: config.web.ca_file.clone(),
            ..self.settings.clone()
        })
    }

    /// The value of a variable of a provider's SDK, which the settings have read already.
    fn variable(&self, name: &str) -> Option<String> {
        self.endpoints.iter().find_map(|(provider, endpoint)| {
            let provider = PROVIDERS.iter().find(|known| known.name == *provider)?;
            let key = endpoint.key.as_ref().filter(|_| provider.key_variables.first() == Some(&name));
            let base_url = endpoint.base_url.as_ref().filter(|_| provider.base_url_variable == name);
            key.map(|key| key.reveal().to_owned()).or_else(|| base_url.cloned())
        })
    }
}

impl ModelNames {
    fn named(&self, setting: &str) -> Result<Option<ModelChain>, ToolError> {
        let model = |part: &str, name: &String| {
            ModelName::parse(name).ok_or_else(|| {
                let message = format!("Setting '{setting}.{part}' must be of the form provider/model");
                ToolError::validation(&message).with("value", json!(name))
            })
        };
        let fallbacks = self.fallbacks.iter().map(|name| model("fallbacks", name)).collect::<Result<Vec<_>, _>>()?;
        let primary = self.primary.as_ref().map(|name| model("primary", name)).transpose()?;
        let is_set = primary.is_some() || !fallbacks.is_empty();
        Ok(is_set.then_some(ModelChain { primary, fallbacks }))
    }
}
