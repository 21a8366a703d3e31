//! What the engine takes an object for, by the key that it hangs on.

use super::content::Kind;
use hayro_syntax::object::{Dict, Name};

/// The part that an object plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Role {
    /// Whatever its own keys make of it.
    Plain,
    /// Content by name, or content.
    Contents,
    /// The appearance of an annotation, or one for each of its states.
    Appearances,
    /// Content where it is a stream; of form XObjects, where it is no image.
    Content,
    Appearance,
    Object,
}

impl Role {
    /// The role of what hangs on `key`, where that is no kind of resources.
    pub(super) fn of(key: &[u8]) -> Self {
        match key {
            b"CharProcs" | b"N" => Self::Contents,
            b"G" => Self::Content,
            _ => Self::Plain,
        }
    }

    /// The role of a resource.
    pub(super) fn of_resource(kind: Kind) -> Self {
        match kind {
            Kind::Form => Self::Object,
            Kind::Pattern => Self::Content,
            Kind::State | Kind::Font | Kind::ColorSpace | Kind::Shading | Kind::Properties => Self::Plain,
        }
    }

    /// The role of what a dictionary of this role has by name; `None` where its keys are no names.
    pub(super) fn of_named(self) -> Option<Self> {
        match self {
            Self::Contents => Some(Self::Content),
            Self::Appearances => Some(Self::Appearance),
            Self::Plain | Self::Content | Self::Appearance | Self::Object => None,
        }
    }

    /// Whether a stream of this dictionary is content.
    pub(super) fn is_content(self, stream: &Dict<'_>) -> bool {
        match self {
            Self::Plain => false,
            Self::Contents | Self::Content | Self::Appearances | Self::Appearance => true,
            Self::Object => stream.get::<Name<'_>>(b"Subtype").is_none_or(|kind| kind.as_ref() != b"Image"),
        }
    }

    /// Whether content of this role is begun only where it is named, or drawn as an appearance.
    pub(super) fn is_counted(self) -> bool {
        matches!(self, Self::Object | Self::Appearance | Self::Appearances)
    }
}
