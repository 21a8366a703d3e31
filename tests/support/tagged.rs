//! Tagged PDFs made by hand.

use super::pdf::{file_of, stream_of};

/// An element of a structure tree.
#[derive(Clone)]
pub(crate) struct Element {
    kind: &'static str,
    entries: &'static str,
    kids: Vec<Element>,
    /// The page and the identifier of its content.
    content: Vec<(usize, usize)>,
}

/// An element with kids.
pub(crate) fn group(kind: &'static str, kids: Vec<Element>) -> Element {
    Element { kind, entries: "", kids, content: Vec::new() }
}

/// An element with the content of this identifier on the first page.
pub(crate) fn leaf(kind: &'static str, content: usize) -> Element {
    Element { content: vec![(0, content)], ..group(kind, Vec::new()) }
}

impl Element {
    /// With entries of its dictionary.
    pub(crate) fn with(self, entries: &'static str) -> Self {
        Self { entries, ..self }
    }

    /// With content on further pages.
    pub(crate) fn and(mut self, page: usize, content: usize) -> Self {
        self.content.push((page, content));
        self
    }
}

/// The identifier of content or the tag of marked content; its place and its size; and its text. A size of 0 draws a box.
pub(crate) struct TaggedLine(pub(crate) &'static str, pub(crate) [u32; 3], pub(crate) &'static str);

/// A file with these pages. `tree` is below the root of the structure tree, which has these entries.
pub(crate) fn tagged_pdf(pages: &[&[TaggedLine]], tree: Option<&Element>, root_entries: &str) -> Vec<u8> {
    let first_element = 5 + 2 * pages.len();
    let page_number = |page: usize| 4 + 2 * page;
    let mut writer = TreeWriter {
        next: first_element,
        objects: Vec::new(),
        owners: vec![Vec::new(); pages.len()],
        pages: page_number(0),
    };
    if let Some(tree) = tree {
        writer.write(tree, 3);
    }
    let owners = |owners: &[(usize, usize)]| {
        let count = owners.iter().map(|(id, _)| id + 1).max().unwrap_or(0);
        let owner = |id: usize| {
            owners.iter().find(|(own, _)| *own == id).map_or("null ".to_owned(), |(_, number)| format!("{number} 0 R "))
        };
        (0..count).map(owner).collect::<String>()
    };
    let parents =
        writer.owners.iter().enumerate().map(|(page, own)| format!("{page} [{}] ", owners(own))).collect::<String>();
    let kids = (0..pages.len()).map(|page| format!("{} 0 R ", page_number(page))).collect::<String>();
    let tree_entry = if tree.is_some() { "/StructTreeRoot 3 0 R /MarkInfo << /Marked true >>" } else { "" };
    let mut objects = vec![
        format!("<< /Type /Catalog /Pages 2 0 R {tree_entry} >>").into_bytes(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len()).into_bytes(),
        format!(
            "<< /Type /StructTreeRoot /K {first_element} 0 R /ParentTree << /Nums [{parents}] >> {root_entries} >>"
        )
        .into_bytes(),
    ];
    for (page, lines) in pages.iter().enumerate() {
        let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
        objects.push(
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 600] /StructParents {page} /Contents {} 0 R \
                 /Resources << /Font << /F {font} >> >> >>",
                page_number(page) + 1
            )
            .into_bytes(),
        );
        objects.push(stream_of("", lines.iter().map(content).collect::<String>().as_bytes()));
    }
    // Nothing refers to this one: it keeps the numbers even.
    objects.push(b"null".to_vec());
    objects.extend(writer.objects.into_iter().map(String::into_bytes));
    file_of(&objects)
}

fn content(TaggedLine(mark, [x, y, size], text): &TaggedLine) -> String {
    let begin = match mark.parse::<usize>() {
        Ok(id) => format!("/P << /MCID {id} >> BDC"),
        Err(_) if mark.is_empty() => "/Other BMC".to_owned(),
        Err(_) => format!("/{mark} BMC"),
    };
    match size {
        0 => format!("{begin} {x} {y} 90 60 re f EMC\n"),
        _ => format!("{begin} BT /F {size} Tf {x} {y} Td ({text}) Tj ET EMC\n"),
    }
}

struct TreeWriter {
    next: usize,
    objects: Vec<String>,
    /// For each page the identifiers and the elements of its content.
    owners: Vec<Vec<(usize, usize)>>,
    pages: usize,
}

impl TreeWriter {
    /// Writes an element below another one. Returns its number.
    fn write(&mut self, element: &Element, parent: usize) -> usize {
        let number = self.next;
        self.next += 1;
        let at = self.objects.len();
        self.objects.push(String::new());
        let mut kids = String::new();
        for (page, id) in &element.content {
            kids.push_str(&format!("<< /Type /MCR /Pg {} 0 R /MCID {id} >> ", self.pages + 2 * page));
            self.owners[*page].push((*id, number));
        }
        for kid in &element.kids {
            kids.push_str(&format!("{} 0 R ", self.write(kid, number)));
        }
        let (kind, entries) = (element.kind, element.entries);
        self.objects[at] = format!("<< /Type /StructElem /S /{kind} /P {parent} 0 R /K [{kids}] {entries} >>");
        number
    }
}
