//! Finds the entries of resource dictionaries (ISO 32000-2, 7.8.3) that a page needs.
//!
//! Documents often share one large resource dictionary among all pages. It is pruned to the names that the decoded
//! content of its users mentions: the page, form XObjects, tiling patterns, Type 3 fonts and appearances. A form without
//! resources uses the page's. Names missing from a form's resources are looked up in all others, as renderers do.
//! Content that does not decode keeps everything it could use.

mod colors;
mod names;
mod usage;
mod used_resources;

pub(crate) use colors::DeviceColors;
pub(crate) use names::UsedNames;
pub(crate) use usage::ContentUsage;
pub(crate) use used_resources::{CATEGORIES, ResourceScope, UsedResources};

use crate::chunk_cache::ChunkCache;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_document::fast_hash::FastSet;
use pagewise_document::object::{Dictionary, Object, ObjectId, Stream};
use pagewise_document::objects::Objects;
use pagewise_document::{ContentDecoder, DecodedContent, DocumentError, ParsedDocument};
use std::sync::Arc;

/// Finds the resources that a page uses; device colours only if `needs_colors`.
pub(crate) fn find_used(
    parsed: &ParsedDocument,
    page: PageContent<'_>,
    needs_colors: bool,
    cache: &ChunkCache,
) -> Result<UsedResources, DocumentError> {
    let (objects, limits) = (&*parsed.objects, &parsed.limits);
    let decoder = ContentDecoder::new(objects, limits);
    let mut finder = ResourceFinder {
        objects,
        decoder: &decoder,
        limits,
        cache,
        page_resources: page.resources.clone(),
        page_scope: ResourceScope::Page(page.number),
        needs_colors,
        found: UsedResources::default(),
        visited_entries: FastSet::default(),
        visited_objects: FastSet::default(),
        pending: Vec::new(),
        scopes: Vec::new(),
        missing: UsedNames::default(),
    };
    let mut used = ContentUsage::default();
    let parts = decoder.contents(page.contents)?;
    let contents: Vec<&[u8]> = parts.iter().map(DecodedContent::bytes).collect();
    used.names.scan_parts(&contents);
    for content in &parts {
        used.add_content(content, needs_colors);
    }
    finder.add_findings(&used);
    let (scope, resources) = finder.page_scope();
    finder.use_names(scope, &resources, &used.names)?;
    finder.pending.extend(page.appearances);
    finder.visit_pending()?;
    finder.resolve_missing_names()?;
    Ok(finder.found)
}

/// A page's content and resources.
pub(crate) struct PageContent<'a> {
    /// The page's object number in the chunk.
    pub(crate) number: u32,
    /// `/Contents`.
    pub(crate) contents: &'a Object,
    /// `/Resources`, own or inherited.
    pub(crate) resources: &'a Object,
    /// The appearance streams of its annotations.
    pub(crate) appearances: Vec<Object>,
}

struct ResourceFinder<'a> {
    objects: &'a dyn Objects,
    decoder: &'a ContentDecoder<'a>,
    limits: &'a Limits,
    cache: &'a ChunkCache,
    page_resources: Object,
    page_scope: ResourceScope,
    needs_colors: bool,
    found: UsedResources,
    /// Entries already visited: the dictionary, its category and the name.
    visited_entries: FastSet<(ResourceScope, &'static [u8], Vec<u8>)>,
    /// Indirect objects already visited.
    visited_objects: FastSet<u32>,
    pending: Vec<Object>,
    /// Resource dictionaries met so far.
    scopes: Vec<(ResourceScope, Object)>,
    /// Names that content uses and its own resources lack.
    missing: UsedNames,
}

impl ResourceFinder<'_> {
    /// Marks missing names as used in every dictionary, until no new ones appear.
    fn resolve_missing_names(&mut self) -> Result<(), DocumentError> {
        while !self.missing.is_empty() {
            let missing = std::mem::take(&mut self.missing);
            for (scope, resources) in self.scopes.clone() {
                self.use_names(scope, &resources, &missing)?;
            }
            self.visit_pending()?;
            if self.missing == missing || self.missing.is_empty() {
                break;
            }
            self.missing.merge(&missing);
        }
        Ok(())
    }

    fn visit_pending(&mut self) -> Result<(), DocumentError> {
        while let Some(object) = self.pending.pop() {
            self.limits.deadline.check()?;
            if let Object::Reference(id) = &object
                && !self.visited_objects.insert(id.number)
            {
                continue;
            }
            LimitExceeded::check(
                Limit::PageObjects,
                self.visited_objects.len() as u64,
                u64::from(self.limits.max_page_objects),
            )?;
            let holder = object.as_reference();
            let resolved = self.objects.resolve(&object)?;
            match &*resolved {
                Object::Stream(stream) => self.visit_stream(stream, holder)?,
                Object::Dictionary(dictionary) => self.visit_dictionary(dictionary, holder)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Visits a stream: a form XObject, a tiling pattern, a shading, or an image.
    fn visit_stream(&mut self, stream: &Stream, holder: Option<ObjectId>) -> Result<(), DocumentError> {
        let dictionary = &stream.dictionary;
        if self.objects.get(dictionary, b"Subtype")?.is_name(b"Image") {
            if self.needs_colors
                && let Some(space) = dictionary.get(b"ColorSpace")
            {
                self.found.device_colors.note_space(self.objects, space, 0)?;
            }
            return Ok(());
        }
        self.visit_group_and_mask(dictionary)?;
        if self.objects.get(dictionary, b"ShadingType")?.as_integer().is_some() {
            return self.visit_shading(dictionary);
        }
        let used =
            self.usage_of(holder, |finder, used| used.add_stream(stream, finder.decoder, finder.needs_colors))?;
        self.add_user(dictionary, holder, &used.names)
    }

    /// The usage of the object `id`, from the cache or computed by `read`.
    fn usage_of(
        &mut self,
        id: Option<ObjectId>,
        read: impl FnOnce(&Self, &mut ContentUsage) -> Result<(), DocumentError>,
    ) -> Result<Arc<ContentUsage>, DocumentError> {
        let known = id.and_then(|id| self.cache.usage(id));
        let used = match known {
            Some(used) => {
                self.decoder.count_decoded(used.decoded)?;
                used
            }
            None => {
                let mut used = ContentUsage::default();
                read(self, &mut used)?;
                let used = Arc::new(used);
                if let Some(id) = id {
                    self.cache.keep_usage(id, &used);
                }
                used
            }
        };
        self.add_findings(&used);
        Ok(used)
    }

    fn add_findings(&mut self, used: &ContentUsage) {
        self.found.has_damaged_content |= used.has_damage;
        self.found.device_colors.merge(used.colors);
    }

    /// Visits a dictionary that may lead to content: a Type 3 font, a graphics state, a shading pattern, or appearances
    /// by state.
    fn visit_dictionary(&mut self, dictionary: &Dictionary, holder: Option<ObjectId>) -> Result<(), DocumentError> {
        self.visit_group_and_mask(dictionary)?;
        if let Some(shading) = dictionary.get(b"Shading") {
            self.pending.push(shading.clone());
        }
        if self.objects.get(dictionary, b"ShadingType")?.as_integer().is_some() {
            return self.visit_shading(dictionary);
        }
        if let Some(font) = self.objects.get(dictionary, b"Font")?.as_array().and_then(<[Object]>::first) {
            self.pending.push(font.clone());
        }
        if self.objects.get(dictionary, b"Subtype")?.is_name(b"Type3") {
            return self.visit_type3(dictionary, holder);
        }
        Ok(())
    }

    fn visit_shading(&mut self, dictionary: &Dictionary) -> Result<(), DocumentError> {
        match dictionary.get(b"ColorSpace") {
            Some(space) if self.needs_colors => self.found.device_colors.note_space(self.objects, space, 0),
            _ => Ok(()),
        }
    }

    /// Visits the group of a soft mask, and the colour space of a group.
    fn visit_group_and_mask(&mut self, dictionary: &Dictionary) -> Result<(), DocumentError> {
        if let Some(mask) = self.objects.get(dictionary, b"SMask")?.as_dictionary()
            && let Some(group) = mask.get(b"G")
        {
            self.pending.push(group.clone());
        }
        if self.needs_colors
            && let Some(space) =
                self.objects.get(dictionary, b"Group")?.as_dictionary().and_then(|group| group.get(b"CS"))
        {
            self.found.device_colors.note_space(self.objects, space, 0)?;
        }
        Ok(())
    }

    fn visit_type3(&mut self, font: &Dictionary, holder: Option<ObjectId>) -> Result<(), DocumentError> {
        let used = self.usage_of(holder, |finder, used| {
            let glyphs = finder.objects.get(font, b"CharProcs")?;
            for (_, glyph) in glyphs.as_dictionary().into_iter().flat_map(Dictionary::iter) {
                let glyph = finder.objects.resolve(glyph)?;
                if let Some(stream) = glyph.as_stream() {
                    used.add_stream(stream, finder.decoder, finder.needs_colors)?;
                }
            }
            Ok(())
        })?;
        self.add_user(font, holder, &used.names)
    }

    /// Adds the names used by an object that has content, to its own resources or the page's.
    fn add_user(
        &mut self,
        dictionary: &Dictionary,
        holder: Option<ObjectId>,
        names: &UsedNames,
    ) -> Result<(), DocumentError> {
        let own = dictionary.get(b"Resources").filter(|own| !own.is_null());
        let Some(own) = own else {
            let (scope, resources) = self.page_scope();
            self.add_missing(&resources, names)?;
            return self.use_names(scope, &resources, names);
        };
        self.add_missing(own, names)?;
        match (own, holder) {
            (Object::Reference(id), _) => self.use_names(ResourceScope::Indirect(id.number), own, names),
            (_, Some(holder)) => self.use_names(ResourceScope::DirectIn(holder.number), own, names),
            // A direct font: its resources cannot be identified, so they are kept whole.
            (_, None) => self.visit_all(own),
        }
    }

    fn add_missing(&mut self, own: &Object, names: &UsedNames) -> Result<(), DocumentError> {
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

    fn page_scope(&self) -> (ResourceScope, Object) {
        let scope = match &self.page_resources {
            Object::Reference(id) => ResourceScope::Indirect(id.number),
            _ => self.page_scope,
        };
        (scope, self.page_resources.clone())
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

    /// Marks `names` as used in the resources at `scope`, and visits their entries.
    fn use_names(&mut self, scope: ResourceScope, resources: &Object, names: &UsedNames) -> Result<(), DocumentError> {
        if !self.found.used.contains_key(&scope) {
            self.scopes.push((scope, resources.clone()));
        }
        self.found.used.entry(scope).or_default().merge(names);
        let resolved = self.objects.resolve(resources)?;
        let Some(dictionary) = resolved.as_dictionary() else { return Ok(()) };
        for category in CATEGORIES {
            let Some(value) = dictionary.get(category) else { continue };
            let category_scope = match value {
                Object::Reference(id) => ResourceScope::Indirect(id.number),
                _ => scope,
            };
            if category_scope != scope {
                self.found.used.entry(category_scope).or_default().merge(names);
            }
            let entries = self.objects.resolve(value)?;
            let Some(entries) = entries.as_dictionary() else { continue };
            self.visit_entries(category_scope, category, entries, names);
        }
        Ok(())
    }

    fn visit_entries(
        &mut self,
        scope: ResourceScope,
        category: &'static [u8],
        entries: &Dictionary,
        names: &UsedNames,
    ) {
        match names {
            UsedNames::All => {
                for (name, value) in entries.iter() {
                    self.visit_entry(scope, category, name.as_bytes(), value);
                }
            }
            UsedNames::Only(names) => {
                // Dictionary order is deterministic, set order is not.
                for (name, value) in entries.iter().filter(|(name, _)| names.contains(*name)) {
                    self.visit_entry(scope, category, name.as_bytes(), value);
                }
            }
        }
        if category == b"ColorSpace" && self.needs_colors {
            for (_, space) in entries.iter() {
                if self.found.device_colors.note_space(self.objects, space, 0).is_err() {
                    self.found.device_colors = DeviceColors::all();
                }
            }
        }
    }

    fn visit_entry(&mut self, scope: ResourceScope, category: &'static [u8], name: &[u8], value: &Object) {
        let leads_to_content: [&[u8]; 5] = [b"XObject", b"Pattern", b"Font", b"ExtGState", b"Shading"];
        if leads_to_content.contains(&category) && self.visited_entries.insert((scope, category, name.to_vec())) {
            self.pending.push(value.clone());
        }
    }
}
