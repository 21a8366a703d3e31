//! Recognises the text in the picture of a page.
//!
//! 1. `gray` holds the picture, and samples it at any resolution.
//! 2. A detection model marks where text is. `light` says whether the picture is a photograph: then the model
//!    gets a larger copy with more contrast. `regions` turns the marks into boxes, one for each part of a line.
//! 3. `neural` finds the direction of the page and the first model that knows its script, and reads each box; `decoding`
//!    turns the scores into characters in their places.
//! 4. `doubt` finds the words that the model is not sure of. The next model reads them again.
//!
//! Without models, `tesseract` runs the program of that name. Before that, `light` removes shadows from the picture, and
//! `upright` makes its lines level.
//!
//! The models are PP-OCR by PaddlePaddle in the format ONNX: a convolutional detector (DB, arXiv 1911.08947) and a
//! recogniser with connectionist temporal classification (CTC, Graves 2006). `rten` runs them: pure Rust, no code of the
//! models is executed. Everything here works on pixels: no file, no clock, no PDF.

#[cfg(feature = "ocr")]
mod decoding;
mod dither;
#[cfg(feature = "ocr")]
mod doubt;
mod error;
mod geometry;
mod gray;
mod light;
#[cfg(feature = "ocr")]
mod neural;
mod recogniser;
#[cfg(feature = "ocr")]
mod regions;
mod tesseract;
mod upright;

pub use error::OcrError;
pub use geometry::Direction;
pub use gray::GrayImage;

#[cfg(feature = "ocr")]
pub use neural::NeuralRecogniser;
pub use recogniser::{
    LineReading, LineSample, ModelFiles, RecognisedCharacter, RecognisedLine, Recogniser, load_models,
};
pub use tesseract::{
    TesseractJob, TesseractMode, TesseractRecogniser, TesseractRunner, parse_languages, tesseract_arguments,
};
