//! Deflate in zlib's wrapping (ISO 32000-2, 7.4.4): whole streams through libdeflate, damaged ones piece by piece.

use super::{Step, limit_bytes, too_large};
use crate::limits::Limits;
use flate2::{Decompress, FlushDecompress, Status};
use libdeflater::{DecompressionError, Decompressor};
use std::cell::RefCell;

/// Bytes of the room that each thread keeps for inflating: what fits is inflated once, into memory that was touched before.
const ROOM_BYTES: usize = 512 << 10;

thread_local! {
    /// Its tables and its room are used again: a fresh page of memory costs more than inflating into it.
    static INFLATE: RefCell<Inflater> = RefCell::new(Inflater { engine: Decompressor::new(), room: Vec::new() });
}

struct Inflater {
    engine: Decompressor,
    room: Vec<u8>,
}

impl Inflater {
    /// Inflates what comes to at most [`ROOM_BYTES`].
    fn small(&mut self, input: &[u8], limits: &Limits) -> Result<Vec<u8>, DecompressionError> {
        if input.len() > ROOM_BYTES / 4 {
            return Err(DecompressionError::InsufficientSpace);
        }
        if self.room.is_empty() {
            // Zeroed by the system: what is never inflated into is never touched.
            self.room = vec![0; ROOM_BYTES];
        }
        let room = self.room.get_mut(..ROOM_BYTES.min(limit_bytes(limits))).unwrap_or_default();
        let length = self.engine.zlib_decompress(input, room)?;
        Ok(room.get(..length).unwrap_or_default().to_vec())
    }

    /// Inflates what comes to at most `size` bytes.
    fn large(&mut self, input: &[u8], size: usize) -> Result<Vec<u8>, DecompressionError> {
        let mut out = vec![0; size];
        let length = self.engine.zlib_decompress(input, &mut out)?;
        out.truncate(length);
        Ok(out)
    }
}

/// Inflates zlib data. The flag says whether the stream came to its end.
pub(super) fn inflate(input: &[u8], limits: &Limits) -> Step {
    limits.deadline.look()?;
    let mut inflated = INFLATE.with_borrow_mut(|inflater| inflater.small(input, limits));
    // Compression beyond a factor of 1,032 is not possible with Deflate, so the first guess is never far too large.
    let mut size = input.len().saturating_mul(4).clamp(2 * ROOM_BYTES, 16 << 20).min(limit_bytes(limits));
    loop {
        match inflated {
            Ok(out) => return Ok((out, true)),
            Err(DecompressionError::InsufficientSpace) => {}
            Err(DecompressionError::BadData) => return inflate_by_pieces(input, limits),
        }
        limits.deadline.look()?;
        inflated = INFLATE.with_borrow_mut(|inflater| inflater.large(input, size));
        if size >= limit_bytes(limits) && inflated.is_err() {
            return inflate_by_pieces(input, limits);
        }
        size = size.saturating_mul(4).min(limit_bytes(limits));
    }
}

/// Inflates what can be inflated: without a checksum at the end, cut off, or with a header that is not zlib's.
fn inflate_by_pieces(input: &[u8], limits: &Limits) -> Step {
    let (out, finished) = inflate_stream(input, true, limits)?;
    if out.is_empty() && !finished {
        // Some producers leave out the two bytes of the zlib header, others write them wrong.
        let body = input.get(2..).unwrap_or_default();
        let (bare, _) = inflate_stream(body, false, limits)?;
        return Ok((bare, false));
    }
    Ok((out, finished))
}

fn inflate_stream(input: &[u8], zlib_header: bool, limits: &Limits) -> Step {
    let mut inflater = Decompress::new(zlib_header);
    let mut out = Vec::new();
    let mut piece = vec![0_u8; 64 << 10];
    loop {
        limits.deadline.check()?;
        let (read, written) = (inflater.total_in(), inflater.total_out());
        let rest = usize::try_from(read).ok().and_then(|read| input.get(read..)).unwrap_or_default();
        let status = inflater.decompress(rest, &mut piece, FlushDecompress::None);
        let new = usize::try_from(inflater.total_out() - written).unwrap_or(0);
        out.extend_from_slice(piece.get(..new).unwrap_or_default());
        if out.len() > limit_bytes(limits) {
            return Err(too_large(limits, out.len()));
        }
        match status {
            Ok(Status::StreamEnd) => return Ok((out, true)),
            Ok(_) if new > 0 || inflater.total_in() > read => {}
            _ => return Ok((out, false)),
        }
    }
}

/// The first bytes of what zlib data inflates to; nothing where that is damaged.
pub(super) fn beginning(input: &[u8]) -> Vec<u8> {
    let mut beginning = vec![0_u8; 1 << 10];
    let mut inflater = Decompress::new(true);
    let inflated = inflater.decompress(input, &mut beginning, FlushDecompress::None);
    let length = if inflated.is_ok() { usize::try_from(inflater.total_out()).unwrap_or(0) } else { 0 };
    beginning.truncate(length);
    beginning
}
