//! Fonts over the socket: a worker requests them, and its parent opens them.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use super::{FontCache, OpenFont};
use crate::worker::parent_socket::ParentSocket;
use crate::worker::wire::WorkerReply;
use crate::worker::wire::frame;
use crate::worker::wire::pictures::{WireFont, WireFontRequest};
use crate::worker::wire::socket;
use pagewise_render::{FontFile, FontSource, WantedFont};

/// Fonts that a worker requests from its parent, once each.
pub(in crate::worker) struct ParentFonts {
    parent: Arc<ParentSocket>,
    cache: FontCache,
}

impl ParentFonts {
    pub(in crate::worker) fn new(parent: Arc<ParentSocket>) -> Self {
        Self { parent, cache: FontCache::default() }
    }

    fn ask(&self, wanted: WantedFont) -> io::Result<Option<OpenFont>> {
        let question = WorkerReply::WantsFont(WireFontRequest::from(wanted));
        let (font, _, file) = self.parent.ask::<Option<WireFont>>(question)?;
        let font = font.zip(file);
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
