//! The table of known providers.

use super::protocol::ProviderProtocol;

/// A provider of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    /// Its name in `provider/model`.
    pub name: &'static str,
    /// The protocol it speaks.
    pub wire: ProviderProtocol,
    /// The default address; empty if only a variable can set it.
    pub base_url: &'static str,
    /// Variables that may hold a key. The first one set counts.
    pub key_variables: &'static [&'static str],
    /// The variable that overrides the address.
    pub base_url_variable: &'static str,
    /// Whether a key is required.
    pub needs_key: bool,
    /// The model to use if no setting names one.
    pub default_model: Option<&'static str>,
    /// Whether its models accept pictures, unless a setting says otherwise.
    pub takes_images: bool,
}

/// All providers. If no setting names a model, the first provider with a key and a default model is used.
///
/// Names, paths and variables as in the providers' references and SDKs, read on 2026-11-22.
pub const PROVIDERS: &[Provider] = &[
    Provider {
        name: "anthropic",
        wire: ProviderProtocol::Messages,
        base_url: "https://api.anthropic.com",
        key_variables: &["ANTHROPIC_API_KEY"],
        base_url_variable: "ANTHROPIC_BASE_URL",
        needs_key: true,
        default_model: Some("claude-sonnet-4-6"),
        takes_images: true,
    },
    Provider {
        name: "google",
        wire: ProviderProtocol::GenerateContent,
        base_url: "https://generativelanguage.googleapis.com",
        key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        base_url_variable: "GOOGLE_GEMINI_BASE_URL",
        needs_key: true,
        default_model: Some("gemini-flash-latest"),
        takes_images: true,
    },
    Provider {
        name: "openai",
        wire: ProviderProtocol::Responses,
        base_url: "https://api.openai.com/v1",
        key_variables: &["OPENAI_API_KEY"],
        base_url_variable: "OPENAI_BASE_URL",
        needs_key: true,
        default_model: Some("gpt-5-mini"),
        takes_images: true,
    },
    // Any server with chat completions: llama.cpp, vLLM, Ollama, a gateway.
    chat("compatible", "", &["PAGEWISE_COMPATIBLE_API_KEY"], "PAGEWISE_COMPATIBLE_BASE_URL", false, true),
    chat("openrouter", "https://openrouter.ai/api/v1", &["OPENROUTER_API_KEY"], "OPENROUTER_BASE_URL", true, true),
    chat("mistral", "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"], "MISTRAL_BASE_URL", true, true),
    chat("groq", "https://api.groq.com/openai/v1", &["GROQ_API_KEY"], "GROQ_BASE_URL", true, true),
    chat("xai", "https://api.x.ai/v1", &["XAI_API_KEY"], "XAI_BASE_URL", true, true),
    chat("deepseek", "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"], "DEEPSEEK_BASE_URL", true, false),
];

const fn chat(
    name: &'static str,
    base_url: &'static str,
    key_variables: &'static [&'static str],
    base_url_variable: &'static str,
    needs_key: bool,
    takes_images: bool,
) -> Provider {
    let wire = ProviderProtocol::ChatCompletions;
    Provider { name, wire, base_url, key_variables, base_url_variable, needs_key, default_model: None, takes_images }
}

impl Provider {
    /// The provider called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        PROVIDERS.iter().find(|provider| provider.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_has_its_own_name() {
        for provider in PROVIDERS {
            assert_eq!(Provider::named(provider.name), Some(provider));
        }
        assert_eq!(Provider::named("nobody"), None);
    }
}
