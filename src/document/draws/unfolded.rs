//! What colour spaces, shadings and functions come to where references are followed as often as they are met.
//!
//! Engines build them anew at each reference, so that ten functions that are each made of the next ten times are 10^10;
//! and they run the program of a function for each pixel, and paint each triangle of a mesh.

use super::cost::Cost;
use super::{Walk, length};
use crate::document::error::DocumentError;
use crate::document::object::{Dictionary, Object, Stream};
use crate::limits::LimitExceeded;

/// A byte of a PostScript calculator function counts as so many of content: it is run for each pixel. A program of 25 kB
/// takes seconds for a page; real ones have hundreds of bytes.
const BYTES_OF_PROGRAM: u64 = 10_000;

/// A byte of a mesh counts as so many of content: 40 bytes are a patch, which becomes some hundred triangles. 500 kB of
/// patches take half a second.
const BYTES_OF_MESH: u64 = 512;

impl Walk<'_> {
    /// What a colour space, shading or function comes to.
    pub(super) fn unfolded(&mut self, value: &Object) -> Result<Cost, DocumentError> {
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
                LimitExceeded::check("max_nesting", length(&self.unfolding) + 1, self.limits.max_nesting.into())?;
                let object = self.objects.fetch(*id)?;
                self.unfolding.push(*id);
                let mut cost = self.unfolded(&object)?;
                self.unfolding.pop();
                cost.objects = cost.objects.saturating_add(1);
                self.unfolded.insert(*id, cost);
                Ok(cost)
            }
            Object::Array(items) => self.unfolded_all(items),
            Object::Dictionary(entries) => self.unfolded_entries(entries),
            Object::Stream(stream) => {
                let mut cost = self.unfolded_entries(&stream.dictionary)?;
                cost.bytes = cost.bytes.saturating_add(self.bytes_of(stream)?);
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
        sum.add(self.unfolded(value)?, 1);
        Ok(sum)
    }

    fn bytes_of(&self, stream: &Stream) -> Result<u64, DocumentError> {
        let kind = |key: &[u8]| self.objects.get(&stream.dictionary, key).map(|kind| kind.as_integer().unwrap_or(0));
        let weight = match (kind(b"FunctionType")?, kind(b"ShadingType")?) {
            (4, _) => BYTES_OF_PROGRAM,
            (_, 4..=7) => BYTES_OF_MESH,
            _ => return Ok(0),
        };
        Ok(length(&self.decoded(stream)?).saturating_mul(weight))
    }
}
