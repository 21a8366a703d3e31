//! Detects the type of a file from its bytes, never from its name.

use super::SourceError;
use super::container::{Container, REST_BYTES};
use super::file::OpenFile;
use pagewise_base::parts::OfficeFormat;
use pagewise_charset::{Charset, Extent};

/// The number of leading bytes that [`detect_kind`] needs.
pub const HEAD_BYTES: usize = 8 << 10;

/// The PDF header must start within this many bytes (ISO 32000-1, annex H, note 13).
const PDF_HEADER_WITHIN: usize = 1024;

/// The MIME type of a file whose type is not known.
pub const UNKNOWN_TYPE: &str = "application/octet-stream";

/// The type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    Pdf,
    /// A file with parts, as a PDF has pages.
    Office(OfficeFormat),
    /// A picture in a format that models accept.
    Image(ImageFormat),
    Text(Charset),
    /// Any other file.
    Other {
        /// The MIME type; [`UNKNOWN_TYPE`] if unknown.
        mime: &'static str,
    },
}

/// A picture format that models accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    /// ISO/IEC 10918.
    Jpeg,
    /// ISO/IEC 15948.
    Png,
    /// GIF 87a and 89a.
    Gif,
    /// RFC 9649.
    WebP,
}

impl ImageFormat {
    /// The MIME type.
    #[must_use]
    pub fn mime(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
        }
    }
}

impl FileKind {
    /// The kind of files of a MIME type that are no text, picture or PDF.
    fn of_type(mime: &'static str) -> Self {
        let office = OfficeFormat::of_mime(mime).filter(|_| cfg!(feature = "office"));
        office.map_or(Self::Other { mime }, Self::Office)
    }

    /// Whether it has pages, or parts in their place.
    #[must_use]
    pub fn has_pages(self) -> bool {
        matches!(self, Self::Pdf | Self::Office(_))
    }

    /// The format of a file with parts.
    #[must_use]
    pub fn office(self) -> Option<OfficeFormat> {
        match self {
            Self::Office(format) => Some(format),
            _ => None,
        }
    }

    /// The MIME type.
    #[must_use]
    pub fn mime(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Office(format) => format.mime(),
            Self::Image(format) => format.mime(),
            Self::Text(_) => "text/plain",
            Self::Other { mime } => mime,
        }
    }
}

/// Detects the type of a file of `len` bytes from its first [`HEAD_BYTES`] bytes, or from all if there are fewer.
///
/// The signature of another format decides first, so an archive with a PDF in it is an archive. A text that mentions
/// `%PDF-` is a text, unless it contains a whole header line. Bytes that are neither UTF-8 nor of a known format are a PDF that
/// lost its header if they contain a line such as `1 0 obj`; the readers repair it.
#[must_use]
pub fn detect_kind(head: &[u8], len: u64) -> FileKind {
    if let Some(kind) = match_signature(head) {
        let FileKind::Other { mime } = kind else { return kind };
        let inside = Container::of(mime).and_then(|container| container.type_in(head));
        return FileKind::of_type(inside.unwrap_or(mime));
    }
    let header = pdf_header(head);
    if let Some((header_at, line)) = header
        && is_header_line(header_at, line, head)
    {
        return FileKind::Pdf;
    }
    let extent = if len > head.len() as u64 { Extent::Beginning } else { Extent::Whole };
    let text = Charset::detect(head, extent);
    // A damaged PDF may look like text in an old charset.
    if text != Some(Charset::UTF_8) && (header.is_some() || has_object(head)) {
        return FileKind::Pdf;
    }
    text.map_or(FileKind::Other { mime: UNKNOWN_TYPE }, FileKind::Text)
}

impl OpenFile {
    /// Detects the type of the file. Of an archive or a compound file, reads one place more, which names what is in it.
    ///
    /// # Errors
    /// [`SourceError::Io`].
    pub fn kind(&self) -> Result<FileKind, SourceError> {
        let head = self.head(HEAD_BYTES)?;
        let kind = detect_kind(&head, self.len());
        let container = match kind {
            FileKind::Other { mime } => Container::of(mime),
            FileKind::Text(_) if head.trim_ascii_start().starts_with(b"{") => Some(Container::Json),
            _ => None,
        };
        let Some(container) = container else { return Ok(kind) };
        if let Some(mime) = container.type_in(&head) {
            return Ok(FileKind::of_type(mime));
        }
        let mut rest = vec![0; REST_BYTES];
        let read = self.read_at(container.names_at(&head, self.len()), &mut rest)?;
        rest.truncate(read);
        Ok(container.type_in(&rest).map_or(kind, FileKind::of_type))
    }
}

/// The offset of the first `%PDF-`, and the bytes after it.
fn pdf_header(head: &[u8]) -> Option<(usize, &[u8])> {
    let at = head.windows(5).take(PDF_HEADER_WITHIN).position(|window| window == b"%PDF-")?;
    Some((at, head.get(at + 5..)?))
}

/// Whether a line begins an indirect object of a PDF, `1 0 obj` (ISO 32000-2, 7.3.10). Form data (FDF) has objects too.
fn has_object(head: &[u8]) -> bool {
    let is_number = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    let begins_object = |line: &[u8]| {
        let mut words = line.splitn(3, |byte| *byte == b' ');
        words.next().is_some_and(is_number)
            && words.next().is_some_and(is_number)
            && words.next().is_some_and(|rest| rest.starts_with(b"obj"))
    };
    !head.starts_with(b"%FDF-") && head.split(|byte| matches!(byte, b'\r' | b'\n')).any(begins_object)
}

/// Whether the header starts the text, or is followed by a version and the end of the line.
fn is_header_line(at: usize, after: &[u8], head: &[u8]) -> bool {
    let before = head.get(..at).unwrap_or_default();
    let opens = before.strip_prefix(b"\xef\xbb\xbf").unwrap_or(before).trim_ascii().is_empty();
    opens
        || matches!(after, [major, b'.', minor, b'\r' | b'\n', ..] if major.is_ascii_digit() && minor.is_ascii_digit())
}

fn match_signature(head: &[u8]) -> Option<FileKind> {
    if let [b'R', b'I', b'F', b'F', _, _, _, _, rest @ ..] = head {
        return Some(riff_kind(rest));
    }
    let at_start = SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature));
    let inside = || {
        LATER_SIGNATURES
            .iter()
            .find(|(at, signature, _)| head.get(*at..).is_some_and(|rest| rest.starts_with(signature)))
    };
    at_start.map(|(_, kind)| *kind).or_else(|| inside().map(|(_, _, mime)| FileKind::Other { mime }))
}

fn riff_kind(form: &[u8]) -> FileKind {
    match form {
        [b'W', b'E', b'B', b'P', ..] => FileKind::Image(ImageFormat::WebP),
        [b'W', b'A', b'V', b'E', ..] => FileKind::Other { mime: "audio/wav" },
        [b'A', b'V', b'I', b' ', ..] => FileKind::Other { mime: "video/x-msvideo" },
        _ => FileKind::Other { mime: UNKNOWN_TYPE },
    }
}

/// The signatures of other formats. No text or PDF starts with one.
const SIGNATURES: &[(&[u8], FileKind)] = &[
    (b"\xff\xd8\xff", FileKind::Image(ImageFormat::Jpeg)),
    (b"\x89PNG\r\n\x1a\n", FileKind::Image(ImageFormat::Png)),
    (b"GIF87a", FileKind::Image(ImageFormat::Gif)),
    (b"GIF89a", FileKind::Image(ImageFormat::Gif)),
    (b"PK\x03\x04", FileKind::Other { mime: ZIP }),
    (b"PK\x05\x06", FileKind::Other { mime: ZIP }),
    (b"\x1f\x8b", FileKind::Other { mime: "application/gzip" }),
    (b"\x28\xb5\x2f\xfd", FileKind::Other { mime: "application/zstd" }),
    (b"\xfd7zXZ\0", FileKind::Other { mime: "application/x-xz" }),
    (b"7z\xbc\xaf\x27\x1c", FileKind::Other { mime: "application/x-7z-compressed" }),
    (b"Rar!\x1a\x07", FileKind::Other { mime: "application/vnd.rar" }),
    (b"BZh91AY&SY", FileKind::Other { mime: "application/x-bzip2" }),
    (b"\x7fELF", FileKind::Other { mime: "application/x-elf" }),
    (b"\xcf\xfa\xed\xfe", FileKind::Other { mime: "application/x-mach-binary" }),
    (b"\0asm", FileKind::Other { mime: "application/wasm" }),
    (b"SQLite format 3\0", FileKind::Other { mime: "application/vnd.sqlite3" }),
    (b"II*\0", FileKind::Other { mime: "image/tiff" }),
    (b"MM\0*", FileKind::Other { mime: "image/tiff" }),
    (b"\0\0\x01\0", FileKind::Other { mime: "image/x-icon" }),
    (b"\0\0\0\x0cjP  ", FileKind::Other { mime: "image/jp2" }),
    (b"ID3", FileKind::Other { mime: "audio/mpeg" }),
    (b"OggS\0", FileKind::Other { mime: "audio/ogg" }),
    (b"fLaC\0", FileKind::Other { mime: "audio/flac" }),
    (b"{\\rtf", FileKind::Other { mime: "application/rtf" }),
    (b"AT&TFORM", FileKind::Other { mime: "image/vnd.djvu" }),
    (b"8BPS", FileKind::Other { mime: "image/vnd.adobe.photoshop" }),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", FileKind::Other { mime: COMPOUND_FILE }),
];

/// The MIME type of an archive whose content is not known.
pub(super) const ZIP: &str = "application/zip";

/// The MIME type of a compound file, such as old Office programs write, whose content is not known.
pub(super) const COMPOUND_FILE: &str = "application/x-ole-storage";

/// Signatures that stand behind other bytes, with their offsets and MIME types.
const LATER_SIGNATURES: &[(usize, &[u8], &str)] = &[
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypheix", "image/heic"),
    (4, b"ftypmif1", "image/heic"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftyp", "video/mp4"),
    (60, b"BOOKMOBI", "application/x-mobipocket-ebook"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(bytes: &[u8]) -> FileKind {
        detect_kind(bytes, bytes.len() as u64)
    }

    #[test]
    fn a_header_within_the_first_1024_bytes_makes_a_pdf() {
        let junk = |count: usize| [vec![0x80; count], b"%PDF-1.7\n".to_vec()].concat();
        assert_eq!(kind(b"%PDF-1.7\n%\xe2\xe3\n"), FileKind::Pdf);
        assert_eq!(kind(&junk(1023)), FileKind::Pdf);
        assert_eq!(kind(&junk(1024)).mime(), "application/octet-stream");
        let object = b"\n1 0 obj <</Type /Catalog>> endobj\n".as_slice();
        let after = |start: &[u8]| kind(&[start, object].concat());
        assert_eq!([after(&junk(1024)), after(b"%\xe2\xe3\xcf\xd3")], [FileKind::Pdf; 2]);
        assert_eq!(after(b""), FileKind::Text(Charset::UTF_8));
        assert!(matches!(after(b"%FDF-1.2\n%\xe2\xe3\xcf\xd3"), FileKind::Text(_)));
        assert!(matches!(kind(b"caf\xe9: printf(\"%d 0 obj\"); puts(\"endobj\");"), FileKind::Text(_)));
    }

    #[test]
    fn a_text_about_pdfs_is_a_text() {
        assert_eq!(kind(b"let header = b\"%PDF-1.7\\n\";"), FileKind::Text(Charset::UTF_8));
        assert_eq!(kind(b"From: x\n\n%PDF-1.4\n1 0 obj"), FileKind::Pdf);
        assert_eq!(kind(b"\xef\xbb\xbf %PDF-9"), FileKind::Pdf);
    }

    #[test]
    fn an_archive_with_a_pdf_in_it_is_an_archive() {
        assert_eq!(kind(b"PK\x03\x04...a.pdf%PDF-1.4\n\xff\0").mime(), "application/zip");
    }

    #[test]
    fn pictures_are_known_by_their_signatures() {
        let starts: [(&[u8], _); 5] = [
            (b"\xff\xd8\xff\xe0", ImageFormat::Jpeg),
            (b"\x89PNG\r\n\x1a\n\0", ImageFormat::Png),
            (b"GIF89a\x01", ImageFormat::Gif),
            (b"GIF87a\x01", ImageFormat::Gif),
            (b"RIFF\x10\0\0\0WEBPVP8 ", ImageFormat::WebP),
        ];
        for (bytes, format) in starts {
            assert_eq!(kind(bytes), FileKind::Image(format));
        }
        assert_eq!(kind(b"RIFF\x10\0\0\0WAVEfmt ").mime(), "audio/wav");
    }

    #[test]
    fn text_is_what_has_a_charset() {
        assert_eq!(kind(b""), FileKind::Text(Charset::UTF_8));
        assert_eq!(kind("grüße".as_bytes()), FileKind::Text(Charset::UTF_8));
        assert!(matches!(kind(b"caf\xe9 noir"), FileKind::Text(charset) if charset.name() == "windows-1252"));
        assert_eq!(kind(b"a\0b").mime(), "application/octet-stream");
    }
}
