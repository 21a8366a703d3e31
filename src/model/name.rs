//! Model names and provider keys.

use std::fmt;

/// A model as settings and arguments name it: `provider/model`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelName {
    /// The provider's name, such as `anthropic`.
    pub provider: String,
    /// The provider's name for the model; may contain slashes.
    pub model: String,
}

impl ModelName {
    /// Parses `provider/model`. `None` if a part is missing, or the model's name has characters that could end a URL
    /// path.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (provider, model) = text.trim().split_once('/')?;
        let is_plain = |character: char| character.is_ascii_alphanumeric() || "._:@/-".contains(character);
        let is_path = !model.split('/').any(|part| part.is_empty() || part == "." || part == "..");
        let is_named = !provider.is_empty() && provider.chars().all(|character| character.is_ascii_graphic());
        (is_named && is_path && model.chars().all(is_plain))
            .then(|| Self { provider: provider.to_ascii_lowercase(), model: model.to_owned() })
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.provider, self.model)
    }
}

/// A provider's key. It has no text form, so that logs, errors and dumps of settings cannot contain it.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderKey(String);

impl ProviderKey {
    /// Takes a key.
    #[must_use]
    pub fn new(key: String) -> Self {
        Self(key)
    }

    /// The key, for its header.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// Masks the key in `text`: servers may quote what they refuse.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, MASK) }
    }
}

/// Stands for a key.
const MASK: &str = "***";

impl fmt::Debug for ProviderKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(MASK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_provider_and_a_model() {
        let parsed = |text| ModelName::parse(text).map(|name| (name.provider, name.model));
        assert_eq!(parsed("anthropic/claude-x"), Some(("anthropic".into(), "claude-x".into())));
        assert_eq!(parsed(" OpenRouter/meta/llama:free "), Some(("openrouter".into(), "meta/llama:free".into())));
        for text in ["", "claude", "/x", "x/", "x/a b", "x/a?b", "x/../y", "x//y", "x/a#b", "x/a%2f"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn a_key_is_never_shown() {
        let key = ProviderKey::new("planted".into());
        assert_eq!(format!("{key:?}"), "***");
        assert_eq!(key.redact("refused: planted!"), "refused: ***!");
        assert_eq!(ProviderKey::new(String::new()).redact("as it is"), "as it is");
    }
}
