//! XMP metadata of a document (ISO 32000-2, 14.3.2; ISO 16684-1).

use roxmltree::{Document as Xml, Node, ParsingOptions};

use super::info::DocumentInfo;
use crate::ParsedDocument;
use crate::error::DocumentError;
use crate::syntax::{date, text_string};

/// Maximum size of a stream that is read. Real ones have some kilobytes, padding included.
const MAX_XMP_BYTES: usize = 1 << 20;

/// Maximum number of XML nodes.
const MAX_XMP_NODES: u32 = 50_000;

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const DUBLIN_CORE: &str = "http://purl.org/dc/elements/1.1/";
const PDF: &str = "http://ns.adobe.com/pdf/1.3/";
const XMP: &str = "http://ns.adobe.com/xap/1.0/";
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// The facts in the stream `/Metadata` of the catalog. A stream that is too large or not XML has none.
pub(super) fn read(parsed: &ParsedDocument) -> Result<DocumentInfo, DocumentError> {
    let Some(metadata) = parsed.catalog.get(b"Metadata") else { return Ok(DocumentInfo::default()) };
    let bytes = parsed.objects.stream_bytes(metadata)?;
    if bytes.len() > MAX_XMP_BYTES {
        return Ok(DocumentInfo::default());
    }
    let text = text_string::decode_whole(&bytes);
    let options = ParsingOptions { nodes_limit: MAX_XMP_NODES, ..ParsingOptions::default() };
    let Ok(xml) = Xml::parse_with_options(text.trim(), options) else { return Ok(DocumentInfo::default()) };
    let property = |namespace: &str, name: &str| property(&xml, namespace, name);
    let date = |name: &str| property(XMP, name).as_deref().and_then(date::date);
    Ok(DocumentInfo {
        title: property(DUBLIN_CORE, "title"),
        author: property(DUBLIN_CORE, "creator"),
        subject: property(DUBLIN_CORE, "description"),
        keywords: property(PDF, "Keywords").or_else(|| property(DUBLIN_CORE, "subject")),
        creator: property(XMP, "CreatorTool"),
        producer: property(PDF, "Producer"),
        created: date("CreateDate"),
        modified: date("ModifyDate"),
        ..DocumentInfo::default()
    })
}

/// The value of a property: an attribute or an element of a description. Items of a list are joined by commas; of
/// languages, the default is taken.
fn property(xml: &Xml<'_>, namespace: &str, name: &str) -> Option<String> {
    let mut descriptions = xml.descendants().filter(|node| node.has_tag_name((RDF, "Description")));
    let value = descriptions.find_map(|description| {
        let attribute = description.attribute((namespace, name)).map(str::to_owned);
        attribute.or_else(|| description.children().find(|child| child.has_tag_name((namespace, name))).map(text))
    })?;
    Some(text_string::one_line(&value)).filter(|value| !value.is_empty())
}

fn text(element: Node<'_, '_>) -> String {
    let content = |node: Node<'_, '_>| node.text().unwrap_or_default().trim().to_owned();
    let items = element.descendants().filter(|node| node.has_tag_name((RDF, "li"))).collect::<Vec<_>>();
    let is_default = |item: &&Node<'_, '_>| item.attribute((XML, "lang")) == Some("x-default");
    match (items.as_slice(), items.iter().find(is_default)) {
        ([], _) => content(element),
        (_, Some(default)) => content(*default),
        (items, None) if element.children().any(|list| list.has_tag_name((RDF, "Alt"))) => {
            items.first().copied().map(content).unwrap_or_default()
        }
        (items, None) => items.iter().copied().map(content).collect::<Vec<_>>().join(", "),
    }
}
