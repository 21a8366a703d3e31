//! The page object of a chunk (ISO 32000-2, 7.7.3.3), with everything inherited written into it.

use super::closure::{Closure, PAGES};
use super::resources::Place;
use super::roles::Role;
use super::serialize;
use crate::document::object::Object;
use crate::document::{DocumentError, Leaf};

/// US Letter, what readers assume of a page without a media box.
const DEFAULT_MEDIA_BOX: [i64; 4] = [0, 0, 612, 792];

/// Entries of the page object (table 31) in the order of their keys. Left out: what leads to other pages (article
/// beads, separations, templates), presentation (durations, transitions), tools' data, thumbnails, additional actions.
const KEYS: [&[u8]; 17] = [
    b"Annots",
    b"ArtBox",
    b"BleedBox",
    b"BoxColorInfo",
    b"Contents",
    b"CropBox",
    b"Group",
    b"MediaBox",
    b"OutputIntents",
    b"Parent",
    b"Resources",
    b"Rotate",
    b"Tabs",
    b"TrimBox",
    b"Type",
    b"UserUnit",
    b"VP",
];

/// Writes the page object that gets `number`. The flag says whether the media box had to be assumed.
pub(super) fn write(
    closure: &mut Closure<'_>,
    number: u32,
    leaf: &Leaf,
    annotations: &Object,
) -> Result<(Vec<u8>, bool), DocumentError> {
    let mut out = Vec::with_capacity(512);
    let mut assumed = false;
    out.extend(b"<<");
    for key in KEYS {
        match key {
            b"Annots" => closure.entry_value(key, annotations, Role::Annotations, Place::Nested, &mut out)?,
            b"Contents" => write_contents(closure, leaf, &mut out)?,
            b"MediaBox" => assumed = write_media_box(closure, leaf, &mut out)?,
            b"Parent" => {
                out.extend(b"/Parent");
                serialize::reference(&mut out, PAGES);
            }
            b"Resources" => write_resources(closure, number, leaf, &mut out)?,
            b"Type" => out.extend(b"/Type/Page"),
            _ => copy(closure, leaf, key, &mut out)?,
        }
    }
    out.extend(b">>");
    Ok((out, assumed))
}

fn copy(closure: &mut Closure<'_>, leaf: &Leaf, key: &[u8], out: &mut Vec<u8>) -> Result<(), DocumentError> {
    let inherited = match key {
        b"CropBox" => leaf.inherited.crop_box.as_ref(),
        b"Rotate" => leaf.inherited.rotate.as_ref(),
        _ => leaf.dictionary.as_dictionary().and_then(|page| page.get(key)),
    };
    match inherited {
        Some(value) => closure.entry_value(key, value, Role::Other, Place::Nested, out),
        None => Ok(()),
    }
}

fn write_contents(closure: &mut Closure<'_>, leaf: &Leaf, out: &mut Vec<u8>) -> Result<(), DocumentError> {
    match leaf.dictionary.as_dictionary().and_then(|page| page.get(b"Contents")) {
        Some(contents) => closure.entry_value(b"Contents", contents, Role::Contents, Place::Nested, out),
        None => Ok(()),
    }
}

fn write_resources(
    closure: &mut Closure<'_>,
    number: u32,
    leaf: &Leaf,
    out: &mut Vec<u8>,
) -> Result<(), DocumentError> {
    let start = out.len();
    if let Some(resources) = &leaf.inherited.resources {
        let place = match resources {
            Object::Reference(id) => Place::Indirect(id.number),
            _ => Place::Page(number),
        };
        closure.entry_value(b"Resources", resources, Role::Resources(place), place, out)?;
    }
    if out.len() == start {
        closure.has_lost_resources |= leaf.inherited.resources.as_ref().is_some_and(|own| own.as_reference().is_some());
        // A page without resources is what some readers warn about.
        out.extend(b"/Resources<<>>");
    }
    Ok(())
}

/// Writes the media box; one that is no rectangle is as good as none.
fn write_media_box(closure: &mut Closure<'_>, leaf: &Leaf, out: &mut Vec<u8>) -> Result<bool, DocumentError> {
    let resolved = match &leaf.inherited.media_box {
        Some(media_box) => Some((*closure.objects.resolve(media_box)?).clone()),
        None => None,
    };
    let usable = match resolved.as_ref().and_then(Object::as_array) {
        Some(corners) if corners.len() == 4 => {
            let mut numbers = true;
            for corner in corners {
                numbers &= closure.objects.resolve(corner)?.as_number().is_some();
            }
            numbers
        }
        _ => false,
    };
    let media_box = match resolved {
        Some(media_box) if usable => media_box,
        _ => Object::Array(DEFAULT_MEDIA_BOX.map(Object::Integer).to_vec()),
    };
    closure.entry_value(b"MediaBox", &media_box, Role::Other, Place::Nested, out)?;
    Ok(!usable)
}
