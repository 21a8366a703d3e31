//! The context: what is asked, what is held already, and so what is sent.
//!
//! [`ContextManager::get_file`] plans, builds the answer, and hands out a [`Delivery`] with it. Nothing is recorded
//! until [`Delivery::commit`], which the door calls once the answer was written to the client: a lost record costs a
//! page sent twice, a false one would leave the agent blind.

mod answer;
mod error;
mod estimate;
mod file;
mod fonts;
mod lines;
mod live;
mod memory;
mod output;
mod pdf;
mod picture;
mod plain;
mod plan;
mod request;
mod selection;
mod served;
mod summary;
mod survey;
mod words;
mod world;

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

pub use crate::document::OutlineItem;
pub use crate::render::{Dpi, Region};
pub use crate::source::{Reference, SourceError};
pub use crate::store::{Sent, StoreError};
pub use crate::text::{Case, Hit, Pattern, Query};
pub use crate::worker::{
    InProcess, PageChunk, PageKind, PageText, Pages, PdfAction, PdfError, Picture, Reader, RenderOptions, WorkerError,
    WorkerSettings, run_worker,
};
pub use answer::{Answer, Block, Details, DocumentBlock, ImageBlock, NextCall, PageEstimate, SentPage};
pub use error::ContextError;
pub use estimate::{PROVIDERS, ProviderProfile, image_tokens, picture_tokens};
pub use file::{OpenPdf, PdfFile, Sources};
pub use live::Delivery;
pub use output::write_whole;
pub use plan::{PagePlan, PlannedPage, Standing, plan_pages};
pub use request::{AnswerSettings, FileRequest, Part, form_name};
pub use selection::select_pages;
pub use words::{grouped, one_line, page_held, page_or_pages, points, summary_held, untrusted};
pub use world::{Diagnosis, Isolation, OpenedContext, Surroundings};

use self::file::Asked;
use self::live::{Live, Record, sent};
use self::memory::Memory;
use self::output::{PageFile, write_page};
use self::pdf::{Draft, PdfAnswer};
use self::plain::PlainAnswer;
use crate::hash::ContentHash;
use crate::limits::Limits;
use crate::page::{PageNumber, PageSet};
use crate::source::{HashCache, Kind};
use crate::store::ViewStore;
use crate::view::{AgentView, ConversationId, ConversationView, Forget, Form, Holding};

/// Answers requests, and remembers per conversation what was delivered.
pub struct ContextManager {
    sources: Sources,
    reader: Arc<dyn Reader>,
    hashes: HashCache,
    limits: Limits,
    settings: AnswerSettings,
    live: Arc<Live>,
}

/// The world that a [`ContextManager`] works in.
pub struct ContextWorld {
    /// Where files come from.
    pub sources: Sources,
    /// What reads PDFs.
    pub reader: Arc<dyn Reader>,
    /// Content hashes of files.
    pub hashes: HashCache,
    /// What conversations hold.
    pub store: Arc<dyn ViewStore>,
    /// Bounds on reading.
    pub limits: Limits,
    /// Bounds on answers.
    pub settings: AnswerSettings,
}

/// What a conversation holds.
#[derive(Debug, Clone, Default)]
pub struct Status {
    /// Its files.
    pub files: Vec<HeldFile>,
    /// What was sent to it since it last forgot everything.
    pub sent: Sent,
}

/// One file that a conversation holds.
#[derive(Debug, Clone)]
pub struct HeldFile {
    /// The path, where it is known.
    pub path: Option<String>,
    /// The content last given.
    pub content: ContentHash,
    /// What is held of it.
    pub view: AgentView,
    /// The pages held, by form.
    pub pages: Vec<(Form, PageSet)>,
}

/// What is to be forgotten: everything, a file, or pages of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForgetRequest {
    /// The file; `None` forgets everything.
    pub file: Option<String>,
    /// Pages of the file; `None` forgets all of it.
    pub pages: Option<PageSet>,
}

impl ContextManager {
    /// A manager over `world`.
    #[must_use]
    pub fn new(world: ContextWorld) -> Self {
        Self {
            sources: world.sources,
            reader: world.reader,
            hashes: world.hashes,
            limits: world.limits,
            settings: world.settings,
            live: Arc::new(Live::new(world.store)),
        }
    }

    /// Answers one request.
    ///
    /// # Errors
    /// Every refusal of the file, the PDF and the arguments. Nothing is recorded then.
    pub fn get_file(&self, request: &FileRequest) -> Result<Answer, ContextError> {
        let asked = self.sources.open(&request.file)?;
        let (memory, doubt) = self.memory(&asked, request.conversation.as_ref())?;
        let (mut draft, text) = self.draft(&asked, request, &memory)?;
        draft.details.notes.extend(doubt);
        Ok(self.answer(&asked, request, draft, text))
    }

    /// What is held of the file, and what is to be noted where the store cannot say.
    fn memory(
        &self,
        asked: &Asked,
        conversation: Option<&ConversationId>,
    ) -> Result<(Memory, Option<String>), ContextError> {
        let Some(conversation) = conversation.filter(|_| !matches!(asked.kind, Kind::Other { .. })) else {
            return Ok((Memory::off(), None));
        };
        let content = asked.content_hash(&self.hashes)?;
        self.live.remember_reference(content, &asked.path);
        let (view, refreshed) = self.live.view(conversation);
        let doubt = refreshed.err().map(|error| format!("What the conversation holds may be incomplete: {error}"));
        Ok((Memory::of(view, content, asked.key), doubt))
    }

    fn draft(&self, asked: &Asked, request: &FileRequest, memory: &Memory) -> Result<Drafted, ContextError> {
        let plain = PlainAnswer { asked, request, settings: &self.settings, memory };
        match asked.kind {
            Kind::Pdf { .. } => self.pdf_draft(asked, request, memory).map(|draft| (draft, None)),
            _ if request.part != Part::Summary => Err(no_pages_in(asked)),
            Kind::Image(format) => plain.image(format).map(|draft| (draft, None)),
            Kind::Text(encoding) => plain.text(encoding, &|content| self.live.texts().get(content)),
            Kind::Other { mime } => {
                Err(ContextError::UnsupportedType { path: asked.path.clone(), mime_type: mime.to_owned() })
            }
        }
    }

    fn pdf_draft(&self, asked: &Asked, request: &FileRequest, memory: &Memory) -> Result<Draft, ContextError> {
        if request.part == Part::Summary && !request.force && memory.holds_summary() {
            return Ok(summary_already_held(asked));
        }
        let document = asked.document(request.password.as_deref(), &*self.reader, &self.limits)?;
        let fingerprints = RefCell::default();
        PdfAnswer { asked, request, settings: &self.settings, document: &*document, memory, fingerprints }.draft()
    }

    fn answer(&self, asked: &Asked, request: &FileRequest, draft: Draft, text: Option<Arc<str>>) -> Answer {
        let record = request.conversation.clone().zip(asked.known_hash()).map(|(conversation, content)| Record {
            conversation,
            holdings: draft.holdings.iter().map(|what| Holding { content, file: asked.key, what: *what }).collect(),
            text: text.map(|text| (content, text)),
            name: (asked.key, asked.absolute.display().to_string()),
            sent: sent(&draft.blocks),
        });
        Answer { blocks: draft.blocks, details: draft.details, delivery: Delivery::new(&self.live, record) }
    }

    /// One page of a PDF that this process was asked for before, by the file's content: `None` where no such file is
    /// known, or its path now leads to another content.
    ///
    /// Nothing is recorded: a client reads this for itself, and its model may never see it.
    ///
    /// # Errors
    /// Every refusal of the file and the PDF; [`ContextError::PageOutOfRange`].
    pub fn page_by_content(&self, content: &ContentHash, page: PageNumber) -> Result<Option<PageChunk>, ContextError> {
        let Some(reference) = self.live.reference(content) else { return Ok(None) };
        let asked = self.sources.open(&reference)?;
        if asked.content_hash(&self.hashes)? != *content {
            return Ok(None);
        }
        let document = asked.document(None, &*self.reader, &self.limits)?;
        let page_count = document.page_count();
        if page.index().0 >= page_count {
            return Err(ContextError::PageOutOfRange { number: page.get().into(), page_count, zero_based: false });
        }
        let failed = |error| ContextError::Pdf { path: asked.path.clone(), error };
        document.cut(page.index()).map(Some).map_err(failed)
    }

    /// Opens a PDF for a tool that needs no memory.
    ///
    /// # Errors
    /// Every refusal of the file and of the reader.
    pub fn open_pdf(&self, reference: &str, password: Option<&str>) -> Result<OpenPdf, ContextError> {
        self.sources.open_pdf(reference, password, &*self.reader, &self.limits)
    }

    /// The absolute path that `reference` names, whether anything is there or not.
    ///
    /// # Errors
    /// [`ContextError::Source`] for a reference that names no file.
    pub fn path_of(&self, reference: &str) -> Result<PathBuf, ContextError> {
        Ok(self.sources.resolve(reference)?.path().components().collect())
    }

    /// Writes a drawn page to the output directory, as `{stem}-{first 8 of blake3}-page{n}.png`.
    ///
    /// # Errors
    /// [`ContextError::Output`].
    pub fn write_picture(&self, source: &str, page: PageNumber, png: &[u8]) -> Result<PathBuf, ContextError> {
        let file = PageFile { source, page, hash: ContentHash::of(png), extension: "png" };
        write_page(&self.settings.output_directory, &file, png)
    }

    /// Bounds and places of answers.
    #[must_use]
    pub fn settings(&self) -> &AnswerSettings {
        &self.settings
    }

    /// Pages of a PDF that a conversation holds in any form.
    ///
    /// # Errors
    /// Every refusal of the file.
    pub fn pages_held(&self, reference: &str, conversation: &ConversationId) -> Result<PageSet, ContextError> {
        let asked = self.sources.open(reference)?;
        let content = asked.content_hash(&self.hashes)?;
        // What the store cannot say is not held.
        let (view, _) = self.live.view(conversation);
        let mut held = PageSet::new();
        Form::ALL.iter().for_each(|form| held.union(&view.pages_in(&content, *form)));
        Ok(held)
    }

    /// What a conversation holds.
    ///
    /// # Errors
    /// [`ContextError::Store`].
    pub fn status(&self, conversation: &ConversationId) -> Result<Status, ContextError> {
        let (view, refreshed) = self.live.view(conversation);
        refreshed?;
        let keys = view.files().map(|(file, _)| file).collect::<Vec<_>>();
        let names = self.live.store().file_names(&keys)?;
        let files = view.files().filter_map(|(file, content)| held_file(&view, content, names.get(&file)));
        let sent = self.live.store().describe(conversation)?.map_or_else(Sent::default, |record| record.sent);
        Ok(Status { files: files.collect(), sent })
    }

    /// Forgets what a conversation holds, so that it is sent again.
    ///
    /// # Errors
    /// [`ContextError::Source`] for a reference that names no file, [`ContextError::Store`].
    pub fn forget(&self, conversation: &ConversationId, request: &ForgetRequest) -> Result<(), ContextError> {
        let file = request.file.as_deref().map(|file| self.sources.key(file)).transpose()?;
        let what = match (file, request.pages.clone()) {
            (None, _) => Forget::Everything,
            (Some(file), None) => Forget::File(file),
            (Some(file), Some(pages)) => Forget::Pages { file, pages },
        };
        Ok(self.live.forget(conversation, &what)?)
    }
}

/// Needs no look into the document.
fn summary_already_held(asked: &Asked) -> Draft {
    let details = Details {
        file: asked.path.clone(),
        mime_type: asked.kind.mime(),
        blake3: asked.known_hash(),
        ..Details::default()
    };
    Draft { blocks: vec![Block::Text(summary_held(&asked.path))], details, holdings: Vec::new() }
}

fn held_file(view: &ConversationView, content: ContentHash, path: Option<&String>) -> Option<HeldFile> {
    let pages = Form::ALL.map(|form| (form, view.pages_in(&content, form)));
    Some(HeldFile {
        path: path.cloned(),
        content,
        view: view.agent_view(&content)?,
        pages: pages.into_iter().filter(|(_, pages)| !pages.is_empty()).collect(),
    })
}

/// A draft, and a text to be kept for a later diff.
type Drafted = (Draft, Option<Arc<str>>);

fn no_pages_in(asked: &Asked) -> ContextError {
    ContextError::NoPagesIn { path: asked.path.clone(), mime_type: asked.kind.mime() }
}
