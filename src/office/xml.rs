//! Reading and changing XML.

use std::io::Write;

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, Writer};
use roxmltree::{Document, Node, ParsingOptions};

/// Maximum nodes of a tree that is read beside the text.
const MAX_NODES: u32 = 2_000_000;

/// The copy that is written.
pub(crate) type XmlCopy = Writer<Vec<u8>>;

/// A pass over the events of an XML file, which copies them or writes others.
pub(crate) trait Pass {
    /// Writes what stands for an event.
    fn event(&mut self, event: Event<'_>, copy: &mut XmlCopy) -> std::io::Result<()>;
}

/// The file as `pass` changes it; `None` if it is not well-formed.
pub(crate) fn rewrite(xml: &str, pass: &mut impl Pass) -> Option<Vec<u8>> {
    let mut reader = Reader::from_str(xml);
    let mut copy = Writer::new(Vec::with_capacity(xml.len()));
    loop {
        match reader.read_event().ok()? {
            Event::Eof => return Some(copy.into_inner()),
            event => pass.event(event, &mut copy).ok()?,
        }
    }
}

/// The name of an element without its prefix.
pub(crate) fn local(element: &BytesStart<'_>) -> String {
    String::from_utf8_lossy(element.local_name().as_ref()).into_owned()
}

/// The value of the attribute with this local name.
pub(crate) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == name.as_bytes());
    let text = std::str::from_utf8(&found?.value).ok()?.to_owned();
    Some(quick_xml::escape::unescape(&text).map_or(text.clone(), std::borrow::Cow::into_owned))
}

/// The element without the attributes of these local names.
pub(crate) fn without(element: &BytesStart<'_>, names: &[&str]) -> BytesStart<'static> {
    let mut copy = BytesStart::new(String::from_utf8_lossy(element.name().as_ref()).into_owned());
    let is_kept = |key: &[u8]| !names.iter().any(|name| name.as_bytes() == key);
    copy.extend_attributes(
        element.attributes().flatten().filter(|attribute| is_kept(attribute.key.local_name().as_ref())),
    );
    copy
}

/// Appends the text of an event.
pub(crate) fn push_text(event: &Event<'_>, text: &mut String) {
    match event {
        Event::Text(content) => text.push_str(&content.decode().unwrap_or_default()),
        Event::CData(content) => text.push_str(&content.decode().unwrap_or_default()),
        Event::GeneralRef(reference) => text.extend(referenced(reference)),
        _ => {}
    }
}

fn referenced(reference: &BytesRef<'_>) -> Option<char> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Some(character);
    }
    Some(match &**reference {
        b"lt" => '<',
        b"gt" => '>',
        b"amp" => '&',
        b"quot" => '"',
        b"apos" => '\'',
        _ => return None,
    })
}

/// Writes XML as it is.
pub(crate) fn write_raw(copy: &mut XmlCopy, xml: &str) -> std::io::Result<()> {
    copy.get_mut().write_all(xml.as_bytes())
}

/// A text as XML.
pub(crate) fn escaped(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}

/// What `read` finds in a file; nothing if it is not well-formed. A document type, and so any entity, is refused.
pub(crate) fn read_tree<T: Default>(xml: Option<String>, read: impl FnOnce(&Document<'_>) -> T) -> T {
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let xml = xml.unwrap_or_default();
    Document::parse_with_options(&xml, options).map_or_else(|_| T::default(), |document| read(&document))
}

/// The elements of this local name.
pub(crate) fn named<'a, 'input: 'a>(
    document: &'a Document<'input>,
    name: &'a str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    document.descendants().filter(move |node| node.tag_name().name() == name)
}

/// The value of a node's attribute of this local name.
pub(crate) fn value<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.attributes().find(|attribute| attribute.name() == name).map(|attribute| attribute.value())
}

/// The texts in the elements of these names under a node, on one line.
pub(crate) fn text_in(node: Node<'_, '_>, names: &[&str]) -> String {
    let texts = node.descendants().filter(|node| names.contains(&node.tag_name().name()));
    let texts =
        texts.map(|node| node.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect::<String>());
    one_line(&texts.collect::<Vec<_>>().join(" "))
}

/// A text on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
