//! The socket of a worker to its parent, for what the worker asks for before its answer.

use std::fs::File;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

use super::wire::frame::{self, PREFIX_BYTES};
use super::wire::socket;
use super::wire::{Supply, WorkerMessage};

pub(super) struct ParentSocket {
    socket: Arc<UnixStream>,
    /// Locked until the reply has come, so that two threads do not take each other's replies.
    turn: Mutex<()>,
}

impl ParentSocket {
    pub(super) fn new(socket: Arc<UnixStream>) -> Self {
        Self { socket, turn: Mutex::default() }
    }

    /// Asks in place of an answer. The parent replies, perhaps with a file, and keeps waiting for the answer.
    pub(super) fn ask<S: Supply>(&self, wanted: S) -> io::Result<(S::Reply, Option<File>)> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        frame::write(&WorkerMessage::<()>::Wants(wanted.into()), &*self.socket)?;
        let received = socket::receive::<PREFIX_BYTES>(&self.socket)?;
        let (prefix, file) = received.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok((frame::read(prefix, frame::MAX_BYTES, None, &*self.socket)?, file.map(File::from)))
    }
}
