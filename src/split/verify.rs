//! The last look at a chunk: lopdf, which had no part in making it, must find its pages sound in it.

use lopdf::{Document, Object};

/// What is wrong with a chunk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsound {
    /// lopdf cannot read it.
    #[error("it cannot be read back: {reason}")]
    Unreadable {
        /// lopdf's reason.
        reason: String,
    },
    /// It has another number of pages than were put into it.
    #[error("it has {pages} pages")]
    Pages {
        /// How many.
        pages: usize,
    },
    /// A page has no media box.
    #[error("its page has no media box")]
    NoMediaBox,
    /// A reference leads nowhere.
    #[error("object {number} is referred to and missing")]
    DanglingReference {
        /// The missing object's number.
        number: u32,
    },
}

/// Reads `chunk` back and checks that it has `expected` pages, and no reference that leads nowhere.
pub(super) fn verify(chunk: &[u8], expected: usize) -> Result<(), Unsound> {
    let document = Document::load_mem(chunk).map_err(|error| Unsound::Unreadable { reason: error.to_string() })?;
    let is_page = |object: &Object| object.as_dict().is_ok_and(|dictionary| dictionary.has_type(b"Page"));
    let pages = document.objects.values().filter(|object| is_page(object)).count();
    if pages != expected {
        return Err(Unsound::Pages { pages });
    }
    let mut found = 0;
    for page in document.page_iter() {
        let media_box = document.get_dictionary(page).and_then(|page| page.get(b"MediaBox"));
        media_box.map_err(|_| Unsound::NoMediaBox)?;
        found += 1;
    }
    if found != expected {
        return Err(Unsound::Pages { pages: found });
    }
    document.objects.values().try_for_each(|object| references(object, &document))
}

fn references(object: &Object, document: &Document) -> Result<(), Unsound> {
    match object {
        Object::Reference(id) if !document.objects.contains_key(id) => Err(Unsound::DanglingReference { number: id.0 }),
        Object::Array(elements) => elements.iter().try_for_each(|element| references(element, document)),
        Object::Dictionary(entries) => entries.iter().try_for_each(|(_, value)| references(value, document)),
        Object::Stream(stream) => stream.dict.iter().try_for_each(|(_, value)| references(value, document)),
        _ => Ok(()),
    }
}
