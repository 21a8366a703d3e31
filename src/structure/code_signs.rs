//! The signs by which code differs from prose of a fixed pitch.

/// If one of so many characters is a sign of code, they are code. In prose it is one of a hundred, in programs one of five.
const CODE_SHARE: usize = 14;

/// How many characters of a text are signs of code.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CodeSigns {
    signs: usize,
    characters: usize,
}

impl CodeSigns {
    pub(crate) fn add(&mut self, text: &str) {
        self.signs += text.chars().filter(|sign| is_code_sign(*sign)).count();
        self.characters += text.chars().count();
    }

    /// Whether the text is code.
    pub(crate) fn are_many(self) -> bool {
        CODE_SHARE * self.signs > self.characters
    }
}

/// Signs that programs have more often than prose and tables.
fn is_code_sign(sign: char) -> bool {
    matches!(sign, '{' | '}' | '(' | ')' | '[' | ']' | '<' | '>' | ';' | '=' | '_' | '&' | '|')
        || matches!(sign, '#' | '/' | '\\' | '@' | '$' | '~')
}
