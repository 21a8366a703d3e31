//! Parts of a remote document over the socket: a worker requests them, and its parent fetches them.
//!
//! A worker has no network. It names a range, never an address, and gets bytes of the document of its current request.

use std::io;
use std::sync::Arc;

use super::parent_socket::ParentSocket;
use super::wire::WantedPiece;
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
        let (bytes, _) = self.parent.ask(WantedPiece { offset, length })?;
        let bytes = bytes.map(|piece| piece.0).filter(|bytes| bytes.len() == buffer.len());
        buffer.copy_from_slice(&bytes.ok_or_else(|| io::Error::other("the parent could not read it"))?);
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
