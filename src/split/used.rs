//! What content draws with, whoever's it is.

use super::colors::DeviceColors;
use super::content::{Content, Decoder};
use super::names::UsedNames;
use crate::document::DocumentError;
use crate::document::object::Stream;

/// What content draws with.
#[derive(Default)]
pub(super) struct Use {
    pub(super) names: UsedNames,
    pub(super) colors: DeviceColors,
    /// Whether some of it does not decode to its end.
    pub(super) is_damaged: bool,
    /// Bytes that it decodes to.
    pub(super) decoded: u64,
}

impl Use {
    /// Adds what the content of `stream` draws with; colours only where somebody will ask for them.
    pub(super) fn stream(
        &mut self,
        stream: &Stream,
        decoder: &Decoder<'_>,
        watch_colors: bool,
    ) -> Result<(), DocumentError> {
        let content = decoder.content(stream)?;
        self.names.scan(content.bytes());
        self.content(&content, watch_colors);
        Ok(())
    }

    /// Adds what a stretch of content means beyond its names.
    pub(super) fn content(&mut self, content: &Content, watch_colors: bool) {
        self.decoded = self.decoded.saturating_add(content.bytes().len() as u64);
        if !matches!(content, Content::Whole(_)) {
            // Copied as it is: readers make different things of what comes after the damage.
            self.is_damaged = true;
            self.names = UsedNames::All;
            self.colors = DeviceColors::all();
        }
        if watch_colors {
            self.colors.scan(content.bytes());
        }
    }
}
