//! The body of the message for a page's structure: JSON of lists without names, with styles listed once.

use std::collections::HashMap;
use std::io;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::worker::pages::StructuredPage;
use pagewise_structure::tables::{Cell, Table};
use pagewise_structure::{Column, Figure, Line, LineRole, LineTag, LineWord, PageStructure, Region, Style, TableArea};
use pagewise_text::Bounds;

/// [`StructuredPage`] on the wire.
#[derive(Debug, Serialize, Deserialize)]
struct WirePage(String, WireStructure, Vec<WireTable>);

/// Width, height, figures, rules, targets, styles and regions.
#[derive(Debug, Serialize, Deserialize)]
struct WireStructure(f32, f32, Vec<[f32; 4]>, Vec<[f32; 4]>, Vec<String>, Vec<WireStyle>, Vec<WireRegion>);

/// Size; bold, italic and fixed pitch; font; colour.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct WireStyle(f32, [bool; 3], u16, [u8; 3]);

#[derive(Debug, Serialize, Deserialize)]
enum WireRegion {
    /// Turn, whether its order is plain, and lines.
    C(u16, bool, Vec<WireLine>),
    /// Bounds and number.
    T([f32; 4], usize),
    /// Bounds and description.
    G([f32; 4], String),
}

/// Words, bounds, baseline, size, ground and tag.
#[derive(Debug, Serialize, Deserialize)]
struct WireLine(Vec<WireWord>, [f32; 4], f32, f32, Option<u32>, Option<WireTag>);

/// Element, role and label.
#[derive(Debug, Serialize, Deserialize)]
struct WireTag(u32, WireRole, u16);

/// The roles of lines: heading, paragraph, item, code, quote, caption, note and furniture.
#[derive(Debug, Serialize, Deserialize)]
enum WireRole {
    H(u8),
    P(u8),
    I(u8),
    C,
    Q,
    L,
    N,
    F,
}

/// Text, bounds, the number of its style, whether it is spaced, whether it is raised, and its target.
#[derive(Debug, Serialize, Deserialize)]
struct WireWord(String, [f32; 4], u32, bool, bool, Option<u32>);

/// Bounds; rows and columns; whether it is certain, the first and the last on its page; and cells.
#[derive(Debug, Serialize, Deserialize)]
struct WireTable([f32; 4], [usize; 2], [bool; 3], Vec<WireCell>);

/// Row, column, their spans, text, bounds, and whether it is a head.
#[derive(Debug, Serialize, Deserialize)]
struct WireCell([usize; 4], String, [f32; 4], bool);

/// The body of a message with `page`, without the facts of its text.
pub(crate) fn encode_page(page: StructuredPage) -> io::Result<Bytes> {
    let tables = page.tables.into_iter().map(WireTable::from).collect();
    let page = WirePage(page.text.text, page.structure.into(), tables);
    Ok(serde_json::to_vec(&page)?.into())
}

/// The text, structure and tables in the body of a message.
pub(crate) fn decode_page(body: &[u8]) -> io::Result<(String, PageStructure, Vec<Table>)> {
    let WirePage(text, structure, tables) = serde_json::from_slice(body)?;
    let structure = PageStructure::try_from(structure).map_err(|UnknownStyle| io::ErrorKind::InvalidData)?;
    Ok((text, structure, tables.into_iter().map(Table::from).collect()))
}

/// A word has a style that is not in the list.
#[derive(Debug)]
struct UnknownStyle;

/// Numbers styles in the order of their first use.
#[derive(Default)]
struct StyleList {
    styles: Vec<WireStyle>,
    numbers: HashMap<(u32, [bool; 3], u16, [u8; 3]), u32>,
}

impl StyleList {
    fn number_of(&mut self, style: Style) -> u32 {
        let Style { size, is_bold, is_italic, is_monospace, font, color } = style;
        let kinds = [is_bold, is_italic, is_monospace];
        *self.numbers.entry((size.to_bits(), kinds, font, color)).or_insert_with(|| {
            self.styles.push(WireStyle(size, kinds, font, color));
            u32::try_from(self.styles.len() - 1).unwrap_or(u32::MAX)
        })
    }
}

impl From<WireStyle> for Style {
    fn from(WireStyle(size, [is_bold, is_italic, is_monospace], font, color): WireStyle) -> Self {
        Self { size, is_bold, is_italic, is_monospace, font, color }
    }
}

impl From<PageStructure> for WireStructure {
    fn from(page: PageStructure) -> Self {
        let mut styles = StyleList::default();
        let regions = page.regions.into_iter().map(|region| region_to_wire(region, &mut styles)).collect();
        let areas = |areas: Vec<Bounds>| areas.into_iter().map(Bounds::edges).collect();
        Self(page.width, page.height, areas(page.figures), areas(page.rules), page.targets, styles.styles, regions)
    }
}

impl TryFrom<WireStructure> for PageStructure {
    type Error = UnknownStyle;

    fn try_from(page: WireStructure) -> Result<Self, UnknownStyle> {
        let WireStructure(width, height, figures, rules, targets, styles, regions) = page;
        let regions = regions.into_iter().map(|region| region_of_wire(region, &styles)).collect::<Result<_, _>>()?;
        let areas = |areas: Vec<[f32; 4]>| areas.into_iter().map(Bounds::from).collect();
        Ok(Self { width, height, regions, figures: areas(figures), rules: areas(rules), targets })
    }
}

fn region_to_wire(region: Region, styles: &mut StyleList) -> WireRegion {
    match region {
        Region::Table(TableArea { bounds, index }) => WireRegion::T(bounds.edges(), index),
        Region::Figure(Figure { bounds, alternate }) => WireRegion::G(bounds.edges(), alternate),
        Region::Column(Column { turn, is_plain, lines }) => {
            WireRegion::C(turn, is_plain, lines.into_iter().map(|line| line_to_wire(line, styles)).collect())
        }
    }
}

fn region_of_wire(region: WireRegion, styles: &[WireStyle]) -> Result<Region, UnknownStyle> {
    Ok(match region {
        WireRegion::T(bounds, index) => Region::Table(TableArea { bounds: bounds.into(), index }),
        WireRegion::G(bounds, alternate) => Region::Figure(Figure { bounds: bounds.into(), alternate }),
        WireRegion::C(turn, is_plain, lines) => {
            let lines = lines.into_iter().map(|line| line_of_wire(line, styles)).collect::<Result<_, _>>()?;
            Region::Column(Column { turn, is_plain, lines })
        }
    })
}

fn line_to_wire(line: Line, styles: &mut StyleList) -> WireLine {
    let Line { words, bounds, baseline, size, ground, tag } = line;
    let word = |word: LineWord| {
        let LineWord { text, bounds, style, is_spaced, is_raised, target } = word;
        WireWord(text, bounds.edges(), styles.number_of(style), is_spaced, is_raised, target)
    };
    WireLine(words.into_iter().map(word).collect(), bounds.edges(), baseline, size, ground, tag.map(WireTag::from))
}

fn line_of_wire(line: WireLine, styles: &[WireStyle]) -> Result<Line, UnknownStyle> {
    let WireLine(words, bounds, baseline, size, ground, tag) = line;
    let word = |word: WireWord| {
        let WireWord(text, bounds, style, is_spaced, is_raised, target) = word;
        let style = usize::try_from(style).ok().and_then(|at| styles.get(at)).ok_or(UnknownStyle)?;
        Ok(LineWord { text, bounds: bounds.into(), style: (*style).into(), is_spaced, is_raised, target })
    };
    let words = words.into_iter().map(word).collect::<Result<_, _>>()?;
    Ok(Line { words, bounds: bounds.into(), baseline, size, ground, tag: tag.map(LineTag::from) })
}

impl From<LineTag> for WireTag {
    fn from(LineTag { element, role, label }: LineTag) -> Self {
        let role = match role {
            LineRole::Heading(level) => WireRole::H(level),
            LineRole::Paragraph(depth) => WireRole::P(depth),
            LineRole::Item(depth) => WireRole::I(depth),
            LineRole::Code => WireRole::C,
            LineRole::Quote => WireRole::Q,
            LineRole::Caption => WireRole::L,
            LineRole::Note => WireRole::N,
            LineRole::Furniture => WireRole::F,
        };
        Self(element, role, label)
    }
}

impl From<WireTag> for LineTag {
    fn from(WireTag(element, role, label): WireTag) -> Self {
        let role = match role {
            WireRole::H(level) => LineRole::Heading(level),
            WireRole::P(depth) => LineRole::Paragraph(depth),
            WireRole::I(depth) => LineRole::Item(depth),
            WireRole::C => LineRole::Code,
            WireRole::Q => LineRole::Quote,
            WireRole::L => LineRole::Caption,
            WireRole::N => LineRole::Note,
            WireRole::F => LineRole::Furniture,
        };
        Self { element, role, label }
    }
}

impl From<Table> for WireTable {
    fn from(Table { bounds, rows, columns, cells, is_certain, is_first, is_last }: Table) -> Self {
        let cell = |cell: Cell| {
            let Cell { row, column, row_span, column_span, text, bounds, is_header } = cell;
            WireCell([row, column, row_span, column_span], text, bounds.edges(), is_header)
        };
        let kinds = [is_certain, is_first, is_last];
        Self(bounds.edges(), [rows, columns], kinds, cells.into_iter().map(cell).collect())
    }
}

impl From<WireTable> for Table {
    fn from(WireTable(bounds, [rows, columns], [is_certain, is_first, is_last], cells): WireTable) -> Self {
        let cell = |WireCell([row, column, row_span, column_span], text, bounds, is_header): WireCell| {
            let bounds = bounds.into();
            Cell { row, column, row_span, column_span, text, bounds, is_header }
        };
        let cells = cells.into_iter().map(cell).collect();
        Self { bounds: bounds.into(), rows, columns, cells, is_certain, is_first, is_last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagewise_text::PageText;

    fn word(text: &str, is_bold: bool) -> LineWord {
        LineWord {
            text: text.to_owned(),
            bounds: [1.5, 2.25, 3.1, 4.07].into(),
            style: Style { size: 9.96, is_bold, font: 3, color: [1, 2, 3], ..Style::default() },
            is_spaced: true,
            is_raised: is_bold,
            target: is_bold.then_some(0),
        }
    }

    fn page() -> StructuredPage {
        let bounds = Bounds::from([0.1, 0.2, 300.3, 400.4]);
        let line = Line {
            words: vec![word("one", false), word("two", true), word("three", false)],
            bounds,
            baseline: 11.11,
            size: 9.96,
            ground: Some(2),
            tag: Some(LineTag { element: 12, role: LineRole::Item(2), label: 3 }),
        };
        let cell =
            Cell { row: 0, column: 1, row_span: 2, column_span: 3, text: "\u{5D0}".into(), bounds, is_header: true };
        StructuredPage {
            text: PageText { text: "one two three".to_owned(), ..PageText::default() },
            structure: PageStructure {
                width: 595.28,
                height: 841.89,
                regions: vec![
                    Region::Column(Column { turn: 90, is_plain: true, lines: vec![line] }),
                    Region::Table(TableArea { bounds, index: 7 }),
                    Region::Figure(Figure { bounds, alternate: "A chart".to_owned() }),
                ],
                figures: vec![bounds],
                rules: vec![bounds, bounds],
                targets: vec!["https://example.org".to_owned()],
            },
            tables: vec![Table {
                bounds,
                rows: 1,
                columns: 4,
                cells: vec![cell],
                is_certain: true,
                is_first: true,
                is_last: false,
            }],
        }
    }

    #[test]
    fn a_page_comes_back_from_the_wire() {
        let body = encode_page(page()).unwrap_or_default();
        let StructuredPage { text, structure, tables } = page();
        assert_eq!(decode_page(&body).ok(), Some((text.text, structure, tables)));
    }

    #[test]
    fn a_style_that_is_not_listed_is_refused() {
        let body = String::from_utf8(encode_page(page()).unwrap_or_default().into()).unwrap_or_default();
        let broken = body.replacen("[3.1,4.07],1,", "", 1).replacen("4.07],1,", "4.07],9,", 1);
        assert_ne!(broken, body);
        assert!(decode_page(broken.as_bytes()).is_err());
    }
}
