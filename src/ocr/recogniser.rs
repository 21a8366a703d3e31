//! What recognises text, and what it finds.

use std::sync::Arc;

use super::error::OcrError;
use super::geometry::Direction;
use super::gray::GrayImage;
use crate::limits::Deadline;

/// Recognises the text in pictures.
pub trait Recogniser: Send + Sync {
    /// The lines of a page in no particular order, whichever way up it is. Lines that are hardly readable are left out.
    /// `language` is that of its document, such as `de-DE`, if it says one.
    ///
    /// # Errors
    /// [`OcrError::Model`] if a model does not fit its part, [`OcrError::Stopped`].
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

    /// The text in a box that holds one line. `expected` is what it may say; only its language matters.
    ///
    /// # Errors
    /// As [`recognise`](Self::recognise).
    fn read_line(&self, image: &GrayImage, sample: LineSample, expected: &str) -> Result<String, OcrError>;
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

/// The files of an engine's models.
#[derive(Debug, Clone, Default)]
pub struct ModelFiles {
    /// The model that finds text, in ONNX.
    pub detection: Vec<u8>,
    /// The models that read a line, in ONNX. What one is not sure of, the next reads again.
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
