//! Wire types for recognition and text layers.

use std::io;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::WorkerReply;
use super::structure::encode_page;
use super::words::encode_words;

use crate::worker::pages::{RecognisedPage, Recognition};
use pagewise_document::LayerWord;
use pagewise_ocr::TesseractMode;

/// Text, origin, turn, length and size of a [`LayerWord`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WireLayerWord(String, [f64; 2], f64, f64, f64);

impl From<&LayerWord> for WireLayerWord {
    fn from(LayerWord { text, origin, turn, length, size }: &LayerWord) -> Self {
        Self(text.clone(), *origin, *turn, *length, *size)
    }
}

impl From<WireLayerWord> for LayerWord {
    fn from(WireLayerWord(text, origin, turn, length, size): WireLayerWord) -> Self {
        Self { text, origin, turn, length, size }
    }
}

/// [`TesseractMode`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum WireTesseractMode {
    Orientation,
    Page,
    Line,
}

impl From<TesseractMode> for WireTesseractMode {
    fn from(mode: TesseractMode) -> Self {
        match mode {
            TesseractMode::Orientation => Self::Orientation,
            TesseractMode::Page => Self::Page,
            TesseractMode::Line => Self::Line,
        }
    }
}

impl From<WireTesseractMode> for TesseractMode {
    fn from(mode: WireTesseractMode) -> Self {
        match mode {
            WireTesseractMode::Orientation => Self::Orientation,
            WireTesseractMode::Page => Self::Page,
            WireTesseractMode::Line => Self::Line,
        }
    }
}

impl WorkerReply {
    /// The reply for a recognised page, and the message body.
    pub(crate) fn of_recognition(recognition: Recognition) -> io::Result<(Self, Bytes)> {
        let Recognition::Page(recognised) = recognition else { return Ok((Self::OwnText, Bytes::new())) };
        let RecognisedPage { page, words, confidences } = *recognised;
        let text = (&page.text).into();
        let words = encode_words(String::new(), words)?;
        let reply = Self::Recognised { text, words_bytes: words.len(), confidences };
        Ok((reply, [words, encode_page(page)?].concat().into()))
    }
}
