//! The made documents: their words, their looks, and what stands in them. Each is the same in every run.

use super::typeset::{Cell, Face, Look, Rules, Spacing, Truth, Typesetter};
use crate::support::mutate::Chance;

/// A kind of document or table, and what makes one.
type Named<F> = (&'static str, F);

/// Makes a document of its number.
type Make = fn(usize) -> Typesetter;

/// Makes the cells of a table.
type MakeCells = fn(&mut Writer) -> Vec<Cell>;

/// A made document.
pub(super) struct Document {
    pub(super) name: String,
    pub(super) pdf: Vec<u8>,
    pub(super) truth: Truth,
}

impl Document {
    fn new(name: String, typesetter: Typesetter) -> Self {
        let (pdf, truth) = typesetter.finish();
        Self { name, pdf, truth }
    }
}

/// Words that every document has.
const NOUNS: &str = "road river house winter letter paper market window garden number answer picture village question \
                     summer harvest journey teacher morning station record kitchen building weather";
const ADJECTIVES: &str =
    "small large early quiet narrow common heavy distant careful ordinary northern ancient visible";
const VERBS: &str = "covers follows changes supports divides reaches carries explains limits repeats describes shows";
const PREPOSITIONS: &str = "beside beneath behind before within against beyond under near";

/// Words of which each document has some.
const TOPICS: &str = "lighthouse granary ferryman orchard quarry telescope bakery cathedral locksmith vineyard aqueduct \
                      carpenter observatory windmill apothecary printer glassmaker lantern reservoir compass beekeeper \
                      drawbridge almanac shipyard weaver foundry botanist cartographer signalman parchment turbine harpsichord \
                      monastery barometer copperplate watchmaker peninsula caravan sundial tannery";

fn words(list: &'static str) -> Vec<&'static str> {
    list.split_whitespace().collect()
}

/// Writes sentences.
pub(super) struct Writer {
    pub(super) chance: Chance,
    topics: Vec<&'static str>,
}

impl Writer {
    pub(super) fn new(seed: usize) -> Self {
        let mut chance = Chance::new(seed as u64 + 1);
        let mut all = words(TOPICS);
        let topics = (0..14).map(|_| all.swap_remove(chance.below(all.len()))).collect();
        Self { chance, topics }
    }

    fn one(&mut self, list: &'static str) -> &'static str {
        let list = words(list);
        list[self.chance.below(list.len())]
    }

    fn topic(&mut self) -> &'static str {
        self.topics[self.chance.below(self.topics.len())]
    }

    /// A number that hardly any other place has.
    fn figure(&mut self) -> String {
        format!("{}.{:02}", self.chance.below(900) + 100, self.chance.below(100))
    }

    /// Replaces letters by words of their kind.
    fn fill(&mut self, pattern: &str) -> String {
        let filled = pattern.split(' ').map(|word| {
            let (letter, mark) = word.split_at(word.len().min(1));
            let found = match letter {
                "N" => self.one(NOUNS).to_owned(),
                "A" => self.one(ADJECTIVES).to_owned(),
                "V" => self.one(VERBS).to_owned(),
                "P" => self.one(PREPOSITIONS).to_owned(),
                "T" => self.topic().to_owned(),
                "F" => self.figure(),
                _ => letter.to_owned(),
            };
            format!("{found}{mark}")
        });
        capitalized(&filled.collect::<Vec<_>>().join(" "))
    }

    pub(super) fn sentence(&mut self) -> String {
        let patterns = [
            "the A N V the N P the T.",
            "P the N, the A T V the N and the N.",
            "although the N V the A N, the T of the N V no N.",
            "it V the T, which V the N P every A N.",
            "a N of F V the A T P the N.",
            "no T V what the A N V (see the N), and the N V the T.",
        ];
        let pattern = patterns[self.chance.below(patterns.len())];
        self.fill(pattern)
    }

    pub(super) fn paragraph(&mut self) -> String {
        let sentences = 3 + self.chance.below(4);
        (0..sentences).map(|_| self.sentence()).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn title(&mut self) -> String {
        let patterns = ["the T and the N", "a A T", "on the N of the T", "the T P the N"];
        let pattern = patterns[self.chance.below(patterns.len())];
        self.fill(pattern)
    }

    fn name(&mut self) -> String {
        self.fill("A N")
    }

    fn items(&mut self, is_nested: bool) -> Vec<(usize, String)> {
        let levels: &[usize] = if is_nested { &[1, 2, 2, 1, 2, 1] } else { &[1, 1, 1, 1] };
        levels
            .iter()
            .map(|level| (*level, if self.chance.below(3) == 0 { self.sentence() } else { self.title() }))
            .collect()
    }

    fn code(&mut self) -> Vec<String> {
        let lines = [
            "// T of the N",
            "fn N_A(N: u32) -> u32 {",
            "    let T = N + 1;",
            "    if T > 10 {",
            "        return N;",
            "    }",
            "    T * 2",
            "}",
        ];
        let (noun, adjective, topic) = (self.one(NOUNS), self.one(ADJECTIVES), self.topic());
        lines.map(|line| line.replace('N', noun).replace('A', adjective).replace('T', topic)).to_vec()
    }
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// The looks, by number.
pub(super) fn look(number: usize) -> Look {
    let faces = [
        (Face::Serif, Face::SerifBold, Face::SerifItalic),
        (Face::Sans, Face::SansBold, Face::SansOblique),
        (Face::Serif, Face::SansBold, Face::SerifItalic),
        (Face::Mono, Face::MonoBold, Face::MonoOblique),
    ];
    let (body, bold, slanted) = faces[number % 4];
    let spacings = [Spacing::Stretched, Spacing::Ragged, Spacing::Kerned, Spacing::Positioned];
    Look {
        body,
        bold,
        slanted,
        size: [10.0, 11.0, 9.5, 9.0][number % 4],
        columns: if number.is_multiple_of(3) && body != Face::Mono { 2 } else { 1 },
        spacing: spacings[(number + number / 4) % 4],
        hyphenates: number.is_multiple_of(2),
        indents: number % 4 == 2,
        numbers_headings: number % 3 == 1,
        bullet: ["•", "–", "-"][number % 3],
        names_widths: number % 4 < 2,
    }
}

/// Documents with headings, paragraphs, lists, notes, code and tables.
pub(super) fn documents() -> Vec<Document> {
    let kinds: [Named<Make>; 4] = [("article", article), ("report", report), ("manual", manual), ("book", book)];
    let numbered = (0..4).flat_map(|number| kinds.iter().enumerate().map(move |(at, kind)| (at + 4 * number, kind)));
    numbered.map(|(seed, (name, make))| Document::new(format!("{name}-{seed}.pdf"), make(seed))).collect()
}

fn begin(seed: usize, look: Look, runs: bool) -> (Writer, Typesetter) {
    let mut writer = Writer::new(seed);
    let title = writer.title();
    let mut sheet = Typesetter::new(look, runs.then(|| title.clone()));
    sheet.heading(1, &title);
    (writer, sheet)
}

fn article(seed: usize) -> Typesetter {
    let (mut writer, mut sheet) = begin(seed, look(seed / 4 * 3), false);
    for _ in 0..4 {
        sheet.heading(2, &writer.title());
        for _ in 0..3 {
            sheet.paragraph(&writer.paragraph());
        }
        if writer.chance.below(2) == 0 {
            sheet.list(false, &writer.items(false));
            sheet.paragraph(&writer.paragraph());
        }
    }
    sheet.figure(&format!("Figure 1: {}", writer.title()));
    sheet.paragraph(&writer.paragraph());
    sheet.heading(2, "References");
    for number in 1..=6 {
        let year = 1950 + writer.chance.below(70);
        let name = capitalized(writer.one(NOUNS));
        sheet.reference(&format!("[{number}] {name}, A. {}. {} ({year}).", writer.title(), writer.title()));
    }
    sheet
}

fn report(seed: usize) -> Typesetter {
    let (mut writer, mut sheet) = begin(seed, Look { columns: 1, ..look(seed / 4) }, true);
    for number in 1..=4 {
        sheet.heading(2, &writer.title());
        sheet.paragraph_with_note(&writer.paragraph(), &number.to_string(), &writer.sentence());
        for _ in 0..2 {
            sheet.heading(3, &writer.title());
            sheet.paragraph(&writer.paragraph());
        }
        sheet.paragraph(&format!("Table {number}: {}", writer.title()));
        sheet.table(&plain(&mut writer, 5, 3), [Rules::Grid, Rules::Three][number % 2], 120.0, false);
        sheet.paragraph(&writer.paragraph());
    }
    sheet
}

fn manual(seed: usize) -> Typesetter {
    let (mut writer, mut sheet) = begin(seed, look(seed / 4 + 1), true);
    for number in 0..4 {
        sheet.heading(2, &writer.title());
        sheet.paragraph(&writer.paragraph());
        sheet.list(number % 2 == 0, &writer.items(number % 2 == 1));
        sheet.paragraph(&writer.paragraph());
        sheet.code(&writer.code());
        sheet.paragraph(&writer.paragraph());
    }
    sheet
}

fn book(seed: usize) -> Typesetter {
    let (mut writer, mut sheet) = begin(seed, look(seed / 4 + 2), true);
    for _ in 0..2 {
        sheet.heading(2, &writer.title());
        for _ in 0..9 {
            sheet.paragraph(&writer.paragraph());
        }
    }
    sheet
}

fn cell(row: usize, column: usize, text: impl Into<String>) -> Cell {
    Cell { row, column, row_span: 1, column_span: 1, text: text.into(), is_header: row == 0 }
}

/// A header, and rows that begin with a name.
fn plain(writer: &mut Writer, rows: usize, columns: usize) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let text = match (row, column) {
            (0, _) => capitalized(writer.one(NOUNS)),
            (_, 0) => writer.name(),
            _ => writer.figure(),
        };
        cells.push(cell(row, column, text));
    }
    cells
}

/// A second header over pairs of columns.
fn with_spanned_header(writer: &mut Writer) -> Vec<Cell> {
    let below = plain(writer, 6, 5).into_iter().map(|cell| Cell { row: cell.row + 1, ..cell });
    let mut cells = vec![cell(0, 0, "")];
    cells.extend([1, 3].map(|column| Cell { column_span: 2, ..cell(0, column, capitalized(writer.topic())) }));
    cells.extend(below);
    cells
}

/// Names that hold for two rows.
fn with_spanned_rows(writer: &mut Writer) -> Vec<Cell> {
    let cells = plain(writer, 7, 4).into_iter().filter(|cell| cell.column > 0 || cell.row == 0 || cell.row % 2 == 1);
    cells.map(|cell| if cell.column == 0 && cell.row > 0 { Cell { row_span: 2, ..cell } } else { cell }).collect()
}

/// Cells of several lines.
fn with_wrapped_cells(writer: &mut Writer) -> Vec<Cell> {
    let cells = plain(writer, 5, 3).into_iter();
    cells
        .map(|cell| if cell.row > 0 && cell.column == 1 { Cell { text: writer.sentence(), ..cell } } else { cell })
        .collect()
}

fn with_empty_cells(writer: &mut Writer) -> Vec<Cell> {
    let cells = plain(writer, 7, 5).into_iter();
    cells
        .map(|cell| if (cell.row * 5 + cell.column) % 7 == 6 { Cell { text: String::new(), ..cell } } else { cell })
        .collect()
}

/// Documents with a table each between paragraphs; those with a long one have it on two pages.
pub(super) fn tables() -> Vec<Document> {
    let kinds: [Named<MakeCells>; 7] = [
        ("plain", |writer| plain(writer, 6, 4)),
        ("spanned-header", with_spanned_header),
        ("spanned-rows", with_spanned_rows),
        ("wrapped", with_wrapped_cells),
        ("empty", with_empty_cells),
        ("long", |writer| plain(writer, 44, 4)),
        ("in-columns", |writer| plain(writer, 6, 3)),
    ];
    let mut documents = Vec::new();
    for (at, (name, cells)) in kinds.into_iter().enumerate() {
        for (number, rules) in [Rules::Grid, Rules::Three, Rules::Shades, Rules::None].into_iter().enumerate() {
            // A cell over two rows shows only by its rules.
            if name == "spanned-rows" && rules != Rules::Grid {
                continue;
            }
            let seed = 100 + 4 * at + number;
            let columns = if name == "in-columns" { 2 } else { 1 };
            let mut writer = Writer::new(seed);
            let mut sheet = Typesetter::new(Look { columns, size: 9.0, ..look(at + number) }, None);
            sheet.heading(1, &writer.title());
            sheet.paragraph(&writer.paragraph());
            sheet.table(&cells(&mut writer), rules, 130.0, name == "long");
            sheet.paragraph(&writer.paragraph());
            documents.push(Document::new(format!("{name}-{rules:?}.pdf"), sheet));
        }
    }
    documents
}

/// Documents without a table that look as if they had one: two columns, code, contents, entries with their dates.
pub(super) fn without_tables() -> Vec<Document> {
    let mut documents = Vec::new();
    for number in 0..2 {
        let mut writer = Writer::new(200 + number);
        let mut prose = Typesetter::new(Look { columns: 2, ..look(number * 2) }, None);
        (0..12).for_each(|_| prose.paragraph(&writer.paragraph()));
        let mut code = Typesetter::new(look(number), None);
        for _ in 0..4 {
            code.paragraph(&writer.sentence());
            code.code(&writer.code());
        }
        let mut contents = Typesetter::new(look(number + 1), None);
        contents.heading(1, "Contents");
        for page in 1..24 {
            let title = writer.title();
            contents.paragraph(&format!("{title} {} {}", ". ".repeat(30 - title.len() / 2).trim(), page * 4));
        }
        let mut list = Typesetter::new(look(number + 2), None);
        (0..6).for_each(|_| list.list(true, &writer.items(true)));
        let named = [("prose", prose), ("code", code), ("contents", contents), ("steps", list)];
        documents.extend(named.map(|(name, sheet)| Document::new(format!("{name}-{number}.pdf"), sheet)));
    }
    documents
}
