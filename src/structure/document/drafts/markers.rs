//! The marks at the beginning of lines.

use super::Draft;
use crate::list_marks::{MarkerKind, is_box_or_tick, is_bullet, is_bullet_sign, is_check_box};
use crate::page_structure::{Line, LineWord, has_letter};

/// The least gap, in ems, between the letter `o` and a text in its font, if the letter is a bullet. The spaces of justified lines
/// are narrower.
const BULLET_GAP_EM: f32 = 0.8;

/// The mark at the beginning of a line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Marker {
    pub(crate) kind: MarkerKind,
    /// The number of its characters in the first word. The rest of the word is text.
    pub(crate) length: usize,
    /// Where the text after it begins.
    pub(crate) text_left: f32,
}

impl Marker {
    /// The number of its characters that the text of the item is without. The text cites references by their numbers, and
    /// a check box says something.
    pub(crate) fn hidden_length(&self) -> usize {
        match self.kind {
            MarkerKind::Reference => 0,
            MarkerKind::Bullet(sign) if is_check_box(sign) => 0,
            _ => self.length,
        }
    }
}

/// The mark of a line, if text follows it. A bullet that is repeated is one mark; numbers one after the other, such as the
/// labels of the parts of a figure, are none.
pub(crate) fn marker(line: &Line) -> Option<Marker> {
    let first = line.words.first()?;
    let text = first.text.as_str();
    let is_repeated = |word: &&LineWord| is_bullet(text) && word.text == text;
    let count = 1 + line.words.iter().skip(1).take_while(is_repeated).count();
    if let Some(second) = line.words.get(count).filter(|second| second.is_spaced || is_bullet(text)) {
        let is_apart = second.bounds.x0 - first.bounds.x1 > 0.1 * line.size;
        // A variable is no bullet.
        let symbol = is_apart && first.style.font != second.style.font && !first.style.is_italic;
        let is_o = text == "o" && second.bounds.x0 - first.bounds.x1 > BULLET_GAP_EM * line.size;
        let is_box = text == "□" && line.words.iter().skip(1).any(|word| is_box_or_tick(&word.text));
        let kind = if is_box { Some(MarkerKind::Bullet('☐')) } else { MarkerKind::of(text, symbol) };
        let kind = kind.or(is_o.then_some(MarkerKind::WeakBullet('o')));
        let Some(kind) = kind else { return glued(line) };
        let is_labels =
            kind.is_ordered() && MarkerKind::of(&second.text, false).is_some_and(|next| next.follows(&kind));
        let length = count * text.chars().count();
        return (!is_labels).then_some(Marker { kind, length, text_left: second.bounds.x0 });
    }
    glued(line)
}

/// The label that the structure tree gives an item, if it is a mark. Any other label is text.
pub(super) fn label_marker(draft: &Draft) -> Option<Marker> {
    let length = usize::from(draft.tag?.label);
    let words = &draft.lines.first()?.words;
    let first = words.first().filter(|first| first.text.chars().count() == length)?;
    let is_sign = !has_letter(&first.text);
    let kind = MarkerKind::of(&first.text, true).or(is_sign.then_some(MarkerKind::Bullet('•')))?;
    let text_left = words.get(1).map_or(first.bounds.x1, |word| word.bounds.x0);
    Some(Marker { kind, length, text_left })
}

/// A bullet without a space before the text. A row of signs is none.
fn glued(line: &Line) -> Option<Marker> {
    let first = line.words.first()?;
    let sign = first.text.chars().next().filter(|sign| is_bullet_sign(*sign))?;
    first.text.contains(char::is_alphanumeric).then_some(Marker {
        kind: MarkerKind::Bullet(sign),
        length: 1,
        text_left: first.bounds.x0 + line.size,
    })
}
