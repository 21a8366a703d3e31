//! Objects that are written alike on every page that reaches them, but for the numbers in their references.
//!
//! Fonts, pictures and what they lead to have no role of their own: which of their entries are kept depends on nothing
//! but the document. What was written of one is kept as bytes with places for references, and written again with the
//! numbers of the page at hand. Where a reference comes to something else there, as one to the page itself does, the
//! object is serialized as if nothing were known.

use crate::document::object::ObjectId;

/// A reference in an object that is being written.
struct Referred {
    id: ObjectId,
    /// Where what was written for it begins and ends; nothing was where it came to null.
    start: usize,
    end: usize,
}

/// References in one object that are noted; what has more is serialized for every page.
const MAX_REFERENCES: usize = 4_096;

/// What is noted while an object is written.
#[derive(Default)]
pub(super) struct Recording(Vec<Referred>);

impl Recording {
    /// The same with a reference, for which what stands from `start` to `end` was written.
    pub(super) fn with(mut self, id: ObjectId, start: usize, end: usize) -> Option<Self> {
        self.0.push(Referred { id, start, end });
        (self.0.len() <= MAX_REFERENCES).then_some(self)
    }
}

/// An object as it was written: bytes, and references between them.
pub(super) struct Recorded {
    /// The bytes without the references.
    bytes: Vec<u8>,
    /// Where in them each reference stands.
    references: Vec<Place>,
    /// Where `/Filter` would stand: after how many references, and at which of the bytes.
    filter_at: (usize, usize),
}

/// The place of a reference.
pub(super) struct Place {
    pub(super) id: ObjectId,
    /// Whether anything is written for it.
    pub(super) is_written: bool,
    at: usize,
}

impl Recorded {
    /// What `recording` says of an object of which `written` was written, and `/Filter` would stand at `filter_at`.
    pub(super) fn of(recording: Recording, written: &[u8], filter_at: usize) -> Option<Self> {
        let Recording(mut referred) = recording;
        // The key of what came to null was taken back, with all that follows written in its place.
        let mut next = written.len();
        for reference in referred.iter_mut().rev() {
            reference.end = reference.end.min(next);
            reference.start = reference.start.min(reference.end);
            next = reference.start;
        }
        let mut recorded =
            Self { bytes: Vec::with_capacity(written.len()), references: Vec::new(), filter_at: (0, filter_at) };
        let mut from = 0;
        for Referred { id, start, end } in referred {
            recorded.bytes.extend(written.get(from..start)?);
            if end <= filter_at {
                recorded.filter_at = (recorded.references.len() + 1, filter_at - end + recorded.bytes.len());
            }
            let at = recorded.bytes.len();
            recorded.references.push(Place { id, is_written: end > start, at });
            from = end;
        }
        recorded.bytes.extend(written.get(from..)?);
        Some(recorded)
    }

    /// Bytes that keeping this costs.
    pub(super) fn size(&self) -> usize {
        self.bytes.len().saturating_add(self.references.len().saturating_mul(size_of::<Place>()))
    }

    /// Writes the bytes to `out`, and has `refer` write the references; where `/Filter` would stand, or `None` where
    /// `refer` says that a reference comes to something else.
    pub(super) fn write<E>(
        &self,
        out: &mut Vec<u8>,
        mut refer: impl FnMut(&Place, &mut Vec<u8>) -> Result<bool, E>,
    ) -> Result<Option<usize>, E> {
        let (after, filter_at) = self.filter_at;
        let mut filter = None;
        let mut from = 0;
        for (passed, place) in self.references.iter().enumerate() {
            if passed == after {
                filter = Some(out.len() + filter_at.saturating_sub(from));
            }
            out.extend(self.bytes.get(from..place.at).unwrap_or_default());
            from = place.at;
            if !refer(place, out)? {
                return Ok(None);
            }
        }
        let filter = filter.unwrap_or(out.len() + filter_at.saturating_sub(from));
        out.extend(self.bytes.get(from..).unwrap_or_default());
        Ok(Some(filter))
    }
}
