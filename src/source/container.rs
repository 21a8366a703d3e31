//! Tells what an archive or a compound file contains by the names in it: office documents and books are such files.

use pagewise_base::parts::{ENCRYPTED_STREAM, OfficeFormat, says_notebook};

use super::file_kind::{COMPOUND_FILE, ZIP};

/// Bytes that are read of a container beside its beginning.
pub(super) const REST_BYTES: usize = 64 << 10;

/// A format that other formats are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// A ZIP archive.
    Zip,
    /// A compound file ([MS-CFB]).
    CompoundFile,
    /// JSON, which a notebook is.
    Json,
}

impl Container {
    /// The container of this MIME type.
    pub(super) fn of(mime: &str) -> Option<Self> {
        match mime {
            ZIP => Some(Self::Zip),
            COMPOUND_FILE => Some(Self::CompoundFile),
            _ => None,
        }
    }

    /// The MIME type that the names in `bytes` tell.
    pub(super) fn type_in(self, bytes: &[u8]) -> Option<&'static str> {
        match self {
            Self::Zip => mimetype_entry(bytes).or_else(|| named(ZIP_NAMES, |name| contains_entry(bytes, name))),
            Self::CompoundFile => named(STREAM_NAMES, |name| contains(bytes, &utf16(name))),
            Self::Json => says_notebook(bytes).then_some(OfficeFormat::Notebook.mime()),
        }
    }

    /// Where a file of `len` bytes lists its names: an archive at its end, a compound file where its header says.
    pub(super) fn names_at(self, head: &[u8], len: u64) -> u64 {
        match self {
            Self::Zip | Self::Json => len.saturating_sub(REST_BYTES as u64),
            Self::CompoundFile => directory_at(head).unwrap_or(0),
        }
    }
}

/// Beginnings of names that only one format has.
const ZIP_NAMES: &[(&str, &str)] = &[
    ("word/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("visio/", "application/vnd.ms-visio.drawing"),
    ("FixedDocSeq.fdseq", "application/vnd.ms-xpsdocument"),
    ("FixedDocumentSequence.fdseq", "application/vnd.ms-xpsdocument"),
    ("Index/Document.iwa", "application/x-iwork"),
];

/// Names of streams that only one format has.
const STREAM_NAMES: &[(&str, &str)] = &[
    ("WordDocument", "application/msword"),
    ("Workbook", "application/vnd.ms-excel"),
    ("Book", "application/vnd.ms-excel"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    (ENCRYPTED_STREAM, OfficeFormat::Encrypted.mime()),
    ("VisioDocument", "application/vnd.visio"),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
];

/// The types that OpenDocument and EPUB archives declare. The declaration is their first entry, `mimetype`.
const DECLARED_TYPES: &[&str] = &[
    "application/epub+zip",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.presentation",
    "application/vnd.oasis.opendocument.graphics",
];

fn named(table: &[(&str, &'static str)], is_in: impl Fn(&str) -> bool) -> Option<&'static str> {
    table.iter().find(|(name, _)| is_in(name)).map(|(_, mime)| *mime)
}

/// The type in an entry `mimetype`, which is stored uncompressed at the beginning.
fn mimetype_entry(bytes: &[u8]) -> Option<&'static str> {
    let content = bytes.get(30..)?.strip_prefix(b"mimetype")?;
    let declares = |mime: &&&str| content.starts_with(mime.as_bytes());
    DECLARED_TYPES.iter().filter(declares).max_by_key(|mime| mime.len()).copied()
}

/// Whether a header of an entry whose name begins with `name` is in `bytes`: a name stands 30 bytes after the beginning of
/// a local header, and 46 after that of the directory's.
fn contains_entry(bytes: &[u8], name: &str) -> bool {
    let has_name_at = |at: usize, distance: usize, signature: &[u8]| {
        let header = at.checked_sub(distance).and_then(|start| bytes.get(start..));
        header.is_some_and(|header| header.starts_with(signature))
    };
    memchr::memmem::find_iter(bytes, name)
        .any(|at| has_name_at(at, 30, b"PK\x03\x04") || has_name_at(at, 46, b"PK\x01\x02"))
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(bytes, needle).is_some()
}

/// The name of a stream, ended by a zero as in a directory entry.
fn utf16(name: &str) -> Vec<u8> {
    let ended = if name.starts_with("__") { "" } else { "\0" };
    name.encode_utf16().chain(ended.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// Where the directory of a compound file begins ([MS-CFB], 2.2): its sector follows the header, which takes one sector.
fn directory_at(head: &[u8]) -> Option<u64> {
    let shift = u16::from_le_bytes(*head.get(30..)?.first_chunk()?);
    let sector = u32::from_le_bytes(*head.get(48..)?.first_chunk()?);
    let size = 1_u64.checked_shl(u32::from(shift)).filter(|size| *size <= 4_096)?;
    (u64::from(sector) + 1).checked_mul(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local_entry(name: &str, content: &[u8]) -> Vec<u8> {
        [&b"PK\x03\x04"[..], &[0; 26], name.as_bytes(), content].concat()
    }

    fn listed_entry(name: &str) -> Vec<u8> {
        [&b"PK\x01\x02"[..], &[0; 42], name.as_bytes()].concat()
    }

    #[test]
    fn an_archive_is_what_its_entries_are_called() {
        let of = |bytes: Vec<u8>| Container::Zip.type_in(&bytes).and_then(|mime| mime.rsplit(['.', '+', '/']).next());
        let types = local_entry("[Content_Types].xml", b"...");
        assert_eq!(of([types.clone(), local_entry("word/document.xml", b"")].concat()), Some("document"));
        assert_eq!(of([types.clone(), listed_entry("xl/workbook.xml")].concat()), Some("sheet"));
        assert_eq!(of(local_entry("mimetype", b"application/epub+zipPK")), Some("zip"));
        assert_eq!(of(local_entry("mimetype", b"application/vnd.oasis.opendocument.text")), Some("text"));
        // A file that only mentions such a name.
        assert_eq!(of(local_entry("notes.txt", b"see word/document.xml")), None);
        assert_eq!(of(types), None);
    }

    #[test]
    fn a_compound_file_is_what_its_streams_are_called() {
        let mut head = vec![0; 512];
        head.splice(30..32, 9_u16.to_le_bytes());
        head.splice(48..52, 7_u32.to_le_bytes());
        assert_eq!(Container::CompoundFile.names_at(&head, 1 << 20), 4_096);
        let of = |name: &str| Container::CompoundFile.type_in(&utf16(name));
        assert_eq!(of("WordDocument"), Some("application/msword"));
        assert_eq!(of("Workbook"), Some("application/vnd.ms-excel"));
        assert_eq!(of("Bookmarks"), None);
        assert_eq!(of("__properties_version1.0"), Some("application/vnd.ms-outlook"));
        for shift in [13, 64, u16::MAX] {
            head.splice(30..32, shift.to_le_bytes());
            assert_eq!(Container::CompoundFile.names_at(&head, 1 << 20), 0);
        }
    }
}
