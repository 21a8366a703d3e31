//! The Flate filter (ISO 32000-2, 7.4.4): sound streams through libdeflate, damaged ones piecewise.

use super::{FilterOutput, FilterResult, is_blank, max_bytes, too_large};
use flate2::{Decompress, FlushDecompress, Status};
use libdeflater::{DecompressionError, Decompressor};
use pagewise_base::limits::Limits;
use std::cell::RefCell;

/// Size of the buffer that each thread keeps for inflating. Reused memory is faster than fresh pages.
const BUFFER_BYTES: usize = 512 << 10;

thread_local! {
    /// Reused, since fresh memory costs more than inflating into it.
    static INFLATE: RefCell<Inflater> = RefCell::new(Inflater { engine: Decompressor::new(), buffer: Vec::new() });
}

struct Inflater {
    engine: Decompressor,
    buffer: Vec<u8>,
}

impl Inflater {
    /// Inflates data of at most [`BUFFER_BYTES`] decoded bytes.
    fn small(&mut self, input: &[u8], limits: &Limits) -> Result<Vec<u8>, DecompressionError> {
        if input.len() > BUFFER_BYTES / 4 {
            return Err(DecompressionError::InsufficientSpace);
        }
        if self.buffer.is_empty() {
            // The system zeroes pages lazily, so unused parts cost nothing.
            self.buffer = vec![0; BUFFER_BYTES];
        }
        let buffer = self.buffer.get_mut(..BUFFER_BYTES.min(max_bytes(limits))).unwrap_or_default();
        let length = self.engine.zlib_decompress(input, buffer)?;
        Ok(buffer.get(..length).unwrap_or_default().to_vec())
    }

    /// Inflates data of at most `size` decoded bytes.
    fn large(&mut self, input: &[u8], size: usize) -> Result<Vec<u8>, DecompressionError> {
        let mut out = vec![0; size];
        let length = self.engine.zlib_decompress(input, &mut out)?;
        out.truncate(length);
        Ok(out)
    }
}

/// Inflates zlib data.
pub(super) fn inflate(input: &[u8], limits: &Limits) -> FilterResult {
    limits.deadline.check_now()?;
    let mut inflated = INFLATE.with_borrow_mut(|inflater| inflater.small(input, limits));
    // Deflate compresses at most by 1,032, so the first guess is never far too large.
    let mut size = input.len().saturating_mul(4).clamp(2 * BUFFER_BYTES, 16 << 20).min(max_bytes(limits));
    loop {
        match inflated {
            Ok(out) => {
                let is_exact = is_used_up(input, &out);
                return Ok(FilterOutput { bytes: out, is_intact: true, is_exact });
            }
            Err(DecompressionError::InsufficientSpace) => {}
            Err(DecompressionError::BadData) => return inflate_by_pieces(input, limits),
        }
        limits.deadline.check_now()?;
        inflated = INFLATE.with_borrow_mut(|inflater| inflater.large(input, size));
        if size >= max_bytes(limits) && inflated.is_err() {
            return inflate_by_pieces(input, limits);
        }
        size = size.saturating_mul(4).min(max_bytes(limits));
    }
}

/// Inflates damaged data as far as possible: without its checksum, truncated, or without a zlib header.
fn inflate_by_pieces(input: &[u8], limits: &Limits) -> FilterResult {
    let step = inflate_stream(input, true, limits)?;
    if step.bytes.is_empty() && !step.is_intact {
        // Some producers omit the two bytes of the zlib header or write them wrong.
        let body = input.get(2..).unwrap_or_default();
        return Ok(FilterOutput::damaged(inflate_stream(body, false, limits)?.bytes));
    }
    Ok(step)
}

fn inflate_stream(input: &[u8], zlib_header: bool, limits: &Limits) -> FilterResult {
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
        if out.len() > max_bytes(limits) {
            return Err(too_large(limits, out.len()));
        }
        match status {
            Ok(Status::StreamEnd) => return Ok(FilterOutput::ended(out, rest_after(input, inflater.total_in()))),
            Ok(_) if new > 0 || inflater.total_in() > read => {}
            _ => return Ok(FilterOutput::damaged(out)),
        }
    }
}

fn rest_after(input: &[u8], read: u64) -> &[u8] {
    usize::try_from(read).ok().and_then(|read| input.get(read..)).unwrap_or_default()
}

/// Whether only white space follows the zlib stream at the beginning of `input`, which inflates to `output`.
///
/// libdeflate does not tell where it stopped reading. The stream ends with the checksum of `output`, so only if those
/// four bytes occur several times must it be inflated again.
fn is_used_up(input: &[u8], output: &[u8]) -> bool {
    let checksum = libdeflater::adler32(output).to_be_bytes();
    let after = |at: usize| input.get(at.saturating_add(checksum.len())..).unwrap_or_default();
    if memchr::memmem::find(input, &checksum).is_some_and(|first| is_blank(after(first))) {
        return true;
    }
    memchr::memmem::rfind(input, &checksum).is_some_and(|last| is_blank(after(last))) && is_blank(rest_of_stream(input))
}

/// The bytes after the sound zlib stream at the beginning of `input`.
fn rest_of_stream(input: &[u8]) -> &[u8] {
    let mut inflater = Decompress::new(true);
    let mut piece = vec![0_u8; 64 << 10];
    loop {
        let before = (inflater.total_in(), inflater.total_out());
        let status = inflater.decompress(rest_after(input, before.0), &mut piece, FlushDecompress::None);
        let is_over = !matches!(status, Ok(Status::Ok | Status::BufError));
        if is_over || before == (inflater.total_in(), inflater.total_out()) {
            return rest_after(input, inflater.total_in());
        }
    }
}

/// The first bytes that zlib data inflates to; nothing if they are damaged.
pub(super) fn beginning(input: &[u8]) -> Vec<u8> {
    let mut beginning = vec![0_u8; 1 << 10];
    let mut inflater = Decompress::new(true);
    let inflated = inflater.decompress(input, &mut beginning, FlushDecompress::None);
    let length = if inflated.is_ok() { usize::try_from(inflater.total_out()).unwrap_or(0) } else { 0 };
    beginning.truncate(length);
    beginning
}

#[cfg(test)]
mod tests {
    use super::*;
    use libdeflater::{CompressionLvl, Compressor};

    fn deflated(data: &[u8]) -> Vec<u8> {
        let mut compressor = Compressor::new(CompressionLvl::default());
        let mut out = vec![0; compressor.zlib_compress_bound(data.len())];
        let length = compressor.zlib_compress(data, &mut out).unwrap_or(0);
        out.truncate(length);
        out
    }

    fn is_intact_and_exact(input: &[u8]) -> (usize, bool, bool) {
        let step = inflate(input, &Limits::default()).unwrap_or_default();
        (step.bytes.len(), step.is_intact, step.is_exact)
    }

    #[test]
    fn what_follows_the_end_of_a_stream_is_seen() {
        let data = b"0 0 m 9 9 l S\n".repeat(40);
        let stream = deflated(&data);
        let checksum = stream.get(stream.len() - 4..).unwrap_or_default();
        let followed_by = |rest: &[u8]| is_intact_and_exact(&[&stream, rest].concat());
        for blank in [&b""[..], b"\n", b"\r\n", b"\0\0 "] {
            assert_eq!(followed_by(blank), (data.len(), true, true), "{blank:?}");
        }
        assert_eq!(followed_by(b"x"), (data.len(), true, false));
        // Even if the surplus ends like the stream.
        assert_eq!(followed_by(&[b"x", checksum].concat()), (data.len(), true, false));
        assert_eq!(followed_by(checksum), (data.len(), true, false));
    }

    #[test]
    fn damage_is_never_exact() {
        let data = b"0 0 m 9 9 l S\n".repeat(400);
        let stream = deflated(&data);
        for cut in [0, 1, 2, stream.len() / 2, stream.len() - 1] {
            assert!(!is_intact_and_exact(stream.get(..cut).unwrap_or_default()).2, "{cut}");
        }
        for at in 0..stream.len() {
            let mut flipped = stream.clone();
            if let Some(byte) = flipped.get_mut(at) {
                *byte ^= 0x40;
            }
            let step = inflate(&flipped, &Limits::default()).unwrap_or_default();
            assert!(!step.is_exact || step.bytes == data, "{at}");
        }
    }
}
