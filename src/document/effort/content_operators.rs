//! Counts the operators of content streams that cause no call of the device. The engine's own lexer reads them.

use super::{Steps, length, price, reading_steps};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Name, Object};
use memchr::memmem;
use std::collections::BTreeMap;

/// The categories of named resources (ISO 32000-2, 7.8.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum ResourceCategory {
    State,
    Font,
    ColorSpace,
    Pattern,
    Shading,
    Form,
    Properties,
}

impl ResourceCategory {
    /// The category whose resources are in the dictionary under `key`.
    pub(super) fn of(key: &[u8]) -> Option<Self> {
        Some(match key {
            b"ExtGState" => Self::State,
            b"Font" => Self::Font,
            b"ColorSpace" => Self::ColorSpace,
            b"Pattern" => Self::Pattern,
            b"Shading" => Self::Shading,
            b"XObject" => Self::Form,
            b"Properties" => Self::Properties,
            _ => return None,
        })
    }
}

/// The operators of one content stream.
#[derive(Default)]
pub(super) struct ContentOperators {
    /// The steps of operators that name no resource.
    pub(super) steps: u64,
    /// How often each resource is named.
    pub(super) named: BTreeMap<ResourceCategory, BTreeMap<Vec<u8>, u64>>,
    /// The bytes of the longest shown text. The engine places all its glyphs before it calls the device.
    longest_text: u64,
    /// Whether a font was selected.
    has_font: bool,
    /// Whether the graphics state was saved and its text state was not changed since.
    is_saved: bool,
    /// The bytes of text that become part of the clipping path.
    clipping: u64,
    /// Whether a text rendering mode adds text to the clipping path.
    pub(super) clips: bool,
    /// The segments of the current path, and of the longest.
    path: u64,
    longest_path: u64,
}

/// The steps for the memory of a glyph that is placed before its text is drawn, and of one of a Type 3 font.
const KEPT_GLYPH: u64 = 33;
const KEPT_TYPE_3_GLYPH: u64 = 170;

/// The steps for the memory of a path segment. The engine doubles its buffer when it grows.
const KEPT_SEGMENT: u64 = 18;

/// The steps for a glyph in the clipping path, whose outline is kept.
const CLIPPING_GLYPH: u64 = 400;

/// The steps for finding the end of an inline image.
const INLINE_IMAGE: u64 = 60;

/// The bytes of each dash in a saved graphics state.
const DASH_BYTES: u64 = 4;

impl ContentOperators {
    /// Reads the operators of `content` as the engine does.
    pub(super) fn of(content: &[u8], budget: &Steps) -> Self {
        let steps = reading_steps(length(content)).saturating_add(inline_image_steps(content));
        budget.take(steps);
        let mut operators = Self { steps, ..Self::default() };
        let (mut instructions, mut dashes) = (TypedIter::new(content), 0_u64);
        while let Some(instruction) = instructions.next() {
            // An operator after `q` copies the graphics state with its dashes.
            operators.steps =
                operators.steps.saturating_add(price::OPERATOR + dashes * DASH_BYTES / price::HELD_BYTES_PER_STEP);
            if operators.steps > budget.left() {
                budget.take(operators.steps);
            }
            match instruction {
                TypedInstruction::DashPattern(dash) => dashes = dashes.max(count_dashes(dash.0)),
                other => {
                    operators.add_path(&other);
                    operators.add(&other);
                }
            }
        }
        let held = operators.longest_path.max(operators.path) * KEPT_SEGMENT;
        operators.steps = operators.steps.saturating_add(held);
        operators
    }

    fn add_path(&mut self, instruction: &TypedInstruction<'_, '_>) {
        use TypedInstruction as I;
        match instruction {
            I::RectPath(_) => self.path += 5,
            I::MoveTo(_) | I::LineTo(_) | I::CubicTo(_) | I::CubicStartTo(_) | I::CubicEndTo(_) | I::ClosePath(_) => {
                self.path += 1;
            }
            I::FillPathNonZero(_) | I::FillPathNonZeroCompatibility(_) | I::FillPathEvenOdd(_) => self.end_path(),
            I::FillAndStrokeNonZero(_) | I::FillAndStrokeEvenOdd(_) | I::CloseFillAndStrokeNonZero(_) => {
                self.end_path();
            }
            I::CloseFillAndStrokeEvenOdd(_) | I::StrokePath(_) | I::CloseAndStrokePath(_) => self.end_path(),
            I::EndPath(_) => self.end_path(),
            _ => {}
        }
    }

    fn end_path(&mut self) {
        self.longest_path = self.longest_path.max(self.path);
        self.path = 0;
    }

    fn add(&mut self, instruction: &TypedInstruction<'_, '_>) {
        match instruction {
            TypedInstruction::SetGraphicsState(state) => self.count_name(ResourceCategory::State, state.0),
            TypedInstruction::BeginMarkedContent(_) => self.steps = self.steps.saturating_add(price::OPERATOR),
            TypedInstruction::SaveState(_) => self.is_saved = true,
            TypedInstruction::EndText(_) => self.clipping = 0,
            TypedInstruction::InlineImage(_) => self.steps = self.steps.saturating_add(INLINE_IMAGE),
            TypedInstruction::TextFont(font) => {
                self.has_font = true;
                self.change_text();
                self.count_name(ResourceCategory::Font, font.0);
            }
            TypedInstruction::WordSpacing(_)
            | TypedInstruction::CharacterSpacing(_)
            | TypedInstruction::NextLine(_) => {
                self.change_text();
            }
            TypedInstruction::TextLeading(_) | TypedInstruction::TextRise(_) | TypedInstruction::BeginText(_) => {
                self.change_text();
            }
            TypedInstruction::HorizontalScaling(_) | TypedInstruction::SetTextMatrix(_) => self.change_text(),
            TypedInstruction::NextLineAndSetLeading(_) | TypedInstruction::NextLineUsingLeading(_) => {
                self.change_text()
            }
            TypedInstruction::ColorSpaceStroke(space) => self.count_name(ResourceCategory::ColorSpace, space.0),
            TypedInstruction::ColorSpaceNonStroke(space) => self.count_name(ResourceCategory::ColorSpace, space.0),
            TypedInstruction::StrokeColorNamed(color) => self.count_optional_name(ResourceCategory::Pattern, color.1),
            TypedInstruction::NonStrokeColorNamed(color) => {
                self.count_optional_name(ResourceCategory::Pattern, color.1)
            }
            TypedInstruction::Shading(shading) => self.count_name(ResourceCategory::Shading, shading.0),
            TypedInstruction::XObject(object) => self.count_name(ResourceCategory::Form, object.0),
            TypedInstruction::BeginMarkedContentWithProperties(content) => {
                if let Object::Name(name) = content.1 {
                    self.count_name(ResourceCategory::Properties, name);
                }
            }
            TypedInstruction::TextRenderingMode(mode) => {
                self.clips |= mode.0.as_i64() > 3;
                self.change_text();
            }
            TypedInstruction::ShowText(text) => self.show_text(length(text.0.as_bytes())),
            TypedInstruction::NextLineAndShowText(text) => self.show_text(length(text.0.as_bytes())),
            TypedInstruction::ShowTextWithParameters(text) => self.show_text(length(text.2.as_bytes())),
            TypedInstruction::ShowTexts(texts) => self.show_text(length(texts.0.data())),
            _ => {}
        }
    }

    fn count_optional_name(&mut self, kind: ResourceCategory, name: Option<&Name<'_>>) {
        if let Some(name) = name {
            self.count_name(kind, name);
        }
    }

    fn count_name(&mut self, kind: ResourceCategory, name: &Name<'_>) {
        let names = self.named.entry(kind).or_default();
        match names.get_mut(name.as_ref()) {
            Some(count) => *count += 1,
            None => drop(names.insert(name.as_ref().to_vec(), 1)),
        }
    }

    fn show_text(&mut self, bytes: u64) {
        self.change_text();
        let mut steps = bytes.saturating_add(price::OPERATOR);
        if self.clips {
            self.clipping = self.clipping.saturating_add(bytes);
            steps = steps.saturating_mul(CLIPPING_GLYPH);
        }
        if !self.has_font {
            steps = steps.saturating_add(price::STANDARD_FONT);
        }
        self.steps = self.steps.saturating_add(steps);
        self.longest_text = self.longest_text.max(bytes);
    }

    /// The first change of the text state after `q` copies it, with the outlines of the clipping path.
    fn change_text(&mut self) {
        if std::mem::take(&mut self.is_saved) {
            self.steps = self.steps.saturating_add(self.clipping.saturating_mul(CLIPPING_GLYPH));
        }
    }

    /// The steps for the glyphs that are placed before they are drawn.
    pub(super) fn held_glyphs(&self, has_type_3_fonts: bool) -> u64 {
        self.longest_text.saturating_mul(if has_type_3_fonts { KEPT_TYPE_3_GLYPH } else { KEPT_GLYPH })
    }

    /// The number of times that a resource is named.
    pub(super) fn count_of(&self, kind: ResourceCategory, name: &[u8]) -> u64 {
        self.named.get(&kind).and_then(|names| names.get(name)).copied().unwrap_or(0)
    }
}

fn count_dashes(dashes: &Array<'_>) -> u64 {
    // Each dash takes at least two bytes.
    length(dashes.data()) / 2
}

/// The steps of finding the ends of inline images. After each `EI`, the engine reads a following string or array to its end.
fn inline_image_steps(content: &[u8]) -> u64 {
    let begins_long = |at: usize| {
        let after = content.get(at + 2..).unwrap_or_default().trim_ascii_start();
        after.first().is_some_and(|byte| matches!(byte, b'(' | b'<' | b'['))
    };
    let rest = |at: usize| reading_steps(u64::try_from(content.len().saturating_sub(at)).unwrap_or(u64::MAX));
    memmem::find_iter(content, b"EI").filter(|at| begins_long(*at)).fold(0, |sum, at| sum.saturating_add(rest(at)))
}
