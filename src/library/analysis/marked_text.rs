//! Puts marks before the running lines and the headings in the text of a page, and changes nothing else.

use std::collections::{BTreeSet, HashMap};

use super::characters::is_unspaced;
use pagewise_base::figure_names::names_figure;

/// The most words of a heading.
const MAX_HEADING_WORDS: usize = 14;

/// The most characters of a heading.
const MAX_HEADING_CHARACTERS: usize = 90;

/// Lines at the top and the bottom of a page that may be running lines.
const EDGE_LINES: usize = 3;

/// Pages on which a running line stands at least.
const MIN_RUNNING_PAGES: u32 = 3;

/// Lines that stand on many pages of a document, as they are compared.
#[derive(Debug, Default)]
pub(crate) struct RunningLines(HashMap<String, usize>);

impl RunningLines {
    /// The running lines of a document's pages.
    pub(crate) fn of(pages: &[&str]) -> Self {
        let mut counts: HashMap<String, (u32, usize)> = HashMap::new();
        for (at, page) in pages.iter().enumerate() {
            for line in edge_lines(page).into_iter().collect::<BTreeSet<_>>() {
                counts.entry(line).or_insert((0, at)).0 += 1;
            }
        }
        Self(
            counts
                .into_iter()
                .filter(|(_, (count, _))| *count >= MIN_RUNNING_PAGES)
                .map(|(line, (_, at))| (line, at))
                .collect(),
        )
    }

    /// Whether the line is one of them, and stood on a page before this one.
    pub(crate) fn repeats(&self, line: &str, page: usize) -> bool {
        self.0.get(&without_digits(line)).is_some_and(|first| *first < page)
    }
}

fn edge_lines(page: &str) -> Vec<String> {
    let lines: Vec<&str> = page.lines().filter(|line| !line.trim().is_empty()).collect();
    let tail = lines.iter().rev().take(EDGE_LINES);
    let edges = lines.iter().take(EDGE_LINES).chain(tail);
    edges.map(|line| without_digits(line)).filter(|line| !line.is_empty()).collect()
}

fn without_digits(line: &str) -> String {
    line.chars().filter(|character| character.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

/// What a line of a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    Text,
    /// It stood at the edge of a page before, but for its digits.
    Running,
    /// It looks like a heading, or names a table or a figure.
    Heading,
}

const RUNNING: char = '\u{1}';
const HEADING: char = '\u{2}';

impl LineKind {
    fn of(line: &str) -> Self {
        match line.chars().next() {
            Some(RUNNING) => Self::Running,
            Some(HEADING) => Self::Heading,
            _ => Self::Text,
        }
    }
}

/// The text of a page with marks before its running lines and headings.
pub(crate) fn mark_lines(text: &str, running: &RunningLines, page: usize) -> String {
    let mut marked = String::with_capacity(text.len() + 16);
    let mut is_after_blank = true;
    let filled = text.lines().filter(|line| !line.trim().is_empty()).count();
    let mut number = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_blank = line.trim().is_empty();
        if !is_blank {
            let is_before_blank = lines.peek().is_none_or(|next| next.trim().is_empty());
            let is_edge = number < EDGE_LINES || number + EDGE_LINES >= filled;
            if is_edge && running.repeats(line, page) {
                marked.push(RUNNING);
            } else if is_heading(line, is_after_blank, is_before_blank) || is_caption(line) {
                marked.push(HEADING);
            }
            number += 1;
        }
        marked.extend(line.chars().filter(|character| *character == '\t' || !character.is_control()));
        marked.push('\n');
        is_after_blank = is_blank;
    }
    marked
}

/// The lines of a marked text: what each is, where it begins and ends.
pub(crate) fn marked_lines(text: &str) -> impl Iterator<Item = (LineKind, usize, usize)> {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let from = start;
        start += line.len() + 1;
        (LineKind::of(line), from, from + line.len())
    })
}

/// Whether a line looks like a heading.
fn is_heading(line: &str, is_after_blank: bool, is_before_blank: bool) -> bool {
    let line = line.trim();
    let words = line.split_whitespace().count();
    let begins =
        line.chars().next().is_some_and(|first| first.is_uppercase() || first.is_numeric() || is_unspaced(first));
    let letters = line.chars().filter(|character| character.is_alphabetic()).count();
    let ends = line.ends_with(['.', ',', ';', '。', '、']);
    let is_mostly_letters = letters * 2 >= line.chars().filter(|character| !character.is_whitespace()).count();
    let is_numbered = line.chars().next().is_some_and(char::is_numeric) && words > 1;
    words <= MAX_HEADING_WORDS
        && line.chars().count() <= MAX_HEADING_CHARACTERS
        && begins
        && !ends
        && is_mostly_letters
        && letters >= 3
        && is_after_blank
        && (is_before_blank || is_numbered)
}

/// Whether a line begins as `Table 5` does.
fn is_caption(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let number = words.next().unwrap_or_default();
    names_figure(first)
        && number.chars().any(char::is_numeric)
        && line.chars().nth(2 * MAX_HEADING_CHARACTERS).is_none()
}

/// The text that was marked.
pub(crate) fn without_marks(marked: &str) -> String {
    marked.replace([RUNNING, HEADING], "")
}

/// The text without marks, with one space between words.
pub(crate) fn plain(marked: &str) -> String {
    let text = marked.replace([RUNNING, HEADING], " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(marked: &str) -> Vec<LineKind> {
        marked_lines(marked).filter(|(_, start, end)| start < end).map(|(kind, _, _)| kind).collect()
    }

    #[test]
    fn running_lines_count_where_they_stand_first() {
        let pages = ["Annual report 1\n\na", "Annual report 2\n\nb", "Annual report 3\n\nc"];
        let running = RunningLines::of(&pages);
        let marked = |page: usize| mark_lines(pages.get(page).unwrap_or(&""), &running, page);
        assert_eq!(kinds(&marked(0)), [LineKind::Heading, LineKind::Text]);
        assert_eq!(kinds(&marked(1)), [LineKind::Running, LineKind::Text]);
    }

    #[test]
    fn short_lines_that_stand_alone_are_headings() {
        let text = "2.1 Net income\nIt rose.\n\nResults\n\nA sentence that ends.\n\nlower\n\n12 34 56\nTable 5. Of x.";
        let marked = mark_lines(text, &RunningLines::default(), 0);
        use LineKind::{Heading, Text};
        assert_eq!(kinds(&marked), [Heading, Text, Heading, Text, Text, Text, Heading]);
        assert_eq!(plain("\u{2}Results\n\na  b\n"), "Results a b");
    }

    #[test]
    fn marks_in_a_document_are_dropped() {
        assert_eq!(mark_lines("\u{2}a\u{1} b", &RunningLines::default(), 0), "a b\n");
    }
}
