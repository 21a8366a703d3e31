//! A page as the database keeps it: compressed, with a checksum that also covers where it belongs.

use libdeflater::{CompressionLvl, Compressor, Crc, Decompressor};

use super::IndexError;

/// Longer texts are damage: a page has at most a megabyte.
const MAX_TEXT_BYTES: u32 = 16 << 20;

/// How hard to compress: the index is written once and read often.
const LEVEL: i32 = 6;

/// The marks of pages of some kinds.
const CONTENTS: char = 'c';
const RECOGNISED: char = 'r';
const WITHOUT_TEXT: char = 'w';
const LEFT: char = 'l';

/// What is known of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StoredPage {
    /// Whether it lists titles with page numbers.
    pub(crate) is_contents: bool,
    pub(crate) is_recognised: bool,
    /// Whether it has no text that can be used, unlike a blank page.
    pub(crate) is_without_text: bool,
    /// Whether it can still be recognised.
    pub(crate) is_left: bool,
    /// The printed label; empty if it is the number.
    pub(crate) label: String,
    /// The titles of the section that the page is in, from the outermost on.
    pub(crate) section: Vec<String>,
    /// The titles of the outline whose sections begin on the page.
    pub(crate) begins: Vec<String>,
    /// The marked text.
    pub(crate) text: String,
}

impl StoredPage {
    fn encode(&self) -> String {
        let kinds = [
            (self.is_contents, CONTENTS),
            (self.is_recognised, RECOGNISED),
            (self.is_without_text, WITHOUT_TEXT),
            (self.is_left, LEFT),
        ];
        let kinds: String = kinds.into_iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| mark).collect();
        [kinds.as_str(), &self.label, &self.section.join("\t"), &self.begins.join("\t"), &self.text].join("\n")
    }

    fn decode(text: &str) -> Option<Self> {
        let mut parts = text.splitn(5, '\n');
        let mut next = || parts.next();
        let titles = |line: &str| line.split('\t').filter(|title| !title.is_empty()).map(str::to_owned).collect();
        let kinds = next()?;
        Some(Self {
            is_contents: kinds.contains(CONTENTS),
            is_recognised: kinds.contains(RECOGNISED),
            is_without_text: kinds.contains(WITHOUT_TEXT),
            is_left: kinds.contains(LEFT),
            label: next()?.to_owned(),
            section: titles(next()?),
            begins: titles(next()?),
            text: next()?.to_owned(),
        })
    }

    /// The page compressed. The database tells which page of its document it is.
    pub(crate) fn compress(&self, page: u32) -> Result<Vec<u8>, IndexError> {
        let text = self.encode();
        let length = u32::try_from(text.len()).ok().filter(|length| *length <= MAX_TEXT_BYTES);
        let mut stored = length.ok_or(IndexError::TooLarge)?.to_le_bytes().to_vec();
        stored.extend(checksum(text.as_bytes(), page).to_le_bytes());
        let mut compressor = Compressor::new(CompressionLvl::new(LEVEL).unwrap_or_default());
        let mut deflated = vec![0; compressor.deflate_compress_bound(text.len())];
        let written = compressor.deflate_compress(text.as_bytes(), &mut deflated).map_err(|_| IndexError::TooLarge)?;
        stored.extend(deflated.into_iter().take(written));
        Ok(stored)
    }

    /// The page that was compressed.
    pub(crate) fn decompress(stored: &[u8], page: u32) -> Result<Self, IndexError> {
        let (length, rest) = stored.split_first_chunk().ok_or(IndexError::Damaged)?;
        let (sum, deflated) = rest.split_first_chunk().ok_or(IndexError::Damaged)?;
        let length = Some(u32::from_le_bytes(*length)).filter(|length| *length <= MAX_TEXT_BYTES);
        let length = length.and_then(|length| usize::try_from(length).ok()).ok_or(IndexError::Damaged)?;
        let mut text = vec![0; length];
        let read = Decompressor::new().deflate_decompress(deflated, &mut text).map_err(|_| IndexError::Damaged)?;
        let is_whole = read == length && checksum(&text, page) == u32::from_le_bytes(*sum);
        let text = String::from_utf8(text).ok().filter(|_| is_whole);
        text.and_then(|text| Self::decode(&text)).ok_or(IndexError::Damaged)
    }
}

fn checksum(text: &[u8], page: u32) -> u32 {
    let mut crc = Crc::new();
    crc.update(text);
    crc.update(&page.to_le_bytes());
    crc.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_back_and_damage_is_refused() {
        let section = vec!["Results".to_owned(), "Net".to_owned()];
        let text = "net income\n".repeat(50);
        let page = StoredPage { label: "iv".to_owned(), section, text, is_recognised: true, ..StoredPage::default() };
        let stored = page.compress(3).unwrap_or_default();
        assert!(stored.len() < 110);
        assert_eq!(StoredPage::decompress(&stored, 3).ok(), Some(page.clone()));
        assert!(StoredPage::decompress(&stored, 4).is_err());
        for at in 0..stored.len() {
            let mut damaged = stored.clone();
            damaged.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 0x55);
            let read = StoredPage::decompress(&damaged, 3);
            assert!(read.is_err() || read.is_ok_and(|read| read == page), "{at}");
        }
    }
}
