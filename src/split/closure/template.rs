//! Templates of objects that are serialized alike on every page, except for the numbers in their references.
//!
//! Fonts, images and the objects they lead to have no role of their own, so their kept entries depend on the document
//! alone. A template has their bytes with slots for references, which are filled with the numbers of the current page.
//! If a reference resolves differently there, the object is serialized anew.

use pagewise_document::object::ObjectId;

/// The bytes that a reference takes in an object being written.
struct ReferenceSpan {
    id: ObjectId,
    /// Where its bytes begin and end; equal if the reference was dropped.
    start: usize,
    end: usize,
}

/// Objects with more references get no template.
const MAX_REFERENCES: usize = 4_096;

/// Records the references of an object while it is written.
#[derive(Default)]
pub(crate) struct TemplateRecorder(Vec<ReferenceSpan>);

impl TemplateRecorder {
    /// Adds a reference whose bytes run from `start` to `end`; `None` if there are too many.
    pub(crate) fn with(mut self, id: ObjectId, start: usize, end: usize) -> Option<Self> {
        self.0.push(ReferenceSpan { id, start, end });
        (self.0.len() <= MAX_REFERENCES).then_some(self)
    }
}

/// A serialized object with slots for its references.
pub(crate) struct SerializedTemplate {
    /// The bytes without the references.
    bytes: Vec<u8>,
    /// The slots, in order.
    slots: Vec<ReferenceSlot>,
    /// Where `/Filter` belongs: the number of references before it, and the position in the bytes.
    filter_at: (usize, usize),
}

/// Where a reference goes.
pub(crate) struct ReferenceSlot {
    pub(crate) id: ObjectId,
    /// Whether the reference is written; otherwise it was dropped.
    pub(crate) is_written: bool,
    at: usize,
}

impl SerializedTemplate {
    /// The template of an object serialized as `written`, with `/Filter` at `filter_at`.
    pub(crate) fn of(recorder: TemplateRecorder, written: &[u8], filter_at: usize) -> Option<Self> {
        let TemplateRecorder(mut spans) = recorder;
        // Keys of dropped references were removed again, and later bytes took their place.
        let mut next = written.len();
        for reference in spans.iter_mut().rev() {
            reference.end = reference.end.min(next);
            reference.start = reference.start.min(reference.end);
            next = reference.start;
        }
        let mut template =
            Self { bytes: Vec::with_capacity(written.len()), slots: Vec::new(), filter_at: (0, filter_at) };
        let mut from = 0;
        for ReferenceSpan { id, start, end } in spans {
            template.bytes.extend(written.get(from..start)?);
            if end <= filter_at {
                template.filter_at = (template.slots.len() + 1, filter_at - end + template.bytes.len());
            }
            let at = template.bytes.len();
            template.slots.push(ReferenceSlot { id, is_written: end > start, at });
            from = end;
        }
        template.bytes.extend(written.get(from..)?);
        Some(template)
    }

    /// Approximate size in memory, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len().saturating_add(self.slots.len().saturating_mul(size_of::<ReferenceSlot>()))
    }

    /// Writes the object to `out`; `write_reference` fills the slots. Returns the position of `/Filter`, or `None` if
    /// `write_reference` says that a reference resolves differently.
    pub(crate) fn write<E>(
        &self,
        out: &mut Vec<u8>,
        mut write_reference: impl FnMut(&ReferenceSlot, &mut Vec<u8>) -> Result<bool, E>,
    ) -> Result<Option<usize>, E> {
        let (after, filter_at) = self.filter_at;
        let mut filter = None;
        let mut from = 0;
        for (index, slot) in self.slots.iter().enumerate() {
            if index == after {
                filter = Some(out.len() + filter_at.saturating_sub(from));
            }
            out.extend(self.bytes.get(from..slot.at).unwrap_or_default());
            from = slot.at;
            if !write_reference(slot, out)? {
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

    /// Writes `template` with `text` for each reference that is written.
    fn instantiate(template: &SerializedTemplate, text: &str) -> Option<(String, usize)> {
        let mut out = Vec::new();
        let filter_at = template.write::<Infallible>(&mut out, |slot, out| {
            out.extend(if slot.is_written { text.as_bytes() } else { b"" });
            Ok(true)
        });
        let written = String::from_utf8_lossy(&out).into_owned();
        filter_at.ok().flatten().map(|filter_at| (written, filter_at))
    }

    #[test]
    fn other_numbers_move_what_follows_them() {
        // Of /B and /C the keys were written and taken back, since their values came to nothing.
        let written = b"<</A 5 0 R/D[ 6 0 R]/G 7 0 R>>";
        let recorder = TemplateRecorder::default().with(id(1), 4, 10).and_then(|recorder| recorder.with(id(2), 12, 12));
        let recorder = recorder
            .and_then(|recorder| recorder.with(id(3), 13, 13))
            .and_then(|recorder| recorder.with(id(4), 13, 19));
        let Some(recorder) = recorder.and_then(|recorder| recorder.with(id(5), 22, 28)) else {
            unreachable!("five are few")
        };
        let Some(template) = SerializedTemplate::of(recorder, written, 20) else { unreachable!("all is within") };
        assert_eq!(instantiate(&template, " 5 0 R"), Some(("<</A 5 0 R/D[ 5 0 R]/G 5 0 R>>".to_owned(), 20)));
        assert_eq!(
            instantiate(&template, " 1234 0 R"),
            Some(("<</A 1234 0 R/D[ 1234 0 R]/G 1234 0 R>>".to_owned(), 26))
        );
        assert_eq!(template.slots.iter().map(|slot| slot.id.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn it_ends_where_a_reference_comes_to_something_else() {
        let Some(recorder) = TemplateRecorder::default().with(id(1), 1, 7) else { unreachable!("one is few") };
        let Some(template) = SerializedTemplate::of(recorder, b"[ 5 0 R]", 0) else { unreachable!("all is within") };
        assert_eq!(template.write::<Infallible>(&mut Vec::new(), |_, _| Ok(false)), Ok(None));
    }

    #[test]
    fn what_refers_to_too_much_is_not_kept() {
        let all = (0..=4_096).try_fold(TemplateRecorder::default(), |recorder, number| recorder.with(id(number), 0, 0));
        assert!(all.is_none());
        let most = (0..4_096).try_fold(TemplateRecorder::default(), |recorder, number| recorder.with(id(number), 0, 0));
        assert!(most.is_some());
    }
}
