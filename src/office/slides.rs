//! What the reader does not tell of slides in PresentationML: where each begins, whether it is shown, and its comments.

use std::collections::BTreeMap;
use std::io::Result;

use quick_xml::events::Event;

use crate::archive::Archive;
use crate::prepare::{HIDDEN_SLIDE, MarkedCopies, SLIDE, comment};
use crate::xml::{Pass, XmlCopy, attribute, escaped, local, named, read_tree, rewrite, text_in, value, write_raw};

/// The slides, changed.
pub(crate) fn prepare(archive: &mut Archive<'_>, prepared: &mut MarkedCopies) -> BTreeMap<String, Vec<u8>> {
    let authors = authors(archive);
    let mut changed = BTreeMap::new();
    for name in archive.names() {
        if !name.strip_prefix("ppt/slides/").is_some_and(|file| file.ends_with(".xml") && !file.contains('/')) {
            continue;
        }
        let comments = archive.related(&name, "comment");
        let comments = comments.into_iter().flat_map(|part| comments_in(archive.text(&part), &authors)).collect();
        let mut pass = SlidePass { comments, mark: SLIDE };
        let Some(xml) = archive.text(&name) else { continue };
        changed.extend(rewrite(&xml, &mut pass).map(|slide| (name, slide)));
        prepared.running.extend(read_tree(Some(xml), running_texts));
    }
    changed
}

/// The texts of the places for a header, a footer and a date.
fn running_texts(slide: &roxmltree::Document<'_>) -> Vec<String> {
    let is_place = |kind: Option<&str>| matches!(kind, Some("ftr" | "hdr" | "dt"));
    let is_running = |shape: &roxmltree::Node<'_, '_>| {
        shape.descendants().any(|node| node.tag_name().name() == "ph" && is_place(value(node, "type")))
    };
    let texts = named(slide, "sp").filter(is_running).map(|shape| text_in(shape, &["p"]));
    texts.filter(|text| !text.is_empty()).collect()
}

/// The authors of comments by their number.
fn authors(archive: &mut Archive<'_>) -> BTreeMap<String, String> {
    let mut authors = BTreeMap::new();
    for (part, element) in [("ppt/commentAuthors.xml", "cmAuthor"), ("ppt/authors.xml", "author")] {
        authors.extend(read_tree(archive.text(part), |tree| {
            let each = |node| Some((value(node, "id")?.to_owned(), value(node, "name")?.to_owned()));
            named(tree, element).filter_map(each).collect::<Vec<_>>()
        }));
    }
    authors
}

fn comments_in(xml: Option<String>, authors: &BTreeMap<String, String>) -> Vec<String> {
    read_tree(xml, |tree| {
        let each = |node| {
            let author = value(node, "authorId").and_then(|id| authors.get(id)).map_or("", String::as_str);
            comment(author, &text_in(node, &["text", "t"]))
        };
        named(tree, "cm").map(each).collect()
    })
}

struct SlidePass {
    comments: Vec<String>,
    mark: char,
}

impl Pass for SlidePass {
    fn event(&mut self, event: Event<'_>, copy: &mut XmlCopy) -> Result<()> {
        match &event {
            Event::Start(element) if local(element) == "sld" => {
                let is_hidden = attribute(element, "show").is_some_and(|show| show == "0" || show == "false");
                self.mark = if is_hidden { HIDDEN_SLIDE } else { SLIDE };
            }
            Event::Start(element) if local(element) == "spTree" => {
                copy.write_event(event)?;
                return write_raw(copy, &shape(&self.mark.to_string()));
            }
            Event::End(element) if element.local_name().as_ref() == b"spTree" => {
                self.comments.iter().try_for_each(|text| write_raw(copy, &shape(text)))?;
            }
            _ => {}
        }
        copy.write_event(event)
    }
}

/// A shape with a text.
fn shape(text: &str) -> String {
    format!(
        "<p:sp xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" \
         xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><p:nvSpPr><p:cNvPr id=\"0\" name=\"\"/>\
         <p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:txBody>\
         </p:sp>",
        escaped(text)
    )
}
