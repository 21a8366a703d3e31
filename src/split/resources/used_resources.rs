//! The names that content uses, for each resource dictionary of a page.

use super::{DeviceColors, UsedNames};
use pagewise_document::fast_hash::FastMap;

/// Resource categories that content names (table 34).
pub(crate) const CATEGORIES: [&[u8]; 7] =
    [b"ColorSpace", b"ExtGState", b"Font", b"Pattern", b"Properties", b"Shading", b"XObject"];

/// Identifies a resource dictionary, or a category dictionary within one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ResourceScope {
    /// The indirect object with this number.
    Indirect(u32),
    /// The direct value of `/Resources` in the indirect object with this number.
    DirectIn(u32),
    /// The direct dictionary of the page with this number in the chunk.
    Page(u32),
    /// A dictionary that cannot be identified, such as that of a direct font.
    Nested,
}

/// The used names for each resource dictionary and each indirect category dictionary.
#[derive(Default)]
pub(crate) struct UsedResources {
    pub(super) used: FastMap<ResourceScope, UsedNames>,
    /// Whether any content does not decode to its end.
    pub(crate) has_damaged_content: bool,
    /// Device colour families in use; all of them if content could not be read.
    pub(crate) device_colors: DeviceColors,
}

impl UsedResources {
    /// The used names of a dictionary; `None` if it must not be pruned.
    pub(crate) fn of(&self, scope: ResourceScope) -> Option<&UsedNames> {
        self.used.get(&scope)
    }

    /// Adds the resources used by another page.
    pub(crate) fn merge(&mut self, other: Self) {
        #[expect(clippy::iter_over_hash_type, reason = "the union is the same in any order")]
        for (scope, names) in other.used {
            self.used.entry(scope).or_default().merge(&names);
        }
        self.has_damaged_content |= other.has_damaged_content;
        self.device_colors.merge(other.device_colors);
    }
}
