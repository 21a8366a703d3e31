//! The page tree (ISO 32000-2, 7.7.3).
//!
//! The number of pages is the number of leaves; `/Count` may be wrong (one file claims 9,999,999,999 pages). Trees of at
//! most [`WALKED_LEAVES`] pages are walked whole. In larger trees, and in remote documents, `/Count` is trusted if it
//! agrees with the counts on the way to the page and with a sample of kids.
//!
//! A walk visits all nodes. In trees of more than [`CHECKED_LEAVES`] pages, it samples the kids of a node that has as
//! many kids as its `/Count`: checking every leaf took an eighth of cutting a page. If an unchecked kid is no page, only
//! requests for that page fail.

use crate::error::DocumentError;
use crate::object::{Dictionary, Object, ObjectId};
use crate::objects::Objects;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_base::page::PageIndex;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Trees of at most this many pages are walked when the document is opened.
const WALKED_LEAVES: u32 = 512;

/// In trees of at most this many pages, every leaf is checked.
const CHECKED_LEAVES: u32 = 32;

/// Number of kids of a large flat node that are checked before all are trusted to be leaves.
const SAMPLED_KIDS: usize = 16;

/// A walk checks one of this many kids.
const SAMPLING_INTERVAL: usize = 16;

/// The attributes that a page inherits (table 31).
#[derive(Debug, Clone, Default)]
pub struct InheritableAttributes {
    /// `/Resources`.
    pub resources: Option<Object>,
    /// `/MediaBox`.
    pub media_box: Option<Object>,
    /// `/CropBox`.
    pub crop_box: Option<Object>,
    /// `/Rotate`.
    pub rotate: Option<Object>,
}

impl InheritableAttributes {
    fn overridden_by(&self, node: &Dictionary) -> Self {
        let own = |key: &[u8], from: &Option<Object>| match node.get(key) {
            None | Some(Object::Null) => from.clone(),
            Some(own) => Some(own.clone()),
        };
        Self {
            resources: own(b"Resources", &self.resources),
            media_box: own(b"MediaBox", &self.media_box),
            crop_box: own(b"CropBox", &self.crop_box),
            rotate: own(b"Rotate", &self.rotate),
        }
    }
}

/// A page: its dictionary, object id, and inheritable attributes.
#[derive(Debug, Clone)]
pub struct Leaf {
    /// The page's object id; `None` for a direct dictionary in `/Kids`.
    pub id: Option<ObjectId>,
    /// The page dictionary.
    pub dictionary: Arc<Object>,
    /// The inheritable attributes, own or inherited.
    pub inherited: Arc<InheritableAttributes>,
}

/// A leaf found by a walk.
#[derive(Debug, Clone)]
struct FoundLeaf {
    kid: Object,
    inherited: Arc<InheritableAttributes>,
}

/// The page tree of a document as one reader sees it.
pub struct PageTree {
    root: Object,
    count: u32,
    /// All leaves in order, once the tree was walked.
    leaves: OnceLock<Vec<FoundLeaf>>,
    /// The first index of each page object, once a destination was resolved.
    indices: OnceLock<HashMap<ObjectId, u32>>,
    /// Whether `/Count` of the root differs from the number of leaves.
    pub(crate) is_count_wrong: bool,
    /// Whether kids were skipped because they are no dictionaries. Another reader may find pages there.
    pub(crate) has_lost_kids: bool,
}

impl PageTree {
    /// Opens the page tree of `catalog` and counts its leaves.
    pub(crate) fn open(objects: &dyn Objects, catalog: &Dictionary, limits: &Limits) -> Result<Self, DocumentError> {
        let root = catalog.get(b"Pages").cloned().unwrap_or(Object::Null);
        let resolved = objects.resolve(&root)?;
        let node = resolved.as_dictionary().ok_or(DocumentError::damaged("a catalog without /Pages"))?;
        let claimed = count_of(objects, node)?;
        let tree = |count, leaves, is_count_wrong, has_lost_kids| Self {
            root: root.clone(),
            count,
            leaves,
            indices: OnceLock::new(),
            is_count_wrong,
            has_lost_kids,
        };
        let is_walked = |claimed: u32| claimed <= WALKED_LEAVES && !objects.is_remote();
        if let Some(claimed) = claimed.filter(|claimed| *claimed > 0 && !is_walked(*claimed))
            && is_count_trusted(objects, node, claimed)?
        {
            LimitExceeded::check(Limit::Pages, u64::from(claimed), u64::from(limits.max_pages))?;
            return Ok(tree(claimed, OnceLock::new(), false, false));
        }
        let WalkResult { leaves, has_lost_kids } = walk(objects, &root, limits)?;
        let count = u32::try_from(leaves.len()).unwrap_or(u32::MAX);
        Ok(tree(count, OnceLock::from(leaves), claimed != Some(count), has_lost_kids))
    }

    /// The number of pages.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The page at `index`, which must be below [`count`](Self::count).
    pub fn leaf(&self, objects: &dyn Objects, index: PageIndex, limits: &Limits) -> Result<Leaf, DocumentError> {
        if self.leaves.get().is_none()
            && let Some(leaf) = descend(objects, &self.root, index.0, limits)?
        {
            return Ok(leaf);
        }
        let leaves = self.leaves(objects, limits)?;
        let out_of_range = || DocumentError::PageOutOfRange { page: index.number().get(), page_count: self.count };
        let leaf = usize::try_from(index.0).ok().and_then(|at| leaves.get(at)).ok_or_else(out_of_range)?;
        leaf_at(objects, &leaf.kid, &leaf.inherited)
    }

    /// The index of each page object, the first one if it occurs twice.
    pub(crate) fn indices(
        &self,
        objects: &dyn Objects,
        limits: &Limits,
    ) -> Result<&HashMap<ObjectId, u32>, DocumentError> {
        let leaves = self.leaves(objects, limits)?;
        Ok(self.indices.get_or_init(|| {
            let mut indices = HashMap::with_capacity(leaves.len());
            for (index, leaf) in (0..self.count).zip(leaves) {
                if let Some(id) = leaf.kid.as_reference() {
                    indices.entry(id).or_insert(index);
                }
            }
            indices
        }))
    }

    fn leaves(&self, objects: &dyn Objects, limits: &Limits) -> Result<&Vec<FoundLeaf>, DocumentError> {
        if let Some(leaves) = self.leaves.get() {
            return Ok(leaves);
        }
        let result = walk(objects, &self.root, limits)?;
        Ok(self.leaves.get_or_init(|| result.leaves))
    }
}

fn leaf_at(objects: &dyn Objects, kid: &Object, inherited: &InheritableAttributes) -> Result<Leaf, DocumentError> {
    let dictionary = match kid {
        Object::Reference(id) => objects.fetch(*id)?,
        direct => Arc::new(direct.clone()),
    };
    let own = node_of(&dictionary).ok_or(DocumentError::damaged("a page that is not a dictionary"))?;
    if own.get(b"Kids").is_some() || own.is_type(b"Pages") {
        return Err(DocumentError::damaged("a page that is a node of the page tree"));
    }
    let inherited = Arc::new(inherited.overridden_by(own));
    Ok(Leaf { id: kid.as_reference(), dictionary, inherited })
}

/// The dictionary of a page or a page tree node. `None` for streams, and for dictionaries of another type without page
/// entries.
fn node_of(object: &Object) -> Option<&Dictionary> {
    let Object::Dictionary(node) = object else { return None };
    let is_foreign =
        node.get(b"Type").and_then(Object::as_name).is_some_and(|kind| kind != b"Page" && kind != b"Pages");
    let has = |key: &[u8]| node.get(key).is_some();
    (!is_foreign || has(b"Kids") || has(b"Contents") || has(b"MediaBox")).then_some(node)
}

fn count_of(objects: &dyn Objects, node: &Dictionary) -> Result<Option<u32>, DocumentError> {
    Ok(objects.get(node, b"Count")?.as_integer().and_then(|count| u32::try_from(count).ok()))
}

fn count_below(objects: &dyn Objects, root: &Object) -> Result<Option<u32>, DocumentError> {
    let root = objects.resolve(root)?;
    root.as_dictionary().map_or(Ok(None), |node| count_of(objects, node))
}

/// Whether `/Count` of a node is the sum of its kids' counts, one level deep.
fn is_count_trusted(objects: &dyn Objects, node: &Dictionary, claimed: u32) -> Result<bool, DocumentError> {
    let kids = objects.get(node, b"Kids")?;
    let Some(kids) = kids.as_array() else { return Ok(false) };
    if usize::try_from(claimed) == Ok(kids.len()) {
        return are_leaves(objects, kids);
    }
    let mut sum = 0_u64;
    for kid in kids {
        objects.limits().deadline.check()?;
        let Some(leaves) = leaves_below(objects, kid)? else { return Ok(false) };
        sum += u64::from(leaves);
    }
    Ok(sum == u64::from(claimed))
}

/// Whether a kid is a page, without reading and caching the whole page. False if that cannot be decided.
fn is_leaf(objects: &dyn Objects, kid: &Object) -> Result<bool, DocumentError> {
    let Some(id) = kid.as_reference() else { return Ok(false) };
    Ok(objects.glance(id)?.is_some_and(|glance| match &glance.kind {
        Some(kind) if kind.as_bytes() == b"Page" => true,
        Some(kind) => kind.as_bytes() != b"Pages" && glance.has_page_entries,
        None => glance.has_page_entries,
    }))
}

/// Whether a sample of the kids of a flat node are leaves.
fn are_leaves(objects: &dyn Objects, kids: &[Object]) -> Result<bool, DocumentError> {
    for kid in sampled(objects, kids, kids.len().div_ceil(SAMPLED_KIDS)) {
        if is_leaf(objects, kid)? {
            continue;
        }
        let kid = objects.resolve(kid)?;
        if node_of(&kid).is_none_or(|kid| kid.get(b"Kids").is_some()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// One of `interval` kids, and the last. None of a remote document: each may take a request.
fn sampled<'a>(objects: &dyn Objects, kids: &'a [Object], interval: usize) -> impl Iterator<Item = &'a Object> {
    let kids: &[Object] = if objects.is_remote() { &[] } else { kids };
    kids.iter().step_by(interval.max(1)).chain(kids.last())
}

/// Whether all kids of a node may be trusted to be leaves: their number is its `/Count`, samples are pages, and all
/// exist.
fn are_trusted(objects: &dyn Objects, node: &Dictionary, kids: &[Object]) -> Result<bool, DocumentError> {
    if count_of(objects, node)?.and_then(|count| usize::try_from(count).ok()) != Some(kids.len()) {
        return Ok(false);
    }
    for kid in sampled(objects, kids, SAMPLING_INTERVAL) {
        if !is_leaf(objects, kid)? {
            return Ok(false);
        }
    }
    for kid in kids {
        let Some(id) = kid.as_reference() else { return Ok(false) };
        if !objects.lists(id)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The number of leaves below a kid by its `/Count`; `None` if unknown.
fn leaves_below(objects: &dyn Objects, kid: &Object) -> Result<Option<u32>, DocumentError> {
    if is_leaf(objects, kid)? {
        return Ok(Some(1));
    }
    let kid = objects.resolve(kid)?;
    match node_of(&kid) {
        Some(node) if node.get(b"Kids").is_some() => count_of(objects, node),
        Some(_) => Ok(Some(1)),
        None => Ok(None),
    }
}

/// Descends to the leaf at `index` by `/Count`; `None` if counts on the way do not agree.
fn descend(objects: &dyn Objects, root: &Object, index: u32, limits: &Limits) -> Result<Option<Leaf>, DocumentError> {
    let mut at = root.clone();
    let mut left = index;
    let mut inherited = InheritableAttributes::default();
    for _ in 0..limits.max_page_tree_depth {
        let next = {
            let node = objects.resolve(&at)?;
            let Some(node) = node.as_dictionary() else { return Ok(None) };
            if node.get(b"Kids").is_none() {
                return if left == 0 { leaf_at(objects, &at, &inherited).map(Some) } else { Ok(None) };
            }
            inherited = inherited.overridden_by(node);
            kid_containing(objects, node, &mut left)?
        };
        let Some(next) = next else { return Ok(None) };
        at = next;
    }
    Ok(None)
}

/// The kid of `node` that contains the leaf `left`. `left` becomes the leaf's index within that kid.
fn kid_containing(objects: &dyn Objects, node: &Dictionary, left: &mut u32) -> Result<Option<Object>, DocumentError> {
    let kids = objects.get(node, b"Kids")?;
    let Some(kids) = kids.as_array() else { return Ok(None) };
    let Some(count) = count_of(objects, node)? else { return Ok(None) };
    if usize::try_from(count) == Ok(kids.len()) {
        let kid = usize::try_from(*left).ok().and_then(|at| kids.get(at)).cloned();
        *left = 0;
        return Ok(kid);
    }
    if !is_count_trusted(objects, node, count)? {
        return Ok(None);
    }
    for kid in kids {
        objects.limits().deadline.check()?;
        let Some(leaves) = leaves_below(objects, kid)? else { return Ok(None) };
        if *left < leaves {
            return Ok(Some(kid.clone()));
        }
        *left -= leaves;
    }
    Ok(None)
}

/// A node whose kids are being walked.
struct OpenNode {
    id: Option<ObjectId>,
    kids: Vec<Object>,
    next: usize,
    inherited: Arc<InheritableAttributes>,
}

#[derive(Default)]
struct WalkResult {
    leaves: Vec<FoundLeaf>,
    has_lost_kids: bool,
}

impl WalkResult {
    fn add(
        &mut self,
        kid: Object,
        inherited: Arc<InheritableAttributes>,
        limits: &Limits,
    ) -> Result<(), DocumentError> {
        self.leaves.push(FoundLeaf { kid, inherited });
        Ok(LimitExceeded::check(Limit::Pages, self.leaves.len() as u64, u64::from(limits.max_pages))?)
    }
}

/// Walks the tree and returns all leaves in order. Skips cycles and kids that are no pages.
fn walk(objects: &dyn Objects, root: &Object, limits: &Limits) -> Result<WalkResult, DocumentError> {
    let mut result = WalkResult::default();
    let is_small = count_below(objects, root)?.is_none_or(|count| count <= CHECKED_LEAVES) && !objects.is_remote();
    let mut visits = 0_u64;
    let mut open_nodes = Vec::new();
    let top = OpenNode { id: None, kids: vec![root.clone()], next: 0, inherited: Arc::default() };
    open_nodes.push(top);
    while let Some(node) = open_nodes.last_mut() {
        limits.deadline.check()?;
        let Some(kid) = node.kids.get(node.next).cloned() else {
            open_nodes.pop();
            continue;
        };
        node.next += 1;
        let inherited = Arc::clone(&node.inherited);
        visits += 1;
        // Nodes without leaves cost time too, so visits are limited like pages.
        LimitExceeded::check(Limit::Pages, visits / 2, u64::from(limits.max_pages))?;
        let id = kid.as_reference();
        if id.is_some() && open_nodes.iter().any(|node| node.id == id) {
            continue;
        }
        if is_leaf(objects, &kid)? {
            result.add(kid, inherited, limits)?;
            continue;
        }
        let resolved = objects.resolve(&kid)?;
        let Some(node) = node_of(&resolved) else {
            result.has_lost_kids = true;
            continue;
        };
        if node.get(b"Kids").is_none() {
            if node.is_type(b"Pages") {
                return Err(DocumentError::damaged("a page tree node without /Kids"));
            }
            result.add(kid.clone(), inherited, limits)?;
            continue;
        }
        let depth = open_nodes.len() as u64;
        LimitExceeded::check(Limit::PageTreeDepth, depth, u64::from(limits.max_page_tree_depth))?;
        let kids = objects.get(node, b"Kids")?.as_array().unwrap_or_default().to_vec();
        let inherited = Arc::new(inherited.overridden_by(node));
        if !is_small && are_trusted(objects, node, &kids)? {
            visits += kids.len() as u64;
            for kid in kids {
                result.add(kid, Arc::clone(&inherited), limits)?;
            }
            continue;
        }
        open_nodes.push(OpenNode { id, kids, next: 0, inherited });
    }
    Ok(result)
}
