//! What was forgotten is held nowhere, and every answer at hand is what the rows say.

use std::collections::BTreeMap;

use pagewise::hash::{ContentHash, PageFingerprint};
use pagewise::page::{PageIndex, PageSet};
use pagewise::view::{ConversationView, FileKey, Forget, Form, Held, Holding, LineSpan, Sequence};
use proptest::prelude::*;

fn file() -> impl Strategy<Value = FileKey> {
    (0_u8..3).prop_map(|file| FileKey([file; 32]))
}

fn content() -> impl Strategy<Value = ContentHash> {
    (0_u8..3).prop_map(|content| ContentHash([content; 32]))
}

fn print() -> impl Strategy<Value = PageFingerprint> {
    (0_u8..5).prop_map(|print| PageFingerprint([print; 32]))
}

fn lines() -> impl Strategy<Value = LineSpan> {
    (1_u32..12, 0_u32..4).prop_filter_map("lines", |(first, more)| LineSpan::new(first, first + more))
}

fn held() -> impl Strategy<Value = Held> {
    let page = (print(), 0_u32..6, prop::sample::select(&Form::ALL[..]));
    let page = page.prop_map(|(fingerprint, page, form)| Held::Page { fingerprint, page: PageIndex(page), form });
    prop_oneof![
        6 => page,
        1 => any::<bool>().prop_map(|supports_page_extraction| Held::Summary { supports_page_extraction }),
        2 => lines().prop_map(Held::Text),
        1 => Just(Held::Binary),
        1 => Just(Held::Known),
    ]
}

pub(crate) fn holding() -> impl Strategy<Value = Holding> {
    (content(), file(), held()).prop_map(|(content, file, what)| Holding { content, file, what })
}

pub(crate) fn forget() -> impl Strategy<Value = Forget> {
    let pages = || {
        let pages = prop::collection::vec(0_u32..6, 0..4);
        pages.prop_map(|pages| pages.into_iter().map(PageIndex).collect::<PageSet>())
    };
    prop_oneof![
        1 => Just(Forget::Everything),
        1 => Just(Forget::AllButFiles),
        3 => file().prop_map(Forget::File),
        1 => prop::collection::btree_set(print(), 0..3).prop_map(Forget::Prints),
        3 => (file(), pages()).prop_map(|(file, pages)| Forget::Pages { file, pages }),
        1 => (file(), pages()).prop_map(|(file, pages)| Forget::Places { file, pages }),
    ]
}

fn rows() -> impl Strategy<Value = Vec<(Holding, Sequence)>> {
    prop::collection::vec((holding(), (1_u64..40).prop_map(Sequence)), 0..40)
}

fn view() -> impl Strategy<Value = ConversationView> {
    rows().prop_map(|rows| rows.into_iter().collect())
}

/// Whether `what` names `holding`, said once more and in another way than the view says it.
fn is_named(what: &Forget, holding: &Holding) -> bool {
    match (what, holding.what) {
        (Forget::Everything | Forget::AllButFiles, _) => true,
        (Forget::File(file), _) => *file == holding.file,
        (Forget::Pages { file, pages } | Forget::Places { file, pages }, Held::Page { page, .. }) => {
            *file == holding.file && pages.contains(page)
        }
        (Forget::Prints(prints), Held::Page { fingerprint, .. }) => prints.contains(&fingerprint),
        (Forget::Pages { .. } | Forget::Places { .. } | Forget::Prints(_), _) => false,
    }
}

fn page_of(holding: &Holding) -> Option<(PageFingerprint, Form)> {
    match holding.what {
        Held::Page { fingerprint, form, .. } => Some((fingerprint, form)),
        _ => None,
    }
}

fn after(view: &ConversationView, what: &Forget) -> ConversationView {
    let mut after = view.clone();
    after.apply(&view.forget(what));
    after
}

proptest! {
    #[test]
    fn rows_make_the_same_view_in_any_order(mut rows in rows()) {
        let forward: ConversationView = rows.iter().chain(&rows).copied().collect();
        rows.reverse();
        prop_assert_eq!(forward, rows.into_iter().collect());
    }

    #[test]
    fn a_change_does_to_rows_what_it_does_to_the_view(view in view(), what in forget()) {
        let change = view.forget(&what);
        let mut rows: BTreeMap<Holding, Sequence> = view.holdings().map(|(holding, at)| (*holding, at)).collect();
        for holding in &change.delete {
            prop_assert!(rows.remove(holding).is_some(), "deletes what is not there");
        }
        for (holding, at) in change.insert {
            prop_assert!(rows.insert(holding, at).is_none_or(|before| before <= at), "takes a row back in time");
        }
        let view = after(&view, &what);
        prop_assert_eq!(&view, &rows.into_iter().collect());
        prop_assert_eq!(&after(&view, &what), &view, "once more changes nothing");
    }

    #[test]
    fn a_fork_as_of_a_point_holds_nothing_later(origin in view(), as_of in 0_u64..40) {
        prop_assert_eq!(&origin.fork(None), &origin);
        let fork = origin.fork(Some(Sequence(as_of)));
        prop_assert!(fork.holdings().all(|(_, at)| at.0 <= as_of));
        let kept = origin.holdings().filter(|(_, at)| at.0 <= as_of).count();
        prop_assert_eq!(fork.len(), kept);
    }

    #[test]
    fn what_was_forgotten_is_not_held_anywhere(view in view(), what in forget()) {
        let left = after(&view, &what);
        prop_assert!(left.holdings().all(|(holding, _)| view.contains(holding) || holding.what == Held::Known));
        for holding in view.holdings().map(|(holding, _)| holding).filter(|holding| is_named(&what, holding)) {
            let stays_followed = what == Forget::AllButFiles && holding.what == Held::Known;
            prop_assert!(stays_followed || !left.contains(holding));
            let page = page_of(holding).filter(|_| !matches!(what, Forget::Places { .. }));
            prop_assert!(page.is_none_or(|(fingerprint, form)| !left.holds_page(&fingerprint, form)));
        }
    }

    #[test]
    fn what_is_followed_is_a_name_and_goes_with_it_alone(view in view(), what in forget()) {
        let mut followed: BTreeMap<FileKey, ContentHash> = view.files().collect();
        match what {
            Forget::Everything => followed.clear(),
            Forget::File(file) => drop(followed.remove(&file)),
            _ => {}
        }
        prop_assert_eq!(after(&view, &what).files().collect::<BTreeMap<_, _>>(), followed);
    }

    #[test]
    fn the_questions_agree_with_the_holdings(
        view in view(), print in print(), content in content(), file in file(), page in 0_u32..6, span in lines(),
    ) {
        let page = PageIndex(page);
        let given: Vec<Holding> = view.holdings().map(|(holding, _)| *holding).collect();
        for form in Form::ALL {
            let is_here = |holding: &&Holding| page_of(holding) == Some((print, form));
            prop_assert_eq!(view.holds_page(&print, form), given.iter().any(|holding| is_here(&holding)));
            let of_content = given.iter().filter(|holding| holding.content == content);
            let pages: PageSet = of_content.filter_map(|holding| match holding.what {
                Held::Page { page, form: given, .. } if given == form => Some(page),
                _ => None,
            }).collect();
            prop_assert_eq!(view.pages_in(&content, form), pages);
        }
        let stood = given.iter().any(|holding| matches!(holding.what, Held::Page { fingerprint, page: at, .. }
            if (holding.file, at, fingerprint) == (file, page, print)));
        prop_assert_eq!(view.stood_at(file, page, print), stood);
        let of_content = || given.iter().filter(|holding| holding.content == content);
        let summary = of_content().any(|holding| matches!(holding.what, Held::Summary { .. }));
        prop_assert_eq!(view.holds_summary(&content), summary);
        let has_line = |line: u32| of_content().any(|holding| match holding.what {
            Held::Text(span) => (span.first()..=span.last()).contains(&line),
            _ => false,
        });
        prop_assert_eq!(view.holds_lines(&content, span), (span.first()..=span.last()).all(has_line));
        let is_given = of_content().any(|holding| holding.what != Held::Known);
        prop_assert_eq!(view.agent_view(&content).is_some(), is_given);
    }
}
