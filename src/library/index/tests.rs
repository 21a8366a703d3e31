//! An index over its life: added, changed, forgotten, damaged, shared.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use super::*;
use crate::{DocumentText, OutlineTitle, PageTextToIndex};

fn document(pages: &[&str]) -> DocumentText {
    let pages = pages.iter().map(|text| PageTextToIndex { label: None, text: Some((*text).to_owned()) }).collect();
    DocumentText { title: None, date: None, outline: Vec::new(), pages, unread_pages: 0 }
}

fn add(index: &mut Index, path: &str, pages: &[&str]) {
    let mut batch = IndexBatch::default();
    let content = ContentHash::of(pages.concat().as_bytes());
    batch.document(content, &document(pages)).unwrap();
    batch.file(path.to_owned(), FileRecord { stat: [0; 32], content });
    index.add(batch).unwrap();
}

/// The hits as path and page number.
fn found(index: &Index, query: &str) -> Vec<(String, u32)> {
    let files = index.catalogue.files.iter().map(|(path, file)| (file.content, path.clone()));
    let files = files.collect::<std::collections::HashMap<_, _>>();
    let scope = SearchScope { documents: files.keys().copied().collect(), ..SearchScope::default() };
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
    index.add(batch).unwrap();
    let scope = SearchScope { documents: DocumentSet::from_iter([content]), ..SearchScope::default() };
    let hits = index.search(&scope, "lock closes", 10).unwrap();
    assert_eq!(hits[0].label.as_deref(), Some("iv"));
    assert_eq!(hits[0].section, ["Locks", "Times"]);
    assert_eq!(hits[0].title, "Manual");
    assert_eq!(hits[0].excerpt, "The lock closes at noon. Locks Times");
    let first_page = SearchScope { pages: std::iter::once(0..1).collect(), ..scope };
    assert_eq!(index.search(&first_page, "lock closes", 10).unwrap(), []);
}

#[test]
fn pages_with_the_same_text_are_one_hit() {
    let mut index = Index::default();
    add(&mut index, "/a.pdf", &["The same words stand here."]);
    add(&mut index, "/b.pdf", &["The same words stand here.", "And more."]);
    let scope =
        SearchScope { documents: index.catalogue.documents.keys().copied().collect(), ..SearchScope::default() };
    let hits = index.search(&scope, "same words", 10).unwrap();
    assert_eq!((hits.len(), hits[0].copies.len()), (1, 1));
}

#[test]
fn many_batches_become_few_segments_and_nothing_is_lost() {
    let mut index = Index::default();
    for number in 0..40 {
        add(&mut index, &format!("/{number}.pdf"), &[&format!("common word{number}"), "other page"]);
    }
    assert!(index.segments.len() <= MAX_SEGMENTS, "{}", index.segments.len());
    assert_eq!(index.status(), IndexStatus { files: 40, documents: 40, pages: 80, ..index.status() });
    for number in [0, 17, 39] {
        assert_eq!(found(&index, &format!("word{number}")).first(), Some(&(format!("/{number}.pdf"), 1)));
    }
}

#[test]
fn forgotten_files_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = Index::open(folder.path());
    add(&mut index, "/a.pdf", &["quixotic windmills"]);
    add(&mut index, "/b.pdf", &["pragmatic watermills"]);
    index.forget(&["/a.pdf".to_owned()]);
    let index = Index::open(folder.path());
    assert_eq!((index.note(), index.status().segments), (None, 1));
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
    let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
    for path in files.filter(|path| !path.ends_with("lock")).collect::<Vec<_>>() {
        let sound = std::fs::read(&path).unwrap();
        for at in 0..sound.len() {
            let mut damaged = sound.clone();
            damaged[at] ^= 0x41;
            std::fs::write(&path, &damaged).unwrap();
            let index = Index::open(folder.path());
            let scope = SearchScope {
                documents: index.catalogue.documents.keys().copied().collect(),
                ..SearchScope::default()
            };
            // Either it is seen, or the answer is as it was, or a term is not found.
            if let Ok(hits) = index.search(&scope, "windmills", 10) {
                assert!(hits.iter().all(|hit| hit.excerpt == "quixotic windmills turn in the wind"), "{at}");
            }
        }
        std::fs::write(&path, sound.get(..sound.len() / 2).unwrap()).unwrap();
        assert!(Index::open(folder.path()).note().is_some());
        std::fs::write(&path, sound).unwrap();
    }
}

#[test]
fn damage_that_a_merge_finds_is_an_error_of_the_next_search() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = Index::open(folder.path());
    add(&mut index, "/a.pdf", &["quixotic windmills turn in the wind"]);
    add(&mut index, "/b.pdf", &["watermills"]);
    for file in std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()) {
        let mut bytes = std::fs::read(&file).unwrap();
        if file.extension().is_some_and(|extension| extension == "segment") {
            bytes.iter_mut().take(4).for_each(|byte| *byte ^= 0x41);
            let middle = bytes.len() / 4;
            bytes.iter_mut().skip(middle).take(40).for_each(|byte| *byte ^= 0x41);
            std::fs::write(file, bytes).unwrap();
        }
    }
    for number in 0..MAX_SEGMENTS {
        add(&mut index, &format!("/{number}.pdf"), &[&format!("page {number}")]);
    }
    let scope = SearchScope { documents: index.documents().copied().collect(), ..SearchScope::default() };
    assert!(index.search(&scope, "watermills", 10).is_err());
    index.clear().unwrap();
    assert_eq!(index.search(&scope, "watermills", 10).unwrap(), []);
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
    let mut index = Index { folder: Some(IndexFolder::new(&path)), ..Index::default() };
    add(&mut index, "/a.pdf", &["quixotic windmills"]);
    assert!(index.note().is_some_and(|note| note.contains("could not be stored")), "{:?}", index.note());
    assert_eq!(found(&index, "windmills"), [("/a.pdf".to_owned(), 1)]);
}

#[test]
fn a_folder_that_takes_no_more_keeps_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = Index::open(folder.path());
    add(&mut index, "/a.pdf", &["quixotic windmills"]);
    // The next segment cannot be written, as on a full disk.
    std::fs::create_dir(folder.path().join("00000002.part")).unwrap();
    add(&mut index, "/b.pdf", &["pragmatic watermills"]);
    assert!(index.note().is_some_and(|note| note.contains("could not be stored")), "{:?}", index.note());
    assert_eq!(found(&index, "watermills"), [("/b.pdf".to_owned(), 1)]);
    let kept = Index::open(folder.path());
    assert_eq!((kept.note(), kept.status().files), (None, 1));
    assert_eq!(found(&kept, "windmills"), [("/a.pdf".to_owned(), 1)]);
}
