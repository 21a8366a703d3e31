//! The framing of messages: the lengths of header and body, the header as JSON, and the body as bytes.

use std::io::{self, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Size of the two lengths: 4 bytes for the header, 8 for the body, little-endian.
pub(crate) const PREFIX_BYTES: usize = 12;

/// The largest header. An outline of 100,000 entries takes a tenth of it.
const MAX_HEADER_BYTES: u32 = 64 << 20;

/// The largest body. A page is usually bounded by the smaller `max_page_bytes`.
const MAX_BODY_BYTES: u64 = 1 << 30;

/// At most this much is reserved before bytes arrive, and then as much as has arrived: lengths are not trusted.
const RESERVED_BYTES: usize = 1 << 20;

/// Encodes the prefix and the header of a message with a body of `body` bytes.
pub(crate) fn encode_header(header: &impl Serialize, body: usize) -> io::Result<Vec<u8>> {
    let mut out = vec![0; PREFIX_BYTES];
    serde_json::to_writer(&mut out, header)?;
    let header_bytes = u32::try_from(out.len().saturating_sub(PREFIX_BYTES)).map_err(|_| too_long())?;
    let lengths = header_bytes.to_le_bytes().into_iter().chain((body as u64).to_le_bytes());
    out.iter_mut().zip(lengths).for_each(|(place, byte)| *place = byte);
    Ok(out)
}

/// Reads the header and body that follow a prefix.
pub(crate) fn read_rest<T: DeserializeOwned>(
    prefix: [u8; PREFIX_BYTES],
    mut from: impl Read,
) -> io::Result<(T, Vec<u8>)> {
    let [h0, h1, h2, h3, body @ ..] = prefix;
    let (header, body) = (u32::from_le_bytes([h0, h1, h2, h3]), u64::from_le_bytes(body));
    if header > MAX_HEADER_BYTES || body > MAX_BODY_BYTES {
        return Err(too_long());
    }
    let header = read_exactly(&mut from, u64::from(header))?;
    let body = read_exactly(&mut from, body)?;
    Ok((serde_json::from_slice(&header)?, body))
}

fn read_exactly(from: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(length).map_err(|_| too_long())?;
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let start = bytes.len();
        let more = (length - start).min(start.max(RESERVED_BYTES));
        bytes.try_reserve_exact(more)?;
        bytes.resize(start + more, 0);
        from.read_exact(bytes.get_mut(start..).unwrap_or_default())?;
    }
    Ok(bytes)
}

fn too_long() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(message: &[u8]) -> ([u8; PREFIX_BYTES], &[u8]) {
        let (prefix, rest) = message.split_first_chunk().unwrap_or((&[0; PREFIX_BYTES], &[]));
        (*prefix, rest)
    }

    #[test]
    fn a_message_comes_back_and_a_cut_one_does_not() {
        let message = [encode_header(&"header", 3).unwrap_or_default(), b"abc".to_vec()].concat();
        let (prefix, bytes) = split(&message);
        assert_eq!(read_rest::<String>(prefix, bytes).ok(), Some(("header".to_owned(), b"abc".to_vec())));
        for end in 0..bytes.len() {
            assert!(read_rest::<String>(prefix, bytes.get(..end).unwrap_or_default()).is_err(), "{end}");
        }
    }

    #[test]
    fn a_claimed_length_reserves_nothing() {
        let mut prefix = [0; PREFIX_BYTES];
        prefix.iter_mut().skip(4).zip((MAX_BODY_BYTES).to_le_bytes()).for_each(|(place, byte)| *place = byte);
        assert_eq!(
            read_rest::<String>(prefix, io::empty()).map_err(|error| error.kind()),
            Err(io::ErrorKind::UnexpectedEof)
        );
        prefix.iter_mut().skip(4).zip((MAX_BODY_BYTES + 1).to_le_bytes()).for_each(|(place, byte)| *place = byte);
        let refused = read_rest::<String>(prefix, io::empty()).map_err(|error| error.kind());
        assert_eq!(refused, Err(io::ErrorKind::InvalidData));
    }
}
