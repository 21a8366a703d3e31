//! The tools: typed arguments and results, error codes, and every shape and text that a client can see.
//!
//! No transport: `cli` and `serve` bring arguments in and carry results out. What they need of the rooms behind this one,
//! they find here.

mod arguments;
mod ask;
mod client;
mod context_arguments;
mod context_schema;
mod deliver;
mod details;
mod doctor;
mod emit;
mod ended;
mod error;
mod error_code;
mod fetch;
mod fetch_arguments;
mod fetch_schema;
mod get_file;
mod info;
mod memory;
mod outline;
mod page;
mod pdf_arguments;
mod pdf_schema;
mod render;
mod resource;
mod result_size;
mod schema;
mod search;
mod split;
mod text;
mod updates;
mod web_error;

pub use crate::context::{
    AddressRange, AnswerSettings, Block, CallTally, Cancellation, ContextConfig, ContextManager, DEFAULT_DEADLINE,
    DatabaseSettings, Delivery, FileUpdate, HAS_PROCESSES, HostPattern, Isolation, NoProgress, OpenPdf, OutputBounds,
    PdfPassword, PostgresAddress, PostgresError, ProgressListener, Receipt, SessionStore, StoreError, StoreTally,
    StoredSession, WebSettings, WorkerSettings, end_writing, json_length, run_worker,
};
pub use crate::model::{
    ModelChain, ModelClient, ModelName, ModelSettings, NoReplyListener, PROVIDERS, RemoteReferences, ReplyListener,
};
pub use crate::view::{ConversationId, Principal};
pub use arguments::{GetFileArguments, argument};
pub use ask::{AskAnswer, AskArguments, AskContext, DEFAULT_PROMPT, MAX_PDFS, ask, error_details};
pub use client::{
    CLIENTS, CONTENT_EXTENSION, ClientProfile, ClientRow, FormArgument, FormDecision, MAX_RESULT_SIZE_CHARS,
    PICTURES_INSTEAD, RESULT_SIZE_HINT, decide_form,
};
pub use context_arguments::{ForgetArguments, ForkArguments, StatusArguments, WatchArguments};
pub use deliver::{DeliverError, DeliveryOutcome, Dispatch, Recall, deliver};
pub use details::details_json;
pub use doctor::{DatabaseServerState, DoctorResult, LayerState, StoreState};
pub use emit::{EmitFormat, PDF, base64, base64_length, emit_block, push_base64};
pub use error::{ErrorCode, ToolError};
pub use fetch::{FetchAnswer, fetch_content, get_search_content};
pub use fetch_arguments::{FetchArguments, SearchContentArguments, UrlSelector};
pub use get_file::{Caller, FileAnswer, get_file};
pub use info::{InfoResult, PageSize};
pub use memory::{DataAnswer, context_forget, context_fork, context_status};
pub use outline::outline;
pub use page::{JoinResult, PageResult, write_joined, write_page};
pub use pdf_arguments::{DEFAULT_MAX_CHARS, DocumentArguments, RenderArguments, SearchArguments, TextArguments};
pub use render::{RenderAnswer, RenderResult, render_page, write_picture};
pub use resource::{
    PageResource, RESOURCE_TEMPLATES, ResourceContent, ResourceForm, ResourceTemplateRow, complete_page, page_uri,
    read_page,
};
pub use schema::{INSTRUCTIONS, ToolSpec, ask_spec, tool_specs};
pub use search::search;
pub use split::{FailedPage, SplitResult, split};
pub use text::{ExtractedPage, TextResult, extract_text};
pub use updates::{UpdatesAnswer, context_updates, update_json, update_text, updates_json, updates_text};
