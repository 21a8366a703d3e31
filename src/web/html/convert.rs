//! Finds the article of a page, or takes the whole page.

use dom_query::Document;
use dom_smoothie::{Config, Readability, TextMode};

use super::{ReadablePage, tree};

/// The deepest nesting of elements. Browsers stop at 512, and real pages have about 40.
const MAX_DEPTH: usize = 400;

/// The most elements of a page in which an article is searched.
const MAX_ELEMENTS: usize = 200_000;

/// The least share of the page's text in an article, in percent. Below it, the page is a list, a discussion or a form, of
/// which the article is only one piece.
const MIN_ARTICLE_PERCENT: usize = 50;

/// Converts a page into Markdown. `base` is its URL.
#[must_use]
pub fn convert_page(html: &str, base: &str) -> ReadablePage {
    let page = Document::from(html);
    if tree::is_nested_deeper(&page, MAX_DEPTH) {
        let notes = vec![format!("The page nests more than {MAX_DEPTH} elements; its text comes without form.")];
        return ReadablePage { title: None, markdown: page.text().to_string(), notes };
    }
    let title = Some(tree::collapse_spaces(&page.select("title").text())).filter(|title| !title.is_empty());
    tree::prepare(&page, base);
    let whole = tree::visible_length(&page);
    let article = extract_article(&page, base).filter(|article| {
        article.length.saturating_mul(100) >= whole.saturating_mul(MIN_ARTICLE_PERCENT) && article.length > 0
    });
    match article {
        Some(Article { title: of_article, markdown, length }) => {
            let notes = (whole > length).then(|| omission_note(length, whole)).into_iter().collect();
            let title = of_article.or(title);
            ReadablePage { markdown: with_title(title.as_deref(), &markdown), title, notes }
        }
        None => ReadablePage { markdown: tree::convert_whole(&page), title, notes: Vec::new() },
    }
}

fn omission_note(length: usize, whole: usize) -> String {
    format!(
        "This is the article of the page, {length} of {whole} characters of its text; what stands around it is left out."
    )
}

/// Adds the title as a heading, which an article omits.
fn with_title(title: Option<&str>, markdown: &str) -> String {
    match title.filter(|_| !markdown.trim_start().starts_with("# ")) {
        Some(title) => format!("# {title}\n\n{markdown}"),
        None => markdown.to_owned(),
    }
}

struct Article {
    title: Option<String>,
    markdown: String,
    /// The number of visible characters.
    length: usize,
}

fn extract_article(page: &Document, base: &str) -> Option<Article> {
    let config = Config { text_mode: TextMode::Markdown, max_elements_to_parse: MAX_ELEMENTS, ..Config::default() };
    let mut reader = Readability::with_document(page.clone(), Some(base), Some(config)).ok()?;
    let article = reader.parse().ok()?;
    let length = tree::visible_length(&Document::from(&*article.content));
    let title = Some(tree::collapse_spaces(&article.title)).filter(|title| !title.is_empty());
    Some(Article { title, markdown: article.text_content.to_string(), length })
}
