//! The labels of figures and tables.

/// Whether these words begin with the label of a figure or a table: a word with a capital and a number, and then not the
/// rest of a sentence.
pub(crate) fn is_caption_label<'a>(mut words: impl Iterator<Item = &'a str>) -> bool {
    let (Some(word), Some(number)) = (words.next(), words.next()) else { return false };
    let is_word =
        word.chars().next().is_some_and(char::is_uppercase) && word.chars().all(|c| c.is_alphabetic() || c == '.');
    let digits = number.trim_end_matches([':', '.']);
    let digits = digits.strip_suffix(|part: char| part.is_ascii_lowercase()).unwrap_or(digits);
    // Those of an appendix or a chapter have letters before them.
    let numbered = digits.trim_start_matches(|sign: char| sign.is_ascii_uppercase()).trim_start_matches('.');
    let next = words.next();
    let has_letters = numbered.len() < digits.len();
    let is_set_off = number.ends_with([':', '.']) || next == Some("|");
    let is_number = numbered.chars().next().is_some_and(|c| c.is_ascii_digit())
        && digits.len() <= 6
        && (!has_letters || is_set_off)
        && numbered.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let is_ended = is_set_off || next.is_none_or(|next| !next.starts_with(char::is_lowercase));
    is_word && is_number && is_ended
}

/// Whether these words begin with the label of an algorithm.
pub(crate) fn is_algorithm_label<'a>(mut words: impl Iterator<Item = &'a str>) -> bool {
    let is_word = words.next().is_some_and(|word| word.eq_ignore_ascii_case("algorithm"));
    let is_number = |number: &str| number.trim_end_matches([':', '.']).chars().all(|sign| sign.is_ascii_digit());
    is_word
        && words
            .next()
            .is_some_and(|number| number.starts_with(|sign: char| sign.is_ascii_digit()) && is_number(number))
}
