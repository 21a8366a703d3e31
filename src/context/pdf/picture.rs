//! Pages as pictures.

use super::PdfAnswerBuilder;
use super::estimate::picture_tokens;
use super::page::{BuiltPage, PageBody};
use super::plan::PlannedPage;
use crate::context::answer::{ImageBlock, ResultBudget, SentPage};
use crate::context::error::ContextError;
use crate::context::phrases::{fenced, page_heading};
use crate::context::token_estimate::estimated_tokens;
use crate::worker::{PdfAction, PdfError, Picture};
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::{Limit, LimitExceeded};
use pagewise_base::page::PageIndex;
use pagewise_document::PageGeometry;
use pagewise_render::{Dpi, RenderOptions};
use pagewise_text::PageRemark;
use pagewise_view::PageForm;

/// Pixels of the longer side: the most that models take without scaling down.
const SIDE_PIXELS: f64 = 1_568.0;

/// Lower resolutions to try if a picture has too many bytes.
const COARSER: [u64; 2] = [100, 72];

impl PdfAnswerBuilder<'_> {
    /// A page as a picture, with its text if requested; as text alone if it cannot be rendered.
    pub(crate) fn build_picture(&self, planned: PlannedPage) -> Result<BuiltPage, ContextError> {
        match self.picture(planned.page) {
            Ok(picture) => Ok(self.with_picture(planned, picture)),
            Err(error) => {
                let text = self.build_text(planned, Some(error.to_string()));
                text.map_err(|_| self.pdf_error(error))
            }
        }
    }

    /// Renders the page at the finest useful resolution that stays within the byte bound.
    fn picture(&self, page: PageIndex) -> Result<Picture, PdfError> {
        let geometry = self.document.page_geometry(page)?;
        let finest = u64::from(finest_dpi(&geometry).get());
        let mut found = 0;
        for dpi in std::iter::once(finest).chain(COARSER.into_iter().filter(|coarser| *coarser < finest)) {
            let options = RenderOptions { dpi: Dpi::clamped(dpi), ..RenderOptions::default() };
            let picture = self.document.picture(page, &options)?;
            found = u64::try_from(picture.png.len()).unwrap_or(u64::MAX);
            if found <= self.settings.max_picture_bytes {
                return Ok(picture);
            }
        }
        Err(self.too_large(found))
    }

    /// The error for a picture of too many bytes: its own bound, or the room in the result.
    fn too_large(&self, found: u64) -> PdfError {
        let limit = self.settings.max_picture_bytes;
        let budget = self.request.max_result_bytes.map(|bytes| ResultBudget::of(bytes).picture_bytes());
        if budget == Some(limit) {
            let reason =
                format!("its picture has {found} bytes, and the result has room for {limit} (max_result_bytes)");
            return PdfError::Failed { action: PdfAction::RenderPage, reason };
        }
        LimitExceeded { which: Limit::PictureBytes, limit, found }.into()
    }

    fn with_picture(&self, planned: PlannedPage, picture: Picture) -> BuiltPage {
        let page_text = self.request.with_text.then(|| self.document.page_text(planned.page).ok()).flatten();
        let mut text = page_heading(self.page_name(planned.page), true);
        if let Some(page_text) = page_text.filter(|page| !page.text.is_empty()) {
            text.push_str(&self.chooser().bounded_text(&fenced(&page_text.text)));
        }
        text.push_str(&self.chooser().lines_beside(planned.page, PageForm::Image));
        // Some clients drop pictures without a word.
        let gap = if text.ends_with('\n') { "" } else { "\n" };
        text.push_str(&format!("{gap}Page {} is the picture that follows.", planned.page.number()));
        let sent = SentPage {
            page: planned.page.number(),
            label: self.document.page_label(planned.page),
            form: PageForm::Image,
            bytes: u64::try_from(picture.png.len()).unwrap_or(u64::MAX),
            blake3: ContentHash::of(&picture.png),
            fingerprint: None,
            tier: None,
            notes: picture.notes.clone(),
            left_out: Vec::new(),
        };
        let remarks = picture.notes.into_iter().map(PageRemark::plain).collect();
        let tokens = picture_tokens(picture.width, picture.height).saturating_add(estimated_tokens(&text));
        let image = ImageBlock { mime_type: "image/png", bytes: picture.png };
        let body = PageBody::Picture { text, image };
        BuiltPage { body, sent, is_whole: true, replaces: planned.replaces, tokens, remarks }
    }
}

/// The resolution of a page's picture: the finest that models take without scaling it down.
pub(super) fn finest_dpi(page: &PageGeometry) -> Dpi {
    let fitting = dpi(SIDE_PIXELS * 72.0 / page.width_pt.max(page.height_pt));
    Dpi::clamped(fitting.get().min(Dpi::default().get()).into())
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
fn dpi(pixels_per_inch: f64) -> Dpi {
    Dpi::clamped(pixels_per_inch.floor() as u64)
}
