//! An index over its life: added, changed, forgotten, damaged, shared.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use super::*;
use crate::ranking::DocumentSet;
use crate::{DocumentText, OutlineTitle, PageTextToIndex};

fn document(pages: &[&str]) -> DocumentText {
    let pages = pages
        .iter()
        .map(|text| PageTextToIndex { text: Some((*text).to_owned()), ..PageTextToIndex::default() })
        .collect();
    DocumentText { title: None, date: None, outline: Vec::new(), pages, unread_pages: 0 }
}

fn add(index: &mut Index, path: &str, pages: &[&str]) {
    let mut batch = IndexBatch::default();
    let content = ContentHash::of(pages.concat().as_bytes());
    batch.document(content, &document(pages)).unwrap();
    batch.file(path.to_owned(), FileRecord { stat: [0; 32], content });
    index.add(&batch);
}

fn whole(index: &Index) -> SearchScope {
    SearchScope { documents: index.documents().into_iter().collect(), ..SearchScope::default() }
}

/// The hits as path and page number.
fn found(index: &Index, query: &str) -> Vec<(String, u32)> {
    let paths = index.files();
    let known = index.known_files(paths.iter()).into_iter().map(|known| known.unwrap().file.content);
    let files = known.zip(paths).collect::<std::collections::HashMap<_, _>>();
    let scope = whole(index);
    let hits = index.search(&scope, query, 10).unwrap();
    hits.iter().map(|hit| (files[&hit.content].clone(), hit.page.number().get())).collect()
}

#[test]
fn the_page_with_the_words_near_each_other_is_first() {
    let mut index = Index::default();
    let filler = "Other things are said here about other matters. ".repeat(20);
    add(&mut index, "/far.pdf", &[&format!("The harbour is old. {filler} A permit is needed.")]);
    add(&mut index, "/near.pdf", &["Nothing.", &format!("{filler} The harbour permit is needed. {filler}")]);
    assert_eq!(found(&index, "harbour permit"), [("/near.pdf".to_owned(), 2), ("/far.pdf".to_owned(), 1)]);
    assert_eq!(found(&index, "PERMITS for harbours").first(), Some(&("/near.pdf".to_owned(), 2)));
    assert_eq!(found(&index, ""), []);
    assert_eq!(found(&index, "zeppelin"), []);
}

#[test]
fn a_hit_says_where_it_stands() {
    let mut index = Index::default();
    let title = |page, depth, title: &str| OutlineTitle { page, depth, title: title.to_owned() };
    let mut text = document(&["Front matter", "The lock closes at noon."]);
    text.title = Some("Manual".to_owned());
    text.outline = vec![title(0, 0, "Begin"), title(1, 0, "Locks"), title(1, 1, "Times")];
    text.pages[1].label = Some("iv".to_owned());
    let mut batch = IndexBatch::default();
    let content = ContentHash::of(b"manual");
    batch.document(content, &text).unwrap();
    batch.file("/m.pdf".to_owned(), FileRecord { stat: [0; 32], content });
    index.add(&batch);
    let scope = SearchScope { documents: DocumentSet::from_iter([content]), ..SearchScope::default() };
    let hits = index.search(&scope, "lock closes", 10).unwrap();
    assert_eq!(hits[0].label.as_deref(), Some("iv"));
    assert_eq!(hits[0].section, ["Locks", "Times"]);
    assert_eq!(hits[0].title, "Manual");
    assert_eq!(hits[0].excerpt, "The lock closes at noon.");
    let first_page = SearchScope { pages: std::iter::once(0..1).collect(), ..scope };
    assert_eq!(index.search(&first_page, "lock closes", 10).unwrap(), []);
}

#[test]
fn pages_with_the_same_text_are_one_hit() {
    let mut index = Index::default();
    add(&mut index, "/a.pdf", &["The same words stand here."]);
    add(&mut index, "/b.pdf", &["The same words stand here.", "And more."]);
    let hits = index.search(&whole(&index), "same words", 10).unwrap();
    assert_eq!((hits.len(), hits[0].copies.len()), (1, 1));
}

#[test]
fn every_word_of_a_page_is_found_even_in_lines_that_repeat() {
    let mut index = Index::default();
    let pages = (1..=12).map(|number| format!("Invoice No. 2024-{number:03}\n\nChapter {number}\n\nIt was paid."));
    let pages = pages.collect::<Vec<_>>();
    add(&mut index, "/a.pdf", &pages.iter().map(String::as_str).collect::<Vec<_>>());
    for (query, page) in [("2024-007", 7), ("Chapter 9", 9), ("invoice 2024-011?", 11), ("What is on page 5?", 5)] {
        assert_eq!(found(&index, query).first(), Some(&("/a.pdf".to_owned(), page)), "{query}");
    }
}

#[test]
fn a_question_for_a_number_is_answered_by_the_page_of_numbers() {
    let mut index = Index::default();
    let filler = "Other things are said here about other matters. ".repeat(20);
    let prose = format!("Operating income is what the board looks at. {filler} It depends on the weather.");
    let rows = (0..60).map(|row| format!("Item {row} 1,{row:03} 2,{row:03}\n")).collect::<String>();
    add(&mut index, "/a.pdf", &[&prose, &format!("Statement of operations\n\n{rows}Operating income 311 166")]);
    assert_eq!(found(&index, "How much was operating income?").first(), Some(&("/a.pdf".to_owned(), 2)));
    assert_eq!(found(&index, "Why does operating income depend on weather?").first(), Some(&("/a.pdf".to_owned(), 1)));
}

#[test]
fn other_documents_do_not_change_the_order_within_one() {
    let pages = ["income of the mill", "mill and mill and income", "a mill", "income"];
    let mut index = Index::default();
    add(&mut index, "/a.pdf", &pages);
    let alone = SearchScope { documents: index.documents().into_iter().collect(), ..SearchScope::default() };
    let before = index.search(&alone, "mill income", 10).unwrap();
    for number in 0..40 {
        add(&mut index, &format!("/{number}.pdf"), &[&format!("mill {number}"), "other page"]);
    }
    assert_eq!(index.search(&alone, "mill income", 10).unwrap(), before);
    assert_eq!(index.status(), IndexStatus { files: 41, documents: 41, pages: 84, ..index.status() });
    assert_eq!(found(&index, "17").first(), Some(&("/17.pdf".to_owned(), 1)));
}

#[test]
fn names_of_files_are_words_of_their_pages() {
    let mut index = Index::default();
    add(&mut index, "/lake_2019.pdf", &["The income rose.", "no"]);
    add(&mut index, "/river_2019.pdf", &["The income fell.", "no"]);
    assert_eq!(found(&index, "income of the river").first(), Some(&("/river_2019.pdf".to_owned(), 1)));
    let record = index.known_files(["/river_2019.pdf"].iter()).remove(0).unwrap().file;
    let mut batch = IndexBatch::default();
    batch.file("/pond.pdf".to_owned(), record);
    index.add(&batch);
    index.forget(&["/river_2019.pdf".to_owned()]);
    assert_eq!(found(&index, "income of the pond").first(), Some(&("/pond.pdf".to_owned(), 1)));
}

#[test]
fn forgotten_files_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = Index::open(folder.path());
    add(&mut index, "/a.pdf", &["quixotic windmills"]);
    add(&mut index, "/b.pdf", &["pragmatic watermills"]);
    index.forget(&["/a.pdf".to_owned()]);
    let index = Index::open(folder.path());
    assert_eq!((index.note(), index.status().documents), (None, 1));
    assert_eq!(found(&index, "quixotic windmills"), []);
    assert_eq!(found(&index, "watermills"), [("/b.pdf".to_owned(), 1)]);
}

#[test]
fn an_index_in_a_folder_is_private_and_outlives_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    add(&mut Index::open(&path), "/a.pdf", &["quixotic windmills"]);
    assert_eq!(found(&Index::open(&path), "windmill quixotic"), [("/a.pdf".to_owned(), 1)]);
    #[cfg(unix)]
    for file in std::fs::read_dir(&path).unwrap() {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(file.unwrap().metadata().unwrap().permissions().mode() & 0o077, 0);
    }
    Index::open(&path).clear().unwrap();
    assert_eq!(Index::open(&path).status(), IndexStatus::default());
}

#[test]
fn damage_is_noted_and_never_trusted() {
    let folder = tempfile::tempdir().unwrap();
    add(&mut Index::open(folder.path()), "/a.pdf", &["quixotic windmills turn in the wind"]);
    let path = folder.path().join("index.sqlite");
    let sound = std::fs::read(&path).unwrap();
    for at in (0..sound.len()).step_by(101) {
        let mut damaged = sound.clone();
        damaged[at..].iter_mut().take(16).for_each(|byte| *byte ^= 0x41);
        std::fs::write(&path, &damaged).unwrap();
        let index = Index::open(folder.path());
        // Either it is seen, or the answer is as it was, or a term is not found.
        if let Ok(hits) = index.search(&whole(&index), "windmills", 10) {
            assert!(hits.iter().all(|hit| hit.excerpt == "quixotic windmills turn in the wind"), "{at}");
        }
    }
    std::fs::write(&path, "damaged").unwrap();
    let mut index = Index::open(folder.path());
    assert!(index.note().is_some_and(|note| note.contains("rebuilt: it is damaged")), "{:?}", index.note());
    add(&mut index, "/a.pdf", &["quixotic windmills"]);
    assert_eq!(found(&Index::open(folder.path()), "windmills").len(), 1);
}

#[test]
fn an_index_of_another_version_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("catalogue"), "old").unwrap();
    std::fs::write(folder.path().join("00000001.segment"), "old").unwrap();
    add(&mut Index::open(folder.path()), "/a.pdf", &["quixotic windmills"]);
    assert!(!folder.path().join("catalogue").exists() && !folder.path().join("00000001.segment").exists());
    let index = Index::open(folder.path());
    assert_eq!(found(&index, "windmills").len(), 1);
    index.read(|database| database.pragma_update(None, "user_version", 99));
    let index = Index::open(folder.path());
    assert!(index.note().is_some_and(|note| note.contains("another version")), "{:?}", index.note());
    assert_eq!(index.status(), IndexStatus::default());
}

#[test]
fn damage_that_a_write_finds_is_an_error_of_the_next_search() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = Index::open(folder.path());
    add(&mut index, "/a.pdf", &["quixotic windmills turn in the wind"]);
    index.read(|database| database.execute_batch("DROP TABLE page"));
    add(&mut index, "/b.pdf", &["watermills"]);
    assert!(index.search(&whole(&index), "watermills", 10).is_err());
    index.clear().unwrap();
    assert_eq!(index.search(&whole(&index), "watermills", 10).unwrap(), []);
}

#[test]
fn one_process_writes_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (Index::open(folder.path()), Index::open(folder.path()));
    let lock = one.lock().unwrap();
    assert!(lock.is_some());
    assert!(other.lock().unwrap().is_none());
    drop(lock);
    assert!(other.lock().unwrap().is_some());
}

#[test]
fn a_folder_that_takes_nothing_leaves_the_answer_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, "no folder").unwrap();
    let mut index = Index::open(&path);
    add(&mut index, "/a.pdf", &["quixotic windmills"]);
    assert!(index.note().is_some_and(|note| note.contains("could not be opened")), "{:?}", index.note());
    assert_eq!(found(&index, "windmills"), [("/a.pdf".to_owned(), 1)]);
}

#[test]
fn a_folder_that_takes_no_more_keeps_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = Index::open(folder.path());
    add(&mut index, "/a.pdf", &["quixotic windmills"]);
    // The database takes nothing more, as on a full disk.
    index.read(|database| database.pragma_update(None, "max_page_count", 1));
    let words = (0..9000_u32).map(|number| format!(" w{}", number.wrapping_mul(2_654_435_761))).collect::<String>();
    add(&mut index, "/b.pdf", &[&format!("pragmatic watermills{words}")]);
    assert!(index.note().is_some_and(|note| note.contains("could not be stored")), "{:?}", index.note());
    assert_eq!(found(&index, "watermills"), [("/b.pdf".to_owned(), 1)]);
    let kept = Index::open(folder.path());
    assert_eq!((kept.note(), kept.status().files), (None, 1));
    assert_eq!(found(&kept, "windmills"), [("/a.pdf".to_owned(), 1)]);
}

#[test]
fn pages_come_back_as_they_were_added() {
    let mut index = Index::default();
    let page = |text: Option<&str>, is_recognised, is_left| PageTextToIndex {
        label: text.map(|_| "iv".to_owned()),
        text: text.map(str::to_owned),
        is_recognised,
        is_left,
    };
    let pages = [
        page(Some("Heading\n\nOne line.\nAnother.\n"), false, false),
        page(Some(""), false, false),
        page(Some("seen\n"), true, false),
        page(None, false, true),
    ];
    let mut batch = IndexBatch::default();
    let content = ContentHash::of(b"scans");
    batch.document(content, &DocumentText { pages: pages.to_vec(), ..DocumentText::default() }).unwrap();
    batch.file("/scans.pdf".to_owned(), FileRecord { stat: [0; 32], content });
    index.add(&batch);
    assert_eq!(index.pages(&content), pages);
    assert_eq!(index.known_files(["/scans.pdf"].into_iter())[0].as_ref().unwrap().document.unrecognised, 1);
    assert_eq!(index.pages(&ContentHash::of(b"others")), []);
}
