//! The characters of codes according to a ToUnicode CMap (ISO 32000-2, 9.10.3).

use super::tokens::{TokenKind, Tokens, Unclear};
use pagewise_document::fast_hash::FastMap;

/// Maximum codes of a font. Composite fonts have at most 65,536.
const MAX_CODES: usize = 1 << 16;

/// Characters by code, in UTF-16.
pub(super) struct ToUnicode(FastMap<u32, Vec<u8>>);

impl ToUnicode {
    /// Reads a CMap; `None` if it is malformed, continues another one, or maps a code twice.
    pub(super) fn read(cmap: &[u8]) -> Option<Self> {
        let mut reader = MapReader { tokens: Tokens::of(cmap), characters: FastMap::default() };
        reader.read().ok()?;
        Some(Self(reader.characters))
    }

    /// The characters of a code.
    pub(super) fn get(&self, code: u32) -> Option<&[u8]> {
        self.0.get(&code).map(Vec::as_slice)
    }
}

struct MapReader<'c> {
    tokens: Tokens<'c>,
    characters: FastMap<u32, Vec<u8>>,
}

impl MapReader<'_> {
    fn read(&mut self) -> Result<(), Unclear> {
        while let Some(token) = self.tokens.next()? {
            match token.kind {
                TokenKind::Word(word) if word == b"beginbfchar" => self.read_characters()?,
                TokenKind::Word(word) if word == b"beginbfrange" => self.read_ranges()?,
                TokenKind::Word(word) if word == b"usecmap" => return Err(Unclear),
                _ => {}
            }
        }
        Ok(())
    }

    fn read_characters(&mut self) -> Result<(), Unclear> {
        while let Some(code) = self.code()? {
            let TokenKind::String(characters) = self.next()? else { return Err(Unclear) };
            self.insert(code, characters)?;
        }
        Ok(())
    }

    fn read_ranges(&mut self) -> Result<(), Unclear> {
        while let Some(first) = self.code()? {
            let last = self.code()?.ok_or(Unclear)?;
            match self.next()? {
                TokenKind::String(mut characters) => {
                    for code in first..=last {
                        self.insert(code, characters.clone())?;
                        let Some(end) = characters.last_mut() else { continue };
                        *end = end.wrapping_add(1);
                        // Readers disagree about a range that passes the last byte.
                        if *end == 0 && code < last {
                            return Err(Unclear);
                        }
                    }
                }
                TokenKind::ArrayStart => {
                    let mut codes = first..=last;
                    while let TokenKind::String(characters) = self.next()? {
                        self.insert(codes.next().ok_or(Unclear)?, characters)?;
                    }
                }
                _ => return Err(Unclear),
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Result<TokenKind, Unclear> {
        self.tokens.next()?.map(|token| token.kind).ok_or(Unclear)
    }

    /// The next code; `None` at the end of the section.
    fn code(&mut self) -> Result<Option<u32>, Unclear> {
        match self.next()? {
            TokenKind::String(code) if code.len() <= 4 => {
                Ok(Some(code.iter().fold(0, |code, byte| code << 8 | u32::from(*byte))))
            }
            TokenKind::Word(_) => Ok(None),
            _ => Err(Unclear),
        }
    }

    fn insert(&mut self, code: u32, characters: Vec<u8>) -> Result<(), Unclear> {
        let is_other = self.characters.insert(code, characters.clone()).is_some_and(|known| known != characters);
        if is_other || self.characters.len() > MAX_CODES { Err(Unclear) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn characters(cmap: &str, code: u32) -> Option<String> {
        let read = ToUnicode::read(cmap.as_bytes())?;
        let units =
            read.get(code)?.chunks(2).map(|unit| unit.iter().fold(0, |unit, byte| unit << 8 | u16::from(*byte)));
        String::from_utf16(&units.collect::<Vec<_>>()).ok()
    }

    #[test]
    fn characters_are_found_by_code() {
        let cmap = "2 beginbfchar <01> <0041> <02> <00660069> endbfchar
            2 beginbfrange <0010> <0012> <0061> <20> <21> [<0078> <0079>] endbfrange";
        let found = |code| characters(cmap, code).unwrap_or_default();
        assert_eq!([1, 2, 0x11, 0x21, 3].map(found), ["A", "fi", "b", "y", ""]);
    }

    #[test]
    fn maps_that_readers_read_differently_are_none() {
        for cmap in [
            "/Other usecmap 1 beginbfchar <01> <0041> endbfchar",
            "1 beginbfchar <01> <0041> <01> <0042> endbfchar",
            "1 beginbfrange <00> <02> <00FE> endbfrange",
            "1 beginbfrange <00> <00> [<0041> <0042>] endbfrange",
            "1 beginbfchar <01> /space endbfchar",
            "1 beginbfchar <01>",
            "1 beginbfrange <00000000> <FFFFFFFF> <41> endbfrange",
        ] {
            assert!(ToUnicode::read(cmap.as_bytes()).is_none(), "{cmap}");
        }
    }
}
