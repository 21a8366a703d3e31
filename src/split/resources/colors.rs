//! The device colour families (ISO 32000-2, 8.6.4) that a page uses. Output intents apply only to these.

use pagewise_document::DocumentError;
use pagewise_document::lexer::is_regular;
use pagewise_document::object::Object;
use pagewise_document::objects::Objects;

/// Device colour families in use.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct DeviceColors {
    gray: bool,
    rgb: bool,
    cmyk: bool,
}

impl DeviceColors {
    /// Whether the family with `components` components is used.
    pub(crate) fn has(self, components: i64) -> bool {
        match components {
            1 => self.gray,
            3 => self.rgb,
            4 => self.cmyk,
            _ => true,
        }
    }

    /// Adds the families of `other`.
    pub(crate) fn merge(&mut self, other: Self) {
        self.gray |= other.gray;
        self.rgb |= other.rgb;
        self.cmyk |= other.cmyk;
    }

    /// Every family, for content that could not be read.
    pub(crate) fn all() -> Self {
        Self { gray: true, rgb: true, cmyk: true }
    }

    /// Adds the families that operators and names in content select.
    pub(crate) fn scan(&mut self, content: &[u8]) {
        for token in content.split(|byte| !is_regular(*byte)) {
            self.note(token);
        }
    }

    fn note(&mut self, token: &[u8]) {
        match token {
            b"g" | b"G" | b"DeviceGray" => self.gray = true,
            b"rg" | b"RG" | b"DeviceRGB" | b"RGB" => self.rgb = true,
            b"k" | b"K" | b"DeviceCMYK" | b"CMYK" => self.cmyk = true,
            _ => {}
        }
    }

    /// Adds the device families that a colour space names, including base and alternate spaces.
    pub(crate) fn note_space(
        &mut self,
        objects: &dyn Objects,
        space: &Object,
        depth: u32,
    ) -> Result<(), DocumentError> {
        const DEEPEST: u32 = 4;
        let space = objects.resolve(space)?;
        self.note(space.as_name().unwrap_or_default());
        if depth < DEEPEST {
            // Colour spaces have at most five parts. The bound stops arrays that contain themselves.
            for part in space.as_array().unwrap_or_default().iter().take(5) {
                self.note_space(objects, part, depth + 1)?;
            }
        }
        Ok(())
    }
}
