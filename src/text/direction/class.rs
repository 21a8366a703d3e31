//! What a character does to the direction of a line (UAX 9, table 4, as far as places can tell).

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Left,
    Right,
    /// As right; numbers after it are Arabic ones.
    Arabic,
    /// Reads to the right, but does not make its surroundings do so.
    Number,
    /// Parts numbers of any kind: a separator.
    Point,
    /// Parts European numbers only.
    Dash,
    /// Belongs to the European number that it touches.
    Sign,
    Neutral,
}

impl Class {
    pub(super) fn is_right(self) -> bool {
        matches!(self, Self::Right | Self::Arabic)
    }

    pub(super) fn is_neutral(self) -> bool {
        matches!(self, Self::Point | Self::Dash | Self::Sign | Self::Neutral)
    }
}

pub(super) fn class(character: char) -> Class {
    match character {
        '0'..='9' | '\u{660}'..='\u{669}' | '\u{66B}' | '\u{66C}' | '\u{6F0}'..='\u{6F9}' => Class::Number,
        '.' | ',' | ':' | '/' => Class::Point,
        '+' | '-' | '\u{2212}' => Class::Dash,
        '#' | '$' | '%' | '\u{A2}'..='\u{A5}' | '\u{B0}' | '\u{B1}' | '\u{2030}' | '\u{20A0}'..='\u{20CF}' => {
            Class::Sign
        }
        '\u{600}'..='\u{7BF}' | '\u{860}'..='\u{8FF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' => {
            Class::Arabic
        }
        '\u{590}'..='\u{85F}' | '\u{FB1D}'..='\u{FB4F}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}' => {
            Class::Right
        }
        letter if letter.is_alphabetic() => Class::Left,
        _ => Class::Neutral,
    }
}
