//! Recognises pages that list titles with page numbers.

/// Titles of a contents page at least.
const MIN_TITLES: usize = 5;

/// Whether at least half of the lines are titles that end in a page number, and most of these numbers ascend.
pub(in crate::library) fn is_contents(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let count = lines.clone().count();
    let numbers = lines.filter_map(page_number).collect::<Vec<_>>();
    let pairs = numbers.iter().zip(numbers.iter().skip(1));
    let ascending = pairs.filter(|(number, next)| number <= next).count();
    numbers.len() >= MIN_TITLES && numbers.len() * 2 >= count && ascending * 5 >= (numbers.len() - 1) * 4
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
    use super::*;

    #[test]
    fn titles_with_ascending_numbers_are_contents() {
        let contents = (1..9).map(|number| format!("Chapter of this book .... {}\n", number * 7)).collect::<String>();
        assert!(is_contents(&contents));
        let table = (1..9).map(|number| format!("Net income {}\n", 1000 - number * 7)).collect::<String>();
        assert!(!is_contents(&table));
        assert!(!is_contents("A sentence.\nAnother one."));
    }
}
