//! Recognises pages of contents: lists of titles with page numbers.

/// The least number of titles on a page of contents.
const MIN_ENTRIES: usize = 5;

/// Whether at least half of the lines are titles that end in a page number, and these numbers ascend.
pub fn lists_pages(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let count = lines.clone().count();
    let numbers = lines.filter_map(page_number).collect::<Vec<_>>();
    let pairs = numbers.iter().zip(numbers.iter().skip(1));
    let ascending = pairs.filter(|(number, next)| number <= next).count();
    numbers.len() >= MIN_ENTRIES && numbers.len() * 2 >= count && ascending * 5 >= (numbers.len() - 1) * 4
}

/// The number at the end of a title.
fn page_number(line: &str) -> Option<u32> {
    let line = line.trim_end();
    let title = line.trim_end_matches(|character: char| character.is_ascii_digit());
    let number = line.get(title.len()..)?.parse().ok()?;
    let is_apart = title.ends_with([' ', '.', '\t', '\u{2026}']);
    (is_apart && title.chars().any(char::is_alphabetic)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::lists_pages;

    #[test]
    fn titles_with_ascending_numbers_are_contents() {
        let contents = "CONTENTS\nPreface . . . . xiii\nIntroduction 1\nPiracy 15\n1. Creators ... 21\nCopyists…31\nLaw 145\nIndex 339";
        assert!(lists_pages(contents));
        let table = "Sales by town\nParis 45\nLondon 12\nRome 88\nBerlin 3\nMadrid 71\nVienna 9";
        assert!(!lists_pages(table));
        let prose = "It was in 1903\nthat two brothers\nflew for 100\nseconds and the law\nheld until 1946";
        assert!(!lists_pages(prose));
        assert!(!lists_pages("1\n2\n3\n4\n5\n6\n7"));
        assert!(!lists_pages(""));
    }
}
