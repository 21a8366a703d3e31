//! PDFs and web pages read where they can do no harm: in worker processes that can do nothing but read one open file
//! and answer.
//!
//! [`Reader`] and [`Pages`] are the seam: all that is asked of a document. [`InProcess`] answers it here, within
//! [`Limits`](crate::limits::Limits); [`WorkerReader`] has a worker answer it, which is this program started with the
//! hidden subcommand `worker`. That one holds a socket, later the file, and nothing else: see [`Layers`].
//!
//! A reader that hangs, runs out of memory or breaks costs its worker and one typed error ([`WorkerError`]); every other
//! request goes on. `catch_unwind` would not do: an overflowing stack, a failed allocation and a panic within a panic
//! all end the process.
//!
//! `pagewise page` and `pagewise split` confine their own process instead: a worker for one page would nearly double
//! the processor time of the command (6.3 to 6.8 ms for 3.4 to 3.8, medians of 60 runs on two fixtures).
//!
//! A page of 1 MB cost a worker 7.6 ms of processor time, and 2.3 since it keeps memory that it freed: 1,435 page faults a
//! page, now none. The socket itself takes .25 ms a megabyte. Measured beside it: shared memory takes the same where its
//! pages are kept, and .8 ms where they are not, so that there is no second way for large answers.
//!
//! **The parent looks at no byte of a PDF**; it passes the open file on as a descriptor, and believes no length that
//! an answer names before the bytes are there. A document that has killed two workers is refused for as long as the
//! process runs.
//!
//! On systems that are no Unix there are no such workers: [`WorkerReader`] reads in its own process, within the limits, and
//! refuses to where the sandbox is required.

#[cfg(all(unix, not(pagewise_portable)))]
mod child;
#[cfg(all(unix, not(pagewise_portable)))]
mod descriptor;
#[cfg(all(unix, not(pagewise_portable), debug_assertions))]
mod drill;
mod error;
mod fonts;
#[cfg(all(unix, not(pagewise_portable)))]
mod frame;
mod in_process;
#[cfg(any(not(unix), pagewise_portable))]
mod no_process;
mod pages;
#[cfg(all(unix, not(pagewise_portable)))]
mod painted;
#[cfg(all(unix, not(pagewise_portable)))]
mod pool;
#[cfg(all(unix, not(pagewise_portable)))]
mod process;
mod sandbox;
#[cfg(all(unix, not(pagewise_portable)))]
mod session;
mod settings;
mod web_page;
#[cfg(all(unix, not(pagewise_portable)))]
mod wire;

#[cfg(all(unix, not(pagewise_portable)))]
pub use child::run as run_worker;
#[cfg(all(unix, not(pagewise_portable), debug_assertions))]
pub use drill::Drill;
pub use error::WorkerError;
pub use fonts::{FontFiles, OpenFont, ReadFonts};
pub use in_process::InProcess;
#[cfg(any(not(unix), pagewise_portable))]
pub use no_process::{WorkerReader, run_worker};
pub use pages::{PageChunk, PageKind, PageText, Pages, PdfAction, PdfError, Picture, Readable, Reader, RenderOptions};
pub use sandbox::Layers;
pub(crate) use sandbox::confine_command;
#[cfg(all(unix, not(pagewise_portable)))]
pub use session::WorkerReader;
pub use settings::{DEFAULT_DEADLINE, WorkerSettings};

/// Whether this system has processes of their own for readers; elsewhere [`WorkerReader`] reads in this one.
pub const HAS_PROCESSES: bool = cfg!(all(unix, not(pagewise_portable)));
