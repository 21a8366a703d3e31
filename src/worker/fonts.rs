//! Font files for pages that name a font and do not carry it.
//!
//! A worker can open nothing. It says which script it wants, and its parent opens a font of the system for it and passes
//! the descriptor, as it does with documents; the parent chooses among files that it knows by name, so that nothing in a
//! document is ever part of a path. A worker asks once for each script, when a page first needs it.
//!
//! Measured beside handing every font to every worker at its start: that would be four descriptors and 20 to 26 MB a
//! font in each of them, for fonts that few pages want. Asked for, a start costs nothing more, and the first page with a
//! font from outside costs the read of that file: 20 MB for Noto Sans CJK, kept until the worker ends.

#[cfg(all(unix, not(pagewise_portable)))]
mod asked;

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(all(unix, not(pagewise_portable)))]
pub(super) use self::asked::{AskedFonts, hand_over};
use crate::render::{FontFile, FontSource, NoFonts, WantedFont};

/// Opens font files.
pub trait FontFiles: Send + Sync {
    /// A font with the glyphs of a script.
    fn open(&self, wanted: WantedFont) -> Option<OpenFont>;
}

/// An open font file.
#[derive(Debug)]
pub struct OpenFont {
    /// TrueType or OpenType, or a collection of them.
    pub file: File,
    /// Its length in bytes.
    pub length: u64,
    /// What tells it from other files.
    pub name: String,
    /// The font's place in a collection.
    pub index: u32,
}

impl FontFiles for NoFonts {
    fn open(&self, _: WantedFont) -> Option<OpenFont> {
        None
    }
}

/// Fonts read in this process, once each.
pub struct ReadFonts {
    files: Arc<dyn FontFiles>,
    kept: Kept,
}

impl ReadFonts {
    /// The fonts of `files`.
    #[must_use]
    pub fn new(files: Arc<dyn FontFiles>) -> Self {
        Self { files, kept: Kept::default() }
    }
}

impl FontSource for ReadFonts {
    fn font(&self, wanted: WantedFont) -> Option<FontFile> {
        self.kept.or_else(wanted, || self.files.open(wanted))
    }
}

/// What was asked for, and the files behind it: one file can have the fonts of several scripts.
#[derive(Default)]
struct Kept {
    fonts: Mutex<BTreeMap<WantedFont, Option<FontFile>>>,
    files: Mutex<BTreeMap<String, Arc<Vec<u8>>>>,
}

impl Kept {
    fn or_else(&self, wanted: WantedFont, open: impl FnOnce() -> Option<OpenFont>) -> Option<FontFile> {
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

/// By position: the descriptor is shared with the parent.
#[cfg(all(unix, not(pagewise_portable)))]
fn read_whole(file: &File, bytes: &mut [u8]) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, 0)
}

#[cfg(any(not(unix), pagewise_portable))]
fn read_whole(mut file: &File, bytes: &mut [u8]) -> std::io::Result<()> {
    std::io::Read::read_exact(&mut file, bytes)
}
