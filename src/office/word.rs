//! What the reader does not tell of a text in WordprocessingML: comments, tracked changes, hidden text, headers and footers.

use std::collections::BTreeMap;
use std::io::Result;

use quick_xml::events::{BytesEnd, BytesStart, Event};

use crate::archive::Archive;
use crate::prepare::{Changes, HIDDEN, MarkedCopies, SHOWN, comment};
use crate::xml::{Pass, XmlCopy, attribute, escaped, local, named, read_tree, rewrite, text_in, value, write_raw};

/// The entries with text, changed.
pub(crate) fn prepare(
    archive: &mut Archive<'_>,
    prepared: &mut MarkedCopies,
    changes: &mut Changes,
) -> BTreeMap<String, Vec<u8>> {
    let comments = read_tree(archive.text("word/comments.xml"), |tree| {
        let each = |node| {
            let text = comment(value(node, "author").unwrap_or_default(), &text_in(node, &["t"]));
            Some((value(node, "id")?.to_owned(), text))
        };
        named(tree, "comment").filter_map(each).collect::<BTreeMap<_, _>>()
    });
    let mut changed = BTreeMap::new();
    for name in archive.names() {
        let Some(part) = name.strip_prefix("word/").filter(|part| part.ends_with(".xml") && !part.contains('/')) else {
            continue;
        };
        if part.starts_with("header") || part.starts_with("footer") {
            let text = read_tree(archive.text(&name), |tree| text_in(tree.root(), &["p"]));
            prepared.running.extend((!text.is_empty()).then_some(text));
        } else if ["document", "footnotes", "endnotes"].iter().any(|text| part.starts_with(text)) {
            let mut pass = WordPass { comments: &comments, changes, in_run: false, is_hidden: false, properties: 0 };
            changed.extend(archive.text(&name).and_then(|xml| Some((name, rewrite(&xml, &mut pass)?))));
        }
    }
    changed
}

struct WordPass<'p> {
    comments: &'p BTreeMap<String, String>,
    changes: &'p mut Changes,
    in_run: bool,
    /// Whether the run is hidden.
    is_hidden: bool,
    /// Depth of elements with properties, where `ins` and `del` mark no text.
    properties: u32,
}

/// What encloses the text of a tracked change.
fn brackets(change: &str) -> Option<(&'static str, &'static str)> {
    match change {
        "ins" | "moveTo" => Some(("{++", "++}")),
        "del" | "moveFrom" => Some(("{--", "--}")),
        _ => None,
    }
}

/// The name of an element with this local name and the prefix of another.
fn beside(element: &[u8], local: &str) -> String {
    let name = String::from_utf8_lossy(element);
    name.split_once(':').map_or_else(|| local.to_owned(), |(prefix, _)| format!("{prefix}:{local}"))
}

fn text_element(sibling: &[u8], text: &str) -> String {
    let name = beside(sibling, "t");
    format!("<{name} xml:space=\"preserve\">{}</{name}>", escaped(text))
}

fn run(sibling: &[u8], text: &str) -> String {
    let name = beside(sibling, "r");
    format!("<{name}>{}</{name}>", text_element(sibling, text))
}

impl WordPass<'_> {
    fn start(&mut self, element: BytesStart<'_>, copy: &mut XmlCopy) -> Result<()> {
        let name = local(&element);
        let sibling = element.name().as_ref().to_vec();
        if let Some((open, _)) = brackets(&name).filter(|_| self.properties == 0) {
            self.changes.add(attribute(&element, "author"));
            copy.write_event(Event::Start(BytesStart::new(beside(&sibling, "ins"))))?;
            return write_raw(copy, &run(&sibling, open));
        }
        match name.as_str() {
            "r" => (self.in_run, self.is_hidden) = (true, false),
            "vanish" => self.hide(&element),
            "delText" => return copy.write_event(Event::Start(BytesStart::new(beside(&sibling, "t")))),
            name if name.ends_with("Pr") => self.properties = self.properties.saturating_add(1),
            _ => {}
        }
        let opens = name == "t" && self.in_run && self.is_hidden;
        copy.write_event(Event::Start(element))?;
        if opens { write_raw(copy, &HIDDEN.to_string()) } else { Ok(()) }
    }

    fn end(&mut self, element: BytesEnd<'_>, copy: &mut XmlCopy) -> Result<()> {
        let name = String::from_utf8_lossy(element.local_name().as_ref()).into_owned();
        let sibling = element.name().as_ref().to_vec();
        if let Some((_, close)) = brackets(&name).filter(|_| self.properties == 0) {
            write_raw(copy, &run(&sibling, close))?;
            return copy.write_event(Event::End(BytesEnd::new(beside(&sibling, "ins"))));
        }
        match name.as_str() {
            "r" => self.in_run = false,
            "delText" => return copy.write_event(Event::End(BytesEnd::new(beside(&sibling, "t")))),
            "t" if self.in_run && self.is_hidden => write_raw(copy, &SHOWN.to_string())?,
            name if name.ends_with("Pr") => self.properties = self.properties.saturating_sub(1),
            _ => {}
        }
        copy.write_event(Event::End(element))
    }

    fn empty(&mut self, element: BytesStart<'_>, copy: &mut XmlCopy) -> Result<()> {
        match local(&element).as_str() {
            "vanish" => self.hide(&element),
            "commentReference" => {
                let text = attribute(&element, "id").and_then(|id| self.comments.get(&id));
                return text.map_or(Ok(()), |text| write_raw(copy, &text_element(element.name().as_ref(), text)));
            }
            _ => {}
        }
        copy.write_event(Event::Empty(element))
    }

    /// Only a run is hidden: the mark of a paragraph has no text.
    fn hide(&mut self, element: &BytesStart<'_>) {
        let is_off = attribute(element, "val").is_some_and(|value| matches!(value.as_str(), "0" | "false" | "off"));
        self.is_hidden |= self.in_run && !is_off;
    }
}

impl Pass for WordPass<'_> {
    fn event(&mut self, event: Event<'_>, copy: &mut XmlCopy) -> Result<()> {
        match event {
            Event::Start(element) => self.start(element, copy),
            Event::End(element) => self.end(element, copy),
            Event::Empty(element) => self.empty(element, copy),
            event => copy.write_event(event),
        }
    }
}
