//! The marks of list items: bullets, numbers, letters.

use crate::page_structure::roman_value;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MarkerKind {
    /// A sign that is hardly ever text.
    Bullet(char),
    /// A sign that is text too: a dash, a star.
    WeakBullet(char),
    /// A number in digits, with its closing sign.
    Number(u32, char),
    /// A letter or a Roman numeral, as printed, with its closing sign and its value as each of them.
    Letter { text: String, values: [Option<u32>; 2], close: char },
    /// The number of a reference in brackets.
    Reference,
}

impl MarkerKind {
    /// The mark that a word is. In a font of its own, as `is_symbol` says, some letters are drawn as bullets.
    pub(crate) fn of(text: &str, is_symbol: bool) -> Option<Self> {
        let mut signs = text.chars();
        let (first, second) = (signs.next()?, signs.next());
        let may_be_repeated = is_bullet_sign(first) || matches!(first, '»' | '›');
        if second.is_none() || may_be_repeated && text.chars().all(|sign| sign == first) {
            return match first {
                _ if is_bullet_sign(first) => Some(Self::Bullet(first)),
                _ if is_weak_bullet(first) => Some(Self::WeakBullet(first)),
                'o' | '§' | 'l' | 'n' | 'q' | 'Ø' | 'ü' if is_symbol => Some(Self::Bullet(first)),
                _ => None,
            };
        }
        enumerator(text)
    }

    pub(crate) fn is_ordered(&self) -> bool {
        matches!(self, Self::Number(..) | Self::Letter { .. })
    }

    /// Whether it is the first of its kind.
    pub(crate) fn is_first(&self) -> bool {
        match self {
            Self::Number(number, _) => *number <= 1,
            Self::Letter { values, .. } => values.contains(&Some(1)),
            _ => false,
        }
    }

    /// Whether it comes directly after another mark.
    pub(crate) fn follows(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(n, c), Self::Number(m, d)) => c == d && *n == m.saturating_add(1),
            (Self::Letter { values: own, close: c, .. }, Self::Letter { values: before, close: d, .. }) => {
                let is_next = |(own, before): (&Option<u32>, &Option<u32>)| {
                    own.zip(*before).is_some_and(|(n, m)| n == m.saturating_add(1))
                };
                c == d && own.iter().zip(before).any(is_next)
            }
            (Self::Bullet(a), Self::Bullet(b)) => a == b || is_check_box(*a) && is_check_box(*b),
            (Self::WeakBullet(a), Self::WeakBullet(b)) => a == b,
            (Self::Reference, Self::Reference) => true,
            _ => false,
        }
    }
}

/// Whether a word is the mark of an item.
pub(crate) fn is_list_mark(text: &str) -> bool {
    MarkerKind::of(text, false).is_some()
}

/// `2.1`, `2.1.`, `3.1.2.`
pub(crate) fn is_section_number(text: &str) -> bool {
    let parts: Vec<&str> = text.trim_end_matches('.').split('.').collect();
    let is_number = |part: &&str| (1..=2).contains(&part.len()) && part.chars().all(|sign| sign.is_ascii_digit());
    parts.len() > 1 && parts.len() < 5 && parts.iter().all(is_number)
}

/// Whether a section number is the next one after another, as `2.10` is after `2.9`.
pub(crate) fn is_next_section(number: &str, before: &str) -> bool {
    let value = |part: &str| part.parse::<u32>().ok();
    let last =
        |text: &str| text.trim_end_matches('.').rsplit_once('.').map(|(outer, own)| (outer.to_owned(), value(own)));
    let (own, before) = (last(number), last(before));
    let next = |(outer, last): (String, Option<u32>)| Some((outer, Some(last?.checked_add(1)?)));
    is_section_number(number) && own.is_some() && own == before.and_then(next)
}

/// `1.`, `1)`, `(1)`, `a.`, `a)`, `(a)`, `iv.`, `[1]`.
fn enumerator(text: &str) -> Option<MarkerKind> {
    if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let is_number = !inner.is_empty() && inner.len() <= 4 && inner.chars().all(|c| c.is_ascii_digit());
        return is_number.then_some(MarkerKind::Reference);
    }
    let close = text.chars().last().filter(|c| matches!(c, '.' | ')'))?;
    let bare = text.strip_suffix(close)?;
    let bare = if close == ')' { bare.strip_suffix('.').unwrap_or(bare).trim_start_matches('(') } else { bare };
    // Three digits in brackets are the code of an area.
    let digits = if text.starts_with('(') { 2 } else { 3 };
    if bare.len() <= digits && !bare.is_empty() && bare.chars().all(|c| c.is_ascii_digit()) {
        return bare.parse().ok().map(|number| MarkerKind::Number(number, close));
    }
    let values = [letter_value(bare), roman_value(bare)];
    values.iter().any(Option::is_some).then(|| MarkerKind::Letter { text: text.to_owned(), values, close })
}

fn letter_value(text: &str) -> Option<u32> {
    let mut letters = text.chars();
    let (first, second) = (letters.next()?, letters.next());
    // The initial `J.` of a name does not follow the numeral `I.`
    let is_letter = second.is_none() && first.is_ascii_alphabetic() && first != 'I';
    is_letter.then(|| u32::from(first.to_ascii_lowercase()).saturating_sub(96))
}

/// Signs that are hardly ever text at the beginning of a line. Symbol fonts have theirs in the private use area, or no
/// character at all.
pub(crate) fn is_bullet_sign(sign: char) -> bool {
    // Circled numbers stand among the dingbats. A cross says something of its item, and a triangle before an amount is its
    // sign in Japan.
    let is_text = matches!(sign, '\u{2776}'..='\u{2793}' | '\u{2715}'..='\u{2718}')
        || matches!(sign, '\u{25B2}'..='\u{25B5}' | '\u{25BC}'..='\u{25BF}');
    let is_shape = matches!(sign, '\u{2580}'..='\u{25FF}' | '\u{2605}' | '\u{2606}')
        || is_check_box(sign)
        || matches!(sign, '\u{261B}' | '\u{261E}' | '\u{2701}'..='\u{27BF}' | '\u{2B12}'..='\u{2B2F}');
    let is_dot =
        matches!(sign, '•' | '‣' | '·' | '∙' | '⁃' | '⦁' | '⦾' | '⦿' | '♦' | '\u{E000}'..='\u{F8FF}' | '\u{FFFD}');
    is_dot || is_shape && !is_text
}

/// A check box, empty or checked. It says something of its item.
pub(crate) fn is_check_box(sign: char) -> bool {
    matches!(sign, '\u{2610}'..='\u{2612}')
}

/// Whether a word is a box or a tick. Beside another one on its line it is no bullet.
pub(crate) fn is_box_or_tick(text: &str) -> bool {
    let mut signs = text.chars();
    let is_one = |sign: char| is_check_box(sign) || matches!(sign, '□' | '■' | '√' | '✓' | '✔');
    signs.next().is_some_and(is_one) && signs.next().is_none()
}

/// Whether a text is a single bullet.
pub(crate) fn is_bullet(text: &str) -> bool {
    let mut signs = text.chars();
    matches!((signs.next(), signs.next()), (Some(sign), None) if is_bullet_sign(sign))
}

/// Signs that are bullets, and text too.
pub(crate) fn is_weak_bullet(sign: char) -> bool {
    matches!(sign, '-' | '–' | '—' | '−' | '*' | '+' | '»' | '›' | '>' | '→' | '⇒' | '°' | 'º')
}

#[cfg(test)]
mod tests {
    use super::{MarkerKind, is_list_mark, is_next_section};

    fn follows(next: &str, before: &str) -> bool {
        let mark = |text: &str| MarkerKind::of(text, false);
        mark(next).zip(mark(before)).is_some_and(|(next, before)| next.follows(&before))
    }

    #[test]
    fn a_letter_that_is_a_roman_numeral_follows_letters_and_numerals() {
        assert!(follows("v.", "iv.") && follows("v.", "u.") && follows("(i)", "(h)") && follows("(ii)", "(i)"));
        assert!(!follows("v.", "iii.") && !follows("v.", "iv)") && !follows("J.", "I."));
        assert!(["a)", "i)"].iter().all(|text| MarkerKind::of(text, false).is_some_and(|kind| kind.is_first())));
    }

    #[test]
    fn the_signs_after_a_mark_are_one_closing_sign() {
        assert!(["16.", "16)", "(16)", "1.)", "a.)"].into_iter().all(is_list_mark));
        assert!(!["16...", "16...)", "a..", "16))"].into_iter().any(is_list_mark));
    }

    #[test]
    fn numbers_of_sections_follow_those_of_the_same_part() {
        assert!(is_next_section("2.10", "2.9") && is_next_section("7.1.3.", "7.1.2."));
        assert!(!["2.9", "3.1", "2.1.1", "3"].into_iter().any(|next| is_next_section(next, "2.9")));
        assert!(!is_next_section("2.1", "2.4294967295"), "no number follows the largest");
    }
}
