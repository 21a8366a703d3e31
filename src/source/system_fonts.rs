//! Finds the fonts of the operating system.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The font folders of Linux, BSD, macOS and Windows.
const FOLDERS: [&str; 7] = [
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/usr/X11R6/lib/X11/fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
    "/opt/homebrew/share/fonts",
    "C:/Windows/Fonts",
];

/// The deepest nesting of folders.
const MAX_DEPTH: u32 = 6;

/// The most font files that are listed. A full desktop has a few thousand.
const MAX_FILES: usize = 20_000;

/// The largest font file. Common ones have up to 130 MB.
const MAX_FONT_BYTES: u64 = 200 << 20;

/// The first of `file_names` that the system has: its index, the open file and its length in bytes.
#[must_use]
pub fn system_font(file_names: &[&str]) -> Option<(usize, File, u64)> {
    let files = font_files();
    file_names.iter().enumerate().find_map(|(at, name)| {
        let file = File::open(files.get(*name)?).ok()?;
        let metadata =
            file.metadata().ok().filter(|metadata| metadata.is_file() && metadata.len() <= MAX_FONT_BYTES)?;
        Some((at, file, metadata.len()))
    })
}

/// The font files by name, listed once per process.
fn font_files() -> &'static BTreeMap<String, PathBuf> {
    static FILES: OnceLock<BTreeMap<String, PathBuf>> = OnceLock::new();
    FILES.get_or_init(|| {
        let mut files = BTreeMap::new();
        FOLDERS.iter().for_each(|folder| list_font_files(Path::new(folder), MAX_DEPTH, &mut files));
        files
    })
}

fn list_font_files(folder: &Path, depth: u32, files: &mut BTreeMap<String, PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if files.len() >= MAX_FILES {
            return;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => list_font_files(&entry.path(), depth - 1, files),
            Ok(kind) if !kind.is_dir() => {
                files.entry(entry.file_name().to_string_lossy().into_owned()).or_insert_with(|| entry.path());
            }
            _ => {}
        }
    }
}
