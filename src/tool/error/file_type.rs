//! Types of files that are not read: their names in words, and the usual programs that convert them.

use crate::context::{ATTACHMENT_MARK, one_line};
use crate::source::is_url;

/// A type that is not read.
struct OtherType {
    mime: &'static str,
    /// With an article.
    name: &'static str,
    /// The command of the usual converter, in which `FILE` stands for the file.
    converter: Option<&'static str>,
}

/// LibreOffice converts everything that office programs write.
const OFFICE: Option<&str> = Some("soffice --headless --convert-to pdf FILE");

/// Calibre.
const BOOK: Option<&str> = Some("ebook-convert FILE book.pdf");

/// ImageMagick.
const PICTURE: Option<&str> = Some("magick FILE picture.png");

const fn row(mime: &'static str, name: &'static str, converter: Option<&'static str>) -> OtherType {
    OtherType { mime, name, converter }
}

const TYPES: &[OtherType] = &[
    row("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "a Word document", OFFICE),
    row("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "an Excel workbook", OFFICE),
    row(
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "a PowerPoint presentation",
        OFFICE,
    ),
    row("application/msword", "a Word document of the old format", OFFICE),
    row("application/vnd.ms-excel", "an Excel workbook of the old format", OFFICE),
    row("application/vnd.ms-powerpoint", "a PowerPoint presentation of the old format", OFFICE),
    row("application/vnd.ms-visio.drawing", "a Visio drawing", OFFICE),
    row("application/vnd.visio", "a Visio drawing of the old format", OFFICE),
    row("application/vnd.oasis.opendocument.text", "an OpenDocument text", OFFICE),
    row("application/vnd.oasis.opendocument.spreadsheet", "an OpenDocument spreadsheet", OFFICE),
    row("application/vnd.oasis.opendocument.presentation", "an OpenDocument presentation", OFFICE),
    row("application/vnd.oasis.opendocument.graphics", "an OpenDocument drawing", OFFICE),
    row("application/rtf", "a Rich Text document", OFFICE),
    row("application/x-iwork", "a document of Apple's Pages, Numbers or Keynote", OFFICE),
    row("application/vnd.ms-outlook", "an Outlook message", Some("msgconvert FILE")),
    row("application/encrypted", "an encrypted Office document", None),
    row("application/x-ole-storage", "a file of an old Microsoft program", OFFICE),
    row("application/epub+zip", "an EPUB book", BOOK),
    row("application/x-mobipocket-ebook", "a Kindle book", BOOK),
    row("application/vnd.ms-xpsdocument", "an XPS document", Some("mutool convert -o out.pdf FILE")),
    row("image/vnd.djvu", "a DjVu document", Some("ddjvu -format=pdf FILE out.pdf")),
    row("image/tiff", "a TIFF picture", Some("tiff2pdf -o out.pdf FILE")),
    row("image/heic", "an HEIC picture", PICTURE),
    row("image/avif", "an AVIF picture", PICTURE),
    row("image/jp2", "a JPEG 2000 picture", PICTURE),
    row("image/x-icon", "an icon", PICTURE),
    row("image/vnd.adobe.photoshop", "a Photoshop picture", PICTURE),
    row("application/zip", "a ZIP archive", Some("unzip FILE")),
    row("application/gzip", "a file packed by gzip", Some("gunzip -k FILE")),
    row("application/zstd", "a file packed by zstd", Some("unzstd FILE")),
    row("application/x-xz", "a file packed by xz", Some("unxz -k FILE")),
    row("application/x-bzip2", "a file packed by bzip2", Some("bunzip2 -k FILE")),
    row("application/x-7z-compressed", "a 7-Zip archive", Some("7z x FILE")),
    row("application/vnd.rar", "a RAR archive", Some("unrar x FILE")),
    row("application/vnd.sqlite3", "an SQLite database", Some("sqlite3 FILE .dump")),
];

fn find(mime: &str) -> Option<&'static OtherType> {
    TYPES.iter().find(|kind| kind.mime == mime)
}

/// The type in words with its MIME type, or the MIME type alone.
pub(super) fn named_type(mime: &str) -> String {
    find(mime).map_or_else(|| mime.to_owned(), |kind| format!("{} ({mime})", kind.name))
}

/// The command that makes of a file of this type one that is read.
pub(super) fn converter(mime: &str, path: &str) -> Option<String> {
    let command = find(mime)?.converter?;
    let file = match attached_name(path) {
        Some(name) => shell_word(&name),
        None if is_url(path) => "FILE".to_owned(),
        None => shell_word(&one_line(path)),
    };
    Some(command.replace("FILE", &file))
}

/// The command that writes an attachment to a file, which other programs need; `None` for any other path.
pub(super) fn attachment_writer(path: &str) -> Option<String> {
    let name = attached_name(path)?;
    Some(format!("pagewise get-file {} --emit raw > {}", shell_word(&one_line(path)), shell_word(&name)))
}

/// The name of the file that an attachment is written to.
fn attached_name(path: &str) -> Option<String> {
    let (_, name) = path.rsplit_once(ATTACHMENT_MARK)?;
    let name = name.rsplit(['/', '\\']).next().map(one_line).filter(|name| !name.is_empty());
    Some(name.unwrap_or_else(|| "attachment".to_owned()))
}

/// `text` as one word of a shell's command.
fn shell_word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,@%".contains(&byte);
    // A name that begins with a dash would be an option.
    let start = if text.starts_with('-') { "./" } else { "" };
    if text.bytes().all(is_plain) {
        return format!("{start}{text}");
    }
    format!("{start}'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_the_file_as_a_shell_needs_it() {
        let unzip = |path| converter("application/zip", path);
        assert_eq!(unzip("a/b.zip").as_deref(), Some("unzip a/b.zip"));
        assert_eq!(unzip("it's; rm -rf.zip").as_deref(), Some(r"unzip 'it'\''s; rm -rf.zip'"));
        assert_eq!(unzip("-o.zip").as_deref(), Some("unzip ./-o.zip"));
        assert_eq!(unzip("https://a.test/b.zip").as_deref(), Some("unzip FILE"));
        assert_eq!(converter("audio/wav", "a.wav"), None);
        let attached = "a.pdf#attachment=../old data.doc";
        assert_eq!(unzip(attached).as_deref(), Some("unzip 'old data.doc'"));
        let write = "pagewise get-file 'a.pdf#attachment=../old data.doc' --emit raw > 'old data.doc'";
        assert_eq!((attachment_writer(attached).as_deref(), attachment_writer("a.doc")), (Some(write), None));
    }
}
