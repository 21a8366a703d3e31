//! The tools: typed arguments and results, error codes, and all texts and shapes that clients see.
//!
//! No transport: `cli` and `serve` pass arguments in and results out.

mod arguments;
mod ask;
mod caller;
mod client;
mod context;
mod data_answer;
mod delivery;
mod doctor;
mod emit;
mod error;
mod fetch;
mod get_file;
mod guidance;
mod page_tag;
mod pdf;
mod push;
mod resource;
mod schema;
mod tool_list;
mod truncate;
mod versions;

pub use self::arguments::{
    ConversationParameter, PagesParameter, PasswordParameter, ToolArguments, accepted, argument, expected,
};
pub use self::ask::{AskAnswer, AskArguments, AskContext, MAX_PDFS, ask, error_details};
pub use self::caller::Caller;
pub use self::client::{
    ALWAYS_LOAD_HINT, CLIENTS, CONTENT_EXTENSION, ClientHabit, ClientProfile, ClientRow, FormArgument, FormDecision,
    MAX_RESULT_SIZE_CHARS, RESULT_SIZE_HINT, decide_form,
};
pub use self::context::{
    ConversationArguments, ForgetArguments, ForkArguments, StatusArguments, StatusResult, UpdatesArguments,
    UpdatesResult, context_forget, context_fork, context_status, context_updates, held_file_name, held_words,
    update_json, update_text, updates_json, updates_text,
};
pub use self::data_answer::{DataAnswer, result_json};
pub use self::delivery::{DeliverError, DeliveryOutcome, Dispatch, Recall, deliver};
pub use self::doctor::{DatabaseServerState, DoctorResult, LayerState, OcrState, StoreState};
pub use self::emit::{EmitFormat, PDF, base64, base64_length, emit_block, push_base64};
#[cfg(feature = "program")]
pub(crate) use self::error::reason_of;
pub use self::error::{ErrorCode, ToolError, clean_json, restart_once, upload_not_found};
pub use self::fetch::{FetchAnswer, FetchArguments, SearchContentArguments, fetch_content, get_search_content};
pub use self::get_file::{GetFileAnswer, GetFileArguments, attachment_bytes, details_json, get_file};
pub(crate) use self::get_file::{document_header, file_request, folder_brief, folder_json};
pub use self::guidance::{PROMPTS, Prompt, PromptArgument, SKILL, SKILL_URI, skill_fields};
#[cfg(feature = "program")]
pub(crate) use self::pdf::MAX_EXCERPTS;
pub use self::pdf::{
    AttachmentData, BesideText, CellOfTable, CommentData, CountData, Coverage, DocumentArguments, DocumentPages,
    ExtractedPage, FailedPage, FieldData, FoundInDocument, FoundInDocuments, Highlight, ImagesResult, InfoAnswer,
    InfoArguments, InfoResult, JoinResult, LinkData, ListedImage, MappedPage, MatchedPage, Occurrences, OcrArgument,
    OptionData, OutlineArguments, OutlineEntry, OutlineResult, PageContent, PageResult, PageSize, PictureFolders,
    QuoteFindings, QuotesFindings, RankedResult, RenderAnswer, RenderArguments, RenderResult, RenderedPages, SavedText,
    SearchArguments, SearchResult, SheetResult, SplitResult, TableFormat, TableOnPage, TablesArguments, TablesResult,
    TextArguments, TextFormat, TextLayerResult, TextResult, WHOLE_TEXT, WordInBox, WrittenAttachments, WrittenFile,
    add_to_index, clear_index, draw_to_width, extract_illustrated, extract_text, find_images, find_tables,
    index_status, info, outline, render_page, save_text, search, selected_pages, split, write_attachments,
    write_joined, write_page, write_picture, write_pictures, write_quote_picture, write_sheet, write_tables,
    write_text, write_text_layer,
};
pub use self::push::push_file;
pub use self::resource::{
    PageResource, RESOURCE_TEMPLATES, ResourceContent, ResourceForm, ResourceTemplateRow, complete_page, page_uri,
    read_page,
};
pub use self::tool_list::{INSTRUCTIONS, TOOLS, Tool, ToolSet, find_tool};
pub use self::versions::{ChangedPageResult, VersionsResult, diff};
#[cfg(feature = "program")]
pub(crate) use self::{
    arguments::{PAGES_HELP, PATH_HELP, typed_pages},
    page_tag::without_tag,
};
