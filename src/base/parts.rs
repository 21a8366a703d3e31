//! Office documents, books and notebooks: their formats, the parts that count as their pages, and errors.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A format of such files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OfficeFormat {
    /// ISO/IEC 29500, WordprocessingML.
    Docx,
    /// ISO/IEC 29500, PresentationML.
    Pptx,
    /// ISO/IEC 29500, SpreadsheetML.
    Xlsx,
    /// OpenDocument text.
    Odt,
    /// OpenDocument presentation.
    Odp,
    /// OpenDocument spreadsheet.
    Ods,
    /// [MS-DOC].
    Doc,
    /// [MS-PPT].
    Ppt,
    /// [MS-XLS].
    Xls,
    /// Rich Text Format.
    Rtf,
    /// EPUB 2 and 3.
    Epub,
    /// Jupyter notebook.
    Notebook,
    /// An encrypted Word document, PowerPoint presentation or Excel workbook; which of them is encrypted too
    /// ([MS-OFFCRYPTO], 1.3.3).
    Encrypted,
}

impl OfficeFormat {
    const ALL: [Self; 13] = [
        Self::Docx,
        Self::Pptx,
        Self::Xlsx,
        Self::Odt,
        Self::Odp,
        Self::Ods,
        Self::Doc,
        Self::Ppt,
        Self::Xls,
        Self::Rtf,
        Self::Epub,
        Self::Notebook,
        Self::Encrypted,
    ];

    /// What people call such a file, and its MIME type.
    const fn row(self) -> (&'static str, &'static str) {
        match self {
            Self::Docx => ("Word document", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            Self::Pptx => {
                ("PowerPoint presentation", "application/vnd.openxmlformats-officedocument.presentationml.presentation")
            }
            Self::Xlsx => ("Excel workbook", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            Self::Odt => ("OpenDocument text", "application/vnd.oasis.opendocument.text"),
            Self::Odp => ("OpenDocument presentation", "application/vnd.oasis.opendocument.presentation"),
            Self::Ods => ("OpenDocument spreadsheet", "application/vnd.oasis.opendocument.spreadsheet"),
            Self::Doc => ("Word document", "application/msword"),
            Self::Ppt => ("PowerPoint presentation", "application/vnd.ms-powerpoint"),
            Self::Xls => ("Excel workbook", "application/vnd.ms-excel"),
            Self::Rtf => ("Rich Text document", "application/rtf"),
            Self::Epub => ("EPUB book", "application/epub+zip"),
            Self::Notebook => ("Jupyter notebook", "application/x-ipynb+json"),
            Self::Encrypted => ("Office document", "application/encrypted"),
        }
    }

    /// What people call such a file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The MIME type.
    #[must_use]
    pub const fn mime(self) -> &'static str {
        self.row().1
    }

    /// The format of this MIME type.
    #[must_use]
    pub fn of_mime(mime: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.mime() == mime)
    }
}

/// The stream of a compound file that holds an encrypted document.
pub const ENCRYPTED_STREAM: &str = "EncryptedPackage";

/// Whether JSON says that it is a notebook: `"nbformat"` with a number.
#[must_use]
pub fn says_notebook(json: &[u8]) -> bool {
    let key = b"\"nbformat\"";
    json.windows(key.len()).enumerate().filter(|(_, window)| window == key).any(|(at, _)| {
        let value = json.get(at.saturating_add(key.len())..).unwrap_or_default().trim_ascii_start();
        value.strip_prefix(b":").is_some_and(|value| value.trim_ascii_start().first().is_some_and(u8::is_ascii_digit))
    })
}

/// What a part of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartKind {
    /// A section under a heading of this level or a higher one; without headings, a few paragraphs.
    Section(Option<u8>),
    /// A slide with its notes.
    Slide,
    /// A sheet, or a range of its rows.
    Sheet,
    /// A chapter.
    Chapter,
    /// Cells of a notebook with their outputs.
    Cells,
}

impl fmt::Display for PartKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Section(None) => "some paragraphs",
            Self::Section(Some(1)) => "a section under a heading of level 1",
            Self::Section(Some(level)) => return write!(f, "a section under a heading of level {level} or higher"),
            Self::Slide => "a slide with its notes",
            Self::Sheet => "a sheet, or a range of its rows",
            Self::Chapter => "a chapter",
            Self::Cells => "a group of cells with their outputs",
        })
    }
}

/// The name of image `number` of a part, counted from 1, where its Markdown shows it.
#[must_use]
pub fn image_name(number: usize) -> String {
    format!("image{number}")
}

/// What a file with parts has in all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartsInfo {
    /// The format.
    pub format: OfficeFormat,
    /// What a part of it is.
    pub part: PartKind,
    /// Words.
    pub words: u64,
    /// Tables; a sheet is none.
    pub tables: u64,
    /// Images.
    pub images: u64,
    /// What is marked or left out, one sentence each: untrusted text on one line.
    pub remarks: Vec<String>,
}

/// Why a file with parts, or a part of it, cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{fault}")]
pub struct PartsError {
    /// The format of the file.
    pub format: OfficeFormat,
    /// What is wrong.
    pub fault: PartsFault,
}

/// What is wrong with a file with parts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum PartsFault {
    /// It has no pages to draw or to cut.
    #[error("it has no pages to draw or cut, and comes as text")]
    OnlyText,
    /// It is encrypted, and is not decrypted here.
    #[error("it is encrypted, and such files are not decrypted here")]
    Encrypted,
    /// It exceeds what is read.
    #[error("{0}")]
    TooLarge(String),
    /// No content can be found in it.
    #[error("{0}")]
    Damaged(String),
}

impl PartsFault {
    /// The error of a file of this format.
    #[must_use]
    pub fn of(self, format: OfficeFormat) -> PartsError {
        PartsError { format, fault: self }
    }
}
