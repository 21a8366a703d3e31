//! The cost of building a resource: colour spaces, shadings, functions and graphics states. The engine builds them each time
//! that an operator names one.

use super::data::decode_stream;
use super::{Steps, length, price, reading_steps};
use hayro_syntax::object::{Dict, MaybeRef, Object, ObjectIdentifier, Stream};
use hayro_syntax::xref::XRef;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use std::collections::HashMap;

use super::Interruption;

/// The steps for the triangles of a mesh vertex (two in a lattice), and for a patch.
const VERTEX_STEPS: u64 = 60;
const PATCH_STEPS: u64 = 60;

/// The coordinates of the shortest patch, which shares an edge with the previous one (8.7.4.5.7).
const PATCH_POINTS: u64 = 8;

/// Keys that are not read while building a resource.
const IGNORED_KEYS: [&[u8]; 8] =
    [b"Resources", b"Parent", b"P", b"Metadata", b"PieceInfo", b"Font", b"StructParent", b"StructParents"];

/// Counts the steps of building resources. Each object is counted once and its steps are reused.
pub(super) struct ResourceCost<'a, 's> {
    pub(super) xref: &'a XRef,
    pub(super) steps: &'s Steps,
    pub(super) limits: &'s Limits,
    /// The steps of the objects that were counted.
    built: HashMap<ObjectIdentifier, u64>,
    /// The objects that are being counted, for detecting cycles as the engine does.
    in_progress: Vec<ObjectIdentifier>,
    depth: u32,
    /// The bytes of the longest PostScript function, and the most samples for one value of a sampled function.
    pub(super) program_bytes: u64,
    pub(super) sample_corners: u64,
}

impl<'a, 's> ResourceCost<'a, 's> {
    pub(super) fn new(xref: &'a XRef, steps: &'s Steps, limits: &'s Limits) -> Self {
        let (built, in_progress) = (HashMap::new(), Vec::new());
        Self { xref, steps, limits, built, in_progress, depth: 0, program_bytes: 0, sample_corners: 0 }
    }

    /// The steps for building `value` once.
    pub(super) fn steps_of(&mut self, value: &MaybeRef<Object<'a>>) -> u64 {
        let id = match value {
            MaybeRef::NotRef(object) => return self.count_nested(object),
            MaybeRef::Ref(reference) => ObjectIdentifier::from(*reference),
        };
        if let Some(steps) = self.built.get(&id) {
            return *steps;
        }
        if self.in_progress.contains(&id) {
            return 0;
        }
        let Some(object) = self.xref.get::<Object<'_>>(id) else { return price::FETCH };
        self.in_progress.push(id);
        let steps = self.count_nested(&object).saturating_add(price::FETCH);
        self.in_progress.pop();
        self.built.insert(id, steps);
        steps
    }

    /// Nested arrays and references count as one depth, which is that of the engine's stack.
    fn count_nested(&mut self, object: &Object<'a>) -> u64 {
        if let Err(limit) =
            LimitExceeded::check(Limit::Nesting, u64::from(self.depth) + 1, self.limits.max_nesting.into())
        {
            Interruption::Limit(limit).leave();
        }
        self.depth += 1;
        let steps = self.count_object(object);
        self.depth -= 1;
        steps
    }

    fn count_object(&mut self, object: &Object<'a>) -> u64 {
        match object {
            Object::Array(items) => {
                let own = reading_steps(length(items.data()));
                items.raw_iter().fold(own, |sum, item| sum.saturating_add(self.steps_of(&item)))
            }
            Object::Dict(dictionary) => self.count_dictionary(dictionary),
            Object::Stream(stream) => self.count_stream(stream),
            Object::String(string) => reading_steps(length(string.as_bytes())),
            _ => 0,
        }
    }

    fn count_dictionary(&mut self, dictionary: &Dict<'a>) -> u64 {
        let own = price::OPERATOR + reading_steps(length(dictionary.data()));
        let entries = dictionary.entries().filter(|(key, _)| !IGNORED_KEYS.contains(&key.as_ref()));
        entries.fold(own, |sum, (_, value)| sum.saturating_add(self.steps_of(&value)))
    }

    fn count_stream(&mut self, stream: &Stream<'a>) -> u64 {
        let dictionary = stream.dict();
        let own = self.count_dictionary(dictionary);
        // The engine decodes forms, colour tables and functions when it builds them, but images when it draws them.
        if dictionary.get::<hayro_syntax::object::Name<'_>>(b"Subtype").is_some_and(|kind| kind.as_ref() == b"Image") {
            return own;
        }
        let data = decode_stream(stream, self.steps, self.limits).map_or(0, |data| length(&data));
        let data = match (dictionary.get::<u8>(b"FunctionType"), dictionary.get::<u8>(b"ShadingType")) {
            (Some(4), _) => {
                self.program_bytes = self.program_bytes.max(data);
                data
            }
            (Some(0), _) => {
                self.sample_corners = self.sample_corners.max(sample_corners(dictionary));
                data
            }
            (_, Some(kind @ 4..=7)) => mesh_steps(dictionary, kind, data),
            _ => reading_steps(data),
        };
        own.saturating_add(data)
    }
}

/// The steps of reading a mesh of `data` bytes (8.7.4.5.5 to 8.7.4.5.8).
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

/// The samples that a value of a sampled function is interpolated from: two for each input (7.10.2).
fn sample_corners(function: &Dict<'_>) -> u64 {
    let inputs = function.get::<hayro_syntax::object::Array<'_>>(b"Size").map_or(0, |size| size.raw_iter().count());
    1_u64.checked_shl(u32::try_from(inputs).unwrap_or(u32::MAX)).unwrap_or(u64::MAX)
}
