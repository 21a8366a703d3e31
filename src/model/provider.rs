//! The providers that are known, as data.

use super::wire::Wire;

/// A provider of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    /// Its name in `provider/model`.
    pub name: &'static str,
    /// The protocol it speaks.
    pub wire: Wire,
    /// Where it is asked, unless a variable says otherwise; empty where only a variable can say.
    pub base_url: &'static str,
    /// Variables that hold a key, the first that is set counts.
    pub key_variables: &'static [&'static str],
    /// The variable that holds another base URL.
    pub base_url_variable: &'static str,
    /// Whether it is asked only with a key.
    pub needs_key: bool,
    /// The model that is asked where no setting names one.
    pub default_model: Option<&'static str>,
    /// Whether its models are taken to see pictures, where no setting says otherwise.
    pub takes_images: bool,
}

/// All providers. The first that has a key and a default model is asked where no setting names a model.
///
/// Names, paths and variables are those of the providers' own references and SDKs, read 2026-11-22.
pub const PROVIDERS: &[Provider] = &[
    Provider {
        name: "anthropic",
        wire: Wire::Messages,
        base_url: "https://api.anthropic.com",
        key_variables: &["ANTHROPIC_API_KEY"],
        base_url_variable: "ANTHROPIC_BASE_URL",
        needs_key: true,
        default_model: Some("claude-sonnet-4-6"),
        takes_images: true,
    },
    Provider {
        name: "google",
        wire: Wire::GenerateContent,
        base_url: "https://generativelanguage.googleapis.com",
        key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        base_url_variable: "GOOGLE_GEMINI_BASE_URL",
        needs_key: true,
        default_model: Some("gemini-flash-latest"),
        takes_images: true,
    },
    Provider {
        name: "openai",
        wire: Wire::Responses,
        base_url: "https://api.openai.com/v1",
        key_variables: &["OPENAI_API_KEY"],
        base_url_variable: "OPENAI_BASE_URL",
        needs_key: true,
        default_model: Some("gpt-5-mini"),
        takes_images: true,
    },
    // Any server that speaks chat completions: llama.cpp, vLLM, Ollama, a gateway.
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
    let wire = Wire::ChatCompletions;
    Provider { name, wire, base_url, key_variables, base_url_variable, needs_key, default_model: None, takes_images }
}

/// What a request to a model may hold. A request that would pass a limit is never sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderLimits {
    /// The provider; empty for all.
    pub provider: &'static str,
    /// What the model's name holds; empty for all.
    pub model_part: &'static str,
    /// Bytes of the whole request.
    pub request_bytes: u64,
    /// Bytes of one document before it is written as base64.
    pub document_bytes: u64,
    /// Pages of all documents together.
    pub pages: u64,
    /// Pages of one document.
    pub document_pages: u64,
    /// Documents and pictures together.
    pub blocks: u64,
    /// Where the rule is written, and when it was read.
    pub source: &'static str,
}

/// A rule that the provider does not have.
const NONE: u64 = u64::MAX;

/// The limits that are known; the first row that fits a model counts.
pub const LIMITS: &[ProviderLimits] = &[
    // One million tokens of context.
    anthropic("opus-4-6", 600),
    anthropic("opus-4-7", 600),
    anthropic("sonnet-4-6", 600),
    // 200,000 tokens, or not known: a model that takes more is served in several questions.
    anthropic("", 100),
    ProviderLimits {
        provider: "google",
        model_part: "",
        request_bytes: 50_000_000,
        document_bytes: 50_000_000,
        pages: NONE,
        document_pages: 1_000,
        blocks: 3_000,
        source: "Gemini API documentation, \"Document understanding\": 50 MB and 1,000 pages a PDF; Vertex AI: 3,000 \
            files a prompt; 2026-11-22. The bytes are taken for the whole request, whose own bound is told variously",
    },
    ProviderLimits {
        provider: "openai",
        model_part: "",
        request_bytes: 50_000_000,
        document_bytes: 50_000_000,
        pages: NONE,
        document_pages: NONE,
        blocks: NONE,
        source: "OpenAI documentation, \"File inputs\": 50 MB a file and a request; 2026-11-22",
    },
    ProviderLimits {
        provider: "",
        model_part: "",
        request_bytes: 20_000_000,
        document_bytes: 20_000_000,
        pages: NONE,
        document_pages: NONE,
        blocks: 100,
        source: "none is published for chat completions at large; this is our own bound",
    },
];

const fn anthropic(model_part: &'static str, pages: u64) -> ProviderLimits {
    ProviderLimits {
        provider: "anthropic",
        model_part,
        request_bytes: 32_000_000,
        document_bytes: 32_000_000,
        pages,
        document_pages: pages,
        blocks: 100,
        source: "Claude documentation, \"PDF support\": 32 MB a request, 600 pages, 100 for models with 200,000 tokens of \
            context, 2026-11-22; 100 documents and pictures together from the API's own refusal",
    }
}

impl Provider {
    /// The provider called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        PROVIDERS.iter().find(|provider| provider.name == name)
    }
}

impl ProviderLimits {
    /// The limits of `model` at `provider`.
    #[must_use]
    pub fn of(provider: &str, model: &str) -> Self {
        let mut rows = LIMITS.iter().filter(|row| row.provider == provider || row.provider.is_empty());
        rows.find(|row| model.contains(row.model_part)).copied().unwrap_or(anthropic("", 100))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_found_by_provider_and_model() {
        let pages = |provider, model| ProviderLimits::of(provider, model).pages;
        assert_eq!(pages("anthropic", "claude-haiku-4-5"), 100);
        assert_eq!(pages("anthropic", "claude-sonnet-4-6"), 600);
        assert_eq!(pages("openai", "gpt-5-mini"), NONE);
        assert_eq!(ProviderLimits::of("mistral", "x").blocks, 100);
    }

    #[test]
    fn every_provider_has_its_own_name() {
        for provider in PROVIDERS {
            assert_eq!(Provider::named(provider.name), Some(provider));
        }
        assert_eq!(Provider::named("nobody"), None);
    }
}
