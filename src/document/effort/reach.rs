//! Everything that a page leads to, looked at once, before the engine interprets any of it.

use super::build::Builder;
use super::content::{Kind, Operators};
use super::role::Role;
use super::{Interruption, LoadedFonts, Steps, bytes, data, fonts, length, price};
use crate::limits::{Limit, LimitExceeded, Limits};
use hayro_syntax::object::{Array, Dict, MaybeRef, Name, Object, ObjectIdentifier};
use hayro_syntax::page::{Page, Resources};
use hayro_syntax::xref::XRef;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Keys that lead away from the page: nothing that is drawn hangs on them.
const ELSEWHERE: [&[u8]; 10] =
    [b"Parent", b"P", b"A", b"AA", b"B", b"Dest", b"IRT", b"Metadata", b"PieceInfo", b"Thumb"];

/// What a page's objects come to.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// Steps of the page's own content, without what it calls.
    pub(crate) page_steps: u64,
    /// Steps of the pieces of content that the page's own can begin, the dearest first, and how often it can at most.
    contents: Vec<(u64, u64)>,
    /// Steps of beginning content: optional content is looked up each time.
    pub(crate) begin: u64,
    /// Steps of the dearest function for one colour.
    pub(crate) function: u64,
    /// Whether text may be what others are clipped by: its outlines are kept then.
    pub(crate) is_clipped_by_text: bool,
    /// Whether a graphics state lets what is below shine through (11.6.4.4).
    pub(crate) has_opacity: bool,
    /// Whether content paints with patterns.
    pub(crate) has_patterns: bool,
    /// Whether a font has so many rules that its glyphs are not fitted to pixels.
    pub(crate) has_rules: bool,
    /// Whether the page's content names resources, such as fonts and pictures, or it has annotations.
    pub(crate) is_something: bool,
}

impl Reach {
    /// Looks at all that `page` leads to. Takes the steps of what the engine builds once; `loaded` are fonts that it has.
    pub(crate) fn of<'a>(page: &Page<'a>, steps: &Steps, limits: &Limits, loaded: &mut LoadedFonts) -> Self {
        let mut walk = Walk::new(page.xref(), steps, limits, loaded);
        let own = walk.page(page);
        walk.all();
        walk.reach(&own)
    }

    /// Steps of the content that is begun next, when `begun` pieces were begun before. Which one it is nobody says, so it is
    /// taken to be the dearest that can be left.
    pub(crate) fn content_steps(&self, begun: u64) -> u64 {
        let mut before = 0_u64;
        for (steps, times) in &self.contents {
            before = before.saturating_add(*times);
            if begun < before {
                return self.begin.saturating_add(*steps);
            }
        }
        self.begin
    }
}

/// One piece of content that another begins.
struct Content {
    id: Option<ObjectIdentifier>,
    role: Role,
    operators: Operators,
}

struct Walk<'a, 's> {
    steps: &'s Steps,
    limits: &'s Limits,
    loaded: &'s mut LoadedFonts,
    builder: Builder<'a, 's>,
    seen: HashSet<(ObjectIdentifier, Role)>,
    pending: Vec<(ObjectIdentifier, Role)>,
    /// Resources that content names, of all that are offered.
    wanted: HashSet<(Kind, Vec<u8>)>,
    offered: HashMap<(Kind, Vec<u8>), Vec<MaybeRef<Object<'a>>>>,
    listed: HashSet<(Kind, ObjectIdentifier)>,
    /// Steps of naming a resource, by its kind and name, wherever one of these stands.
    named: HashMap<(Kind, Vec<u8>), u64>,
    /// The names of form XObjects.
    names: HashMap<ObjectIdentifier, HashSet<Vec<u8>>>,
    /// How often each appearance can be drawn.
    appearances: HashMap<ObjectIdentifier, u64>,
    contents: Vec<Content>,
    has_opacity: bool,
    has_type_3_fonts: bool,
    has_rules: bool,
    has_annotations: bool,
}

impl<'a, 's> Walk<'a, 's> {
    fn new(xref: &'a XRef, steps: &'s Steps, limits: &'s Limits, loaded: &'s mut LoadedFonts) -> Self {
        Self {
            steps,
            limits,
            loaded,
            builder: Builder::new(xref, steps, limits),
            seen: HashSet::new(),
            pending: Vec::new(),
            wanted: HashSet::new(),
            offered: HashMap::new(),
            listed: HashSet::new(),
            named: HashMap::new(),
            names: HashMap::new(),
            appearances: HashMap::new(),
            contents: Vec::new(),
            has_opacity: false,
            has_type_3_fonts: false,
            has_rules: false,
            has_annotations: false,
        }
    }

    /// Looks at what the page has of its own; gives the operators of its content.
    fn page(&mut self, page: &Page<'a>) -> Operators {
        self.check_lengths(page);
        let own = Operators::of(page.page_stream().unwrap_or_default(), self.steps);
        self.want(&own);
        self.resources(page.resources());
        if let Some(group) = page.raw().get_raw::<Object<'_>>(b"Group") {
            self.entry(b"Group", &group);
        }
        let annotations = page.raw().get::<Array<'_>>(b"Annots");
        for annotation in annotations.iter().flat_map(Array::raw_iter) {
            self.has_annotations = true;
            self.annotation(&annotation);
        }
        own
    }

    /// The streams that the page's content is put together from, one after the other: there may be many.
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

    /// The normal appearances of an annotation, of all states (ISO 32000-2, 12.5.5).
    fn annotation(&mut self, annotation: &MaybeRef<Object<'a>>) {
        self.steps.take(price::ITEM);
        let Some(annotation) = self.resolved(annotation).and_then(dictionary_of) else { return };
        self.steps.take(price::ANNOTATION + bytes(length(annotation.data())));
        let Some(normal) = annotation.get::<Dict<'_>>(b"AP").and_then(|kinds| kinds.get_raw::<Object<'_>>(b"N")) else {
            return;
        };
        self.value(&normal, Role::Appearances);
        let states = match &normal {
            MaybeRef::NotRef(Object::Dict(states)) => Some(states.clone()),
            MaybeRef::NotRef(_) => None,
            MaybeRef::Ref(reference) => {
                self.appearance(ObjectIdentifier::from(*reference));
                self.builder.xref.get::<Dict<'_>>(ObjectIdentifier::from(*reference))
            }
        };
        for (_, state) in states.iter().flat_map(Dict::entries) {
            state.as_obj_ref().into_iter().for_each(|state| self.appearance(state.into()));
        }
    }

    fn appearance(&mut self, id: ObjectIdentifier) {
        *self.appearances.entry(id).or_default() += 1;
    }

    fn resources(&mut self, resources: &Resources<'a>) {
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
            self.entry(key, &MaybeRef::NotRef(Object::Dict(dictionary.clone())));
        }
    }

    /// Looks at all objects that are referred to.
    fn all(&mut self) {
        while let Some((id, role)) = self.pending.pop() {
            if !self.seen.insert((id, role)) {
                continue;
            }
            let found = length_of(&self.seen);
            if let Err(limit) = LimitExceeded::check(Limit::PageObjects, found, self.limits.max_page_objects.into()) {
                Interruption::Limit(limit).leave();
            }
            if let Some(object) = self.builder.xref.get::<Object<'_>>(id) {
                self.object(&object, Some(id), role);
            }
        }
    }

    fn entry(&mut self, key: &[u8], value: &MaybeRef<Object<'a>>) {
        match Kind::of(key) {
            Some(kind) => self.resources_of(kind, value),
            None => self.value(value, Role::of(key)),
        }
    }

    fn value(&mut self, value: &MaybeRef<Object<'a>>, role: Role) {
        match value {
            MaybeRef::Ref(reference) => self.pending.push((ObjectIdentifier::from(*reference), role)),
            MaybeRef::NotRef(object) => self.object(object, None, role),
        }
    }

    fn object(&mut self, object: &Object<'a>, id: Option<ObjectIdentifier>, role: Role) {
        match object {
            Object::Array(items) => {
                for item in items.raw_iter() {
                    self.steps.take(price::ITEM);
                    self.value(&item, role);
                }
            }
            Object::Dict(dictionary) => self.dictionary(dictionary, role),
            Object::Stream(stream) => {
                // A stream is a dictionary too where the engine wants one.
                self.dictionary(stream.dict(), role);
                if role.is_content(stream.dict()) {
                    let content = data::decoded(stream, self.steps, self.limits).unwrap_or_default();
                    let operators = Operators::of(&content, self.steps);
                    self.want(&operators);
                    self.contents.push(Content { id, role, operators });
                }
            }
            _ => {}
        }
    }

    fn dictionary(&mut self, dictionary: &Dict<'a>, role: Role) {
        self.steps.take(bytes(length(dictionary.data())));
        self.has_opacity |= [b"ca".as_slice(), b"CA"].iter().any(|key| dictionary.contains_key(key));
        for (key, value) in dictionary.entries() {
            if let Some(named) = role.of_named() {
                self.value(&value, named);
            } else if !ELSEWHERE.contains(&key.as_ref()) {
                self.entry(key.as_ref(), &value);
            }
            // What names content to one may be a dictionary with keys to another.
            if role.of_named().is_some() && Kind::of(key.as_ref()).is_some() {
                self.entry(key.as_ref(), &value);
            }
        }
    }

    /// Looks at the resources that `operators` are the first to name.
    fn want(&mut self, operators: &Operators) {
        for (kind, names) in &operators.named {
            for name in names.keys() {
                let wanted = (*kind, name.clone());
                let offered = self.offered.remove(&wanted).unwrap_or_default();
                self.wanted.insert(wanted);
                for value in offered {
                    self.resource(*kind, name, &value);
                }
            }
        }
    }

    /// The resources of a kind. Those that no content names are never looked up; images name colour spaces too.
    fn resources_of(&mut self, kind: Kind, value: &MaybeRef<Object<'a>>) {
        let id = value.as_obj_ref().map(ObjectIdentifier::from);
        if id.is_some_and(|id| !self.listed.insert((kind, id))) {
            return;
        }
        match self.resolved(value) {
            // The font of a graphics state.
            Some(Object::Array(items)) if kind == Kind::Font => {
                for font in items.raw_iter().take(1) {
                    self.font(&font);
                    self.value(&font, Role::Plain);
                }
            }
            // The colour space of an image, a shading or a group.
            Some(object @ Object::Array(_)) => self.object(&object, None, Role::Plain),
            Some(object) => {
                for (name, value) in dictionary_of(object).iter().flat_map(Dict::entries) {
                    let offer = (kind, name.as_ref().to_vec());
                    if kind == Kind::ColorSpace || self.wanted.contains(&offer) {
                        self.resource(kind, name.as_ref(), &value);
                    } else {
                        self.offered.entry(offer).or_default().push(value);
                    }
                }
            }
            None => {}
        }
    }

    fn resource(&mut self, kind: Kind, name: &[u8], value: &MaybeRef<Object<'a>>) {
        let steps = match kind {
            Kind::Font => self.font(value),
            _ => self.builder.steps_of(value),
        };
        let known = self.named.entry((kind, name.to_vec())).or_default();
        *known = steps.max(*known);
        if let (Kind::Form, MaybeRef::Ref(reference)) = (kind, value) {
            self.names.entry(ObjectIdentifier::from(*reference)).or_default().insert(name.to_vec());
        }
        self.value(value, Role::of_resource(kind));
    }

    /// Loads a font, once; the steps of choosing it.
    fn font(&mut self, value: &MaybeRef<Object<'a>>) -> u64 {
        let Some(font) = self.resolved(value).and_then(dictionary_of) else { return price::FETCH };
        let id = value.as_obj_ref().map(ObjectIdentifier::from);
        if id.is_none_or(|id| self.loaded.insert(id)) {
            fonts::load(&font, self.steps, self.limits);
            self.has_type_3_fonts |= font.get::<Name<'_>>(b"Subtype").is_some_and(|kind| kind.as_ref() == b"Type3");
            self.has_rules |= fonts::has_rules(&font, self.steps, self.limits);
        }
        price::FETCH + bytes(length(font.data()))
    }

    fn resolved(&self, value: &MaybeRef<Object<'a>>) -> Option<Object<'a>> {
        match value {
            MaybeRef::Ref(reference) => self.builder.xref.get(ObjectIdentifier::from(*reference)),
            MaybeRef::NotRef(object) => Some(object.clone()),
        }
    }

    fn reach(self, own: &Operators) -> Reach {
        let by_others = self.contents.iter().filter_map(|content| content.operators.named.get(&Kind::Form));
        let by_others = by_others.flat_map(BTreeMap::keys).collect::<HashSet<_>>();
        let limited = |content: &Content| {
            let id = content.id.filter(|_| content.role.is_counted());
            (self.steps_of(&content.operators), id.and_then(|id| self.times(id, own, &by_others)).unwrap_or(u64::MAX))
        };
        let mut contents = self.contents.iter().map(limited).collect::<Vec<_>>();
        contents.sort_unstable_by(|one, other| other.cmp(one));
        let begin = self.optional_content();
        Reach {
            page_steps: self.steps_of(own).saturating_add(begin),
            contents,
            begin: begin.saturating_add(price::CONTENT),
            function: self.builder.corners.saturating_add(self.builder.program_bytes / 128),
            is_clipped_by_text: own.clips || self.contents.iter().any(|content| content.operators.clips),
            has_patterns: self.named.keys().any(|(kind, _)| *kind == Kind::Pattern),
            has_opacity: self.has_opacity,
            has_rules: self.has_rules,
            is_something: !own.named.is_empty() || self.has_annotations,
        }
    }

    /// Steps of content, without what it calls.
    fn steps_of(&self, operators: &Operators) -> u64 {
        operators.named.iter().flat_map(|(kind, names)| names.iter().map(|(name, times)| (*kind, name, *times))).fold(
            operators.steps.saturating_add(operators.held_glyphs(self.has_type_3_fonts)),
            |sum, (kind, name, times)| {
                let missing = if kind == Kind::Font { price::STANDARD_FONT } else { price::FETCH };
                let each = self.named.get(&(kind, name.clone())).copied().unwrap_or(missing);
                sum.saturating_add(each.saturating_mul(times))
            },
        )
    }

    /// How often content can be begun that only the page's own content names, and annotations; `None` where other content
    /// may.
    fn times(&self, id: ObjectIdentifier, own: &Operators, by_others: &HashSet<&Vec<u8>>) -> Option<u64> {
        let names = self.names.get(&id);
        let mut names = names.into_iter().flatten();
        let shown = self.appearances.get(&id).copied().unwrap_or(0);
        names.try_fold(shown, |times, name| {
            (!by_others.contains(name)).then(|| times.saturating_add(own.times(Kind::Form, name)))
        })
    }

    /// Steps of reading which optional content is off (8.11.4), as the engine does for each pattern, mask and glyph.
    fn optional_content(&self) -> u64 {
        let catalog = self.builder.xref.get::<Dict<'_>>(self.builder.xref.root_id());
        let Some(properties) = catalog.and_then(|catalog| catalog.get::<Dict<'_>>(b"OCProperties")) else { return 0 };
        let of =
            |dictionary: &Dict<'_>, key: &[u8]| dictionary.get::<Array<'_>>(key).map_or(0, |all| length(all.data()));
        let default = properties.get::<Dict<'_>>(b"D").unwrap_or_default();
        bytes(of(&properties, b"OCGs") + of(&default, b"ON") + of(&default, b"OFF"))
    }
}

/// The dictionary that the engine reads where it wants one: a stream has one too.
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
