//! Which file is which document, and what is known of it.

use std::collections::{BTreeMap, HashMap};

use crate::segment::{Decoder, put_number, put_text};
use pagewise_base::hash::ContentHash;

/// The version of the format. Other versions are made anew.
const VERSION: u32 = 3;

/// Bytes that a file takes at least, and with a document of its own, for the sizes of tables: two hashes, and what is
/// known.
const FILE_BYTES: usize = 2 * 32 + 1;
const DOCUMENT_AND_FILE_BYTES: usize = FILE_BYTES + 32 + 5;

/// What is known of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileRecord {
    /// A hash of the file's stat when it was read.
    pub stat: [u8; 32],
    /// The hash of its bytes.
    pub content: ContentHash,
}

/// What is known of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentRecord {
    /// Its pages that were read.
    pub pages: u32,
    /// Pages after these, which were not read since it has too much text.
    pub unread_pages: u32,
    /// Pages without usable text.
    pub without_text: u32,
    /// The date that it gives, as a number like 20240301; 0 if it gives none.
    pub date: u32,
    /// Why it cannot be read.
    pub problem: Option<String>,
}

/// The files and documents of an index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Catalogue {
    /// By absolute path.
    pub(super) files: HashMap<String, FileRecord, foldhash::fast::RandomState>,
    pub(super) documents: HashMap<ContentHash, DocumentRecord, foldhash::fast::RandomState>,
    last_id: u32,
}

impl Catalogue {
    /// The number of the next segment.
    pub(super) fn next_id(&mut self) -> u32 {
        self.last_id = self.last_id.wrapping_add(1);
        self.last_id
    }

    /// The catalogue and the numbers of the segments, as they are stored.
    pub(super) fn encode(&self, segments: &[u32]) -> Vec<u8> {
        let mut out = Vec::new();
        put_number(&mut out, self.last_id);
        put_number(&mut out, length(segments.len()));
        segments.iter().for_each(|id| put_number(&mut out, *id));
        // In order, so that the same catalogue has the same bytes.
        let documents = self.documents.iter().collect::<BTreeMap<_, _>>();
        put_number(&mut out, length(documents.len()));
        for (content, document) in documents {
            out.extend(content.0);
            put_number(&mut out, document.pages);
            put_number(&mut out, document.unread_pages);
            put_number(&mut out, document.without_text);
            put_number(&mut out, document.date);
            put_text(&mut out, document.problem.as_deref().unwrap_or_default());
        }
        for (path, file) in self.files.iter().collect::<BTreeMap<_, _>>() {
            put_text(&mut out, path);
            out.extend(file.stat);
            out.extend(file.content.0);
        }
        let mut stored = VERSION.to_le_bytes().to_vec();
        stored.extend(libdeflater::crc32(&out).to_le_bytes());
        stored.extend(out);
        stored
    }

    /// Reads a stored catalogue.
    pub(super) fn decode(bytes: &[u8]) -> Result<(Self, Vec<u32>), &'static str> {
        const DAMAGED: &str = "it is damaged";
        let (version, rest) = bytes.split_first_chunk().ok_or(DAMAGED)?;
        if u32::from_le_bytes(*version) != VERSION {
            return Err("it is of another version");
        }
        let (sum, rest) = rest.split_first_chunk().ok_or(DAMAGED)?;
        if u32::from_le_bytes(*sum) != libdeflater::crc32(rest) {
            return Err(DAMAGED);
        }
        Self::decode_entries(rest).ok_or(DAMAGED)
    }

    fn decode_entries(bytes: &[u8]) -> Option<(Self, Vec<u32>)> {
        let mut decoder = Decoder::new(bytes);
        let mut catalogue = Self { last_id: decoder.number()?, ..Self::default() };
        let segments = (0..decoder.number()?).map(|_| decoder.number()).collect::<Option<Vec<_>>>()?;
        let documents = decoder.number()?;
        catalogue.documents.reserve(decoder.remaining() / DOCUMENT_AND_FILE_BYTES);
        for _ in 0..documents {
            let content = ContentHash(decoder.array()?);
            let (pages, unread_pages) = (decoder.number()?, decoder.number()?);
            let (without_text, date) = (decoder.number()?, decoder.number()?);
            let problem = Some(decoder.text()?.to_owned()).filter(|problem| !problem.is_empty());
            catalogue.documents.insert(content, DocumentRecord { pages, unread_pages, without_text, date, problem });
        }
        catalogue.files.reserve(decoder.remaining() / FILE_BYTES);
        while !decoder.is_at_end() {
            let path = decoder.text()?.to_owned();
            let file = FileRecord { stat: decoder.array()?, content: ContentHash(decoder.array()?) };
            catalogue.files.insert(path, file);
        }
        Some((catalogue, segments))
    }
}

fn length(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalogue_is_read_as_written_and_damage_is_refused() {
        let content = ContentHash::of(b"a");
        let mut catalogue = Catalogue::default();
        catalogue.next_id();
        catalogue.files.insert("/a.pdf".to_owned(), FileRecord { stat: [7; 32], content });
        let problem = Some("damaged".to_owned());
        let record = DocumentRecord { pages: 300, unread_pages: 7, without_text: 2, date: 20240301, problem };
        catalogue.documents.insert(content, record);
        let bytes = catalogue.encode(&[1, 9]);
        assert_eq!(Catalogue::decode(&bytes), Ok((catalogue, vec![1, 9])));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1);
            assert!(Catalogue::decode(&damaged).is_err(), "{at}");
            assert!(Catalogue::decode(bytes.get(..at).unwrap_or_default()).is_err(), "{at}");
        }
    }
}
