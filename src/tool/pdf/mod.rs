//! The tools `pdf_info`, `pdf_extract_text`, `pdf_render_page`, `pdf_search` and `pdf_outline`, and the commands that write pages.

mod arguments;
mod beside;
mod boxes;
mod extracted_page;
mod files;
mod images;
mod info;
mod ocr_notes;
mod outline;
mod page;
mod page_map;
mod parallel;
mod render;
mod search;
mod split;
mod tables;
mod text;
mod text_layer;

pub use self::arguments::{
    DocumentArguments, Highlight, InfoArguments, OcrArgument, OutlineArguments, RenderArguments, SearchArguments,
    TablesArguments, TextArguments, TextFormat, selected_pages,
};
pub use self::beside::{AttachmentData, BesideText, CommentData, CountData, FieldData, LinkData, OptionData};
pub use self::extracted_page::{ExtractedPage, PageContent, WordInBox};
pub use self::files::{WrittenAttachments, WrittenFile, write_attachments, write_tables, write_text};
pub use self::images::{ImagesResult, ListedImage, PictureFolders, find_images};
pub use self::info::{InfoAnswer, InfoResult, PageSize, info};
pub use self::outline::{OutlineEntry, OutlineResult, outline};
pub(super) use self::page::cut;
pub use self::page::{JoinResult, PageResult, write_joined, write_page};
pub use self::page_map::{MappedPage, Occurrences};
pub use self::render::{
    RenderAnswer, RenderResult, RenderedPages, SheetResult, draw_to_width, render_page, write_picture, write_pictures,
    write_quote_picture, write_sheet,
};
#[cfg(feature = "program")]
pub(crate) use self::search::MAX_EXCERPTS;
pub use self::search::{
    Coverage, DocumentPages, FoundInDocument, FoundInDocuments, MatchedPage, QuoteFindings, QuotesFindings,
    RankedResult, SearchResult, add_to_index, clear_index, index_status, search,
};
pub use self::split::{FailedPage, SplitResult, split};
pub use self::tables::{CellOfTable, TableFormat, TableOnPage, TablesResult, find_tables};
pub use self::text::{SavedText, TextResult, WHOLE_TEXT, extract_illustrated, extract_text, save_text};
pub use self::text_layer::{TextLayerResult, write_text_layer};
