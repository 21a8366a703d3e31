//! The socket of a worker to its parent, for questions that the worker asks before its answer.

use std::fs::File;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;

use super::wire::frame::{self, PREFIX_BYTES};
use super::wire::socket;
use super::wire::{WorkerAnswer, WorkerReply};

/// The socket to the parent.
pub(super) struct ParentSocket {
    socket: Arc<UnixStream>,
    /// Locked until the reply has come, so that two threads do not take each other's replies.
    turn: Mutex<()>,
}

impl ParentSocket {
    pub(super) fn new(socket: Arc<UnixStream>) -> Self {
        Self { socket, turn: Mutex::default() }
    }

    /// Sends a question in place of an answer. The parent replies with a header, a body and perhaps a file, and keeps
    /// waiting for the answer.
    pub(super) fn ask<T: DeserializeOwned>(&self, question: WorkerReply) -> io::Result<(T, Vec<u8>, Option<File>)> {
        self.ask_with(question, &[])
    }

    /// Like [`Self::ask`]; `body` goes with the question.
    pub(super) fn ask_with<T: DeserializeOwned>(
        &self,
        question: WorkerReply,
        body: &[u8],
    ) -> io::Result<(T, Vec<u8>, Option<File>)> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let head = frame::encode_header(&WorkerAnswer::from(question), body.len())?;
        socket::send_parts(&self.socket, &head, body)?;
        let received = socket::receive::<PREFIX_BYTES>(&self.socket)?;
        let (prefix, file) = received.ok_or(io::ErrorKind::UnexpectedEof)?;
        let (header, body) = frame::read_rest(prefix, &*self.socket)?;
        Ok((header, body, file.map(File::from)))
    }
}
