//! What recognises text, and what it finds.

#[cfg(feature = "ocr")]
use std::ops::Range;
use std::sync::Arc;

use super::error::OcrError;
use super::geometry::Direction;
use super::gray::GrayImage;
use pagewise_base::limits::Deadline;

/// Recognises the text in pictures.
pub trait Recogniser: Send + Sync {
    /// The lines of a page in no particular order, whichever way up it is. Lines that are hardly readable are left out.
    /// `language` is that of its document, such as `de-DE`, if it says one.
    ///
    /// # Errors
    /// [`OcrError::Model`] if a model does not fit its part, [`OcrError::Unreadable`], [`OcrError::Stopped`].
    fn recognise(
        &self,
        image: &GrayImage,
        language: Option<&str>,
        deadline: &Deadline,
    ) -> Result<Vec<RecognisedLine>, OcrError>;

    /// Whether everything that the engine may need is there and works.
    ///
    /// # Errors
    /// [`OcrError::Model`].
    fn check(&self) -> Result<(), OcrError> {
        Ok(())
    }

    /// What a box with one line says. `expected` is what it may say, and `text` what the whole page may; only their language
    /// matters. `None` if the engine does not read their script.
    ///
    /// # Errors
    /// As [`recognise`](Self::recognise).
    fn read_line(
        &self,
        image: &GrayImage,
        sample: LineSample,
        expected: &str,
        text: &str,
    ) -> Result<Option<LineReading>, OcrError>;
}

/// What a box with one line says.
#[derive(Debug, Clone, PartialEq)]
pub struct LineReading {
    pub text: String,
    /// From 0 to 1.
    pub confidence: f32,
}

/// Lines that look like text and cannot be read. Fewer may be dirt, or parts of a photograph.
const LEAST_UNREADABLE: usize = 5;

/// The lines that are read with enough confidence.
pub(super) fn readable(lines: Vec<RecognisedLine>, least: f32) -> Result<Vec<RecognisedLine>, OcrError> {
    let count = lines.len();
    let kept: Vec<_> = lines.into_iter().filter(|line| line.confidence() >= least).collect();
    match kept.is_empty() && count >= LEAST_UNREADABLE {
        true => Err(OcrError::Unreadable { lines: count }),
        false => Ok(kept),
    }
}

/// A box that holds one line of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineSample {
    /// The middle of its left edge, in pixels.
    pub origin: [f32; 2],
    /// Where its text runs to.
    pub direction: Direction,
    /// Its length along the text.
    pub length: f32,
    /// Its height across the text.
    pub thickness: f32,
}

/// A part of a line of text, up to a wide gap.
#[derive(Debug, Clone, PartialEq)]
pub struct RecognisedLine {
    /// Where it stands.
    pub place: LineSample,
    /// From its start to its end.
    pub characters: Vec<RecognisedCharacter>,
}

impl RecognisedLine {
    /// The mean confidence of its characters, from 0 to 1.
    #[must_use]
    pub fn confidence(&self) -> f32 {
        let sum = self.characters.iter().map(|character| character.confidence).sum::<f32>();
        sum / self.characters.len().max(1) as f32
    }

    /// The line in a picture that is so many times as large.
    pub(super) fn enlarged(mut self, factor: f32) -> Self {
        let LineSample { origin: [x, y], length, thickness, .. } = self.place;
        let origin = [x * factor, y * factor];
        self.place = LineSample { origin, length: length * factor, thickness: thickness * factor, ..self.place };
        self.characters.iter_mut().for_each(|character| character.along *= factor);
        self
    }

    /// A part of the line, by the indices of its characters.
    #[cfg(feature = "ocr")]
    pub(super) fn part(&self, characters: Range<usize>) -> Self {
        let (start, end) = (self.boundary(characters.start), self.boundary(characters.end));
        let origin = self.place.direction.point(self.place.origin, start, 0.0);
        let place = LineSample { origin, length: end - start, ..self.place };
        let inside = self.characters.get(characters).unwrap_or_default();
        Self { place, characters: inside.iter().map(|character| character.moved(-start)).collect() }
    }

    /// Replaces a part by another reading of it, without the spaces at its ends.
    #[cfg(feature = "ocr")]
    pub(super) fn replace(&mut self, characters: Range<usize>, reading: &Self) {
        let start = self.boundary(characters.start);
        let is_text = |character: &RecognisedCharacter| !character.is_space();
        let first = reading.characters.iter().position(is_text).unwrap_or(0);
        let end = reading.characters.iter().rposition(is_text).map_or(0, |last| last + 1);
        let inside = reading.characters.iter().take(end).skip(first);
        self.characters.splice(characters, inside.map(|character| character.moved(start)));
    }

    /// The distance from the start of the line to the gap before a character: the middle of a space, if there is one.
    #[cfg(feature = "ocr")]
    fn boundary(&self, at: usize) -> f32 {
        let before = at.checked_sub(1).and_then(|at| self.characters.get(at));
        match (before, self.characters.get(at)) {
            (None, _) => 0.0,
            (_, None) => self.place.length,
            (Some(space), _) | (_, Some(space)) if space.is_space() => space.along,
            (Some(one), Some(next)) => f32::midpoint(one.along, next.along),
        }
    }
}

/// A character of a line. A space is one too.
#[derive(Debug, Clone, PartialEq)]
pub struct RecognisedCharacter {
    /// It; models may have characters of several code points.
    pub text: Box<str>,
    /// Its middle, in pixels from the start of the line.
    pub along: f32,
    /// From 0 to 1.
    pub confidence: f32,
}

#[cfg(feature = "ocr")]
impl RecognisedCharacter {
    pub(super) fn is_space(&self) -> bool {
        &*self.text == " "
    }

    fn moved(&self, distance: f32) -> Self {
        Self { along: self.along + distance, ..self.clone() }
    }
}

/// The files of an engine's models.
#[derive(Debug, Clone, Default)]
pub struct ModelFiles {
    /// The model that finds text, in ONNX.
    pub detection: Vec<u8>,
    /// The models that read a line, in ONNX. Words that one is not sure of, the next reads again.
    pub recognition: Vec<Vec<u8>>,
    /// Lists of characters, one on each line, for models that do not contain theirs.
    pub characters: Vec<String>,
}

/// Loads models.
///
/// # Errors
/// [`OcrError::Model`] for a damaged file or one of another kind, [`OcrError::NoEngine`] without the feature `ocr`.
#[cfg(feature = "ocr")]
pub fn load_models(files: ModelFiles) -> Result<Arc<dyn Recogniser>, OcrError> {
    Ok(Arc::new(super::NeuralRecogniser::load(files)?))
}

/// Refuses models: this program was built without an engine.
///
/// # Errors
/// [`OcrError::NoEngine`].
#[cfg(not(feature = "ocr"))]
pub fn load_models(_: ModelFiles) -> Result<Arc<dyn Recogniser>, OcrError> {
    Err(OcrError::NoEngine { reason: "pagewise was built without the feature ocr" })
}

#[cfg(all(test, feature = "ocr"))]
mod tests {
    use super::*;

    /// A line with a character at each ten pixels.
    fn line(text: &str) -> RecognisedLine {
        let characters = text.chars().zip(0_u16..).map(|(character, at)| RecognisedCharacter {
            text: character.to_string().into(),
            along: 5.0 + 10.0 * f32::from(at),
            confidence: 0.5,
        });
        let characters: Vec<_> = characters.collect();
        let length = 10.0 * characters.len() as f32;
        let place = LineSample { origin: [100.0, 50.0], direction: Direction::RIGHT, length, thickness: 20.0 };
        RecognisedLine { place, characters }
    }

    #[test]
    fn a_part_reaches_from_gap_to_gap() {
        let part = line("one two three").part(4..7);
        assert_eq!((part.place.origin, part.place.length), ([135.0, 50.0], 40.0));
        assert_eq!(part.characters.iter().map(|character| character.along).collect::<Vec<_>>(), [10.0, 20.0, 30.0]);
        let part = line("第一二三").part(1..4);
        assert_eq!((part.place.origin, part.place.length), ([110.0, 50.0], 30.0));
    }

    #[test]
    fn another_reading_of_a_part_takes_its_place() {
        let mut found = line("one tvvo three");
        let reading = RecognisedLine { characters: line(" two ").characters, ..found.part(4..8) };
        found.replace(4..8, &reading);
        assert_eq!(found.characters.iter().map(|character| &*character.text).collect::<String>(), "one two three");
        let places = found.characters.iter().map(|character| character.along);
        assert_eq!(places.skip(3).take(5).collect::<Vec<_>>(), [35.0, 50.0, 60.0, 70.0, 85.0]);
        found.replace(0..3, &RecognisedLine { characters: Vec::new(), ..found.part(0..3) });
        assert_eq!(found.characters.first().map(|character| &*character.text), Some(" "));
    }
}
