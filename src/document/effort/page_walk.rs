//! Visits every object that a page refers to, once, before the engine interprets the page.

use super::content_operators::{ContentOperators, ResourceCategory};
use super::content_role::ContentRole;
use super::page_cost::{LoadedFonts, PageCost};
use super::resource_cost::ResourceCost;
use super::{Interruption, Steps, data, font_cost, length, price, reading_steps};
use hayro_syntax::object::{Array, Dict, MaybeRef, Name, Object, ObjectIdentifier};
use hayro_syntax::page::{Page, Resources};
use hayro_syntax::xref::XRef;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Keys whose values are not needed for drawing the page.
const IGNORED_KEYS: [&[u8]; 10] =
    [b"Parent", b"P", b"A", b"AA", b"B", b"Dest", b"IRT", b"Metadata", b"PieceInfo", b"Thumb"];

/// A content stream that other content invokes.
struct InvokedContent {
    id: Option<ObjectIdentifier>,
    role: ContentRole,
    operators: ContentOperators,
}

/// Visits the objects of a page.
pub(super) struct PageWalk<'a, 's> {
    steps: &'s Steps,
    limits: &'s Limits,
    loaded: &'s mut LoadedFonts,
    builder: ResourceCost<'a, 's>,
    seen: HashSet<(ObjectIdentifier, ContentRole)>,
    pending: Vec<(ObjectIdentifier, ContentRole)>,
    /// The resources that content names.
    named_resources: HashSet<(ResourceCategory, Vec<u8>)>,
    unnamed_resources: HashMap<(ResourceCategory, Vec<u8>), Vec<MaybeRef<Object<'a>>>>,
    listed: HashSet<(ResourceCategory, ObjectIdentifier)>,
    /// The steps of naming a resource, by category and name, in any resource dictionary.
    named: HashMap<(ResourceCategory, Vec<u8>), u64>,
    /// The names of form XObjects.
    names: HashMap<ObjectIdentifier, HashSet<Vec<u8>>>,
    /// The number of times that each appearance can be drawn.
    appearances: HashMap<ObjectIdentifier, u64>,
    contents: Vec<InvokedContent>,
    has_opacity: bool,
    has_type_3_fonts: bool,
    has_many_substitutions: bool,
    has_annotations: bool,
}

impl<'a, 's> PageWalk<'a, 's> {
    pub(super) fn new(xref: &'a XRef, steps: &'s Steps, limits: &'s Limits, loaded: &'s mut LoadedFonts) -> Self {
        Self {
            steps,
            limits,
            loaded,
            builder: ResourceCost::new(xref, steps, limits),
            seen: HashSet::new(),
            pending: Vec::new(),
            named_resources: HashSet::new(),
            unnamed_resources: HashMap::new(),
            listed: HashSet::new(),
            named: HashMap::new(),
            names: HashMap::new(),
            appearances: HashMap::new(),
            contents: Vec::new(),
            has_opacity: false,
            has_type_3_fonts: false,
            has_many_substitutions: false,
            has_annotations: false,
        }
    }

    /// Visits the page itself. Returns the operators of its content.
    pub(super) fn visit_page(&mut self, page: &Page<'a>) -> ContentOperators {
        self.check_lengths(page);
        let own = ContentOperators::of(page.page_stream().unwrap_or_default(), self.steps);
        self.visit_named(&own);
        self.visit_resources(page.resources());
        if let Some(group) = page.raw().get_raw::<Object<'_>>(b"Group") {
            self.visit_entry(b"Group", &group);
        }
        let annotations = page.raw().get::<Array<'_>>(b"Annots");
        for annotation in annotations.iter().flat_map(Array::raw_iter) {
            self.has_annotations = true;
            self.visit_annotation(&annotation);
        }
        own
    }

    /// Checks the lengths of the page's content streams one by one, since there may be many.
    fn check_lengths(&self, page: &Page<'a>) {
        match page.raw().get::<Object<'_>>(b"Contents") {
            Some(Object::Stream(stream)) => data::check_lengths(std::iter::once(stream), self.steps, self.limits),
            Some(Object::Array(items)) => {
                let streams = items.iter::<Object<'_>>().filter_map(Object::into_stream);
                data::check_lengths(streams, self.steps, self.limits);
            }
            _ => {}
        }
    }

    /// Visits the normal appearances of an annotation in all states (ISO 32000-2, 12.5.5).
    fn visit_annotation(&mut self, annotation: &MaybeRef<Object<'a>>) {
        self.steps.take(price::ITEM);
        let Some(annotation) = self.resolve(annotation).and_then(dictionary_of) else { return };
        self.steps.take(price::ANNOTATION + reading_steps(length(annotation.data())));
        let Some(normal) = annotation.get::<Dict<'_>>(b"AP").and_then(|kinds| kinds.get_raw::<Object<'_>>(b"N")) else {
            return;
        };
        self.visit_value(&normal, ContentRole::Appearances);
        let states = match &normal {
            MaybeRef::NotRef(Object::Dict(states)) => Some(states.clone()),
            MaybeRef::NotRef(_) => None,
            MaybeRef::Ref(reference) => {
                self.count_appearance(ObjectIdentifier::from(*reference));
                self.builder.xref.get::<Dict<'_>>(ObjectIdentifier::from(*reference))
            }
        };
        for (_, state) in states.iter().flat_map(Dict::entries) {
            state.as_obj_ref().into_iter().for_each(|state| self.count_appearance(state.into()));
        }
    }

    fn count_appearance(&mut self, id: ObjectIdentifier) {
        *self.appearances.entry(id).or_default() += 1;
    }

    fn visit_resources(&mut self, resources: &Resources<'a>) {
        let Resources { ext_g_states, fonts, properties, color_spaces, x_objects, patterns, shadings } = resources;
        for (key, dictionary) in [
            (b"ExtGState".as_slice(), ext_g_states),
            (b"Font", fonts),
            (b"Properties", properties),
            (b"ColorSpace", color_spaces),
            (b"XObject", x_objects),
            (b"Pattern", patterns),
            (b"Shading", shadings),
        ] {
            self.visit_entry(key, &MaybeRef::NotRef(Object::Dict(dictionary.clone())));
        }
    }

    /// Visits all pending objects and those that they refer to.
    pub(super) fn visit_pending(&mut self) {
        while let Some((id, role)) = self.pending.pop() {
            if !self.seen.insert((id, role)) {
                continue;
            }
            let found = length_of(&self.seen);
            if let Err(limit) = LimitExceeded::check(Limit::PageObjects, found, self.limits.max_page_objects.into()) {
                Interruption::Limit(limit).leave();
            }
            if let Some(object) = self.builder.xref.get::<Object<'_>>(id) {
                self.visit_object(&object, Some(id), role);
            }
        }
    }

    fn visit_entry(&mut self, key: &[u8], value: &MaybeRef<Object<'a>>) {
        match ResourceCategory::of(key) {
            Some(kind) => self.visit_category(kind, value),
            None => self.visit_value(value, ContentRole::of(key)),
        }
    }

    fn visit_value(&mut self, value: &MaybeRef<Object<'a>>, role: ContentRole) {
        match value {
            MaybeRef::Ref(reference) => self.pending.push((ObjectIdentifier::from(*reference), role)),
            MaybeRef::NotRef(object) => self.visit_object(object, None, role),
        }
    }

    fn visit_object(&mut self, object: &Object<'a>, id: Option<ObjectIdentifier>, role: ContentRole) {
        match object {
            Object::Array(items) => {
                for item in items.raw_iter() {
                    self.steps.take(price::ITEM);
                    self.visit_value(&item, role);
                }
            }
            Object::Dict(dictionary) => self.visit_dictionary(dictionary, role),
            Object::Stream(stream) => {
                // Where the engine expects a dictionary, it accepts a stream.
                self.visit_dictionary(stream.dict(), role);
                if role.is_content(stream.dict()) {
                    let content = data::decode_stream(stream, self.steps, self.limits).unwrap_or_default();
                    let operators = ContentOperators::of(&content, self.steps);
                    self.visit_named(&operators);
                    self.contents.push(InvokedContent { id, role, operators });
                }
            }
            _ => {}
        }
    }

    fn visit_dictionary(&mut self, dictionary: &Dict<'a>, role: ContentRole) {
        self.steps.take(reading_steps(length(dictionary.data())));
        self.has_opacity |= [b"ca".as_slice(), b"CA"].iter().any(|key| dictionary.contains_key(key));
        for (key, value) in dictionary.entries() {
            if let Some(named) = role.of_named() {
                self.visit_value(&value, named);
            } else if !IGNORED_KEYS.contains(&key.as_ref()) {
                self.visit_entry(key.as_ref(), &value);
            }
            // The engine may read the same dictionary both as named content and by its keys.
            if role.of_named().is_some() && ResourceCategory::of(key.as_ref()).is_some() {
                self.visit_entry(key.as_ref(), &value);
            }
        }
    }

    /// Visits the resources that `operators` name for the first time.
    fn visit_named(&mut self, operators: &ContentOperators) {
        for (kind, names) in &operators.named {
            for name in names.keys() {
                let named_resources = (*kind, name.clone());
                let unnamed_resources = self.unnamed_resources.remove(&named_resources).unwrap_or_default();
                self.named_resources.insert(named_resources);
                for value in unnamed_resources {
                    self.visit_resource(*kind, name, &value);
                }
            }
        }
    }

    /// Visits the resources of a category that content names. Colour spaces are always visited, since images name them too.
    fn visit_category(&mut self, kind: ResourceCategory, value: &MaybeRef<Object<'a>>) {
        let id = value.as_obj_ref().map(ObjectIdentifier::from);
        if id.is_some_and(|id| !self.listed.insert((kind, id))) {
            return;
        }
        match self.resolve(value) {
            // The font in a graphics state parameter dictionary.
            Some(Object::Array(items)) if kind == ResourceCategory::Font => {
                for font in items.raw_iter().take(1) {
                    self.visit_font(&font);
                    self.visit_value(&font, ContentRole::Plain);
                }
            }
            // The colour space of an image, a shading or a group.
            Some(object @ Object::Array(_)) => self.visit_object(&object, None, ContentRole::Plain),
            Some(object) => {
                for (name, value) in dictionary_of(object).iter().flat_map(Dict::entries) {
                    let offer = (kind, name.as_ref().to_vec());
                    if kind == ResourceCategory::ColorSpace || self.named_resources.contains(&offer) {
                        self.visit_resource(kind, name.as_ref(), &value);
                    } else {
                        self.unnamed_resources.entry(offer).or_default().push(value);
                    }
                }
            }
            None => {}
        }
    }

    fn visit_resource(&mut self, kind: ResourceCategory, name: &[u8], value: &MaybeRef<Object<'a>>) {
        let steps = match kind {
            ResourceCategory::Font => self.visit_font(value),
            _ => self.builder.steps_of(value),
        };
        let known = self.named.entry((kind, name.to_vec())).or_default();
        *known = steps.max(*known);
        if let (ResourceCategory::Form, MaybeRef::Ref(reference)) = (kind, value) {
            self.names.entry(ObjectIdentifier::from(*reference)).or_default().insert(name.to_vec());
        }
        self.visit_value(value, ContentRole::of_resource(kind));
    }

    /// Counts the loading of a font once. Returns the steps of selecting it.
    fn visit_font(&mut self, value: &MaybeRef<Object<'a>>) -> u64 {
        let Some(font) = self.resolve(value).and_then(dictionary_of) else { return price::FETCH };
        let id = value.as_obj_ref().map(ObjectIdentifier::from);
        if id.is_none_or(|id| self.loaded.insert(id)) {
            font_cost::take_loading_steps(&font, self.steps, self.limits);
            self.has_type_3_fonts |= font.get::<Name<'_>>(b"Subtype").is_some_and(|kind| kind.as_ref() == b"Type3");
            self.has_many_substitutions |= font_cost::has_many_substitutions(&font, self.steps, self.limits);
        }
        price::FETCH + reading_steps(length(font.data()))
    }

    fn resolve(&self, value: &MaybeRef<Object<'a>>) -> Option<Object<'a>> {
        match value {
            MaybeRef::Ref(reference) => self.builder.xref.get(ObjectIdentifier::from(*reference)),
            MaybeRef::NotRef(object) => Some(object.clone()),
        }
    }

    pub(super) fn into_cost(self, own: &ContentOperators) -> PageCost {
        let named_by_others =
            self.contents.iter().filter_map(|content| content.operators.named.get(&ResourceCategory::Form));
        let named_by_others = named_by_others.flat_map(BTreeMap::keys).collect::<HashSet<_>>();
        let limited = |content: &InvokedContent| {
            let id = content.id.filter(|_| content.role.is_counted());
            (
                self.steps_of(&content.operators),
                id.and_then(|id| self.invocations(id, own, &named_by_others)).unwrap_or(u64::MAX),
            )
        };
        let mut contents = self.contents.iter().map(limited).collect::<Vec<_>>();
        contents.sort_unstable_by(|one, other| other.cmp(one));
        let start_steps = self.optional_content();
        PageCost {
            page_steps: self.steps_of(own).saturating_add(start_steps),
            contents,
            start_steps: start_steps.saturating_add(price::CONTENT),
            function: self.builder.sample_corners.saturating_add(self.builder.program_bytes / 128),
            is_clipped_by_text: own.clips || self.contents.iter().any(|content| content.operators.clips),
            has_patterns: self.named.keys().any(|(kind, _)| *kind == ResourceCategory::Pattern),
            has_opacity: self.has_opacity,
            has_many_substitutions: self.has_many_substitutions,
            may_draw: !own.named.is_empty() || self.has_annotations,
        }
    }

    /// The steps of a content stream, without the content that it invokes.
    fn steps_of(&self, operators: &ContentOperators) -> u64 {
        operators.named.iter().flat_map(|(kind, names)| names.iter().map(|(name, times)| (*kind, name, *times))).fold(
            operators.steps.saturating_add(operators.held_glyphs(self.has_type_3_fonts)),
            |sum, (kind, name, times)| {
                let missing = if kind == ResourceCategory::Font { price::STANDARD_FONT } else { price::FETCH };
                let each = self.named.get(&(kind, name.clone())).copied().unwrap_or(missing);
                sum.saturating_add(each.saturating_mul(times))
            },
        )
    }

    /// The number of times that the page's own content and its annotations can invoke a content stream. `None` if other
    /// content may invoke it too.
    fn invocations(
        &self,
        id: ObjectIdentifier,
        own: &ContentOperators,
        named_by_others: &HashSet<&Vec<u8>>,
    ) -> Option<u64> {
        let names = self.names.get(&id);
        let mut names = names.into_iter().flatten();
        let shown = self.appearances.get(&id).copied().unwrap_or(0);
        names.try_fold(shown, |times, name| {
            (!named_by_others.contains(name)).then(|| times.saturating_add(own.count_of(ResourceCategory::Form, name)))
        })
    }

    /// The steps of reading the optional content configuration (8.11.4), which the engine does for each pattern, mask and
    /// glyph.
    fn optional_content(&self) -> u64 {
        let catalog = self.builder.xref.get::<Dict<'_>>(self.builder.xref.root_id());
        let Some(properties) = catalog.and_then(|catalog| catalog.get::<Dict<'_>>(b"OCProperties")) else { return 0 };
        let of =
            |dictionary: &Dict<'_>, key: &[u8]| dictionary.get::<Array<'_>>(key).map_or(0, |all| length(all.data()));
        let default = properties.get::<Dict<'_>>(b"D").unwrap_or_default();
        reading_steps(of(&properties, b"OCGs") + of(&default, b"ON") + of(&default, b"OFF"))
    }
}

/// The dictionary that the engine reads where it expects one. It accepts that of a stream.
fn dictionary_of(object: Object<'_>) -> Option<Dict<'_>> {
    match object {
        Object::Dict(dictionary) => Some(dictionary),
        Object::Stream(stream) => Some(stream.dict().clone()),
        _ => None,
    }
}

fn length_of<T>(set: &HashSet<T>) -> u64 {
    u64::try_from(set.len()).unwrap_or(u64::MAX)
}
