//! Documents that were read, ready to be written.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::stored_page::StoredPage;
use super::{DocumentRecord, FileRecord, IndexError};
use crate::analysis::{PageWords, RunningLines, Stemmer, mark_lines, without_marks};
use pagewise_base::hash::ContentHash;
use pagewise_text::lists_pages;

/// Bytes of a document that its language is judged by.
const SAMPLE_BYTES: usize = 8000;

/// Bytes of a title that are kept.
const MAX_TITLE_BYTES: usize = 300;

/// Levels of a section path.
const MAX_LEVELS: usize = 16;

/// Titles that begin on one page and are kept.
const MAX_PAGE_TITLES: usize = 64;

/// A document as it is indexed.
#[derive(Debug, Clone, Default)]
pub struct DocumentText {
    /// `/Title`, if it has one.
    pub title: Option<String>,
    /// The date that it gives, as a number like 20240301.
    pub date: Option<u32>,
    /// The outline in its order.
    pub outline: Vec<OutlineTitle>,
    /// The pages in order, from the first on.
    pub pages: Vec<PageTextToIndex>,
    /// Pages after these, which were not read since the document has too much text.
    pub unread_pages: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageTextToIndex {
    /// The printed label, if it differs from the number.
    pub label: Option<String>,
    /// Its text; `None` if it has none that can be used.
    pub text: Option<String>,
    /// Whether the text was recognised from its picture.
    pub is_recognised: bool,
    /// Whether it can still be recognised.
    pub is_left: bool,
}

impl From<StoredPage> for PageTextToIndex {
    fn from(StoredPage { label, text, is_recognised, is_without_text, is_left, .. }: StoredPage) -> Self {
        let label = Some(label).filter(|label| !label.is_empty());
        let text = (!is_without_text).then(|| without_marks(&text));
        Self { label, text, is_recognised, is_left }
    }
}

/// An entry of an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineTitle {
    /// The page that the section begins on, from 0.
    pub page: u32,
    /// The level, from 0.
    pub depth: u32,
    pub title: String,
}

/// A document that is ready to be written.
struct ReadyDocument {
    content: ContentHash,
    record: DocumentRecord,
    title: String,
    /// For each page, its keys and its text.
    pages: Vec<(String, Vec<u8>)>,
    /// The number of words of each page, two bytes each.
    lengths: Vec<u8>,
}

/// Documents that were read, to be added to an index.
#[derive(Default)]
pub struct IndexBatch {
    documents: Vec<ReadyDocument>,
    files: Vec<(String, FileRecord)>,
    bytes: usize,
}

impl IndexBatch {
    /// Bytes of keys and texts of a batch that should be added.
    const FULL_BYTES: usize = 16 << 20;

    /// Adds a file.
    pub fn file(&mut self, path: String, file: FileRecord) {
        self.files.push((path, file));
    }

    /// Adds a document.
    ///
    /// # Errors
    /// [`IndexError::TooLarge`]
    pub fn document(&mut self, content: ContentHash, document: &DocumentText) -> Result<(), IndexError> {
        let stemmer = Stemmer::for_text(&sample(document));
        let texts = document.pages.iter().map(|page| page.text.as_deref().unwrap_or_default()).collect::<Vec<_>>();
        let running = RunningLines::of(&texts);
        let mut sections = Sections::of(document);
        let (mut pages, mut lengths) = (Vec::with_capacity(texts.len()), Vec::new());
        for (number, page) in (0_u32..).zip(&document.pages) {
            let at = usize::try_from(number).unwrap_or(usize::MAX);
            let text = mark_lines(page.text.as_deref().unwrap_or_default(), &running, at);
            let (section, begins) = sections.at(number);
            let label = page.label.as_deref().unwrap_or_default().replace(char::is_control, " ");
            let stored = StoredPage {
                is_contents: lists_pages(&text),
                is_recognised: page.is_recognised,
                is_without_text: page.text.is_none(),
                is_left: page.is_left,
                label,
                section,
                begins,
                text,
            };
            let words = words_of(&stored, &stemmer);
            lengths.extend(u16::try_from(words.count).unwrap_or(u16::MAX).to_le_bytes());
            let ready = (words.tokens(), stored.compress(number)?);
            self.bytes += ready.0.len() + ready.1.len();
            pages.push(ready);
        }
        let count = |pages: usize| u32::try_from(pages).unwrap_or(u32::MAX);
        let record = DocumentRecord {
            pages: count(pages.len()),
            unread_pages: document.unread_pages,
            without_text: count(document.pages.iter().filter(|page| page.text.is_none()).count()),
            unrecognised: count(document.pages.iter().filter(|page| page.is_left).count()),
            date: document.date.unwrap_or(0),
            problem: None,
            language: stemmer.code().to_owned(),
        };
        let title = line(document.title.as_deref().unwrap_or_default());
        self.documents.push(ReadyDocument { content, record, title, pages, lengths });
        Ok(())
    }

    /// Adds a document that cannot be read.
    pub fn unreadable(&mut self, content: ContentHash, problem: &str) {
        let record = DocumentRecord { problem: Some(problem.to_owned()), ..DocumentRecord::default() };
        let (title, pages, lengths) = Default::default();
        self.documents.push(ReadyDocument { content, record, title, pages, lengths });
    }

    /// Whether it should be added now.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.bytes >= Self::FULL_BYTES
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.documents.is_empty()
    }

    pub(super) fn write(&self, connection: &Connection) -> Result<(), IndexError> {
        let mut touched = Vec::new();
        for document in &self.documents {
            remove_document(connection, &document.content)?;
            document.write(connection)?;
        }
        for (path, file) in &self.files {
            touched.extend(remove_file(connection, path)?);
            let mut insert = connection.prepare_cached("INSERT INTO file VALUES (?1, ?2, ?3)")?;
            insert.execute(params![path, file.stat, file.content.0])?;
            touched.push(file.content);
        }
        touched.sort_unstable();
        touched.dedup();
        touched.iter().try_for_each(|content| write_cover(connection, content))
    }
}

impl ReadyDocument {
    fn write(&self, connection: &Connection) -> Result<(), IndexError> {
        // The last cover may be of a document without pages.
        let mut last = connection.prepare_cached(
            "SELECT max(coalesce((SELECT max(cover) FROM document), 0), coalesce((SELECT max(id) FROM page), 0))",
        )?;
        let cover: i64 = last.query_row([], |row| row.get::<_, i64>(0))?.saturating_add(1);
        let DocumentRecord { pages, unread_pages, without_text, unrecognised, date, problem, language } = &self.record;
        let values = params![
            cover,
            self.content.0,
            pages,
            unread_pages,
            without_text,
            unrecognised,
            date,
            problem,
            language,
            self.title,
            self.lengths,
        ];
        let insert = "INSERT INTO document VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        connection.prepare_cached(insert)?.execute(values)?;
        let mut keep = connection.prepare_cached("INSERT INTO page VALUES (?1, ?2)")?;
        let mut index = connection.prepare_cached("INSERT INTO words(rowid, keys) VALUES (?1, ?2)")?;
        for (id, (keys, stored)) in (cover.saturating_add(1)..).zip(&self.pages) {
            keep.execute(params![id, stored])?;
            index.execute(params![id, keys])?;
        }
        Ok(())
    }
}

/// Writes the title and the names of a document's files as the words of its cover, or removes a document without files.
fn write_cover(connection: &Connection, content: &ContentHash) -> Result<(), IndexError> {
    let mut files = connection.prepare_cached("SELECT path FROM file WHERE content = ?1 LIMIT 8")?;
    let paths = files.query_map([content.0], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    if paths.is_empty() {
        return remove_document(connection, content);
    }
    let mut find = connection.prepare_cached("SELECT cover, language, title FROM document WHERE content = ?1")?;
    let mut rows = find.query([content.0])?;
    let Some(row) = rows.next()? else { return Ok(()) };
    let (cover, language, title): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let stemmer = Stemmer::of(&language);
    let mut words = PageWords::default();
    words.add_title(&title, &stemmer);
    for path in &paths {
        let name = std::path::Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        words.add_title(&name.unwrap_or_default(), &stemmer);
    }
    connection.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([cover])?;
    connection
        .prepare_cached("INSERT INTO words(rowid, keys) VALUES (?1, ?2)")?
        .execute(params![cover, words.tokens()])?;
    Ok(())
}

fn remove_document(connection: &Connection, content: &ContentHash) -> Result<(), IndexError> {
    let mut find = connection.prepare_cached("SELECT cover, pages FROM document WHERE content = ?1")?;
    let mut rows = find.query([content.0])?;
    let Some(row) = rows.next()? else { return Ok(()) };
    let (cover, pages): (i64, i64) = (row.get(0)?, row.get(1)?);
    let of_document = [cover, cover.saturating_add(pages)];
    connection.prepare_cached("DELETE FROM words WHERE rowid BETWEEN ?1 AND ?2")?.execute(of_document)?;
    connection.prepare_cached("DELETE FROM page WHERE id BETWEEN ?1 AND ?2")?.execute(of_document)?;
    connection.prepare_cached("DELETE FROM document WHERE cover = ?1")?.execute([cover])?;
    Ok(())
}

/// Forgets a file. Returns its document.
fn remove_file(connection: &Connection, path: &str) -> Result<Option<ContentHash>, IndexError> {
    let mut delete = connection.prepare_cached("DELETE FROM file WHERE path = ?1 RETURNING content")?;
    let mut rows = delete.query([path])?;
    let content = rows.next()?.map(|row| row.get(0)).transpose()?;
    // Only a statement that has run to its end is done.
    while rows.next()?.is_some() {}
    Ok(content.map(ContentHash))
}

/// Forgets files, and the documents that no file has any more.
pub(super) fn forget(connection: &Connection, paths: &[String]) -> Result<(), IndexError> {
    let mut touched = Vec::new();
    for path in paths {
        touched.extend(remove_file(connection, path)?);
    }
    touched.sort_unstable();
    touched.dedup();
    touched.iter().try_for_each(|content| write_cover(connection, content))
}

fn words_of(page: &StoredPage, stemmer: &Stemmer) -> PageWords {
    let mut words = PageWords::default();
    words.add_text(&page.text, stemmer);
    page.section.iter().chain(&page.begins).for_each(|title| words.add_title(title, stemmer));
    words
}

/// The section of each page, asked for in order.
struct Sections {
    titles: HashMap<u32, Vec<(u32, String)>>,
    path: Vec<(u32, String)>,
}

impl Sections {
    fn of(document: &DocumentText) -> Self {
        let mut titles: HashMap<u32, Vec<(u32, String)>> = HashMap::new();
        for title in &document.outline {
            titles.entry(title.page).or_default().push((title.depth, line(&title.title)));
        }
        Self { titles, path: Vec::new() }
    }

    /// The section that the page ends in, and the titles that begin on it.
    fn at(&mut self, page: u32) -> (Vec<String>, Vec<String>) {
        let begins = self.titles.remove(&page).unwrap_or_default();
        for (depth, title) in &begins {
            self.path.retain(|(level, _)| level < depth);
            self.path.push((*depth, title.clone()));
        }
        let path = self.path.iter().take(MAX_LEVELS).map(|(_, title)| title.clone()).collect();
        (path, begins.into_iter().take(MAX_PAGE_TITLES).map(|(_, title)| title).collect())
    }
}

fn sample(document: &DocumentText) -> String {
    let mut sample = String::new();
    for text in document.pages.iter().filter_map(|page| page.text.as_deref()) {
        if sample.len() > SAMPLE_BYTES {
            break;
        }
        sample.push_str(text);
    }
    sample
}

/// A title on one line, of bounded length.
fn line(title: &str) -> String {
    let end = title.floor_char_boundary(MAX_TITLE_BYTES);
    title.get(..end).unwrap_or_default().replace(char::is_control, " ")
}
