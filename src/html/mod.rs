//! Web pages → readable Markdown, and bytes → text by the charset that they are in.
//!
//! Four crates were tried on the ten pages of `fixtures/web` (news, manual, encyclopaedia, forum, questions, list,
//! product, tables as layout, Shift_JIS, an empty shell), with 55 phrases that a reader wants and 20 that are
//! navigation, advertisements and the like, both looked for as they stand. dom_smoothie, which finds the article as
//! browsers' reading views do, missed 9 of the 55 and kept none of the 20; htmd missed 6 and kept 9, fast_html2md 9 and
//! 9, html-to-markdown-rs 4 and 11: these three convert the whole page, and leave links relative. fast_html2md also lost
//! the line breaks of code. So the article is dom_smoothie's, but only where it is the larger part
//! of the page; else the whole page is given, by the converter of the same tree, dom_query. What was left out is
//! said.
//!
//! The parser behind them bounds neither depth nor time: a megabyte of unclosed tags can ask for gigabytes. So this is
//! for a worker, like the readers of PDFs. Depth is looked at before anything recursive is called.

mod charset;
mod tree;

use dom_query::Document;
use dom_smoothie::{Config, Readability, TextMode};

pub use charset::decoded;

/// A web page, made readable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Readable {
    /// The page's title.
    pub title: Option<String>,
    /// Its text as Markdown, with links made absolute.
    pub markdown: String,
    /// What was left out, one sentence each.
    pub notes: Vec<String>,
}

/// Elements within elements. 400: browsers stop at 512, real pages have about 40.
const MAX_DEPTH: usize = 400;

/// Elements of a page in which an article is looked for.
const MAX_ELEMENTS: usize = 200_000;

/// The share of a page's text that an article has to be, in percent. Below it the page is a list, a discussion or a
/// form, and one piece of it was taken for the whole.
const LEAST_SHARE: usize = 50;

/// Makes a page readable that lies at `base`.
#[must_use]
pub fn readable(html: &str, base: &str) -> Readable {
    let page = Document::from(html);
    if tree::is_deeper(&page, MAX_DEPTH) {
        let notes = vec![format!("The page nests more than {MAX_DEPTH} elements; its text comes without form.")];
        return Readable { title: None, markdown: page.text().to_string(), notes };
    }
    let title = Some(tree::clean(&page.select("title").text())).filter(|title| !title.is_empty());
    tree::prepare(&page, base);
    let whole = tree::visible_length(&page);
    let article = article(&page, base).filter(|article| {
        article.length.saturating_mul(100) >= whole.saturating_mul(LEAST_SHARE) && article.length > 0
    });
    match article {
        Some(Article { title: of_article, markdown, length }) => {
            let notes = (whole > length).then(|| left_out(length, whole)).into_iter().collect();
            let title = of_article.or(title);
            Readable { markdown: under_title(title.as_deref(), &markdown), title, notes }
        }
        None => Readable { markdown: tree::whole_page(&page), title, notes: Vec::new() },
    }
}

fn left_out(length: usize, whole: usize) -> String {
    format!(
        "This is the article of the page, {length} of {whole} characters of its text; what stands around it is left out."
    )
}

/// An article takes its heading for the page's title, and leaves it out.
fn under_title(title: Option<&str>, markdown: &str) -> String {
    match title.filter(|_| !markdown.trim_start().starts_with("# ")) {
        Some(title) => format!("# {title}\n\n{markdown}"),
        None => markdown.to_owned(),
    }
}

struct Article {
    title: Option<String>,
    markdown: String,
    /// Characters that are seen.
    length: usize,
}

fn article(page: &Document, base: &str) -> Option<Article> {
    let config = Config { text_mode: TextMode::Markdown, max_elements_to_parse: MAX_ELEMENTS, ..Config::default() };
    let mut reader = Readability::with_document(page.clone(), Some(base), Some(config)).ok()?;
    let article = reader.parse().ok()?;
    let length = tree::visible_length(&Document::from(&*article.content));
    let title = Some(tree::clean(&article.title)).filter(|title| !title.is_empty());
    Some(Article { title, markdown: article.text_content.to_string(), length })
}
