//! The words that the program prints, in its format `tsv`.

use super::language::is_unspaced;
use crate::error::OcrError;
use crate::geometry::Direction;
use crate::recogniser::{LineSample, RecognisedCharacter, RecognisedLine};

/// The most rows of an answer, one for each line and word. A page of a newspaper has 10,000.
const MAX_ROWS: usize = 20_000;

/// The most bytes of words of an answer.
const MAX_WORD_BYTES: usize = 200_000;

/// The middles of characters that belong together are less than so many heights of the line apart.
const UNSPACED: f32 = 1.5;

/// The lines of an answer in the program's format `tsv`.
pub(super) fn parse_words(table: &str) -> Result<Vec<RecognisedLine>, OcrError> {
    let mut rows = table.lines();
    if !rows.next().is_some_and(|head| head.starts_with("level\t")) {
        return Err(OcrError::Program { reason: "its answer is not a table".to_owned() });
    }
    let words = rows.clone().filter_map(|row| row.rsplit_once('\t')).map(|(_, word)| word.len()).sum::<usize>();
    if rows.clone().nth(MAX_ROWS).is_some() || words > MAX_WORD_BYTES {
        return Err(OcrError::Program { reason: "its answer is too long".to_owned() });
    }
    let mut lines: Vec<RecognisedLine> = Vec::new();
    for row in rows.filter_map(TableRow::parse) {
        match (row.level, lines.last_mut()) {
            (LINE, _) => lines.push(RecognisedLine { place: row.place(), characters: Vec::new() }),
            (WORD, Some(line)) if !row.text.is_empty() => row.add_to(line),
            _ => {}
        }
    }
    Ok(lines)
}

/// The level of a line in the table, and that of a word.
const LINE: &str = "4";
const WORD: &str = "5";

/// A row of the table: a line or a word.
struct TableRow<'t> {
    level: &'t str,
    left: f32,
    top: f32,
    width: f32,
    height: f32,
    confidence: f32,
    text: &'t str,
}

impl<'t> TableRow<'t> {
    fn parse(row: &'t str) -> Option<Self> {
        let mut cells = row.splitn(12, '\t');
        let level = cells.next()?;
        // Page, block, paragraph, line and word.
        let mut cells = cells.skip(5);
        let mut number = || cells.next()?.parse::<f32>().ok().filter(|number| number.is_finite());
        let (left, top, width, height, confidence) = (number()?, number()?, number()?, number()?, number()?);
        let text = cells.next().unwrap_or_default().trim();
        Some(Self { level, left, top, width, height, confidence: confidence / 100.0, text })
    }

    fn place(&self) -> LineSample {
        let origin = [self.left, self.top + self.height / 2.0];
        LineSample { origin, direction: Direction::RIGHT, length: self.width, thickness: self.height }
    }

    /// Adds the letters of a word to its line. They share the width of the word. The program takes each Chinese or Japanese
    /// character for a word; between these is no space, unless there is a gap.
    fn add_to(&self, line: &mut RecognisedLine) {
        let [start, _] = line.place.origin;
        let count = self.text.chars().count();
        let step = self.width / count.max(1) as f32;
        let mut characters: Vec<RecognisedCharacter> = Vec::with_capacity(count + 1);
        let character =
            |text: &str, along: f32| RecognisedCharacter { text: text.into(), along, confidence: self.confidence };
        if let Some(last) = line.characters.last() {
            let is_near = self.left - start + step / 2.0 - last.along < UNSPACED * line.place.thickness;
            let is_one_word = is_near && last.text.chars().chain(self.text.chars().take(1)).all(is_unspaced);
            if !is_one_word {
                characters.push(character(" ", f32::midpoint(last.along, self.left - start)));
            }
        }
        let middles = (0..count).map(|at| self.left - start + (at as f32 + 0.5) * step);
        let mut buffer = [0; 4];
        let letters = self.text.chars().zip(middles);
        characters.extend(letters.map(|(letter, along)| character(letter.encode_utf8(&mut buffer), along)));
        line.characters.extend(characters);
    }
}

/// The first line of a table.
#[cfg(test)]
pub(super) const HEAD: &str =
    "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    #[test]
    fn a_table_becomes_lines_with_letters_in_their_places() {
        let table = format!(
            "{HEAD}4\t1\t1\t1\t1\t0\t100\t50\t200\t20\t-1\t\n5\t1\t1\t1\t1\t1\t100\t50\t40\t20\t96\tto\n\
             5\t1\t1\t1\t1\t2\t160\t50\t40\t20\t91\tbe\n5\t1\t1\t1\t1\t3\t250\t50\t40\t20\t12\t~;\n"
        );
        let lines = parse_words(&table).unwrap();
        let line = lines.first().unwrap();
        assert_eq!((lines.len(), line.place.origin, line.place.thickness), (1, [100.0, 60.0], 20.0));
        let letters = line.characters.iter().map(|found| (&*found.text, found.along)).collect::<Vec<_>>();
        let expected = [("t", 10.0), ("o", 30.0), (" ", 45.0), ("b", 70.0), ("e", 90.0), (" ", 120.0)];
        assert_eq!(letters.get(..6), Some(&expected[..]));
        assert_eq!(line.characters.last().map(|last| last.confidence), Some(0.12));
    }

    #[test]
    fn chinese_and_japanese_characters_are_one_word_up_to_a_gap() {
        let word = |left: u32, text: &str| format!("5\t1\t1\t1\t1\t1\t{left}\t0\t20\t20\t96\t{text}\n");
        let words =
            [word(0, "\u{6771}"), word(24, "\u{4EAC}"), word(48, "\u{90FD}"), word(120, "\u{3042}"), word(144, "B")];
        let table = format!("{HEAD}4\t1\t1\t1\t1\t0\t0\t0\t200\t20\t-1\t\n{}", words.concat());
        let lines = parse_words(&table).unwrap();
        let text = lines.first().unwrap().characters.iter().map(|found| &*found.text).collect::<String>();
        assert_eq!(text, "\u{6771}\u{4EAC}\u{90FD} \u{3042} B");
    }

    #[test]
    fn another_answer_is_an_error_and_odd_rows_are_left_out() {
        assert!(matches!(parse_words("usage: something else"), Err(OcrError::Program { .. })));
        assert_eq!(parse_words(&format!("{HEAD}5\t1\n4\t1\t1\t1\t1\t0\tNaN\t1\t1\t1\t1\t\n5")).unwrap(), []);
    }

    #[test]
    fn an_answer_has_so_many_rows_and_letters_at_most() {
        let row = "4\t1\t1\t1\t1\t0\t0\t0\t9\t9\t-1\t\n5\t1\t1\t1\t1\t1\t0\t0\t9\t9\t96\t";
        let of_rows = |rows: usize| parse_words(&format!("{HEAD}{}", "1\n".repeat(rows)));
        assert_eq!(of_rows(MAX_ROWS), Ok(Vec::new()));
        assert!(matches!(of_rows(MAX_ROWS + 1), Err(OcrError::Program { .. })));
        let of_letters = |letters: usize| parse_words(&format!("{HEAD}{row}{}", "a".repeat(letters)));
        assert_eq!(of_letters(MAX_WORD_BYTES).map(|lines| lines.len()), Ok(1));
        assert!(matches!(of_letters(MAX_WORD_BYTES + 1), Err(OcrError::Program { .. })));
    }
}
