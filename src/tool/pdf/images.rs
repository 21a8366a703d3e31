//! The images and drawn figures of a PDF's pages, for the commands `images` and `text`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::arguments::selected_pages;
use super::boxes::edges_of;
use super::page::write_failed;
use crate::context::{
    ContextError, Illustration, OpenPdf, PagePicture, PagePictures, ProgressListener, SelectedPages, image_path,
    one_line, unreadable_page_text, write_whole,
};
use crate::source::{FileKind, ImageFormat, detect_kind};
use crate::tool::error::ToolError;
use pagewise_base::hash::ContentHash;
use pagewise_base::page::{PageIndex, PageSet};

/// Maximum number of images that are listed in one answer.
const MAX_IMAGES: usize = 10_000;

/// The images of the selected pages, each once.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImagesResult {
    /// The document, as the request named it.
    pub path: String,
    /// In the order of the pages.
    pub images: Vec<ListedImage>,
    /// Images beyond those of one answer, or of one page.
    pub left: usize,
    /// Pages that could not be read, images that could not be written, and why.
    pub notes: Vec<String>,
}

/// An image or a figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedImage {
    /// By which it can be asked for as any file.
    pub path: String,
    /// The 1-based numbers of the pages that show it.
    pub pages: Vec<u32>,
    /// Its box on the first of them in points from the top left of the page as displayed: left, top, right, bottom. Parts of
    /// office files have no boxes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bbox: Option<[f64; 4]>,
    /// Samples from left to right; a figure that is drawn by paths has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Samples from top to bottom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// How it is stored: `JPEG`, `JPEG 2000`, `JBIG2`, `CCITT`, `lossless`, or `paths` for a figure.
    pub stored_as: String,
    /// Its caption, or what it shows by its author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// The file that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The size of that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
}

/// Lists the images and figures of the selected pages. With a folder, each is written to a file there; a missing folder is
/// made.
///
/// # Errors
/// `invalid_page` and `invalid_page_range` for the selection, `write_failed`. If no page can be read, the first page's
/// error.
pub fn find_images(
    pdf: &OpenPdf,
    selection: Option<&str>,
    folder: Option<&Path>,
    progress: &dyn ProgressListener,
) -> Result<ImagesResult, ToolError> {
    let SelectedPages { pages, note } = selected_pages(pdf, selection)?;
    let mut album = ImageAlbum::new(pdf, folder);
    album.result.notes.extend(note);
    progress.starts(pages.len());
    let (mut failure, mut is_readable) = (None, false);
    for page in pages.iter().take_while(|_| !progress.is_stopped()) {
        pdf.check()?;
        match PagePictures::of(&*pdf.document, page) {
            Ok(pictures) => {
                is_readable = true;
                album.add(page, &pictures)?;
            }
            Err(error) => {
                album.result.notes.push(unreadable_page_text(page.number(), &error));
                failure.get_or_insert(error);
            }
        }
        progress.page_done();
    }
    match failure.filter(|_| !is_readable) {
        Some(error) => Err(ContextError::Pdf { path: pdf.path.clone(), error }.into()),
        None => Ok(album.result),
    }
}

/// Images, each once: by what is stored, and by the file that it becomes.
pub(super) struct ImageAlbum<'p> {
    pdf: &'p OpenPdf,
    folder: Option<&'p Path>,
    pub(super) result: ImagesResult,
    /// The index of each image in the result; `None` if it could not be written.
    known: HashMap<ContentHash, Option<usize>>,
}

impl<'p> ImageAlbum<'p> {
    pub(super) fn new(pdf: &'p OpenPdf, folder: Option<&'p Path>) -> Self {
        let result = ImagesResult { path: pdf.path.clone(), ..ImagesResult::default() };
        Self { pdf, folder, result, known: HashMap::new() }
    }

    /// Adds the pictures of a page. Returns the index in the result of each.
    pub(super) fn add(&mut self, page: PageIndex, found: &PagePictures) -> Result<Vec<Option<usize>>, ToolError> {
        self.result.left = self.result.left.saturating_add(found.unlisted);
        let mut indices = Vec::new();
        for number in 1..=found.pictures.len() {
            indices.push(self.add_picture(page, found, number)?);
        }
        Ok(indices)
    }

    fn add_picture(
        &mut self,
        page: PageIndex,
        found: &PagePictures,
        number: usize,
    ) -> Result<Option<usize>, ToolError> {
        let Some(picture) = number.checked_sub(1).and_then(|at| found.pictures.get(at)) else { return Ok(None) };
        let identity = picture.image.as_ref().map(|image| image.identity);
        if let Some(known) = identity.and_then(|identity| self.known.get(&identity).copied()) {
            self.see_again(known, page);
            return Ok(known);
        }
        if self.result.images.len() >= MAX_IMAGES {
            self.result.left = self.result.left.saturating_add(1);
            return Ok(None);
        }
        let path = image_path(&self.pdf.path, page, number);
        let mut listed = ListedImage {
            path: path.clone(),
            pages: vec![page.number().get()],
            bbox: picture.known_place().map(edges_of),
            width: picture.image.as_ref().map(|image| image.width),
            height: picture.image.as_ref().map(|image| image.height),
            stored_as: picture.image.as_ref().map_or_else(|| "paths".to_owned(), |image| image.encoding.clone()),
            caption: picture.caption.clone(),
            file: None,
            bytes: None,
        };
        let mut index = Some(self.result.images.len());
        if let Some(folder) = self.folder {
            self.pdf.check()?;
            match found.file(&*self.pdf.document, page, number) {
                Ok(file) => {
                    let file = file.unwrap_or_default();
                    let hash = ContentHash::of(&file);
                    if let Some(known) = self.known.get(&hash).copied() {
                        self.see_again(known, page);
                        self.known.extend(identity.map(|identity| (identity, known)));
                        return Ok(known);
                    }
                    self.known.insert(hash, index);
                    listed.file = Some(write_image(folder, (page, number), &listed.stored_as, &file)?);
                    listed.bytes = Some(file.len());
                }
                Err(error) => {
                    let error = ToolError::from(ContextError::Pdf { path, error });
                    self.result.notes.push(error.message);
                    index = None;
                }
            }
        }
        self.known.extend(identity.map(|identity| (identity, index)));
        self.result.images.extend(index.map(|_| listed));
        Ok(index)
    }

    /// The 1-based number of the last page of each image so far.
    fn last_pages(&self) -> Vec<u32> {
        self.result.images.iter().filter_map(|image| image.pages.last().copied()).collect()
    }

    fn see_again(&mut self, known: Option<usize>, page: PageIndex) {
        let number = page.number().get();
        if let Some(listed) = known.and_then(|index| self.result.images.get_mut(index))
            && listed.pages.last() != Some(&number)
        {
            listed.pages.push(number);
        }
    }
}

/// Endings of the names of images in office files that no picture decoder here reads.
const OTHER_ENDINGS: [&str; 7] = ["bmp", "emf", "jxr", "svg", "tif", "tiff", "wmf"];

/// Writes an image to a file named after its page, its number there and its format.
fn write_image(
    folder: &Path,
    (page, number): (PageIndex, usize),
    stored_as: &str,
    bytes: &[u8],
) -> Result<PathBuf, ToolError> {
    std::fs::create_dir_all(folder).map_err(|error| write_failed(folder, &error))?;
    let ending = match detect_kind(bytes, u64::try_from(bytes.len()).unwrap_or(u64::MAX)) {
        FileKind::Image(ImageFormat::Jpeg) => "jpg",
        FileKind::Image(ImageFormat::Png) => "png",
        FileKind::Image(ImageFormat::Gif) => "gif",
        FileKind::Image(ImageFormat::WebP) => "webp",
        _ => OTHER_ENDINGS.iter().find(|ending| stored_as.eq_ignore_ascii_case(ending)).unwrap_or(&"bin"),
    };
    let file = folder.join(format!("page{}-image{number}.{ending}", page.number()));
    write_whole(&file, bytes).map_err(|error| write_failed(&file, &error))?;
    Ok(file)
}

/// Where pictures are written, and the folder that links to them start from.
#[derive(Debug, Clone, Copy)]
pub struct PictureFolders<'f> {
    /// The pictures' folder.
    pub pictures: &'f Path,
    /// The folder of the text.
    pub text: &'f Path,
}

/// Writes the pictures of pages, and gives links to them.
pub(super) struct Illustrator<'p> {
    pub(super) album: ImageAlbum<'p>,
    pub(super) folders: &'p PictureFolders<'p>,
    /// Why a file could not be written.
    pub(super) failure: Option<ToolError>,
}

impl Illustrator<'_> {
    /// The pictures of a page, without those that the page before has too: they belong to its head or foot.
    pub(super) fn pictures_of(&mut self, page: PageIndex) -> Vec<Illustration> {
        if self.failure.is_some() {
            return Vec::new();
        }
        let before = self.album.last_pages();
        let found = PagePictures::of(&*self.album.pdf.document, page).unwrap_or_default();
        let indices = self.album.add(page, &found).unwrap_or_else(|error| {
            self.failure = Some(error);
            Vec::new()
        });
        let is_new = |index: usize| before.get(index).is_none_or(|last| *last != page.0);
        let illustration = |((picture, index), number): ((&PagePicture, Option<usize>), usize)| {
            let (index, place) = (index?, picture.known_place());
            let file = self.album.result.images.get(index)?.file.as_ref()?;
            let alternate = picture.caption.clone().unwrap_or_default();
            let illustration = Illustration { place, alternate, target: link(self.folders.text, file), number };
            (place.is_none() || is_new(index)).then_some(illustration)
        };
        found.pictures.iter().zip(indices).zip(1..).filter_map(illustration).collect()
    }
}

/// The link to `file` in a text that stands in `folder`.
fn link(folder: &Path, file: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (folder, file) = (absolute(folder), absolute(file));
    let common = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| "..".to_owned());
    let down = file.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

impl ListedImage {
    /// The image on one line, such as `a.pdf#image=3.1: 640 x 480, JPEG, on pages 3,5; Figure 1`.
    #[must_use]
    pub fn line(&self) -> String {
        let size = self.width.zip(self.height).map(|size| match size {
            (0, _) | (_, 0) => "damaged, ".to_owned(),
            (width, height) => format!("{width} x {height}, "),
        });
        let pages = self.pages.iter().filter_map(|page| page.checked_sub(1)).map(PageIndex).collect::<PageSet>();
        let on = if pages.len() > 1 { format!(", on pages {pages}") } else { String::new() };
        let caption = self.caption.as_deref().map(|caption| format!("; {}", one_line(caption)));
        let parts = (size.unwrap_or_default(), &self.stored_as, caption.unwrap_or_default());
        format!("{}: {}{}{on}{}", self.path, parts.0, parts.1, parts.2)
    }
}

impl ImagesResult {
    /// What a person should know of the images.
    #[must_use]
    pub fn notes_for_people(&self) -> Vec<String> {
        let left = (self.left > 0).then(|| format!("{} more images: choose fewer pages to list them", self.left));
        self.notes.iter().cloned().chain(left).collect()
    }
}
