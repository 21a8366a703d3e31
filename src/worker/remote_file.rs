//! Parts of a remote document over the socket: a worker requests them, and its parent fetches them.
//!
//! A worker has no network. It names a range, never an address, and gets bytes of the document of its current request.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use super::parent_socket::ParentSocket;
use super::wire::WorkerReply;
use super::wire::frame;
use super::wire::socket;
use pagewise_document::ReadAt;

/// The most bytes that a worker requests at a time.
pub(super) const MAX_PIECE_BYTES: u64 = 4 << 20;

/// A document whose bytes the parent fetches.
pub(super) struct RemoteFile {
    parent: Arc<ParentSocket>,
    length: u64,
}

impl RemoteFile {
    pub(super) fn new(parent: Arc<ParentSocket>, length: u64) -> Self {
        Self { parent, length }
    }

    fn read_piece(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let length = buffer.len() as u64;
        let (is_read, bytes, _) = self.parent.ask::<bool>(WorkerReply::WantsBytes { offset, length })?;
        if !is_read || bytes.len() != buffer.len() {
            return Err(io::Error::other("the parent could not read it"));
        }
        buffer.copy_from_slice(&bytes);
        Ok(())
    }
}

impl ReadAt for RemoteFile {
    fn len(&self) -> u64 {
        self.length
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let piece_bytes = usize::try_from(MAX_PIECE_BYTES).unwrap_or(usize::MAX);
        let mut at = offset;
        for piece in buffer.chunks_mut(piece_bytes) {
            self.read_piece(at, piece)?;
            at = at.saturating_add(piece.len() as u64);
        }
        Ok(())
    }
}

/// Sends a worker the requested bytes, or that they could not be read.
pub(super) fn send_piece(socket: &UnixStream, piece: Option<&[u8]>) -> io::Result<()> {
    let bytes = piece.unwrap_or_default();
    socket::send_parts(socket, &frame::encode_header(&piece.is_some(), bytes.len())?, bytes)
}
