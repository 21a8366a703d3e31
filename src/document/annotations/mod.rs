//! What stands beside the words of a page: comments, links and form fields (ISO 32000-2, 12.5 and 12.7).
//!
//! Annotations that are hidden (flags `Hidden` and `NoView`) are left out, except those that only count in a total, and
//! replies to comments that are not.

mod comment;
mod count;
mod field;
mod field_chain;
mod form;
mod link;
mod rich_text;
mod thread;
mod words;

use serde::{Deserialize, Serialize};

pub use comment::{Comment, CommentKind};
pub use count::AnnotationCounts;
pub use field::{ChoiceOption, FieldKind, FieldValue, FormField, Signature};
pub use form::Form;
pub(super) use form::is_xfa;
pub use link::{Link, LinkTarget};
pub use thread::Review;

use super::object::{Dictionary, Object};
use super::objects::Objects;
use super::structure::{Destinations, DisplayedArea, PagePlacement};
use super::{Document, DocumentError, Leaf, ParsedDocument};
use field::FieldReader;
use pagewise_base::checked_on_arrival;
use pagewise_base::page::PageIndex;
use std::collections::HashMap;
use thread::{Replies, Role, Threads};
use words::WordBudget;

/// The most annotations of one page that are read. A real file has a page with 32,768.
pub(crate) const MAX_ANNOTATIONS: usize = 50_000;

/// The most comments, links and fields of one page, each.
const MAX_ITEMS: usize = 5_000;

/// Annotation flags (12.5.3).
const HIDDEN: i64 = 1 << 1;
const NO_VIEW: i64 = 1 << 5;

/// The comments, links and form fields of one page, in the order of its annotations.
///
/// All texts are untrusted data from the document, without hidden characters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct PageAnnotations {
    /// Annotations with words, that mark words, or that others reply to.
    pub comments: Vec<Comment>,
    /// Links to addresses and to places in the document.
    pub links: Vec<Link>,
    /// Fields with a widget on the page.
    pub fields: Vec<FormField>,
    /// Items left out because there are too many.
    pub left_out: usize,
}

checked_on_arrival!(PageAnnotations);

impl PageAnnotations {
    /// Whether each reply is one to a comment of the page.
    fn is_valid(&self) -> bool {
        self.comments.iter().all(|comment| comment.reply_to.is_none_or(|to| to < self.comments.len()))
    }
}

impl PageAnnotations {
    /// Whether there is nothing beside the words of the page.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.comments.is_empty() && self.links.is_empty() && self.fields.is_empty() && self.left_out == 0
    }
}

impl Document {
    /// Reads the comments, links and form fields of the page at `index`.
    ///
    /// # Errors
    /// [`DocumentError::PageOutOfRange`], or the first reader's error if no reader can read the page.
    pub fn page_annotations(&self, index: PageIndex) -> Result<PageAnnotations, DocumentError> {
        let read = |parsed: &ParsedDocument, leaf: &Leaf| AnnotationReader::new(parsed, leaf)?.read();
        self.with_page(index, read, DocumentError::is_worth_another_reader).map(|(annotations, _)| annotations)
    }

    /// Whether the page at `index` has annotations, displayed or not.
    ///
    /// # Errors
    /// Those of [`page_annotations`](Self::page_annotations).
    pub fn has_annotations(&self, index: PageIndex) -> Result<bool, DocumentError> {
        let read = |parsed: &ParsedDocument, leaf: &Leaf| Ok(!annotations_of(&*parsed.objects, leaf)?.is_empty());
        self.with_page(index, read, DocumentError::is_worth_another_reader).map(|(has_any, _)| has_any)
    }
}

/// The annotations of a page, or null.
pub(super) fn annotations_of(objects: &dyn Objects, leaf: &Leaf) -> Result<Vec<Object>, DocumentError> {
    let page = leaf.dictionary.as_dictionary();
    let Some(list) = page.and_then(|page| page.get(b"Annots")) else { return Ok(Vec::new()) };
    let list = objects.resolve(list)?;
    Ok(list.as_array().unwrap_or_default().iter().take(MAX_ANNOTATIONS).cloned().collect())
}

pub(super) fn is_displayed(objects: &dyn Objects, annotation: &Dictionary) -> Result<bool, DocumentError> {
    let flags = objects.get(annotation, b"F")?.as_integer().unwrap_or(0);
    Ok(flags & (HIDDEN | NO_VIEW) == 0)
}

/// Reads the annotations of one page.
struct AnnotationReader<'a> {
    parsed: &'a ParsedDocument,
    leaf: &'a Leaf,
    placement: PagePlacement,
    destinations: Destinations<'a>,
    budget: WordBudget,
    annotations: PageAnnotations,
    replies: Replies,
    /// The field of each full name: several widgets may show one field.
    fields: HashMap<String, usize>,
}

impl<'a> AnnotationReader<'a> {
    fn new(parsed: &'a ParsedDocument, leaf: &'a Leaf) -> Result<Self, DocumentError> {
        Ok(Self {
            parsed,
            leaf,
            placement: PagePlacement::of(parsed, leaf)?,
            destinations: Destinations::new(parsed),
            budget: WordBudget::default(),
            annotations: PageAnnotations::default(),
            replies: Replies::default(),
            fields: HashMap::new(),
        })
    }

    fn objects(&self) -> &'a dyn Objects {
        &*self.parsed.objects
    }

    fn read(mut self) -> Result<PageAnnotations, DocumentError> {
        let list = annotations_of(self.objects(), self.leaf)?;
        let threads = Threads::of(self.objects(), &list)?;
        for (at, annotation) in list.iter().enumerate() {
            self.objects().limits().deadline.check()?;
            let resolved = self.objects().resolve(annotation)?;
            let Some(dictionary) = resolved.as_dictionary() else { continue };
            match threads.role(at) {
                Some(Role::Review { of, replies }) => {
                    self.replies.add_review(&*self.parsed.objects, dictionary, (of, replies), &self.budget)?;
                }
                Some(Role::Comment { kind, reply_to, is_grouped }) => {
                    let area = self.area(dictionary)?.unwrap_or_default();
                    let mut comment = Comment::read(self.objects(), dictionary, kind, area, &self.budget)?;
                    if comment.says_something() || threads.is_target(at) {
                        comment.is_grouped = is_grouped;
                        self.add_comment(at, dictionary, comment, reply_to)?;
                    }
                }
                None => self.add_other(dictionary)?,
            }
        }
        self.annotations.left_out += self.replies.settle(&mut self.annotations.comments);
        Ok(self.annotations)
    }

    fn add_other(&mut self, annotation: &Dictionary) -> Result<(), DocumentError> {
        match self.objects().get(annotation, b"Subtype")?.as_name() {
            Some(b"Link") if is_displayed(self.objects(), annotation)? => self.add_link(annotation),
            Some(b"Widget") if is_displayed(self.objects(), annotation)? => self.add_field(annotation),
            _ => Ok(()),
        }
    }

    fn add_link(&mut self, annotation: &Dictionary) -> Result<(), DocumentError> {
        if self.annotations.links.len() >= MAX_ITEMS {
            self.annotations.left_out += 1;
            return Ok(());
        }
        let target = LinkTarget::read(self.objects(), annotation, &self.destinations, &self.budget)?;
        if let (Some(target), Some(area)) = (target, self.area(annotation)?) {
            self.annotations.links.push(Link { target, area });
        }
        Ok(())
    }

    fn add_comment(
        &mut self,
        at: usize,
        annotation: &Dictionary,
        mut comment: Comment,
        reply_to: Option<usize>,
    ) -> Result<(), DocumentError> {
        if self.annotations.comments.len() >= MAX_ITEMS {
            self.annotations.left_out += 1;
            return Ok(());
        }
        comment.marked = self.quadrilaterals(annotation)?;
        self.replies.add_comment(at, self.annotations.comments.len(), reply_to);
        self.annotations.comments.push(comment);
        Ok(())
    }

    fn add_field(&mut self, widget: &Dictionary) -> Result<(), DocumentError> {
        if self.annotations.fields.len() >= MAX_ITEMS {
            self.annotations.left_out += 1;
            return Ok(());
        }
        let reader = FieldReader { objects: self.objects(), budget: &self.budget };
        let Some(mut field) = reader.read(widget)? else { return Ok(()) };
        field.area = self.area(widget)?;
        match self.fields.get(&field.name).and_then(|at| self.annotations.fields.get_mut(*at)) {
            Some(known) => known.add_widget(field),
            None => {
                self.fields.insert(field.name.clone(), self.annotations.fields.len());
                self.annotations.fields.push(field);
            }
        }
        Ok(())
    }

    /// `/Rect` as displayed.
    fn area(&self, annotation: &Dictionary) -> Result<Option<DisplayedArea>, DocumentError> {
        let corners = self.numbers(annotation, b"Rect", 4)?;
        Ok(corners.first_chunk::<4>().map(|corners| self.placement.displayed(*corners)))
    }

    /// `/QuadPoints`, each as the rectangle around it.
    fn quadrilaterals(&self, annotation: &Dictionary) -> Result<Vec<DisplayedArea>, DocumentError> {
        let numbers = self.numbers(annotation, b"QuadPoints", 8 * comment::MAX_MARKED)?;
        let (quads, _) = numbers.as_chunks::<8>();
        Ok(quads.iter().map(|quad| self.placement.displayed(around(quad))).collect())
    }

    fn numbers(&self, annotation: &Dictionary, key: &[u8], max: usize) -> Result<Vec<f64>, DocumentError> {
        let array = self.objects().get(annotation, key)?;
        let numbers = array.as_array().unwrap_or_default().iter().take(max);
        let number = |value: &Object| Ok(self.objects().resolve(value)?.as_number().filter(|value| value.is_finite()));
        Ok(numbers.map(number).collect::<Result<Option<Vec<_>>, DocumentError>>()?.unwrap_or_default())
    }
}

/// The rectangle around four points.
fn around(quad: &[f64; 8]) -> [f64; 4] {
    let [x1, y1, x2, y2, x3, y3, x4, y4] = *quad;
    let (xs, ys) = ([x1, x2, x3, x4], [y1, y2, y3, y4]);
    let least = |values: [f64; 4]| values.into_iter().fold(f64::INFINITY, f64::min);
    let most = |values: [f64; 4]| values.into_iter().fold(f64::NEG_INFINITY, f64::max);
    [least(xs), least(ys), most(xs), most(ys)]
}
