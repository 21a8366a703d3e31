//! The last look at a chunk before it leaves: it is read back, and must have its pages, whole, and no reference that leads
//! nowhere.
//!
//! Pages of sound files are read back by the strict reader, which shares nothing with the writer: every object must
//! stand where the cross references say, every stream must end where its length says. What was found of bytes that are, one
//! for one, those of another page of the document is not looked for again: of long data, that no stream seems to end in it,
//! and of an object stream all that follows from it. That was 18 % of the instructions of a split of a book of 352 pages, 303
//! of which have the object stream of another one.
//!
//! Pages of files that were repaired are read back by lopdf instead, but for those of very many objects: there objects are
//! odd, and a reader of another hand sees other things. lopdf on every page was 43 to 47 % of the instructions of a split, and
//! of 3,564 pages, the first eight of 2,260 files, it refused none that the strict reader took.

use super::closure::CATALOG;
use super::shared::Shared;
use super::writer::Written;
use bytes::Bytes;
use lopdf::{Document, Object as Theirs};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::document::object::{Dictionary, Object, ObjectId, Stream};
use crate::document::objects::Objects;
use crate::document::{DirectReader, DocumentError, FileBytes, ObjectStream, Reading, Seen, Tier};
use crate::limits::Limits;
use crate::page::PageIndex;

/// Objects of a page of a repaired file that lopdf is asked about: it takes 15 times as much memory, and of 33,000 annotations
/// a third of a second. Of the real files one has a page with more.
const MAX_SECOND_OPINION_BYTES: usize = 4 << 20;

/// What is wrong with a chunk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsound {
    /// It cannot be read.
    #[error("it cannot be read back: {reason}")]
    Unreadable {
        /// The reader's reason.
        reason: String,
    },
    /// It has another number of pages than were put into it.
    #[error("it has {pages} pages")]
    Pages {
        /// How many.
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

impl From<DocumentError> for Unsound {
    fn from(error: DocumentError) -> Self {
        Self::Unreadable { reason: error.to_string() }
    }
}

/// Reads `chunk`, which was made out of `reading`, back, and gives it back where it has `expected` pages.
pub(super) fn verify(chunk: Written, expected: usize, reading: &Reading) -> Result<Bytes, Unsound> {
    Shared::with(reading, |shared| sound(chunk, expected, reading.tier, &reading.limits, shared))
}

fn sound(chunk: Written, expected: usize, tier: Tier, limits: &Limits, shared: &Shared) -> Result<Bytes, Unsound> {
    match tier {
        Tier::Direct => read_back(&chunk, expected, limits, shared)?,
        _ if chunk.object_bytes > MAX_SECOND_OPINION_BYTES => read_back(&chunk, expected, limits, shared)?,
        _ => second_opinion(&chunk.bytes, expected)?,
    }
    Ok(chunk.bytes)
}

fn read_back(chunk: &Written, expected: usize, limits: &Limits, shared: &Shared) -> Result<(), Unsound> {
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
        match reader.survey(number, &chunk.plain, &mut refer)? {
            Seen::Nothing | Seen::Stream => {}
            Seen::Object => others_are_streams = false,
            Seen::Page => {
                others_are_streams = false;
                pages += 1;
            }
            Seen::Member { container } => members.entry(container).or_default().push(number),
        }
    }
    // All dictionaries stand in one object stream: no stream is a node of a page tree.
    let holds_tree = members.len() == 1 && others_are_streams;
    let mut holder = None;
    for (container, numbers) in members {
        let stream = reader.container(container)?;
        let surveyed = shared.surveyed(&stream, &numbers, || {
            let members = reader.members(container)?;
            Surveyed::of(&stream, &members, &numbers, limits)
        })?;
        surveyed.references.iter().copied().for_each(&mut refer);
        pages += surveyed.pages;
        holder = Some(surveyed).filter(|surveyed| holds_tree && surveyed.holds_catalog(reader.trailer()));
    }
    for (number, _) in (0..size).zip(referred).filter(|(_, referred)| *referred) {
        if !reader.holds(number)? {
            return Err(Unsound::DanglingReference { number });
        }
    }
    if let Some(number) = beyond {
        return Err(Unsound::DanglingReference { number });
    }
    let counted = match holder.as_ref().and_then(|holder| holder.leaves.get()) {
        Some(known) => *known,
        None => {
            let counted = leaves(reader, limits)?;
            holder.map_or(counted, |holder| *holder.leaves.get_or_init(|| counted))
        }
    };
    if let Some(pages) = [pages, counted].into_iter().find(|pages| *pages != expected) {
        return Err(Unsound::Pages { pages });
    }
    Ok(())
}
/// How many pages are in the page tree, each of which has a media box.
fn leaves(reader: DirectReader, limits: &Limits) -> Result<usize, Unsound> {
    let reading = Reading::new(Tier::Direct, Box::new(reader), limits)?;
    for index in (0..reading.tree.count()).map(PageIndex) {
        let leaf = reading.tree.leaf(&*reading.objects, index, limits)?;
        leaf.inherited.media_box.as_ref().ok_or(Unsound::NoMediaBox)?;
    }
    Ok(usize::try_from(reading.tree.count()).unwrap_or(usize::MAX))
}

/// What follows from the members of an object stream alone.
#[derive(Debug)]
pub(super) struct Surveyed {
    /// The object stream.
    stream: Stream,
    /// The members' numbers.
    numbers: Vec<u32>,
    /// How many are pages.
    pages: usize,
    /// What they refer to.
    references: Vec<ObjectId>,
    /// How many [`leaves`] the page tree has, where all of it is here.
    leaves: OnceLock<usize>,
}

impl Surveyed {
    fn of(stream: &Stream, members: &ObjectStream, numbers: &[u32], limits: &Limits) -> Result<Self, DocumentError> {
        let (mut pages, mut references) = (0, Vec::new());
        for number in numbers {
            limits.deadline.check()?;
            let is_page = members.survey(*number, limits, &mut |id| references.push(id))?;
            pages += usize::from(is_page);
        }
        references.sort_unstable();
        references.dedup();
        // Not a part of the chunk, which would be kept with it.
        let data = Bytes::copy_from_slice(&stream.data);
        let stream = Stream { dictionary: stream.dictionary.clone(), data };
        Ok(Self { stream, numbers: numbers.to_vec(), pages, references, leaves: OnceLock::new() })
    }

    /// Whether this is what is found of the members `numbers` in `stream`.
    pub(super) fn is_of(&self, stream: &Stream, numbers: &[u32]) -> bool {
        self.numbers == numbers && self.stream == *stream
    }

    /// Bytes that keeping this costs.
    pub(super) fn size(&self) -> usize {
        let references = self.references.len().saturating_mul(size_of::<ObjectId>());
        self.stream.data.len().saturating_add(self.numbers.len().saturating_mul(4)).saturating_add(references)
    }

    fn holds_catalog(&self, trailer: &Dictionary) -> bool {
        let root = trailer.get(b"Root").and_then(Object::as_reference);
        root.is_some_and(|root| root.number == CATALOG) && self.numbers.binary_search(&CATALOG).is_ok()
    }
}

/// What lopdf, which had no part in anything, finds.
fn second_opinion(chunk: &[u8], expected: usize) -> Result<(), Unsound> {
    let document = Document::load_mem(chunk).map_err(|error| Unsound::Unreadable { reason: error.to_string() })?;
    let is_page = |object: &Theirs| object.as_dict().is_ok_and(|dictionary| dictionary.has_type(b"Page"));
    let pages = document.objects.values().filter(|object| is_page(object)).count();
    if pages != expected {
        return Err(Unsound::Pages { pages });
    }
    let mut found = 0;
    for page in document.page_iter() {
        let media_box = document.get_dictionary(page).and_then(|page| page.get(b"MediaBox"));
        media_box.map_err(|_| Unsound::NoMediaBox)?;
        found += 1;
    }
    if found != expected {
        return Err(Unsound::Pages { pages: found });
    }
    document.objects.values().try_for_each(|object| leads_somewhere(object, &document))
}

fn leads_somewhere(object: &Theirs, document: &Document) -> Result<(), Unsound> {
    match object {
        Theirs::Reference(id) if !document.objects.contains_key(id) => Err(Unsound::DanglingReference { number: id.0 }),
        Theirs::Array(elements) => elements.iter().try_for_each(|element| leads_somewhere(element, document)),
        Theirs::Dictionary(entries) => entries.iter().try_for_each(|(_, value)| leads_somewhere(value, document)),
        Theirs::Stream(stream) => stream.dict.iter().try_for_each(|(_, value)| leads_somewhere(value, document)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::closure::Body;
    use super::super::writer;
    use super::*;

    /// What both readers find in a chunk of these objects, numbered from 1.
    fn findings(objects: &[&str], expected: usize) -> [Option<Unsound>; 2] {
        let numbered = (1..).zip(objects);
        let bodies = numbered.map(|(number, object)| Body {
            number,
            source: None,
            bytes: object.as_bytes().to_vec(),
            data: None,
            filter_at: 0,
        });
        let last = u32::try_from(objects.len()).unwrap_or(u32::MAX);
        let chunk = writer::write(bodies.collect(), last, "1.7", &Shared::default());
        [Tier::Direct, Tier::HayroSyntax]
            .map(|tier| sound(chunk.clone(), expected, tier, &Limits::default(), &Shared::default()).err())
    }

    const CATALOG: &str = "<</Pages 2 0 R/Type/Catalog>>";
    const PAGE: &str = "<</MediaBox[0 0 9 9]/Parent 2 0 R/Type/Page>>";

    #[test]
    fn both_readers_take_what_is_sound_and_refuse_what_is_not() {
        let one = "<</Count 1/Kids[3 0 R]/Type/Pages>>";
        let two = "<</Count 2/Kids[3 0 R 4 0 R]/Type/Pages>>";
        assert_eq!(findings(&[CATALOG, one, PAGE], 1), [None, None]);
        assert_eq!(findings(&[CATALOG, two, PAGE, PAGE], 2), [None, None]);
        let both = |unsound: Unsound| [Some(unsound.clone()), Some(unsound)];
        assert_eq!(findings(&[CATALOG, two, PAGE, PAGE], 1), both(Unsound::Pages { pages: 2 }));
        // A page that is not in the tree has been dragged along.
        assert_eq!(findings(&[CATALOG, one, PAGE, PAGE], 1), both(Unsound::Pages { pages: 2 }));
        let boxless = "<</Parent 2 0 R/Type/Page>>";
        assert_eq!(findings(&[CATALOG, one, boxless], 1), both(Unsound::NoMediaBox));
        let dangling = "<</Annots[[<</A 77 0 R>>]]/MediaBox[0 0 9 9]/Parent 2 0 R/Type/Page>>";
        assert_eq!(findings(&[CATALOG, one, dangling], 1), both(Unsound::DanglingReference { number: 77 }));
        let broken = "<</MediaBox[0 0 9 9/Type/Page>>";
        assert!(findings(&[CATALOG, one, broken], 1).iter().all(Option::is_some));
    }

    /// A chunk of one page and its content, which is left out where there is none; the same object stream in any case.
    fn page_with(content: Option<&[u8]>) -> Written {
        let page = "<</Contents 4 0 R/MediaBox[0 0 9 9]/Parent 2 0 R/Type/Page>>";
        let objects = [CATALOG, "<</Count 1/Kids[3 0 R]/Type/Pages>>", page];
        let body = |(number, object): (u32, &str), data: Option<&[u8]>| Body {
            number,
            source: None,
            bytes: object.as_bytes().to_vec(),
            data: data.map(Bytes::copy_from_slice),
            filter_at: 2,
        };
        let mut bodies: Vec<Body> = (1..).zip(objects).map(|object| body(object, None)).collect();
        // With a filter it is written as it is.
        bodies.extend(content.map(|content| body((4, "<</Filter/DCTDecode>>"), Some(content))));
        writer::write(bodies, 4, "1.7", &Shared::default())
    }

    #[test]
    fn what_is_known_of_an_object_stream_says_nothing_of_what_is_beside_it() {
        let shared = Shared::default();
        let found = |chunk| sound(chunk, 1, Tier::Direct, &Limits::default(), &shared).err();
        for _ in 0..2 {
            assert_eq!(found(page_with(Some(b"0 0 m"))), None);
            assert_eq!(found(page_with(None)), Some(Unsound::DanglingReference { number: 4 }));
        }
    }

    #[test]
    fn data_in_which_a_stream_seems_to_end_is_found_whoever_looks_for_it() {
        let found = |chunk| sound(chunk, 1, Tier::Direct, &Limits::default(), &Shared::default()).err();
        let is_refused = |chunk| matches!(found(chunk), Some(Unsound::Unreadable { .. }));
        for length in [100, 10_000] {
            let plain = vec![b'x'; length];
            let mut ended = plain.clone();
            ended.extend(b"\nendstream endobj ");
            assert_eq!(found(page_with(Some(&plain))), None);
            assert!(is_refused(page_with(Some(&ended))));
            // What is known of other places is of no use.
            let mut chunk = page_with(Some(&ended));
            chunk.plain.push(0..chunk.bytes.len() as u64);
            assert!(is_refused(chunk));
        }
        let Written { bytes, plain, .. } = page_with(Some(&[b'x'; 10_000]));
        let start = bytes.iter().position(|byte| *byte == b'x').unwrap_or_default() as u64;
        assert_eq!(plain.first(), Some(&(start..start + 10_000)));
        assert_eq!(plain.len(), 1);
    }

    #[test]
    fn a_type_is_one_only_as_a_key_of_the_object_itself() {
        let one = "<</Count 1/Kids[3 0 R]/Type/Pages>>";
        let page = "<</MediaBox[0 0 9 9]/Parent 2 0 R/PieceInfo<</Type/Page>>/Type/Page/Z/Type>>";
        assert_eq!(findings(&[CATALOG, one, page], 1), [None, None]);
        let other = "<</A/Type/Page/B/Type/Other>>";
        assert_eq!(findings(&[CATALOG, one, PAGE, other], 1), [None, None]);
    }
}
