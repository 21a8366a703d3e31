//! Fonts over the socket: a worker asks, its parent opens.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use super::super::descriptor;
use super::super::frame::{self, PREFIX_BYTES};
use super::super::painted::{FontOnWire, WantedOnWire};
use super::super::wire::{Answer, Reply};
use super::{Kept, OpenFont};
use crate::render::{FontFile, FontSource, WantedFont};

/// Fonts that a worker asks its parent for, once each.
pub(in crate::worker) struct AskedFonts {
    socket: Arc<UnixStream>,
    kept: Kept,
}

impl AskedFonts {
    pub(in crate::worker) fn new(socket: Arc<UnixStream>) -> Self {
        Self { socket, kept: Kept::default() }
    }

    /// Asks in the place of an answer: the parent waits for one, and goes on waiting.
    fn ask(&self, wanted: WantedFont) -> io::Result<Option<OpenFont>> {
        let question = Answer::from(Reply::WantsFont(WantedOnWire::from(wanted)));
        descriptor::send(&self.socket, &frame::head(&question, 0)?, None)?;
        let received = descriptor::receive::<PREFIX_BYTES>(&self.socket)?;
        let (prefix, file) = received.ok_or(io::ErrorKind::UnexpectedEof)?;
        let (font, _) = frame::rest::<Option<FontOnWire>>(prefix, &*self.socket)?;
        let font = font.zip(file.map(File::from));
        Ok(font.map(|(FontOnWire { length, name, index }, file)| OpenFont { file, length, name, index }))
    }
}

impl FontSource for AskedFonts {
    fn font(&self, wanted: WantedFont) -> Option<FontFile> {
        // A socket that fails is found out by the one who reads the next request.
        self.kept.or_else(wanted, || self.ask(wanted).ok().flatten())
    }
}

/// Gives a worker the font that it wants, or tells it that there is none.
pub(in crate::worker) fn hand_over(socket: &UnixStream, font: Option<&OpenFont>) -> io::Result<()> {
    let facts = font.map(|OpenFont { length, name, index, .. }| FontOnWire {
        length: *length,
        name: name.clone(),
        index: *index,
    });
    descriptor::send(socket, &frame::head(&facts, 0)?, font.map(|font| font.file.as_fd()))
}
