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

use crate::context::{Block, ContextManager, FileRequest, NoProgress};
use crate::tool::{
    self, Caller, DataAnswer, ForgetArguments, ForkArguments, FormArgument, GetFileArguments, InfoArguments,
    OutlineArguments, RenderArguments, SearchArguments, StatusArguments, TableFormat, TablesArguments, TextArguments,
    ToolError, UpdatesArguments, decide_form, file_request, restart_once, result_json,
};

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
/// - Every method blocks its thread while it reads, cuts or draws. Asynchronous programs call it where blocking is allowed,
///   such as in `spawn_blocking`: `examples/async_front.rs`. A URL takes as long as its server.
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

    /// A PDF's summary or pages, a text file, an image, or the PDFs of a folder. Nothing counts as delivered until
    /// [`Answer::commit`].
    ///
    /// # Errors
    /// Every refusal of the request, the file and the PDF; [`Error::code`] says which.
    pub fn get_file(&self, request: &Request) -> Result<Answer, Error> {
        let caller = caller(request);
        let arguments = request.read::<GetFileArguments>()?;
        let conversation = caller.conversation(arguments.held.conversation.as_deref())?;
        let form = arguments.form.filter(|form| *form != FormArgument::Auto).unwrap_or(self.form);
        let asked = file_request(arguments, decide_form(form, &caller.client), conversation.clone());
        let asked = FileRequest { cancellation: caller.cancellation, ..asked };
        let answer = restart_once(|| Ok(self.context.get_file(&asked)?))?;
        Ok(Answer::of_file(answer, conversation.as_ref()))
    }

    /// The facts about a PDF, or about the PDFs of a folder. Arguments of `pdf_info`.
    ///
    /// ```
    /// # use pagewise::{Pagewise, Request};
    /// # fn main() -> Result<(), pagewise::Error> {
    /// let pagewise = Pagewise::builder().root("fixtures").build()?;
    /// assert_eq!(pagewise.info(&Request::new("latex.pdf"))?.data()["pages"], 8);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`get_file`](Self::get_file).
    pub fn info(&self, request: &Request) -> Result<Answer, Error> {
        let arguments = request.read::<InfoArguments>()?;
        let next = |first| format!("Next: argument startLine: {first} of get_file");
        self.call(request, |caller| {
            Ok(Answer::of_data(tool::info(&self.context, &arguments, caller)?.data(next)?, None))
        })
    }

    /// The text of pages, which of scans is recognised. Arguments of `pdf_extract_text`: `format`, `max_chars`, `hidden`,
    /// `ocr`. The data has each page by itself.
    ///
    /// ```
    /// # use pagewise::{Pagewise, Request};
    /// # fn main() -> Result<(), pagewise::Error> {
    /// let pagewise = Pagewise::builder().root("fixtures").build()?;
    /// let answer = pagewise.text(&Request::new("latex.pdf").pages("2-3"))?;
    /// assert_eq!(answer.data()["pages"][1]["number"], 3);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`get_file`](Self::get_file).
    pub fn text(&self, request: &Request) -> Result<Answer, Error> {
        let arguments = request.read::<TextArguments>()?;
        self.call(request, |caller| {
            if arguments.save {
                let saved = tool::save_text(&self.context, &arguments, caller, &NoProgress)?;
                return Ok(Answer::of_blocks(vec![Block::Text(saved.text())], result_json(&saved)?, None));
            }
            let pdf = arguments.document.open(&self.context, caller)?;
            let result = tool::extract_text(&pdf, &arguments, &NoProgress)?;
            let texts = result.texts(caller).into_iter().filter(|text| !text.is_empty());
            let delivery = result.delivery(&self.context, &pdf, &arguments, caller)?;
            Ok(Answer::of_blocks(texts.map(Block::Text).collect(), result_json(&result)?, delivery))
        })
    }

    /// The tables of the pages, as Markdown; cell by cell in the data. Takes `pages` and the arguments of `pdf_info`.
    ///
    /// ```
    /// # use pagewise::{Pagewise, Request};
    /// # fn main() -> Result<(), pagewise::Error> {
    /// let pagewise = Pagewise::builder().root("fixtures").build()?;
    /// let answer = pagewise.tables(&Request::new("latex.pdf").pages("4"))?;
    /// assert_eq!(answer.data()["tables"][0]["cells"][4]["text"], "Folio");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`get_file`](Self::get_file).
    pub fn tables(&self, request: &Request) -> Result<Answer, Error> {
        let arguments = request.read::<TablesArguments>()?;
        self.call(request, |caller| {
            let pdf = arguments.document.open(&self.context, caller)?;
            let result = tool::find_tables(&pdf, arguments.pages.as_deref(), &NoProgress)?;
            let text = Block::Text(result.text(TableFormat::Markdown));
            Ok(Answer::of_blocks(vec![text], result_json(&result)?, None))
        })
    }

    /// The places of words in one or several PDFs, or the best pages. Arguments of `pdf_search`: `query` or `quote`, and
    /// more; `path` may be a folder or a pattern.
    ///
    /// ```
    /// # use pagewise::{Pagewise, Request};
    /// # fn main() -> Result<(), pagewise::Error> {
    /// let pagewise = Pagewise::builder().root("fixtures").build()?;
    /// let answer = pagewise.search(&Request::new("latex.pdf").argument("query", "folio"))?;
    /// assert_eq!(answer.data()["pages"][1]["page"], 4);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`get_file`](Self::get_file).
    pub fn search(&self, request: &Request) -> Result<Answer, Error> {
        let arguments = request.read::<SearchArguments>()?;
        self.call(request, |caller| {
            let found = tool::search(&self.context, &arguments, caller, &NoProgress)?;
            let answer = DataAnswer { structure: found.structure(&arguments), ..found.data(&arguments) };
            Ok(Answer::of_data(answer, None))
        })
    }

    /// The outline with page numbers. Arguments of `pdf_outline`: `depth`, `max_items`.
    ///
    /// ```
    /// # use pagewise::{Pagewise, Request};
    /// # fn main() -> Result<(), pagewise::Error> {
    /// let pagewise = Pagewise::builder().root("fixtures").build()?;
    /// let outline = pagewise.outline(&Request::new("latex.pdf"))?;
    /// assert_eq!(outline.data()["items"][0]["title"], "Preface");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`get_file`](Self::get_file).
    pub fn outline(&self, request: &Request) -> Result<Answer, Error> {
        let arguments = request.read::<OutlineArguments>()?;
        self.call(request, |caller| {
            let pdf = arguments.document.open(&self.context, caller)?;
            let outline = tool::outline(&pdf, &arguments, None);
            pdf.check()?;
            Ok(Answer::of_data(outline.data(&arguments), None))
        })
    }

    /// A page as PNG, or several in files. Arguments of `pdf_render_page`: `page`, `dpi`, `region`, `highlight`,
    /// `contact_sheet`. The pictures are written into the data folder, too.
    ///
    /// ```
    /// # use pagewise::{Block, Pagewise, Request};
    /// # fn main() -> Result<(), pagewise::Error> {
    /// let pagewise = Pagewise::builder().root("fixtures").build()?;
    /// let answer = pagewise.render(&Request::new("latex.pdf").argument("page", 3).argument("dpi", 72))?;
    /// assert!(answer.blocks().iter().any(|block| matches!(block, Block::Image(_))));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`get_file`](Self::get_file).
    pub fn render(&self, request: &Request) -> Result<Answer, Error> {
        let arguments = request.read::<RenderArguments>()?;
        self.call(request, |caller| {
            let answer = tool::render_page(&self.context, &arguments, caller, &NoProgress)?;
            Ok(Answer::of_blocks(answer.blocks, answer.details, answer.delivery))
        })
    }

    /// What a conversation holds, and how much more fits. Arguments of `context_status`.
    ///
    /// ```
    /// # use pagewise::{Pagewise, Request};
    /// # fn main() -> Result<(), pagewise::Error> {
    /// let pagewise = Pagewise::builder().root("fixtures").build()?;
    /// pagewise.get_file(&Request::new("latex.pdf").pages("1-2").conversation("chat"))?.commit()?;
    /// let status = pagewise.status(&Request::of_conversation("chat"))?;
    /// assert_eq!(status.data()["files"][0]["pages"]["document"], "1-2");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`get_file`](Self::get_file), and where the memory cannot be read.
    pub fn status(&self, request: &Request) -> Result<Answer, Error> {
        let arguments = request.read::<StatusArguments>()?;
        self.call(request, |caller| {
            Ok(Answer::of_data(tool::context_status(&self.context, &arguments, caller)?.data(&arguments), None))
        })
    }

    /// What changed in the files that a conversation holds. Each change is reported until its answer is committed.
    /// Arguments of `context_updates`.
    ///
    /// ```
    /// # use pagewise::{Pagewise, Request};
    /// # fn main() -> Result<(), pagewise::Error> {
    /// let pagewise = Pagewise::builder().root("fixtures").build()?;
    /// pagewise.get_file(&Request::new("latex.pdf").pages("1-2").conversation("chat"))?.commit()?;
    /// let updates = pagewise.updates(&Request::of_conversation("chat"))?;
    /// assert_eq!(updates.data()["files"].as_array().map(Vec::len), Some(0));
    /// updates.commit()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`status`](Self::status).
    pub fn updates(&self, request: &Request) -> Result<Answer, Error> {
        let arguments = request.read::<UpdatesArguments>()?;
        self.call(request, |caller| {
            let result = tool::context_updates(&self.context, &arguments, caller)?;
            let answer = result.data();
            Ok(Answer::of_data(answer, Some(result.updates.delivery)))
        })
    }

    /// Forgets what a conversation holds, so that it is sent again: for a conversation whose context was compacted.
    /// Arguments of `context_forget`, among them `pages`; with a path, it forgets that file alone.
    ///
    /// ```
    /// # use pagewise::{Pagewise, Request};
    /// # fn main() -> Result<(), pagewise::Error> {
    /// let pagewise = Pagewise::builder().root("fixtures").build()?;
    /// let request = Request::new("latex.pdf").pages("1-2").conversation("chat");
    /// pagewise.get_file(&request)?.commit()?;
    /// pagewise.forget(&Request::new("latex.pdf").pages("2").conversation("chat"))?;
    /// assert_eq!(pagewise.get_file(&request)?.sent_pages(), [2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Where the memory cannot be written: every page is sent again until it can.
    pub fn forget(&self, request: &Request) -> Result<(), Error> {
        let arguments = request.read::<ForgetArguments>()?;
        tool::context_forget(&self.context, &arguments, &caller(request))?;
        Ok(())
    }

    /// A new conversation that holds what this one holds, or held at the point `asOf`. The data names it. Arguments of
    /// `context_fork`.
    ///
    /// ```
    /// # use pagewise::{Pagewise, Request};
    /// # fn main() -> Result<(), pagewise::Error> {
    /// let pagewise = Pagewise::builder().root("fixtures").build()?;
    /// let request = Request::new("latex.pdf").pages("1-2").conversation("chat");
    /// pagewise.get_file(&request)?.commit()?;
    /// let fork = pagewise.fork(&Request::of_conversation("chat"))?;
    /// let name = fork.data()["conversation"].as_str().unwrap_or_default();
    /// assert_eq!(pagewise.get_file(&request.conversation(name))?.held_pages(), [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorCode::UnknownConversation`](crate::ErrorCode), and as [`forget`](Self::forget).
    pub fn fork(&self, request: &Request) -> Result<Answer, Error> {
        let arguments = request.read::<ForkArguments>()?;
        self.call(request, |caller| Ok(Answer::of_data(tool::context_fork(&self.context, &arguments, caller)?, None)))
    }

    /// Answers by `run`, a second time if a remote document changed meanwhile.
    fn call(&self, request: &Request, run: impl Fn(&Caller) -> Result<Answer, ToolError>) -> Result<Answer, Error> {
        let caller = caller(request);
        Ok(restart_once(|| run(&caller))?)
    }
}

fn caller(request: &Request) -> Caller {
    Caller { cancellation: request.cancellation.clone(), ..Caller::direct() }
}

impl std::fmt::Debug for Pagewise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pagewise").field("form", &self.form).finish_non_exhaustive()
    }
}
