//! Compressed texts with their length and a checksum.

use libdeflater::{CompressionLvl, Compressor, Decompressor};

use super::error::SegmentError;

/// Longer texts are damage: a page has at most a megabyte.
const MAX_TEXT_BYTES: u32 = 16 << 20;

/// How hard to compress: the index is written once and read often.
const LEVEL: i32 = 6;

/// Compresses texts.
pub(super) struct TextCompressor(Compressor);

impl TextCompressor {
    pub(super) fn new() -> Self {
        Self(Compressor::new(CompressionLvl::new(LEVEL).unwrap_or_default()))
    }

    /// The text as it is stored: its length, a checksum and deflated bytes. An empty text has no bytes.
    pub(super) fn compress(&mut self, text: &[u8]) -> Result<Vec<u8>, SegmentError> {
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let length = u32::try_from(text.len()).ok().filter(|length| *length <= MAX_TEXT_BYTES);
        let mut stored = length.ok_or(SegmentError::TooLarge)?.to_le_bytes().to_vec();
        stored.extend(libdeflater::crc32(text).to_le_bytes());
        let mut deflated = vec![0; self.0.deflate_compress_bound(text.len())];
        let written = self.0.deflate_compress(text, &mut deflated).map_err(|_| SegmentError::TooLarge)?;
        stored.extend(deflated.into_iter().take(written));
        Ok(stored)
    }
}

/// The text that was compressed.
pub(super) fn decompress(stored: &[u8]) -> Result<Vec<u8>, SegmentError> {
    if stored.is_empty() {
        return Ok(Vec::new());
    }
    let (length, rest) = stored.split_first_chunk().ok_or(SegmentError::Damaged)?;
    let (sum, deflated) = rest.split_first_chunk().ok_or(SegmentError::Damaged)?;
    let length = Some(u32::from_le_bytes(*length)).filter(|length| *length <= MAX_TEXT_BYTES);
    let length = length.and_then(|length| usize::try_from(length).ok()).ok_or(SegmentError::Damaged)?;
    let mut text = vec![0; length];
    let read = Decompressor::new().deflate_decompress(deflated, &mut text).map_err(|_| SegmentError::Damaged)?;
    let is_whole = read == length && libdeflater::crc32(&text) == u32::from_le_bytes(*sum);
    is_whole.then_some(text).ok_or(SegmentError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_and_damage_is_refused() {
        let text = "net income ".repeat(50);
        let stored = TextCompressor::new().compress(text.as_bytes()).unwrap_or_default();
        assert!(stored.len() < 100);
        assert_eq!(decompress(&stored).ok().as_deref(), Some(text.as_bytes()));
        for at in 0..stored.len() {
            let mut damaged = stored.clone();
            damaged.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 0x55);
            let read = decompress(&damaged);
            assert!(read.is_err() || read.is_ok_and(|read| read == text.as_bytes()), "{at}");
        }
    }
}
