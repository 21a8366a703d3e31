//! The labels of figures and tables.

use pagewise_base::figure_names;

/// What follows the label of a figure or a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LabelEnd {
    /// A colon or a period, or a bar.
    Sign,
    /// The words of the caption.
    Words,
}

/// The words before the numbers of divisions of a text.
const DIVISIONS: [&str; 12] = [
    "chapter",
    "section",
    "part",
    "unit",
    "lesson",
    "lecture",
    "appendix",
    "annex",
    "kapitel",
    "chapitre",
    "capitolo",
    "capítulo",
];

/// Whether these words begin with the label of a figure or a table, which a sign ends, whatever their type: `Table:`,
/// `Figure 1.3.`
pub(crate) fn names_figure<'a>(words: impl Iterator<Item = &'a str> + Clone) -> bool {
    let first = words.clone().next().unwrap_or_default();
    let is_label = || first.ends_with(':') || label_end(words) == Some(LabelEnd::Sign);
    figure_names::names_figure(first) && is_label()
}

/// Whether these words begin with the label of a figure or a table: a word with a capital and a number, and then not the
/// rest of a sentence.
pub(crate) fn is_caption_label<'a>(words: impl Iterator<Item = &'a str>) -> bool {
    label_end(words).is_some()
}

/// The same, if a sign ends the label.
pub(crate) fn is_ended_caption_label<'a>(words: impl Iterator<Item = &'a str>) -> bool {
    label_end(words) == Some(LabelEnd::Sign)
}

/// How the label ends with which these words begin; `None` if they begin with none.
fn label_end<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<LabelEnd> {
    let (word, number, next) = (words.next()?, words.next()?, words.next());
    let is_word = word.starts_with(char::is_uppercase) && word.chars().all(|c| c.is_alphabetic() || c == '.');
    let is_division = DIVISIONS.iter().any(|division| word.eq_ignore_ascii_case(division));
    let end = match () {
        () if number.ends_with([':', '.']) || next == Some("|") => LabelEnd::Sign,
        () if next.is_none_or(|next| !next.starts_with(char::is_lowercase)) => LabelEnd::Words,
        () => return None,
    };
    let number = number.trim_end_matches([':', '.']);
    let number = number.strip_suffix(|part: char| part.is_ascii_lowercase()).unwrap_or(number);
    // Those of an appendix or a chapter have letters before them.
    let digits = number.trim_start_matches(|sign: char| sign.is_ascii_uppercase()).trim_start_matches('.');
    let is_number = digits.starts_with(|sign: char| sign.is_ascii_digit())
        && number.chars().count() <= 6
        && (digits.len() == number.len() || end == LabelEnd::Sign)
        && digits.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, '.' | '-' | '‑' | '–' | '−'));
    (is_word && !is_division && is_number).then_some(end)
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

#[cfg(test)]
mod tests {
    use super::is_ended_caption_label;

    #[test]
    fn numbers_of_figures_may_have_parts_with_any_dash() {
        for label in ["Figure 4-10.", "Figure 4−10.", "Fig. 4–12:"] {
            assert!(is_ended_caption_label(label.split(' ')), "{label}");
        }
        assert!(!is_ended_caption_label("In 2010–2011.".split(' ')));
    }
}
