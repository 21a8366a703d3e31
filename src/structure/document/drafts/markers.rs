//! The marks of list items: bullets, numbers, letters.

use super::Draft;
use crate::page_structure::{Line, has_letter, is_bullet, is_bullet_sign, is_weak_bullet, roman_value};

/// The mark at the beginning of a line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Marker {
    pub(crate) kind: MarkerKind,
    /// The number of its characters in the first word. The rest of the word is text.
    pub(crate) length: usize,
    /// Where the text after it begins.
    pub(crate) text_left: f32,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MarkerKind {
    /// A sign that is hardly ever text.
    Bullet(char),
    /// A sign that is text too: a dash, a star.
    WeakBullet(char),
    /// A number in digits, with its closing sign.
    Number(u32, char),
    /// A letter or a Roman numeral, as printed, with its closing sign and its value.
    Letter { text: String, value: u32, close: char },
    /// The number of a reference in brackets.
    Reference,
}

impl Marker {
    /// The number of its characters that the text of the item is without. The text cites references by their numbers.
    pub(crate) fn hidden_length(&self) -> usize {
        if self.kind == MarkerKind::Reference { 0 } else { self.length }
    }
}

impl MarkerKind {
    pub(crate) fn is_ordered(&self) -> bool {
        matches!(self, Self::Number(..) | Self::Letter { .. })
    }

    /// Whether it is the first of its kind.
    pub(crate) fn is_first(&self) -> bool {
        matches!(self, Self::Number(0 | 1, _) | Self::Letter { value: 1, .. })
    }

    /// Whether it comes directly after another mark.
    pub(crate) fn follows(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(n, c), Self::Number(m, d)) => c == d && *n == m.saturating_add(1),
            (Self::Letter { value: n, close: c, .. }, Self::Letter { value: m, close: d, .. }) => {
                c == d && *n == m.saturating_add(1)
            }
            (Self::Bullet(a), Self::Bullet(b)) | (Self::WeakBullet(a), Self::WeakBullet(b)) => a == b,
            (Self::Reference, Self::Reference) => true,
            _ => false,
        }
    }
}

/// The mark of a line, if text follows it.
pub(crate) fn marker(line: &Line) -> Option<Marker> {
    let first = line.words.first()?;
    let text = first.text.as_str();
    if let Some(second) = line.words.get(1).filter(|second| second.is_spaced || is_bullet(text)) {
        let is_apart = second.bounds.x0 - first.bounds.x1 > 0.1 * line.size;
        let symbol = is_apart && first.style.font != second.style.font;
        let kind = whole_word(text, symbol)?;
        return Some(Marker { kind, length: text.chars().count(), text_left: second.bounds.x0 });
    }
    glued(line)
}

/// The label that the structure tree gives an item, if it is a mark. Any other label is text.
pub(super) fn label_marker(draft: &Draft) -> Option<Marker> {
    let length = usize::from(draft.tag?.label);
    let words = &draft.lines.first()?.words;
    let first = words.first().filter(|first| first.text.chars().count() == length)?;
    let is_sign = !has_letter(&first.text);
    let kind = whole_word(&first.text, true).or(is_sign.then_some(MarkerKind::Bullet('•')))?;
    let text_left = words.get(1).map_or(first.bounds.x1, |word| word.bounds.x0);
    Some(Marker { kind, length, text_left })
}

/// A bullet without a space before the text.
fn glued(line: &Line) -> Option<Marker> {
    let first = line.words.first()?;
    let sign = first.text.chars().next().filter(|sign| is_bullet_sign(*sign))?;
    let count = first.text.chars().count();
    (count > 1).then_some(Marker { kind: MarkerKind::Bullet(sign), length: 1, text_left: first.bounds.x0 + line.size })
}

fn whole_word(text: &str, is_symbol: bool) -> Option<MarkerKind> {
    let mut signs = text.chars();
    let (first, second) = (signs.next()?, signs.next());
    if second.is_none() {
        return match first {
            _ if is_bullet_sign(first) => Some(MarkerKind::Bullet(first)),
            _ if is_weak_bullet(first) => Some(MarkerKind::WeakBullet(first)),
            'o' | '§' | 'l' | 'n' | 'q' | 'Ø' | 'ü' if is_symbol => Some(MarkerKind::Bullet(first)),
            _ => None,
        };
    }
    enumerator(text)
}

/// `1.`, `1)`, `(1)`, `a.`, `a)`, `(a)`, `iv.`, `[1]`.
fn enumerator(text: &str) -> Option<MarkerKind> {
    if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let is_number = !inner.is_empty() && inner.len() <= 4 && inner.chars().all(|c| c.is_ascii_digit());
        return is_number.then_some(MarkerKind::Reference);
    }
    let close = text.chars().last().filter(|c| matches!(c, '.' | ')'))?;
    let bare = text.trim_end_matches(['.', ')']);
    let bare = if close == ')' { bare.trim_start_matches('(') } else { bare };
    if bare.len() <= 3 && !bare.is_empty() && bare.chars().all(|c| c.is_ascii_digit()) {
        return bare.parse().ok().map(|number| MarkerKind::Number(number, close));
    }
    let value = letter_value(bare)?;
    Some(MarkerKind::Letter { text: text.to_owned(), value, close })
}

fn letter_value(text: &str) -> Option<u32> {
    let mut letters = text.chars();
    let first = letters.next()?;
    if letters.next().is_none() && !matches!(first, 'i' | 'I') && first.is_ascii_alphabetic() {
        return Some(u32::from(first.to_ascii_lowercase()).saturating_sub(96));
    }
    roman_value(text)
}
