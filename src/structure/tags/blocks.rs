//! The block to which the text of each structure element belongs.

use crate::page_structure::LineRole;
use pagewise_document::{PageTags, StructureElement, StructureType};
use std::collections::BTreeMap;

/// Markdown has so many levels of headings.
const MAX_LEVEL: u8 = 6;
/// Lists inside lists, at most.
const MAX_LIST_DEPTH: u8 = 9;

/// A block of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BlockIndex(pub(super) usize);

/// What is known of the text of an element.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Context {
    /// The element whose block the text belongs to, and what this block is. `None` in a group without a meaning.
    pub(super) block: Option<(BlockIndex, LineRole)>,
    /// Whether it is the label of its block.
    pub(super) is_label: bool,
    pub(super) table: Option<usize>,
    /// Its cell in this table.
    pub(super) cell: Option<usize>,
    /// Whether its row belongs to the head of its table.
    pub(super) is_head: bool,
    list_depth: u8,
    sections: u8,
    /// The figure that contains it.
    pub(super) figure: Option<usize>,
    /// Whether it is an artifact, although it stands in the tree.
    pub(super) is_artifact: bool,
    item: Option<usize>,
    is_quote: bool,
    /// Whether it is an entry of contents, whose text, page number and paragraphs are one line.
    is_entry: bool,
}

/// The context of each element.
pub(super) struct BlockMap {
    pub(super) contexts: Vec<Context>,
    /// The object number of each element.
    ids: Vec<u32>,
}

impl BlockMap {
    pub(super) fn of(tags: &PageTags) -> Self {
        let mut contexts: Vec<Context> = Vec::with_capacity(tags.elements.len());
        let places = TextPlaces::of(tags);
        // The first paragraph of an item is the item itself, if the item has no text before it.
        let mut begun: BTreeMap<usize, usize> = BTreeMap::new();
        for (index, element) in tags.elements.iter().enumerate() {
            let outer = element.parent.and_then(|parent| contexts.get(parent)).copied().unwrap_or_default();
            let mut context = outer.inside(index, element);
            if let Some(item) =
                context.item.filter(|_| element.kind == StructureType::Paragraph && outer.opens_blocks())
                && *begun.entry(item).or_insert(index) == index
                && !places.is_text_before(index, item..index, &contexts)
            {
                context.block = outer.block;
            }
            contexts.push(context);
        }
        Self { contexts, ids: tags.elements.iter().map(|element| element.id).collect() }
    }

    pub(super) fn context(&self, element: usize) -> Context {
        self.contexts.get(element).copied().unwrap_or_default()
    }

    /// Whether it has tables or figures.
    pub(super) fn has_tables_or_figures(&self) -> bool {
        self.contexts.iter().any(|context| context.table.is_some() || context.figure.is_some())
    }

    /// The object number of the element of a block.
    pub(super) fn id(&self, block: BlockIndex) -> u32 {
        self.ids.get(block.0).copied().unwrap_or_default()
    }
}

/// For each element, the place in the tree of the first content that is its own, and of the first that it or an element
/// inside it has.
struct TextPlaces {
    own: Vec<usize>,
    all: Vec<usize>,
}

impl TextPlaces {
    fn of(tags: &PageTags) -> Self {
        let mut own = vec![usize::MAX; tags.elements.len()];
        for (owner, place) in tags.owners.iter().zip(&tags.places) {
            if let Some(first) = owner.and_then(|owner| own.get_mut(owner)) {
                *first = (*first).min(*place);
            }
        }
        let mut all = own.clone();
        for (index, element) in tags.elements.iter().enumerate().rev() {
            let inner = all.get(index).copied().unwrap_or(usize::MAX);
            if let Some(outer) = element.parent.and_then(|parent| all.get_mut(parent)) {
                *outer = (*outer).min(inner);
            }
        }
        Self { own, all }
    }

    /// Whether one of the elements `among` has text, other than a label, before an element.
    fn is_text_before(&self, element: usize, mut among: std::ops::Range<usize>, contexts: &[Context]) -> bool {
        let begin = self.all.get(element);
        among.any(|other| self.own.get(other) < begin && contexts.get(other).is_some_and(|context| !context.is_label))
    }
}

impl Context {
    /// The context in an element that stands in this one.
    fn inside(self, index: usize, element: &StructureElement) -> Self {
        let block = |role| Some((BlockIndex(index), role));
        match element.kind {
            StructureType::Group | StructureType::Inline | StructureType::TableRow => self,
            StructureType::Figure => Self { figure: Some(index), ..self },
            StructureType::Section => Self { sections: self.sections.saturating_add(1), ..self },
            StructureType::Heading(level) => self.with_heading(index, level),
            StructureType::SectionHeading => self.with_heading(index, self.sections.max(1)),
            StructureType::Paragraph if self.opens_blocks() => Self { block: block(self.paragraph_role()), ..self },
            StructureType::Paragraph => Self { is_entry: false, ..self },
            StructureType::List => {
                let list_depth = self.list_depth.saturating_add(1).min(MAX_LIST_DEPTH);
                Self { list_depth, block: None, item: None, ..self }
            }
            StructureType::ListItem => {
                Self { block: block(LineRole::Item(self.list_depth.max(1))), item: Some(index), ..self }
            }
            StructureType::Label => Self { is_label: true, ..self },
            StructureType::Table if self.cell.is_none() => Self { table: Some(index), block: None, item: None, ..self },
            StructureType::Table => self,
            StructureType::TableHead => Self { is_head: true, ..self },
            StructureType::HeaderCell | StructureType::DataCell if self.cell.is_none() => {
                let cell = self.table.map(|_| index);
                Self { block: block(LineRole::Paragraph(0)), cell, list_depth: 0, ..self }
            }
            StructureType::HeaderCell | StructureType::DataCell => self,
            StructureType::Caption => Self { block: block(LineRole::Caption), item: None, ..self },
            StructureType::BlockQuote => Self { block: block(LineRole::Quote), is_quote: true, item: None, ..self },
            StructureType::Note => Self { block: block(LineRole::Note), item: None, ..self },
            StructureType::Code if self.block.is_none() => Self { block: block(LineRole::Code), ..self },
            StructureType::Code => self,
            StructureType::ContentsItem => {
                Self { block: block(LineRole::Paragraph(0)), item: None, is_entry: true, ..self }
            }
            StructureType::Artifact => Self { is_artifact: true, block: None, item: None, ..self },
        }
    }

    /// Whether its text is in no block.
    pub(super) fn is_group(&self) -> bool {
        self.block.is_none()
    }

    fn with_heading(self, index: usize, level: u8) -> Self {
        let heading = (BlockIndex(index), LineRole::Heading(level.clamp(1, MAX_LEVEL)));
        Self { block: Some(heading), item: None, ..self }
    }

    /// Whether a paragraph inside is a block of its own.
    fn opens_blocks(self) -> bool {
        match self.block {
            None | Some((_, LineRole::Item(_) | LineRole::Quote)) => true,
            Some((_, LineRole::Paragraph(_))) => !self.is_entry,
            Some(_) => false,
        }
    }

    fn paragraph_role(self) -> LineRole {
        match self.item {
            _ if self.is_quote => LineRole::Quote,
            Some(_) => LineRole::Paragraph(self.list_depth.max(1)),
            None => LineRole::Paragraph(0),
        }
    }
}
