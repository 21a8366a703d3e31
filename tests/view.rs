//! What was forgotten is held nowhere, and every answer at hand is what the rows say.

use std::collections::BTreeMap;

use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_view::{ConversationView, FileKey, ForgetScope, HeldItem, Holding, LineSpan, PageForm, Sequence};
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

fn held() -> impl Strategy<Value = HeldItem> {
    let page = (print(), 0_u32..6, prop::sample::select(&PageForm::ALL[..]), any::<bool>());
    let page = page.prop_map(|(fingerprint, page, form, is_shared)| HeldItem::Page {
        fingerprint,
        page: PageIndex(page),
        form,
        is_shared,
    });
    prop_oneof![
        6 => page,
        1 => any::<bool>().prop_map(|supports_page_extraction| HeldItem::Summary { supports_page_extraction }),
        2 => lines().prop_map(HeldItem::Text),
        1 => Just(HeldItem::Binary),
        1 => Just(HeldItem::Followed),
        2 => (0_u32..6, 0_u32..3).prop_map(|(first, more)| read(first, first + more)),
    ]
}

fn read(first: u32, last: u32) -> HeldItem {
    HeldItem::Read { first: PageIndex(first), last: PageIndex(last) }
}

pub(crate) fn holding() -> impl Strategy<Value = Holding> {
    (content(), file(), held()).prop_map(|(content, file, what)| Holding { content, file, what })
}

pub(crate) fn forget() -> impl Strategy<Value = ForgetScope> {
    let pages = || {
        let pages = prop::collection::vec(0_u32..6, 0..4);
        pages.prop_map(|pages| pages.into_iter().map(PageIndex).collect::<PageSet>())
    };
    prop_oneof![
        1 => Just(ForgetScope::Everything),
        1 => Just(ForgetScope::AllButFiles),
        3 => file().prop_map(ForgetScope::File),
        1 => prop::collection::btree_set(print(), 0..3).prop_map(ForgetScope::Fingerprints),
        3 => (file(), pages()).prop_map(|(file, pages)| ForgetScope::Pages { file, pages }),
        1 => (file(), pages()).prop_map(|(file, pages)| ForgetScope::Positions { file, pages }),
    ]
}

fn rows() -> impl Strategy<Value = Vec<(Holding, Sequence)>> {
    prop::collection::vec((holding(), (1_u64..40).prop_map(Sequence)), 0..40)
}

fn view() -> impl Strategy<Value = ConversationView> {
    rows().prop_map(|rows| rows.into_iter().collect())
}

/// Whether `what` names `holding`, said once more and in another way than the view says it.
fn is_named(what: &ForgetScope, holding: &Holding) -> bool {
    match (what, holding.what) {
        (ForgetScope::Everything | ForgetScope::AllButFiles, _) => true,
        (ForgetScope::File(file), _) => *file == holding.file,
        (ForgetScope::Pages { file, pages } | ForgetScope::Positions { file, pages }, HeldItem::Page { page, .. }) => {
            *file == holding.file && pages.contains(page)
        }
        (
            ForgetScope::Pages { file, pages } | ForgetScope::Positions { file, pages },
            HeldItem::Read { first, last },
        ) => *file == holding.file && pages.iter().any(|page| (first..=last).contains(&page)),
        (ForgetScope::Fingerprints(prints), HeldItem::Page { fingerprint, .. }) => prints.contains(&fingerprint),
        (ForgetScope::Pages { .. } | ForgetScope::Positions { .. } | ForgetScope::Fingerprints(_), _) => false,
    }
}

fn page_of(holding: &Holding) -> Option<(PageFingerprint, PageForm)> {
    match holding.what {
        HeldItem::Page { fingerprint, form, .. } => Some((fingerprint, form)),
        _ => None,
    }
}

/// What can remain of a holding that is gone: a followed file, and the pages that were not forgotten.
fn is_remainder(holding: &Holding) -> bool {
    matches!(holding.what, HeldItem::Followed | HeldItem::Read { .. })
}

fn rows_of(view: &ConversationView) -> BTreeMap<Holding, Sequence> {
    view.holdings().map(|(holding, at)| (*holding, at)).collect()
}

fn after(view: &ConversationView, what: &ForgetScope) -> ConversationView {
    let mut after = view.clone();
    after.forget(what);
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
    fn a_forgetting_says_what_is_gone_and_leaves_the_rest(view in view(), what in forget()) {
        let (mut left, mut rows): (_, BTreeMap<Holding, Sequence>) = (view.clone(), rows_of(&view));
        for holding in left.forget(&what) {
            prop_assert!(rows.remove(&holding).is_some(), "forgets what is not there");
        }
        for (holding, at) in left.holdings() {
            let before = rows.insert(*holding, at);
            prop_assert!(before.map_or(is_remainder(holding), |before| before <= at));
        }
        prop_assert_eq!(&left, &rows.into_iter().collect());
        prop_assert_eq!(&after(&left, &what), &left, "once more changes nothing");
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
        prop_assert!(left.holdings().all(|(holding, _)| view.contains(holding) || is_remainder(holding)));
        for holding in view.holdings().map(|(holding, _)| holding).filter(|holding| is_named(&what, holding)) {
            let stays_followed = what == ForgetScope::AllButFiles && holding.what == HeldItem::Followed;
            prop_assert!(stays_followed || !left.contains(holding));
            let page = page_of(holding).filter(|_| !matches!(what, ForgetScope::Positions { .. }));
            prop_assert!(page.is_none_or(|(fingerprint, form)| !left.holds_page(&fingerprint, form)));
        }
    }

    #[test]
    fn what_is_followed_is_a_name_and_goes_with_it_alone(view in view(), what in forget()) {
        let mut followed: BTreeMap<FileKey, ContentHash> = view.files().collect();
        match what {
            ForgetScope::Everything => followed.clear(),
            ForgetScope::File(file) => drop(followed.remove(&file)),
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
        for form in PageForm::ALL {
            let is_here = |holding: &&Holding| page_of(holding) == Some((print, form));
            prop_assert_eq!(view.holds_page(&print, form), given.iter().any(|holding| is_here(&holding)));
            let of_content = given.iter().filter(|holding| holding.content == content);
            let pages: PageSet = of_content.filter_map(|holding| match holding.what {
                HeldItem::Page { page, form: given, .. } if given == form => Some(page),
                _ => None,
            }).collect();
            prop_assert_eq!(view.pages_in(&content, form), pages);
        }
        let stood = given.iter().any(|holding| matches!(holding.what, HeldItem::Page { fingerprint, page: at, .. }
            if (holding.file, at, fingerprint) == (file, page, print)));
        prop_assert_eq!(view.was_given_at(file, page, print), stood);
        for form in PageForm::ALL {
            let what = HeldItem::Page { fingerprint: print, page, form, is_shared: false };
            let here = given.iter().any(|holding| holding.file == file && holding.what == what);
            prop_assert_eq!(view.given_at(file, page, &print, form).is_some(), here);
            let origin = view.origin_of(&print, form);
            let is_named = |origin: Holding| {
                let is_given = matches!(origin.what, HeldItem::Page { is_shared: false, .. });
                is_given && view.contains(&origin) && view.last_reported_content(&origin.file) == Some(origin.content)
            };
            prop_assert!(origin.is_none_or(is_named));
        }
        let of_content = || given.iter().filter(|holding| holding.content == content);
        let summary = of_content().any(|holding| matches!(holding.what, HeldItem::Summary { .. }));
        prop_assert_eq!(view.holds_summary(&content), summary);
        let has_line = |line: u32| of_content().any(|holding| match holding.what {
            HeldItem::Text(span) => (span.first()..=span.last()).contains(&line),
            _ => false,
        });
        prop_assert_eq!(view.holds_lines(&content, span), (span.first()..=span.last()).all(has_line));
        let is_given = of_content().any(|holding| !is_remainder(holding));
        prop_assert_eq!(view.agent_view(&content).is_some(), is_given);
        let mut pages = PageSet::new();
        for holding in of_content() {
            match holding.what {
                HeldItem::Page { page, .. } => pages.insert(page),
                HeldItem::Read { first, last } => pages.insert_run(first.0, last.0),
                _ => {}
            }
        }
        prop_assert_eq!(view.pages_read(&content), pages);
    }

    #[test]
    fn pages_that_were_read_and_are_forgotten_are_unread_alone(
        runs in prop::collection::vec((0_u32..9, 0_u32..4), 0..5), gone in prop::collection::vec(0_u32..12, 0..5),
    ) {
        let (content, file) = (ContentHash([1; 32]), FileKey([1; 32]));
        let held = |(first, more)| (Holding { content, file, what: read(first, first + more) }, Sequence(1));
        let view: ConversationView = runs.iter().copied().map(held).collect();
        let gone: PageSet = gone.into_iter().map(PageIndex).collect();
        let mut left = view.pages_read(&content);
        gone.runs().for_each(|(first, last)| left.remove_run(first.0, last.0));
        let forget = ForgetScope::Pages { file, pages: gone };
        prop_assert_eq!(after(&view, &forget).pages_read(&content), left);
        prop_assert_eq!(after(&view, &forget).files().count(), 0, "the agent was told of no version");
    }
}
