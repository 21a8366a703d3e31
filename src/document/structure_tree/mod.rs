//! The part of the structure tree of a Tagged PDF that describes one page (ISO 32000-2, 14.7 and 14.8).
//!
//! Only the elements above the content of the page are read, by the parent tree. A tree that contradicts itself or
//! exceeds a limit counts as none: the text of the page is whole without it.

mod attributes;
mod page_elements;
mod structure_type;

pub use structure_type::StructureType;

use super::object::{Dictionary, Object, ObjectId};
use super::objects::Objects;
use super::structure::KeyTree;
use super::{Document, Leaf, ParsedDocument};
use page_elements::PageElements;
use pagewise_base::page::PageIndex;
use std::collections::HashMap;

/// The most marked-content sequences of a page. Their identifiers count from 0.
const MAX_SEQUENCES: usize = 1 << 16;

/// The most XObjects of a page that are looked at for content of their own in the tree.
const MAX_XOBJECTS: usize = 200;

/// What the structure tree says of the marked content of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageTags {
    /// In the order of the tree, parents before their kids. The cells of a table row are there even if they are empty.
    pub elements: Vec<StructureElement>,
    /// For each marked-content identifier the index of its element.
    pub owners: Vec<Option<usize>>,
    /// For each of them its place in the order of the tree. Identifiers themselves have no order.
    pub places: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureElement {
    /// Its object number, which it has on all pages.
    pub id: u32,
    /// What it is.
    pub kind: StructureType,
    /// The index of the element that contains it.
    pub parent: Option<usize>,
    /// The rows and the columns that a cell covers, 1 at least.
    pub spans: [u16; 2],
    /// `/Alt` of a figure: what it shows, in words.
    pub alternate: Option<String>,
}

/// What all pages share of the structure tree.
#[derive(Debug, Default)]
pub(super) struct StructureTree {
    root: Option<ObjectId>,
    roles: Dictionary,
    classes: Dictionary,
    /// The elements of each page's content, by the page's `/StructParents`.
    parents: HashMap<i64, Object>,
}

impl StructureTree {
    /// The tree of a document. Empty if it has none, or its root is damaged.
    fn read(parsed: &ParsedDocument) -> Self {
        Self::try_read(parsed).unwrap_or_default()
    }

    fn try_read(parsed: &ParsedDocument) -> Option<Self> {
        let objects = &*parsed.objects;
        let id = parsed.catalog.get(b"StructTreeRoot")?.as_reference()?;
        let root = objects.fetch(id).ok()?;
        let root = root.as_dictionary()?;
        let dictionary = |key: &[u8]| objects.get(root, key).ok().and_then(|value| value.as_dictionary().cloned());
        let (roles, classes) =
            (dictionary(b"RoleMap").unwrap_or_default(), dictionary(b"ClassMap").unwrap_or_default());
        let entries = KeyTree::Numbers.entries(objects, root.get(b"ParentTree")?).ok()?;
        let parents = entries.into_iter().filter_map(|(key, value)| Some((key.as_integer()?, value))).collect();
        Some(Self { root: Some(id), roles, classes, parents })
    }
}

impl Document {
    /// What the structure tree says of the content of a page.
    ///
    /// `None` if it says nothing, contradicts itself, or exceeds a limit. Of a remote document it is not read, since it
    /// stands all over the file.
    #[must_use]
    pub fn page_tags(&self, index: PageIndex) -> Option<PageTags> {
        if self.is_remote() {
            return None;
        }
        let tree = self.structure_tree()?;
        let root = tree.root?;
        let leaf = self.first.tree.leaf(&*self.first.objects, index, &self.first.limits).ok()?;
        page_tags(&*self.first.objects, &leaf, tree, root)
    }

    /// The tree; `None` if the deadline passed, which must not be cached as a document without one.
    fn structure_tree(&self) -> Option<&StructureTree> {
        if let Some(tree) = self.structure_tree.get() {
            return Some(tree);
        }
        let tree = StructureTree::read(&self.first);
        let in_time = self.first.limits.deadline.check().is_ok();
        in_time.then(|| self.structure_tree.get_or_init(|| tree))
    }
}

fn page_tags(objects: &dyn Objects, leaf: &Leaf, tree: &StructureTree, root: ObjectId) -> Option<PageTags> {
    let page = leaf.dictionary.as_dictionary()?;
    let key = objects.get(page, b"StructParents").ok()?.as_integer()?;
    let owners = objects.resolve(tree.parents.get(&key)?).ok()?;
    let owners = owners.as_array().filter(|owners| owners.len() <= MAX_SEQUENCES)?;
    if has_tagged_forms(objects, leaf) {
        return None;
    }
    let mut elements = PageElements::new(objects, tree, root, leaf.id);
    let owners: Vec<Option<usize>> = owners
        .iter()
        .map(|owner| match owner {
            Object::Reference(id) => elements.add(*id).map(Some),
            _ => Some(None),
        })
        .collect::<Option<_>>()?;
    elements.finish(&owners)
}

/// Whether a form XObject has marked content of its own, whose identifiers are not those of the page.
fn has_tagged_forms(objects: &dyn Objects, leaf: &Leaf) -> bool {
    let Some(resources) = &leaf.inherited.resources else { return false };
    let Ok(resources) = objects.resolve(resources) else { return true };
    let Some(resources) = resources.as_dictionary() else { return false };
    let Ok(forms) = objects.get(resources, b"XObject") else { return true };
    let Some(forms) = forms.as_dictionary() else { return false };
    let is_tagged = |form: &Object| {
        objects
            .resolve(form)
            .is_ok_and(|form| form.as_dictionary().is_some_and(|form| form.get(b"StructParents").is_some()))
    };
    forms.len() > MAX_XOBJECTS || forms.iter().any(|(_, form)| is_tagged(form))
}
