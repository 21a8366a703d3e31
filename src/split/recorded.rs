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

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn id(number: u32) -> ObjectId {
        ObjectId { number, generation: 0 }
    }

    /// What is written of `recorded` where every reference comes to `text`, or to nothing where nothing came before.
    fn again(recorded: &Recorded, text: &str) -> Option<(String, usize)> {
        let mut out = Vec::new();
        let filter_at = recorded.write::<Infallible>(&mut out, |place, out| {
            out.extend(if place.is_written { text.as_bytes() } else { b"" });
            Ok(true)
        });
        let written = String::from_utf8_lossy(&out).into_owned();
        filter_at.ok().flatten().map(|filter_at| (written, filter_at))
    }

    #[test]
    fn other_numbers_move_what_follows_them() {
        // Of /B and /C the keys were written and taken back, since their values came to nothing.
        let written = b"<</A 5 0 R/D[ 6 0 R]/G 7 0 R>>";
        let noted = Recording::default().with(id(1), 4, 10).and_then(|noted| noted.with(id(2), 12, 12));
        let noted = noted.and_then(|noted| noted.with(id(3), 13, 13)).and_then(|noted| noted.with(id(4), 13, 19));
        let Some(noted) = noted.and_then(|noted| noted.with(id(5), 22, 28)) else { unreachable!("five are few") };
        let Some(recorded) = Recorded::of(noted, written, 20) else { unreachable!("all is within") };
        assert_eq!(again(&recorded, " 5 0 R"), Some(("<</A 5 0 R/D[ 5 0 R]/G 5 0 R>>".to_owned(), 20)));
        assert_eq!(again(&recorded, " 1234 0 R"), Some(("<</A 1234 0 R/D[ 1234 0 R]/G 1234 0 R>>".to_owned(), 26)));
        assert_eq!(recorded.references.iter().map(|place| place.id.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn it_ends_where_a_reference_comes_to_something_else() {
        let Some(noted) = Recording::default().with(id(1), 1, 7) else { unreachable!("one is few") };
        let Some(recorded) = Recorded::of(noted, b"[ 5 0 R]", 0) else { unreachable!("all is within") };
        assert_eq!(recorded.write::<Infallible>(&mut Vec::new(), |_, _| Ok(false)), Ok(None));
    }

    #[test]
    fn what_refers_to_too_much_is_not_kept() {
        let all = (0..=4_096).try_fold(Recording::default(), |noted, number| noted.with(id(number), 0, 0));
        assert!(all.is_none());
        let most = (0..4_096).try_fold(Recording::default(), |noted, number| noted.with(id(number), 0, 0));
        assert!(most.is_some());
    }
}
