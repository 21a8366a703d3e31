//! What the reader does not tell of OpenDocument files: comments, tracked changes, formulas, where slides begin, and which
//! slides and sheets are hidden.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Result;

use quick_xml::events::{BytesStart, Event};

use crate::archive::Archive;
use crate::prepare::{Changes, HIDDEN_SLIDE, MarkedCopies, SLIDE, comment};
use crate::sheets::Sheet;
use crate::xml::{
    Pass, XmlCopy, attribute, escaped, local, named, one_line, push_text, read_tree, rewrite, text_in, value, write_raw,
};

const CONTENT: &str = "content.xml";

/// Maximum cells, or rows, that one element repeats and that are counted one by one.
const MAX_REPEATED: u32 = 1 << 20;

/// The content, changed.
pub(crate) fn prepare(
    archive: &mut Archive<'_>,
    prepared: &mut MarkedCopies,
    changes: &mut Changes,
) -> BTreeMap<String, Vec<u8>> {
    let Some(xml) = archive.text(CONTENT) else { return BTreeMap::new() };
    let tracked = xml.contains("tracked-changes").then(|| xml.clone());
    let regions = read_tree(tracked, |tree| {
        let each = |node| Some((value(node, "id")?.to_owned(), Change::of(node)?));
        named(tree, "changed-region").filter_map(each).collect::<BTreeMap<_, _>>()
    });
    regions.values().for_each(|change| changes.add(Some(change.author.clone())));
    let mut pass = ContentPass::new(&regions);
    let changed = rewrite(&xml, &mut pass);
    prepared.sheets = pass.sheets;
    changed.map(|content| (CONTENT.to_owned(), content)).into_iter().collect()
}

/// A tracked change.
struct Change {
    author: String,
    is_insertion: bool,
    /// What was deleted.
    text: String,
}

impl Change {
    fn of(region: roxmltree::Node<'_, '_>) -> Option<Self> {
        let change = region.children().find(roxmltree::Node::is_element)?;
        let is_insertion = change.tag_name().name() == "insertion";
        Some(Self { author: text_in(region, &["creator"]), is_insertion, text: text_in(change, &["p", "h"]) })
    }
}

struct ContentPass<'r> {
    regions: &'r BTreeMap<String, Change>,
    style: String,
    /// Styles that hide a slide or a sheet.
    hiding: BTreeSet<String>,
    sheets: Vec<Sheet>,
    /// Depth of paragraphs, where text may stand.
    paragraphs: u32,
    /// Depth of tables.
    tables: u32,
    row: u32,
    column: u32,
    /// The rows that the open row stands for.
    rows: u32,
    annotation: Option<Annotation>,
}

/// A comment that is read.
#[derive(Default)]
struct Annotation {
    author: String,
    text: String,
    in_author: bool,
    in_text: bool,
}

impl<'r> ContentPass<'r> {
    fn new(regions: &'r BTreeMap<String, Change>) -> Self {
        Self {
            regions,
            style: String::new(),
            hiding: BTreeSet::new(),
            sheets: Vec::new(),
            paragraphs: 0,
            tables: 0,
            row: 0,
            column: 0,
            rows: 1,
            annotation: None,
        }
    }

    /// Writes a text where the pass stands.
    fn write_text(&self, copy: &mut XmlCopy, text: &str) -> Result<()> {
        let text = escaped(text);
        let paragraph = format!("<text:p>{text}</text:p>");
        write_raw(copy, if self.paragraphs > 0 { &text } else { &paragraph })
    }

    /// Takes note of an element that begins, and writes what stands in its place, if not itself.
    fn element(&mut self, element: &BytesStart<'_>, copy: &mut XmlCopy) -> Result<bool> {
        let name = local(element);
        match name.as_str() {
            "style" => self.style = attribute(element, "name").unwrap_or_default(),
            "drawing-page-properties" | "table-properties" => {
                let hides = attribute(element, "visibility").is_some_and(|value| value == "hidden")
                    || attribute(element, "display").is_some_and(|value| value == "false");
                self.hiding.extend(hides.then(|| self.style.clone()));
            }
            "change" | "change-start" | "change-end" => {
                let change = attribute(element, "change-id").and_then(|id| self.regions.get(&id));
                let text = change.map(|change| match (change.is_insertion, name.as_str()) {
                    (true, "change-start") => "{++".to_owned(),
                    (true, _) => "++}".to_owned(),
                    (false, _) => format!("{{--{}--}}", change.text),
                });
                self.write_text(copy, &text.unwrap_or_default())?;
                return Ok(true);
            }
            "table-row" => {
                self.rows = attribute(element, "number-rows-repeated").and_then(|n| n.parse().ok()).unwrap_or(1);
                self.column = 0;
            }
            "table-cell" | "covered-table-cell" if self.tables == 1 => self.cell(element),
            _ => {}
        }
        Ok(false)
    }

    fn cell(&mut self, element: &BytesStart<'_>) {
        let repeated = attribute(element, "number-columns-repeated").and_then(|n| n.parse().ok()).unwrap_or(1_u32);
        let (place, last) = ((self.row, self.column), self.column.saturating_add(repeated.min(MAX_REPEATED)));
        self.column = last;
        let Some(sheet) = self.sheets.last_mut() else { return };
        if attribute(element, "value-type").is_some() {
            sheet.widen((0, 0));
            sheet.widen((self.row.saturating_add(self.rows).saturating_sub(1), last.saturating_sub(1)));
        }
        if let Some(formula) = attribute(element, "formula") {
            let formula = formula.split_once('=').map_or(formula.as_str(), |(_, formula)| formula);
            let formula = formula.replace("[.", "").replace(":.", ":").replace(']', "");
            sheet.add_beside(place, &format!("{{={formula}}}"));
        }
    }

    fn start(&mut self, element: &BytesStart<'_>, copy: &mut XmlCopy) -> Result<()> {
        let is_hidden = attribute(element, "style-name").is_some_and(|style| self.hiding.contains(&style));
        match local(element).as_str() {
            "page" => {
                let mark = if is_hidden { HIDDEN_SLIDE } else { SLIDE };
                copy.write_event(Event::Start(element.borrow()))?;
                return write_raw(
                    copy,
                    &format!(
                        "<draw:frame presentation:class=\"title\"><draw:text-box><text:p>{mark}</text:p>\
                         </draw:text-box></draw:frame>"
                    ),
                );
            }
            "table" => {
                self.tables = self.tables.saturating_add(1);
                if self.tables == 1 {
                    let name = attribute(element, "name").unwrap_or_default();
                    self.sheets.push(Sheet { name, is_hidden, ..Sheet::default() });
                    self.row = 0;
                }
            }
            "p" | "h" => self.paragraphs = self.paragraphs.saturating_add(1),
            _ => {}
        }
        copy.write_event(Event::Start(element.borrow()))
    }

    fn end(&mut self, name: &[u8]) {
        match name {
            b"table" => self.tables = self.tables.saturating_sub(1),
            b"table-row" if self.tables == 1 => self.row = self.row.saturating_add(self.rows),
            b"p" | b"h" => self.paragraphs = self.paragraphs.saturating_sub(1),
            _ => {}
        }
    }
}

impl Annotation {
    /// Reads an event; gives the comment at its end.
    fn read(&mut self, event: &Event<'_>) -> Option<String> {
        match event {
            Event::Start(element) => match local(element).as_str() {
                "creator" => self.in_author = true,
                "p" | "h" => self.in_text = true,
                _ => {}
            },
            Event::End(element) => match element.local_name().as_ref() {
                b"creator" => self.in_author = false,
                b"p" | b"h" => {
                    self.in_text = false;
                    self.text.push(' ');
                }
                b"annotation" => return Some(comment(&one_line(&self.author), &one_line(&self.text))),
                _ => {}
            },
            event if self.in_author => push_text(event, &mut self.author),
            event if self.in_text => push_text(event, &mut self.text),
            _ => {}
        }
        None
    }
}

impl Pass for ContentPass<'_> {
    fn event(&mut self, event: Event<'_>, copy: &mut XmlCopy) -> Result<()> {
        if let Some(annotation) = &mut self.annotation {
            let Some(text) = annotation.read(&event) else { return Ok(()) };
            self.annotation = None;
            return self.write_text(copy, &text);
        }
        match &event {
            Event::Start(element) if local(element) == "annotation" => {
                self.annotation = Some(Annotation::default());
                return Ok(());
            }
            Event::Start(element) => {
                if self.element(element, copy)? {
                    return Ok(());
                }
                return self.start(element, copy);
            }
            Event::Empty(element) => {
                if self.element(element, copy)? {
                    return Ok(());
                }
                if local(element) == "table-row" && self.tables == 1 {
                    self.row = self.row.saturating_add(self.rows);
                }
            }
            Event::End(element) => self.end(element.local_name().as_ref()),
            _ => {}
        }
        copy.write_event(event)
    }
}
