//! Bidirectional classes of characters (UAX 9, table 4), as far as positions need them.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BidiClass {
    /// L.
    Left,
    /// R.
    Right,
    /// AL: right to left; numbers after it are Arabic.
    Arabic,
    /// EN and AN.
    Number,
    /// CS: a separator within numbers of any kind.
    Point,
    /// ES: a separator within European numbers.
    Dash,
    /// ET: belongs to an adjacent European number.
    Sign,
    Neutral,
}

impl BidiClass {
    pub(crate) fn is_right(self) -> bool {
        matches!(self, Self::Right | Self::Arabic)
    }

    pub(crate) fn is_neutral(self) -> bool {
        matches!(self, Self::Point | Self::Dash | Self::Sign | Self::Neutral)
    }
}

pub(crate) fn class_of(character: char) -> BidiClass {
    match character {
        '0'..='9' | '\u{660}'..='\u{669}' | '\u{66B}' | '\u{66C}' | '\u{6F0}'..='\u{6F9}' => BidiClass::Number,
        '.' | ',' | ':' | '/' => BidiClass::Point,
        '+' | '-' | '\u{2212}' => BidiClass::Dash,
        '#' | '$' | '%' | '\u{A2}'..='\u{A5}' | '\u{B0}' | '\u{B1}' | '\u{2030}' | '\u{20A0}'..='\u{20CF}' => {
            BidiClass::Sign
        }
        '\u{600}'..='\u{7BF}' | '\u{860}'..='\u{8FF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' => {
            BidiClass::Arabic
        }
        '\u{590}'..='\u{85F}' | '\u{FB1D}'..='\u{FB4F}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}' => {
            BidiClass::Right
        }
        letter if letter.is_alphabetic() => BidiClass::Left,
        _ => BidiClass::Neutral,
    }
}
