//! The tools: typed arguments and results, error codes, and every shape and text that a client can see.
//!
//! No transport: `cli` and `serve` bring arguments in and carry results out. What they need of the rooms behind this one,
//! they find here.

mod arguments;
mod client;
mod details;
mod doctor;
mod emit;
mod error;
mod get_file;
mod info;
mod memory;
mod page;
mod resource;
mod schema;
mod split;

pub use crate::context::{
    AnswerSettings, Block, ContextManager, Delivery, Isolation, OpenPdf, Surroundings, WorkerSettings, run_worker,
};
pub use crate::view::ConversationId;
pub use arguments::{ForgetArguments, GetFileArguments, StatusArguments};
pub use client::{
    CLIENTS, CONTENT_EXTENSION, ClientFacts, ClientRow, FormArgument, FormDecision, TEXT_INSTEAD_OF_IMAGE, decide_form,
};
pub use details::details_json;
pub use doctor::{DoctorResult, LayerState};
pub use emit::{Emit, PDF, base64, emit_block};
pub use error::{ErrorCode, ToolError};
pub use get_file::{Caller, FileAnswer, get_file};
pub use info::{InfoResult, PageSize};
pub use memory::{DataAnswer, context_forget, context_status};
pub use page::{PageResult, write_page};
pub use resource::{PAGE_URI_TEMPLATE, page_uri, read_page};
pub use schema::{INSTRUCTIONS, ToolSpec, tool_specs};
pub use split::{FailedPage, SplitResult, Watcher, split};
