//! The library in one value: [`Pagewise`] answers requests of a program's agents with content blocks.
//!
//! It decides nothing that `tool` decides for the other doors: arguments, forms, delivery and errors are the same.

mod answer;
mod api;
mod builder;
mod error;
mod request;

pub use self::answer::Answer;
pub use self::api::Api;
pub use self::builder::Builder;
pub use self::error::Error;
pub use self::request::Request;

use crate::context::{ContextManager, FileRequest, ForgetRequest};
use crate::tool::{Caller, FormArgument, ToolError, decide_form, file_request, restart_once};

/// PDFs, text files and images for the agents of a program: summaries and single pages as content blocks, each page sent
/// once per conversation.
///
/// ```
/// use pagewise::{Api, Pagewise, Request};
///
/// # fn main() -> Result<(), pagewise::Error> {
/// let pagewise = Pagewise::builder().root("fixtures").build()?;
/// let answer = pagewise.get_file(&Request::new("latex.pdf").pages("1-2").conversation("chat"))?;
/// let content = answer.to_json(Api::Anthropic); // for a message or a tool result
/// assert_eq!(content[0]["type"], "document");
/// answer.commit()?; // once the provider has accepted the request
///
/// let answer = pagewise.get_file(&Request::new("latex.pdf").pages("2-3").conversation("chat"))?;
/// assert_eq!((answer.sent_pages(), answer.held_pages()), (vec![3], vec![2]));
/// # Ok(())
/// # }
/// ```
///
/// # What blocks, and what it costs
///
/// One `Pagewise` serves all threads of a program; build it once. `benches/README.md` has measurements.
///
/// - [`get_file`](Self::get_file) blocks its thread while it reads, cuts or draws. Asynchronous programs call it where
///   blocking is allowed, such as in `spawn_blocking`. A URL takes as long as its server.
/// - The first request that names a conversation hashes the whole file. Later ones do so only after the file changed.
/// - A summary reads the outline and samples pages. A page as PDF reads what that page needs, and copies it. Text costs
///   more, and a picture costs most.
/// - [`Answer::commit`] blocks until the record is written: to memory, or to the database in the data folder.
/// - An answer holds its pages in memory until it is dropped, and [`Answer::to_json`] makes a copy in base64.
///
/// # Files from strangers
///
/// Without [`Builder::workers`] PDFs are read in this process. Limits and a deadline hold, but a fault in a reader can
/// end the process or exhaust its memory.
pub struct Pagewise {
    context: ContextManager,
    form: FormArgument,
}

impl Pagewise {
    /// Starts from the defaults.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Answers a request. Nothing counts as delivered until [`Answer::commit`].
    ///
    /// # Errors
    /// Every refusal of the request, the file and the PDF; [`Error::code`] says which.
    pub fn get_file(&self, request: &Request) -> Result<Answer, Error> {
        let Request { arguments, cancellation } = request.clone();
        let conversation = Caller::direct().conversation(arguments.conversation.as_deref())?;
        let form = if arguments.form == FormArgument::Auto { self.form } else { arguments.form };
        let form = decide_form(form, &Caller::direct().client);
        let request = FileRequest { cancellation, ..file_request(arguments, form, conversation) };
        Ok(Answer::new(restart_once(|| Ok(self.context.get_file(&request)?))?))
    }

    /// Forgets what a conversation holds, so that it is sent again: for a conversation whose context was compacted.
    ///
    /// # Errors
    /// Where the memory cannot be written: every page is sent again until it can.
    pub fn forget(&self, conversation: &str) -> Result<(), Error> {
        let conversation = Caller::direct().conversation(Some(conversation))?;
        let conversation = conversation.ok_or_else(|| ToolError::required("conversation"))?;
        Ok(self.context.forget(&conversation, &ForgetRequest::default()).map_err(ToolError::from)?)
    }
}

impl std::fmt::Debug for Pagewise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pagewise").field("form", &self.form).finish_non_exhaustive()
    }
}
