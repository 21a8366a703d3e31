//! Converts PDFs to texts and pictures, for models that take no PDFs.

use bytes::Bytes;

use super::load::{LoadedPdf, RequestedPdf};
use super::pack::PdfPacker;
use super::packed_pdf::PackedPdf;
use super::request_budget::{RequestBudget, divide_budget};
use crate::context::{OpenPdf, fenced, ocr_notes, untagged_heading};
use crate::worker::{OcrMode, Pages as _, PdfError, RecognisingDocument, RecognitionBudget};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_model::QuestionPart;
use pagewise_render::{Dpi, RenderOptions};

/// Below this many characters, pages are sent as pictures.
const FEW_CHARACTERS: usize = 200;

/// Pixels of one page's picture.
const MAX_PIXELS: u64 = 4_000_000;

/// [`MAX_PIXELS`] as a float.
const MAX_PIXELS_F64: f64 = 4_000_000.0;

/// Pixels of a picture's longer side.
const MAX_SIDE_PIXELS: f64 = 10_000.0;

/// Extracts one PDF.
struct TextExtraction<'a, 'p> {
    packing: &'a PdfPacker<'p>,
    path: &'a str,
    pdf: OpenPdf,
    candidates: PageSet,
    packed: PackedPdf,
}

impl PdfPacker<'_> {
    /// Packs every PDF as text, or as pictures if it has almost no text.
    pub(super) fn fallback(&self, requested: &mut [RequestedPdf], prompt: &str) -> Vec<PackedPdf> {
        let labels = labels(requested);
        let mut characters = self.settings.pdf_max_text_chars;
        let mut count = requested.iter().filter(|requested| requested.loaded.is_ok()).count();
        divide_budget(requested, RequestBudget::of(&self.limits, prompt), |path, loaded, share| {
            let label = labels.iter().find(|(known, _)| known == path).map_or("[PDF text]", |(_, label)| label);
            let budget = characters / count.max(1);
            count = count.saturating_sub(1);
            let mut left = budget;
            let packed = self.pack_extracted((path, label), loaded, share, &mut left);
            characters = characters.saturating_sub(budget - left);
            packed
        })
    }

    fn pack_extracted(
        &self,
        named: (&str, &str),
        loaded: &mut LoadedPdf,
        share: &mut RequestBudget,
        budget: &mut usize,
    ) -> PackedPdf {
        let candidates = loaded.candidates(self.settings.pdf_max_pages);
        match loaded.open(self.ask) {
            Err(error) => PackedPdf::refused(error.message),
            Ok(pdf) => {
                let packed = PackedPdf { form: "text", ..PackedPdf::default() };
                let extraction = TextExtraction { packing: self, path: named.0, pdf, candidates, packed };
                extraction.run(named.1, loaded, share, budget)
            }
        }
    }
}

/// The label before the text of each PDF.
fn labels(requested: &[RequestedPdf]) -> Vec<(String, String)> {
    let label = |at: usize| if requested.len() == 1 { "[PDF text]".to_owned() } else { format!("[PDF {at} text]") };
    (1..).zip(requested).map(|(at, requested)| (requested.path.clone(), label(at))).collect()
}

impl TextExtraction<'_, '_> {
    fn run(mut self, label: &str, loaded: &mut LoadedPdf, share: &mut RequestBudget, budget: &mut usize) -> PackedPdf {
        self.read(loaded);
        let text = self.text(loaded, budget);
        if !text.body.trim().is_empty() {
            let part = QuestionPart::Text(format!("{label}\n{}", text.body));
            if !share.take(part.size(), 0) {
                return PackedPdf::refused(self.packing.limit_reached());
            }
            self.packed.bytes = part.size();
            self.packed.parts.push(part);
        }
        let needs_pictures = text.characters < FEW_CHARACTERS;
        if needs_pictures && self.packing.settings.takes_images(self.packing.name) {
            self.pictures(loaded, share);
        } else {
            self.packed.pages = text.pages;
            let why = if text.is_full { self.text_limit() } else { self.packing.page_limit() };
            self.packed.note_left_out(loaded, &self.candidates, text.is_full, why);
        }
        if self.packed.parts.is_empty() {
            self.packed.refused = Some(self.nothing_sent_reason(needs_pictures));
        }
        self.packed
    }

    /// Scans are recognised for models that take no pictures of them.
    fn ocr_mode(&self) -> OcrMode {
        if self.packing.settings.takes_images(self.packing.name) { OcrMode::Never } else { OcrMode::Auto }
    }

    /// Reads the text of pages that were not read for an earlier model.
    fn read(&mut self, loaded: &mut LoadedPdf) {
        let mode = self.ocr_mode();
        let budget = RecognitionBudget::of_call();
        let document = RecognisingDocument::new(&*self.pdf.document, mode, self.candidates.clone(), &budget);
        for page in self.candidates.iter() {
            let read = || document.page_text(page).map(|page| page.text).map_err(|error| error.to_string());
            let text = loaded.kept.texts.entry((page, mode)).or_insert_with(read);
            if let Err(reason) = text {
                let note = format!("The text of page {} of {} cannot be read: {reason}", page.number(), self.path);
                self.packed.notes.push(note);
            }
        }
        let notes = ocr_notes(&document.report(), |pages| format!("Ask again with pages: \"{pages}\"."));
        loaded.kept.ocr_notes.extend(notes.into_iter().map(|note| format!("{}: {note}", self.path)));
        if mode == OcrMode::Auto {
            self.packed.notes.extend(loaded.kept.ocr_notes.iter().cloned());
        }
    }

    /// The text of the pages, up to `budget` characters.
    fn text(&mut self, loaded: &LoadedPdf, budget: &mut usize) -> ExtractedText {
        let (mut text, mode) = (ExtractedText::default(), self.ocr_mode());
        for page in self.candidates.iter() {
            let Some(Ok(of_page)) = loaded.kept.texts.get(&(page, mode)) else { continue };
            let trimmed = of_page.trim();
            let length = trimmed.chars().count();
            if text.is_full || (length > *budget && !text.body.is_empty()) {
                text.is_full = true;
                continue;
            }
            text.pages.insert(page);
            if trimmed.is_empty() {
                continue;
            }
            let kept = trimmed.chars().take(*budget).collect::<String>();
            if length > *budget {
                let number = page.number();
                let note =
                    format!("The text of page {number} of {} is cut at {budget} of {length} characters", self.path);
                self.packed.notes.push(format!("{note}: {}", self.text_limit()));
            }
            text.characters = text.characters.saturating_add(length.min(*budget));
            *budget = budget.saturating_sub(length);
            text.body.push_str(&untagged_heading(page.number(), text.body.is_empty()));
            text.body.push_str(&fenced(&kept));
        }
        text
    }

    /// Adds pictures of the pages, as many as fit.
    fn pictures(&mut self, loaded: &mut LoadedPdf, share: &mut RequestBudget) {
        self.packed.form = "images";
        let mut is_full = false;
        let candidates = std::mem::take(&mut self.candidates);
        for page in candidates.iter() {
            let png = loaded.kept.pictures.entry(page).or_insert_with(|| self.picture(page));
            match png.clone() {
                Ok(png) => {
                    is_full = !share.take(png.len() as u64, 1);
                    if is_full {
                        break;
                    }
                    self.packed.add(page, QuestionPart::Picture(png));
                }
                Err(reason) => {
                    let note = format!("Page {} of {} cannot be drawn: {reason}", page.number(), self.path);
                    self.packed.notes.push(note);
                }
            }
        }
        let why = if is_full { self.packing.limit_reached() } else { self.packing.page_limit() };
        self.packed.note_left_out(loaded, &candidates, is_full, why);
    }

    fn picture(&self, page: PageIndex) -> Result<Bytes, String> {
        let draw = || {
            let geometry = self.pdf.document.page_geometry(page)?;
            let dpi = resolution(geometry.width_pt, geometry.height_pt, self.packing.settings.pdf_image_dpi);
            let options = RenderOptions { dpi, max_pixels: MAX_PIXELS, ..RenderOptions::default() };
            Ok::<_, PdfError>(self.pdf.document.picture(page, &options)?.png)
        };
        draw().map_err(|error| error.to_string())
    }

    fn text_limit(&self) -> String {
        format!("pdf_max_text_chars is {} for all PDFs together", self.packing.settings.pdf_max_text_chars)
    }

    /// Why nothing is sent of this PDF.
    fn nothing_sent_reason(&self, needs_pictures: bool) -> String {
        let name = self.packing.name;
        if needs_pictures && !self.packing.settings.takes_images(name) {
            return format!("{name} takes no pictures, and the PDF has no extractable text");
        }
        let reasons = self.packed.notes.join("; ");
        if reasons.is_empty() { self.packing.limit_reached() } else { reasons }
    }
}

/// The extracted text of a PDF.
#[derive(Default)]
struct ExtractedText {
    body: String,
    /// Characters of the pages, without headings.
    characters: usize,
    pages: PageSet,
    /// Whether a page did not fit.
    is_full: bool,
}

/// The finest resolution at which a page of this size stays within the picture bounds, at most `finest` pixels per
/// inch.
fn resolution(width_pt: f64, height_pt: f64, finest: u64) -> Dpi {
    let (width, height) = (width_pt.abs().max(1.0) / 72.0, height_pt.abs().max(1.0) / 72.0);
    let by_pixels = (MAX_PIXELS_F64 / (width * height)).sqrt();
    let by_side = MAX_SIDE_PIXELS / width.max(height);
    Dpi::at_most(to_u64(by_pixels.min(by_side)).min(finest))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
fn to_u64(number: f64) -> u64 {
    number.floor() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_never_enlarged_and_keep_their_bounds() {
        let dpi = |width, height| resolution(width, height, 72).get();
        assert_eq!(dpi(612.0, 792.0), 72);
        assert_eq!(dpi(2_000.0, 2_000.0), 72);
        assert_eq!(dpi(2_001.0, 2_001.0), 71);
        assert_eq!(dpi(14_400.0, 14_400.0), 10);
        assert_eq!(dpi(10_001.0, 10.0), 71);
        assert_eq!(dpi(f64::NAN, 0.0), 72);
        assert_eq!(resolution(612.0, 792.0, 300).get(), 206);
    }
}
