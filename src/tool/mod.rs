//! The tools: typed arguments and results, error codes, and all texts and shapes that clients see.
//!
//! No transport: `cli` and `serve` pass arguments in and results out. This room re-exports what they need of the rooms
//! below.

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
mod pdf;
mod resource;
mod schema;
mod tool_list;
mod truncate;

pub use self::arguments::argument;
pub use self::ask::{AskAnswer, AskArguments, AskContext, DEFAULT_PROMPT, MAX_PDFS, ask, error_details};
pub use self::caller::Caller;
pub use self::client::{
    CLIENTS, CONTENT_EXTENSION, ClientProfile, ClientRow, FormArgument, FormDecision, MAX_RESULT_SIZE_CHARS,
    RESULT_SIZE_HINT, decide_form,
};
pub use self::context::{
    ForgetArguments, ForkArguments, StatusArguments, UpdatesAnswer, WatchArguments, context_forget, context_fork,
    context_status, context_updates, update_json, update_text, updates_json, updates_text,
};
pub use self::data_answer::DataAnswer;
pub use self::delivery::{DeliverError, DeliveryOutcome, Dispatch, Recall, deliver};
pub use self::doctor::{DatabaseServerState, DoctorResult, LayerState, StoreState};
pub use self::emit::{EmitFormat, PDF, base64, base64_length, emit_block, push_base64};
pub use self::error::{ErrorCode, ToolError};
pub use self::fetch::{
    FetchAnswer, FetchArguments, SearchContentArguments, UrlSelector, fetch_content, get_search_content,
};
pub use self::get_file::{GetFileAnswer, GetFileArguments, details_json, get_file};
pub(crate) use self::get_file::{document_header, file_request, folder_brief, folder_json, get_file_spec};
pub use self::pdf::{
    AttachmentData, BesideText, CellOfTable, CommentData, CountData, DEFAULT_MAX_CHARS, DocumentArguments,
    ExtractedPage, FailedPage, FieldData, Highlight, InfoResult, JoinResult, LinkData, OptionData, OutlineArguments,
    PageContent, PageResult, PageSize, RenderAnswer, RenderArguments, RenderResult, RenderedPages, SearchArguments,
    SheetResult, ShownOutline, SplitResult, TableFormat, TableOnPage, TablesResult, TextArguments, TextFormat,
    TextResult, extract_text, find_tables, info, outline, pages_to_render, render_page, search, size_in_words, split,
    write_joined, write_page, write_picture, write_pictures, write_sheet,
};
pub use self::resource::{
    PageResource, RESOURCE_TEMPLATES, ResourceContent, ResourceForm, ResourceTemplateRow, complete_page, page_uri,
    read_page,
};
pub use self::schema::ToolSpec;
pub use self::tool_list::{INSTRUCTIONS, ToolSet, tool_specs};
pub use crate::context::{
    AddressRange, AnswerSettings, Block, CallTally, Cancellation, ContextConfig, ContextManager, DEFAULT_DEADLINE,
    DatabaseSettings, Delivery, FileUpdate, HAS_PROCESSES, HostPattern, Isolation, NoProgress, OpenPdf, OutputBounds,
    PdfPassword, PostgresAddress, PostgresError, ProgressListener, ReaderMemory, Receipt, SessionStore, StoreError,
    StoreTally, StoredSession, WebSettings, WorkerSettings, end_writing, json_length, run_worker,
};
pub use crate::model::{
    ModelChain, ModelClient, ModelName, ModelSettings, NoReplyListener, PROVIDERS, RemoteReferences, ReplyListener,
};
pub use crate::view::{ConversationId, Principal};
