//! Which models are asked, where, and within which bounds.

use std::path::PathBuf;
use std::time::Duration;

use super::error::ModelError;
use super::name::{ModelName, ProviderKey};
use super::provider::{PROVIDERS, Provider};
use pagewise_base::provider::ProviderLimits;

/// Which models are asked, where, and within which bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSettings {
    pub pdf_model: Option<ModelChain>,
    /// The models for pictures, used if none for PDFs is set.
    pub image_model: Option<ModelChain>,
    /// The endpoints of providers, in the order of [`PROVIDERS`].
    pub endpoints: Vec<Endpoint>,
    /// Bytes of one PDF. 10 MiB.
    pub pdf_max_bytes: u64,
    /// Pages of one PDF that are cut, read or rendered for a question. 20. Whole files are bounded by the provider
    /// alone.
    pub pdf_max_pages: u32,
    /// Whether to refuse `pages` for models that take whole PDFs. Off: pages are cut first.
    pub strict_native_pages: bool,
    /// Characters of text in one question. 200,000.
    pub pdf_max_text_chars: usize,
    /// Resolution of pages rendered for a model, in DPI. 72: nothing is enlarged.
    pub pdf_image_dpi: u64,
    /// Bytes of a request, overriding the provider's limit; for gateways.
    pub pdf_request_bytes: Option<u64>,
    /// Tokens of an answer, for providers that require a limit. 4,096.
    pub pdf_max_output_tokens: u64,
    /// Maximum bytes of an answer. 1 MB.
    pub pdf_max_answer_bytes: u64,
    /// Models that take no pictures, by `provider/model` or a prefix of it.
    pub text_only_models: Vec<String>,
    /// Timeout without any data sent or received. 120 s.
    pub pdf_idle_timeout: Duration,
    /// Timeout of a question, including all models and retries. 15 min.
    pub pdf_timeout: Duration,
    /// Retries of a model after temporary refusals. 3.
    pub pdf_retries: u32,
    /// Whether PDFs may be remote.
    pub remote: RemoteReferences,
    /// Additional root certificates, in PEM.
    pub ca_file: Option<PathBuf>,
}

/// Whether PDFs may be remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RemoteReferences {
    /// URLs are fetched.
    #[default]
    Allowed,
    /// Sandbox mode: local files only.
    Refused,
}

/// A model and its fallbacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelChain {
    /// The first model to ask; if not set, the default of the first provider with a key.
    pub primary: Option<ModelName>,
    /// Asked in turn if the models before fail.
    pub fallbacks: Vec<ModelName>,
}

/// The endpoint of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub provider: &'static Provider,
    /// Its address without a trailing slash; empty if unknown.
    pub base_url: String,
    pub key: Option<ProviderKey>,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            pdf_model: None,
            image_model: None,
            endpoints: PROVIDERS.iter().map(|provider| Endpoint::from_variables(provider, &|_| None)).collect(),
            pdf_max_bytes: 10 << 20,
            pdf_max_pages: 20,
            strict_native_pages: false,
            pdf_max_text_chars: 200_000,
            pdf_image_dpi: 72,
            pdf_request_bytes: None,
            pdf_max_output_tokens: 4_096,
            pdf_max_answer_bytes: 1_000_000,
            text_only_models: Vec::new(),
            pdf_idle_timeout: Duration::from_secs(120),
            pdf_timeout: Duration::from_secs(15 * 60),
            pdf_retries: 3,
            remote: RemoteReferences::Allowed,
            ca_file: None,
        }
    }
}

impl ModelSettings {
    /// The defaults, with keys and addresses from the variables that the providers' SDKs read.
    #[must_use]
    pub fn from_variables(variable: &dyn Fn(&str) -> Option<String>) -> Self {
        let endpoints = PROVIDERS.iter().map(|provider| Endpoint::from_variables(provider, variable));
        Self { endpoints: endpoints.collect(), ..Self::default() }
    }

    /// Where `name` is asked.
    ///
    /// # Errors
    /// [`ModelError::UnknownProvider`], [`ModelError::NoKey`], [`ModelError::NoAddress`].
    pub fn endpoint(&self, name: &ModelName) -> Result<&Endpoint, ModelError> {
        let found = self.endpoints.iter().find(|endpoint| endpoint.provider.name == name.provider);
        let endpoint = found.ok_or_else(|| ModelError::UnknownProvider {
            name: name.provider.clone(),
            known: PROVIDERS.iter().map(|provider| provider.name).collect::<Vec<_>>().join(", "),
        })?;
        endpoint.check_usable().map(|()| endpoint)
    }

    /// The models to ask, in order: the chain for PDFs, else that for pictures, else the default of the first provider
    /// with a key. Chains without a usable model are skipped. `None` if no model is usable.
    #[must_use]
    pub fn chain(&self) -> Option<Vec<ModelName>> {
        let configured = [&self.pdf_model, &self.image_model].into_iter().flatten().map(|chain| self.names(chain));
        let usable = |names: &Vec<ModelName>| names.iter().any(|name| self.endpoint(name).is_ok());
        configured.into_iter().find(usable).or_else(|| self.default_model().map(|name| vec![name]))
    }

    /// All models of a chain, in order, without duplicates.
    fn names(&self, chain: &ModelChain) -> Vec<ModelName> {
        let primary = chain.primary.clone().or_else(|| self.default_model());
        let mut names = Vec::new();
        for name in primary.iter().chain(&chain.fallbacks) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    fn default_model(&self) -> Option<ModelName> {
        self.endpoints.iter().filter(|endpoint| endpoint.check_usable().is_ok()).find_map(|endpoint| {
            let model = endpoint.provider.default_model?.to_owned();
            Some(ModelName { provider: endpoint.provider.name.to_owned(), model })
        })
    }

    /// Whether `name` sees pictures.
    #[must_use]
    pub fn takes_images(&self, name: &ModelName) -> bool {
        let written = name.to_string();
        let is_start = |start: &str| written.get(..start.len()).is_some_and(|s| s.eq_ignore_ascii_case(start));
        let mut starts = self.text_only_models.iter().map(|start| start.trim()).filter(|start| !start.is_empty());
        let is_listed = starts.any(is_start);
        !is_listed && Provider::named(&name.provider).is_some_and(|provider| provider.takes_images)
    }

    /// The limits of a request to `name`: the provider's, unless a setting overrides them.
    #[must_use]
    pub fn limits(&self, name: &ModelName) -> ProviderLimits {
        let limits = ProviderLimits::of(&name.provider, &name.model);
        ProviderLimits { max_request_bytes: self.pdf_request_bytes.unwrap_or(limits.max_request_bytes), ..limits }
    }

    /// `text` of an error without any key.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let keys = self.endpoints.iter().filter_map(|endpoint| endpoint.key.as_ref());
        keys.fold(text.to_owned(), |text, key| key.redact(&text))
    }
}

impl Endpoint {
    fn from_variables(provider: &'static Provider, variable: &dyn Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let base_url = set(provider.base_url_variable).unwrap_or_else(|| provider.base_url.to_owned());
        Self {
            provider,
            base_url: base_url.trim_end_matches('/').to_owned(),
            key: provider.key_variables.iter().find_map(|name| set(name)).map(ProviderKey::new),
        }
    }

    fn check_usable(&self) -> Result<(), ModelError> {
        let provider = self.provider;
        if provider.needs_key && self.key.is_none() {
            return Err(ModelError::NoKey { provider: provider.name, variables: provider.key_variables.join(" or ") });
        }
        if self.base_url.is_empty() {
            return Err(ModelError::NoAddress { provider: provider.name, variable: provider.base_url_variable });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(set: &[(&str, &str)]) -> ModelSettings {
        let find = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        ModelSettings::from_variables(&find)
    }

    fn chain(settings: &ModelSettings) -> Vec<String> {
        settings.chain().unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    fn named(names: &[&str]) -> Option<ModelChain> {
        let mut names = names.iter().filter_map(|name| ModelName::parse(name));
        Some(ModelChain { primary: names.next(), fallbacks: names.collect() })
    }

    #[test]
    fn without_a_key_no_model_resolves() {
        assert_eq!(settings(&[]).chain(), None);
        assert_eq!(settings(&[("ANTHROPIC_API_KEY", " ")]).chain(), None);
        assert_eq!(settings(&[("OPENROUTER_API_KEY", "k")]).chain(), None, "no default model");
    }

    #[test]
    fn the_first_provider_with_a_key_is_asked() {
        assert_eq!(chain(&settings(&[("OPENAI_API_KEY", "k")])), ["openai/gpt-5-mini"]);
        assert_eq!(
            chain(&settings(&[("OPENAI_API_KEY", "k"), ("GOOGLE_API_KEY", "k")])),
            ["google/gemini-flash-latest"]
        );
    }

    #[test]
    fn models_for_pdfs_go_before_those_for_pictures() {
        let mut settings = settings(&[("OPENAI_API_KEY", "k"), ("GEMINI_API_KEY", "k")]);
        settings.image_model = named(&["google/a"]);
        assert_eq!(chain(&settings), ["google/a"]);
        settings.pdf_model = named(&["anthropic/b", "openai/c"]);
        assert_eq!(chain(&settings), ["anthropic/b", "openai/c"]);
        settings.pdf_model = named(&["anthropic/b"]);
        assert_eq!(chain(&settings), ["google/a"], "a chain without a key does not count");
        let fallbacks = ModelName::parse("openai/c").into_iter().collect();
        settings.pdf_model = Some(ModelChain { primary: None, fallbacks });
        assert_eq!(chain(&settings), ["google/gemini-flash-latest", "openai/c"], "after the default model");
    }

    #[test]
    fn what_cannot_be_asked_is_said() {
        let settings = settings(&[]);
        let refused =
            |name| ModelName::parse(name).and_then(|name| settings.endpoint(&name).err().map(|e| e.to_string()));
        assert_eq!(refused("google/x").as_deref(), Some("no key for google: set GEMINI_API_KEY or GOOGLE_API_KEY"));
        assert_eq!(
            refused("compatible/x").as_deref(),
            Some("no address for compatible: set PAGEWISE_COMPATIBLE_BASE_URL")
        );
        assert!(refused("nobody/x").is_some_and(|text| text.starts_with("no provider is called 'nobody'; known are")));
    }

    #[test]
    fn a_dump_of_the_settings_holds_no_key() {
        let settings = settings(&[("ANTHROPIC_API_KEY", "planted-key"), ("ANTHROPIC_BASE_URL", "http://localhost:1/")]);
        let dump = format!("{settings:?}");
        assert!(dump.contains("http://localhost:1\"") && !dump.contains("planted"), "{dump}");
        assert_eq!(settings.redact("a planted-key b"), "a *** b");
    }

    #[test]
    fn some_models_see_no_pictures() {
        let mut settings = settings(&[]);
        let sees = |settings: &ModelSettings, name| ModelName::parse(name).map(|name| settings.takes_images(&name));
        assert_eq!(sees(&settings, "compatible/x"), Some(true));
        assert_eq!(sees(&settings, "deepseek/x"), Some(false));
        settings.text_only_models = vec![String::new()];
        assert_eq!(sees(&settings, "compatible/x-1"), Some(true));
        settings.text_only_models = vec!["Compatible/x".into()];
        assert_eq!(sees(&settings, "compatible/x-1"), Some(false));
    }
}
