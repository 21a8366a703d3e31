//! Recognises pages: decides whether a page has text of its own, and reads its picture if not.
//!
//! A page has its own text if a reader sees it: drawn, or hidden behind a scan that shows the same. A picture with little
//! text over or behind it, such as a stamp, is recognised, and then counts as recognised only if that gives more than the
//! page's own text.

use super::in_process::{OpenDocument, PageReader, page_regions};
use super::layer_check::is_shown;
use super::pages::{RecognisedPage, Recognition, RecognitionAttempt, RecognitionRequest, WithoutRecognition};
use std::ops::Range;

use pagewise_base::limits::{Deadline, StopReason};
use pagewise_document::run_contained;
use pagewise_ocr::{Direction, GrayImage, LineReading, LineSample, OcrError, RecognisedLine, Recogniser};
use pagewise_render::Scan;
use pagewise_text::{
    PageKind, PageLayout, PageText, PageWords, PlacedWord, RecognisedLayout, RecognisedText, Word, lay_out_recognised,
};

/// A sampled line is this much higher than its letters, in ems above and below.
const SAMPLE_MARGIN: f32 = 0.1;

/// The ink of a hidden line may reach beyond its box by these shares of its length and height: hidden layers place words
/// roughly, in a font that is narrower or wider than that of the picture.
const INK_MARGIN: [f32; 2] = [0.25, 0.25];

impl OpenDocument {
    /// Recognises a page with this text and layout of its own, if the request concerns it and its own text is not what a
    /// reader sees. The engine has its own deadline.
    pub(super) fn recognise_page(
        &self,
        page: &PageReader<'_>,
        (own, layout): (&PageText, &PageLayout),
        request: &RecognitionRequest,
    ) -> Result<RecognitionAttempt, StopReason> {
        let attempt = |outcome| Ok(RecognitionAttempt { is_forced: request.is_forced, outcome });
        if !request.concerns(own) {
            let is_trusted = own.has_hidden_layer();
            return attempt(if is_trusted { without(WithoutRecognition::Trusted) } else { Recognition::OwnText });
        }
        if request.time.is_zero() {
            return attempt(without(WithoutRecognition::OutOfTime));
        }
        match self.read_picture(page, own, layout, request) {
            Ok(outcome) => attempt(outcome),
            Err(_) if self.stop_reason() == Some(StopReason::Cancelled) => Err(StopReason::Cancelled),
            Err(why) => attempt(without(why)),
        }
    }

    fn read_picture(
        &self,
        page: &PageReader<'_>,
        own: &PageText,
        layout: &PageLayout,
        request: &RecognitionRequest,
    ) -> Result<Recognition, WithoutRecognition> {
        let engine = self.engine.recogniser().map_err(ocr_error)?;
        let deadline = self.limits.deadline.with_time(request.time);
        let scan = PageScan::new(page.scan().map_err(|error| WithoutRecognition::Failed(error.to_string()))?)?;
        let language = self.document.language();
        let read = || {
            let reader =
                ScanReader { engine: &*engine, scan: &scan, language: language.as_deref(), deadline: &deadline };
            let is_true = !request.is_forced && (!own.has_hidden_layer() || is_shown(&reader, &own.text, layout)?);
            if is_true && own.has_hidden_layer() && !own.is_sparse() {
                return Ok(Recognition::OwnText);
            }
            let found = reader.recognise()?;
            if is_true && is_complete(own, &found.layout.text) {
                return Ok(Recognition::OwnText);
            }
            // The page keeps its own text.
            if found.layout.words.words.is_empty() && !own.text.is_empty() {
                return Err(OcrError::NoText);
            }
            Ok(Recognition::Page(Box::new(found.page(own, layout))))
        };
        run_contained(read).map_err(|failure| WithoutRecognition::Failed(failure.to_string()))?.map_err(ocr_error)
    }
}

fn without(why: WithoutRecognition) -> Recognition {
    Recognition::Without(why)
}

/// Whether the page's own text is about all that was recognised.
fn is_complete(own: &PageText, recognised: &PageText) -> bool {
    own.kind == PageKind::Text && 2 * recognised.letters() <= 3 * own.letters() + 20
}

fn ocr_error(error: OcrError) -> WithoutRecognition {
    match error {
        OcrError::Stopped(_) | OcrError::Late => WithoutRecognition::OutOfTime,
        OcrError::NoEngine { reason } => WithoutRecognition::NoEngine(reason.to_owned()),
        OcrError::Model { .. } | OcrError::Program { .. } | OcrError::NoText | OcrError::Unreadable { .. } => {
            WithoutRecognition::Failed(error.to_string())
        }
    }
}

/// The picture of a page, and its place on the page.
struct PageScan {
    image: GrayImage,
    scan: Scan,
}

impl PageScan {
    fn new(mut scan: Scan) -> Result<Self, WithoutRecognition> {
        let size = |pixels: u32| usize::try_from(pixels).unwrap_or(usize::MAX);
        let pixels = std::mem::take(&mut scan.pixels);
        let image = GrayImage::new(size(scan.width), size(scan.height), pixels);
        let image = image.ok_or_else(|| WithoutRecognition::Failed("the picture of the page is empty".to_owned()))?;
        let image = image.without_dither();
        // More pixels than a drawn page has make recognition slower, and no better.
        let [width, height] = [(scan.width, 0), (scan.height, 1)].map(|(pixels, axis)| {
            let share = scan.drawn_share.get(axis).copied().unwrap_or(1.0);
            let fewer = whole_pixels(f64::from(pixels) * share.min(1.0));
            if let Some(pixel) = scan.pixel_pt.get_mut(axis) {
                *pixel *= f64::from(pixels) / f64::from(fewer);
            }
            size(fewer)
        });
        let is_larger = width < image.width() || height < image.height();
        let image = if is_larger { image.shrunk(width, height) } else { image };
        Ok(Self { image, scan })
    }

    /// A recognised line in points.
    fn on_page(&self, line: &RecognisedLine) -> RecognisedText {
        let LineSample { origin: [x, y], direction, length, thickness } = line.place;
        let ([left, top], [width, height]) = (self.scan.origin_pt, self.scan.pixel_pt);
        let (x_step, y_step) = (f64::from(direction.x) * width, f64::from(direction.y) * height);
        let (along, across) = (x_step.hypot(y_step), (y_step / height * width).hypot(x_step / width * height));
        let character = |text: &str, at: f32| (text.into(), f64::from(at) * along);
        RecognisedText {
            origin: [left + f64::from(x) * width, top + f64::from(y) * height],
            angle: y_step.atan2(x_step),
            length: f64::from(length) * along,
            thickness: f64::from(thickness) * across,
            characters: line.characters.iter().map(|found| character(&found.text, found.along)).collect(),
        }
    }

    /// The box of level words in pixels.
    fn sample(&self, words: &[&Word]) -> Option<LineSample> {
        let bounds = words.iter().map(|word| word.seen()).reduce(pagewise_text::Bounds::union)?;
        let ([left, top], [width, height]) = (self.scan.origin_pt, self.scan.pixel_pt);
        let x = |at: f32| (f64::from(at) - left) / width;
        let y = |at: f32| (f64::from(at) - top) / height;
        let margin = (y(bounds.y1) - y(bounds.y0)) * f64::from(SAMPLE_MARGIN);
        let narrow = |pixels: f64| pagewise_text::to_points(pixels);
        Some(LineSample {
            origin: [narrow(x(bounds.x0) - margin), narrow(f64::midpoint(y(bounds.y0), y(bounds.y1)))],
            direction: Direction::RIGHT,
            length: narrow(x(bounds.x1) - x(bounds.x0) + 2.0 * margin),
            thickness: narrow(y(bounds.y1) - y(bounds.y0) + 2.0 * margin),
        })
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
fn whole_pixels(length: f64) -> u32 {
    (length.round() as u32).max(1)
}

/// The line in this box of columns and rows.
fn sample_of([columns, rows]: &[Range<usize>; 2]) -> LineSample {
    let margin = SAMPLE_MARGIN * rows.len() as f32;
    let middle = (rows.start + rows.end) as f32 / 2.0;
    LineSample {
        origin: [columns.start as f32 - margin, middle],
        direction: Direction::RIGHT,
        length: columns.len() as f32 + 2.0 * margin,
        thickness: rows.len() as f32 + 2.0 * margin,
    }
}

/// The columns and rows of pixels that the ink of a level line may touch.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the casts saturate, and NaN is 0")]
fn ink_of(line: &LineSample) -> [Range<usize>; 2] {
    let ([left, middle], half) = (line.origin, line.thickness / 2.0);
    let [beside, above] = INK_MARGIN;
    let [beside, above] = [beside * line.length, above * line.thickness];
    let spans = [[left - beside, left + line.length + beside], [middle - half - above, middle + half + above]];
    spans.map(|[from, to]| from as usize..to.ceil() as usize)
}

/// Reads the picture of a page.
pub(super) struct ScanReader<'r> {
    engine: &'r dyn Recogniser,
    scan: &'r PageScan,
    /// Of the document.
    language: Option<&'r str>,
    deadline: &'r Deadline,
}

impl ScanReader<'_> {
    fn recognise(&self) -> Result<FoundText, OcrError> {
        let lines = self.engine.recognise(&self.scan.image, self.language, self.deadline)?;
        let parts: Vec<RecognisedText> = lines.iter().map(|line| self.scan.on_page(line)).collect();
        let [width, height] = self.scan.scan.page_pt;
        let layout = lay_out_recognised(width, height, &parts);
        let confidences = confidences(&layout.words, &lines, &parts);
        Ok(FoundText { layout, confidences })
    }

    /// The box of level words in pixels.
    pub(super) fn sample(&self, words: &[&Word]) -> Option<LineSample> {
        self.scan.sample(words)
    }

    /// What looks like lines of text where none of these boxes is, of about their height.
    pub(super) fn lines_beside(&self, boxes: &[LineSample]) -> Vec<LineSample> {
        let boxes: Vec<_> = boxes.iter().map(ink_of).collect();
        let mut heights: Vec<usize> = boxes.iter().map(|[_, rows]| rows.len()).collect();
        heights.sort_unstable();
        let height = heights.get(heights.len() / 2).copied().unwrap_or_default();
        let image = self.scan.image.clone().without(boxes);
        let lines = image.text_lines(height / 4..=height * 3 / 2);
        lines.into_iter().map(|place| sample_of(&place)).collect()
    }

    /// What a box with one line says. See [`Recogniser::read_line`].
    pub(super) fn read_line(
        &self,
        sample: LineSample,
        expected: &str,
        text: &str,
    ) -> Result<Option<LineReading>, OcrError> {
        self.deadline.check_now()?;
        self.engine.read_line(&self.scan.image, sample, expected, text)
    }
}

/// Text that was recognised on a page.
struct FoundText {
    layout: RecognisedLayout,
    confidences: Vec<f32>,
}

impl FoundText {
    /// The page with it, and with what its own layout has besides text.
    fn page(self, own: &PageText, own_layout: &PageLayout) -> RecognisedPage {
        let RecognisedLayout { text, layout, words } = self.layout;
        let PageText { picture_percent, paths, is_size_assumed, is_damaged, .. } = *own;
        let text = PageText { picture_percent, paths, is_size_assumed, is_damaged, ..text };
        let layout = PageLayout { links: own_layout.links.clone(), ..layout };
        let regions = page_regions(&layout, None);
        RecognisedPage { text, regions, words, confidences: self.confidences }
    }
}

/// The confidence of each word: the mean of the characters whose middles lie in its box.
fn confidences(words: &PageWords, lines: &[RecognisedLine], parts: &[RecognisedText]) -> Vec<f32> {
    let mut characters: Vec<([f32; 2], f32)> = Vec::new();
    for (line, part) in lines.iter().zip(parts) {
        let direction = (part.angle.cos(), part.angle.sin());
        for (found, (_, along)) in line.characters.iter().zip(&part.characters) {
            let [x, y] = part.origin;
            let place = [x + along * direction.0, y + along * direction.1].map(pagewise_text::to_points);
            characters.push((place, found.confidence));
        }
    }
    characters.sort_by(|([_, one], _), ([_, other], _)| one.total_cmp(other));
    words.words.iter().map(|word| confidence_of(word, &characters)).collect()
}

fn confidence_of(word: &PlacedWord, characters: &[([f32; 2], f32)]) -> f32 {
    let bounds = word.bounds;
    let from = characters.partition_point(|([_, y], _)| *y < bounds.y0);
    let near = characters.iter().skip(from).take_while(|([_, y], _)| *y <= bounds.y1);
    let within = near.filter(|([x, _], _)| (bounds.x0..=bounds.x1).contains(x));
    let (sum, count) = within.fold((0.0, 0.0_f32), |(sum, count), (_, confidence)| (sum + confidence, count + 1.0));
    sum / count.max(1.0)
}

#[cfg(test)]
#[path = "../../tests/support/pdf.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod pdf;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::pdf::{file_of, stream_of};
    use super::*;
    use crate::worker::InProcessReader;
    use crate::worker::engine::{Engine, EnginePart};
    use crate::worker::pages::{PageWants, RenderOptions};
    use pagewise_base::limits::{Cancellation, Limits, ProcessorClock};
    use pagewise_base::page::PageIndex;
    use pagewise_ocr::RecognisedCharacter;
    use pagewise_render::NoFonts;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    /// Reads one line of text on each page, or nothing, and reads other lines as expected or not.
    struct FakeEngine {
        line: &'static str,
        reads_as_expected: bool,
    }

    impl Recogniser for FakeEngine {
        fn recognise(&self, _: &GrayImage, _: Option<&str>, _: &Deadline) -> Result<Vec<RecognisedLine>, OcrError> {
            let place =
                LineSample { origin: [100.0, 200.0], direction: Direction::RIGHT, length: 800.0, thickness: 40.0 };
            let step = 800.0 / self.line.len() as f32;
            let middles = (0_u16..).map(|at| (f32::from(at) + 0.5) * step);
            let character = |(letter, along): (char, f32)| RecognisedCharacter {
                text: letter.to_string().into(),
                along,
                confidence: 0.75,
            };
            Ok(vec![RecognisedLine { place, characters: self.line.chars().zip(middles).map(character).collect() }])
        }

        fn read_line(
            &self,
            _: &GrayImage,
            _: LineSample,
            expected: &str,
            _: &str,
        ) -> Result<Option<LineReading>, OcrError> {
            let text = if self.reads_as_expected { expected } else { "something else entirely" }.to_owned();
            Ok(Some(LineReading { text, confidence: 0.9 }))
        }
    }

    fn document(engine: FakeEngine) -> OpenDocument {
        let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/scan.pdf")).unwrap();
        open(bytes, Limits::default(), Arc::new(engine))
    }

    fn open(bytes: Vec<u8>, limits: Limits, engine: Arc<dyn Recogniser>) -> OpenDocument {
        let engine = Engine::of(move |number| (number == 0).then(|| EnginePart::Whole(Arc::clone(&engine))));
        let reader = InProcessReader::with_engine(limits, Arc::new(NoFonts), Arc::new(engine));
        reader.open_document(Arc::new(bytes), None, &Cancellation::new()).unwrap()
    }

    /// Notes the sizes of pictures.
    #[derive(Default)]
    struct SizeEngine(Mutex<Vec<[usize; 2]>>);

    impl Recogniser for SizeEngine {
        fn recognise(&self, image: &GrayImage, _: Option<&str>, _: &Deadline) -> Result<Vec<RecognisedLine>, OcrError> {
            self.0.lock().unwrap().push([image.width(), image.height()]);
            Ok(Vec::new())
        }

        fn read_line(&self, _: &GrayImage, _: LineSample, _: &str, _: &str) -> Result<Option<LineReading>, OcrError> {
            Ok(None)
        }
    }

    /// How often a clock was read; the engines read it again and again while they interpret a page.
    static CLOCK_READS: AtomicU64 = AtomicU64::new(0);

    /// A page with a picture of 50 by 40 samples over a thousand boxes, and the number of reads of the clock that questions
    /// about it take.
    fn clock_reads(questions: &[PageWants], engine: Arc<dyn Recogniser>) -> u64 {
        let samples = "0123456789abcdefghij".repeat(100);
        let content = format!("{}100 0 0 100 0 0 cm /I Do", "0 0 9 9 re f ".repeat(1_000));
        let picture = "/Subtype/Image/Width 50/Height 40/BitsPerComponent 8/ColorSpace/DeviceGray";
        let pdf = file_of(&[
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Resources<</XObject<</I 5 0 R>>>>/Contents 4 0 R>>"
                .to_vec(),
            stream_of("", content.as_bytes()),
            stream_of(&format!("/Type/XObject{picture}"), samples.as_bytes()),
        ]);
        let clock = ProcessorClock::new(|| Duration::from_nanos(CLOCK_READS.fetch_add(1, Ordering::Relaxed)));
        let document = open(pdf, Limits { processor_clock: clock, ..Limits::default() }, engine);
        let before = CLOCK_READS.load(Ordering::Relaxed);
        for wants in questions {
            document.read_page(PageIndex(0), wants, false).unwrap();
        }
        CLOCK_READS.load(Ordering::Relaxed) - before
    }

    #[test]
    fn a_recognised_page_is_interpreted_once_for_its_text_and_once_for_its_picture() {
        let engine = Arc::new(SizeEngine::default());
        let reads = |questions: &[PageWants]| clock_reads(questions, Arc::<SizeEngine>::clone(&engine));
        let text = PageWants { text: true, ..PageWants::default() };
        let picture = PageWants { picture: Some(RenderOptions::default()), ..PageWants::default() };
        let recognition = PageWants { recognition: Some(AUTO), ..PageWants::default() };
        let least = reads(std::slice::from_ref(&text)) + reads(&[picture]);
        assert!(least > 100, "the page is interpreted: {least}");
        assert!(reads(&[PageWants { text: true, ..recognition.clone() }]) <= least);
        assert!(reads(&[text, recognition]) <= least, "one question after the other");
        assert_eq!(*engine.0.lock().unwrap(), [[50, 40]; 2], "its samples, which no engine drew");
    }

    const AUTO: RecognitionRequest =
        RecognitionRequest { is_forced: false, trusts_layers: false, time: Duration::from_secs(300) };

    /// Recognises a page of the fixture: the first is a scan, the second has a hidden layer.
    fn recognise(page: u32, reads_as_expected: bool, is_forced: bool) -> Recognition {
        let engine = FakeEngine { line: "a line of the scan", reads_as_expected };
        recognise_by(engine, page, RecognitionRequest { is_forced, ..AUTO })
    }

    fn recognise_by(engine: FakeEngine, page: u32, request: RecognitionRequest) -> Recognition {
        let wants = PageWants { text: true, recognition: Some(request), ..PageWants::default() };
        document(engine).read_page(PageIndex(page), &wants, false).unwrap().recognition.unwrap().outcome
    }

    #[test]
    fn a_page_is_not_recognised_without_time_or_need() {
        let engine = || FakeEngine { line: "a line of the scan", reads_as_expected: true };
        let without_time = recognise_by(engine(), 0, RecognitionRequest { time: Duration::ZERO, ..AUTO });
        assert_eq!(without_time, Recognition::Without(WithoutRecognition::OutOfTime));
        let trusted = recognise_by(engine(), 1, RecognitionRequest { trusts_layers: true, ..AUTO });
        assert_eq!(trusted, Recognition::Without(WithoutRecognition::Trusted));
    }

    #[test]
    fn a_page_that_was_recognised_is_not_cut_again() {
        let document = document(FakeEngine { line: "a line of the scan", reads_as_expected: true });
        let wants = PageWants { text: true, recognition: Some(AUTO), ..PageWants::default() };
        document.read_page(PageIndex(0), &wants, false).unwrap();
        assert!(document.has_chunk(PageIndex(0)));
    }

    #[test]
    fn a_scan_is_recognised_with_its_words_in_their_places() {
        let Recognition::Page(found) = recognise(0, true, false) else { unreachable!("the page has no text") };
        assert_eq!((found.text.text.as_str(), found.text.is_recognised()), ("a line of the scan", true));
        assert_eq!(found.words.words.len(), 5);
        assert_eq!(found.confidences, [0.75; 5]);
        let bounds = found.words.words.first().unwrap().bounds;
        assert!(bounds.x0 > 0.0 && bounds.x1 < found.words.width / 4.0, "{bounds:?}");
    }

    #[test]
    fn a_hidden_layer_counts_if_the_picture_shows_the_same() {
        assert_eq!(recognise(1, true, false), Recognition::OwnText);
        assert!(matches!(recognise(1, false, false), Recognition::Page(_)));
        assert!(matches!(recognise(1, true, true), Recognition::Page(_)), "forced");
    }

    /// A scan of 14 lines, 50 pixels from one to the next, with a hidden layer of the first ones.
    fn scan_with_layer_of(lines: usize) -> OpenDocument {
        let is_letter = |at: &usize| (100..500).contains(&(at % 600)) && at / 600 % 50 >= 34 && at % 10 < 4;
        let pixels: Vec<u8> = (0..600 * 700).map(|at| if is_letter(&at) { 20 } else { 230 }).collect();
        let layer = "(some hidden words of a line) Tj 0 -50 Td ".repeat(lines);
        let content = format!("q 600 0 0 700 0 0 cm /I Do Q BT 3 Tr /F 32 Tf 100 652 Td {layer}ET");
        let picture = "/Subtype/Image/Width 600/Height 700/BitsPerComponent 8/ColorSpace/DeviceGray";
        let resources = "/Resources<</XObject<</I 5 0 R>>/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>";
        let pdf = file_of(&[
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 700]{resources}/Contents 4 0 R>>").into_bytes(),
            stream_of("", content.as_bytes()),
            stream_of(&format!("/Type/XObject{picture}"), &pixels),
        ]);
        open(pdf, Limits::default(), Arc::new(FakeEngine { line: "a line of the scan", reads_as_expected: true }))
    }

    #[test]
    fn a_hidden_layer_of_half_a_page_is_not_all_that_the_scan_says() {
        let outcome = |lines| {
            let wants = PageWants { text: true, recognition: Some(AUTO), ..PageWants::default() };
            let facts = scan_with_layer_of(lines).read_page(PageIndex(0), &wants, false).unwrap();
            assert!(facts.text.unwrap().has_hidden_layer());
            facts.recognition.unwrap().outcome
        };
        assert_eq!(outcome(14), Recognition::OwnText);
        assert_eq!(outcome(12), Recognition::OwnText, "two lines may be a signature");
        assert!(matches!(outcome(7), Recognition::Page(_)));
    }

    #[test]
    fn nothing_does_not_take_the_place_of_a_hidden_layer() {
        let nothing = || FakeEngine { line: "", reads_as_expected: false };
        for is_forced in [false, true] {
            let found = recognise_by(nothing(), 1, RecognitionRequest { is_forced, ..AUTO });
            let Recognition::Without(why) = found else { unreachable!("nothing was found") };
            assert!(why.to_string().contains("no text was found"), "{why}");
        }
        assert!(matches!(recognise_by(nothing(), 0, AUTO), Recognition::Page(_)), "a page without text");
    }

    #[test]
    fn a_stamp_is_not_all_that_a_scan_says() {
        let text = |text: &str| PageText { text: text.to_owned(), ..PageText::default() };
        assert!(!is_complete(&text("PW 123456"), &text(&"many words of a scan ".repeat(9))));
        assert!(is_complete(&text("The title of a book, over a photograph"), &text("The title of a book Ol")));
    }
}
