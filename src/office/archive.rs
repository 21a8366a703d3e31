//! The entries of a ZIP archive, within bounds, and a copy of it with some of them changed.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::xml::{named, read_tree, value};
use pagewise_base::parts::PartsFault;

/// Maximum total size of the unpacked entries, in bytes. 192 MiB, since the parsed trees take several times as much memory.
const MAX_UNPACKED_BYTES: u64 = 192 << 20;

/// Maximum entries of an archive. 20,000: a book of a thousand chapters has some 3,000.
const MAX_ENTRIES: usize = 20_000;

/// Endings of entries with data that is no text. They are never unpacked.
const DATA: [&str; 29] = [
    "aac", "avi", "bmp", "emf", "fntdata", "gif", "ico", "jpeg", "jpg", "jxr", "m4a", "m4v", "mov", "mp3", "mp4",
    "odttf", "ogg", "otf", "pdf", "png", "svg", "svm", "tif", "tiff", "ttf", "wav", "webp", "wmf", "woff",
];

/// Folders of such entries.
const DATA_FOLDERS: [&str; 5] = ["/media/", "/embeddings/", "/activeX/", "Pictures/", "Thumbnails/"];

/// An archive that is read.
pub(crate) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    left: u64,
}

impl<'b> Archive<'b> {
    /// The archive in these bytes; `None` if they are none.
    pub(crate) fn open(bytes: &'b [u8]) -> Result<Option<Self>, PartsFault> {
        if !bytes.starts_with(b"PK") {
            return Ok(None);
        }
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| PartsFault::Damaged(error.to_string()))?;
        if zip.len() > MAX_ENTRIES {
            return Err(PartsFault::TooLarge(format!("{} entries, of at most {MAX_ENTRIES}", zip.len())));
        }
        let mut archive = Self { zip, left: MAX_UNPACKED_BYTES };
        let kept: Vec<String> = archive.names().into_iter().filter(|name| !is_data(name)).collect();
        let sizes = kept.iter().filter_map(|name| Some(archive.zip.by_name(name).ok()?.size()));
        if sizes.fold(0, u64::saturating_add) > MAX_UNPACKED_BYTES {
            return Err(too_large());
        }
        Ok(Some(archive))
    }

    /// The names of the entries, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.zip.file_names().map(str::to_owned).collect();
        names.sort_unstable();
        names
    }

    /// The content of an entry; `None` if there is none, or it is too large.
    pub(crate) fn content(&mut self, name: &str) -> Option<Vec<u8>> {
        let entry = self.zip.by_name(name).ok()?;
        let mut bytes = Vec::new();
        entry.take(self.left.saturating_add(1)).read_to_end(&mut bytes).ok()?;
        self.left = self.left.checked_sub(u64::try_from(bytes.len()).ok()?)?;
        Some(bytes)
    }

    /// The text of an entry; `None` if there is none, or it is no UTF-8.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        let text = String::from_utf8(self.content(name)?).ok()?;
        Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
    }

    /// The entries that an entry is related to, with the identifiers of the relationships.
    pub(crate) fn relationships(&mut self, from: &str) -> Vec<(String, String)> {
        let (folder, file) = from.rsplit_once('/').unwrap_or(("", from));
        read_tree(self.text(&format!("{folder}/_rels/{file}.rels")), |tree| {
            let each = |node| Some((value(node, "Id")?.to_owned(), resolve(from, value(node, "Target")?)));
            named(tree, "Relationship").filter_map(each).collect()
        })
    }

    /// Those whose names contain `kind`.
    pub(crate) fn related(&mut self, from: &str, kind: &str) -> Vec<String> {
        let is_kind = |entry: &String| entry.rsplit('/').next().is_some_and(|name| name.to_lowercase().contains(kind));
        self.relationships(from).into_iter().map(|(_, entry)| entry).filter(is_kind).collect()
    }

    /// The archive with these entries in place of its own, and nothing in those that are no text.
    pub(crate) fn with(&mut self, changed: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>, PartsFault> {
        let mut copy = ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for at in 0..self.zip.len() {
            let Ok(entry) = self.zip.by_index_raw(at) else { continue };
            let name = entry.name().to_owned();
            let content = if is_data(&name) { Some(&[][..]) } else { changed.get(&name).map(Vec::as_slice) };
            let written = match content {
                Some(content) => copy.start_file(&name, stored).and_then(|()| Ok(copy.write_all(content)?)),
                None => copy.raw_copy_file(entry),
            };
            written.map_err(|error| PartsFault::Damaged(error.to_string()))?;
        }
        let copy = copy.finish().map_err(|error| PartsFault::Damaged(error.to_string()))?;
        Ok(copy.into_inner())
    }
}

fn too_large() -> PartsFault {
    PartsFault::TooLarge(format!("it unpacks to more than {} MiB", MAX_UNPACKED_BYTES >> 20))
}

/// Whether an entry is a picture, a font, a sound, or another file.
fn is_data(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| DATA.contains(&ending.as_str()))
        || DATA_FOLDERS.iter().any(|folder| name.contains(folder))
}

/// The entry that a relative reference in the entry `from` names.
fn resolve(from: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut path: Vec<&str> = from.split('/').collect();
    path.pop();
    for step in target.split('/') {
        match step {
            ".." => drop(path.pop()),
            "." | "" => {}
            step => path.push(step),
        }
    }
    path.join("/")
}
