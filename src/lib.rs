//! PDFs for coding agents: a summary first, then single pages, each sent once per conversation.
//!
//! A request names a file. The answer is a summary, or single pages as one-page PDFs, pictures or text, without those that
//! the conversation already holds. pagewise is an MCP server, a command line and this library.
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
//! [`Pagewise`] says what blocks and what it costs. Everything below is for those who change pagewise: its modules, the
//! "rooms", are public only for the tests and tools of this repository, and change without notice.
//!
//! # The way a request goes
//!
//! ```text
//! serve │ cli ──► tool ──► context ──► source ──► worker ┊ document ──► split │ text ──► structure │ render
//!                             │  ▲                       ┊                  │
//!                             ▼  └───── blocks, fingerprints ◄───────────────────┘
//!                           view ──► store         (recorded only after the answer was written)
//! ```
//!
//! 1. `tool` parses the arguments into a typed request.
//! 2. `source` opens the file once, inside the allowed roots, or a large PDF on the web where it is.
//! 3. `context` reads what the conversation holds and plans what to send. Planning is pure.
//! 4. `worker` passes the open file to a confined process, where `document` reads, `split` cuts, `text` extracts,
//!    `structure` finds blocks and tables, and `render` draws.
//! 5. `context` builds the answer within its limits.
//! 6. `serve` or `cli` calls `deliver` with its way to write. Only after the write are the pages recorded. A later
//!    cancellation by the client deletes the record.
//!
//! Office documents, books and notebooks go the same way: in the worker, `office` gives parts where `document` gives pages.
//!
//! # Rooms
//!
//! Without the feature `program` there is no door but the library: no command line, no server, no page of conversations. The
//! feature `web` brings the HTTP client; without it every URL is refused.
//!
//! Each room is a folder of `src`. Those that read, store and fetch are packages of one workspace, and their manifests say
//! which rooms and crates each may name:
//!
//! | package | what it gives |
//! |---|---|
//! | `pagewise-base` | [`PageNumber`], `PageIndex`, `PageLabel`, `PageSet`; [`ContentHash`], `PageFingerprint`; [`Limits`], [`Cancellation`], `Deadline`; `ProviderLimits` |
//! | `pagewise-document` | bytes → `Document`: three readers behind one trait, page tree, information, labels, outline, structure tree, comments, links, form fields, attachments, encryption, notes on damage; a page's content mended for engines |
//! | `pagewise-split` | a page → `PageChunk`, several → `JoinedPages`: closure, pruning, canonical writer, verification, fingerprint |
//! | `pagewise-text` | a page → `PageText` in reading order, search in it; its `PageLayout`: words, rules, areas and links in their places; rows of what stands on one baseline |
//! | `pagewise-structure` | a layout, and the structure tree of a Tagged PDF → lines and `Table`s, pages together → `Block`s, and Markdown |
//! | `pagewise-render` | a page → pixels → PNG |
//! | `pagewise-office` | office documents, books and notebooks → parts as Markdown, within bounds |
//! | `pagewise-ocr` | the text in a picture: `GrayImage`, `Recogniser`, models and what they find |
//! | `pagewise-library` | ranked search over many documents: `Index` in SQLite, ranking |
//! | `pagewise-charset` | the charset of bytes, and the text in them |
//! | `pagewise-view` | a `Conversation` as one value, and the rules that change it |
//! | `pagewise-store` | `ViewStore`, which loads and swaps conversations, and `SessionStore`: SQLite, memory, PostgreSQL |
//! | `pagewise-web` | the only HTTP client; fetching within allowed addresses, kept responses, large documents by ranges, object storage, uploads; a web page → `ReadablePage` Markdown |
//! | `pagewise-model` | `ModelClient`: providers of models, their protocols and limits |
//! | `pagewise-issuer` | JSON Web Tokens: `TokenVerifier`, the keys of an issuer |
//!
//! The root package keeps what stands between them and the doors. Each of its rooms names only those above it, which a test
//! holds, as it holds who may print and which room a crate belongs to:
//!
//! | room | what lives there |
//! |---|---|
//! | `worker` | runs the readers of PDFs, office documents and web pages in this process or in confined ones: pool, messages, sandbox |
//! | `source` | paths inside roots, references, patterns, file types, content hashes; no other room opens files of clients |
//! | `context` | `ContextManager`: plan, build, deliver, commit |
//! | `tool` | arguments, results, error codes, client table: every shape and text that a client sees; no transport |
//! | `embed` | [`Pagewise`]: the library in one value |
//! | `inspect` | `Inspector`: the page that shows people what conversations hold, its data and its calls |
//! | `serve` | MCP over standard input and output, and over HTTP; the page of conversations |
//! | `cli` | the command line |
//!
//! # Invariants
//!
//! - **`document`, `split`, `text`, `structure`, `render` and `view` do no I/O, have no clock and are not async.** Bytes come through
//!   `ReadAt`.
//! - **A page is recorded as sent only after the answer was written.** A lost record costs one page sent again; a false
//!   record would leave the agent blind.
//! - **The same page has the same bytes** in every process and on every machine: a chunk contains no date, no object number
//!   of its source and no hash order.
//! - **The strict reader refuses what is odd and leaves it to the next reader.** Nothing is guessed; repairs are noted.
//! - **Nothing that came from a file is indexed, unwrapped or cast with loss** (lints deny it), and a named limit bounds
//!   every loop over it.
//! - **The store decides what a conversation holds.** A process's copy is valid for one version of it. If the store cannot
//!   be read, nothing is left out of an answer and nothing is recorded.
//! - **A delivery that was planned before something was forgotten is not recorded.** It names the last sequence that its
//!   plan saw, and is refused if anything was forgotten since.
//! - **Only `cli` prints**: standard output belongs to the protocol.
//! - **With workers, this process parses no byte of a PDF.** A reader that hangs, crashes or lies costs one typed error.
//!
//! # Decisions
//!
//! `benches/README.md` has the measurements, with dates and commands.
//!
//! - **A remote document is read in blocks that its worker asks for**, of one version that a strong validator names. Its
//!   identity is that of the version; pages are known by their fingerprints as ever. See `web::ranges`.
//! - **Three readers, ours first**, since each opens files that the one before refuses. See `document`.
//! - **Every chunk is read back before it leaves**: by our own reader if the file was sound, by lopdf if it was repaired.
//!   See `split`.
//! - **Chunks copy compressed data, even damaged data**, since a repair changes what some viewers draw. Uncompressed data
//!   and old filters become Flate. See `split`.
//! - **Text is read from the positions of glyphs**; pdf-extract is asked only if no glyph has a known character. See
//!   `text`.
//! - **Words are gathered into rows in one place**, by one difference of baselines, and divided at gaps: for text with columns,
//!   lines, columns and tables alike. **Columns have one finder too**: by gutters, unless most rows of one side are the values or
//!   labels of rows on the other. Plain text, which is read where tables are not known, takes only the wide columns of prose
//!   from it, since those of a table look alike. See `text`.
//! - **Columns whose text runs to the left are mirrored** when pages are read together, so that one set of rules finds their
//!   paragraphs, items and headings. See `structure`.
//! - **Superscripts and subscripts are found once**, with the lines, also where a program draws them after its line, a space or
//!   the badge of an author. See `text`.
//! - **Lines that are a little aslant are level** before rows, columns and tables are found, for every form of a page. Each word
//!   knows how far it was moved, so boxes and links are where they are seen. Rules are not turned: a drawn table that lies
//!   aslant, which is rare, is text.
//! - **The lines of a scan have one size and one baseline each**, whether its words were recognised here or stand in a text
//!   layer of the file: what an engine guessed of a word's box says nothing of type. See `text`.
//! - **Text must look like text.** Some fonts map their glyphs to wrong characters, and nothing in the file says so.
//!   Characters of an implausible font count as unknown; such a page is sent as a picture. Elsewhere a glyph without a known
//!   character is U+FFFD, which shows that something is missing. Bitmap fonts of TeX say nothing at all; their widths tell
//!   which they are. Publishers' fonts of signs, which call `−` a 2 and `μ` an m, are known by their names. See `text`.
//! - **Markdown has every word of its page.** It is without a line only where most of the pages around it have this line, of
//!   three at least, with no difference but the page's own number, and without the numbers that count the lines of a
//!   manuscript or a listing; the answer's details list both. See `structure`.
//! - **Formulas are LaTeX where the places of their signs decide it**, with letters and signs in Unicode, so that a formula has
//!   the words of its page. What the places do not decide stays text. See `structure`.
//! - **A table is written with pipes unless a value covers several places.** Heads over several columns leave places empty, and
//!   the heads below show how far they go; in HTML the same costs nearly twice as much. See `structure`.
//! - **A head between rules below a label such as `Table 1` declares a table**, however much prose or white space is in it.
//!   Charts and algorithms have labels and rules too, and are refused by what they hold. See `structure`.
//! - **The labels of a chart are given together, at the place of the chart.** None of them is a heading, a list item or a
//!   formula. Diagrams are read in the same way. A chart is known by its curves, its bars or the name of an axis, and by short
//!   texts. See `structure`.
//! - **A raised number refers to a note only if the note stands at the foot of the same page.** Otherwise it is a superscript:
//!   notes at the end of a book may be numbered anew in each chapter, and pages are read alone. See `structure`.
//! - **Drawn check boxes and underscores are words of the layout**, since a form says with them what its words do not. Plain text,
//!   which is read without rules, is without them. See `text`.
//! - **The structure tree of a Tagged PDF is a witness**, believed page by page where it accounts for the text in an order
//!   that a reader could follow. See `structure`.
//! - **anydoc reads office documents and books**, since it has every format and a model of blocks. What it drops is written
//!   into a copy of the file first, so that comments, changes and formulas stand in their places. See `office`.
//! - **hayro draws**, since it comes as near to the reference renderers as they come to each other. See `render`.
//! - **A page has a budget of processor time.** A list of what each step should cost would be a second model of the engine:
//!   it refused honest pages and admitted hostile ones. Our devices check the clock at their callbacks and leave the engine;
//!   the parent ends a worker whose engine calls nobody back. Only decoded sizes are bounded beforehand: they are facts of
//!   the format. A process without workers has no such end.
//! - **Our readers check a deadline, libraries do not**: a late worker is killed, and a watchdog ends a late command.
//! - **Ranked search keeps its index in SQLite's FTS5**, as keys of pages without positions, and scores pages from the rows
//!   of each key: `bm25()` over the same rows takes four times as long. Texts are read again for the best. See `library`.
//! - **A tool's arguments are one struct**, from which its schema, the options of its command and their help are derived. All
//!   doors read it by its schema, so that an error names the parameter. See `tool::arguments`.
//! - **Base64 is made while it is written**, so that results need no memory for it. See `serve`.
//! - **Commits are batched but never deferred**: a commit writes all pending records, and returns when its own is durable.
//! - **No process has state of its own that others must learn.** Merging copies would need tombstones; all processes
//!   share one serialising store instead.
//! - **A conversation is one value, replaced by compare-and-set.** A record costs as much as its conversation is large, which
//!   `view::MAX_HOLDINGS` bounds, and the rules are written once, for every store. See `store::change_all`.
//! - **A page that left one file stays held for the others**, since another file may have delivered it.
//! - **The page of conversations draws when it is looked at**, since the store keeps no content; and no rule rests on the
//!   history that the store keeps for it. See `inspect`.
//! - **Separation colour spaces are not pruned**, since MuPDF blends a page differently without them, even unused ones.

#![deny(missing_docs)]

// Tests of a room may share what stands in tests/support.
#[cfg(test)]
extern crate self as pagewise;

// Public for the tests, benches and fuzz targets of this repository, and hidden from the documentation.
#[cfg(feature = "program")]
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod context;
mod embed;
#[cfg(feature = "program")]
#[doc(hidden)]
pub mod inspect;
#[cfg(feature = "program")]
#[doc(hidden)]
pub mod serve;
#[doc(hidden)]
pub mod source;
#[doc(hidden)]
pub mod tool;
#[doc(hidden)]
pub mod worker;

pub use context::{Block, DocumentBlock, ImageBlock};
pub use embed::{Answer, Api, Builder, Error, Pagewise, Request};
pub use pagewise_base::hash::ContentHash;
pub use pagewise_base::limits::{Cancellation, Limits};
pub use pagewise_base::page::PageNumber;
pub use tool::{ErrorCode, FormArgument as Form};
