//! Running lines: heads, feet and page numbers, by repetition and place.
//!
//! A running line stands at the top or the bottom of a page, apart from its text. It is no heading and divides no
//! paragraph. It is left out only if most of the pages around it have it, with no difference but the page's own number or
//! label.

use super::super::bounds::quarters;
use super::super::page_structure::{Line, PageStructure, Region, ends_label, has_letter, page_number};
use super::DocumentPage;
use super::drafts::Place;
use crate::caption_label::is_ended_caption_label;
use crate::measures::MARGIN;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Maximum rows at the top and at the bottom of a page that may be running lines.
const MAX_ROWS: usize = 4;
/// The outermost line of a page with a wide margin, and those that follow a running line within so many ems, may run too, up to
/// this share of the height, if most pages have them.
const DEEP_ZONE: f32 = 0.2;
const DEEP_EM: f32 = 3.5;
/// Lines larger than the body by this factor are titles, not running lines, unless most of the pages have them, or most of the
/// left or of the right pages.
const TITLE_FACTOR: f32 = 1.15;
/// A page in landscape whose text is larger than this, in points, is a slide. Its title may be smaller than its text, but not
/// than this share of it.
const SLIDE_PT: f32 = 16.0;
const SLIDE_FACTOR: f32 = 0.8;
/// The edge of a page is this share of its height.
const EDGE: f32 = 0.055;
/// A running line in plain type has at most so many words.
const MAX_PLAIN_WORDS: usize = 8;
/// Rows at the same height differ by less, in points.
const TOLERANCE_PT: f32 = 3.0;
/// Minimum space between a running line and the text, in ems.
const SPACE_EM: f32 = 1.4;
/// A small line with this space towards the text is a running line without any other sign of it, in ems, and a plain line
/// with this space if others stand at its height.
const FAR_EM: f32 = 4.0;
const APART_EM: f32 = 3.0;
/// Pages that are compared with a page: the nearest ones, itself included. Heads change from chapter to chapter. A line that may
/// be the title of a slide is a running line if there are so many pages and four of five have it.
const WINDOW: usize = 7;
/// The same for pages in portrait, which seldom share a title.
const MIN_TITLED: usize = 4;
/// A label such as `Table 2.` begins a caption of at least so many words.
const MIN_CAPTION: usize = 4;
/// The number of the page is looked for only in lines of at most this many words.
const MAX_NUMBERED_WORDS: usize = 100;
/// Fewer pages are no evidence.
const MIN_PAGES: usize = 3;
/// Maximum difference between the number in a text and that of its page. Front matter shifts page numbers by less; the
/// numbers of invoices that follow each other differ by more.
const MAX_SHIFT: i64 = 30;
/// The pages of a journal go on from one issue to the next. What its lines say beside the number has at least so many words.
const MIN_AROUND: usize = 5;

/// A number that begins anew within the document is one of pages if its row has so many words with letters.
const MIN_BESIDE: usize = 3;
/// Maximum characters of the number of a chapter that is printed before the number of a page, such as the `L` of `L-11`.
const MAX_CHAPTER: usize = 2;

/// The running lines of each page.
#[derive(Debug, Default)]
pub(super) struct Furniture {
    pages: Vec<RunningLines>,
}

/// The running lines of a page, from top to bottom.
#[derive(Debug, Default)]
pub(super) struct RunningLines {
    pub(super) heads: Vec<RunningRow>,
    pub(super) feet: Vec<RunningRow>,
}

/// Running lines on one height.
#[derive(Debug)]
pub(super) struct RunningRow {
    /// The indices of their regions, and their indices in these, from left to right.
    pub(super) lines: Vec<(usize, usize)>,
    pub(super) is_left_out: bool,
}

/// Lines on one height of a page.
struct Row<'a> {
    lines: Vec<(usize, usize, &'a Line)>,
    /// The distance of its baseline from the top or from the bottom of the page.
    distance: f32,
    /// The space between it and the next row towards the middle of the page, in ems.
    space: f32,
    size: f32,
    is_in_zone: bool,
    is_deep: bool,
    is_at_edge: bool,
    /// Its texts between wide gaps.
    parts: Vec<Part>,
}

/// What a text of a row may share with the texts of other pages.
struct Part(Vec<Key>);

/// What texts of several pages share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Words {
        text: String,
        is_top: bool,
    },
    /// All words but a number, and the difference between this number and that of the page. Nothing else stands beside
    /// most page numbers: these have no words, and may stand on either side.
    Number {
        around: String,
        is_top: bool,
        is_roman: bool,
        shift: i64,
    },
    /// All words but the page's own label.
    Label {
        around: String,
    },
    /// All words but a number that may be that of the page within its chapter or part, such as `2-3`.
    Counted {
        around: String,
        is_top: bool,
    },
}

/// Finds the running lines of the pages.
pub(super) fn find(pages: &[DocumentPage]) -> Furniture {
    let body = body_size(pages);
    let sides = [true, false].map(|is_top| pages.iter().map(|page| outer_rows(page, is_top)).collect::<Vec<_>>());
    let evidence = Evidence::of(pages, &sides);
    let [tops, bottoms] = &sides;
    let running = |rows: &[Row], page: usize| {
        let rows = evidence.running_rows(rows, page, body);
        // If only a few pages are known, the first one keeps a large line: it is the title, which the others repeat.
        let is_first = pages.len() <= WINDOW && pages.get(page).is_some_and(|page| page.number == 1);
        let is_title = |row: &Row| is_first && evidence.may_be_title(row, page, body);
        rows.map(|row| row.running(!is_title(row) && evidence.is_repeated(row, page, body))).collect::<Vec<_>>()
    };
    let lines = tops.iter().zip(bottoms).zip(pages).enumerate().map(|(index, ((top, bottom), page))| {
        let (heads, mut feet) = (running(top, index), running(bottom, index));
        feet.reverse();
        let mut lines = RunningLines { heads, feet };
        if lines.leave_out_all(&page.structure) {
            lines.heads.iter_mut().chain(&mut lines.feet).for_each(|row| row.is_left_out = false);
        }
        lines
    });
    Furniture { pages: lines.collect() }
}

impl Furniture {
    pub(super) fn of_page(&self, page: usize) -> Option<&RunningLines> {
        self.pages.get(page)
    }

    pub(super) fn contains(&self, place: Place, line: usize) -> bool {
        self.of_page(place.page).is_some_and(|lines| lines.rows().any(|row| row.lines.contains(&(place.region, line))))
    }
}

impl RunningLines {
    fn rows(&self) -> impl Iterator<Item = &RunningRow> {
        self.heads.iter().chain(&self.feet)
    }

    /// Whether the page is empty without the lines that are left out.
    fn leave_out_all(&self, page: &PageStructure) -> bool {
        let left_out = self.rows().filter(|row| row.is_left_out).map(|row| row.lines.len()).sum::<usize>();
        let has_other = page.regions.iter().any(|region| region.column().is_none());
        !has_other && left_out == page.lines().filter(|line| !line.is_number()).count()
    }
}

impl Row<'_> {
    /// The number of its words with letters.
    fn letter_words(&self) -> usize {
        let words = self.lines.iter().flat_map(|(_, _, line)| &line.words);
        words.filter(|word| has_letter(&word.text)).count()
    }

    fn running(&self, is_left_out: bool) -> RunningRow {
        let mut lines: Vec<_> = self.lines.iter().collect();
        lines.sort_by(|a, b| a.2.bounds.x0.total_cmp(&b.2.bounds.x0));
        // Labels of values and captions of tables are text, even if they are on several pages.
        let is_label = lines.last().is_some_and(|(_, _, last)| ends_label(&last.words));
        let is_caption = lines.iter().any(|(_, _, line)| is_caption(line));
        let is_left_out = is_left_out && !is_label && !is_caption;
        RunningRow { lines: lines.into_iter().map(|(region, line, _)| (*region, *line)).collect(), is_left_out }
    }
}

/// Whether a line is the caption of a table. A line with the number of the page is a running line, such as `Chapter 2: Trees 17`.
fn is_caption(line: &Line) -> bool {
    let words = words_of(line);
    let has_number = words.last().is_some_and(|last| page_number(bare_number(last)).is_some());
    words.len() >= MIN_CAPTION && !has_number && is_ended_caption_label(words.into_iter())
}

/// The numbers that pages print of themselves, by the pages' numbers. At least [`MIN_PAGES`] pages agree in each.
pub(super) fn printed_numbers(pages: &[DocumentPage]) -> BTreeMap<u32, String> {
    let sides = [true, false].map(|is_top| pages.iter().map(|page| outer_rows(page, is_top)).collect::<Vec<_>>());
    let (body, evidence) = (body_size(pages), Evidence::of(pages, &sides));
    let printed = pages.iter().enumerate().filter_map(|(index, page)| {
        let rows = sides.iter().filter_map(|side| side.get(index));
        let found = rows
            .flat_map(|rows| evidence.running_rows(rows, index, body))
            .flat_map(|row| evidence.printed_numbers(row, index));
        let (_, number) = found.max_by_key(|(agreeing, _)| *agreeing)?;
        Some((page.number, number))
    });
    printed.collect()
}

/// The size of most characters. Lines that pages repeat do not count: the small print of slides has more letters than their
/// text.
fn body_size(pages: &[DocumentPage]) -> f32 {
    let lines = pages.iter().flat_map(|page| page.structure.lines());
    let mut counts: HashMap<Vec<&str>, usize> = HashMap::new();
    lines.clone().for_each(|line| *counts.entry(words_of(line)).or_default() += 1);
    let are_all_repeated = counts.values().all(|count| *count >= MIN_PAGES);
    let is_own = |line: &&Line| counts.get(&words_of(line)).is_none_or(|count| *count < MIN_PAGES);
    let mut sizes: BTreeMap<i32, usize> = BTreeMap::new();
    for line in lines.filter(|line| are_all_repeated || is_own(line)) {
        *sizes.entry(quarters(line.size)).or_default() += line.len();
    }
    let most = sizes.into_iter().max_by_key(|(_, count)| *count).map_or(40, |(size, _)| size);
    f32::from(i16::try_from(most).unwrap_or(40)) / 4.0
}

/// Whether a number in a text, which differs from that of the page, may be the number of the page.
fn is_of_page(around: &str, shift: i64) -> bool {
    let words = around.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    around.is_empty() || shift.abs() <= MAX_SHIFT || words >= MIN_AROUND
}

fn words_of(line: &Line) -> Vec<&str> {
    line.words.iter().map(|word| word.text.as_str()).collect()
}

/// The outermost rows of a page, the outermost first.
fn outer_rows(page: &DocumentPage, is_top: bool) -> Vec<Row<'_>> {
    let structure = &page.structure;
    let mut lines: Vec<(f32, usize, usize, &Line)> = Vec::new();
    for (region_index, region) in structure.regions.iter().enumerate() {
        let Region::Column(column) = region else { continue };
        let frame = structure.frame(column.turn);
        let lines_of_text = column.lines.iter().enumerate().filter(|(_, line)| !line.is_number());
        for (line_index, line) in lines_of_text.filter(|_| column.turn % 180 == 0) {
            let bounds = frame.to_page(line.bounds);
            lines.push((if is_top { bounds.y1 } else { structure.height - bounds.y1 }, region_index, line_index, line));
        }
    }
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut rows: Vec<Row> = Vec::new();
    for (distance, region, index, line) in lines {
        let count = rows.len();
        let is_in = |zone: f32| distance < zone * structure.height;
        let is_near = |row: &Row| row.is_in_zone && distance - row.distance < DEEP_EM * line.size;
        let is_deep = !is_in(MARGIN) && is_in(DEEP_ZONE) && rows.last().is_none_or(is_near);
        match rows.last_mut() {
            Some(row) if distance - row.distance < 0.4 * line.size.min(row.size) => {
                row.lines.push((region, index, line))
            }
            _ if count > MAX_ROWS => break,
            _ => rows.push(Row {
                lines: vec![(region, index, line)],
                distance,
                space: f32::INFINITY,
                size: line.size,
                is_in_zone: is_in(MARGIN) || is_deep,
                is_deep,
                is_at_edge: is_in(EDGE),
                parts: Vec::new(),
            }),
        }
    }
    finish(rows, page, is_top)
}

fn finish<'a>(mut rows: Vec<Row<'a>>, page: &DocumentPage, is_top: bool) -> Vec<Row<'a>> {
    let distances: Vec<f32> = rows.iter().skip(1).map(|row| row.distance).collect();
    for (row, next) in rows.iter_mut().zip(distances) {
        row.space = (next - row.distance) / row.size.max(1.0);
    }
    rows.truncate(MAX_ROWS);
    for row in &mut rows {
        let texts = row.lines.iter().flat_map(|(_, _, line)| parts(line));
        row.parts = texts.map(|text| Part(keys(&text, page, is_top))).collect();
    }
    rows
}

/// The texts of a line between wide gaps.
fn parts(line: &Line) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut right = f32::INFINITY;
    for word in &line.words {
        let is_far = word.bounds.x0 - right > 1.5 * line.size;
        match parts.last_mut() {
            Some(part) if !is_far => {
                part.push(' ');
                part.push_str(&word.text);
            }
            _ => parts.push(word.text.clone()),
        }
        right = word.bounds.x1;
    }
    parts
}

fn keys(text: &str, page: &DocumentPage, is_top: bool) -> Vec<Key> {
    let words: Vec<&str> = text.split(' ').collect();
    let whole = Key::Words { text: text.to_owned(), is_top };
    if words.len() > MAX_NUMBERED_WORDS {
        return vec![whole];
    }
    let around = |others: Vec<&str>| format!("{is_top} {}", others.join(" "));
    let labels = (0..words.len()).filter(|at| words.get(*at).copied() == page.label.as_deref()).map(|label| {
        let others = words.iter().enumerate().filter(|(at, _)| *at != label).map(|(_, word)| *word);
        Key::Label { around: around(others.collect()) }
    });
    let numbers = (0..words.len()).filter_map(|at| numbered_keys(&words, at, page, is_top)).flatten();
    std::iter::once(whole).chain(numbers).chain(labels).collect()
}

/// What is shared by the lines that differ from these words in the number at `at`.
fn numbered_keys(words: &[&str], at: usize, page: &DocumentPage, is_top: bool) -> Option<impl Iterator<Item = Key>> {
    let (before, own) = words.split_at_checked(at)?;
    let (word, after) = own.split_first()?;
    let (chapter, number, total) = divided(word);
    let beside = || before.iter().chain(after).copied();
    let others = || beside().chain(chapter).chain(total);
    let is_alone = !others().any(has_letter);
    let is_outer = before.is_empty() || after.is_empty();
    let (value, is_roman) = own_number(number, is_alone, is_outer)?;
    let shift = i64::from(value) - i64::from(page.number);
    let around = if is_alone { String::new() } else { others().collect::<Vec<_>>().join(" ") };
    let counted = (is_outer || chapter.is_some())
        .then(|| Key::Counted { around: beside().collect::<Vec<_>>().join(" "), is_top });
    Some(std::iter::once(Key::Number { is_top: is_top && !is_alone, around, is_roman, shift }).chain(counted))
}

/// The chapter, the page and the number of pages in a printed page number such as `L-11` or `3/8`.
fn divided(word: &str) -> (Option<&str>, &str, Option<&str>) {
    let (rest, total) = word.split_once('/').map_or((word, None), |(rest, total)| (rest, Some(total)));
    let split = bare_number(rest).rsplit_once('-').filter(|(chapter, _)| (1..=MAX_CHAPTER).contains(&chapter.len()));
    let (chapter, number) = split.map_or((None, rest), |(chapter, number)| (Some(chapter), number));
    (chapter, number, total)
}

/// The value of a page number, and whether it is a Roman numeral. These count only as the first or the last word of a line: `C`
/// and `mix` may be words.
fn own_number(word: &str, is_alone: bool, is_outer: bool) -> Option<(u32, bool)> {
    let bare = bare_number(word);
    // Other numbers that begin with zeros are those of invoices and parts.
    page_number(bare).filter(|(_, is_roman)| if *is_roman { is_outer } else { is_alone || !bare.starts_with('0') })
}

/// A number without what is printed around it.
fn bare_number(word: &str) -> &str {
    word.trim_matches(['-', '–', '—', '.', '|', '(', ')', '[', ']', ':', '·', '•', ',', '~'])
}

/// What the outer rows of all pages have in common.
struct Evidence<'r> {
    pages: &'r [DocumentPage],
    /// The pages that have a key, and the distances from the edge.
    keys: BTreeMap<&'r Key, Vec<(usize, f32)>>,
    /// The distances, sizes and spaces of all rows, by distance.
    places: Vec<(f32, f32, f32)>,
}

impl<'r> Evidence<'r> {
    fn of(pages: &'r [DocumentPage], sides: &'r [Vec<Vec<Row>>]) -> Self {
        let mut evidence = Self { pages, keys: BTreeMap::new(), places: Vec::new() };
        let rows = sides.iter().flat_map(|side| side.iter().enumerate());
        for (page, row) in rows.flat_map(|(page, rows)| rows.iter().map(move |row| (page, row))) {
            if !row.is_in_zone {
                continue;
            }
            evidence.places.push((row.distance, row.size, row.space));
            for key in row.parts.iter().flat_map(|part| &part.0) {
                evidence.keys.entry(key).or_default().push((page, row.distance));
            }
        }
        evidence.places.sort_by(|a, b| a.0.total_cmp(&b.0));
        evidence.keys.values_mut().for_each(|places| places.sort_by_key(|(page, _)| *page));
        evidence
    }

    /// The running rows of a side of a page: the outer ones, as far as they are apart from the text.
    fn running_rows<'s>(&self, rows: &'s [Row<'s>], page: usize, body: f32) -> impl Iterator<Item = &'s Row<'s>> {
        let running = rows.iter().take_while(|row| self.is_running(row, page, body)).collect::<Vec<_>>();
        let ends = |row: &&Row| row.space > SPACE_EM || self.is_number_in_place(row, page);
        let count = running.iter().rposition(ends).map_or(0, |last| last + 1);
        running.into_iter().take(count)
    }

    fn is_running(&self, row: &Row, page: usize, body: f32) -> bool {
        if !row.is_in_zone || self.may_be_title(row, page, body) && !self.is_on_all(row, page) {
            return false;
        }
        if row.is_deep {
            return self.is_repeated(row, page, body);
        }
        let (is_small, is_apart) = (row.size < 0.95 * body, row.space > SPACE_EM);
        let has_number = row.parts.iter().any(Part::is_page_number);
        let shares = |part: &Part| part.0.iter().any(|key| self.is_shared(key, row.distance, page));
        self.is_repeated(row, page, body)
            || is_apart && row.parts.iter().all(Part::is_page_number)
            || is_apart && row.parts.iter().any(shares)
            || is_apart && (is_small || has_number) && self.has_place(row)
            || row.space > FAR_EM && (is_small || row.is_at_edge && is_plain(row, body))
            || row.space > APART_EM && is_plain(row, body) && self.has_place(row)
    }

    /// Whether a row is as large as a title. Those of slides may be smaller than the text.
    fn may_be_title(&self, row: &Row, page: usize, body: f32) -> bool {
        let is_text = |key: &Key| matches!(key, Key::Words { is_top: true, .. });
        let is_slide =
            || self.is_wide(page) && body > SLIDE_PT && row.parts.iter().all(|part| part.0.iter().all(is_text));
        row.size > TITLE_FACTOR * body || row.size > SLIDE_FACTOR * body && is_slide()
    }

    fn is_wide(&self, page: usize) -> bool {
        self.pages.get(page).is_some_and(|page| page.structure.width > page.structure.height)
    }

    /// Whether other pages have all texts of a row, with no difference but the page's own number.
    fn is_repeated(&self, row: &Row, page: usize, body: f32) -> bool {
        // Titles of chapters and of exercises at the top count with the pages too, and are larger.
        let is_large = row.size > 1.02 * body && !self.is_on_all(row, page);
        let is_own = |key: &Key| match key {
            Key::Words { .. } | Key::Label { .. } => true,
            Key::Number { around, is_top, shift, .. } => {
                let is_title = *is_top && is_large && around.chars().any(char::is_alphabetic);
                is_of_page(around, *shift) && (!is_title || around.is_empty())
            }
            Key::Counted { is_top, .. } => row.letter_words() >= MIN_BESIDE && !(*is_top && is_large),
        };
        let goes_on =
            |key: &Key| matches!(key, Key::Number { .. }) && self.pages_with(key, row.distance).nth(1).is_some();
        let is_repeated = |part: &Part| {
            let may_count = part.0.iter().any(goes_on);
            let is_meant = |key: &&Key| is_own(key) && (may_count || !matches!(key, Key::Counted { .. }));
            part.0.iter().filter(is_meant).any(|key| self.is_shared(key, row.distance, page))
        };
        row.is_in_zone && row.parts.iter().all(is_repeated)
    }

    /// Whether four of five pages have all texts of a row at its height, of all pages or of those on its side.
    fn is_on_all(&self, row: &Row, page: usize) -> bool {
        // Slides that follow each other may have one title.
        let enough = if self.is_wide(page) { WINDOW } else { MIN_TITLED };
        let sides = [true, false].map(|is_any| move |other: &usize| is_any || self.is_same_side(*other, page));
        sides.iter().any(|is_meant| {
            let all = (0..self.pages.len()).filter(is_meant).count();
            let count = |key: &Key| self.pages_with(key, row.distance).filter(is_meant).count();
            let on_all = |part: &Part| part.0.iter().any(|key| 5 * count(key) >= 4 * all);
            all >= enough && row.parts.iter().all(on_all)
        })
    }

    /// Whether a row is the page's own number, which other pages have at its height. It may stand right below the text.
    fn is_number_in_place(&self, row: &Row, page: usize) -> bool {
        let is_in_place = |key: &Key| {
            let is_alone = matches!(key, Key::Number { around, .. } if around.is_empty());
            let near = || self.pages_with(key, row.distance);
            is_alone && near().count() >= MIN_PAGES && self.is_shared(key, row.distance, page)
        };
        row.parts.iter().all(|part| part.0.iter().any(is_in_place))
    }

    /// The pages that have a key at a height.
    fn pages_with(&self, key: &Key, distance: f32) -> impl Iterator<Item = usize> {
        let places = self.keys.get(key).into_iter().flatten();
        places.filter(move |(_, height)| (height - distance).abs() <= TOLERANCE_PT).map(|(page, _)| *page)
    }

    /// What may be the number of a page on a row of it, each with how many pages agree.
    fn printed_numbers(&self, row: &Row, page: usize) -> Vec<(usize, String)> {
        let number = self.pages.get(page).map_or(0, |page| i64::from(page.number));
        let texts = row.lines.iter().flat_map(|(_, _, line)| parts(line));
        let found = texts.zip(&row.parts).flat_map(|(text, part)| part.0.iter().map(move |key| (text.clone(), key)));
        let found = found.filter_map(|(text, key)| {
            let Key::Number { around, is_roman, shift, .. } = key else { return None };
            let agreeing = self.keys.get(key)?.iter().map(|(page, _)| page).collect::<BTreeSet<_>>().len();
            if !is_of_page(around, *shift) || agreeing < MIN_PAGES || !self.is_shared(key, row.distance, page) {
                return None;
            }
            let value = u32::try_from(number + shift).ok()?;
            let words = text.split(' ').map(|word| bare_number(divided(word).1));
            let own = words.into_iter().find(|word| page_number(word) == Some((value, *is_roman)))?;
            Some((agreeing, own.to_owned()))
        });
        found.collect()
    }

    /// Whether most of the pages around one have a key; or most of the left or of the right ones, if they are enough.
    fn is_shared(&self, key: &Key, distance: f32, page: usize) -> bool {
        let Some(places) = self.keys.get(key) else { return false };
        let is_anywhere = matches!(key, Key::Number { around, .. } if around.is_empty());
        let has_key = |at: &usize| {
            let first = places.partition_point(|(other, _)| other < at);
            let own = places.iter().skip(first).take_while(|(other, _)| other == at);
            own.into_iter().any(|(_, height)| is_anywhere || (height - distance).abs() <= TOLERANCE_PT)
        };
        let window = self.window(page);
        let side: Vec<usize> = window.iter().copied().filter(|at| self.is_same_side(*at, page)).collect();
        let count = |pages: &[usize]| pages.iter().filter(|at| has_key(at)).count();
        let (all, own) = (count(&window), count(&side));
        // Two pages show a number only if it is that of the page itself.
        let are_numbered = matches!(key, Key::Number { shift: 0, .. }) && all == window.len();
        all >= 2 && (are_numbered || window.len() >= MIN_PAGES && 2 * all > window.len())
            || own >= MIN_PAGES && 2 * own > side.len()
            || self.run_on_side(page, has_key) >= MIN_PAGES
    }

    /// How many left or right pages in a row have a key, of which a page is one.
    fn run_on_side(&self, page: usize, has_key: impl Fn(&usize) -> bool) -> usize {
        let number = |at: &usize| self.pages.get(*at).map(|page| page.number);
        let near = page.saturating_sub(2 * WINDOW)..self.pages.len().min(page.saturating_add(2 * WINDOW));
        let side = near.filter(|at| self.is_same_side(*at, page) && has_key(at)).collect::<Vec<_>>();
        let follows = |one: &usize, next: &usize| number(one).map(|number| number + 2) == number(next);
        side.chunk_by(follows).find(|run| run.contains(&page)).map_or(0, <[usize]>::len)
    }

    /// The pages nearest to one, itself included.
    fn window(&self, page: usize) -> Vec<usize> {
        let number = |at: usize| self.pages.get(at).map_or(0, |page| page.number);
        let mut near: Vec<usize> = (page.saturating_sub(WINDOW)..=page.saturating_add(WINDOW)).collect();
        near.retain(|at| *at < self.pages.len());
        near.sort_by_key(|at| number(*at).abs_diff(number(page)));
        near.truncate(WINDOW);
        near
    }

    fn is_same_side(&self, page: usize, other: usize) -> bool {
        let is_even = |at: usize| self.pages.get(at).map(|page| page.number % 2);
        is_even(page) == is_even(other)
    }

    /// Whether a good part of the pages has a row of the same size at the height, with space towards the text.
    fn has_place(&self, row: &Row) -> bool {
        let from = self.places.partition_point(|(other, ..)| *other < row.distance - 1.0);
        let near = self.places.iter().skip(from).take_while(|(other, ..)| *other <= row.distance + 1.0);
        let like = near.filter(|(_, size, space)| (size - row.size).abs() < 0.3 && *space > SPACE_EM).count();
        like >= MIN_PAGES && MIN_PAGES * like >= self.pages.len()
    }
}

impl Part {
    /// Whether it may be a page number with nothing beside it.
    fn is_page_number(&self) -> bool {
        self.0.iter().any(|key| matches!(key, Key::Number { around, .. } if around.is_empty()))
    }
}

/// Whether a row is short and set in plain type, no larger than the body.
fn is_plain(row: &Row, body: f32) -> bool {
    let is_plain = |line: &Line| !line.is_bold() && line.words.len() <= MAX_PLAIN_WORDS;
    row.size < 1.02 * body && row.lines.iter().all(|(_, _, line)| is_plain(line))
}
