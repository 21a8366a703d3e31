//! Verifies a chunk before it is returned: it is read back, must have its pages, and must have no dangling reference.
//!
//! Pages of sound files are read back by the direct reader, which shares no code with the writer. It requires every
//! object at its cross-reference offset and every stream to end where `/Length` says. Findings about bytes that several
//! pages share are cached: object streams, and long stream data.
//!
//! Pages of repaired files are read back by lopdf, an independent reader, unless they have very many objects. lopdf on
//! every page would double the cost of a split and found no further defects; see `benches/README.md`.

use super::chunk_cache::ChunkCache;
use super::closure::CATALOG;
use super::writer::ChunkFile;
use bytes::Bytes;
use lopdf::{Document, Object as LopdfObject};
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::object::{Dictionary, Object, ObjectId, Stream};
use pagewise_document::objects::Objects;
use pagewise_document::{DirectReader, DocumentError, FileBytes, ObjectKind, ObjectStream, ParsedDocument, Tier};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Chunks with more bytes of objects are not given to lopdf, which takes 15 times as much memory.
const MAX_LOPDF_OBJECT_BYTES: usize = 4 << 20;

/// Why a chunk failed verification.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChunkDefect {
    /// The chunk cannot be read.
    #[error("it cannot be read back: {reason}")]
    Unreadable {
        /// The reader's error.
        reason: String,
    },
    /// The chunk has the wrong number of pages.
    #[error("it has {pages} pages")]
    Pages {
        /// Pages found in the chunk.
        pages: usize,
    },
    /// A page has no media box.
    #[error("its page has no media box")]
    NoMediaBox,
    /// A reference leads nowhere.
    #[error("object {number} is referred to and missing")]
    DanglingReference {
        /// The missing object's number.
        number: u32,
    },
}

impl From<DocumentError> for ChunkDefect {
    fn from(error: DocumentError) -> Self {
        Self::Unreadable { reason: error.to_string() }
    }
}

/// Returns the file of `chunk`, cut out of `reading`, if it is sound and has `expected` pages.
pub(super) fn verify(chunk: ChunkFile, expected: usize, parsed: &ParsedDocument) -> Result<Bytes, ChunkDefect> {
    ChunkCache::with(parsed, |cache| check(chunk, expected, parsed.tier, &parsed.limits, cache))
}

fn check(
    chunk: ChunkFile,
    expected: usize,
    tier: Tier,
    limits: &Limits,
    cache: &ChunkCache,
) -> Result<Bytes, ChunkDefect> {
    match tier {
        Tier::Direct => check_with_direct_reader(&chunk, expected, limits, cache)?,
        _ if chunk.object_bytes > MAX_LOPDF_OBJECT_BYTES => check_with_direct_reader(&chunk, expected, limits, cache)?,
        _ => check_with_lopdf(&chunk.bytes, expected)?,
    }
    Ok(chunk.bytes)
}

fn check_with_direct_reader(
    chunk: &ChunkFile,
    expected: usize,
    limits: &Limits,
    cache: &ChunkCache,
) -> Result<(), ChunkDefect> {
    let reader = DirectReader::open(Arc::new(FileBytes::in_memory(chunk.bytes.clone())), limits)?;
    let size = reader.trailer().get(b"Size").and_then(Object::as_integer);
    let size =
        size.and_then(|size| u32::try_from(size).ok()).ok_or(DocumentError::damaged("a trailer without /Size"))?;
    let mut pages = 0;
    let mut beyond = None;
    let mut referred = vec![false; usize::try_from(size).unwrap_or(usize::MAX)];
    let mut refer = |id: ObjectId| {
        let known = usize::try_from(id.number).ok().and_then(|number| referred.get_mut(number));
        known.map_or_else(|| beyond = Some(id.number), |referred| *referred = true);
    };
    let mut members = BTreeMap::<u32, Vec<u32>>::new();
    let mut others_are_streams = true;
    for number in 1..size {
        limits.deadline.check().map_err(DocumentError::from)?;
        match reader.scan_references(number, &chunk.checked_ranges, &mut refer)? {
            ObjectKind::Free | ObjectKind::Stream => {}
            ObjectKind::Other => others_are_streams = false,
            ObjectKind::Page => {
                others_are_streams = false;
                pages += 1;
            }
            ObjectKind::Member { container } => members.entry(container).or_default().push(number),
        }
    }
    // If all dictionaries are in one object stream, so is the page tree: its nodes are no streams.
    let holds_tree = members.len() == 1 && others_are_streams;
    let mut holder = None;
    for (container, numbers) in members {
        let stream = reader.stored_object_stream(container)?;
        let scan = cache.member_scan(&stream, &numbers, || {
            let members = reader.object_stream(container)?;
            MemberScan::of(&stream, &members, &numbers, limits)
        })?;
        scan.references.iter().copied().for_each(&mut refer);
        pages += scan.pages;
        holder = Some(scan).filter(|scan| holds_tree && scan.holds_catalog(reader.trailer()));
    }
    for (number, _) in (0..size).zip(referred).filter(|(_, referred)| *referred) {
        if !reader.has_object(number)? {
            return Err(ChunkDefect::DanglingReference { number });
        }
    }
    if let Some(number) = beyond {
        return Err(ChunkDefect::DanglingReference { number });
    }
    let counted = match holder.as_ref().and_then(|holder| holder.leaves.get()) {
        Some(known) => *known,
        None => {
            let counted = count_leaves(reader, limits)?;
            holder.map_or(counted, |holder| *holder.leaves.get_or_init(|| counted))
        }
    };
    if let Some(pages) = [pages, counted].into_iter().find(|pages| *pages != expected) {
        return Err(ChunkDefect::Pages { pages });
    }
    Ok(())
}

/// Counts the pages in the page tree. Each must have a media box.
fn count_leaves(reader: DirectReader, limits: &Limits) -> Result<usize, ChunkDefect> {
    let parsed = ParsedDocument::new(Tier::Direct, Box::new(reader), limits)?;
    for index in (0..parsed.tree.count()).map(PageIndex) {
        let leaf = parsed.tree.leaf(&*parsed.objects, index, limits)?;
        leaf.inherited.media_box.as_ref().ok_or(ChunkDefect::NoMediaBox)?;
    }
    Ok(usize::try_from(parsed.tree.count()).unwrap_or(usize::MAX))
}

/// Findings about the members of an object stream, independent of the rest of the chunk.
#[derive(Debug)]
pub(super) struct MemberScan {
    /// The object stream.
    stream: Stream,
    /// The members' object numbers.
    numbers: Vec<u32>,
    /// Members that are pages.
    pages: usize,
    /// References in the members.
    references: Vec<ObjectId>,
    /// Leaves of the page tree, if the whole tree is in this object stream.
    leaves: OnceLock<usize>,
}

impl MemberScan {
    fn of(stream: &Stream, members: &ObjectStream, numbers: &[u32], limits: &Limits) -> Result<Self, DocumentError> {
        let (mut pages, mut references) = (0, Vec::new());
        for number in numbers {
            limits.deadline.check()?;
            let is_page = members.scan_references(*number, limits, &mut |id| references.push(id))?;
            pages += usize::from(is_page);
        }
        references.sort_unstable();
        references.dedup();
        // A slice would keep the whole chunk in memory.
        let data = Bytes::copy_from_slice(&stream.data);
        let stream = Stream { dictionary: stream.dictionary.clone(), data };
        Ok(Self { stream, numbers: numbers.to_vec(), pages, references, leaves: OnceLock::new() })
    }

    /// Whether this is the scan of the members `numbers` of `stream`.
    pub(super) fn is_of(&self, stream: &Stream, numbers: &[u32]) -> bool {
        self.numbers == numbers && self.stream == *stream
    }

    /// Approximate size in memory, in bytes.
    pub(super) fn size(&self) -> usize {
        let references = self.references.len().saturating_mul(size_of::<ObjectId>());
        self.stream.data.len().saturating_add(self.numbers.len().saturating_mul(4)).saturating_add(references)
    }

    fn holds_catalog(&self, trailer: &Dictionary) -> bool {
        let root = trailer.get(b"Root").and_then(Object::as_reference);
        root.is_some_and(|root| root.number == CATALOG) && self.numbers.binary_search(&CATALOG).is_ok()
    }
}

/// Reads the chunk back with lopdf, which took no part in writing it.
fn check_with_lopdf(chunk: &[u8], expected: usize) -> Result<(), ChunkDefect> {
    let document = Document::load_mem(chunk).map_err(|error| ChunkDefect::Unreadable { reason: error.to_string() })?;
    let is_page = |object: &LopdfObject| object.as_dict().is_ok_and(|dictionary| dictionary.has_type(b"Page"));
    let pages = document.objects.values().filter(|object| is_page(object)).count();
    if pages != expected {
        return Err(ChunkDefect::Pages { pages });
    }
    let mut found = 0;
    for page in document.page_iter() {
        let media_box = document.get_dictionary(page).and_then(|page| page.get(b"MediaBox"));
        media_box.map_err(|_| ChunkDefect::NoMediaBox)?;
        found += 1;
    }
    if found != expected {
        return Err(ChunkDefect::Pages { pages: found });
    }
    document.objects.values().try_for_each(|object| check_references(object, &document))
}

fn check_references(object: &LopdfObject, document: &Document) -> Result<(), ChunkDefect> {
    match object {
        LopdfObject::Reference(id) if !document.objects.contains_key(id) => {
            Err(ChunkDefect::DanglingReference { number: id.0 })
        }
        LopdfObject::Array(elements) => elements.iter().try_for_each(|element| check_references(element, document)),
        LopdfObject::Dictionary(entries) => entries.iter().try_for_each(|(_, value)| check_references(value, document)),
        LopdfObject::Stream(stream) => stream.dict.iter().try_for_each(|(_, value)| check_references(value, document)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::closure::SerializedObject;
    use super::super::writer;
    use super::*;

    /// The defects that each reader finds in a chunk of these objects, numbered from 1.
    fn defects(objects: &[&str], expected: usize) -> [Option<ChunkDefect>; 2] {
        let numbered = (1..).zip(objects);
        let serialized = numbered.map(|(number, object)| SerializedObject {
            number,
            source: None,
            bytes: object.as_bytes().to_vec(),
            data: None,
            filter_at: 0,
        });
        let last = u32::try_from(objects.len()).unwrap_or(u32::MAX);
        let chunk = writer::write(serialized.collect(), last, "1.7", &ChunkCache::default());
        [Tier::Direct, Tier::HayroSyntax]
            .map(|tier| check(chunk.clone(), expected, tier, &Limits::default(), &ChunkCache::default()).err())
    }

    const CATALOG: &str = "<</Pages 2 0 R/Type/Catalog>>";
    const PAGE: &str = "<</MediaBox[0 0 9 9]/Parent 2 0 R/Type/Page>>";

    #[test]
    fn both_readers_take_what_is_sound_and_refuse_what_is_not() {
        let one = "<</Count 1/Kids[3 0 R]/Type/Pages>>";
        let two = "<</Count 2/Kids[3 0 R 4 0 R]/Type/Pages>>";
        assert_eq!(defects(&[CATALOG, one, PAGE], 1), [None, None]);
        assert_eq!(defects(&[CATALOG, two, PAGE, PAGE], 2), [None, None]);
        let both = |unsound: ChunkDefect| [Some(unsound.clone()), Some(unsound)];
        assert_eq!(defects(&[CATALOG, two, PAGE, PAGE], 1), both(ChunkDefect::Pages { pages: 2 }));
        // A page that is not in the page tree.
        assert_eq!(defects(&[CATALOG, one, PAGE, PAGE], 1), both(ChunkDefect::Pages { pages: 2 }));
        let boxless = "<</Parent 2 0 R/Type/Page>>";
        assert_eq!(defects(&[CATALOG, one, boxless], 1), both(ChunkDefect::NoMediaBox));
        let dangling = "<</Annots[[<</A 77 0 R>>]]/MediaBox[0 0 9 9]/Parent 2 0 R/Type/Page>>";
        assert_eq!(defects(&[CATALOG, one, dangling], 1), both(ChunkDefect::DanglingReference { number: 77 }));
        let broken = "<</MediaBox[0 0 9 9/Type/Page>>";
        assert!(defects(&[CATALOG, one, broken], 1).iter().all(Option::is_some));
    }

    /// A chunk of one page with optional content. The object stream is the same in both cases.
    fn page_with(content: Option<&[u8]>) -> ChunkFile {
        let page = "<</Contents 4 0 R/MediaBox[0 0 9 9]/Parent 2 0 R/Type/Page>>";
        let objects = [CATALOG, "<</Count 1/Kids[3 0 R]/Type/Pages>>", page];
        let body = |(number, object): (u32, &str), data: Option<&[u8]>| SerializedObject {
            number,
            source: None,
            bytes: object.as_bytes().to_vec(),
            data: data.map(Bytes::copy_from_slice),
            filter_at: 2,
        };
        let mut serialized: Vec<SerializedObject> = (1..).zip(objects).map(|object| body(object, None)).collect();
        // A filter keeps the data unchanged.
        serialized.extend(content.map(|content| body((4, "<</Filter/DCTDecode>>"), Some(content))));
        writer::write(serialized, 4, "1.7", &ChunkCache::default())
    }

    #[test]
    fn what_is_known_of_an_object_stream_says_nothing_of_what_is_beside_it() {
        let cache = ChunkCache::default();
        let found = |chunk| check(chunk, 1, Tier::Direct, &Limits::default(), &cache).err();
        for _ in 0..2 {
            assert_eq!(found(page_with(Some(b"0 0 m"))), None);
            assert_eq!(found(page_with(None)), Some(ChunkDefect::DanglingReference { number: 4 }));
        }
    }

    #[test]
    fn data_in_which_a_stream_seems_to_end_is_found_whoever_looks_for_it() {
        let found = |chunk| check(chunk, 1, Tier::Direct, &Limits::default(), &ChunkCache::default()).err();
        let is_refused = |chunk| matches!(found(chunk), Some(ChunkDefect::Unreadable { .. }));
        for length in [100, 10_000] {
            let checked_ranges = vec![b'x'; length];
            let mut ended = checked_ranges.clone();
            ended.extend(b"\nendstream endobj ");
            assert_eq!(found(page_with(Some(&checked_ranges))), None);
            assert!(is_refused(page_with(Some(&ended))));
            // Known ranges that are not those of a stream are ignored.
            let mut chunk = page_with(Some(&ended));
            chunk.checked_ranges.push(0..chunk.bytes.len() as u64);
            assert!(is_refused(chunk));
        }
        let ChunkFile { bytes, checked_ranges, .. } = page_with(Some(&[b'x'; 10_000]));
        let start = bytes.iter().position(|byte| *byte == b'x').unwrap_or_default() as u64;
        assert_eq!(checked_ranges.first(), Some(&(start..start + 10_000)));
        assert_eq!(checked_ranges.len(), 1);
    }

    #[test]
    fn a_type_is_one_only_as_a_key_of_the_object_itself() {
        let one = "<</Count 1/Kids[3 0 R]/Type/Pages>>";
        let page = "<</MediaBox[0 0 9 9]/Parent 2 0 R/PieceInfo<</Type/Page>>/Type/Page/Z/Type>>";
        assert_eq!(defects(&[CATALOG, one, page], 1), [None, None]);
        let other = "<</A/Type/Page/B/Type/Other>>";
        assert_eq!(defects(&[CATALOG, one, PAGE, other], 1), [None, None]);
    }
}
