//! What a file says of itself: title, author, dates.

use crate::archive::Archive;
use crate::xml::{one_line, read_tree};

/// What a file says of itself: untrusted text on one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Properties {
    /// The title.
    pub title: Option<String>,
    /// The author.
    pub author: Option<String>,
    /// The subject.
    pub subject: Option<String>,
    /// Keywords.
    pub keywords: Option<String>,
    /// The program that wrote it.
    pub program: Option<String>,
    /// When it was created, as it says.
    pub created: Option<String>,
    /// When it was changed, as it says.
    pub modified: Option<String>,
}

impl Properties {
    pub(crate) fn of(archive: &mut Archive<'_>) -> Self {
        let is_package = |name: &String| name.ends_with(".opf");
        let package = archive.names().into_iter().find(is_package).unwrap_or_default();
        let mut found = Self::default();
        for part in ["docProps/core.xml", "docProps/app.xml", "meta.xml", &package] {
            read_tree(archive.text(part), |tree| found.add(tree));
        }
        found
    }

    fn add(&mut self, tree: &roxmltree::Document<'_>) {
        for node in tree.descendants().filter(roxmltree::Node::is_element) {
            let property = match node.tag_name().name() {
                "title" => &mut self.title,
                "creator" | "initial-creator" => &mut self.author,
                "subject" | "description" => &mut self.subject,
                "keywords" | "keyword" => &mut self.keywords,
                "Application" | "generator" => &mut self.program,
                "created" | "creation-date" => &mut self.created,
                // The date of a book is that of its publication.
                "date" | "modified" => &mut self.modified,
                _ => continue,
            };
            let text = one_line(node.text().unwrap_or_default());
            if property.is_none() && !text.is_empty() {
                *property = Some(text);
            }
        }
    }
}
