//! How much content a page draws, forms within forms counted as often as they are drawn.
//!
//! Interpreters follow forms wherever they lead: a form that draws itself is drawn until their stack ends (pdf.js has
//! such a file among its tests, issue19800), and ten forms that each draw the next ten times are 10^10 drawings. So it
//! is counted first, each form once, and where a form is met within itself, that place is given to be cut. Glyphs of Type 3
//! fonts are forms too, drawn for each character that is shown; images are counted by their pixels, for which engines
//! make room before they look whether there is data.

mod content;
mod cost;
mod fonts;
mod images;
mod shown;
mod unfolded;

use content::{Counting, Named};
use cost::Cost;
pub(crate) use cost::PictureCost;
pub(crate) use fonts::KnownFonts;
use images::Extent;

use super::error::DocumentError;
use super::filter;
use super::object::{Dictionary, Object, ObjectId, Stream};
use super::objects::Objects;
use super::{Document, Leaf, Reading};
use crate::limits::{LimitExceeded, Limits};
use crate::page::PageIndex;
use std::collections::HashMap;

/// Resources that are forms or hold such: a tiling pattern is drawn as one, and a soft mask has one. And those that are
/// unfolded.
const DRAWN_KINDS: [&[u8]; 5] = [b"XObject", b"Pattern", b"ExtGState", b"Shading", b"ColorSpace"];

/// Each further part of a page's content counts as so many bytes more: the engine holds them all, 3 KB for one of nothing.
const BYTES_OF_PART: u64 = 4 << 10;

/// Parts that real pages have.
const FREE_PARTS: u64 = 1_000;

/// Where a form draws one that it is itself drawn by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Loop {
    /// The form whose resources lead back.
    pub(super) form: ObjectId,
    /// The kind of resource, as `XObject`.
    pub(super) kind: &'static [u8],
    /// The resource's name.
    pub(super) name: Vec<u8>,
}

impl Document {
    /// Whether what the page draws is bounded, but for the places that are given.
    ///
    /// # Errors
    /// [`DocumentError::Limit`] for forms too deep or too many drawings, and any error of reading them.
    pub(super) fn check_draws(&self, index: PageIndex) -> Result<Draws, DocumentError> {
        self.with_page(index, page_draws, DocumentError::is_worth_another_reader).map(|(draws, _)| draws)
    }
}

/// What a page draws.
#[derive(Debug)]
pub(super) struct Draws {
    /// Where forms lead back to themselves.
    pub(super) loops: Vec<Loop>,
    /// Where glyphs do, which whoever reads text does not follow.
    pub(super) glyph_loops: Vec<Loop>,
    /// Whether its content names resources, such as fonts and pictures, or it has annotations.
    pub(super) is_something: bool,
    /// What painting it comes to besides.
    pub(super) picture: PictureCost,
}

/// What the page draws. What passes a limit where characters are counted in whatever font they are shown is counted again
/// for each font by itself: in a brochure with a font of 13 pictures, which has the letters of a headline, the letters of its
/// text came to 705 million pixels.
fn page_draws(reading: &Reading, leaf: &Leaf) -> Result<Draws, DocumentError> {
    match page_draws_by(reading, leaf, Counting::InAnyFont) {
        Ok(draws) if draws.picture.check(&reading.limits).is_ok() => Ok(draws),
        Ok(_) | Err(DocumentError::Limit(_)) => page_draws_by(reading, leaf, Counting::ByFont),
        Err(error) => Err(error),
    }
}

fn page_draws_by(reading: &Reading, leaf: &Leaf, counting: Counting) -> Result<Draws, DocumentError> {
    let objects = &*reading.objects;
    let mut walk = Walk::new(reading, counting);
    let resources = leaf.inherited.resources.clone().unwrap_or(Object::Null);
    let page = leaf.dictionary.as_dictionary();
    let mut cost = Cost::default();
    let named = match page.and_then(|page| page.get(b"Contents")) {
        Some(contents) => walk.page_content(contents, &mut cost)?,
        None => Named::default(),
    };
    walk.add_resources(&mut cost, &resources, &named)?;
    let annotations = page.and_then(|page| page.get(b"Annots")).unwrap_or(&Object::Null);
    // Interpreters look at each of them, whether it draws something or not.
    cost.forms = cost.forms.saturating_add(length(objects.resolve(annotations)?.as_array().unwrap_or_default()));
    cost.check(&reading.limits)?;
    for (appearance, times) in appearances(objects, annotations)? {
        cost.add(walk.form(appearance, &resources)?, times);
    }
    cost.check(&reading.limits)?;
    let is_something = !named.is_empty() || cost.forms > 0;
    Ok(Draws { loops: walk.loops, glyph_loops: walk.glyph_loops, is_something, picture: cost.picture })
}

struct Walk<'a> {
    objects: &'a dyn Objects,
    limits: &'a Limits,
    fonts: &'a KnownFonts,
    counting: Counting,
    path: Vec<ObjectId>,
    /// Forms whose every way down was seen to end; by the object that lends its resources to those without.
    done: HashMap<(ObjectId, Option<ObjectId>), Cost>,
    loops: Vec<Loop>,
    glyph_loops: Vec<Loop>,
    /// Colour spaces and the like that are being looked at, and those that were.
    unfolding: Vec<ObjectId>,
    unfolded: HashMap<ObjectId, Cost>,
    /// Of the value that is being looked at.
    depth: u64,
}

impl<'a> Walk<'a> {
    fn new(reading: &'a Reading, counting: Counting) -> Self {
        let Reading { objects, limits, fonts, .. } = reading;
        let (path, done, loops) = (Vec::new(), HashMap::new(), Vec::new());
        let (glyph_loops, unfolding, unfolded) = (Vec::new(), Vec::new(), HashMap::new());
        let (objects, depth) = (&**objects, 0);
        Self { objects, limits, fonts, counting, path, done, loops, glyph_loops, unfolding, unfolded, depth }
    }
}

impl Walk<'_> {
    /// What is in the page's content; what does not decode is not drawn either. No token goes on from one part to the
    /// next, so that no two parts are held at once.
    fn page_content(&self, contents: &Object, cost: &mut Cost) -> Result<Named, DocumentError> {
        let resolved = self.objects.resolve(contents)?;
        let parts = resolved.as_array().unwrap_or(std::slice::from_ref(contents));
        let mut named = Named::new(self.counting);
        cost.bytes = length(parts).saturating_sub(FREE_PARTS).saturating_mul(BYTES_OF_PART);
        for part in parts {
            self.limits.deadline.check()?;
            if let Some(stream) = self.objects.resolve(part)?.as_stream() {
                let content = self.decoded(stream)?;
                cost.bytes = cost.bytes.saturating_add(length(&content));
                cost.check(self.limits)?;
                named.add(&content);
            }
        }
        Ok(named)
    }

    /// Adds to `cost` the inline images of content, and what of `resources` it has `named`, as often as it has.
    fn add_resources(&mut self, cost: &mut Cost, resources: &Object, named: &Named) -> Result<(), DocumentError> {
        cost.add_images(named.inline);
        let objects = self.objects;
        let resources_here = objects.resolve(resources)?;
        let Some(entries) = resources_here.as_dictionary() else { return Ok(()) };
        if named.is_empty() {
            return Ok(());
        }
        for kind in DRAWN_KINDS {
            let drawn = objects.get(entries, kind)?;
            for (name, value) in drawn.as_dictionary().into_iter().flat_map(Dictionary::iter) {
                let times = named.times(name.as_bytes());
                if times > 0 {
                    let resource = Resource { kind, name: name.as_bytes(), value };
                    cost.add(self.resource(&resource, resources, named)?, times);
                    cost.check(self.limits)?;
                }
            }
        }
        let fonts = objects.get(entries, b"Font")?;
        for (name, font) in fonts.as_dictionary().into_iter().flat_map(Dictionary::iter) {
            if named.times(name.as_bytes()) > 0 {
                let font = Resource { kind: b"Font", name: name.as_bytes(), value: font };
                self.add_font(cost, &font, resources, named)?;
            }
        }
        Ok(())
    }

    /// What a resource comes to where it is named once.
    fn resource(&mut self, resource: &Resource, above: &Object, named: &Named) -> Result<Cost, DocumentError> {
        let Resource { kind, name, value } = *resource;
        if kind == b"Shading" || kind == b"ColorSpace" {
            return self.unfolded(value);
        }
        let mut cost = Cost::default();
        let resolved = self.objects.resolve(value)?;
        if let Some(entries) = resolved.as_dictionary().filter(|_| resolved.as_stream().is_none()) {
            if let Some(shading) = entries.get(b"Shading") {
                cost.add(self.unfolded(shading)?, 1);
            }
            // A state of graphics can choose a font too.
            let font = self.objects.get(entries, b"Font")?;
            if let Some(font) = font.as_array().and_then(<[Object]>::first) {
                self.add_font(&mut cost, &Resource { value: font, ..*resource }, above, named)?;
            }
        }
        if let Some(id) = self.form_of(value)?
            && !self.leads_back(id, kind, name)
        {
            cost.add(self.form(id, above)?, 1);
        }
        Ok(cost)
    }

    /// Whether the form is being drawn already; notes the place where it is named then.
    fn leads_back(&mut self, id: ObjectId, kind: &'static [u8], name: &[u8]) -> bool {
        let leads_back = self.path.contains(&id);
        if let Some(form) = self.path.last().filter(|_| leads_back) {
            self.loops.push(Loop { form: *form, kind, name: name.to_vec() });
        }
        leads_back
    }

    /// The form behind a resource: itself, or the group of its soft mask.
    fn form_of(&self, resource: &Object) -> Result<Option<ObjectId>, DocumentError> {
        let resolved = self.objects.resolve(resource)?;
        let Some(state) = resolved.as_dictionary().filter(|_| resolved.as_stream().is_none()) else {
            return Ok(resource.as_reference());
        };
        let mask = self.objects.get(state, b"SMask")?;
        Ok(mask.as_dictionary().and_then(|mask| mask.get(b"G")).and_then(Object::as_reference))
    }

    /// What one form or image comes to; a form borrows `above` where it has no resources of its own.
    fn form(&mut self, id: ObjectId, above: &Object) -> Result<Cost, DocumentError> {
        self.limits.deadline.check()?;
        let form = self.objects.fetch(id)?;
        let Some(stream) = form.as_stream() else { return Ok(Cost::default()) };
        if !has_content(&stream.dictionary) {
            return self.image(id, stream);
        }
        let own = stream.dictionary.get(b"Resources");
        let lender = if own.is_none() { self.path.last().copied() } else { None };
        let mut cost = Cost::default();
        cost.add(self.content(id, lender, stream, own.unwrap_or(above))?, self.tiles_at_a_place(&stream.dictionary)?);
        Ok(cost)
    }

    /// How many tiles of a pattern lie over each other, each of which is drawn (8.7.3.3): of one that is as high as all paper
    /// and stands each 8 points there were 10^18.
    fn tiles_at_a_place(&self, pattern: &Dictionary) -> Result<u64, DocumentError> {
        let bounds = self.objects.get(pattern, b"BBox")?;
        let bounds = bounds.as_array().unwrap_or_default().iter();
        let bounds = bounds.map(|bound| Ok(self.objects.resolve(bound)?.as_number().unwrap_or(0.0)));
        let bounds = bounds.take(4).collect::<Result<Vec<_>, DocumentError>>()?;
        let [left, bottom, right, top] = *bounds.as_slice() else { return Ok(1) };
        let mut tiles = 1_u64;
        for (size, key) in [(right - left, b"XStep"), (top - bottom, b"YStep")] {
            let step = self.objects.get(pattern, key)?.as_number().unwrap_or(0.0);
            if step != 0.0 {
                tiles = tiles.saturating_mul(whole((size / step).abs().ceil()).max(1));
            }
        }
        Ok(tiles)
    }

    /// What the content of a form or glyph comes to, with the resources that it has or is lent.
    fn content(
        &mut self,
        id: ObjectId,
        lender: Option<ObjectId>,
        stream: &Stream,
        resources: &Object,
    ) -> Result<Cost, DocumentError> {
        if let Some(cost) = self.done.get(&(id, lender)) {
            return Ok(*cost);
        }
        let depth = length(&self.path).saturating_add(1);
        LimitExceeded::check("max_form_depth", depth, self.limits.max_form_depth.into())?;
        let content = self.decoded(stream)?;
        let mut cost = Cost { forms: 1, bytes: length(&content), ..Cost::default() };
        let named = Named::of(&content, self.counting);
        drop(content);
        self.path.push(id);
        self.add_resources(&mut cost, resources, &named)?;
        self.path.pop();
        self.done.insert((id, lender), cost);
        Ok(cost)
    }

    /// What an image and its masks come to. Engines make room for them however little data there is: 25 bytes a column.
    fn image(&mut self, id: ObjectId, image: &Stream) -> Result<Cost, DocumentError> {
        if let Some(cost) = self.done.get(&(id, None)) {
            return Ok(*cost);
        }
        let objects = self.objects;
        let masks = [b"SMask".as_slice(), b"Mask"].map(|key| objects.get(&image.dictionary, key).ok());
        let masks = masks.iter().flatten().filter_map(|mask| mask.as_stream());
        let mut cost = Cost::default();
        for one in std::iter::once(image).chain(masks) {
            cost.add_images(self.extent(one));
            if let Some(colors) = one.dictionary.get(b"ColorSpace") {
                cost.add(self.unfolded(colors)?, 1);
            }
        }
        self.done.insert((id, None), cost);
        Ok(cost)
    }

    /// The size of one image. What cannot be read of it is not drawn.
    fn extent(&self, image: &Stream) -> Extent {
        let objects = self.objects;
        let number = |key: &[u8]| objects.get(&image.dictionary, key).ok().and_then(|value| value.as_integer());
        let filters = self.filters(image).unwrap_or_default();
        let Some((last, parameters)) = filters.last() else { return images::said(number, None) };
        let said = images::said(number, parameters.as_dictionary());
        let codec = last.as_name().unwrap_or_default();
        let coded = match filters.len() {
            1 => images::coded(codec, &image.data),
            _ if images::is_codec(codec) => {
                let decoded = filter::decode(&image.data, &filters, self.limits);
                decoded.map(|data| images::coded(codec, &data.bytes)).unwrap_or_default()
            }
            _ => Extent::default(),
        };
        said.or(coded)
    }

    fn decoded(&self, stream: &Stream) -> Result<Vec<u8>, DocumentError> {
        filter::decode(&stream.data, &self.filters(stream)?, self.limits).map(|decoded| decoded.bytes.into_owned())
    }

    fn filters(&self, stream: &Stream) -> Result<Vec<(Object, Object)>, DocumentError> {
        let mut resolve = |value: &Object| self.objects.resolve(value).map(|value| value.clone());
        filter::filters_of(&stream.dictionary, &mut resolve)
    }
}

/// A resource that content names.
struct Resource<'a> {
    kind: &'static [u8],
    name: &'a [u8],
    value: &'a Object,
}

/// The normal appearances of annotations, of all states (ISO 32000-2, 12.5.5), and how often each is drawn.
fn appearances(objects: &dyn Objects, annotations: &Object) -> Result<Vec<(ObjectId, u64)>, DocumentError> {
    let annotations = objects.resolve(annotations)?;
    let annotations = annotations.as_array().unwrap_or_default();
    let mut counts = HashMap::new();
    annotations.iter().filter_map(Object::as_reference).for_each(|id| *counts.entry(id).or_insert(0) += 1);
    let mut forms = Vec::new();
    for annotation in annotations {
        // One that stands in the array many times is looked at once.
        let Some(times) = annotation.as_reference().map_or(Some(1), |id| counts.remove(&id)) else { continue };
        objects.limits().deadline.check()?;
        let annotation = objects.resolve(annotation)?;
        let Some(annotation) = annotation.as_dictionary() else { continue };
        let by_kind = objects.get(annotation, b"AP")?;
        let Some(normal) = by_kind.as_dictionary().and_then(|by_kind| by_kind.get(b"N")) else { continue };
        let resolved = objects.resolve(normal)?;
        // A stream has a dictionary too.
        match resolved.as_dictionary().filter(|_| resolved.as_stream().is_none()) {
            Some(by_state) => {
                forms.extend(by_state.iter().filter_map(|(_, state)| Some((state.as_reference()?, times))))
            }
            None => forms.extend(normal.as_reference().map(|form| (form, times))),
        }
    }
    Ok(forms)
}

fn has_content(dictionary: &Dictionary) -> bool {
    dictionary.get(b"PatternType").is_some() || dictionary.get(b"Subtype").is_some_and(|kind| kind.is_name(b"Form"))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
fn whole(number: f64) -> u64 {
    number as u64
}

fn length<T>(items: &[T]) -> u64 {
    u64::try_from(items.len()).unwrap_or(u64::MAX)
}
