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

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of two pages, of which the second has these entries beside its type and its parent.
    fn file(second: &str) -> Vec<u8> {
        let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>";
        let objects = [
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>".to_owned(),
            page.to_owned(),
            format!("<</Type/Page/Parent 2 0 R{second}>>"),
        ];
        let mut file = b"%PDF-1.7\n".to_vec();
        let mut table = String::new();
        for (number, object) in (1..).zip(objects) {
            table.push_str(&format!("{:010} 00000 n \n", file.len()));
            file.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
        }
        let start = file.len();
        let trailer = format!("trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n");
        file.extend(format!("xref\n0 5\n0000000000 65535 f \n{table}{trailer}").bytes());
        file
    }

    #[test]
    fn every_page_is_looked_at() {
        assert_eq!(verify(&file("/MediaBox[0 0 9 9]"), 2), Ok(()));
        assert_eq!(verify(&file("/MediaBox[0 0 9 9]"), 1), Err(Unsound::Pages { pages: 2 }));
        assert_eq!(verify(&file(""), 2), Err(Unsound::NoMediaBox));
        let dangling = file("/MediaBox[0 0 9 9]/Contents 9 0 R");
        assert_eq!(verify(&dangling, 2), Err(Unsound::DanglingReference { number: 9 }));
    }
}
