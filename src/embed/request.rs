//! What is asked.

use serde_json::{Map, Value, json};

use super::error::Error;
use crate::tool::{FormArgument, ToolArguments, ToolError};
use pagewise_base::limits::Cancellation;

/// A request: the arguments of a tool, by the names and with the meanings and defaults that the tools of the server have.
///
/// ```
/// use pagewise::{Pagewise, Request};
///
/// # fn main() -> Result<(), pagewise::Error> {
/// let pagewise = Pagewise::builder().root("fixtures").build()?;
/// let request = Request::new("latex.pdf").pages("3-5").argument("format", "markdown");
/// assert!(pagewise.text(&request)?.text().contains("Folio"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Request {
    path: Option<String>,
    arguments: Map<String, Value>,
    pub(super) cancellation: Cancellation,
}

impl Request {
    /// About the file at `path`: a path, `file://`, or a URL if [allowed](super::Builder::web).
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: Some(path.into()), ..Self::default() }
    }

    /// About a conversation, for [`Pagewise::status`](super::Pagewise::status) and its like.
    #[must_use]
    pub fn of_conversation(name: impl Into<String>) -> Self {
        Self::default().conversation(name)
    }

    /// The arguments of a model's call, such as of the tool `get_file` as [declared](super::Api::get_file_tool).
    ///
    /// # Errors
    /// [`ErrorCode::ValidationError`](crate::ErrorCode) if they are no object. A wrong argument is refused by the call.
    pub fn from_json(arguments: &Value) -> Result<Self, Error> {
        match arguments {
            Value::Object(arguments) => Ok(Self { arguments: arguments.clone(), ..Self::default() }),
            _ => Err(ToolError::validation("The arguments of a tool must be an object").into()),
        }
    }

    /// Sets any argument of the tool.
    #[must_use]
    pub fn argument(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }

    /// Pages of a PDF: `"3"`, `"1-5"`, `"1,3,5-7"`, `"4-"`, `"-3"`, `"label:iv"` or `"section:TITLE"`, counted from 1.
    #[must_use]
    pub fn pages(self, selection: impl Into<String>) -> Self {
        self.argument("pages", selection.into())
    }

    /// How the pages of [`get_file`](super::Pagewise::get_file) come.
    #[must_use]
    pub fn form(self, form: FormArgument) -> Self {
        self.argument("as", form.name())
    }

    /// The conversation whose memory applies, by a name of at most 128 printable characters. Its first use creates it.
    /// Without one, everything is sent and nothing recorded.
    #[must_use]
    pub fn conversation(self, name: impl Into<String>) -> Self {
        self.argument("conversation", name.into())
    }

    /// Sends pages that the conversation holds, too.
    #[must_use]
    pub fn force(self) -> Self {
        self.argument("force", true)
    }

    /// The password of an encrypted PDF.
    #[must_use]
    pub fn password(self, password: impl Into<String>) -> Self {
        self.argument("password", password.into())
    }

    /// Lines of a text file, from 1.
    #[must_use]
    pub fn lines(self, start: u64, count: u64) -> Self {
        self.argument("startLine", start).argument("numLines", count)
    }

    /// Stops before the pages cost more than this many tokens, by estimate. The first page always comes.
    #[must_use]
    pub fn max_tokens(self, tokens: u64) -> Self {
        self.argument("maxTokens", tokens)
    }

    /// Lets `cancellation` end the work from another thread.
    #[must_use]
    pub fn cancellation(mut self, cancellation: &Cancellation) -> Self {
        self.cancellation = cancellation.clone();
        self
    }

    /// The arguments of a tool.
    pub(super) fn read<T: ToolArguments>(&self) -> Result<T, ToolError> {
        let path = self.path.iter().map(|path| ("path".to_owned(), json!(path)));
        T::parse(&self.arguments.clone().into_iter().chain(path).collect())
    }
}
