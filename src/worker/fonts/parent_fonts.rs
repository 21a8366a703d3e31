//! Fonts over the socket: a worker requests them, and its parent opens them.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use super::{FontCache, OpenFont};
use crate::render::{FontFile, FontSource, WantedFont};
use crate::worker::wire::frame::{self, PREFIX_BYTES};
use crate::worker::wire::pictures::{WireFont, WireFontRequest};
use crate::worker::wire::socket;
use crate::worker::wire::{WorkerAnswer, WorkerReply};

/// Fonts that a worker requests from its parent, once each.
pub(in crate::worker) struct ParentFonts {
    socket: Arc<UnixStream>,
    cache: FontCache,
}

impl ParentFonts {
    pub(in crate::worker) fn new(socket: Arc<UnixStream>) -> Self {
        Self { socket, cache: FontCache::default() }
    }

    /// Sends the request in place of an answer. The parent replies and keeps waiting for the answer.
    fn ask(&self, wanted: WantedFont) -> io::Result<Option<OpenFont>> {
        let question = WorkerAnswer::from(WorkerReply::WantsFont(WireFontRequest::from(wanted)));
        socket::send(&self.socket, &frame::encode_header(&question, 0)?, None)?;
        let received = socket::receive::<PREFIX_BYTES>(&self.socket)?;
        let (prefix, file) = received.ok_or(io::ErrorKind::UnexpectedEof)?;
        let (font, _) = frame::read_rest::<Option<WireFont>>(prefix, &*self.socket)?;
        let font = font.zip(file.map(File::from));
        Ok(font.map(|(WireFont { length, name, index }, file)| OpenFont { file, length, name, index }))
    }
}

impl FontSource for ParentFonts {
    fn font(&self, wanted: WantedFont) -> Option<FontFile> {
        // If the socket failed, reading the next request fails too.
        self.cache.get_or_open(wanted, || self.ask(wanted).ok().flatten())
    }
}

/// Sends a worker the requested font, or that there is none.
pub(in crate::worker) fn send_font(socket: &UnixStream, font: Option<&OpenFont>) -> io::Result<()> {
    let facts = font.map(|OpenFont { length, name, index, .. }| WireFont {
        length: *length,
        name: name.clone(),
        index: *index,
    });
    socket::send(socket, &frame::encode_header(&facts, 0)?, font.map(|font| font.file.as_fd()))
}
