//! Lays out text in the columns of a terminal.

use std::ops::Range;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::screen::{Part, Screen};

/// Columns that `text` takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// `text` and as many spaces as fill `columns`.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// `text` cut to `columns`, with an ellipsis for what is left out.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let kept = text.get(..fitting(text, columns.saturating_sub(1))).unwrap_or_default();
    format!("{}…", kept.trim_end())
}

/// Bytes of the longest beginning of `text` that fits into `columns`.
fn fitting(text: &str, columns: usize) -> usize {
    let mut left = columns;
    let too_much = text.char_indices().find(|(_, character)| {
        let rest = left.checked_sub(character.width().unwrap_or(0));
        left = rest.unwrap_or(0);
        rest.is_none()
    });
    too_much.map_or(text.len(), |(at, _)| at)
}

/// The lines of `text`, at most `columns` wide, as ranges of its bytes. They end between words where there are any.
pub(crate) fn lines(text: &str, columns: usize) -> Vec<Range<usize>> {
    let columns = columns.max(2);
    let (mut lines, mut start) = (Vec::new(), 0);
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let fits = fitting(rest, columns);
        let is_word_end = fits == rest.len() || rest.get(fits..).is_some_and(|after| after.starts_with(' '));
        let space = rest.get(..fits).and_then(|line| line.rfind(' ')).filter(|space| *space > 0 && !is_word_end);
        // A character that is wider than the line still goes on it.
        let end = space.unwrap_or(fits).max(rest.chars().next().map_or(1, char::len_utf8));
        lines.push(start..start + end);
        let after = rest.get(end..).unwrap_or_default();
        start += end + (after.len() - after.trim_start_matches(' ').len());
    }
    lines
}

/// `text` in lines of at most `columns`; all but the first are indented by `indent`.
pub(crate) fn wrapped(text: &str, columns: usize, indent: usize) -> String {
    let lines = lines(text, columns).into_iter().filter_map(|line| text.get(line));
    lines.collect::<Vec<_>>().join(&format!("\n{:indent$}", ""))
}

/// Named values, one below the other, the values aligned.
#[derive(Debug, Default)]
pub(crate) struct Facts(Vec<(&'static str, String)>);

impl Facts {
    /// Adds a value. Without a name, it goes on with the value before.
    pub(crate) fn add(&mut self, name: &'static str, value: impl Into<String>) {
        self.0.push((name, value.into()));
    }

    /// Adds the value if there is one.
    pub(crate) fn add_some(&mut self, name: &'static str, value: Option<impl Into<String>>) {
        value.into_iter().for_each(|value| self.add(name, value));
    }

    /// The facts as lines. On a terminal, long values go on below their beginning.
    pub(crate) fn text(&self, screen: Screen) -> String {
        let names = self.0.iter().map(|(name, _)| width(name) + 1).max().unwrap_or_default();
        let indent = names + 2;
        let line = |(name, value): &(&str, String)| {
            let room = screen.columns.map(|columns| columns.saturating_sub(indent).max(MIN_VALUE));
            let value = room.map_or_else(|| value.clone(), |room| wrapped(value, room, indent));
            let name = if name.is_empty() { String::new() } else { format!("{name}:") };
            let gap = " ".repeat(indent - width(&name));
            format!("{}{gap}{value}", screen.paint(Part::Heading, &name))
        };
        self.0.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// The narrowest column of values.
const MIN_VALUE: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, columns: usize) -> Vec<&str> {
        lines(text, columns).into_iter().filter_map(|line| text.get(line)).collect()
    }

    #[test]
    fn lines_end_between_words() {
        assert_eq!(split("one two three", 7), ["one two", "three"]);
        assert_eq!(split("one two three", 8), ["one two", "three"]);
        assert_eq!(split("incomprehensible", 6), ["incomp", "rehens", "ible"]);
        assert_eq!(split("a incomprehensible", 6), ["a", "incomp", "rehens", "ible"]);
        assert_eq!(split("", 6), Vec::<&str>::new());
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(split("縦書きの一枚", 5), ["縦書", "きの", "一枚"]);
        assert_eq!(split("縦書", 1), ["縦", "書"]);
        assert_eq!(cut("縦書きの一枚", 5), "縦書…");
        assert_eq!(padded("縦", 3), "縦 ");
    }

    #[test]
    fn a_text_that_fits_is_not_cut() {
        assert_eq!((cut("four", 4), cut("fours", 4)), ("four".to_owned(), "fou…".to_owned()));
    }
}
