//! Page labels (ISO 32000-2, 12.4.2).

use super::key_tree::KeyTree;
use crate::ParsedDocument;
use crate::error::DocumentError;
use crate::object::{Dictionary, Object};
use crate::objects::Objects;
use crate::text_string;
use pagewise_base::page::{PageIndex, PageLabel};

/// Larger numbers are written in digits, since Roman numerals and letters grow with the number.
const MAX_LETTERED_NUMBER: i64 = 5_000;

/// The page labels of a document, as ranges sorted by their first page.
#[derive(Debug, Default)]
pub(crate) struct PageLabels {
    ranges: Vec<LabelRange>,
}

/// A labelling range: the pages from `first` up to the next range.
#[derive(Debug)]
struct LabelRange {
    first: u32,
    prefix: String,
    style: NumberingStyle,
    start: i64,
}

/// `/S`, the numbering style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberingStyle {
    PrefixAlone,
    Decimal,
    UpperRoman,
    LowerRoman,
    UpperLetters,
    LowerLetters,
}

impl PageLabels {
    /// Reads `/PageLabels` of the catalog; empty if there is none.
    pub(crate) fn read(parsed: &ParsedDocument) -> Result<Self, DocumentError> {
        let Some(root) = parsed.catalog.get(b"PageLabels") else { return Ok(Self::default()) };
        let objects = &*parsed.objects;
        let mut ranges = Vec::new();
        for (key, value) in KeyTree::Numbers.entries(objects, root)? {
            let first = key.as_integer().and_then(|first| u32::try_from(first).ok());
            let label = objects.resolve(&value)?;
            if let (Some(first), Some(label)) = (first, label.as_dictionary()) {
                ranges.push(LabelRange::read(objects, first, label)?);
            }
        }
        // If two ranges begin at a page, the later one counts, as for duplicate keys.
        ranges.reverse();
        ranges.sort_by_key(|range| range.first);
        ranges.dedup_by_key(|range| range.first);
        Ok(Self { ranges })
    }

    /// The first pages of the first `most` ranges.
    pub(crate) fn starts(&self, most: usize) -> Vec<PageIndex> {
        self.ranges.iter().take(most).map(|range| PageIndex(range.first)).collect()
    }

    /// The label of a page; `None` before the first range, or if the label is empty.
    pub(crate) fn label(&self, page: PageIndex) -> Option<PageLabel> {
        let after = self.ranges.partition_point(|range| range.first <= page.0);
        let range = self.ranges.get(after.checked_sub(1)?)?;
        let number = range.start.saturating_add(i64::from(page.0 - range.first));
        let label = format!("{}{}", range.prefix, range.style.numeral(number));
        (!label.is_empty()).then_some(PageLabel(label))
    }
}

impl LabelRange {
    fn read(objects: &dyn Objects, first: u32, label: &Dictionary) -> Result<Self, DocumentError> {
        let prefix = objects.get(label, b"P")?.as_string().map(text_string::decode).unwrap_or_default();
        let style = NumberingStyle::of(&*objects.get(label, b"S")?);
        let start = objects.get(label, b"St")?.as_integer().unwrap_or(1).max(1);
        Ok(Self { first, prefix, style, start })
    }
}

impl NumberingStyle {
    fn of(name: &Object) -> Self {
        match name.as_name() {
            Some(b"D") => Self::Decimal,
            Some(b"R") => Self::UpperRoman,
            Some(b"r") => Self::LowerRoman,
            Some(b"A") => Self::UpperLetters,
            Some(b"a") => Self::LowerLetters,
            _ => Self::PrefixAlone,
        }
    }

    fn numeral(self, number: i64) -> String {
        match self {
            Self::PrefixAlone => String::new(),
            _ if number > MAX_LETTERED_NUMBER => number.to_string(),
            Self::Decimal => number.to_string(),
            Self::UpperRoman => roman(number),
            Self::LowerRoman => roman(number).to_ascii_lowercase(),
            Self::UpperLetters => letters(number),
            Self::LowerLetters => letters(number).to_ascii_lowercase(),
        }
    }
}

fn roman(mut number: i64) -> String {
    const NUMERALS: [(i64, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let mut out = String::new();
    for (value, numeral) in NUMERALS {
        while number >= value {
            out.push_str(numeral);
            number -= value;
        }
    }
    out
}

/// A to Z, then AA to ZZ, then AAA to ZZZ (table 161).
fn letters(number: i64) -> String {
    let before = number.saturating_sub(1);
    let letter = u8::try_from(before % 26).map_or('A', |at| char::from(b'A' + at));
    let times = usize::try_from(before / 26).unwrap_or(0) + 1;
    std::iter::repeat_n(letter, times).collect()
}

#[cfg(test)]
mod tests {
    use super::NumberingStyle;

    #[test]
    fn numerals() {
        let cases = [
            (NumberingStyle::LowerRoman, 1994, "mcmxciv"),
            (NumberingStyle::UpperRoman, 4, "IV"),
            (NumberingStyle::UpperLetters, 26, "Z"),
            (NumberingStyle::UpperLetters, 27, "AA"),
            (NumberingStyle::LowerLetters, 54, "bbb"),
            (NumberingStyle::Decimal, 7, "7"),
            (NumberingStyle::PrefixAlone, 7, ""),
            (NumberingStyle::LowerRoman, 5_001, "5001"),
        ];
        for (style, number, expected) in cases {
            assert_eq!(style.numeral(number), expected);
        }
        assert_eq!(NumberingStyle::LowerRoman.numeral(5_000), "mmmmm");
    }
}
