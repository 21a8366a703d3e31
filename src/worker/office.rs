//! Reads office documents, books and notebooks in this process. Their parts are their pages.

use std::sync::Arc;

use super::pages::{
    DocumentFacts, DocumentWants, FileJob, PageFacts, PageRegions, PageWants, Pages, PdfAction, PdfChunk, PdfError,
    Recognition, RecognitionAttempt, RecognitionLimits,
};
use super::web_page::read_whole_file;
use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::limits::Limits;
use pagewise_base::page::{PageIndex, PageLabel, PageSet};
use pagewise_base::parts::PartsFault;
use pagewise_document::{
    AnnotationCounts, Attachments, DocumentInfo, Form, Outline, OutlineItem, PageAnnotations, ReadAt, run_contained,
};
use pagewise_office::{MAX_OFFICE_BYTES, Office, OfficePart, detect, may_be_office};
use pagewise_render::{MAX_PAGE_IMAGES, PageImage, PageImages, picture_size};
use pagewise_text::{PageKind, PageText, PageWords};

/// The bytes by which such files are told from PDFs.
const HEAD_BYTES: u64 = 64;

/// An open file with parts.
pub(super) struct OfficePages {
    office: Office,
    /// Images are read from it when they are asked for.
    file: Arc<dyn ReadAt>,
    limits: Limits,
}

impl OfficePages {
    /// Reads the file, if it is one with parts.
    pub(super) fn open(file: &Arc<dyn ReadAt>, limits: &Limits) -> Result<Option<Self>, PdfError> {
        let mut head = vec![0; usize::try_from(file.len().min(HEAD_BYTES)).unwrap_or(0)];
        file.read_at(0, &mut head)?;
        if !may_be_office(&head) {
            return Ok(None);
        }
        let too_large = || PartsFault::TooLarge(format!("it has more than {} MiB", MAX_OFFICE_BYTES >> 20));
        let bytes = read_whole_file(&**file)?;
        let Some(format) = detect(&bytes) else { return Ok(None) };
        if file.len() > MAX_OFFICE_BYTES {
            return Err(too_large().of(format).into());
        }
        let read = run_contained(|| Office::read(&bytes, format));
        let read = read.map_err(|failure| PartsFault::Damaged(failure.to_string()).of(format))?;
        limits.deadline.check()?;
        let office = read.map_err(|fault| fault.of(format))?;
        tracing::debug!(format = format.name(), parts = office.parts.len(), "file with parts opened");
        Ok(Some(Self { office, file: Arc::clone(file), limits: limits.clone() }))
    }

    fn part(&self, page: PageIndex) -> Result<&OfficePart, PdfError> {
        let part = usize::try_from(page.0).ok().and_then(|index| self.office.parts.get(index));
        let missing = || PdfError::Failed { action: PdfAction::ReadInfo, reason: "there is no such part".to_owned() };
        part.ok_or_else(missing)
    }

    pub(super) fn read_page(&self, page: PageIndex, wants: &PageWants) -> Result<PageFacts, PdfError> {
        let part = self.part(page)?;
        if wants.chunk || wants.geometry || wants.picture.is_some() {
            return Err(PartsFault::OnlyText.of(self.office.info.format).into());
        }
        let kind = if part.markdown.is_empty() && part.hidden.is_empty() { PageKind::Empty } else { PageKind::Text };
        let (text, hidden) = (part.markdown.clone(), part.hidden.clone());
        let identity = ContentHash::of(format!("{text}\0{hidden}").as_bytes());
        let own_text = |is_forced| RecognitionAttempt { is_forced, outcome: Recognition::OwnText };
        Ok(PageFacts {
            label: Some((!part.name.is_empty()).then(|| PageLabel(part.name.clone()))),
            annotations: Some(PageAnnotations::default()),
            fingerprint: wants.fingerprint.then_some(PageFingerprint(identity.0)),
            text: Some(PageText { text, hidden, kind, ..PageText::default() }),
            words: wants.words.then(PageWords::default),
            structure: wants.structure.then(PageRegions::default),
            images: if wants.images { Some(self.page_images(part)?) } else { None },
            recognition: wants.recognition.map(|request| own_text(request.is_forced)),
            ..PageFacts::default()
        })
    }

    /// The images of a part, with the size and the format that their headers tell.
    fn page_images(&self, part: &OfficePart) -> Result<PageImages, PdfError> {
        let places = part.images.get(..MAX_PAGE_IMAGES).unwrap_or(&part.images);
        let listed = |(place, data): (&String, Vec<u8>)| {
            let ending = || place.rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_ascii_uppercase());
            let header = picture_size(&data).map(|(format, size)| (format.to_owned(), size));
            let (encoding, [width, height]) = header.unwrap_or_else(|| (ending(), [0, 0]));
            let (identity, bytes) = (ContentHash::of(&data), u64::try_from(data.len()).unwrap_or(u64::MAX));
            PageImage { identity, width, height, place: [0.0; 4], encoding, bytes, is_stencil: false }
        };
        let images = places.iter().zip(self.image_data(places)?).map(listed).collect();
        Ok(PageImages { images, total: part.images.len() })
    }

    fn image_data(&self, places: &[String]) -> Result<Vec<Vec<u8>>, PdfError> {
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let (file, format) = (read_whole_file(&*self.file)?, self.office.info.format);
        let read = run_contained(|| pagewise_office::images(&file, format, places));
        let read = read.map_err(|failure| PartsFault::Damaged(failure.to_string()).of(format))?;
        Ok(read.map_err(|fault| fault.of(format))?)
    }

    pub(super) fn read_facts(&self, wants: &DocumentWants) -> DocumentFacts {
        DocumentFacts {
            info: if wants.info { self.info() } else { DocumentInfo::default() },
            outline: wants.outline.map(|max| self.outline(max)).unwrap_or_default(),
            annotation_counts: if wants.annotation_counts { self.counts() } else { AnnotationCounts::default() },
            form: Form::default(),
            attachments: Attachments::default(),
        }
    }

    fn info(&self) -> DocumentInfo {
        let stated = self.office.properties.clone();
        DocumentInfo {
            title: stated.title,
            author: stated.author,
            subject: stated.subject,
            keywords: stated.keywords,
            creator: stated.program,
            created: stated.created,
            modified: stated.modified,
            outline_entries: self.office.outline.len(),
            parts: Some(self.office.info.clone()),
            ..DocumentInfo::default()
        }
    }

    fn outline(&self, max: usize) -> Outline {
        let items = self.office.outline.iter().take(max).map(|heading| OutlineItem {
            depth: heading.depth,
            title: heading.title.clone(),
            page: u32::try_from(heading.part).ok().map(PageIndex),
        });
        Outline { items: items.collect(), total: self.office.outline.len(), is_incomplete: false }
    }

    fn counts(&self) -> AnnotationCounts {
        let parts = (0..).map(PageIndex).zip(&self.office.parts).filter(|(_, part)| part.comments > 0);
        AnnotationCounts {
            comments: self.office.parts.iter().map(|part| part.comments).sum(),
            pages_with_comments: parts.map(|(page, _)| page).collect::<PageSet>(),
            pages_read: self.page_count(),
            ..AnnotationCounts::default()
        }
    }
}

impl Pages for OfficePages {
    fn page_count(&self) -> u32 {
        u32::try_from(self.office.parts.len()).unwrap_or(u32::MAX)
    }

    fn is_remote(&self) -> bool {
        false
    }

    fn recognition_limits(&self) -> RecognitionLimits {
        (&self.limits).into()
    }

    fn facts(&self, wants: &DocumentWants) -> DocumentFacts {
        self.read_facts(wants)
    }

    fn page(&self, page: PageIndex, wants: &PageWants) -> Result<Arc<PageFacts>, PdfError> {
        self.read_page(page, wants).map(Arc::new)
    }

    fn make(&self, job: &FileJob) -> Result<Option<PdfChunk>, PdfError> {
        match job {
            FileJob::Attachment(_) => Ok(None),
            FileJob::Image(page, number) => {
                let place = number.checked_sub(1).and_then(|at| self.part(*page).ok()?.images.get(at));
                let data = self.image_data(place.map(std::slice::from_ref).unwrap_or_default())?.pop();
                Ok(data.map(|data| PdfChunk::new(data.into(), String::new(), Vec::new())))
            }
            FileJob::Join(_) | FileJob::TextLayer(_) => Err(PartsFault::OnlyText.of(self.office.info.format).into()),
        }
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
