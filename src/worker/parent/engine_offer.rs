//! What a worker is offered as the engine that recognises text: models, or else the program of the system.

use std::fs::File;
use std::io;

use super::supplies::ProgramRun;
use crate::worker::engine::{OpenModel, open_models};
use crate::worker::settings::WorkerSettings;
use crate::worker::tesseract::Tesseract;
use crate::worker::wire::{EngineFacts, RunFailure, WantedEnginePart, WantedTesseract};
use pagewise_ocr::{GrayImage, OcrError};

/// What a worker is offered.
pub(super) struct EngineOffer {
    /// Each is passed once.
    models: Vec<Option<OpenModel>>,
    tesseract: Option<Tesseract>,
    /// The language that the program is told.
    chosen: Option<String>,
}

impl EngineOffer {
    pub(super) fn of(settings: &WorkerSettings) -> Self {
        let models = settings.models.as_deref().filter(|_| cfg!(feature = "ocr")).map(open_models).unwrap_or_default();
        let uses_tesseract = settings.uses_tesseract && models.is_empty();
        let tesseract = uses_tesseract.then(|| Tesseract::find(settings)).flatten();
        Self { models: models.into_iter().map(Some).collect(), tesseract, chosen: settings.ocr_language.clone() }
    }

    /// A part, with the file of a model.
    pub(super) fn take(&mut self, WantedEnginePart(number): WantedEnginePart) -> (Option<EngineFacts>, Option<File>) {
        if let Some(OpenModel { part, file, length }) = self.models.get_mut(number).and_then(Option::take) {
            return (Some(EngineFacts::Model { part, length }), Some(file));
        }
        let tesseract = self.tesseract.as_ref().filter(|_| number == 0).map(|tesseract| EngineFacts::Tesseract {
            languages: tesseract.languages().to_vec(),
            chosen: self.chosen.clone(),
        });
        (tesseract, None)
    }

    /// Runs the program.
    pub(super) fn run(&self, wanted: WantedTesseract, run: &ProgramRun<'_>) -> io::Result<Result<String, RunFailure>> {
        let WantedTesseract { width, height, pixels, job } = wanted;
        let image = GrayImage::new(width, height, pixels.into()).ok_or(io::ErrorKind::InvalidData)?;
        let tesseract = self.tesseract.as_ref().ok_or(io::ErrorKind::InvalidData)?;
        Ok(tesseract.run(&image, &job, run.program_until, run.cancellation).map_err(|error| match error {
            OcrError::Late => RunFailure::Late,
            OcrError::Program { reason } => RunFailure::Other(reason),
            error => RunFailure::Other(error.to_string()),
        }))
    }
}
