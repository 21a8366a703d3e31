//! What a segment tells of a document beside its pages.

use super::codec::{Decoder, put_number, put_text};
use crate::analysis::Stemmer;

/// Outline titles of one document that are kept.
pub(super) const MAX_TITLES: usize = 20_000;

/// Levels of a section path.
const MAX_LEVELS: usize = 16;

/// What is known of a document beside the texts of its pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentDetails {
    /// `/Title`; empty if there is none.
    pub title: String,
    /// The language of its text, as ISO 639-3 has it; empty if it is not known.
    pub language: &'static str,
    /// The outline in its order: page, depth and title.
    pub(super) outline: Vec<(u32, u32, String)>,
    /// Pages without usable text.
    pub without_text: Vec<u32>,
}

impl DocumentDetails {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_text(&mut out, &self.title);
        put_text(&mut out, self.language);
        put_number(&mut out, u32::try_from(self.outline.len()).unwrap_or(u32::MAX));
        for (page, depth, title) in &self.outline {
            put_number(&mut out, *page);
            put_number(&mut out, *depth);
            put_text(&mut out, title);
        }
        self.without_text.iter().for_each(|page| put_number(&mut out, *page));
        out
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut decoder = Decoder::new(bytes);
        let title = decoder.text()?.to_owned();
        let language = Stemmer::of(decoder.text()?).code();
        let mut outline = Vec::new();
        for _ in 0..usize::try_from(decoder.number()?).ok().filter(|count| *count <= MAX_TITLES)? {
            outline.push((decoder.number()?, decoder.number()?, decoder.text()?.to_owned()));
        }
        let mut without_text = Vec::new();
        while !decoder.is_at_end() {
            without_text.push(decoder.number()?);
        }
        Some(Self { title, language, outline, without_text })
    }

    /// The titles of the section that a page is in, from the outermost on.
    #[must_use]
    pub fn section(&self, page: u32) -> Vec<String> {
        let mut path: Vec<(u32, &str)> = Vec::new();
        for (begins, depth, title) in &self.outline {
            if *begins <= page {
                path.retain(|(level, _)| level < depth);
                path.push((*depth, title));
            }
        }
        path.into_iter().take(MAX_LEVELS).map(|(_, title)| title.to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_read_as_written_and_name_the_section_of_a_page() {
        let title = |page, depth, title: &str| (page, depth, title.to_owned());
        let outline = vec![title(0, 0, "One"), title(1, 1, "First"), title(4, 0, "Two"), title(9, 1, "Second")];
        let details =
            DocumentDetails { title: "Report".to_owned(), language: "eng", outline, without_text: vec![2, 300] };
        assert_eq!(DocumentDetails::decode(&details.encode()), Some(details.clone()));
        assert_eq!(details.section(3), ["One", "First"]);
        assert_eq!(details.section(5), ["Two"]);
        assert_eq!(DocumentDetails::decode(&[200, 1]), None);
    }
}
