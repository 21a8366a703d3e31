//! The framing of messages: the length of the content, and the content.

use std::io::{self, Read, Write};
use std::time::Instant;

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::decode::decode;

/// Size of the length, little-endian.
pub(crate) const PREFIX_BYTES: usize = 4;

/// The largest content that a process takes from one that it trusts: a file and its pages' words.
pub(crate) const MAX_BYTES: u64 = 1 << 30;

/// At most this much is reserved before bytes arrive, and then as much as has arrived: lengths are not trusted.
const RESERVED_BYTES: usize = 1 << 20;

/// Content is written in pieces of this size. Longer strings of bytes are written as they are.
const PIECE_BYTES: usize = 16 << 10;

/// The frame of a short message.
pub(crate) fn encode(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut frame = postcard::to_extend(message, vec![0; PREFIX_BYTES]).map_err(unsendable)?;
    let prefix = prefix_of(frame.len().saturating_sub(PREFIX_BYTES))?;
    frame.iter_mut().zip(prefix).for_each(|(place, byte)| *place = byte);
    Ok(frame)
}

/// Writes the frame of a message, without a copy of the files and pictures in it.
pub(crate) fn write(message: &impl Serialize, to: impl Write) -> io::Result<()> {
    let length = postcard::experimental::serialized_size(message).map_err(unsendable)?;
    let mut failure = Ok(());
    let pieces = Pieces { to, buffer: prefix_of(length)?.to_vec(), failure: &mut failure };
    let written = postcard::serialize_with_flavor(message, pieces);
    failure.and(written.map_err(unsendable))
}

/// Writes a message piece by piece.
struct Pieces<'f, W: Write> {
    to: W,
    buffer: Vec<u8>,
    /// The format cannot say why a write failed.
    failure: &'f mut io::Result<()>,
}

impl<W: Write> Pieces<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        *self.failure = self.to.write_all(bytes);
        if self.failure.is_ok() { Ok(()) } else { Err(postcard::Error::SerializeBufferFull) }
    }

    fn flush(&mut self) -> postcard::Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        self.write(&buffer)
    }
}

impl<W: Write> Flavor for Pieces<'_, W> {
    type Output = ();

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        if self.buffer.len().saturating_add(bytes.len()) > PIECE_BYTES {
            self.flush()?;
        }
        if bytes.len() > PIECE_BYTES {
            return self.write(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    fn finalize(mut self) -> postcard::Result<()> {
        self.flush()
    }
}

fn unsendable(_: postcard::Error) -> io::Error {
    io::ErrorKind::InvalidData.into()
}

fn prefix_of(length: usize) -> io::Result<[u8; PREFIX_BYTES]> {
    u32::try_from(length).map(u32::to_le_bytes).map_err(|_| too_long())
}

/// Reads the content that follows a prefix, of at most `max_bytes`.
pub(crate) fn read_content(prefix: [u8; PREFIX_BYTES], max_bytes: u64, mut from: impl Read) -> io::Result<Vec<u8>> {
    let length = u32::from_le_bytes(prefix);
    if u64::from(length) > max_bytes {
        return Err(too_long());
    }
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

/// Reads the message that follows a prefix.
pub(crate) fn read<T: DeserializeOwned>(
    prefix: [u8; PREFIX_BYTES],
    max_bytes: u64,
    until: Option<Instant>,
    from: impl Read,
) -> io::Result<T> {
    decode(&read_content(prefix, max_bytes, from)?, until)
}

fn too_long() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(frame: &[u8], max_bytes: u64) -> Result<String, io::ErrorKind> {
        let (prefix, rest) = frame.split_first_chunk().unwrap_or((&[0; PREFIX_BYTES], &[]));
        read(*prefix, max_bytes, None, rest).map_err(|error| error.kind())
    }

    #[test]
    fn a_message_comes_back_and_a_cut_one_does_not() {
        let message = "content".to_owned();
        let frame = encode(&message).unwrap_or_default();
        let mut written = Vec::new();
        assert!(write(&message, &mut written).is_ok());
        assert_eq!(written, frame);
        assert_eq!(read_back(&frame, 8), Ok(message));
        assert_eq!(read_back(&frame, 7), Err(io::ErrorKind::InvalidData), "the limit");
        for end in PREFIX_BYTES..frame.len() {
            assert!(read_back(frame.get(..end).unwrap_or_default(), 8).is_err(), "{end}");
        }
    }

    #[test]
    fn a_claimed_length_reserves_nothing() {
        let claimed = u32::MAX.to_le_bytes();
        let found = read_content(claimed, u64::MAX, io::empty()).map_err(|error| error.kind());
        assert_eq!(found, Err(io::ErrorKind::UnexpectedEof));
    }
}
