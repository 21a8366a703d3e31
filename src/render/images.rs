//! The images that a page paints, as they are stored.
//!
//! A JPEG that any viewer shows as the page does is given as it is. Every other image is decoded and written as a PNG, with
//! its mask as transparency. A stencil has no colours of its own: its ink is black on white.

use super::draw::open_page;
use super::fonts::{FontResolver, FontSource};
use super::png::encode_image;
use super::size::Canvas;
use super::{Dpi, RenderError, RenderOptions};
use bytes::Bytes;
use hayro::hayro_interpret::font::GlyphRun;
use hayro::hayro_interpret::{
    BlendMode, CacheKey, ClipPath, Device, DrawMode, DrawProps, Image, ImageData, ImageDrawProps, SoftMask,
};
use hayro::hayro_syntax::Filter;
use hayro::hayro_syntax::object::{Array, Dict, Name, Object, Stream};
use hayro::kurbo::{BezPath, Rect};
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, PageBudget, PageGeometry, check_image, coded_data, run_contained};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Maximum number of images that are listed of a page.
pub const MAX_PAGE_IMAGES: usize = 1_000;

/// Maximum nesting of the objects that tell an image from others.
const MAX_DEPTH: u32 = 6;

/// Maximum number of objects that tell an image from others.
const MAX_OBJECTS: u32 = 4_000;

/// The entries of an image's dictionary on which its pixels depend, beside its data (ISO 32000-2, 8.9.5), with the short
/// names of inline images.
const IMAGE_KEYS: [&[u8]; 18] = [
    b"Width",
    b"W",
    b"Height",
    b"H",
    b"BitsPerComponent",
    b"BPC",
    b"ColorSpace",
    b"CS",
    b"Decode",
    b"D",
    b"ImageMask",
    b"IM",
    b"Filter",
    b"F",
    b"DecodeParms",
    b"DP",
    b"SMask",
    b"Mask",
];

/// An image that a page paints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageImage {
    /// The hash of its data and of what says how to read them: equal for the same image on another page.
    pub identity: ContentHash,
    /// Its samples from left to right.
    pub width: u32,
    /// Its samples from top to bottom.
    pub height: u32,
    /// Where it is painted first, in points from the upper left corner of the page as displayed: left, top, right, bottom.
    pub place: [f32; 4],
    /// How its data are encoded: `JPEG`, `JPEG 2000`, `JBIG2`, `CCITT`, or `lossless`.
    pub encoding: String,
    /// The size of its data as stored.
    pub bytes: u64,
    /// Whether it is a stencil, through which a colour is painted.
    pub is_stencil: bool,
}

/// The images of a page in the order of painting, each once.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PageImages {
    /// The first of them.
    pub images: Vec<PageImage>,
    /// Number of all of them.
    pub total: usize,
}

impl PageImages {
    /// Whether they can be those of a page.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let is_placed = |image: &PageImage| image.place.iter().all(|edge| edge.is_finite());
        self.images.len() == self.total.min(MAX_PAGE_IMAGES) && self.images.iter().all(is_placed)
    }
}

/// The images that a page paints. None is decoded.
///
/// # Errors
/// As [`page_picture`](super::page_picture).
pub fn page_images(
    document: &Document,
    index: PageIndex,
    fonts: &Arc<dyn FontSource>,
) -> Result<PageImages, RenderError> {
    find(document, index, fonts, None).map(|finder| finder.found)
}

/// Image `number` of a page, counted from 1 in the order of [`page_images`], as a JPEG or PNG file; `None` if the page has
/// fewer.
///
/// # Errors
/// [`RenderError::Limit`] for too many samples, [`RenderError::Undecodable`] for damaged data, and the errors of
/// [`page_images`].
pub fn page_image(
    document: &Document,
    index: PageIndex,
    number: usize,
    fonts: &Arc<dyn FontSource>,
) -> Result<Option<Bytes>, RenderError> {
    find(document, index, fonts, Some(number)).and_then(|finder| finder.file.transpose())
}

fn find(
    document: &Document,
    index: PageIndex,
    fonts: &Arc<dyn FontSource>,
    wanted: Option<usize>,
) -> Result<ImageFinder, RenderError> {
    let geometry = document.page_geometry(index)?;
    // Nothing is painted on this canvas, so pages of any size have one.
    let side = |side: f64| side.min(MAX_SIDE_PT);
    let geometry = PageGeometry { width_pt: side(geometry.width_pt), height_pt: side(geometry.height_pt), ..geometry };
    let options = RenderOptions { dpi: Dpi::clamped(Dpi::MIN.into()), ..RenderOptions::default() };
    let canvas = Canvas::of(&geometry, &options, &Limits { max_pixels: u64::MAX, ..document.limits().clone() })?;
    let file = document.engine_file(index)?.file;
    let (resolver, limits) = (FontResolver::new(fonts), document.limits());
    let found = run_contained(|| {
        open_page(&file, index, &canvas, &resolver, limits, |page| {
            let mut finder = ImageFinder::new(page.budget.clone(), limits.clone(), wanted);
            page.interpret(&mut finder);
            finder
        })
    });
    Ok(found??.0)
}

/// Largest side in points of a page on which images are placed.
const MAX_SIDE_PT: f64 = 14_400.0;

/// Collects the images of a page, and makes a file of the wanted one.
struct ImageFinder {
    budget: PageBudget,
    limits: Limits,
    wanted: Option<usize>,
    found: PageImages,
    file: Option<Result<Bytes, RenderError>>,
    /// Identities by the engine's keys, which differ from page to page.
    known: HashMap<u128, ContentHash>,
    seen: HashSet<ContentHash>,
}

impl ImageFinder {
    fn new(budget: PageBudget, limits: Limits, wanted: Option<usize>) -> Self {
        let found = PageImages::default();
        Self { budget, limits, wanted, found, file: None, known: HashMap::new(), seen: HashSet::new() }
    }

    fn add(&mut self, image: &Image<'_, '_>, place: Rect) {
        let (stream, is_stencil) = match image {
            Image::Stencil(stencil) => (stencil.stream(), true),
            Image::Raster(raster) => (raster.stream(), false),
        };
        let key = image.cache_key();
        if self.known.contains_key(&key) {
            return;
        }
        let identity = identity_of(stream);
        self.known.insert(key, identity);
        if !self.seen.insert(identity) {
            return;
        }
        self.found.total = self.found.total.saturating_add(1);
        if self.found.images.len() < MAX_PAGE_IMAGES {
            self.found.images.push(PageImage {
                identity,
                width: image.width(),
                height: image.height(),
                place: edges(place),
                encoding: encoding_of(stream).to_owned(),
                bytes: u64::try_from(stream.raw_data().len()).unwrap_or(u64::MAX),
                is_stencil,
            });
        }
        if self.wanted == Some(self.found.total) {
            self.file = Some(self.file_of(image, stream));
        }
    }

    fn file_of(&self, image: &Image<'_, '_>, stream: &Stream<'_>) -> Result<Bytes, RenderError> {
        if let Some(jpeg) = plain_jpeg(stream, &self.limits) {
            return Ok(jpeg);
        }
        check_image(stream, &self.budget, &self.limits);
        let mut pixels = None;
        match image {
            Image::Stencil(stencil) => stencil.with_stencil(
                |mut luma, _| {
                    luma.data.iter_mut().for_each(|sample| *sample = u8::MAX - *sample);
                    pixels = Some((ImageData::Luma(luma), None));
                },
                None,
            ),
            Image::Raster(raster) => raster.with_rgba(|data, alpha| pixels = Some((data, alpha)), None),
        }
        let (data, alpha) = pixels.ok_or(RenderError::Undecodable)?;
        let (mask_width, mask_height) = alpha.as_ref().map_or((0, 0), |mask| (mask.width, mask.height));
        let size = (data.width().max(mask_width), data.height().max(mask_height));
        let samples = u64::from(size.0).saturating_mul(size.1.into());
        LimitExceeded::check(Limit::ImagePixels, samples, self.limits.max_image_pixels)?;
        encode_image(data, alpha.as_ref(), size).map(Bytes::from)
    }
}

fn encoding_of(stream: &Stream<'_>) -> &'static str {
    match stream.filters().last() {
        Some(Filter::DctDecode) => "JPEG",
        Some(Filter::JpxDecode) => "JPEG 2000",
        Some(Filter::Jbig2Decode) => "JBIG2",
        Some(Filter::CcittFaxDecode) => "CCITT",
        _ => "lossless",
    }
}

#[allow(clippy::cast_possible_truncation, reason = "points of a page; what is beyond them saturates")]
fn edges(place: Rect) -> [f32; 4] {
    [place.x0, place.y0, place.x1, place.y1].map(|edge| if edge.is_finite() { edge as f32 } else { 0.0 })
}

/// The data of a JPEG that viewers show as the page does: gray or in red, green and blue, and without a mask.
fn plain_jpeg(stream: &Stream<'_>, limits: &Limits) -> Option<Bytes> {
    let dictionary = stream.dict();
    let has = |key: &[u8]| dictionary.contains_key(key);
    let changes_it = [b"SMask".as_slice(), b"Mask", b"ImageMask", b"IM"];
    let decode = dictionary.get::<Array<'_>>(b"Decode").or_else(|| dictionary.get(b"D"));
    let is_usual = decode.is_none_or(|decode| decode.iter::<(f32, f32)>().all(|range| range == (0.0, 1.0)));
    if stream.filters().last() != Some(&Filter::DctDecode) || changes_it.into_iter().any(has) || !is_usual {
        return None;
    }
    let data = coded_data(stream, limits)?;
    let components = jpeg_components(&data)?;
    let space = dictionary.get::<Object<'_>>(b"ColorSpace").or_else(|| dictionary.get(b"CS"));
    let is_plain = matches!(components, 1 | 3) && space.is_none_or(|space| components_of(&space) == Some(components));
    is_plain.then_some(data)
}

fn jpeg_components(data: &[u8]) -> Option<u8> {
    let options = DecoderOptions::default().set_max_width(1 << 16).set_max_height(1 << 16);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(data), options);
    decoder.decode_headers().ok()?;
    decoder.info().map(|info| info.components)
}

/// The components of a colour space that a JPEG has without further words (ISO 32000-2, 8.6).
fn components_of(space: &Object<'_>) -> Option<u8> {
    let of_name = |name: &[u8]| match name {
        b"DeviceGray" | b"G" | b"CalGray" => Some(1),
        b"DeviceRGB" | b"RGB" | b"CalRGB" => Some(3),
        _ => None,
    };
    match space {
        Object::Name(name) => of_name(name.as_ref()),
        Object::Array(array) => array_components(array, of_name),
        _ => None,
    }
}

fn array_components(array: &Array<'_>, of_name: impl Fn(&[u8]) -> Option<u8>) -> Option<u8> {
    let mut items = array.flex_iter();
    let name = items.next::<Name<'_>>()?;
    match name.as_ref() {
        b"ICCBased" => items.next::<Stream<'_>>()?.dict().get::<u8>(b"N"),
        name => of_name(name),
    }
}

/// The hash of an image's data and of what says how to read them.
fn identity_of(stream: &Stream<'_>) -> ContentHash {
    let mut digest = Digest { bytes: Vec::new(), left: MAX_OBJECTS };
    digest.add_stream(stream, MAX_DEPTH);
    ContentHash::of(&digest.bytes)
}

/// The canonical bytes of an object, with the hashes of streams in place of their data.
struct Digest {
    bytes: Vec<u8>,
    left: u32,
}

impl Digest {
    fn add_stream(&mut self, stream: &Stream<'_>, depth: u32) {
        self.bytes.extend(ContentHash::of(&stream.raw_data()).0);
        self.add_entries(stream.dict(), &IMAGE_KEYS, depth);
        // A profile has its number of components, which its data have too.
        self.add_entries(stream.dict(), &[b"Matte", b"SMaskInData", b"N"], depth);
    }

    fn add_entries(&mut self, dictionary: &Dict<'_>, keys: &[&[u8]], depth: u32) {
        for key in keys {
            if let Some(value) = dictionary.get::<Object<'_>>(key) {
                self.add_bytes(b'/', key);
                self.add(&value, depth);
            }
        }
    }

    fn add(&mut self, object: &Object<'_>, depth: u32) {
        let (Some(left), Some(depth)) = (self.left.checked_sub(1), depth.checked_sub(1)) else { return };
        self.left = left;
        match object {
            Object::Null(_) => self.bytes.push(b'0'),
            Object::Boolean(value) => self.bytes.extend([b'b', u8::from(*value)]),
            Object::Number(number) => self.add_bytes(b'n', &number.as_f64().to_bits().to_be_bytes()),
            Object::String(string) => self.add_bytes(b's', string.as_bytes()),
            Object::Name(name) => self.add_bytes(b'/', name.as_ref()),
            Object::Array(items) => {
                self.bytes.push(b'[');
                items.iter::<Object<'_>>().for_each(|item| self.add(&item, depth));
                self.bytes.push(b']');
            }
            Object::Dict(dictionary) => {
                let mut keys = dictionary.keys().map(|key| key.as_ref().to_vec()).collect::<Vec<_>>();
                keys.sort();
                self.bytes.push(b'<');
                self.add_entries(dictionary, &keys.iter().map(Vec::as_slice).collect::<Vec<_>>(), depth);
                self.bytes.push(b'>');
            }
            Object::Stream(stream) => self.add_stream(stream, depth),
        }
    }

    fn add_bytes(&mut self, kind: u8, bytes: &[u8]) {
        self.bytes.push(kind);
        self.bytes.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
        self.bytes.extend(bytes);
    }
}

impl<'a> Device<'a> for ImageFinder {
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {
        self.budget.check();
    }

    fn draw_rect(&mut self, _: &Rect, _: DrawProps<'a>, _: &DrawMode) {
        self.budget.check();
    }

    fn draw_glyph_run(&mut self, _: &GlyphRun<'_, 'a>, _: DrawProps<'a>, _: &DrawMode) {
        self.budget.check();
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.budget.check();
        let extent = Rect::new(0.0, 0.0, image.width().into(), image.height().into());
        self.add(&image, props.transform.transform_rect_bbox(extent));
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        self.budget.check();
    }

    fn push_clip_rect(&mut self, _: &Rect) {
        self.budget.check();
    }

    fn pop_clip(&mut self) {}

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.budget.check();
    }

    fn pop_transparency_group(&mut self) {}

    fn begin_marked_content(&mut self, _: &[u8], _: Option<&Dict<'_>>) {
        self.budget.check();
    }
}
