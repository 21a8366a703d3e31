//! What it costs to build a resource each time that an operator names it: colour spaces, shadings, functions, states.

use super::data::decoded;
use super::{Steps, bytes, length, price};
use crate::limits::{Limit, LimitExceeded, Limits};
use hayro_syntax::object::{Dict, MaybeRef, Object, ObjectIdentifier, Stream};
use hayro_syntax::xref::XRef;
use std::collections::HashMap;

use super::Interruption;

/// Steps for the triangles that a vertex of a mesh begins, two in a lattice, each of some 170 bytes; and for a patch.
const VERTEX_STEPS: u64 = 60;
const PATCH_STEPS: u64 = 60;

/// Coordinates of the shortest patch that there can be, which takes its other edge from the one before (8.7.4.5.7).
const PATCH_POINTS: u64 = 8;

/// Keys that lead away from what is built: content has resources of its own, and a group's content is not read yet.
const OTHERS: [&[u8]; 8] =
    [b"Resources", b"Parent", b"P", b"Metadata", b"PieceInfo", b"Font", b"StructParent", b"StructParents"];

/// Builds what resources refer to as often as they do, each object once.
pub(super) struct Builder<'a, 's> {
    pub(super) xref: &'a XRef,
    pub(super) steps: &'s Steps,
    pub(super) limits: &'s Limits,
    /// Steps of objects that were built.
    built: HashMap<ObjectIdentifier, u64>,
    /// Objects that are being built: the engine sees such circles.
    under_way: Vec<ObjectIdentifier>,
    depth: u32,
    /// Bytes of the longest program of a function, and the most samples that one value of a function is made of.
    pub(super) program_bytes: u64,
    pub(super) corners: u64,
}

impl<'a, 's> Builder<'a, 's> {
    pub(super) fn new(xref: &'a XRef, steps: &'s Steps, limits: &'s Limits) -> Self {
        let (built, under_way) = (HashMap::new(), Vec::new());
        Self { xref, steps, limits, built, under_way, depth: 0, program_bytes: 0, corners: 0 }
    }

    /// Steps for building `value` once.
    pub(super) fn steps_of(&mut self, value: &MaybeRef<Object<'a>>) -> u64 {
        let id = match value {
            MaybeRef::NotRef(object) => return self.deeper(object),
            MaybeRef::Ref(reference) => ObjectIdentifier::from(*reference),
        };
        if let Some(steps) = self.built.get(&id) {
            return *steps;
        }
        if self.under_way.contains(&id) {
            return 0;
        }
        let Some(object) = self.xref.get::<Object<'_>>(id) else { return price::FETCH };
        self.under_way.push(id);
        let steps = self.deeper(&object).saturating_add(price::FETCH);
        self.under_way.pop();
        self.built.insert(id, steps);
        steps
    }

    /// Arrays within arrays and references to further ones are one depth: that of the engine's stack.
    fn deeper(&mut self, object: &Object<'a>) -> u64 {
        if let Err(limit) =
            LimitExceeded::check(Limit::Nesting, u64::from(self.depth) + 1, self.limits.max_nesting.into())
        {
            Interruption::Limit(limit).leave();
        }
        self.depth += 1;
        let steps = self.object(object);
        self.depth -= 1;
        steps
    }

    fn object(&mut self, object: &Object<'a>) -> u64 {
        match object {
            Object::Array(items) => {
                let own = bytes(length(items.data()));
                items.raw_iter().fold(own, |sum, item| sum.saturating_add(self.steps_of(&item)))
            }
            Object::Dict(dictionary) => self.dictionary(dictionary),
            Object::Stream(stream) => self.stream(stream),
            Object::String(string) => bytes(length(string.as_bytes())),
            _ => 0,
        }
    }

    fn dictionary(&mut self, dictionary: &Dict<'a>) -> u64 {
        let own = price::OPERATOR + bytes(length(dictionary.data()));
        let entries = dictionary.entries().filter(|(key, _)| !OTHERS.contains(&key.as_ref()));
        entries.fold(own, |sum, (_, value)| sum.saturating_add(self.steps_of(&value)))
    }

    fn stream(&mut self, stream: &Stream<'a>) -> u64 {
        let dictionary = stream.dict();
        let own = self.dictionary(dictionary);
        // The engine decodes a form and the tables of colours and functions when it builds them; an image when it draws.
        if dictionary.get::<hayro_syntax::object::Name<'_>>(b"Subtype").is_some_and(|kind| kind.as_ref() == b"Image") {
            return own;
        }
        let data = decoded(stream, self.steps, self.limits).map_or(0, |data| length(&data));
        let data = match (dictionary.get::<u8>(b"FunctionType"), dictionary.get::<u8>(b"ShadingType")) {
            (Some(4), _) => {
                self.program_bytes = self.program_bytes.max(data);
                data
            }
            (Some(0), _) => {
                self.corners = self.corners.max(corners(dictionary));
                data
            }
            (_, Some(kind @ 4..=7)) => mesh_steps(dictionary, kind, data),
            _ => bytes(data),
        };
        own.saturating_add(data)
    }
}

/// Steps of reading a mesh of so many bytes (8.7.4.5.5 to 8.7.4.5.8).
fn mesh_steps(shading: &Dict<'_>, kind: u8, data: u64) -> u64 {
    let bits = |key: &[u8]| shading.get::<u8>(key).map_or(1, u64::from);
    let limits =
        shading.get::<hayro_syntax::object::Array<'_>>(b"Decode").map_or(0, |limits| limits.raw_iter().count());
    let colors = u64::try_from(limits.saturating_sub(4) / 2).unwrap_or(u64::MAX).max(1);
    let (point, color) = (2 * bits(b"BitsPerCoordinate"), colors.saturating_mul(bits(b"BitsPerComponent")));
    let (each, steps) = match kind {
        4 | 5 => (point.saturating_add(color), VERTEX_STEPS),
        _ => ((PATCH_POINTS * point).saturating_add(color.saturating_mul(2)), PATCH_STEPS),
    };
    (data.saturating_mul(8) / each.max(1)).saturating_mul(steps)
}

/// Samples that a value of a sampled function is interpolated from: two for each of its inputs (7.10.2).
fn corners(function: &Dict<'_>) -> u64 {
    let inputs = function.get::<hayro_syntax::object::Array<'_>>(b"Size").map_or(0, |size| size.raw_iter().count());
    1_u64.checked_shl(u32::try_from(inputs).unwrap_or(u32::MAX)).unwrap_or(u64::MAX)
}
