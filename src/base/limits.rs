//! Limits on what a PDF may cost, the error when one is exceeded, and deadlines and cancellation.

mod deadline;
mod processor_clock;
mod watched_threads;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use deadline::{CallbackGuard, Cancellation, Deadline, StopReason};
pub use processor_clock::ProcessorClock;
pub use watched_threads::{WatchedThread, has_lost_thread, watch_this_thread};

/// Limits on reading, cutting and extracting. [`Limit::is_setting`] says which of them are settings of the program.
///
/// The defaults follow those of pypdf, qpdf and PDFium, and leave room above all real files that were tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of a PDF. 512 MiB: base64 and the limits of requests make larger ones useless.
    pub max_file_bytes: u64,
    /// Depth of arrays and dictionaries inside each other. 100: real files have about 15, PDFium stops at 64.
    pub max_nesting: u32,
    /// Values in one object, with those inside others. 1,200,000: room for a million kids in one array of the page tree.
    pub max_object_values: u32,
    /// Levels of the page tree. 1,000: real trees have at most 10, a test file of qpdf has more than 100.
    pub max_page_tree_depth: u32,
    /// Pages of a document. 1,000,000.
    pub max_pages: u32,
    /// References that lead to references. 32: writers make none.
    pub max_reference_hops: u32,
    /// Cross-reference sections of incremental updates, with ten times as many subsections. 100,000: an editor that saves
    /// every minute makes a few thousand.
    pub max_xref_sections: u32,
    /// Filters on one stream. 25, as in qpdf.
    pub max_filters: u32,
    /// Decoded bytes of one stream. 75 MB, as in pypdf.
    pub max_stream_bytes: u64,
    /// Decoded bytes of all streams in one operation. 512 MB.
    pub max_decoded_bytes: u64,
    /// Decoded size of a stream as a multiple of its stored size, above [`RATIO_FREE_BYTES`]. 1,000: Deflate alone reaches
    /// 1,032 on zeros, and several filters have no bound.
    pub max_ratio: u64,
    /// Objects that one page reaches. 250,000: a real file has a page with 32,768 annotations.
    pub max_page_objects: u32,
    /// Bytes of one page as a PDF of its own. 256 MB: far above what any answer can carry.
    pub max_page_bytes: u64,
    /// Entries of an outline. 100,000, as in pypdf.
    pub max_outline_items: u32,
    /// Bytes of the text of one page. 1 MB: a printed page has a few thousand.
    pub max_text_bytes: u64,
    /// Depth of patterns, masks and glyphs drawn within each other. 45: real pages have a few, and the engine follows
    /// form XObjects to a depth of 50 itself.
    pub max_form_depth: u32,
    /// Milliseconds of processor time for the text or the picture of one page, by [`processor_clock`](Self::processor_clock).
    /// 4,000: plans of a million strokes take half of it.
    pub max_page_cpu_ms: u64,
    /// Pixels of a drawn page. 100 megapixels.
    pub max_pixels: u64,
    /// Pixels of one image on a page, with its masks. 100 megapixels: A3 at 600 DPI has 70.
    pub max_image_pixels: u64,
    /// Pixels of the longer side of a drawn page. 65,535: the engine counts them in sixteen bits.
    pub max_side_pixels: u16,
    /// Pages that one call recognises. 50: each takes as long as drawing twenty.
    pub max_ocr_pages: u64,
    /// Milliseconds in which one search recognises pages. 10,000: it is done well before clients give up, after a minute.
    pub max_ocr_search_ms: u64,
    /// Milliseconds in which any other call of a client recognises pages. 45,000: for the same reason.
    pub max_ocr_ms: u64,
    /// When the operation has to stop: the setting `worker_deadline_ms`. Never by default.
    #[serde(skip)]
    pub deadline: Deadline,
    /// What measures the processor time of a page. Nothing by default.
    #[serde(skip)]
    pub processor_clock: ProcessorClock,
}

/// Decoded size of a stream up to which its ratio does not matter. 10 MB: blank pictures are that large.
pub const RATIO_FREE_BYTES: u64 = 10_000_000;

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_file_bytes: 512 << 20,
            max_nesting: 100,
            max_object_values: 1_200_000,
            max_page_tree_depth: 1_000,
            max_pages: 1_000_000,
            max_reference_hops: 32,
            max_xref_sections: 100_000,
            max_filters: 25,
            max_stream_bytes: 75_000_000,
            max_decoded_bytes: 512_000_000,
            max_ratio: 1_000,
            max_page_objects: 250_000,
            max_page_bytes: 256_000_000,
            max_outline_items: 100_000,
            max_text_bytes: 1_000_000,
            max_form_depth: 45,
            max_page_cpu_ms: 4_000,
            max_pixels: 100_000_000,
            max_image_pixels: 100_000_000,
            max_side_pixels: u16::MAX,
            max_ocr_pages: 50,
            max_ocr_search_ms: 10_000,
            max_ocr_ms: 45_000,
            deadline: Deadline::default(),
            processor_clock: ProcessorClock::default(),
        }
    }
}

impl Limits {
    /// These limits for operations of at most `time`, the first of which begins now. A page may spend at most a quarter of it, so
    /// that there is time to say so.
    #[must_use]
    pub fn for_operations_of(self, time: Duration) -> Self {
        let quarter = u64::try_from(time.as_millis() / 4).unwrap_or(u64::MAX);
        Self {
            max_page_cpu_ms: self.max_page_cpu_ms.min(quarter),
            deadline: Deadline::after(time),
            processor_clock: ProcessorClock::of_thread(),
            ..self
        }
    }
}

macro_rules! limits {
    ($($(#[$doc:meta])* $limit:ident = $name:literal,)*) => {
        /// A limit that a document can exceed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Limit {
            $($(#[$doc])* $limit,)*
        }

        impl Limit {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$limit),*];

            /// The name of the limit and, where it [is one](Self::is_setting), of the setting.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$limit => $name,)*
                }
            }
        }
    };
}

limits! {
    /// [`Limits::max_file_bytes`].
    FileBytes = "max_file_bytes",
    /// [`Limits::max_nesting`].
    Nesting = "max_nesting",
    /// [`Limits::max_object_values`].
    ObjectValues = "max_object_values",
    /// [`Limits::max_page_tree_depth`].
    PageTreeDepth = "max_page_tree_depth",
    /// [`Limits::max_pages`].
    Pages = "max_pages",
    /// [`Limits::max_reference_hops`].
    ReferenceHops = "max_reference_hops",
    /// [`Limits::max_xref_sections`].
    XrefSections = "max_xref_sections",
    /// [`Limits::max_filters`].
    Filters = "max_filters",
    /// [`Limits::max_stream_bytes`].
    StreamBytes = "max_stream_bytes",
    /// [`Limits::max_decoded_bytes`].
    DecodedBytes = "max_decoded_bytes",
    /// [`Limits::max_ratio`].
    Ratio = "max_ratio",
    /// [`Limits::max_page_objects`].
    PageObjects = "max_page_objects",
    /// [`Limits::max_page_bytes`].
    PageBytes = "max_page_bytes",
    /// [`Limits::max_text_bytes`].
    TextBytes = "max_text_bytes",
    /// [`Limits::max_form_depth`].
    FormDepth = "max_form_depth",
    /// [`Limits::max_page_cpu_ms`].
    PageCpu = "max_page_cpu_ms",
    /// [`Limits::max_pixels`].
    Pixels = "max_pixels",
    /// [`Limits::max_image_pixels`].
    ImagePixels = "max_image_pixels",
    /// [`Limits::max_side_pixels`].
    SidePixels = "max_side_pixels",
    /// Bytes of a page's picture in an answer.
    PictureBytes = "max_picture_bytes",
}

impl Limit {
    /// Whether the program has a setting of this name. Limits that no sound document comes near are fixed there.
    #[must_use]
    pub fn is_setting(self) -> bool {
        self.counted().is_none()
    }

    /// What a fixed limit counts; `None` for a setting, which its name tells.
    #[must_use]
    pub fn counted(self) -> Option<&'static str> {
        Some(match self {
            Self::FileBytes
            | Self::Pages
            | Self::StreamBytes
            | Self::DecodedBytes
            | Self::Ratio
            | Self::PageCpu
            | Self::Pixels
            | Self::ImagePixels
            | Self::PictureBytes => return None,
            Self::Nesting => "levels of nested objects",
            Self::ObjectValues => "values in one object",
            Self::PageTreeDepth => "levels of the page tree",
            Self::ReferenceHops => "references to references",
            Self::XrefSections => "cross-reference sections",
            Self::Filters => "filters of one stream",
            Self::PageObjects => "objects of one page",
            Self::PageBytes => "bytes of one page",
            Self::TextBytes => "bytes of text on one page",
            Self::FormDepth => "levels of patterns, masks and glyphs",
            Self::SidePixels => "pixels on a side of a picture",
        })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A limit was exceeded. The file may be sound all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{}", self.problem())]
pub struct LimitExceeded {
    pub which: Limit,
    pub limit: u64,
    /// What was met; where counting stopped, the least it can be.
    pub found: u64,
}

impl LimitExceeded {
    /// The text of the error. It names the setting that changes the limit, if there is one.
    fn problem(&self) -> String {
        let Self { which, limit, found } = self;
        match (which, which.counted()) {
            (Limit::PageCpu, _) => format!("a page took more than {which}, which is {limit}"),
            (_, Some(counted)) => format!("at most {limit} {counted} are read, and at least {found} were found"),
            (_, None) => format!("{which} is {limit}, and at least {found} were found"),
        }
    }

    /// `Ok` while `found` is at most `limit`.
    ///
    /// # Errors
    /// The limit `which`, when `found` exceeds it.
    pub fn check(which: Limit, found: u64, limit: u64) -> Result<(), Self> {
        if found > limit { Err(Self { which, limit, found }) } else { Ok(()) }
    }
}
