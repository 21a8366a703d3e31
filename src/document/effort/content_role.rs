//! How the engine uses an object, by the key that refers to it.

use super::content_operators::ResourceCategory;
use hayro_syntax::object::{Dict, Name};

/// How the engine uses an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ContentRole {
    /// Its own keys decide.
    Plain,
    /// A dictionary of named content streams, or a content stream.
    Contents,
    /// The appearance of an annotation, or a dictionary of one for each state.
    Appearances,
    /// A content stream, if the object is a stream.
    Content,
    Appearance,
    Object,
}

impl ContentRole {
    /// The role of the value of `key`, which is not a resource category.
    pub(super) fn of(key: &[u8]) -> Self {
        match key {
            b"CharProcs" | b"N" => Self::Contents,
            b"G" => Self::Content,
            _ => Self::Plain,
        }
    }

    /// The role of a resource.
    pub(super) fn of_resource(kind: ResourceCategory) -> Self {
        match kind {
            ResourceCategory::Form => Self::Object,
            ResourceCategory::Pattern => Self::Content,
            ResourceCategory::State
            | ResourceCategory::Font
            | ResourceCategory::ColorSpace
            | ResourceCategory::Shading
            | ResourceCategory::Properties => Self::Plain,
        }
    }

    /// The role of the values in a dictionary of this role; `None` if its keys are not names of content.
    pub(super) fn of_named(self) -> Option<Self> {
        match self {
            Self::Contents => Some(Self::Content),
            Self::Appearances => Some(Self::Appearance),
            Self::Plain | Self::Content | Self::Appearance | Self::Object => None,
        }
    }

    /// Whether a stream with this dictionary is a content stream.
    pub(super) fn is_content(self, stream: &Dict<'_>) -> bool {
        match self {
            Self::Plain => false,
            Self::Contents | Self::Content | Self::Appearances | Self::Appearance => true,
            Self::Object => stream.get::<Name<'_>>(b"Subtype").is_none_or(|kind| kind.as_ref() != b"Image"),
        }
    }

    /// Whether content of this role is invoked only by name, or drawn as an appearance.
    pub(super) fn is_counted(self) -> bool {
        matches!(self, Self::Object | Self::Appearance | Self::Appearances)
    }
}
