//! Font files for pages whose fonts are not embedded.
//!
//! A worker cannot open files. It requests a font for a script, and its parent opens a system font and passes the
//! descriptor. The parent chooses among known files, so nothing in a document becomes part of a path. A worker requests
//! each font once, when a page first needs it: passing all fonts at its start would cost each worker 20 MB and more.

#[cfg(all(unix, not(pagewise_portable)))]
mod parent_fonts;

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(all(unix, not(pagewise_portable)))]
pub(super) use self::parent_fonts::ParentFonts;
use pagewise_render::{FontFile, FontSource, NoFonts, WantedFont};

/// Opens font files of the system.
pub trait FontFiles: Send + Sync {
    /// Opens a font for a script.
    fn open(&self, wanted: WantedFont) -> Option<OpenFont>;
}

/// An open font file.
#[derive(Debug)]
pub struct OpenFont {
    /// TrueType or OpenType, or a collection of them.
    pub file: File,
    /// Its length in bytes.
    pub length: u64,
    /// Identifies the file.
    pub name: String,
    /// The index of the font in a collection.
    pub index: u32,
}

impl FontFiles for NoFonts {
    fn open(&self, _: WantedFont) -> Option<OpenFont> {
        None
    }
}

/// Reads fonts in this process, once each.
pub struct LocalFonts {
    files: Arc<dyn FontFiles>,
    cache: FontCache,
}

impl LocalFonts {
    /// Reads fonts that `files` opens.
    #[must_use]
    pub fn new(files: Arc<dyn FontFiles>) -> Self {
        Self { files, cache: FontCache::default() }
    }
}

impl FontSource for LocalFonts {
    fn font(&self, wanted: WantedFont) -> Option<FontFile> {
        self.cache.get_or_open(wanted, || self.files.open(wanted))
    }
}

/// Requested fonts, and their files. One file can serve several scripts.
#[derive(Default)]
struct FontCache {
    fonts: Mutex<BTreeMap<WantedFont, Option<FontFile>>>,
    files: Mutex<BTreeMap<String, Arc<Vec<u8>>>>,
}

impl FontCache {
    fn get_or_open(&self, wanted: WantedFont, open: impl FnOnce() -> Option<OpenFont>) -> Option<FontFile> {
        let mut fonts = self.fonts.lock().unwrap_or_else(PoisonError::into_inner);
        fonts.entry(wanted).or_insert_with(|| self.read(&open()?)).clone()
    }

    fn read(&self, font: &OpenFont) -> Option<FontFile> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = files.get(&font.name) {
            return Some(FontFile { bytes: Arc::clone(bytes), index: font.index });
        }
        let length = usize::try_from(font.length).ok()?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).ok()?;
        bytes.resize(length, 0);
        read_whole(&font.file, &mut bytes).ok()?;
        let bytes = Arc::new(bytes);
        files.insert(font.name.clone(), Arc::clone(&bytes));
        Some(FontFile { bytes, index: font.index })
    }
}

/// Reads by offset, since the descriptor is shared with the parent.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) fn read_whole(file: &File, bytes: &mut [u8]) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, 0)
}

#[cfg(any(not(unix), pagewise_portable))]
pub(super) fn read_whole(mut file: &File, bytes: &mut [u8]) -> std::io::Result<()> {
    std::io::Read::read_exact(&mut file, bytes)
}
