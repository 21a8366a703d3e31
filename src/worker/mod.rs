//! Reads PDFs and web pages in confined worker processes, which can only read one open file and answer.
//!
//! [`Reader`] and [`Pages`] are the interface to documents. [`InProcessReader`] implements them in this process, within
//! [`Limits`](pagewise_base::limits::Limits). [`WorkerReader`] implements them with workers: this program, started with the hidden
//! subcommand `worker`. A worker has a socket, the file, and nothing else; see [`SandboxLayers`].
//!
//! If a reader hangs, runs out of memory or crashes, that costs its worker and one [`WorkerError`]; other requests
//! continue. `catch_unwind` is not enough: stack overflows, failed allocations and double panics end the process.
//!
//! A worker keeps its last document open, and the parent keeps its answers, as long as the file does not change; see
//! `parent`. Nothing is kept of a damaged document.
//!
//! `pagewise page` and `pagewise split` confine their own process instead, since a worker would nearly double the time
//! of the command.
//!
//! **The parent reads no byte of a PDF**, and believes nothing that a worker says. It passes the open file as a
//! descriptor. An answer is decoded into valid values within a bound for its kind, or the worker is ended: numbers are
//! finite, indices lie within their lists, and memory is bounded by the bytes that arrived. See `wire::decode`. Of a
//! remote document the parent passes the ranges that the worker asks for, and no others: a worker has no network. A
//! document that has killed two workers is refused until the process ends.
//!
//! There are no workers on systems other than Unix: [`WorkerReader`] then reads in this process, and refuses to if the
//! sandbox is required.

mod cached_chunks;
#[cfg(all(unix, not(pagewise_portable)))]
mod child;
#[cfg(all(unix, not(pagewise_portable), debug_assertions))]
mod drill;
mod engine;
mod error;
mod fonts;
mod in_process;
mod layer_check;
mod marked_words;
#[cfg(feature = "office")]
mod office;
mod pages;
#[cfg(all(unix, not(pagewise_portable)))]
mod parent;
#[cfg(all(unix, not(pagewise_portable)))]
mod parent_socket;
pub(crate) mod recognising;
mod recognition;
#[cfg(all(unix, not(pagewise_portable)))]
mod remote_file;
mod sandbox;
mod settings;
#[cfg(all(unix, not(pagewise_portable)))]
mod tesseract;
mod web_page;
#[cfg(all(unix, not(pagewise_portable)))]
mod wire;
#[cfg(any(not(unix), pagewise_portable))]
mod without_processes;

#[cfg(all(unix, not(pagewise_portable)))]
pub use child::run as run_worker;
#[cfg(all(unix, not(pagewise_portable), debug_assertions))]
pub use drill::Drill;
pub use engine::OcrEngine;
pub use error::WorkerError;
pub use fonts::{FontFiles, LocalFonts, OpenFont};
pub use in_process::InProcessReader;
pub use pages::{
    DocumentFacts, DocumentWants, DrawnPage, FileJob, PageFacts, PageImages, PageKind, PageRegions, PageSource,
    PageText, PageWants, PageWords, Pages, PdfAction, PdfChunk, PdfError, Picture, PictureFault, ReadablePage, Reader,
    ReaderMemory, RecognisedPage, Recognition, RecognitionAttempt, RecognitionLimits, RecognitionRequest,
    RenderOptions, StructuredPage, WithoutRecognition,
};
#[cfg(all(unix, not(pagewise_portable)))]
pub use parent::WorkerReader;
pub use recognising::{OcrMode, OcrReport, RecognisingDocument, RecognitionBudget};
pub use sandbox::SandboxLayers;
pub(crate) use sandbox::confine_command;
pub use settings::{DEFAULT_DEADLINE, WorkerSettings};
#[cfg(all(unix, not(pagewise_portable)))]
pub use tesseract::become_tesseract;
#[cfg(any(not(unix), pagewise_portable))]
pub use without_processes::{WorkerReader, become_tesseract, run_worker};

/// A page's facts as a parent decodes them from the answer of a worker, for tests of the decoder.
#[cfg(all(unix, not(pagewise_portable)))]
#[must_use]
pub fn decode_page_facts(answer: &[u8]) -> Option<PageFacts> {
    match wire::decode::decode(answer, None) {
        Ok(wire::WorkerMessage::Answer(Ok(wire::Noted { answer, .. }))) => Some(answer),
        _ => None,
    }
}

/// Whether this system has worker processes. Otherwise [`WorkerReader`] reads in this process.
pub const HAS_PROCESSES: bool = cfg!(all(unix, not(pagewise_portable)));
