//! The names and colours that content uses.

use super::colors::DeviceColors;
use super::names::UsedNames;
use pagewise_document::object::Stream;
use pagewise_document::{ContentDecoder, DecodedContent, DocumentError};

/// The resource names and device colours that content uses.
#[derive(Default)]
pub(crate) struct ContentUsage {
    pub(crate) names: UsedNames,
    pub(crate) colors: DeviceColors,
    /// Whether any of the content does not decode to its end.
    pub(crate) has_damage: bool,
    /// Bytes of decoded content.
    pub(crate) decoded: u64,
}

impl ContentUsage {
    /// Adds the content of `stream`; colours only if `needs_colors`.
    pub(crate) fn add_stream(
        &mut self,
        stream: &Stream,
        decoder: &ContentDecoder<'_>,
        needs_colors: bool,
    ) -> Result<(), DocumentError> {
        let content = decoder.content(stream)?;
        self.names.scan(content.bytes());
        self.add_content(&content, needs_colors);
        Ok(())
    }

    /// Adds a part of the content. The caller scans its names.
    pub(crate) fn add_content(&mut self, content: &DecodedContent, needs_colors: bool) {
        self.decoded = self.decoded.saturating_add(content.bytes().len() as u64);
        if !matches!(content, DecodedContent::Whole(_)) {
            // Readers disagree about what follows the damage, so everything may be used.
            self.has_damage = true;
            self.names = UsedNames::All;
            self.colors = DeviceColors::all();
        }
        if needs_colors {
            self.colors.scan(content.bytes());
        }
    }
}
