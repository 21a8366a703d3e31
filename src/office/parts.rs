//! Divides the blocks of a file into parts.

use std::collections::{BTreeMap, BTreeSet};

use anydoc::model::{Block, CellSlot, Document, Inline, Table};
use pagewise_base::clean::CleanText;
use pagewise_base::hash::ContentHash;
use pagewise_base::parts::{OfficeFormat, PartKind, PartsInfo, image_name};

use crate::markdown::{MarkdownPiece, MarkdownWriter, PieceKind, head_lines, row_pieces, table_line};
use crate::prepare::{COMMENT, HIDDEN, HIDDEN_SLIDE, IMAGE, SHOWN, SLIDE};
use crate::sheets::{Place, Sheet, column_letters};
use crate::{Heading, Office, OfficePart, Properties};

/// Maximum characters of a part, about 3,000 tokens. A longer section is divided.
const MAX_CHARACTERS: usize = 12_000;

/// Minimum characters of a part that ends where its content decides. So a new paragraph does not move all later parts.
const SOME_CHARACTERS: usize = 4_000;

/// Minimum characters of an average section, about 300 tokens. If deeper headings gave less, they do not divide.
const MIN_AVERAGE: usize = 1_200;

/// One paragraph in this many, on average, may end a part.
const ENDS: u8 = 8;

/// Levels of headings that divide a text.
const MAX_LEVEL: u8 = 6;

/// Maximum characters of the name of a part.
const MAX_NAME: usize = 80;

/// What is divided: pieces that begin together.
#[derive(Debug, Default)]
pub(crate) struct Section {
    pub(crate) name: String,
    /// Whether its parts are named even if it is one: its text does not say its name.
    pub(crate) is_named: bool,
    pub(crate) pieces: Vec<MarkdownPiece>,
}

/// A file in sections.
pub(crate) struct Division {
    pub(crate) format: OfficeFormat,
    pub(crate) part: PartKind,
    pub(crate) sections: Vec<Section>,
    pub(crate) remarks: Vec<String>,
    pub(crate) tables: u64,
    pub(crate) images: u64,
    /// Where images are stored in the file, by their numbers.
    pub(crate) image_places: Vec<String>,
    /// The notes that pieces refer to, by their mark.
    pub(crate) notes: BTreeMap<String, String>,
}

impl Division {
    pub(crate) fn new(format: OfficeFormat) -> Self {
        let part = match format {
            OfficeFormat::Xlsx | OfficeFormat::Xls | OfficeFormat::Ods => PartKind::Sheet,
            OfficeFormat::Pptx | OfficeFormat::Odp => PartKind::Slide,
            OfficeFormat::Epub => PartKind::Chapter,
            OfficeFormat::Notebook => PartKind::Cells,
            _ => PartKind::Section(None),
        };
        let is_old = matches!(format, OfficeFormat::Xls | OfficeFormat::Doc | OfficeFormat::Ppt);
        let old = is_old.then(|| "In this old format, comments, formulas and hidden content are not read".to_owned());
        let remarks = old.into_iter().collect();
        let (sections, image_places, notes) = Default::default();
        Self { format, part, sections, remarks, tables: 0, images: 0, image_places, notes }
    }

    /// Adds what was read, of a workbook with what is known of its sheets.
    pub(crate) fn add(&mut self, document: &Document, sheets: &[Sheet]) {
        if sheets.iter().flat_map(|sheet| sheet.beside.values()).any(|beside| beside.contains("{=")) {
            self.remarks.push("Formulas follow the values that they gave, marked {=…}".to_owned());
        }
        let mut writer = MarkdownWriter::new(self.image_places.len(), &document.notes);
        let blocks = &document.blocks;
        let sections = match self.part {
            PartKind::Sheet => sheet_sections(blocks, sheets, &mut writer),
            PartKind::Slide => slide_sections(blocks, &mut writer),
            PartKind::Chapter => chapter_sections(blocks, &mut writer),
            PartKind::Section(_) | PartKind::Cells => {
                let (part, sections) = text_sections(blocks.iter().flat_map(|block| writer.pieces(block)).collect());
                self.part = part;
                sections
            }
        };
        for section in sections {
            match self.sections.last_mut().filter(|last| self.part == PartKind::Sheet && last.name == section.name) {
                Some(last) => last.pieces.extend(section.pieces),
                None => self.sections.push(section),
            }
        }
        for number in 1..=document.notes.len() {
            let mark = format!("[^{number}]");
            let text = writer.notes_of(&mark).join("\n");
            self.notes.insert(mark, text);
        }
        self.tables = self.tables.saturating_add(writer.tables);
        self.images = self.images.saturating_add(writer.images);
        self.image_places.extend(document.assets.iter().map(|asset| asset.origin_part.clone()));
    }

    /// Adds headers and footers, and what the summary says.
    pub(crate) fn add_beside(&mut self, running: BTreeSet<String>, remarks: Vec<String>) {
        if !running.is_empty() {
            let pieces = running.into_iter().map(|text| MarkdownPiece { text, kind: PieceKind::Block }).collect();
            self.sections.push(Section { name: "Headers and footers".to_owned(), is_named: true, pieces });
        }
        self.remarks.extend(remarks);
    }

    /// The parts.
    pub(crate) fn finish(self, properties: Properties) -> Office {
        let (mut parts, mut outline) = (Vec::new(), Vec::new());
        let mut remarks = self.remarks;
        for section in self.sections {
            let first = parts.len();
            let groups = groups(section.pieces);
            let count = groups.len();
            for (at, pieces) in groups.into_iter().enumerate() {
                let heads = pieces.iter().filter_map(|piece| match &piece.kind {
                    PieceKind::Heading(level, title) => Some((u32::from(level.saturating_sub(1)), visible(title))),
                    _ => None,
                });
                let here = parts.len();
                let heads = heads.filter(|(_, title)| !title.is_empty());
                outline.extend(heads.map(|(depth, title)| Heading { depth, title, part: here }));
                let is_named = section.is_named || count > 1;
                let name = if is_named { named(&section.name, &pieces, (at, count)) } else { String::new() };
                parts.push(part_of(name, &joined(&pieces), &self.notes, &self.image_places));
            }
            let is_named = outline.iter().any(|heading| heading.part >= first);
            if !is_named && !section.name.is_empty() && self.part != PartKind::Cells {
                outline.push(Heading { depth: 0, title: visible(&section.name), part: first });
            }
        }
        if parts.is_empty() {
            parts.push(OfficePart::default());
        }
        let top = outline.iter().map(|heading| heading.depth).min().unwrap_or(0);
        outline.iter_mut().for_each(|heading| heading.depth = heading.depth.saturating_sub(top));
        let comments: usize = parts.iter().map(|part| part.comments).sum();
        if comments > 0 {
            remarks.push("Comments are in the text where they were made, marked {>>…<<}".to_owned());
        }
        let words: usize =
            parts.iter().map(|part| part.markdown.split_whitespace().filter(|word| is_word(word)).count()).sum();
        let words = u64::try_from(words).unwrap_or(u64::MAX);
        if let Some(with_image) = parts.iter().position(|part| !part.images.is_empty()) {
            let number = with_image.saturating_add(1);
            remarks.push(format!(
                "Each image can be read as a file: append #image={number}.1 to the path for {} of part {number}",
                image_name(1)
            ));
        }
        if words == 0 {
            remarks.push("No text was found in it, which may be of a version that is not read".to_owned());
        }
        let (format, part, tables, images) = (self.format, self.part, self.tables, self.images);
        let remarks = remarks.iter().map(|remark| CleanText::line(remark).into_string()).collect();
        Office { parts, outline, properties, info: PartsInfo { format, part, words, tables, images, remarks } }
    }
}

fn is_word(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
}

/// A text without marks, on one line and not too long for a name.
fn visible(text: &str) -> String {
    let text = CleanText::line(text).into_string();
    if text.chars().count() <= MAX_NAME { text } else { text.chars().take(MAX_NAME).chain(['…']).collect() }
}

/// The name of a part: that of its section, with its rows or its place in it.
fn named(section: &str, pieces: &[MarkdownPiece], (at, count): (usize, usize)) -> String {
    let row = |piece: Option<&MarkdownPiece>| match piece.map(|piece| &piece.kind) {
        Some(PieceKind::Row { name, .. }) if !name.is_empty() => Some(name.clone()),
        _ => None,
    };
    let (first, last) = (row(pieces.iter().find(|piece| row(Some(piece)).is_some())), row(pieces.last()));
    let section = visible(section);
    match (first, last) {
        _ if count <= 1 => section,
        (Some(first), Some(last)) => format!("{section}, rows {first}-{last}"),
        _ => format!("{section} ({} of {count})", at.saturating_add(1)).trim_start().to_owned(),
    }
}

/// The text of pieces. Rows stand under the head of their table.
fn joined(pieces: &[MarkdownPiece]) -> String {
    let mut text = String::new();
    let mut table: Option<&str> = None;
    for piece in pieces {
        let head = match &piece.kind {
            PieceKind::Row { head, .. } => Some(&**head),
            _ => None,
        };
        let goes_on = head.is_some() && head == table;
        if !text.is_empty() {
            text.push_str(if goes_on { "\n" } else { "\n\n" });
        }
        if let Some(head) = head.filter(|_| !goes_on) {
            text.push_str(head);
            text.push('\n');
        }
        text.push_str(&piece.text);
        table = head;
    }
    text
}

/// A part: its text, and apart from it what is hidden.
fn part_of(name: String, text: &str, notes: &BTreeMap<String, String>, image_places: &[String]) -> OfficePart {
    let mut text = text.to_owned();
    let named: Vec<&String> =
        notes.iter().filter(|(mark, _)| text.contains(mark.as_str())).map(|(_, note)| note).collect();
    named.into_iter().for_each(|note| {
        text.push_str("\n\n");
        text.push_str(note);
    });
    let comments = text.matches(COMMENT).count();
    let (mut shown, mut hidden) = (String::new(), String::new());
    for (at, stretch) in text.split(HIDDEN).enumerate() {
        let (inside, outside) =
            if at == 0 { ("", stretch) } else { stretch.split_once(SHOWN).unwrap_or((stretch, "")) };
        hidden.push_str(inside);
        shown.push_str(outside);
    }
    let mut images: Vec<String> = Vec::new();
    let [shown, hidden] =
        [shown, hidden].map(|text| CleanText::of(with_images(&text, image_places, &mut images).trim()).into_string());
    OfficePart { name, markdown: shown, hidden, comments, images }
}

/// A text with the names of images in place of their marks. The images of a part are numbered from 1.
fn with_images(text: &str, places: &[String], images: &mut Vec<String>) -> String {
    let mut name = |place: &String| {
        let known = images.iter().position(|known| known == place);
        let at = known.unwrap_or_else(|| {
            images.push(place.clone());
            images.len().saturating_sub(1)
        });
        image_name(at.saturating_add(1))
    };
    let stretch = |stretch: &str| match stretch.parse().ok().and_then(|number: usize| places.get(number)) {
        Some(place) => name(place),
        None => stretch.to_owned(),
    };
    text.split(IMAGE).map(stretch).collect()
}

/// The pieces of a section in groups that are no longer than a part.
fn groups(pieces: Vec<MarkdownPiece>) -> Vec<Vec<MarkdownPiece>> {
    let size = |piece: &MarkdownPiece| piece.text.chars().count();
    if pieces.iter().map(size).sum::<usize>() <= MAX_CHARACTERS {
        return vec![pieces];
    }
    let (mut groups, mut group, mut length) = (Vec::new(), Vec::new(), 0_usize);
    for piece in pieces.into_iter().flat_map(short_pieces) {
        let more = size(&piece);
        let is_heading = matches!(piece.kind, PieceKind::Heading(..));
        let ends = length > SOME_CHARACTERS && may_end(&piece.text) || is_heading && length > MIN_AVERAGE;
        if length > 0 && (ends || length.saturating_add(more) > MAX_CHARACTERS) {
            groups.push(std::mem::take(&mut group));
            length = 0;
        }
        length = length.saturating_add(more);
        group.push(piece);
    }
    groups.push(group);
    groups
}

/// A piece that is longer than a part, in several.
fn short_pieces(piece: MarkdownPiece) -> Vec<MarkdownPiece> {
    let mut pieces = Vec::new();
    let mut rest = piece.text.as_str();
    while let Some((end, _)) = rest.char_indices().nth(MAX_CHARACTERS) {
        let (head, _) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let end = head.rfind(char::is_whitespace).filter(|at| *at > end / 2).unwrap_or(end);
        let Some((head, tail)) = rest.split_at_checked(end) else { break };
        pieces.push(MarkdownPiece { text: head.to_owned(), kind: piece.kind.clone() });
        rest = tail;
    }
    pieces.push(MarkdownPiece { text: rest.to_owned(), kind: piece.kind.clone() });
    pieces
}

/// Whether a text may end a part. It depends on the text alone.
fn may_end(text: &str) -> bool {
    let [first, ..] = ContentHash::of(text.as_bytes()).0;
    first.is_multiple_of(ENDS)
}

/// A text under the headings of the highest level whose sections are short enough, and not so short that they are many.
pub(crate) fn text_sections(pieces: Vec<MarkdownPiece>) -> (PartKind, Vec<Section>) {
    let is_start =
        |piece: &MarkdownPiece, deepest: u8| matches!(piece.kind, PieceKind::Heading(level, _) if level <= deepest);
    let lengths = |deepest: u8| {
        let mut lengths = vec![0_usize];
        for piece in &pieces {
            if is_start(piece, deepest) && lengths.last().is_some_and(|length| *length > 0) {
                lengths.push(0);
            }
            if let Some(length) = lengths.last_mut() {
                *length = length.saturating_add(piece.text.chars().count());
            }
        }
        lengths
    };
    let all: usize = pieces.iter().map(|piece| piece.text.chars().count()).sum();
    let mut chosen = None;
    for level in (1..=MAX_LEVEL).filter(|_| all > MAX_CHARACTERS / 4) {
        let lengths = lengths(level);
        if lengths.len() > 1 && all / lengths.len() < MIN_AVERAGE {
            break;
        }
        chosen = Some(level).filter(|_| lengths.len() > 1).or(chosen);
        if lengths.iter().all(|length| *length <= MAX_CHARACTERS) {
            break;
        }
    }
    let mut sections: Vec<Section> = Vec::new();
    let mut has_body = true;
    for piece in pieces {
        let starts = chosen.is_some_and(|level| is_start(&piece, level)) && has_body;
        if starts || sections.is_empty() {
            sections.push(Section::default());
            has_body = false;
        }
        has_body |= !matches!(piece.kind, PieceKind::Heading(..));
        if let Some(section) = sections.last_mut() {
            if let (true, PieceKind::Heading(_, title)) = (section.name.is_empty(), &piece.kind) {
                section.name.clone_from(title);
            }
            section.pieces.push(piece);
        }
    }
    (PartKind::Section(chosen), sections)
}

fn slide_sections(blocks: &[Block], writer: &mut MarkdownWriter<'_>) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for block in blocks {
        let content = match block {
            Block::Paragraph(content) | Block::Heading { content, .. } => content.as_slice(),
            _ => &[],
        };
        let text = anydoc::model::inlines_to_plain_text(content);
        let is_hidden = text.contains(HIDDEN_SLIDE);
        if is_hidden || text.contains(SLIDE) {
            let name = format!("Slide {}{}", sections.len().saturating_add(1), if is_hidden { ", hidden" } else { "" });
            sections.push(Section { name, is_named: is_hidden, pieces: Vec::new() });
            continue;
        }
        if sections.is_empty() {
            sections.push(Section { name: "Slide 1".to_owned(), ..Section::default() });
        }
        let Some(section) = sections.last_mut() else { continue };
        let has_notes = matches!(block, Block::BlockQuote(_));
        section.pieces.extend(has_notes.then(|| MarkdownPiece { text: "Notes:".to_owned(), kind: PieceKind::Block }));
        section.pieces.extend(writer.pieces(block));
    }
    for section in &mut sections {
        let title = section.pieces.iter().find_map(|piece| match &piece.kind {
            PieceKind::Heading(_, title) => Some(format!(": {title}")),
            _ => None,
        });
        section.name.push_str(&title.unwrap_or_default());
    }
    sections
}

/// The chapters of a book: the reader begins each with a paragraph of an anchor alone.
fn chapter_sections(blocks: &[Block], writer: &mut MarkdownWriter<'_>) -> Vec<Section> {
    let mut sections: Vec<Section> = vec![Section::default()];
    for block in blocks {
        if matches!(block, Block::Paragraph(content) if matches!(content.as_slice(), [Inline::Anchor(_)])) {
            sections.push(Section::default());
            continue;
        }
        let Some(section) = sections.last_mut() else { continue };
        for piece in writer.pieces(block) {
            if let (true, PieceKind::Heading(_, title)) = (section.name.is_empty(), &piece.kind) {
                section.name.clone_from(title);
            }
            section.pieces.push(piece);
        }
    }
    // The reader begins with the title of the book, which the summary has.
    let is_title =
        |section: &Section| matches!(section.pieces.as_slice(), [MarkdownPiece { kind: PieceKind::Heading(..), .. }]);
    if sections.len() > 1 && sections.first().is_some_and(is_title) {
        sections.remove(0);
    }
    sections.retain(|section| !section.pieces.is_empty());
    sections
}

/// The sheets of a workbook: a table each, under a heading if there are several.
fn sheet_sections(blocks: &[Block], sheets: &[Sheet], writer: &mut MarkdownWriter<'_>) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut left = sheets.iter();
    for block in blocks {
        match block {
            Block::Heading { content, .. } => {
                let name = anydoc::model::inlines_to_plain_text(content);
                sections.push(Section { name, is_named: true, pieces: Vec::new() });
            }
            Block::Table(table) => {
                if sections.last().is_none_or(|section| !section.pieces.is_empty()) {
                    sections.push(Section { name: only_name(sheets), is_named: true, pieces: Vec::new() });
                }
                let Some(section) = sections.last_mut() else { continue };
                let sheet = left.find(|sheet| sheet.name == section.name);
                section.pieces = sheet_pieces(table, sheet, writer);
                if sheet.is_some_and(|sheet| sheet.is_hidden) {
                    section.name.push_str(" (hidden sheet)");
                }
            }
            block => {
                if sections.is_empty() {
                    sections.push(Section { name: only_name(sheets), is_named: true, pieces: Vec::new() });
                }
                if let Some(section) = sections.last_mut() {
                    section.pieces.extend(writer.pieces(block));
                }
            }
        }
    }
    // Sheets without a value may have drawings and comments.
    for sheet in sheets.iter().filter(|sheet| sheet.extent.is_none()) {
        let pieces = loose_pieces(sheet, true);
        if !pieces.is_empty() {
            sections.push(Section { name: sheet.name.clone(), is_named: true, pieces });
        }
    }
    sections
}

/// The name of the sheet, if there is one alone.
fn only_name(sheets: &[Sheet]) -> String {
    match sheets {
        [sheet] => sheet.name.clone(),
        _ => String::new(),
    }
}

/// A sheet with the letters of its columns and the numbers of its rows, which formulas name; as a plain table if it is not
/// known where its cells stand.
fn sheet_pieces(table: &Table, sheet: Option<&Sheet>, writer: &mut MarkdownWriter<'_>) -> Vec<MarkdownPiece> {
    let width = table.grid.iter().map(Vec::len).max().unwrap_or(0);
    let fits = |(first, last): &(Place, Place)| {
        let spans =
            |from: u32, to: u32| usize::try_from(to.saturating_sub(from)).map_or(0, |span| span.saturating_add(1));
        spans(first.0, last.0) == table.grid.len() && spans(first.1, last.1) >= width
    };
    let placed = sheet.and_then(|sheet| Some((sheet, sheet.extent.filter(fits)?)));
    let (top, left) = placed.map_or((0, 0), |(_, (first, _))| first);
    let columns = (left..).take(width).map(column_letters);
    let head = std::iter::once(String::new()).chain(columns).collect::<Vec<_>>();
    let rows: Vec<(String, String)> = table
        .grid
        .iter()
        .zip(top..)
        .map(|(row, number)| {
            let mut cells = writer.cells(row);
            if let Some((sheet, _)) = placed {
                add_beside(&mut cells, row, sheet, (number, left));
            }
            let number = number.saturating_add(1).to_string();
            let line = std::iter::once(number.clone()).chain(cells).collect::<Vec<_>>();
            (number, table_line(&line, width.saturating_add(1)))
        })
        .filter(|(_, line)| line.chars().filter(|character| character.is_alphanumeric()).count() > 0)
        .collect();
    let mut pieces: Vec<MarkdownPiece> = sheet.map(hidden_remark).into_iter().flatten().collect();
    pieces.extend(row_pieces(&head_lines(&head, width.saturating_add(1)), rows.into_iter()));
    pieces.extend(sheet.into_iter().flat_map(|sheet| loose_pieces(sheet, placed.is_none())));
    pieces
}

/// Adds formulas and comments to the cells of a row that begins at `place`.
fn add_beside(cells: &mut [String], row: &[CellSlot], sheet: &Sheet, place: Place) {
    for ((cell, _), column) in cells.iter_mut().zip(row).zip(place.1..) {
        if let Some(beside) = sheet.beside.get(&(place.0, column)) {
            cell.push_str(&beside.replace('|', "\\|").replace('\n', " "));
        }
    }
}

/// Which rows and columns of a sheet are hidden, though they are given.
fn hidden_remark(sheet: &Sheet) -> Option<MarkdownPiece> {
    let columns = sheet.hidden_columns.iter().map(|column| column_letters(*column)).collect::<Vec<_>>().join(", ");
    let named = [("row", sheet.hidden_rows.to_string()), ("column", columns)];
    let named = named.iter().filter(|(_, which)| !which.is_empty()).map(|(what, which)| {
        let ending = if which.contains(['-', ',']) { "s" } else { "" };
        format!("{what}{ending} {which}")
    });
    let named = named.collect::<Vec<_>>().join(", ");
    let text = format!("Hidden in the sheet, but included here: {named}");
    (!named.is_empty()).then_some(MarkdownPiece { text, kind: PieceKind::Block })
}

/// What stands on a sheet, not in its cells: texts of drawings, and formulas and comments `beside` cells of unknown place.
fn loose_pieces(sheet: &Sheet, beside: bool) -> Vec<MarkdownPiece> {
    let beside = sheet.beside.iter().filter(|_| beside);
    let beside =
        beside.map(|((row, column), text)| format!("{}{}:{text}", column_letters(*column), row.saturating_add(1)));
    let drawings = sheet.drawings.iter().map(|text| format!("On a drawing: {text}"));
    beside.chain(drawings).map(|text| MarkdownPiece { text, kind: PieceKind::Block }).collect()
}
