//! Removes transparency groups from appearances that blend with the page, such as highlights.
//!
//! The engine treats every group as isolated, so a highlight would cover its text. A group that is neither isolated nor
//! knockout, painted opaquely with the blend mode `Normal`, is equivalent to no group (ISO 32000-2, 11.4.5).

use super::AppearanceGenerator;
use crate::object::{Dictionary as OurDictionary, Object as OurObject};
use crate::objects::Objects;
use lopdf::{Dictionary, Object, ObjectId};

/// Whether an annotation's appearance is a group.
pub(super) fn is_group(objects: &dyn Objects, annotation: &OurDictionary) -> bool {
    let Ok(appearances) = objects.get(annotation, b"AP") else { return false };
    let normal = appearances.as_dictionary().and_then(|appearances| objects.get(appearances, b"N").ok());
    normal.is_some_and(|normal| match &*normal {
        OurObject::Stream(form) => form.dictionary.get(b"Group").is_some(),
        _ => false,
    })
}

/// Whether an annotation has a normal appearance, for its current state if there are several.
pub(super) fn has_appearance(objects: &dyn Objects, annotation: &OurDictionary) -> bool {
    let Ok(appearances) = objects.get(annotation, b"AP") else { return false };
    let normal = appearances.as_dictionary().and_then(|appearances| objects.get(appearances, b"N").ok());
    normal.is_some_and(|normal| match &*normal {
        OurObject::Dictionary(states) => {
            let state = objects.get(annotation, b"AS").ok();
            let state = state.as_deref().and_then(OurObject::as_name).filter(|state| **state != *b"Off");
            state.is_none_or(|state| states.get(state).is_some())
        }
        other => matches!(other, OurObject::Stream(_)),
    })
}

impl AppearanceGenerator {
    /// Like [`has_appearance`], on the engine's copy of the document.
    pub(super) fn has_appearance(&self, annotation: &Dictionary) -> bool {
        let normal = self.dictionary(annotation, b"AP").and_then(|appearances| self.get(appearances, b"N"));
        normal.is_some_and(|normal| match normal {
            Object::Dictionary(states) => {
                let state = self.get(annotation, b"AS").and_then(|state| state.as_name().ok());
                state.filter(|state| *state != b"Off").is_none_or(|state| states.has(state))
            }
            other => matches!(other, Object::Stream(_)),
        })
    }

    /// Removes the groups of appearances that blend. Returns their number.
    pub(super) fn remove_blending_groups(&mut self) -> usize {
        let groups = self.blending_groups();
        for id in &groups {
            if let Ok(form) = self.document.get_object_mut(*id).and_then(Object::as_stream_mut) {
                form.dict.remove(b"Group");
            }
        }
        groups.len()
    }

    fn blending_groups(&self) -> Vec<ObjectId> {
        let annotations = self.annotations().filter_map(|annotation| {
            let annotation = self.document.dereference(annotation).ok()?.1.as_dict().ok()?;
            let normal = self.get(annotation, b"AP")?.as_dict().ok()?.get(b"N").ok()?;
            let (id, form) = self.document.dereference(normal).ok()?;
            self.is_blending_group(&form.as_stream().ok()?.dict).then_some(id?)
        });
        annotations.collect()
    }

    fn is_blending_group(&self, form: &Dictionary) -> bool {
        let Some(group) = self.dictionary(form, b"Group") else { return false };
        let is_set = |key: &[u8]| self.get(group, key).and_then(|set| set.as_bool().ok()).unwrap_or(false);
        let states = self.dictionary(form, b"Resources").and_then(|resources| self.dictionary(resources, b"ExtGState"));
        let Some(states) = states.filter(|_| !is_set(b"I") && !is_set(b"K")) else { return false };
        let blends = |state: &Object| {
            let state = self.document.dereference(state).ok().and_then(|(_, state)| state.as_dict().ok());
            let mode = state.and_then(|state| self.get(state, b"BM")).and_then(|mode| mode.as_name().ok());
            mode.is_some_and(|mode| mode != b"Normal" && mode != b"Compatible")
        };
        // Counted, since many forms may share one long list of states.
        states.iter().take(self.take_parts(states.len())).any(|(_, state)| blends(state))
    }

    fn dictionary<'a>(&'a self, of: &'a Dictionary, key: &[u8]) -> Option<&'a Dictionary> {
        self.get(of, key)?.as_dict().ok()
    }
}
