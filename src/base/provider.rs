//! What providers of models accept in one request, in one table with sources and dates.
//!
//! Each request contains the whole history of its conversation. So the limits on a conversation, on an answer and on a
//! question to another model all come from this table.

/// What one request to a provider may contain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProviderLimits {
    /// The provider, as in `provider/model`; empty for all others.
    pub provider: &'static str,
    /// Parts of the names of the models; empty for all other models of the provider.
    pub models: &'static [&'static str],
    /// The name in a list.
    pub title: &'static str,
    /// Bytes of the whole request, with media in base64.
    pub max_request_bytes: u64,
    /// Bytes of one PDF, before base64.
    pub max_document_bytes: Option<u64>,
    /// Bytes of one image, in base64.
    pub max_picture_bytes: Option<u64>,
    /// Pages of all PDFs together.
    pub max_request_pages: Option<u64>,
    /// Pages of one PDF.
    pub max_document_pages: Option<u64>,
    /// PDFs and images together.
    pub max_blocks: Option<u64>,
    /// How images are charged.
    pub pictures: Option<PictureRule>,
    /// The documentation; `None` for a limit of our own.
    pub source: Option<Source>,
}

/// How an image is charged: by square patches, after scaling it down if it is too large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PictureRule {
    /// Side of a patch in pixels. A patch costs one token.
    pub patch_pixels: f64,
    /// Longest side in pixels; larger images are scaled down.
    pub max_side_pixels: f64,
    /// Most tokens of an image; larger images are scaled down.
    pub max_tokens: f64,
}

/// Pages of documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Their addresses.
    pub pages: &'static [&'static str],
    /// The day on which they were read.
    pub read: &'static str,
}

/// The known limits. A row that names a model takes precedence over one for the whole provider.
pub const PROVIDER_LIMITS: &[ProviderLimits] = &[
    // Unknown models get the smaller window: a larger one loses nothing but a second question.
    anthropic("anthropic, windows of 200,000 tokens", &[], 100),
    anthropic("anthropic, windows of 1,000,000 tokens", ANTHROPIC_LARGE, 600),
    ProviderLimits {
        provider: "google",
        models: &[],
        title: "google",
        // Inline data may have 100 MB, PDFs 50 MB.
        max_request_bytes: 50_000_000,
        max_document_bytes: Some(50_000_000),
        max_picture_bytes: None,
        max_request_pages: None,
        max_document_pages: Some(1_000),
        max_blocks: Some(3_000),
        pictures: None,
        source: Some(Source {
            pages: &[
                "https://ai.google.dev/gemini-api/docs/document-processing",
                "https://ai.google.dev/gemini-api/docs/file-input-methods",
                "https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/document-understanding",
            ],
            read: "2026-11-22",
        }),
    },
    ProviderLimits {
        provider: "openai",
        models: &[],
        title: "openai",
        max_request_bytes: 50_000_000,
        max_document_bytes: Some(50_000_000),
        max_picture_bytes: None,
        max_request_pages: None,
        max_document_pages: None,
        max_blocks: None,
        pictures: Some(PictureRule { patch_pixels: 32.0, max_side_pixels: 2_048.0, max_tokens: 1_536.0 }),
        source: Some(Source {
            pages: &[
                "https://developers.openai.com/api/docs/guides/pdf-files",
                "https://developers.openai.com/api/docs/guides/images-vision",
            ],
            read: "2026-11-22",
        }),
    },
    OTHERS,
];

/// Chat completions in general publish no limits.
const OTHERS: ProviderLimits = ProviderLimits {
    provider: "",
    models: &[],
    title: "others, by our own bound",
    max_request_bytes: 20_000_000,
    max_document_bytes: None,
    max_picture_bytes: None,
    max_request_pages: None,
    max_document_pages: None,
    max_blocks: Some(100),
    pictures: None,
    source: None,
};

/// Models with a window of a million tokens, by their overviews.
const ANTHROPIC_LARGE: &[&str] =
    &["opus-4-6", "opus-4-7", "opus-4-8", "opus-5", "sonnet-4-6", "sonnet-5", "haiku-5", "fable-5"];

const fn anthropic(title: &'static str, models: &'static [&'static str], count: u64) -> ProviderLimits {
    ProviderLimits {
        provider: "anthropic",
        models,
        title,
        max_request_bytes: 32_000_000,
        max_document_bytes: None,
        max_picture_bytes: Some(5_000_000),
        max_request_pages: Some(count),
        max_document_pages: None,
        max_blocks: Some(count),
        pictures: Some(PictureRule { patch_pixels: 28.0, max_side_pixels: 1_568.0, max_tokens: 1_568.0 }),
        source: Some(Source {
            pages: &[
                "https://platform.claude.com/docs/en/build-with-claude/pdf-support",
                "https://platform.claude.com/docs/en/build-with-claude/vision",
                "https://platform.claude.com/docs/en/models/haiku-5-5/overview",
            ],
            read: "2026-11-22",
        }),
    }
}

impl ProviderLimits {
    /// The limits of `model` at `provider`.
    #[must_use]
    pub fn of(provider: &str, model: &str) -> Self {
        // Gateways write versions with dots.
        let model = model.to_ascii_lowercase().replace('.', "-");
        let rows = || PROVIDER_LIMITS.iter().filter(|row| row.provider == provider);
        let named = rows().find(|row| row.models.iter().any(|part| model.contains(part)));
        named.or_else(|| rows().find(|row| row.models.is_empty())).copied().unwrap_or(OTHERS)
    }
}

/// The rows with published limits.
pub fn published() -> impl Iterator<Item = &'static ProviderLimits> {
    PROVIDER_LIMITS.iter().filter(|row| row.source.is_some())
}

/// The smallest published value of `bound`, which every model accepts.
#[must_use]
pub fn strictest(bound: fn(&ProviderLimits) -> Option<u64>) -> u64 {
    published().filter_map(bound).min().unwrap_or(u64::MAX)
}

/// Bytes of data whose base64 has `base64_bytes`.
#[must_use]
pub fn data_bytes(base64_bytes: u64) -> u64 {
    (base64_bytes / 4).saturating_mul(3)
}

impl std::fmt::Display for Source {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ({})", self.pages.join(", "), self.read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_found_by_provider_and_model() {
        let counts = |provider, model| {
            let limits = ProviderLimits::of(provider, model);
            (limits.max_blocks, limits.max_request_pages)
        };
        for small in ["claude-haiku-4-5-20251001", "claude-sonnet-4-5", "claude-3-5-sonnet-20241022", "not-known-yet"] {
            assert_eq!(counts("anthropic", small), (Some(100), Some(100)), "{small}");
        }
        for large in
            ["claude-opus-4-6", "Claude-Opus-4.8", "claude-sonnet-5-5", "claude-haiku-5-5", "x.claude-fable-5-1"]
        {
            assert_eq!(counts("anthropic", large), (Some(600), Some(600)), "{large}");
        }
        assert_eq!(counts("openai", "gpt-5-mini"), (None, None));
        assert_eq!(counts("mistral", "claude-opus-4-6"), (Some(100), None));
    }

    #[test]
    fn every_published_row_says_where_and_when() {
        assert_eq!(published().count(), PROVIDER_LIMITS.len() - 1);
        for source in published().filter_map(|row| row.source) {
            assert!(!source.pages.is_empty() && source.pages.iter().all(|page| page.starts_with("https://")));
            assert_eq!(source.read.len(), "2026-11-22".len());
        }
    }

    #[test]
    fn the_strictest_rows_bound_what_any_model_reads() {
        assert_eq!(strictest(|row| row.max_blocks), 100);
        assert_eq!(strictest(|row| row.max_request_pages), 100);
        assert_eq!(strictest(|row| Some(row.max_request_bytes)), 32_000_000);
        assert_eq!(strictest(|row| row.max_picture_bytes).min(5_000_000), 5_000_000);
        assert_eq!([0, 4, 5_000_000].map(data_bytes), [0, 3, 3_750_000]);
    }
}
