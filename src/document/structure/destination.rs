//! Resolves destinations (ISO 32000-2, 12.3.2) of outline items to pages.

use super::key_tree::KeyTree;
use crate::ParsedDocument;
use crate::error::DocumentError;
use crate::object::{Dictionary, Object, StringBytes};
use pagewise_base::page::PageIndex;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Longest chain of named destinations that refer to each other.
const MAX_NAME_HOPS: u32 = 4;

/// The named destinations of a document (12.3.2.4), indexed on first use.
pub(crate) type NamedDestinations = OnceLock<HashMap<StringBytes, Object>>;

/// Resolves destinations.
pub(crate) struct Destinations<'a> {
    parsed: &'a ParsedDocument,
}

impl<'a> Destinations<'a> {
    pub(crate) fn new(parsed: &'a ParsedDocument) -> Self {
        Self { parsed }
    }

    /// The page that an outline item leads to by `/Dest` or a `GoTo` action; `None` if it leads elsewhere.
    pub(crate) fn page_of(&self, item: &Dictionary) -> Result<Option<PageIndex>, DocumentError> {
        let objects = &*self.parsed.objects;
        if let Some(destination) = item.get(b"Dest") {
            return self.page(destination, MAX_NAME_HOPS);
        }
        let action = objects.get(item, b"A")?;
        match action.as_dictionary() {
            Some(action) if objects.get(action, b"S")?.is_name(b"GoTo") => {
                self.page(action.get(b"D").unwrap_or(&Object::Null), MAX_NAME_HOPS)
            }
            _ => Ok(None),
        }
    }

    fn page(&self, destination: &Object, hops: u32) -> Result<Option<PageIndex>, DocumentError> {
        let Some(hops) = hops.checked_sub(1) else { return Ok(None) };
        let objects = &*self.parsed.objects;
        let destination = objects.resolve(destination)?;
        match &*destination {
            Object::Array(destination) => self.explicit_page(destination.first().unwrap_or(&Object::Null)),
            // A named destination's value may be a dictionary with the destination in /D (12.3.2.4).
            Object::Dictionary(dictionary) => self.page(dictionary.get(b"D").unwrap_or(&Object::Null), hops),
            Object::Name(name) => self.named_page(name.as_bytes(), hops),
            Object::String(name) => self.named_page(name, hops),
            _ => Ok(None),
        }
    }

    fn explicit_page(&self, page: &Object) -> Result<Option<PageIndex>, DocumentError> {
        let index = match page {
            Object::Reference(id) => {
                let tree = &self.parsed.tree;
                tree.indices(&*self.parsed.objects, &self.parsed.limits)?.get(id).copied()
            }
            // Specified for remote documents only, but common for local pages too.
            Object::Integer(index) => u32::try_from(*index).ok().filter(|index| *index < self.parsed.tree.count()),
            _ => None,
        };
        Ok(index.map(PageIndex))
    }

    fn named_page(&self, name: &[u8], hops: u32) -> Result<Option<PageIndex>, DocumentError> {
        let named = match self.parsed.named_destinations.get() {
            Some(named) => named,
            None => {
                let named = self.read_named()?;
                self.parsed.named_destinations.get_or_init(|| named)
            }
        };
        match named.get(name) {
            Some(destination) => self.page(destination, hops),
            None => Ok(None),
        }
    }

    /// Reads `/Dests` of the catalog (PDF 1.1) and `/Dests` of its name dictionary.
    fn read_named(&self) -> Result<HashMap<StringBytes, Object>, DocumentError> {
        let ParsedDocument { objects, catalog, .. } = self.parsed;
        let mut named = HashMap::new();
        if let Some(old) = objects.get(catalog, b"Dests")?.as_dictionary() {
            named.extend(old.iter().map(|(name, value)| (name.as_bytes().into(), value.clone())));
        }
        if let Some(names) = objects.get(catalog, b"Names")?.as_dictionary()
            && let Some(root) = names.get(b"Dests")
        {
            for (key, value) in KeyTree::Names.entries(&**objects, root)? {
                if let Object::String(name) = key {
                    named.insert(name, value);
                }
            }
        }
        Ok(named)
    }
}
