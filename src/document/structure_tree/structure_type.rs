//! Standard structure types (ISO 32000-2, 14.8.4; ISO 32000-1, 14.8.4), and the role map (14.7.3).

use crate::object::Dictionary;

/// The most types that lead to each other in a role map.
const MAX_ROLE_HOPS: usize = 8;

/// What an element is, as far as readers of text care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructureType {
    /// A group without meaning of its own: `Document`, `Part`, `Div`, `TOC` and others.
    Group,
    /// `Sect`, which counts for the level of `H`.
    Section,
    /// `H1` and further ones with their level, and `Title` with level 1.
    Heading(u8),
    /// `H`, whose level is that of its section.
    SectionHeading,
    /// `P`.
    Paragraph,
    /// `L`.
    List,
    /// `LI`.
    ListItem,
    /// `Lbl`.
    Label,
    /// `Table`.
    Table,
    /// `THead`.
    TableHead,
    /// `TR`.
    TableRow,
    /// `TH`.
    HeaderCell,
    /// `TD`.
    DataCell,
    /// `Caption`.
    Caption,
    /// `BlockQuote`.
    BlockQuote,
    /// `Note` and `FENote`.
    Note,
    /// `Code`.
    Code,
    /// `TOCI`.
    ContentsItem,
    /// `Figure`.
    Figure,
    /// `Artifact`.
    Artifact,
    /// Part of a line, or of a type that is not known.
    Inline,
}

impl StructureType {
    /// The type that a name means, by the role map `roles` if it is no standard type.
    pub(super) fn of(name: &[u8], roles: &Dictionary) -> Self {
        let mut name = name;
        for _ in 0..MAX_ROLE_HOPS {
            if let Some(found) = Self::standard(name) {
                return found;
            }
            match roles.get(name).and_then(|role| role.as_name()) {
                Some(role) => name = role,
                None => break,
            }
        }
        Self::Inline
    }

    fn standard(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"Document" | b"DocumentFragment" | b"Part" | b"Art" | b"Div" | b"Aside" | b"NonStruct" | b"Private"
            | b"TOC" | b"Index" | b"LBody" | b"TBody" | b"TFoot" => Self::Group,
            b"Sect" => Self::Section,
            b"Title" => Self::Heading(1),
            b"H" => Self::SectionHeading,
            b"P" => Self::Paragraph,
            b"L" => Self::List,
            b"LI" => Self::ListItem,
            b"Lbl" => Self::Label,
            b"Table" => Self::Table,
            b"THead" => Self::TableHead,
            b"TR" => Self::TableRow,
            b"TH" => Self::HeaderCell,
            b"TD" => Self::DataCell,
            b"Caption" => Self::Caption,
            b"BlockQuote" => Self::BlockQuote,
            b"Note" | b"FENote" => Self::Note,
            b"Code" => Self::Code,
            b"TOCI" => Self::ContentsItem,
            b"Figure" => Self::Figure,
            b"Artifact" => Self::Artifact,
            b"Span" | b"Quote" | b"Reference" | b"BibEntry" | b"Link" | b"Annot" | b"Em" | b"Strong" | b"Sub"
            | b"Ruby" | b"RB" | b"RT" | b"RP" | b"Warichu" | b"WT" | b"WP" | b"Form" | b"Formula" => Self::Inline,
            _ => Self::Heading(heading_level(name)?),
        })
    }
}

/// The level of `H1` to `H99`.
fn heading_level(name: &[u8]) -> Option<u8> {
    let digits = name.strip_prefix(b"H").filter(|digits| (1..=2).contains(&digits.len()))?;
    let level = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (level > 0 && digits.iter().all(u8::is_ascii_digit)).then_some(level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{Name, Object};

    #[test]
    fn names_mean_standard_types_directly_or_by_the_role_map() {
        let role = |from: &[u8], to: &[u8]| (Name::new(from), Object::name(to));
        let roles =
            [role(b"Head", b"Style"), role(b"Style", b"H2"), role(b"P", b"H1"), role(b"A", b"B"), role(b"B", b"A")];
        let roles = Dictionary::from_entries(roles.to_vec());
        let of = |name: &[u8]| StructureType::of(name, &roles);
        assert_eq!(of(b"Head"), StructureType::Heading(2));
        assert_eq!(of(b"P"), StructureType::Paragraph);
        assert_eq!([of(b"A"), of(b"Unknown"), of(b"H0"), of(b"H+1")], [StructureType::Inline; 4]);
        assert_eq!(of(b"H12"), StructureType::Heading(12));
    }
}
