//! Which entries of which resource dictionaries (ISO 32000-2, 7.8.3) a page needs.
//!
//! Documents share resource dictionaries among all pages: copied whole, one page of a real manual is 53 times its
//! size. A dictionary is pruned to the names that its users' decoded content mentions, where users are the page, its
//! form XObjects, tiling patterns, Type 3 fonts and appearances; a form without resources of its own borrows the
//! page's. Names that a form's resources lack are looked for in those around it, as renderers do. Content that does
//! not decode keeps everything it could use.

use super::colors::DeviceColors;
use super::content::{Content, Decoder};
use super::names::UsedNames;
use super::shared::Shared;
use super::used::Use;
use crate::document::keyed::{KeyedMap, KeyedSet};
use crate::document::object::{Dictionary, Object, ObjectId, Stream};
use crate::document::objects::Objects;
use crate::document::{DocumentError, Reading};
use crate::limits::{Limit, LimitExceeded, Limits};
use std::sync::Arc;

/// Resource categories that content names (table 34).
pub(super) const CATEGORIES: [&[u8]; 7] =
    [b"ColorSpace", b"ExtGState", b"Font", b"Pattern", b"Properties", b"Shading", b"XObject"];

/// Which dictionary: an indirect one, or the one that stands directly in an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// The dictionary is the indirect object of this number.
    Indirect(u32),
    /// The dictionary is the value of `/Resources` in the indirect object of this number.
    DirectIn(u32),
    /// The dictionary of the page with this number in the chunk, where it is not indirect.
    Page(u32),
    /// A dictionary that nothing else names: in a font that stands directly in another dictionary.
    Nested,
}

/// The names used of each resource dictionary and of each indirect category dictionary.
#[derive(Default)]
pub(super) struct UsedResources {
    used: KeyedMap<Place, UsedNames>,
    /// Whether some content does not decode to its end.
    pub(super) has_damaged_content: bool,
    /// Device colour spaces in use, also `All` where content could not be read.
    pub(super) device_colors: DeviceColors,
}

impl UsedResources {
    /// The names used of the dictionary at `place`; `None` where it is not known to be one to prune.
    pub(super) fn of(&self, place: Place) -> Option<&UsedNames> {
        self.used.get(&place)
    }

    /// Adds what another page uses.
    pub(super) fn merge(&mut self, other: Self) {
        #[expect(clippy::iter_over_hash_type, reason = "the union is the same in any order")]
        for (place, names) in other.used {
            self.used.entry(place).or_default().merge(&names);
        }
        self.has_damaged_content |= other.has_damaged_content;
        self.device_colors.merge(other.device_colors);
    }
}

/// Finds what the page uses. `contents` and `resources` are the page's; `appearances` its annotations' streams.
pub(super) fn find(
    reading: &Reading,
    page: PageContent<'_>,
    watch_colors: bool,
    shared: &Shared,
) -> Result<UsedResources, DocumentError> {
    let (objects, limits) = (&*reading.objects, &reading.limits);
    let decoder = Decoder::new(objects, limits);
    let mut finder = Finder {
        objects,
        decoder: &decoder,
        limits,
        shared,
        page_resources: page.resources.clone(),
        page_place: Place::Page(page.number),
        watch_colors,
        found: UsedResources::default(),
        kept: KeyedSet::default(),
        seen: KeyedSet::default(),
        pending: Vec::new(),
        known: Vec::new(),
        missing: UsedNames::default(),
    };
    let mut used = Use::default();
    let parts = decoder.contents(page.contents)?;
    let contents: Vec<&[u8]> = parts.iter().map(Content::bytes).collect();
    used.names.scan_parts(&contents);
    for content in &parts {
        used.content(content, watch_colors);
    }
    finder.note(&used);
    let (place, resources) = finder.page_place();
    finder.merge(place, &resources, &used.names)?;
    finder.pending.extend(page.appearances);
    finder.run()?;
    finder.look_around()?;
    Ok(finder.found)
}

/// What a page draws with.
pub(super) struct PageContent<'a> {
    /// The page's number in the chunk.
    pub(super) number: u32,
    pub(super) contents: &'a Object,
    pub(super) resources: &'a Object,
    pub(super) appearances: Vec<Object>,
}

struct Finder<'a> {
    objects: &'a dyn Objects,
    decoder: &'a Decoder<'a>,
    limits: &'a Limits,
    shared: &'a Shared,
    page_resources: Object,
    page_place: Place,
    watch_colors: bool,
    found: UsedResources,
    /// Entries already visited: the dictionary, and the name in it.
    kept: KeyedSet<(Place, &'static [u8], Vec<u8>)>,
    /// Indirect objects already visited.
    seen: KeyedSet<u32>,
    pending: Vec<Object>,
    /// Resource dictionaries met so far.
    known: Vec<(Place, Object)>,
    /// Names that forms use and their own resources do not have.
    missing: UsedNames,
}

impl Finder<'_> {
    /// Adds the names that some form lacks to what is used of every dictionary, until nothing new comes of it.
    fn look_around(&mut self) -> Result<(), DocumentError> {
        while !self.missing.is_empty() {
            let missing = std::mem::take(&mut self.missing);
            for (place, resources) in self.known.clone() {
                self.merge(place, &resources, &missing)?;
            }
            self.run()?;
            if self.missing == missing || self.missing.is_empty() {
                break;
            }
            self.missing.merge(&missing);
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), DocumentError> {
        while let Some(object) = self.pending.pop() {
            self.limits.deadline.check()?;
            if let Object::Reference(id) = &object
                && !self.seen.insert(id.number)
            {
                continue;
            }
            LimitExceeded::check(Limit::PageObjects, self.seen.len() as u64, u64::from(self.limits.max_page_objects))?;
            let holder = object.as_reference();
            let resolved = self.objects.resolve(&object)?;
            match &*resolved {
                Object::Stream(stream) => self.stream(stream, holder)?,
                Object::Dictionary(dictionary) => self.dictionary(dictionary, holder)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// A form XObject or a tiling pattern; images have no content.
    fn stream(&mut self, stream: &Stream, holder: Option<ObjectId>) -> Result<(), DocumentError> {
        let dictionary = &stream.dictionary;
        if self.objects.get(dictionary, b"Subtype")?.is_name(b"Image") {
            if self.watch_colors
                && let Some(space) = dictionary.get(b"ColorSpace")
            {
                self.found.device_colors.note_space(self.objects, space, 0)?;
            }
            return Ok(());
        }
        self.group_and_mask(dictionary)?;
        if self.objects.get(dictionary, b"ShadingType")?.as_integer().is_some() {
            return self.shading(dictionary);
        }
        let used = self.used_by(holder, |finder, used| used.stream(stream, finder.decoder, finder.watch_colors))?;
        self.user(dictionary, holder, &used.names)
    }

    /// What the object `id`, whose content `read` reads, draws with.
    fn used_by(
        &mut self,
        id: Option<ObjectId>,
        read: impl FnOnce(&Self, &mut Use) -> Result<(), DocumentError>,
    ) -> Result<Arc<Use>, DocumentError> {
        let known = id.and_then(|id| self.shared.used(id));
        let used = match known {
            Some(used) => {
                self.decoder.spend(used.decoded)?;
                used
            }
            None => {
                let mut used = Use::default();
                read(self, &mut used)?;
                let used = Arc::new(used);
                if let Some(id) = id {
                    self.shared.keep_used(id, &used);
                }
                used
            }
        };
        self.note(&used);
        Ok(used)
    }

    fn note(&mut self, used: &Use) {
        self.found.has_damaged_content |= used.is_damaged;
        self.found.device_colors.merge(used.colors);
    }

    /// A dictionary that may lead to content: a Type 3 font, a graphics state, a pattern with a shading, appearances
    /// by state.
    fn dictionary(&mut self, dictionary: &Dictionary, holder: Option<ObjectId>) -> Result<(), DocumentError> {
        self.group_and_mask(dictionary)?;
        if let Some(shading) = dictionary.get(b"Shading") {
            self.pending.push(shading.clone());
        }
        if self.objects.get(dictionary, b"ShadingType")?.as_integer().is_some() {
            return self.shading(dictionary);
        }
        if let Some(font) = self.objects.get(dictionary, b"Font")?.as_array().and_then(<[Object]>::first) {
            self.pending.push(font.clone());
        }
        if self.objects.get(dictionary, b"Subtype")?.is_name(b"Type3") {
            return self.type3(dictionary, holder);
        }
        Ok(())
    }

    fn shading(&mut self, dictionary: &Dictionary) -> Result<(), DocumentError> {
        match dictionary.get(b"ColorSpace") {
            Some(space) if self.watch_colors => self.found.device_colors.note_space(self.objects, space, 0),
            _ => Ok(()),
        }
    }

    /// Soft masks of graphics states draw a group; a group may name a device colour space.
    fn group_and_mask(&mut self, dictionary: &Dictionary) -> Result<(), DocumentError> {
        if let Some(mask) = self.objects.get(dictionary, b"SMask")?.as_dictionary()
            && let Some(group) = mask.get(b"G")
        {
            self.pending.push(group.clone());
        }
        if self.watch_colors
            && let Some(space) =
                self.objects.get(dictionary, b"Group")?.as_dictionary().and_then(|group| group.get(b"CS"))
        {
            self.found.device_colors.note_space(self.objects, space, 0)?;
        }
        Ok(())
    }

    fn type3(&mut self, font: &Dictionary, holder: Option<ObjectId>) -> Result<(), DocumentError> {
        let used = self.used_by(holder, |finder, used| {
            let glyphs = finder.objects.get(font, b"CharProcs")?;
            for (_, glyph) in glyphs.as_dictionary().into_iter().flat_map(Dictionary::iter) {
                let glyph = finder.objects.resolve(glyph)?;
                if let Some(stream) = glyph.as_stream() {
                    used.stream(stream, finder.decoder, finder.watch_colors)?;
                }
            }
            Ok(())
        })?;
        self.user(font, holder, &used.names)
    }

    /// Something with content and perhaps resources of its own.
    fn user(
        &mut self,
        dictionary: &Dictionary,
        holder: Option<ObjectId>,
        names: &UsedNames,
    ) -> Result<(), DocumentError> {
        let own = dictionary.get(b"Resources").filter(|own| !own.is_null());
        let Some(own) = own else {
            let (place, resources) = self.page_place();
            self.note_missing(&resources, names)?;
            return self.merge(place, &resources, names);
        };
        self.note_missing(own, names)?;
        match (own, holder) {
            (Object::Reference(id), _) => self.merge(Place::Indirect(id.number), own, names),
            (_, Some(holder)) => self.merge(Place::DirectIn(holder.number), own, names),
            // A font that stands directly in a resource dictionary: its own resources have no name to prune by.
            (_, None) => self.visit_all(own),
        }
    }

    fn note_missing(&mut self, own: &Object, names: &UsedNames) -> Result<(), DocumentError> {
        if matches!(names, UsedNames::All) {
            return Ok(());
        }
        let mut missing = names.clone();
        let own = self.objects.resolve(own)?;
        for category in CATEGORIES {
            let Some(own) = own.as_dictionary() else { break };
            let entries = self.objects.get(own, category)?;
            if let Some(entries) = entries.as_dictionary() {
                missing.retain(|name| entries.get(name).is_none());
            }
        }
        self.missing.merge(&missing);
        Ok(())
    }

    fn page_place(&self) -> (Place, Object) {
        let place = match &self.page_resources {
            Object::Reference(id) => Place::Indirect(id.number),
            _ => self.page_place,
        };
        (place, self.page_resources.clone())
    }

    fn visit_all(&mut self, resources: &Object) -> Result<(), DocumentError> {
        let resources = self.objects.resolve(resources)?;
        for category in CATEGORIES {
            let Some(entries) = resources.as_dictionary() else { return Ok(()) };
            let entries = self.objects.get(entries, category)?;
            let entries = entries.as_dictionary().into_iter().flat_map(Dictionary::iter);
            self.pending.extend(entries.map(|(_, value)| value.clone()));
        }
        Ok(())
    }

    /// Adds `names` to what is used of the resources at `place`, and visits the entries that this adds.
    fn merge(&mut self, place: Place, resources: &Object, names: &UsedNames) -> Result<(), DocumentError> {
        if !self.found.used.contains_key(&place) {
            self.known.push((place, resources.clone()));
        }
        self.found.used.entry(place).or_default().merge(names);
        let resolved = self.objects.resolve(resources)?;
        let Some(dictionary) = resolved.as_dictionary() else { return Ok(()) };
        for category in CATEGORIES {
            let Some(value) = dictionary.get(category) else { continue };
            let place_of_category = match value {
                Object::Reference(id) => Place::Indirect(id.number),
                _ => place,
            };
            if place_of_category != place {
                self.found.used.entry(place_of_category).or_default().merge(names);
            }
            let entries = self.objects.resolve(value)?;
            let Some(entries) = entries.as_dictionary() else { continue };
            self.visit_entries(place_of_category, category, entries, names);
        }
        Ok(())
    }

    fn visit_entries(&mut self, place: Place, category: &'static [u8], entries: &Dictionary, names: &UsedNames) {
        match names {
            UsedNames::All => {
                for (name, value) in entries.iter() {
                    self.visit_entry(place, category, name.as_bytes(), value);
                }
            }
            UsedNames::Only(names) => {
                // In the order of the dictionary, which unlike the set's is the same in every run.
                for (name, value) in entries.iter().filter(|(name, _)| names.contains(*name)) {
                    self.visit_entry(place, category, name.as_bytes(), value);
                }
            }
        }
        if category == b"ColorSpace" && self.watch_colors {
            for (_, space) in entries.iter() {
                if self.found.device_colors.note_space(self.objects, space, 0).is_err() {
                    self.found.device_colors = DeviceColors::all();
                }
            }
        }
    }

    fn visit_entry(&mut self, place: Place, category: &'static [u8], name: &[u8], value: &Object) {
        let leads_to_content: [&[u8]; 5] = [b"XObject", b"Pattern", b"Font", b"ExtGState", b"Shading"];
        if leads_to_content.contains(&category) && self.kept.insert((place, category, name.to_vec())) {
            self.pending.push(value.clone());
        }
    }
}
