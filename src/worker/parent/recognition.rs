//! Requests to recognise pages.

use std::io;
use std::os::unix::net::UnixStream;

use bytes::Bytes;

use super::session::WorkerDocument;
use crate::worker::error::WorkerError;
use crate::worker::pages::{PdfError, RecognisedPage, Recognition, StructuredPage};
use crate::worker::settings::RECOGNITION_FACTOR;
use crate::worker::wire::frame;
use crate::worker::wire::socket;
use crate::worker::wire::structure::decode_page;
use crate::worker::wire::words::decode_words;
use crate::worker::wire::{WorkerReply, WorkerRequest};
use pagewise_base::page::PageIndex;
use pagewise_document::PageLayer;
use pagewise_ocr::OcrError;

impl WorkerDocument {
    /// Recognises a page, unless its own text is what a reader sees.
    pub(super) fn ask_recognition(&self, page: PageIndex, is_forced: bool) -> Result<Recognition, PdfError> {
        let deadline_ms = self.reader.pool.deadline_ms().saturating_mul(RECOGNITION_FACTOR);
        match self.ask(&WorkerRequest::Recognise { page: page.0, is_forced, deadline_ms })? {
            (WorkerReply::OwnText, _) => Ok(Recognition::OwnText),
            (WorkerReply::Recognised { text: facts, words_bytes, confidences }, body) => {
                let (words, page) = body.split_at_checked(words_bytes).ok_or(WorkerError::Nonsense)?;
                let (_, words) = decode_words(words).map_err(|_| WorkerError::Nonsense)?;
                let (text, structure, tables) = decode_page(page).map_err(|_| WorkerError::Nonsense)?;
                let page = StructuredPage { text: facts.with(text), structure, tables };
                Ok(Recognition::Page(Box::new(RecognisedPage { page, words, confidences })))
            }
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    /// The file with a layer of invisible text.
    pub(super) fn ask_text_layer(&self, layers: &[PageLayer]) -> Result<Bytes, PdfError> {
        let layers = layers.iter().map(|(page, words)| (page.0, words.iter().map(Into::into).collect()));
        match self.ask(&WorkerRequest::TextLayer(layers.collect()))? {
            (WorkerReply::TextLayer, file) => Ok(file),
            _ => Err(WorkerError::Nonsense.into()),
        }
    }
}

/// Sends a worker what a program printed, or why it failed.
pub(super) fn send_outcome(socket: &UnixStream, outcome: Result<String, OcrError>) -> io::Result<()> {
    let (outcome, body) = match outcome {
        Ok(answer) => (Ok(()), answer),
        Err(OcrError::Program { reason }) => (Err(reason), String::new()),
        Err(error) => (Err(error.to_string()), String::new()),
    };
    socket::send_parts(socket, &frame::encode_header(&outcome, body.len())?, body.as_bytes())
}
