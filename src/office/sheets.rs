//! What the reader does not tell of sheets in SpreadsheetML: formulas, comments, what is hidden, and where the cells stand.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Result;

use pagewise_base::page::PageSet;
use pagewise_base::parts::PartsFault;
use quick_xml::events::{BytesStart, Event};

use crate::archive::Archive;
use crate::prepare::{MarkedCopies, comment};
use crate::xml::{Pass, XmlCopy, attribute, local, named, push_text, read_tree, rewrite, text_in, value, without};

/// The place of a cell: its row and column, from 0.
pub(crate) type Place = (u32, u32);

/// Maximum rows and columns of a sheet.
const MAX_PLACE: Place = (1 << 20, 1 << 14);

/// A sheet, beside the values of its cells.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    pub(crate) name: String,
    pub(crate) is_hidden: bool,
    /// The first and the last place with a value.
    pub(crate) extent: Option<(Place, Place)>,
    /// Formulas and comments by cell. They follow the cell's value in the text.
    pub(crate) beside: BTreeMap<Place, String>,
    pub(crate) hidden_rows: PageSet,
    pub(crate) hidden_columns: BTreeSet<u32>,
    /// Texts of shapes and charts on it.
    pub(crate) drawings: Vec<String>,
}

impl Sheet {
    /// Widens the extent by a place with a value.
    pub(crate) fn widen(&mut self, place: Place) {
        let ((top, left), (bottom, right)) = self.extent.unwrap_or((place, place));
        self.extent = Some(((top.min(place.0), left.min(place.1)), (bottom.max(place.0), right.max(place.1))));
    }

    pub(crate) fn add_beside(&mut self, place: Place, text: &str) {
        let beside = self.beside.entry(place).or_default();
        beside.push(' ');
        beside.push_str(text);
    }
}

const BOOK: &str = "xl/workbook.xml";

/// A sheet as the workbook lists it.
struct ListedSheet {
    name: String,
    is_hidden: bool,
    /// The entry with its cells.
    part: String,
}

/// The number of a sheet, and its entry as it is in a copy; `None` if it stays as it is.
type ChangedSheet = (usize, Option<(String, Vec<u8>)>);

/// The workbook and its sheets, changed: everything is shown, so that nothing is left out.
pub(crate) fn prepare(archive: &mut Archive<'_>, prepared: &mut MarkedCopies) -> std::result::Result<(), PartsFault> {
    let people = people(archive);
    let (mut stretches, mut extra) = (Vec::<ChangedSheet>::new(), 0_usize);
    for (number, ListedSheet { name, is_hidden, part }) in listed_sheets(archive).into_iter().enumerate() {
        let unread = || Sheet { name: name.clone(), is_hidden, ..Sheet::default() };
        let mut own = Vec::new();
        let xml = archive.text(&part);
        for stretch in xml.as_deref().map(row_stretches).into_iter().flatten() {
            let mut pass = SheetPass { sheet: unread(), ..SheetPass::default() };
            let changed = rewrite(&stretch, &mut pass).unwrap_or_else(|| stretch.into_owned().into_bytes());
            stretches.push((number, Some((part.clone(), changed))));
            own.push(pass.sheet);
        }
        drop(xml);
        if own.is_empty() {
            stretches.push((number, None));
            own.push(unread());
        }
        extra = extra.saturating_add(own.len().saturating_sub(1));
        add_comments(archive, &part, &people, &mut own);
        add_drawings(archive, &part, &mut own);
        prepared.sheets.extend(own);
    }
    if extra > MAX_STRETCHES {
        let most = (MAX_STRETCHES * STRETCH_BYTES) >> 20;
        return Err(PartsFault::TooLarge(format!("its large sheets have more than {most} MiB")));
    }
    prepared.copies = copies(archive, stretches, extra > 0);
    Ok(())
}

/// One copy with all sheets; if a sheet is large, one for each stretch of a sheet.
fn copies(archive: &mut Archive<'_>, stretches: Vec<ChangedSheet>, is_large: bool) -> Vec<BTreeMap<String, Vec<u8>>> {
    let xml = archive.text(BOOK).unwrap_or_default();
    let book_of = |only| Some((BOOK.to_owned(), rewrite(&xml, &mut BookPass { only, seen: 0 })?));
    if !is_large {
        return vec![stretches.into_iter().filter_map(|(_, changed)| changed).chain(book_of(None)).collect()];
    }
    stretches.into_iter().map(|(number, changed)| changed.into_iter().chain(book_of(Some(number))).collect()).collect()
}

/// The names of people by their identifiers.
fn people(archive: &mut Archive<'_>) -> BTreeMap<String, String> {
    read_tree(archive.text("xl/persons/person.xml"), |tree| {
        let each = |node| Some((value(node, "id")?.to_owned(), value(node, "displayName")?.to_owned()));
        named(tree, "person").filter_map(each).collect()
    })
}

fn listed_sheets(archive: &mut Archive<'_>) -> Vec<ListedSheet> {
    let parts: BTreeMap<String, String> = archive.relationships(BOOK).into_iter().collect();
    read_tree(archive.text(BOOK), |tree| {
        let each = |node| {
            let is_hidden = value(node, "state").is_some_and(|state| state != "visible");
            let part = parts.get(value(node, "id")?)?.clone();
            Some(ListedSheet { name: value(node, "name")?.to_owned(), is_hidden, part })
        };
        named(tree, "sheet").filter_map(each).collect()
    })
}

/// Adds the comments of a sheet to the stretches that have their rows.
fn add_comments(archive: &mut Archive<'_>, part: &str, people: &BTreeMap<String, String>, stretches: &mut [Sheet]) {
    let threads = archive.related(part, "threadedcomment");
    let entries = if threads.is_empty() { archive.related(part, "comments") } else { threads };
    let last = stretches.len().saturating_sub(1);
    for (place, text) in entries.into_iter().flat_map(|entry| comments_in(archive.text(&entry), people)) {
        let has_row = |sheet: &Sheet| sheet.extent.is_some_and(|(_, last)| place.0 <= last.0);
        let at = stretches.iter().position(has_row).unwrap_or(last);
        if let Some(stretch) = stretches.get_mut(at) {
            stretch.add_beside(place, &text);
        }
    }
}

/// Adds the texts of the shapes and charts on a sheet to its last stretch.
fn add_drawings(archive: &mut Archive<'_>, part: &str, stretches: &mut [Sheet]) {
    for drawing in archive.related(part, "drawing").iter().filter(|entry| entry.ends_with(".xml")) {
        let texts = read_tree(archive.text(drawing), |tree| {
            named(tree, "txBody").map(|node| text_in(node, &["p"])).collect::<Vec<_>>()
        });
        let charts = archive.related(drawing, "chart");
        let charts = charts.into_iter().map(|entry| read_tree(archive.text(&entry), chart_text));
        if let Some(last) = stretches.last_mut() {
            last.drawings.extend(texts.into_iter().chain(charts).filter(|text| !text.is_empty()));
        }
    }
}

/// The titles of a chart and the names of its series. Their values are those of cells.
fn chart_text(chart: &roxmltree::Document<'_>) -> String {
    let titles = named(chart, "title").map(|title| text_in(title, &["t", "v"]));
    let series = named(chart, "ser").filter_map(|series| series.children().find(|node| node.tag_name().name() == "tx"));
    let texts = titles.chain(series.map(|name| text_in(name, &["v"]))).filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("; ")
}

/// Minimum bytes of a sheet that is read in stretches, since the tree of its XML has some twenty times as many.
const STRETCH_BYTES: usize = 4 << 20;

/// Maximum stretches of a workbook beyond the first of each sheet.
const MAX_STRETCHES: usize = 32;

/// A sheet in stretches of whole rows, each with the beginning and the end of the file. Rows without a number stay together.
fn row_stretches(xml: &str) -> Vec<Cow<'_, str>> {
    const ROW: &str = "<row r=";
    let whole = || vec![Cow::Borrowed(xml)];
    let bounds = xml.find(ROW).zip(xml.rfind("</sheetData>")).filter(|(first, end)| first < end);
    let Some((first, end)) = bounds.filter(|_| xml.len() > STRETCH_BYTES && !xml.contains("<row>")) else {
        return whole();
    };
    let (Some(head), Some(rows), Some(tail)) = (xml.get(..first), xml.get(first..end), xml.get(end..)) else {
        return whole();
    };
    let mut stretches = Vec::new();
    let mut rest = rows;
    while !rest.is_empty() {
        let at = (STRETCH_BYTES..rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        let end = rest.get(at..).and_then(|later| later.find(ROW)).map_or(rest.len(), |next| at.saturating_add(next));
        let Some((stretch, later)) = rest.split_at_checked(end) else { return whole() };
        stretches.push(Cow::Owned(format!("{head}{stretch}{tail}")));
        rest = later;
    }
    stretches
}

/// The comments of a sheet with their places. `people` are the authors of threads.
fn comments_in(xml: Option<String>, people: &BTreeMap<String, String>) -> Vec<(Place, String)> {
    read_tree(xml, |tree| {
        let authors: Vec<&str> = named(tree, "author").map(|node| node.text().unwrap_or_default()).collect();
        let author = |node: roxmltree::Node<'_, '_>| -> String {
            let listed = value(node, "authorId").and_then(|id| authors.get(id.parse::<usize>().ok()?).copied());
            listed.or_else(|| people.get(value(node, "personId")?).map(String::as_str)).unwrap_or_default().to_owned()
        };
        let each = |node: roxmltree::Node<'_, '_>| {
            let text = text_in(node, if node.tag_name().name() == "comment" { &["t"] } else { &["text"] });
            Some((place_of(value(node, "ref")?)?, comment(&author(node), &text)))
        };
        let nodes = tree.descendants().filter(|node| matches!(node.tag_name().name(), "comment" | "threadedComment"));
        nodes.filter_map(each).collect()
    })
}

/// The place that a reference such as `B5` names.
pub(crate) fn place_of(reference: &str) -> Option<Place> {
    let reference = reference.replace('$', "");
    let digits = reference.find(|character: char| character.is_ascii_digit())?;
    let (letters, row) = reference.split_at_checked(digits)?;
    let letter = |column: u32, letter: char| {
        let value = u32::from(letter.to_ascii_uppercase()).checked_sub(u32::from('A')).filter(|value| *value < 26)?;
        column.checked_mul(26)?.checked_add(value)?.checked_add(1)
    };
    let column = letters.chars().try_fold(0, letter)?.checked_sub(1)?;
    let row = row.parse::<u32>().ok()?.checked_sub(1)?;
    (row < MAX_PLACE.0 && column < MAX_PLACE.1).then_some((row, column))
}

/// The letters of a column.
pub(crate) fn column_letters(column: u32) -> String {
    let mut letters = Vec::new();
    let mut left = Some(column);
    while let Some(number) = left {
        letters.extend(char::from_digit(number % 26 + 10, 36).map(|letter| letter.to_ascii_uppercase()));
        left = (number / 26).checked_sub(1);
    }
    letters.iter().rev().collect()
}

/// Shows all sheets, or leaves one alone.
struct BookPass {
    /// The number of the only sheet.
    only: Option<usize>,
    seen: usize,
}

impl BookPass {
    fn sheet(&mut self, element: &BytesStart<'_>) -> Option<BytesStart<'static>> {
        let number = self.seen;
        self.seen = number.saturating_add(1);
        self.only.is_none_or(|only| only == number).then(|| without(element, &["state"]))
    }
}

impl Pass for BookPass {
    fn event(&mut self, event: Event<'_>, copy: &mut XmlCopy) -> Result<()> {
        match event {
            Event::Empty(element) | Event::Start(element) if local(&element) == "sheet" => {
                self.sheet(&element).map_or(Ok(()), |sheet| copy.write_event(Event::Empty(sheet)))
            }
            Event::End(element) if element.local_name().as_ref() == b"sheet" => Ok(()),
            event => copy.write_event(event),
        }
    }
}

#[derive(Default)]
struct SheetPass {
    sheet: Sheet,
    row: u32,
    column: u32,
    /// Whose text is read.
    reads: Option<Reads>,
    text: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Reads {
    Value,
    Formula,
}

impl SheetPass {
    /// Takes note of an element, and gives it without what hides it.
    fn element(&mut self, element: &BytesStart<'_>) -> Option<BytesStart<'static>> {
        let is_hidden = || attribute(element, "hidden").is_some_and(|value| value == "1" || value == "true");
        let number = |name| attribute(element, name).and_then(|value| value.parse::<u32>().ok()?.checked_sub(1));
        match local(element).as_str() {
            "col" if is_hidden() => {
                let (first, last) = (number("min")?, number("max")?);
                self.sheet.hidden_columns.extend(first..=last.min(first.saturating_add(MAX_PLACE.1)));
                Some(without(element, &["hidden"]))
            }
            "row" => {
                self.row = number("r").unwrap_or(self.row);
                self.column = 0;
                let row = self.row;
                self.row = row.saturating_add(1);
                is_hidden().then(|| {
                    self.sheet.hidden_rows.insert(pagewise_base::page::PageIndex(row));
                    without(element, &["hidden"])
                })
            }
            "c" => {
                let here = (self.row.saturating_sub(1), self.column);
                let place = attribute(element, "r").map_or(Some(here), |reference| place_of(&reference));
                self.column = place.unwrap_or(here).1.saturating_add(1);
                None
            }
            "mergeCell" => {
                let region = attribute(element, "ref")?;
                let (first, last) = region.split_once(':')?;
                let (first, last) = (place_of(first)?, place_of(last)?);
                let ((top, left), (bottom, right)) = self.sheet.extent?;
                if first.0 <= bottom && last.0 >= top && first.1 <= right && last.1 >= left {
                    self.sheet.widen(first);
                    self.sheet.widen(last);
                }
                None
            }
            _ => None,
        }
    }

    fn here(&self) -> Place {
        (self.row.saturating_sub(1), self.column.saturating_sub(1))
    }

    fn end(&mut self, name: &[u8]) {
        let place = self.here();
        match (name, self.reads) {
            (b"v" | b"is", Some(Reads::Value)) if !self.text.trim().is_empty() => self.sheet.widen(place),
            (b"f", Some(Reads::Formula)) if !self.text.is_empty() => {
                let formula = format!("{{={}}}", std::mem::take(&mut self.text));
                self.sheet.add_beside(place, &formula);
            }
            (b"v" | b"is" | b"f", _) => {}
            _ => return,
        }
        self.reads = None;
    }
}

impl Pass for SheetPass {
    fn event(&mut self, event: Event<'_>, copy: &mut XmlCopy) -> Result<()> {
        match &event {
            Event::Start(element) => {
                if let Some(shown) = self.element(element) {
                    return copy.write_event(Event::Start(shown));
                }
                let reads = match element.local_name().as_ref() {
                    b"v" | b"is" => Some(Reads::Value),
                    b"f" => Some(Reads::Formula),
                    _ => self.reads,
                };
                if reads != self.reads {
                    self.text.clear();
                }
                self.reads = reads;
            }
            Event::Empty(element) => {
                if let Some(shown) = self.element(element) {
                    return copy.write_event(Event::Empty(shown));
                }
            }
            Event::End(element) => self.end(element.local_name().as_ref()),
            event if self.reads.is_some() => push_text(event, &mut self.text),
            _ => {}
        }
        copy.write_event(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_named_by_letters_and_a_number() {
        for (name, place) in [("A1", (0, 0)), ("Z9", (8, 25)), ("AA10", (9, 26)), ("$XFD$1048576", (1_048_575, 16_383))]
        {
            assert_eq!(place_of(name), Some(place));
            let letters: String = name.chars().filter(char::is_ascii_alphabetic).collect();
            assert_eq!(column_letters(place.1), letters);
        }
        assert_eq!((place_of("XFE1"), place_of("A0"), place_of("7"), place_of("Ä1")), (None, None, None, None));
    }

    #[test]
    fn a_chart_says_its_titles_and_series() {
        let chart = "<c:chart xmlns:c='c' xmlns:a='a'><c:title><a:t>Ships</a:t></c:title><c:ser><c:tx><c:v>North</c:v></c:tx>\
                     <c:val><c:pt><c:v>4</c:v></c:pt></c:val></c:ser></c:chart>";
        assert_eq!(read_tree(Some(chart.to_owned()), chart_text), "Ships; North");
    }

    #[test]
    fn stretches_of_a_large_sheet_have_each_row_once_and_whole() {
        let rows: Vec<String> =
            (1..=150_000).map(|row| format!("<row r=\"{row}\"><c><v>{row}</v></c></row>")).collect();
        let sheet = format!("<worksheet><sheetData>{}</sheetData><end/></worksheet>", rows.concat());
        let stretches = row_stretches(&sheet);
        assert!(stretches.len() > 1);
        let inner = |stretch: &str| {
            let rows = stretch.strip_prefix("<worksheet><sheetData>").map(str::to_owned);
            rows.and_then(|rows| rows.strip_suffix("</sheetData><end/></worksheet>").map(str::to_owned))
        };
        let found: Option<String> = stretches.iter().map(|stretch| inner(stretch)).collect();
        assert_eq!(found, Some(rows.concat()));
        assert_eq!(row_stretches("<worksheet/>").len(), 1);
    }
}
