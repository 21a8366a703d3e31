//! Office documents, books and notebooks → parts as Markdown.
//!
//! The crate anydoc reads all formats but notebooks, and gives one list of blocks. What it does not tell is written into a
//! copy of the file before: where a slide begins, comments, tracked changes, hidden text, formulas. See [`prepare`]. So each
//! stands in its place, and the blocks are the only thing that is divided into parts and written.
//!
//! Nothing is unpacked to a disk, and nothing outside the file is read. Pictures and other data are never unpacked.

mod archive;
mod markdown;
mod notebook;
mod opendocument;
mod parts;
mod prepare;
mod properties;
mod sheets;
mod slides;
mod word;
mod xml;

use pagewise_base::parts::{ENCRYPTED_STREAM, OfficeFormat, PartsFault, PartsInfo, says_notebook};

use self::archive::Archive;
use self::parts::Division;
use self::prepare::MarkedCopies;
pub use self::properties::Properties;

/// Maximum bytes of such a file. 128 MiB: what it holds is unpacked several times over.
pub const MAX_OFFICE_BYTES: u64 = 128 << 20;

/// A file that was read.
#[derive(Debug)]
pub struct Office {
    /// Its parts in order.
    pub parts: Vec<OfficePart>,
    /// Its headings, slides or sheets.
    pub outline: Vec<Heading>,
    /// What it says of itself.
    pub properties: Properties,
    /// What it has in all.
    pub info: PartsInfo,
}

/// A part of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfficePart {
    /// Its name, on one line.
    pub name: String,
    /// Its Markdown.
    pub markdown: String,
    /// Its text that a reader does not see. It is not in `markdown`.
    pub hidden: String,
    /// Its comments, which are in `markdown` where they belong.
    pub comments: usize,
    /// Where its images are stored in the file, each once. See [`images`].
    pub images: Vec<String>,
}

/// An entry of the outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// Its level; 0 at the top.
    pub depth: u32,
    /// Its text on one line.
    pub title: String,
    /// The index of the part that it stands in.
    pub part: usize,
}

/// How a compound file begins ([MS-CFB], 2.2).
const COMPOUND_FILE: &[u8] = b"\xd0\xcf\x11\xe0";

/// Whether a file that begins with these bytes may have parts. Only [`detect`] knows.
#[must_use]
pub fn may_be_office(head: &[u8]) -> bool {
    head.starts_with(b"PK") || head.starts_with(COMPOUND_FILE) || head.trim_ascii_start().starts_with(b"{")
}

/// The format of a file, by its content alone.
#[must_use]
pub fn detect(bytes: &[u8]) -> Option<OfficeFormat> {
    if bytes.trim_ascii_start().starts_with(b"{") && says_notebook(bytes) {
        return Some(OfficeFormat::Notebook);
    }
    let stream: Vec<u8> = ENCRYPTED_STREAM.encode_utf16().flat_map(u16::to_le_bytes).collect();
    if bytes.starts_with(COMPOUND_FILE) && bytes.windows(stream.len()).any(|window| window == stream) {
        return Some(OfficeFormat::Encrypted);
    }
    let is_workbook = |bytes: &[u8]| if bytes.starts_with(b"PK") { OfficeFormat::Xlsx } else { OfficeFormat::Xls };
    Some(match anydoc::Format::from_bytes(bytes)? {
        anydoc::Format::Doc => OfficeFormat::Doc,
        anydoc::Format::Docx => OfficeFormat::Docx,
        anydoc::Format::Odt => OfficeFormat::Odt,
        anydoc::Format::Ppt => OfficeFormat::Ppt,
        anydoc::Format::Pptx => OfficeFormat::Pptx,
        anydoc::Format::Rtf => OfficeFormat::Rtf,
        anydoc::Format::Epub => OfficeFormat::Epub,
        anydoc::Format::Excel => is_workbook(bytes),
        anydoc::Format::Ods => OfficeFormat::Ods,
        anydoc::Format::Odp => OfficeFormat::Odp,
        anydoc::Format::Pdf | anydoc::Format::Csv => return None,
    })
}

impl Office {
    /// Reads a file of this format.
    ///
    /// # Errors
    /// [`PartsFault`].
    pub fn read(bytes: &[u8], format: OfficeFormat) -> Result<Self, PartsFault> {
        match format {
            OfficeFormat::Notebook => return notebook::read(bytes),
            OfficeFormat::Encrypted => return Err(PartsFault::Encrypted),
            _ => {}
        }
        let Some(mut archive) = Archive::open(bytes)? else {
            let document = anydoc::to_document(bytes, reader_format(format)).map_err(failure)?;
            let mut division = Division::new(format);
            division.add(&document, &[]);
            return Ok(division.finish(Properties::default()));
        };
        let properties = Properties::of(&mut archive);
        let mut prepared = MarkedCopies::of(&mut archive, format)?;
        let mut division = Division::new(format);
        let copies = std::mem::take(&mut prepared.copies);
        let is_large = copies.len() > 1;
        for (at, changed) in copies.into_iter().enumerate() {
            let copy = archive.with(&changed)?;
            drop(changed);
            let document = anydoc::to_document(&copy, reader_format(format)).map_err(failure)?;
            let sheets = if is_large { prepared.sheets.get(at..=at) } else { Some(prepared.sheets.as_slice()) };
            division.add(&document, sheets.unwrap_or_default());
        }
        division.add_beside(prepared.running, prepared.remarks);
        Ok(division.finish(properties))
    }
}

/// The data of images as the file stores them, by their places; empty for those that are missing or too large.
///
/// # Errors
/// [`PartsFault`].
pub fn images(bytes: &[u8], format: OfficeFormat, places: &[String]) -> Result<Vec<Vec<u8>>, PartsFault> {
    if format == OfficeFormat::Notebook {
        return notebook::images(bytes, places);
    }
    if let Some(mut archive) = Archive::open(bytes)? {
        return Ok(places.iter().map(|place| archive.content(place).unwrap_or_default()).collect());
    }
    let document = anydoc::to_document(bytes, reader_format(format)).map_err(failure)?;
    let data = |place: &String| document.assets.iter().find(|asset| asset.origin_part == *place);
    Ok(places.iter().map(|place| data(place).map(|asset| asset.bytes.clone()).unwrap_or_default()).collect())
}

fn reader_format(format: OfficeFormat) -> Option<anydoc::Format> {
    Some(match format {
        OfficeFormat::Docx => anydoc::Format::Docx,
        OfficeFormat::Pptx => anydoc::Format::Pptx,
        OfficeFormat::Xlsx | OfficeFormat::Xls => anydoc::Format::Excel,
        OfficeFormat::Odt => anydoc::Format::Odt,
        OfficeFormat::Odp => anydoc::Format::Odp,
        OfficeFormat::Ods => anydoc::Format::Ods,
        OfficeFormat::Doc => anydoc::Format::Doc,
        OfficeFormat::Ppt => anydoc::Format::Ppt,
        OfficeFormat::Rtf => anydoc::Format::Rtf,
        OfficeFormat::Epub => anydoc::Format::Epub,
        OfficeFormat::Notebook | OfficeFormat::Encrypted => return None,
    })
}

fn failure(error: anydoc::ConvertError) -> PartsFault {
    match error {
        anydoc::ConvertError::Encrypted => PartsFault::Encrypted,
        anydoc::ConvertError::ResourceLimit { detail, .. } => PartsFault::TooLarge(detail),
        error => PartsFault::Damaged(error.to_string()),
    }
}
