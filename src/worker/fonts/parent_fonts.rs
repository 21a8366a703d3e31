//! Fonts that a worker requests over its socket.

use std::io;
use std::sync::Arc;

use super::{FontCache, OpenFont};
use crate::worker::parent_socket::ParentSocket;
use crate::worker::wire::FontFacts;
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
        let (font, file) = self.parent.ask(wanted)?;
        Ok(font.zip(file).map(|(FontFacts { length, name, index }, file)| OpenFont { file, length, name, index }))
    }
}

impl FontSource for ParentFonts {
    fn font(&self, wanted: WantedFont) -> Option<FontFile> {
        // If the socket failed, reading the next request fails too.
        self.cache.get_or_open(wanted, || self.ask(wanted).ok().flatten())
    }
}
