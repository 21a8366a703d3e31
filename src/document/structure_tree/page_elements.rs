//! The elements above the content of one page, and their order.

use super::{PageTags, StructureElement, StructureTree, StructureType, attributes};
use crate::object::{Dictionary, Object, ObjectId};
use crate::objects::Objects;
use crate::text_string;
use std::collections::HashMap;
use std::sync::Arc;

/// Elements inside each other, at most. Real trees have about 20.
const MAX_DEPTH: usize = 200;

/// The most elements of a page, with those around them.
const MAX_ELEMENTS: usize = 50_000;

/// The most kids of all elements of a page that are looked at, even those of other pages.
const MAX_KIDS: usize = 2_000_000;

/// Longer descriptions of figures are cut, in characters.
const MAX_ALTERNATE: usize = 500;

/// How the names of pictures end.
const PICTURE_EXTENSIONS: [&str; 12] =
    ["bmp", "emf", "eps", "gif", "jpeg", "jpg", "pdf", "png", "svg", "tif", "tiff", "wmf"];

/// Collects the elements of a page.
pub(super) struct PageElements<'t> {
    objects: &'t dyn Objects,
    tree: &'t StructureTree,
    root: ObjectId,
    page: Option<ObjectId>,
    nodes: Vec<Node>,
    known: HashMap<ObjectId, usize>,
    /// The number of kids that may still be looked at.
    kids_left: usize,
}

struct Node {
    id: ObjectId,
    /// `None` below the root of the tree.
    parent: Option<usize>,
    dictionary: Arc<Object>,
    kind: StructureType,
    /// Its place among the kids of its parent.
    place: Option<usize>,
    /// The marked content among its own kids: their places, and identifiers.
    sequences: Vec<(usize, usize)>,
}

/// What stands in an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kid<E> {
    Element(E),
    /// Marked content of the page, by its identifier.
    Sequence(usize),
}

impl<'t> PageElements<'t> {
    pub(super) fn new(
        objects: &'t dyn Objects,
        tree: &'t StructureTree,
        root: ObjectId,
        page: Option<ObjectId>,
    ) -> Self {
        Self { objects, tree, root, page, nodes: Vec::new(), known: HashMap::new(), kids_left: MAX_KIDS }
    }

    /// Adds an element and those that contain it. `None` if no chain of parents leads to the root within the limits.
    pub(super) fn add(&mut self, id: ObjectId) -> Option<usize> {
        let mut chain = Vec::new();
        let mut at = id;
        let mut parent = loop {
            if let Some(known) = self.known.get(&at) {
                break Some(*known);
            }
            if at == self.root {
                break None;
            }
            // A cycle of parents ends here too.
            if chain.len() >= MAX_DEPTH {
                return None;
            }
            let dictionary = self.objects.fetch(at).ok()?;
            let above = dictionary.as_dictionary()?.get(b"P")?.as_reference()?;
            chain.push((at, dictionary));
            at = above;
        };
        for (id, dictionary) in chain.into_iter().rev() {
            parent = Some(self.push(id, parent, dictionary)?);
        }
        parent
    }

    fn push(&mut self, id: ObjectId, parent: Option<usize>, dictionary: Arc<Object>) -> Option<usize> {
        self.objects.limits().deadline.check().ok()?;
        let name = dictionary.as_dictionary()?.get(b"S")?;
        let name = self.objects.resolve(name).ok()?;
        let kind = StructureType::of(name.as_name()?, &self.tree.roles);
        drop(name);
        let index = self.nodes.len();
        self.nodes.push(Node { id, parent, dictionary, kind, place: None, sequences: Vec::new() });
        self.known.insert(id, index);
        (index < MAX_ELEMENTS).then_some(index)
    }

    /// Puts the elements in the order of the tree. `None` if one is not among the kids of its parent.
    pub(super) fn finish(mut self, owners: &[Option<usize>]) -> Option<PageTags> {
        self.add_empty_cells()?;
        self.find_places(owners)?;
        let (order, sequences) = self.order()?;
        let mut new_index = vec![0; self.nodes.len()];
        for (new, old) in order.iter().enumerate() {
            *new_index.get_mut(*old)? = new;
        }
        let renumbered = |index: usize| new_index.get(index).copied();
        let element = |old: &usize| {
            let Node { id, parent, dictionary, kind, .. } = self.nodes.get(*old)?;
            let parent = match parent {
                Some(parent) => Some(renumbered(*parent)?),
                None => None,
            };
            let is_cell = matches!(kind, StructureType::HeaderCell | StructureType::DataCell);
            let dictionary = dictionary.as_dictionary()?;
            let spans = if is_cell { attributes::spans(self.objects, self.tree, dictionary) } else { [1, 1] };
            let alternate = (*kind == StructureType::Figure).then(|| self.alternate(dictionary)).flatten();
            Some(StructureElement { id: id.number, kind: *kind, parent, spans, alternate })
        };
        let elements = order.iter().map(element).collect::<Option<Vec<_>>>()?;
        let mut places = vec![usize::MAX; owners.len()];
        for (place, id) in sequences.into_iter().enumerate() {
            places.iter_mut().skip(id).take(1).for_each(|own| *own = place.min(*own));
        }
        let owners = owners.iter().map(|owner| owner.and_then(renumbered)).collect();
        Some(PageTags { elements, owners, places })
    }

    /// The alternate description of an element (14.9.3).
    fn alternate(&self, element: &Dictionary) -> Option<String> {
        let text = self.objects.resolve(element.get(b"Alt")?).ok()?;
        let text = text_string::decode(text.as_string()?);
        let cut = text.char_indices().nth(MAX_ALTERNATE).map(|(at, _)| at);
        let text = match cut.and_then(|at| text.get(..at)) {
            Some(beginning) => format!("{beginning}…"),
            None => text,
        };
        (text.contains(char::is_alphanumeric) && !is_file_name(&text)).then_some(text)
    }

    /// Adds the cells of the page's table rows that have no content.
    fn add_empty_cells(&mut self) -> Option<()> {
        for row in 0..self.nodes.len() {
            if self.nodes.get(row)?.kind != StructureType::TableRow {
                continue;
            }
            for kid in self.kids(Some(row))? {
                let Kid::Element(kid) = kid else { continue };
                if self.known.contains_key(&kid) {
                    continue;
                }
                let Ok(dictionary) = self.objects.fetch(kid) else { continue };
                if dictionary.as_dictionary().is_some_and(|kid| kid.get(b"S").is_some()) {
                    self.push(kid, Some(row), dictionary)?;
                }
            }
        }
        Some(())
    }

    /// The kids of an element, or of the root: objects of their own, and content of the page. `None` beyond the limit.
    fn kids(&mut self, of: Option<usize>) -> Option<Vec<Kid<ObjectId>>> {
        self.objects.limits().deadline.check().ok()?;
        let root;
        let dictionary: &Dictionary = match of {
            Some(index) => self.nodes.get(index)?.dictionary.as_dictionary()?,
            None => {
                root = self.objects.fetch(self.root).ok()?;
                root.as_dictionary()?
            }
        };
        let Some(kids) = dictionary.get(b"K") else { return Some(Vec::new()) };
        let resolved = self.objects.resolve(kids).ok()?;
        let page_of = |dictionary: &Dictionary| dictionary.get(b"Pg").and_then(Object::as_reference);
        let is_here = |page: Option<ObjectId>| page.is_none() || self.page.is_none() || page == self.page;
        let own = page_of(dictionary);
        let kid = |kid: &Object| match kid {
            Object::Reference(id) => Some(Kid::Element(*id)),
            Object::Dictionary(content) if is_here(page_of(content).or(own)) => sequence(content.get(b"MCID")?),
            id => Some(id).filter(|_| is_here(own)).and_then(sequence),
        };
        let (kids, count): (Vec<_>, _) = match &*resolved {
            Object::Array(kids) if kids.len() > self.kids_left => return None,
            Object::Array(kids) => (kids.iter().filter_map(kid).collect(), kids.len()),
            _ => (kid(kids).into_iter().collect(), 1),
        };
        self.kids_left = self.kids_left.saturating_sub(count);
        Some(kids)
    }

    fn find_places(&mut self, owners: &[Option<usize>]) -> Option<()> {
        for parent in std::iter::once(None).chain((0..self.nodes.len()).map(Some)) {
            for (place, kid) in self.kids(parent)?.into_iter().enumerate() {
                match kid {
                    Kid::Element(kid) => {
                        let node = self.known.get(&kid).and_then(|index| self.nodes.get_mut(*index));
                        if let Some(node) = node.filter(|node| node.parent == parent) {
                            node.place.get_or_insert(place);
                        }
                    }
                    Kid::Sequence(id) => {
                        let is_own = parent.is_some() && owners.get(id).copied().flatten() == parent;
                        let node = parent.filter(|_| is_own).and_then(|parent| self.nodes.get_mut(parent));
                        node.into_iter().for_each(|node| node.sequences.push((place, id)));
                    }
                }
            }
        }
        Some(())
    }

    /// The indices of all nodes, parents before their kids and kids by their places; and the identifiers of the marked
    /// content among them.
    fn order(&self) -> Option<(Vec<usize>, Vec<usize>)> {
        let mut kids: HashMap<Option<usize>, Vec<(usize, Kid<usize>)>> = HashMap::new();
        for (index, node) in self.nodes.iter().enumerate() {
            kids.entry(node.parent).or_default().push((node.place?, Kid::Element(index)));
            let sequences = node.sequences.iter().map(|(place, id)| (*place, Kid::Sequence(*id)));
            kids.entry(Some(index)).or_default().extend(sequences);
        }
        kids.values_mut().for_each(|kids| kids.sort_unstable());
        let (mut order, mut sequences) = (Vec::with_capacity(self.nodes.len()), Vec::new());
        let mut pending = kids.remove(&None).unwrap_or_default();
        pending.reverse();
        while let Some((_, next)) = pending.pop() {
            match next {
                Kid::Sequence(id) => sequences.push(id),
                Kid::Element(index) => {
                    order.push(index);
                    pending.extend(kids.remove(&Some(index)).into_iter().flatten().rev());
                }
            }
        }
        Some((order, sequences))
    }
}

/// Marked content by its identifier.
fn sequence<E>(id: &Object) -> Option<Kid<E>> {
    Some(Kid::Sequence(usize::try_from(id.as_integer()?).ok()?))
}

/// Whether a text is the name of a picture's file, which editors put where a description belongs.
fn is_file_name(text: &str) -> bool {
    let extension = text.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| PICTURE_EXTENSIONS.contains(&extension.as_str()))
}
