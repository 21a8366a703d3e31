//! The operators of content, read by the engine's own lexer: what they come to where they lead to no call of a device.

use super::{Steps, bytes, length, price};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Name, Object};
use memchr::memmem;
use std::collections::BTreeMap;

/// The kinds of resources that operators name (ISO 32000-2, 7.8.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    State,
    Font,
    ColorSpace,
    Pattern,
    Shading,
    Form,
    Properties,
}

impl Kind {
    /// The kind whose resources stand in a dictionary under `key`.
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

/// What one piece of content has in it.
#[derive(Default)]
pub(super) struct Operators {
    /// Steps of those that name nothing.
    pub(super) steps: u64,
    /// How often each resource is named.
    pub(super) named: BTreeMap<Kind, BTreeMap<Vec<u8>, u64>>,
    /// Bytes that the longest operator shows: the engine places all of its glyphs before it calls.
    longest_text: u64,
    /// Whether a font was chosen.
    has_font: bool,
    /// Whether the state was saved and its text not changed since.
    is_saved: bool,
    /// Bytes of text that are to clip.
    clipping: u64,
    /// Whether text clips.
    pub(super) clips: bool,
    /// Segments of the path that is being made, and of the longest.
    path: u64,
    longest_path: u64,
}

/// Steps for a glyph that waits to be drawn with all of its operator: some 200 bytes, 1 KB for one of a Type 3 font.
const HELD_GLYPH: u64 = 33;
const HELD_TYPE_3_GLYPH: u64 = 170;

/// Steps for a segment that waits to be painted: 56 bytes, which double when there are more.
const HELD_SEGMENT: u64 = 18;

/// Steps for a glyph that clips: its outline is kept.
const CLIPPING_GLYPH: u64 = 400;

/// Steps for an inline image, whose end is looked for.
const INLINE_IMAGE: u64 = 60;

/// Bytes that dashes take of a state that is saved, for each of them.
const DASH_BYTES: u64 = 4;

impl Operators {
    /// Those of `content`, which the engine would find.
    pub(super) fn of(content: &[u8], budget: &Steps) -> Self {
        let steps = bytes(length(content)).saturating_add(inline_image_steps(content));
        budget.take(steps);
        let mut operators = Self { steps, ..Self::default() };
        let (mut instructions, mut dashes) = (TypedIter::new(content), 0_u64);
        while let Some(instruction) = instructions.next() {
            // An operator after `q` copies the state that it changes, with its dashes.
            operators.steps =
                operators.steps.saturating_add(price::OPERATOR + dashes * DASH_BYTES / price::HELD_BYTES_A_STEP);
            if operators.steps > budget.left() {
                budget.take(operators.steps);
            }
            match instruction {
                TypedInstruction::DashPattern(dash) => dashes = dashes.max(count(dash.0)),
                other => {
                    operators.add_path(&other);
                    operators.add(&other);
                }
            }
        }
        let held = operators.longest_path.max(operators.path) * HELD_SEGMENT;
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
            TypedInstruction::SetGraphicsState(state) => self.name(Kind::State, state.0),
            TypedInstruction::BeginMarkedContent(_) => self.steps = self.steps.saturating_add(price::OPERATOR),
            TypedInstruction::SaveState(_) => self.is_saved = true,
            TypedInstruction::EndText(_) => self.clipping = 0,
            TypedInstruction::InlineImage(_) => self.steps = self.steps.saturating_add(INLINE_IMAGE),
            TypedInstruction::TextFont(font) => {
                self.has_font = true;
                self.change_text();
                self.name(Kind::Font, font.0);
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
            TypedInstruction::ColorSpaceStroke(space) => self.name(Kind::ColorSpace, space.0),
            TypedInstruction::ColorSpaceNonStroke(space) => self.name(Kind::ColorSpace, space.0),
            TypedInstruction::StrokeColorNamed(color) => self.name_if(Kind::Pattern, color.1),
            TypedInstruction::NonStrokeColorNamed(color) => self.name_if(Kind::Pattern, color.1),
            TypedInstruction::Shading(shading) => self.name(Kind::Shading, shading.0),
            TypedInstruction::XObject(object) => self.name(Kind::Form, object.0),
            TypedInstruction::BeginMarkedContentWithProperties(content) => {
                if let Object::Name(name) = content.1 {
                    self.name(Kind::Properties, name);
                }
            }
            TypedInstruction::TextRenderingMode(mode) => {
                self.clips |= mode.0.as_i64() > 3;
                self.change_text();
            }
            TypedInstruction::ShowText(text) => self.show(length(text.0.as_bytes())),
            TypedInstruction::NextLineAndShowText(text) => self.show(length(text.0.as_bytes())),
            TypedInstruction::ShowTextWithParameters(text) => self.show(length(text.2.as_bytes())),
            TypedInstruction::ShowTexts(texts) => self.show(length(texts.0.data())),
            _ => {}
        }
    }

    fn name_if(&mut self, kind: Kind, name: Option<&Name<'_>>) {
        if let Some(name) = name {
            self.name(kind, name);
        }
    }

    fn name(&mut self, kind: Kind, name: &Name<'_>) {
        let names = self.named.entry(kind).or_default();
        match names.get_mut(name.as_ref()) {
            Some(count) => *count += 1,
            None => drop(names.insert(name.as_ref().to_vec(), 1)),
        }
    }

    fn show(&mut self, bytes: u64) {
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

    /// The state of text is copied when it is changed after `q`, with the outlines that are to clip.
    fn change_text(&mut self) {
        if std::mem::take(&mut self.is_saved) {
            self.steps = self.steps.saturating_add(self.clipping.saturating_mul(CLIPPING_GLYPH));
        }
    }

    /// Steps for the glyphs that wait to be drawn, where fonts of this kind are at hand.
    pub(super) fn held_glyphs(&self, has_type_3_fonts: bool) -> u64 {
        self.longest_text.saturating_mul(if has_type_3_fonts { HELD_TYPE_3_GLYPH } else { HELD_GLYPH })
    }

    /// How often a resource is named.
    pub(super) fn times(&self, kind: Kind, name: &[u8]) -> u64 {
        self.named.get(&kind).and_then(|names| names.get(name)).copied().unwrap_or(0)
    }
}

fn count(dashes: &Array<'_>) -> u64 {
    // Each takes two bytes at least.
    length(dashes.data()) / 2
}

/// Steps of looking for the ends of inline images: the engine reads on behind each that looks like one, over a string to its
/// end.
fn inline_image_steps(content: &[u8]) -> u64 {
    let begins_long = |at: usize| {
        let after = content.get(at + 2..).unwrap_or_default().trim_ascii_start();
        after.first().is_some_and(|byte| matches!(byte, b'(' | b'<' | b'['))
    };
    let rest = |at: usize| bytes(u64::try_from(content.len().saturating_sub(at)).unwrap_or(u64::MAX));
    memmem::find_iter(content, b"EI").filter(|at| begins_long(*at)).fold(0, |sum, at| sum.saturating_add(rest(at)))
}
