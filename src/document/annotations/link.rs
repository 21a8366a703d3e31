//! Link annotations (ISO 32000-2, 12.5.6.5) and the actions behind them (12.6.4).

use serde::{Deserialize, Serialize};

use super::words::WordBudget;
use crate::DocumentError;
use crate::attachments::file_name;
use crate::object::{Dictionary, Object};
use crate::objects::Objects;
use crate::structure::{Destinations, DisplayedArea};
use pagewise_base::page::PageIndex;

/// A link on a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Where it leads.
    pub target: LinkTarget,
    /// Where it stands.
    pub area: DisplayedArea,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LinkTarget {
    /// To an address.
    Uri(String),
    /// To a page of this document.
    Page(PageIndex),
    /// To another file, by its name in the document.
    File(String),
}

impl LinkTarget {
    /// Reads the destination or the action of a link; `None` if it leads nowhere that can be named.
    pub(super) fn read(
        objects: &dyn Objects,
        annotation: &Dictionary,
        destinations: &Destinations<'_>,
        budget: &WordBudget,
    ) -> Result<Option<Self>, DocumentError> {
        let action = objects.get(annotation, b"A")?;
        let Some(action) = action.as_dictionary().filter(|_| annotation.get(b"Dest").is_none()) else {
            return Ok(destinations.page_of(annotation)?.map(Self::Page));
        };
        match objects.get(action, b"S")?.as_name() {
            Some(b"URI") => {
                let address = budget.entry(objects, action, b"URI")?.unwrap_or_default();
                let address = address.split_whitespace().collect::<String>();
                Ok(Some(address).filter(|address| !address.is_empty()).map(Self::Uri))
            }
            Some(b"GoTo") => Ok(destinations.page_of(annotation)?.map(Self::Page)),
            Some(b"GoToR" | b"Launch") => {
                let name = file_name(objects, action.get(b"F").unwrap_or(&Object::Null))?;
                Ok(name.map(Self::File))
            }
            _ => Ok(None),
        }
    }
}
