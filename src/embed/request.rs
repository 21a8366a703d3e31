//! What is asked.

use serde_json::Value;

use super::error::Error;
use crate::context::RequestedPart;
use crate::tool::{FormArgument, GetFileArguments, ToolError, accepted};
use pagewise_base::limits::Cancellation;

/// A request for a file: a PDF's summary or pages, a text file or an image.
#[derive(Debug, Clone)]
pub struct Request {
    pub(super) arguments: GetFileArguments,
    pub(super) cancellation: Cancellation,
}

impl Request {
    /// The whole file: of a PDF, the summary. `path` is a path, `file://`, or a URL if [allowed](super::Builder::web).
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self::of(GetFileArguments { file_path: path.into(), ..GetFileArguments::default() })
    }

    /// The arguments of a model's call of the tool `get_file`, as [declared](super::Api::get_file_tool).
    ///
    /// # Errors
    /// [`ErrorCode::ValidationError`](crate::ErrorCode), naming the argument.
    pub fn from_json(arguments: &Value) -> Result<Self, Error> {
        let Value::Object(arguments) = arguments else {
            return Err(ToolError::validation("The arguments of get_file must be an object").into());
        };
        Ok(Self::of(GetFileArguments::parse(&accepted("get_file", arguments))?))
    }

    fn of(arguments: GetFileArguments) -> Self {
        Self { arguments, cancellation: Cancellation::new() }
    }

    /// Pages of a PDF: `"3"`, `"1-5"`, `"1,3,5-7"`, `"4-"`, `"-3"`, `"label:iv"` or `"section:TITLE"`, counted from 1.
    #[must_use]
    pub fn pages(mut self, selection: impl Into<String>) -> Self {
        self.arguments.part = RequestedPart::Selection(selection.into());
        self
    }

    /// How pages come.
    #[must_use]
    pub fn form(mut self, form: FormArgument) -> Self {
        self.arguments.form = form;
        self
    }

    /// The conversation whose memory applies, by a name of at most 128 printable characters. Its first use creates it.
    /// Without one, everything is sent and nothing recorded.
    #[must_use]
    pub fn conversation(mut self, name: impl Into<String>) -> Self {
        self.arguments.conversation = Some(name.into());
        self
    }

    /// Sends pages that the conversation holds, too.
    #[must_use]
    pub fn force(mut self) -> Self {
        self.arguments.force = true;
        self
    }

    /// The password of an encrypted PDF.
    #[must_use]
    pub fn password(mut self, password: impl Into<String>) -> Self {
        self.arguments.password = Some(password.into());
        self
    }

    /// Lines of a text file, from 1.
    #[must_use]
    pub fn lines(mut self, start: u64, count: u64) -> Self {
        (self.arguments.start_line, self.arguments.line_count) = (Some(start), Some(count));
        self
    }

    /// Stops before the pages cost more than this many tokens, by estimate. The first page always comes.
    #[must_use]
    pub fn max_tokens(mut self, tokens: u64) -> Self {
        self.arguments.max_tokens = Some(tokens);
        self
    }

    /// Lets `cancellation` end the work from another thread.
    #[must_use]
    pub fn cancellation(mut self, cancellation: &Cancellation) -> Self {
        self.cancellation = cancellation.clone();
        self
    }
}
