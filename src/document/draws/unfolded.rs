//! What colour spaces, shadings and functions come to where references are followed as often as they are met.
//!
//! Engines build them anew at each reference, so that ten functions that are each made of the next ten times are 10^10;
//! and they run the program of a function for each pixel, and paint each triangle of a mesh.

use super::cost::Cost;
use super::{Walk, length};
use crate::document::error::DocumentError;
use crate::document::object::{Dictionary, Object};
use crate::limits::LimitExceeded;

/// A byte of a PostScript calculator function counts as so many of content: it is run for each pixel. A program of 25 kB
/// takes seconds for a page; real ones have hundreds of bytes.
const BYTES_OF_PROGRAM: u64 = 10_000;

/// A byte of a mesh counts as so many of content: 40 bytes are a patch, which becomes some hundred triangles of the engine's.
/// A megabyte of patches took it half a gigabyte; the largest of the real files has 520 kB.
const BYTES_OF_MESH: u64 = 256;

impl Walk<'_> {
    /// What a colour space, shading or function comes to.
    pub(super) fn unfolded(&mut self, value: &Object) -> Result<Cost, DocumentError> {
        // Arrays within arrays and references to further ones are one depth: that of the stack.
        LimitExceeded::check("max_nesting", self.depth + 1, self.limits.max_nesting.into())?;
        self.depth += 1;
        let cost = self.unfolded_here(value)?;
        self.depth -= 1;
        Ok(cost)
    }

    fn unfolded_here(&mut self, value: &Object) -> Result<Cost, DocumentError> {
        match value {
            Object::Reference(id) => {
                if let Some(cost) = self.unfolded.get(id) {
                    return Ok(*cost);
                }
                // Engines see such a circle.
                if self.unfolding.contains(id) {
                    return Ok(Cost::default());
                }
                self.limits.deadline.check()?;
                let object = self.objects.fetch(*id)?;
                self.unfolding.push(*id);
                let mut cost = self.unfolded(&object)?;
                self.unfolding.pop();
                cost.unfolded.objects = cost.unfolded.objects.saturating_add(1);
                self.unfolded.insert(*id, cost);
                Ok(cost)
            }
            Object::Array(items) => self.unfolded_all(items),
            Object::Dictionary(entries) => self.unfolded_entries(entries),
            Object::Stream(stream) => {
                let mut cost = self.unfolded_entries(&stream.dictionary)?;
                let kind = |key: &[u8]| self.objects.get(&stream.dictionary, key).map(|kind| kind.as_integer());
                let bytes = || Ok::<_, DocumentError>(length(&self.decoded(stream)?));
                match (kind(b"FunctionType")?, kind(b"ShadingType")?) {
                    (Some(4), _) => {
                        let program = bytes()?.saturating_mul(BYTES_OF_PROGRAM);
                        cost.unfolded.programs = cost.unfolded.programs.saturating_add(program);
                    }
                    (_, Some(4..=7)) => cost.bytes = cost.bytes.saturating_add(bytes()?.saturating_mul(BYTES_OF_MESH)),
                    _ => {}
                }
                Ok(cost)
            }
            _ => Ok(Cost::default()),
        }
    }

    fn unfolded_entries(&mut self, entries: &Dictionary) -> Result<Cost, DocumentError> {
        entries.iter().try_fold(Cost::default(), |sum, (_, value)| self.unfolded_into(sum, value))
    }

    fn unfolded_all(&mut self, items: &[Object]) -> Result<Cost, DocumentError> {
        items.iter().try_fold(Cost::default(), |sum, value| self.unfolded_into(sum, value))
    }

    fn unfolded_into(&mut self, mut sum: Cost, value: &Object) -> Result<Cost, DocumentError> {
        let one = self.unfolded(value)?;
        sum.bytes = sum.bytes.saturating_add(one.bytes);
        sum.unfolded.objects = sum.unfolded.objects.saturating_add(one.unfolded.objects);
        sum.unfolded.programs = sum.unfolded.programs.saturating_add(one.unfolded.programs);
        Ok(sum)
    }
}
