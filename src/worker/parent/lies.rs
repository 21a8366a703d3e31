//! A worker that was taken over answers what it likes. Each lie costs one typed error.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test may stop where it stands")]

use std::io::{Read as _, Write as _};
use std::num::NonZeroUsize;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use proptest::prelude::*;
use serde::Serialize;

use super::WorkerReader;
use super::pool::WorkerPool;
use super::process::WorkerProcess;
use crate::worker::wire::{
    MAX_ANSWER_BYTES, MessageKind, Noted, WantedEnginePart, WantedPiece, WantedSupply, WantedTesseract, WorkerMessage,
    frame,
};
use crate::worker::{
    DocumentFacts, DocumentWants, DrawnPage, FileJob, OcrMode, PageFacts, PageRegions, PageWants, Pages, PdfAction,
    PdfChunk, PdfError, Picture, ReadablePage, Reader, RecognisedPage, RecognisingDocument, Recognition,
    RecognitionAttempt, RecognitionBudget, RecognitionRequest, RenderOptions, WorkerError, WorkerSettings,
    decode_page_facts,
};
use pagewise_base::limits::{Cancellation, Limit, LimitExceeded, Limits, StopReason};
use pagewise_base::page::{PageIndex, PageLabel, PageSet};
use pagewise_base::parts::{OfficeFormat, PartsFault};
use pagewise_document::{
    AnnotationCounts, Attachment, Attachments, Comment, CommentKind, DisplayedArea, Link, LinkTarget, Outline,
    OutlineItem, PageAnnotations, PageGeometry, Tier,
};
use pagewise_ocr::{TesseractJob, TesseractMode};
use pagewise_render::{MAX_PAGE_IMAGES, NoFonts, PageImage, PageImages, WantedFont, WantedScript};
use pagewise_structure::tables::{Cell, ColumnsBy, Table};
use pagewise_structure::{Column, Line, LineWord, PageStructure, Region, Style, TableArea};
use pagewise_text::{Bounds, PageText, PageWords, PlacedWord};

const PAGE: PageIndex = PageIndex(0);

/// The pages of the document that the worker pretends to read.
const PAGE_COUNT: u32 = 3;

/// A reader whose only worker opens every document, and answers every other question with these bytes.
fn reader(settings: &WorkerSettings, reply: Vec<u8>) -> WorkerReader {
    counted(settings, reply).0
}

/// The same, and the kinds of the questions that it is asked.
fn counted(settings: &WorkerSettings, reply: Vec<u8>) -> (WorkerReader, Receiver<MessageKind>) {
    let (asked, questions) = mpsc::channel();
    let (ours, theirs) = UnixStream::pair().unwrap();
    std::thread::spawn(move || lie(theirs, &reply, &asked));
    let pool = WorkerPool::of(WorkerProcess::over(ours, settings), settings.clone());
    (WorkerReader::over(pool, Limits::default(), Arc::new(NoFonts)), questions)
}

fn lie(mut socket: UnixStream, reply: &[u8], asked: &Sender<MessageKind>) {
    loop {
        let mut prefix = [0; frame::PREFIX_BYTES];
        if socket.read_exact(&mut prefix).is_err() {
            return;
        }
        let Ok(message) = frame::read_content(prefix, frame::MAX_BYTES, &socket) else { return };
        let (kind, _) = postcard::take_from_bytes(&message).unwrap();
        let opened = answer(&PAGE_COUNT);
        // Not every test listens.
        let _ = asked.send(kind);
        let written = match kind {
            MessageKind::CloseFile => Ok(()),
            MessageKind::OpenFile => socket.write_all(&opened),
            _ => socket.write_all(reply),
        };
        if written.is_err() {
            return;
        }
    }
}

fn settings() -> WorkerSettings {
    let workers = Some(NonZeroUsize::MIN);
    WorkerSettings { workers, deadline: Duration::from_secs(20), ..WorkerSettings::new(PathBuf::from("/nowhere")) }
}

fn answer<A: Serialize>(answer: &A) -> Vec<u8> {
    frame::encode(&WorkerMessage::Answer(Ok(answer))).unwrap()
}

fn noted<A: Serialize>(facts: A) -> Vec<u8> {
    answer(&Noted { answer: facts, notes: Vec::new(), tier: Tier::Direct })
}

fn open(reader: &WorkerReader) -> Result<Box<dyn Pages>, PdfError> {
    reader.open(Arc::new(b"%PDF-1.7".to_vec()), None, &Cancellation::new())
}

/// What a document says to a question, if the worker replies with these bytes.
fn asked<T>(reply: Vec<u8>, ask: impl FnOnce(&dyn Pages) -> Result<T, PdfError>) -> Result<T, PdfError> {
    let reader = reader(&settings(), reply);
    let document = open(&reader).unwrap();
    ask(&*document)
}

#[track_caller]
fn refuses<T>(reply: Vec<u8>, ask: impl FnOnce(&dyn Pages) -> Result<T, PdfError>) {
    let found = asked(reply, ask).err();
    assert!(matches!(found, Some(PdfError::Worker(WorkerError::Nonsense))), "{found:?}");
}

/// Every page question at once.
fn everything() -> PageWants {
    PageWants {
        label: true,
        geometry: true,
        annotations: true,
        chunk: true,
        fingerprint: true,
        text: true,
        words: true,
        structure: true,
        picture: Some(RenderOptions::default()),
        images: true,
        recognition: Some(RecognitionRequest { is_forced: true, trusts_layers: false, time: Duration::from_secs(20) }),
    }
}

fn word() -> LineWord {
    LineWord {
        formula: None,
        text: "word".to_owned(),
        bounds: Bounds::default(),
        style: Style::default(),
        is_spaced: true,
        is_raised: false,
        target: Some(0),
    }
}

fn cell() -> Cell {
    Cell {
        row: 0,
        column: 0,
        row_span: 1,
        column_span: 1,
        text: "cell".to_owned(),
        bounds: Bounds::default(),
        is_header: false,
    }
}

fn table() -> Table {
    let (is_certain, is_first, is_last) = (true, true, true);
    Table {
        bounds: Bounds::default(),
        rows: 2,
        columns: 2,
        cells: vec![cell()],
        is_certain,
        columns_by: ColumnsBy::Lines,
        is_first,
        is_last,
    }
}

fn regions() -> PageRegions {
    let bounds = Bounds::default();
    let line =
        Line { words: vec![word()], bounds, baseline: 1.0, size: 1.0, ground: None, is_run_in: false, tag: None };
    let column = Column { lines: vec![line], ..Column::default() };
    let structure = PageStructure {
        regions: vec![Region::Column(column), Region::Table(TableArea { bounds, index: 0 })],
        targets: vec!["https://example.org".to_owned()],
        ..PageStructure::default()
    };
    PageRegions { structure, tables: vec![table()] }
}

fn text() -> PageText {
    PageText { text: "h\u{e9}llo".to_owned(), joints: vec![1, 3], ..PageText::default() }
}

fn words() -> PageWords {
    PageWords { words: vec![PlacedWord::default()], ..PageWords::default() }
}

fn picture() -> DrawnPage {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\0\0\0\0crc.\0\0\0\0IENDcrc.";
    let picture = Picture { png: png.to_vec().into(), width: 2, height: 3, notes: Vec::new() };
    DrawnPage { options: RenderOptions::default(), picture }
}

fn image() -> PageImage {
    PageImage {
        identity: pagewise_base::hash::ContentHash([7; 32]),
        width: 2,
        height: 3,
        place: [0.0, 0.0, 20.0, 30.0],
        encoding: "JPEG".to_owned(),
        bytes: 9,
        is_stencil: false,
    }
}

/// A page as an honest worker describes it.
fn honest() -> PageFacts {
    let recognised = RecognisedPage { text: text(), regions: regions(), words: words(), confidences: vec![0.5] };
    let link = Link { target: LinkTarget::Page(PageIndex(PAGE_COUNT - 1)), area: DisplayedArea::default() };
    PageFacts {
        label: Some(Some(PageLabel("i".to_owned()))),
        geometry: Some(PageGeometry { width_pt: 612.0, height_pt: 792.0, rotate: 90, user_unit: 1.0 }),
        annotations: Some(PageAnnotations { links: vec![link], ..PageAnnotations::default() }),
        chunk: Some(PdfChunk::new((&b"%PDF-1.7\n%%EOF\n"[..]).into(), "direct".to_owned(), Vec::new())),
        fingerprint: Some(pagewise_base::hash::PageFingerprint([7; 32])),
        text: Some(text()),
        words: Some(words()),
        structure: Some(regions()),
        picture: Some(picture()),
        images: Some(PageImages { images: vec![image()], total: 1 }),
        recognition: Some(RecognitionAttempt { is_forced: true, outcome: Recognition::Page(Box::new(recognised)) }),
    }
}

#[track_caller]
fn refuses_page(change: impl FnOnce(&mut PageFacts)) {
    let mut facts = honest();
    change(&mut facts);
    refuses(noted(facts), |document| document.page(PAGE, &everything()));
}

#[track_caller]
fn refuses_table(change: impl FnOnce(&mut Table)) {
    let mut table = table();
    change(&mut table);
    refuses_page(|facts| facts.structure = Some(PageRegions { tables: vec![table], ..regions() }));
}

#[track_caller]
fn refuses_facts(facts: DocumentFacts) {
    // The notes are asked for again, and no other worker comes.
    let settings = WorkerSettings { deadline: Duration::from_secs(2), ..settings() };
    let reader = reader(&settings, noted(facts));
    let document = open(&reader).unwrap();
    document.facts(&DocumentWants { info: true, ..DocumentWants::default() });
    let notes = document.notes();
    assert!(notes.iter().any(|note| note.contains("answer was invalid")), "{notes:?}");
}

#[test]
fn an_honest_answer_arrives_whole() {
    assert_eq!(*asked(noted(honest()), |document| document.page(PAGE, &everything())).unwrap(), honest());
}

#[test]
fn every_failure_arrives_as_what_it_is() {
    let reason = || "for a reason".to_owned();
    let failures = || {
        [
            PdfError::NotAPdf { beginning: reason() },
            PdfError::Damaged { what: reason(), offset: Some(9) },
            PdfError::Encrypted { password_given: true },
            PdfError::Limit(LimitExceeded { which: Limit::PageCpu, limit: 1, found: 2 }),
            PdfError::Stopped(StopReason::Cancelled),
            PdfError::Io(std::io::Error::other(reason())),
            PdfError::NotJoinable { reason: reason() },
            PdfError::Parts(PartsFault::Damaged(reason()).of(OfficeFormat::Docx)),
            PdfError::Failed { action: PdfAction::RenderPage, reason: reason() },
        ]
    };
    for (sent, expected) in failures().into_iter().zip(failures()) {
        let reply = frame::encode(&WorkerMessage::<Noted<PageFacts>>::Answer(Err(sent))).unwrap();
        let found = asked(reply, |document| document.page(PAGE, &everything())).unwrap_err();
        assert_eq!(format!("{found:?}"), format!("{expected:?}"));
    }
}

#[test]
fn a_fact_that_was_wanted_must_be_there() {
    refuses_page(|facts| facts.label = None);
    refuses_page(|facts| facts.geometry = None);
    refuses_page(|facts| facts.chunk = None);
    refuses_page(|facts| facts.text = None);
    refuses_page(|facts| facts.words = None);
    refuses_page(|facts| facts.structure = None);
    refuses_page(|facts| facts.picture = None);
    refuses_page(|facts| facts.recognition = None);
}

#[test]
fn tables_are_no_larger_than_their_limit_and_cells_lie_within() {
    refuses_table(|table| (table.rows, table.columns) = (1 << 40, 1 << 40));
    refuses_table(|table| (table.rows, table.columns) = (usize::MAX, usize::MAX));
    refuses_table(|table| (table.rows, table.columns) = (30_000, 30_000));
    refuses_table(|table| table.cells.iter_mut().for_each(|cell| cell.row = 2));
    refuses_table(|table| table.cells.iter_mut().for_each(|cell| cell.column_span = 3));
    refuses_table(|table| table.cells.iter_mut().for_each(|cell| cell.row_span = 0));
    refuses_table(|table| table.cells.iter_mut().for_each(|cell| (cell.row, cell.row_span) = (1, usize::MAX)));
    // Cells over each other, so that each place is written again and again.
    refuses_table(|table| {
        (table.rows, table.columns) = (200, 200);
        table.cells = vec![Cell { row_span: 200, column_span: 200, ..cell() }; 2];
    });
}

#[test]
fn spans_and_indices_stay_inside_their_bounds() {
    refuses_page(|facts| facts.text = Some(PageText { joints: vec![2], ..text() }));
    refuses_page(|facts| facts.text = Some(PageText { joints: vec![3, 1], ..text() }));
    refuses_page(|facts| facts.text = Some(PageText { joints: vec![u64::MAX], ..text() }));
    refuses_page(|facts| facts.text = Some(PageText { picture_percent: 101, ..text() }));
    refuses_page(|facts| {
        facts.structure.iter_mut().for_each(|regions| regions.structure.targets.clear());
    });
    refuses_page(|facts| facts.structure.iter_mut().for_each(|regions| regions.tables.clear()));
    refuses_page(|facts| {
        let regions = facts.structure.as_mut().unwrap();
        regions.structure.regions.push(Region::Table(TableArea { bounds: Bounds::default(), index: 0 }));
    });
    refuses_page(|facts| {
        let target = LinkTarget::Page(PageIndex(PAGE_COUNT));
        facts.annotations.as_mut().unwrap().links.push(Link { target, area: DisplayedArea::default() });
    });
    refuses_page(|facts| {
        let comment = Comment {
            kind: CommentKind::Note,
            contents: String::new(),
            author: None,
            date: None,
            subject: None,
            stamp: None,
            reply_to: Some(1),
            is_grouped: false,
            reviews: Vec::new(),
            area: DisplayedArea::default(),
            marked: Vec::new(),
            marked_text: None,
        };
        facts.annotations.as_mut().unwrap().comments.push(comment);
    });
    refuses_page(|facts| match facts.recognition.as_mut().map(|attempt| &mut attempt.outcome) {
        Some(Recognition::Page(page)) => page.confidences.clear(),
        _ => unreachable!("an honest page is recognised"),
    });
}

#[test]
fn facts_about_a_document_name_its_own_pages() {
    let beyond = Some(PageIndex(PAGE_COUNT));
    let item = OutlineItem { depth: 0, title: "t".to_owned(), page: beyond };
    let outline = |total| Outline { items: vec![item.clone()], total, is_incomplete: false };
    refuses_facts(DocumentFacts { outline: outline(1), ..DocumentFacts::default() });
    refuses_facts(DocumentFacts {
        outline: Outline { items: vec![OutlineItem { page: None, ..item.clone() }], ..outline(0) },
        ..DocumentFacts::default()
    });
    let attachment = Attachment { page: beyond, ..Attachment::default() };
    let attachments = Attachments { items: vec![attachment], total: 1 };
    refuses_facts(DocumentFacts { attachments, ..DocumentFacts::default() });
    let counts = AnnotationCounts { pages_with_links: PageSet::all(u32::MAX), ..AnnotationCounts::default() };
    refuses_facts(DocumentFacts { annotation_counts: counts, ..DocumentFacts::default() });
}

#[test]
fn numbers_are_finite() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        refuses_page(|facts| facts.geometry.as_mut().unwrap().width_pt = number);
    }
    for number in [f32::NAN, f32::INFINITY, -1e38] {
        refuses_page(|facts| {
            facts.words.as_mut().unwrap().words = vec![PlacedWord { baseline: number, ..PlacedWord::default() }]
        });
        refuses_page(|facts| facts.structure.as_mut().unwrap().structure.figures = vec![[number; 4].into()]);
        refuses_table(|table| table.bounds.x0 = number);
    }
    refuses_page(|facts| facts.geometry.as_mut().unwrap().rotate = 65_535);
}

#[test]
fn a_picture_and_a_page_are_what_they_say() {
    let with = |png: &[u8]| {
        let mut drawn = picture();
        drawn.picture.png = png.to_vec().into();
        drawn
    };
    let whole = picture().picture.png;
    refuses_page(|facts| facts.picture = Some(with(b"\x89PNG\r\n\x1a\njunk")));
    refuses_page(|facts| facts.picture = Some(with(b"")));
    refuses_page(|facts| facts.picture = Some(with(whole.get(..whole.len() - 1).unwrap())));
    refuses_page(|facts| facts.picture.as_mut().unwrap().picture.width = u32::MAX);
    refuses_page(|facts| {
        facts.chunk = Some(PdfChunk::new((&b"%PDF-1.7\nnot a pdf"[..]).into(), String::new(), vec![]))
    });
    refuses_page(|facts| facts.chunk = Some(PdfChunk::new((&b"junk"[..]).into(), String::new(), vec![])));
}

#[test]
fn a_document_has_no_more_pages_than_allowed() {
    let reader = reader(&settings(), Vec::new());
    drop(open(&reader).unwrap());
    for page_count in [Limits::default().max_pages + 1, u32::MAX] {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        theirs.write_all(&answer(&page_count)).unwrap();
        let process = WorkerProcess::over(ours, &settings());
        let reader = WorkerReader::over(WorkerPool::of(process, settings()), Limits::default(), Arc::new(NoFonts));
        assert!(matches!(open(&reader).err(), Some(PdfError::Worker(WorkerError::Nonsense))), "{page_count}");
    }
}

#[test]
fn images_are_as_many_as_are_said_and_have_a_place() {
    let with = |images: PageImages| refuses_page(move |facts| facts.images = Some(images));
    with(PageImages { images: vec![image()], total: 0 });
    with(PageImages { images: Vec::new(), total: 1 });
    with(PageImages { images: vec![image(); MAX_PAGE_IMAGES + 1], total: MAX_PAGE_IMAGES + 1 });
    with(PageImages { images: vec![PageImage { place: [f32::NAN; 4], ..image() }], total: 1 });
}

#[test]
fn an_answer_of_another_kind_is_refused() {
    refuses(noted(DocumentFacts::default()), |document| document.page(PAGE, &everything()));
    refuses(answer(&ReadablePage::default()), |document| document.page(PAGE, &everything()));
    refuses(noted(honest()), |document| document.make(&FileJob::Join(PageSet::all(2))));
    refuses(noted(None::<PdfChunk>), |document| document.join(&PageSet::all(2)));
    let reader = reader(&settings(), noted(honest()));
    let page = reader.readable(&b"<p>".to_vec(), None, "https://example.org", &Cancellation::new());
    assert!(page.is_err());
    assert!(reader.engine_problem().is_some());
}

#[test]
fn notes_are_not_without_number() {
    let facts = PageFacts { text: Some(PageText::default()), ..PageFacts::default() };
    let notes = vec!["a note".to_owned(); 100_000];
    refuses(answer(&Noted { answer: facts, notes, tier: Tier::Direct }), |document| document.page_text(PAGE));
}

#[test]
fn frames_out_of_turn_and_too_long_ones_are_refused() {
    let text = |document: &dyn Pages| document.page_text(PAGE);
    let facts = || noted(PageFacts { text: Some(PageText::default()), ..PageFacts::default() });
    assert!(asked(facts(), text).is_ok());
    refuses([facts(), facts()].concat(), text);
    refuses([facts(), vec![0]].concat(), text);
    refuses(u32::try_from(MAX_ANSWER_BYTES + 1).unwrap().to_le_bytes().to_vec(), text);
    refuses(u32::MAX.to_le_bytes().to_vec(), text);
    refuses(0_u32.to_le_bytes().to_vec(), text);
    let wants = |wanted: WantedSupply| frame::encode(&WorkerMessage::<()>::Wants(wanted)).unwrap();
    // A file that is not remote, a program that is not there, and fonts without end.
    refuses(wants(WantedPiece { offset: 0, length: 4 }.into()), text);
    let job = TesseractJob { mode: TesseractMode::Page, language: "eng".to_owned() };
    let run = WantedTesseract { width: 1 << 40, height: 1 << 40, pixels: vec![0; 9].into(), job };
    refuses(wants(run.into()), text);
    let font = || wants(WantedFont { script: WantedScript::Any, is_serif: true }.into());
    refuses(font().repeat(100), text);
    // The engine for a page that is not recognised, and its parts without end.
    let part = || wants(WantedEnginePart(0).into());
    refuses(part(), text);
    refuses(part().repeat(100), |document| document.page(PAGE, &everything()));
}

#[test]
fn silence_ends_at_the_deadline() {
    let settings = WorkerSettings { deadline: Duration::from_millis(80), ..settings() };
    // Nothing, and the beginning of an answer.
    for reply in [Vec::new(), vec![9, 0, 0, 0, 1]] {
        let reader = reader(&settings, reply);
        let found = open(&reader).unwrap().page_text(PAGE).err();
        assert!(matches!(found, Some(PdfError::Stopped(StopReason::Timeout { .. }))), "{found:?}");
    }
}

#[test]
fn a_worker_that_hangs_up_and_stays_is_ended() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    drop(theirs);
    let pool = WorkerPool::of(WorkerProcess::over(ours, &settings()), settings());
    let reader = WorkerReader::over(pool, Limits::default(), Arc::new(NoFonts));
    assert!(matches!(open(&reader).err(), Some(PdfError::Worker(WorkerError::Died { .. }))));
}

#[test]
fn every_part_of_an_answer_is_no_answer() {
    let whole = noted(honest());
    let content = whole.get(frame::PREFIX_BYTES..).unwrap();
    assert!(decode_page_facts(content).is_some());
    for end in 0..content.len() {
        assert_eq!(decode_page_facts(content.get(..end).unwrap()), None, "{end}");
    }
}

#[test]
fn a_page_is_one_question_through_a_document_that_recognises_too() {
    let (reader, questions) = counted(&settings(), noted(honest()));
    let document = open(&reader).unwrap();
    let budget = RecognitionBudget::of_call();
    let recognising = RecognisingDocument::new(&*document, OcrMode::Auto, PageSet::all(PAGE_COUNT), &budget);
    assert!(recognising.cut_and_identify(PAGE).unwrap().1.is_some());
    assert!(recognising.page_label(PAGE).is_some());
    assert!(recognising.annotations(PAGE).is_ok() && recognising.notes().is_empty());
    let kinds: Vec<MessageKind> = questions.try_iter().collect();
    assert_eq!(kinds, [MessageKind::OpenFile, MessageKind::PageQuestion]);
}

proptest! {
    #[test]
    fn changed_bytes_are_refused_or_valid(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)
    ) {
        let mut content = noted(honest()).split_off(frame::PREFIX_BYTES);
        for (at, byte) in changes {
            let at = at.index(content.len());
            content[at] = byte;
        }
        // What is decoded can be written.
        if let Some(facts) = decode_page_facts(&content) {
            for PageRegions { structure, tables } in facts.structure.iter().cloned() {
                let pages = [pagewise_structure::DocumentPage { number: 1, label: None, structure, is_wanted: true }];
                let blocks = pagewise_structure::read_document(&pages, &[]);
                let table = |_: usize, at: usize| tables.get(at).map(pagewise_structure::tables::to_markdown);
                prop_assert_eq!(pagewise_structure::to_markdown(&blocks, &table).len(), blocks.len());
            }
        }
    }
}
