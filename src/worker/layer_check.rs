//! Compares the hidden layer of a scan with its picture.
//!
//! The engine reads some lines of the picture, where the layer says that they stand. Where it is sure, a line of the layer
//! has to say the same; where it is not, much of the same. Words that are run together or fall apart are found by their
//! number, and lines of the picture without words of the layer by their ink.

use super::recognition::ScanReader;
use pagewise_base::script::is_ideograph;
use pagewise_ocr::OcrError;
use pagewise_text::{PageLayout, Word};

/// Maximum number of lines of a hidden layer that are compared with the picture.
const SAMPLES: usize = 5;

/// Minimum number of letters of a line that is compared.
const MIN_SAMPLE_LETTERS: usize = 8;

/// Minimum confidence of a line that counts as read surely.
const SURE: f32 = 0.85;

/// Minimum likeness of a hidden line and its picture: of lines that are read surely, and of others. Lines of another page
/// have .4. One wrong Chinese or Japanese character costs much of a short line, so such lines never count as read surely.
const MIN_LIKENESS_OF_SURE: f32 = 0.8;
const MIN_LIKENESS: f32 = 0.5;

/// Minimum ratio of the numbers of words on both sides, if one has at least `MIN_WORDS`.
const MIN_WORD_SHARE: f32 = 0.6;
const MIN_WORDS: usize = 10;

/// Minimum number of lines of the picture without words of the layer that are read. Fewer may be a stamp or a signature.
const MIN_OTHER_LINES: usize = 4;

/// Whether the picture shows what the hidden layer says and no more: whether most of a sample of its lines agree. `text` is the text of
/// the page. Where the engine does not read the script, the layer is believed.
pub(super) fn is_shown(reader: &ScanReader<'_>, text: &str, layout: &PageLayout) -> Result<bool, OcrError> {
    if is_mojibake(text) {
        return Ok(false);
    }
    let mut lines = lines_of(layout);
    let letters = |line: &Vec<&Word>| line.iter().map(|word| word.text.chars().count()).sum::<usize>();
    lines.retain(|line| letters(line) >= MIN_SAMPLE_LETTERS);
    let step = lines.len().div_ceil(SAMPLES).max(1);
    let (mut alike, mut read) = (0, 0);
    let (mut hidden_words, mut shown_words) = (0, 0);
    for words in lines.iter().skip(step / 2).step_by(step) {
        let Some(sample) = reader.sample(words) else { continue };
        let hidden = text_of(words);
        let Some(shown) = reader.read_line(sample, &hidden, text)? else { return Ok(true) };
        let is_sure = shown.confidence >= SURE && !hidden.chars().any(is_ideograph);
        let least = if is_sure { MIN_LIKENESS_OF_SURE } else { MIN_LIKENESS };
        read += 1;
        alike += usize::from(likeness(&hidden, &shown.text) >= least);
        hidden_words += spaced_words(&hidden);
        shown_words += spaced_words(&shown.text);
    }
    let (few, many) = (hidden_words.min(shown_words), hidden_words.max(shown_words));
    let has_words = many < MIN_WORDS || few as f32 >= MIN_WORD_SHARE * many as f32;
    Ok(2 * alike > read && has_words && !has_other_lines(reader, text, layout)?)
}

/// Whether the picture has lines of text where the layer has no words, as it has if only a part of the page was recognised.
fn has_other_lines(reader: &ScanReader<'_>, text: &str, layout: &PageLayout) -> Result<bool, OcrError> {
    let own: Vec<_> = lines_of(layout).iter().filter_map(|words| reader.sample(words)).collect();
    let lines = reader.lines_beside(&own);
    if lines.len() < MIN_OTHER_LINES {
        return Ok(false);
    }
    let step = lines.len().div_ceil(SAMPLES);
    let (mut sure, mut read) = (0, 0);
    for line in lines.iter().skip(step / 2).step_by(step) {
        let Some(shown) = reader.read_line(*line, text, text)? else { return Ok(false) };
        let letters = shown.text.chars().filter(|character| character.is_alphanumeric()).count();
        read += 1;
        sure += usize::from(shown.confidence >= SURE && letters >= MIN_SAMPLE_LETTERS);
    }
    Ok(2 * sure > read)
}

/// The level lines of a layout.
fn lines_of(layout: &PageLayout) -> Vec<Vec<&Word>> {
    let mut lines: Vec<Vec<&Word>> = Vec::new();
    for word in layout.words.iter().filter(|word| word.turn == 0) {
        match lines.last_mut() {
            Some(line) if line.last().is_some_and(|last| last.line == word.line) => line.push(word),
            _ => lines.push(vec![word]),
        }
    }
    lines
}

fn text_of(words: &[&Word]) -> String {
    let mut text = String::new();
    for word in words {
        if word.is_spaced && !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&word.text);
    }
    text
}

/// Minimum number of misread letters of such a text.
const MIN_MISREAD: usize = 3;

/// Whether most letters beyond ASCII come in pairs that are bytes of UTF-8 read as Windows-1252, such as `Ã¼` for `ü`.
fn is_mojibake(text: &str) -> bool {
    let is_lead = |letter: char| matches!(letter, '\u{C2}'..='\u{EF}');
    let is_next = |sign: char| matches!(sign, '\u{80}'..='\u{BF}') || "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ".contains(sign);
    let letters = text.chars().filter(|letter| !letter.is_ascii() && letter.is_alphabetic()).count();
    let pairs = text.chars().zip(text.chars().skip(1));
    let misread = pairs.filter(|(lead, next)| is_lead(*lead) && is_next(*next)).count();
    misread >= MIN_MISREAD && 2 * misread > letters
}

/// The number of words of scripts that have spaces.
fn spaced_words(text: &str) -> usize {
    let is_word = |word: &&str| word.chars().any(char::is_alphanumeric) && !word.chars().any(is_ideograph);
    text.split_whitespace().filter(is_word).count()
}

/// The share of pairs of letters that two texts have in common (Dice), without regard to case.
fn likeness(one: &str, other: &str) -> f32 {
    let pairs = |text: &str| {
        let letters: Vec<char> =
            text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let mut pairs: Vec<[char; 2]> = letters.windows(2).filter_map(|pair| pair.try_into().ok()).collect();
        pairs.sort_unstable();
        pairs
    };
    let (one, other) = (pairs(one), pairs(other));
    let mut rest = other.iter().peekable();
    let mut common = 0_u16;
    for pair in &one {
        while rest.next_if(|next| *next < pair).is_some() {}
        common = common.saturating_add(u16::from(rest.next_if(|next| *next == pair).is_some()));
    }
    2.0 * f32::from(common) / (one.len() + other.len()).max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_line_is_alike_and_another_is_not() {
        assert!(likeness("The quick brown fox", "Thequick brown f0x") > 0.8);
        assert!(likeness("The quick brown fox", "jumps over the lazy dog") < 0.3);
        assert_eq!(likeness("", ""), 0.0);
    }

    #[test]
    fn letters_that_were_read_in_another_encoding_are_seen() {
        assert!(is_mojibake("Ã¼ber die schÃ¶nen MÃ¤rchen"));
        assert!(!is_mojibake("über die schönen Märchen von «MENÜ» und «CAFÉ»…"));
        assert!(!is_mojibake("nothing beyond ASCII"));
    }

    #[test]
    fn words_of_scripts_with_spaces_are_counted() {
        assert_eq!(spaced_words("two words, \u{2013} and 4"), 4);
        assert_eq!(spaced_words("\u{6771}\u{4EAC} \u{90FD} PDF"), 1);
    }
}
