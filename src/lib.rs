//! pagewise stands between a coding agent and its PDFs.
//!
//! A request names a file; the answer is a summary, or single pages as standalone PDFs, images or text, and never what
//! the conversation already holds. The doors are an MCP server, a command line and this library.
//!
//! ```
//! use pagewise::{Api, Pagewise, Request};
//!
//! # fn main() -> Result<(), pagewise::Error> {
//! let pagewise = Pagewise::builder().root("fixtures").build()?;
//! let answer = pagewise.get_file(&Request::new("latex.pdf").pages("3").conversation("chat"))?;
//! let content = answer.to_json(Api::Anthropic); // content blocks for a message or a tool result
//! assert_eq!(content[0]["source"]["media_type"], "application/pdf");
//! answer.commit()?; // once the provider has accepted the request: page 3 is not sent again
//! # Ok(())
//! # }
//! ```
//!
//! [`Pagewise`] says what blocks and what it costs. The rooms below are for this repository's own tests and tools, and
//! change without notice.
//!
//! # The way a request goes
//!
//! ```text
//! serve │ cli ──► tool ──► context ──► source ──► worker ┊ document ──► split │ text │ render
//!                             │  ▲                       ┊                       │
//!                             ▼  └───── blocks, fingerprints ◄───────────────────┘
//!                           view ──► store         (marked only after the answer was written)
//! ```
//!
//! 1. `tool` turns arguments into a typed request.
//! 2. `source` opens the file once, beneath the allowed roots.
//! 3. `context` asks the view what the conversation holds and plans what to send, which is pure.
//! 4. `worker` passes the open file to a confined process, where `document` reads, `split` cuts, `text` extracts and
//!    `render` draws.
//! 5. `context` builds the answer under its budget.
//! 6. The door hands [`deliver`](tool::deliver) its way to write; then, and only then, the pages are marked. What the client
//!    cancels later is taken back.
//!
//! # Rooms, and whom each may name
//!
//! The vocabulary (`page`, `hash`, `limits`, `provider`) may be named by all. A test reads this table and the sources,
//! and fails on an arrow that is not here.
//!
//! | room | what lives there | may name | crates of its own |
//! |---|---|---|---|
//! | `page` | [`PageIndex`](page::PageIndex), [`PageNumber`], [`PageLabel`](page::PageLabel), [`PageSet`](page::PageSet), selections | | |
//! | `hash` | [`ContentHash`], [`PageFingerprint`](hash::PageFingerprint) | | |
//! | `limits` | [`Limits`], [`LimitExceeded`](limits::LimitExceeded), [`Cancellation`], [`Deadline`](limits::Deadline) | | |
//! | `provider` | [`ProviderLimits`](provider::ProviderLimits): what providers of models take in a request | | |
//! | `document` | bytes → [`Document`](document::Document): four readers behind one trait, page tree, information, labels, outline, encryption, notes on damage | | qpdf, weezl, flate2, smallvec |
//! | `split` | a page → [`PageChunk`](split::PageChunk), several → [`JoinedPages`](split::JoinedPages): closure, pruning, canonical writer, verification, fingerprint | document | |
//! | `text` | a page → [`PageText`](text::PageText) in reading order, search in it | document | pdf_extract, skrifa, regex, unicode_normalization |
//! | `render` | a page → pixels → PNG | document | png |
//! | `html` | a web page → [`Readable`](html::Readable) Markdown; charsets | http | dom_smoothie, dom_query, encoding_rs |
//! | `worker` | runs the five above, in this process or in confined ones of their own: pool, messages, sandbox | document, split, text, render, html | landlock, seccompiler |
//! | `view` | what a conversation holds: pure data and rules | | |
//! | `store` | [`ViewStore`](store::ViewStore), [`SessionStore`](store::SessionStore): SQLite, memory, PostgreSQL | view, source | rusqlite, tokio_postgres, deadpool_postgres, tokio_postgres_rustls, rustls_native_certs, futures_util, percent_encoding |
//! | `source` | paths beneath roots, URLs and what was fetched, what a file is, content hashes; the only room that opens a client's files | web | |
//! | `http` | the one HTTP client: TLS, no proxy, no redirect unless asked, bodies made while they are sent | | reqwest, http_body |
//! | `web` | fetching: which addresses may be asked ([`WebSettings`](web::WebSettings)), redirects, bounds, what was fetched and is kept | http | |
//! | `context` | [`ContextManager`](context::ContextManager): plan, build, deliver, commit | document, split, text, render, html, worker, view, store, source, web | dashmap, similar, getrandom |
//! | `model` | [`ModelClient`](model::ModelClient): providers of models, their protocols and limits | http | base64, base64_simd, httpdate |
//! | `tool` | arguments, results, error codes, client table: every shape and text of the contract; no transport | context, view, model | unicode_segmentation |
//! | `embed` | [`Pagewise`]: the library in one value | context, tool | |
//! | `serve` | MCP over standard input and output, and over HTTP | tool | rmcp, axum, hyper, hyper_util, async_trait |
//! | `cli` | the command line | tool, serve | clap, clap_complete, clap_mangen, indicatif, toml, strsim, terminal_size, tracing_subscriber |
//!
//! # Invariants
//!
//! - **`document`, `split`, `text`, `render` and `view` do no I/O, know no clock and are not async.** Bytes come through
//!   [`ReadAt`](document::ReadAt).
//! - **A page is marked as sent only after the answer was written.** A lost mark costs one page sent again; a false
//!   one would leave the agent blind.
//! - **The same page gives the same bytes**, in every process and on every machine: no date, no object number of the
//!   source, no hash order reaches a chunk.
//! - **What is odd is refused by the strict reader and handed to the next**, never guessed; what was repaired is noted.
//! - **Nothing that came from a file is indexed, unwrapped or cast with loss** (lints deny it), and every loop over it
//!   is bounded by a limit with a name.
//! - **What a conversation holds is what its store says.** A copy in a process is good for one version of it; where the
//!   store cannot be read, nothing is left out of an answer and nothing recorded.
//! - **What was planned before something was forgotten is not recorded**: a delivery names the last sequence that its
//!   plan knew of, and a store refuses it where anything was forgotten since.
//! - **Standard output is the protocol's**: only `cli` prints.
//! - **With workers, this process parses no byte of a PDF**; a reader that hangs or breaks costs one typed error.
//! - **Serde derives stand only in `tool`, `store` and `worker`**: a derived type is a promise.
//!
//! # Decisions with their figures
//!
//! - **Four readers, ours first.** Of 2,260 real and damaged files the direct reader opens 2,085, hayro-syntax 128,
//!   libqpdf 12 and lopdf 1; the rest are no PDFs, need a password or have no page that any tool finds. See
//!   [`document`].
//! - **Pages of sound files are read back by our own reader**, those of repaired ones by lopdf, which was nearly half of
//!   the work of a split and refused none of 3,564 pages that the strict reader took. See [`split`].
//! - **Chunks are copied, not rewritten.** Compressed stream data stays as it is, also where it is damaged: replacing
//!   damaged content by its sound beginning made 14 of 2,771 pages draw otherwise in MuPDF. Sound data that is not
//!   compressed, or in a filter that Flate does better than, is deflated. See [`split`].
//! - **Text comes from the places of glyphs.** Of 500 files of the corpus, 159 with text that two of Poppler, MuPDF and
//!   pdfium agree on: word F1 .988 against their agreement (they have .964 to .981), at .89 of the CPU of pdftotext,
//!   most of it the start of two processes for a page or two, and at .3 to .8 of it for documents of a thousand pages,
//!   whose fonts are read once. pdf-extract is asked only where no glyph has a known character. See [`text`].
//! - **What is read must look like text.** Fonts without a map to characters, or with one that lies, give letters that are
//!   none; nothing in the file says so. Each font is judged by what it says on a page, and what is implausible counts as
//!   unknown: such a page goes as a picture, and is named as unreadable. See [`text`].
//! - **hayro draws.** Of 478 first pages of the same files at 150 DPI: SSIM .9963 to the nearest of Poppler, MuPDF and
//!   pdfium (.9955 where there is ink; pdfium's own: .9932, .9911), none blank where others draw, at .27 of the CPU of
//!   pdftoppm on a quiet machine. See [`render`].
//! - **What is drawn is counted by the engine that draws it.** No engine bounds forms within forms. So a device of ours
//!   takes steps for each call of the interpreter, before a picture is painted and while a text is read, and leaves the
//!   engine when a page has taken too many. What makes no call is bounded by a look at each object that the page reaches.
//! - **Readers look at a deadline, libraries do not.** Every loop that a file can make long checks it (the clock is
//!   looked at once in 32 checks); a worker that is past it is killed, and a command ends by a thread that watches it.
//! - **Data becomes base64 while it is written.** A page of 1 MB took 17.6 ms of processor time of the server and its
//!   worker, 45 % of it for memory fresh from the system and an eighth for what JSON must escape; it takes 4.7 to
//!   5.7 ms since results have marks for data. See [`serve`].
//! - **Recording is shared, not put off.** Whoever commits records all that has gathered, and returns when its own is
//!   durable: what was reported as recorded survived 5,000 kills of eight processes on one store, none lost, none made
//!   up. A thread that records later would have to be waited for at the end of a process.
//! - **No process has a truth of its own.** Copies that were merged needed tombstones, sequences made up while a store
//!   failed, and lists of what was still to be forgotten; all processes share one serialising store anyway.
//! - **A page that left one place of a file is not forgotten elsewhere.** A model of sets found that telling of a page
//!   that moved took it from the file that had given it, so that forgetting that file left it held.
//! - **Inks stay.** MuPDF blends otherwise where resources hold Separation colour spaces, used or not, so those are
//!   not pruned.

// Tests of a room may share what stands in tests/support.
#[cfg(test)]
extern crate self as pagewise;

// Public for the tests, benches and fuzz targets of this repository, and hidden from the documentation.
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod context;
#[doc(hidden)]
pub mod document;
mod embed;
#[doc(hidden)]
pub mod hash;
#[doc(hidden)]
pub mod html;
pub(crate) mod http;
#[doc(hidden)]
pub mod limits;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod page;
#[doc(hidden)]
pub mod provider;
#[doc(hidden)]
pub mod render;
#[doc(hidden)]
pub mod serve;
#[doc(hidden)]
pub mod source;
#[doc(hidden)]
pub mod split;
#[doc(hidden)]
pub mod store;
#[doc(hidden)]
pub mod text;
#[doc(hidden)]
pub mod tool;
#[doc(hidden)]
pub mod view;
#[doc(hidden)]
pub mod web;
#[doc(hidden)]
pub mod worker;

pub use context::{Block, DocumentBlock, ImageBlock};
pub use embed::{Answer, Api, Builder, Error, Pagewise, Request};
pub use hash::ContentHash;
pub use limits::{Cancellation, Limits};
pub use page::PageNumber;
pub use tool::{ErrorCode, FormArgument as Form};
