//! The structure of a document (ISO 32000-2, 7.7 and 12.3): page tree, name and number trees, page labels, outline,
//! destinations, metadata.

mod destination;
mod form_summary;
mod geometry;
mod info;
mod key_tree;
mod outline;
mod page_labels;
mod page_tree;
mod xmp;

pub(crate) use destination::{Destinations, NamedDestinations};
pub use form_summary::MAX_REMOTE_FIELDS;
pub(crate) use form_summary::visit_terminal_fields;
pub(crate) use geometry::PagePlacement;
pub use geometry::{DisplayedArea, PageGeometry, has_media_box};
pub use info::{DocumentInfo, MAX_LABEL_RANGES};
pub(crate) use key_tree::KeyTree;
pub use outline::{Outline, OutlineItem};
pub(crate) use page_labels::PageLabels;
pub use page_tree::Leaf;
pub(crate) use page_tree::PageTree;
