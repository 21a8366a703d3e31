//! Quantities, dates, paths and commands as people write them.

use std::fmt::Display;
use std::path::Path;

use crate::context::{count_of, file_size, one_line};

/// `1.2 MB` of bytes.
pub(crate) fn size(bytes: usize) -> String {
    file_size(u64::try_from(bytes).unwrap_or(u64::MAX))
}

/// `1 page`, `2 pages`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    count_of(u64::try_from(count).unwrap_or(u64::MAX), noun)
}

/// `1 match`, `2 matches`.
pub(crate) fn matches(count: usize) -> String {
    let text = counted(count, "match");
    if count == 1 { text } else { text.replace("matchs", "matches") }
}

/// A date of RFC 3339 with a space in its middle: `2024-03-01 12:00:00 UTC`.
pub(crate) fn date(text: &str) -> String {
    let text = one_line(text);
    let Some((day, time)) = text.split_once('T') else { return text };
    match time.strip_suffix('Z') {
        Some(time) => format!("{day} {time} UTC"),
        None => {
            let zone = time.find(['+', '-']).unwrap_or(time.len());
            let (clock, zone) = time.split_at_checked(zone).unwrap_or((time, ""));
            format!("{day} {clock} {zone}").trim_end().to_owned()
        }
    }
}

/// A path on one line, without control characters.
pub(crate) fn path(path: &Path) -> String {
    one_line(&path.display().to_string())
}

/// The path of a folder, with a slash at its end.
pub(crate) fn folder(folder: &Path) -> String {
    let shown = path(folder);
    if shown.ends_with('/') { shown } else { format!("{shown}/") }
}

/// A command that can be pasted into a shell.
pub(crate) fn command(words: &[&dyn Display]) -> String {
    let words = words.iter().map(|word| quoted(&word.to_string())).collect::<Vec<_>>();
    format!("pagewise {}", words.join(" "))
}

/// `word` as a POSIX shell reads it back.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "_-./:=,@%+~".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Sizes of paper in millimetres, by name.
const PAPER: [(&str, f64, f64); 7] = [
    ("A3", 297.0, 420.0),
    ("A4", 210.0, 297.0),
    ("A5", 148.0, 210.0),
    ("A6", 105.0, 148.0),
    ("Letter", 215.9, 279.4),
    ("Legal", 215.9, 355.6),
    ("Tabloid", 279.4, 431.8),
];

/// Millimetres in a point.
const MILLIMETRES: f64 = 25.4 / 72.0;

/// How far a page of a known size of paper may be from it, in millimetres.
const TOLERANCE: f64 = 1.0;

/// `595 × 842 pt (210 × 297 mm, A4)`.
pub(crate) fn page_size(width_pt: f64, height_pt: f64) -> String {
    let (width, height) = (width_pt * MILLIMETRES, height_pt * MILLIMETRES);
    let (short, long) = (width.min(height), width.max(height));
    let is_of = |paper: &&(&str, f64, f64)| (paper.1 - short).abs() < TOLERANCE && (paper.2 - long).abs() < TOLERANCE;
    let name = PAPER.iter().find(is_of).map(|paper| format!(", {}", paper.0)).unwrap_or_default();
    format!("{width_pt:.0} × {height_pt:.0} pt ({width:.0} × {height:.0} mm{name})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_without_their_letters() {
        let dates = ["2024-03-01T12:00:00Z", "2024-03-01T12:00:00+02:00", "2024-03-01T12:00:00", "2024", "\u{1b}[1m"];
        let expected = ["2024-03-01 12:00:00 UTC", "2024-03-01 12:00:00 +02:00", "2024-03-01 12:00:00", "2024", "[1m"];
        assert_eq!(dates.map(date), expected);
    }

    #[test]
    fn commands_can_be_pasted() {
        assert_eq!(command(&[&"text", &"a b.pdf", &"4-"]), "pagewise text 'a b.pdf' 4-");
        assert_eq!(command(&[&"info", &"it's.pdf"]), r"pagewise info 'it'\''s.pdf'");
        assert_eq!(command(&[&"info", &"$(rm).pdf"]), "pagewise info '$(rm).pdf'");
    }

    #[test]
    fn sizes_of_paper_have_names_in_both_orientations() {
        let sizes = [(595.28, 841.89), (841.89, 595.28), (612.0, 792.0), (100.0, 100.0)];
        let expected = [
            "595 × 842 pt (210 × 297 mm, A4)",
            "842 × 595 pt (297 × 210 mm, A4)",
            "612 × 792 pt (216 × 279 mm, Letter)",
            "100 × 100 pt (35 × 35 mm)",
        ];
        assert_eq!(sizes.map(|(width, height)| page_size(width, height)), expected);
    }
}
