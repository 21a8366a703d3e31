//! A view merges in any order, and what was forgotten stays so.

use std::collections::BTreeMap;

use pagewise::hash::{ContentHash, PageFingerprint};
use pagewise::page::{PageIndex, PageSet};
use pagewise::view::{ConversationView, FileKey, Forget, Form, Held, Holding, LineSpan, Sequence};
use proptest::prelude::*;

/// What happens to a conversation, in a world small enough for things to meet.
#[derive(Debug, Clone)]
enum Event {
    Insert(Holding),
    Forget(Forget),
}

fn file() -> impl Strategy<Value = FileKey> {
    (0_u8..3).prop_map(|file| FileKey([file; 32]))
}

fn content() -> impl Strategy<Value = ContentHash> {
    (0_u8..3).prop_map(|content| ContentHash([content; 32]))
}

fn held() -> impl Strategy<Value = Held> {
    let page = (0_u8..5, 0_u32..6, prop::sample::select(&Form::ALL[..]));
    let page = page.prop_map(|(print, page, form)| Held::Page {
        fingerprint: PageFingerprint([print; 32]),
        page: PageIndex(page),
        form,
    });
    let lines = (1_u32..9, 0_u32..4).prop_filter_map("lines", |(first, more)| LineSpan::new(first, first + more));
    prop_oneof![
        6 => page,
        1 => any::<bool>().prop_map(|supports_page_extraction| Held::Summary { supports_page_extraction }),
        1 => lines.prop_map(Held::Text),
        1 => Just(Held::Binary),
        1 => Just(Held::Known),
    ]
}

pub(crate) fn holding() -> impl Strategy<Value = Holding> {
    (content(), file(), held()).prop_map(|(content, file, what)| Holding { content, file, what })
}

pub(crate) fn forget() -> impl Strategy<Value = Forget> {
    let pages = prop::collection::vec(0_u32..6, 0..4);
    let pages = pages.prop_map(|pages| pages.into_iter().map(PageIndex).collect::<PageSet>());
    prop_oneof![
        1 => Just(Forget::Everything),
        1 => Just(Forget::AllButFiles),
        2 => file().prop_map(Forget::File),
        2 => content().prop_map(Forget::Content),
        1 => prop::collection::btree_set((0_u8..5).prop_map(|print| PageFingerprint([print; 32])), 0..3)
            .prop_map(Forget::Prints),
        3 => (file(), pages).prop_map(|(file, pages)| Forget::Pages { file, pages }),
    ]
}

fn events() -> impl Strategy<Value = Vec<(Event, u64)>> {
    let event = prop_oneof![4 => holding().prop_map(Event::Insert), 1 => forget().prop_map(Event::Forget)];
    prop::collection::vec((event, 1_u64..40), 0..40)
}

fn after(events: &[(Event, u64)]) -> ConversationView {
    let mut view = ConversationView::new();
    for (event, at) in events {
        match event {
            Event::Insert(holding) => view.insert(*holding, Sequence(*at)),
            Event::Forget(what) => drop(view.forget(what, Sequence(*at))),
        }
    }
    view
}

fn view() -> impl Strategy<Value = ConversationView> {
    events().prop_map(|events| after(&events))
}

fn union(a: &ConversationView, b: &ConversationView) -> ConversationView {
    let mut both = a.clone();
    both.union(b);
    both
}

/// Whether `what` names `holding`, said once more and in another way than the view says it.
fn is_named(what: &Forget, holding: &Holding) -> bool {
    match (what, holding.what) {
        (Forget::Everything | Forget::AllButFiles, _) => true,
        (Forget::File(file), _) => *file == holding.file,
        (Forget::Content(content), _) => *content == holding.content,
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

proptest! {
    #[test]
    fn union_is_idempotent_commutative_and_associative(a in view(), b in view(), c in view()) {
        prop_assert_eq!(&union(&a, &a), &a);
        prop_assert_eq!(union(&a, &b), union(&b, &a));
        prop_assert_eq!(union(&union(&a, &b), &c), union(&a, &union(&b, &c)));
        prop_assert_eq!(&union(&a, &ConversationView::new()), &a);
    }

    #[test]
    fn insertions_do_not_depend_on_their_order(mut parts in prop::collection::vec((holding(), 1_u64..40), 0..20)) {
        let insert = |parts: &[(Holding, u64)]| {
            let mut view = ConversationView::new();
            parts.iter().chain(parts).for_each(|(holding, at)| view.insert(*holding, Sequence(*at)));
            view
        };
        let forward = insert(&parts);
        parts.reverse();
        prop_assert_eq!(forward, insert(&parts));
    }

    #[test]
    fn a_fork_and_its_origin_go_separate_ways(origin in view(), more in holding(), what in forget()) {
        let mut fork = origin.fork(None);
        prop_assert_eq!(&fork, &origin);
        let before = origin.clone();
        fork.insert(more, origin.latest().next());
        fork.forget(&what, origin.latest().next().next());
        prop_assert_eq!(origin, before);
    }

    #[test]
    fn a_fork_as_of_a_point_holds_nothing_later(origin in view(), as_of in 0_u64..40) {
        let fork = origin.fork(Some(Sequence(as_of)));
        prop_assert!(fork.holdings().all(|(_, at)| at.0 <= as_of));
        let kept = origin.holdings().filter(|(_, at)| at.0 <= as_of).count();
        prop_assert_eq!(fork.holdings().count(), kept);
    }

    #[test]
    fn what_was_forgotten_is_not_held_anywhere(mut view in view(), what in forget()) {
        let named: Vec<Holding> =
            view.holdings().map(|(holding, _)| *holding).filter(|holding| is_named(&what, holding)).collect();
        let at = view.latest();
        view.forget(&what, at);
        for holding in named {
            let stays = matches!(what, Forget::AllButFiles | Forget::Content(_)) && holding.what == Held::Known;
            prop_assert!(stays || view.holdings().all(|(held, _)| *held != holding));
            if let Some((fingerprint, form)) = page_of(&holding) {
                prop_assert!(!view.holds_page(&fingerprint, form));
            }
        }
    }

    #[test]
    fn what_is_followed_is_a_name_and_goes_with_it_alone(mut view in view(), what in forget()) {
        let mut followed: BTreeMap<FileKey, ContentHash> = view.files().collect();
        view.forget(&what, view.latest());
        match what {
            Forget::Everything => followed.clear(),
            Forget::File(file) => drop(followed.remove(&file)),
            _ => {}
        }
        prop_assert_eq!(view.files().collect::<BTreeMap<_, _>>(), followed);
    }

    #[test]
    fn an_older_copy_brings_nothing_back(older in view(), later in events(), what in forget()) {
        let mut newer = older.clone();
        newer.union(&after(&later));
        let at = newer.latest().next();
        newer.forget(&what, at);
        prop_assert_eq!(&union(&newer, &older), &newer);
        prop_assert_eq!(&union(&older, &newer), &newer);
    }

    #[test]
    fn what_is_new_since_a_point_brings_a_copy_up_to_date(parts in prop::collection::vec(holding(), 0..20), cut in 0_usize..20, what in forget()) {
        let mut view = ConversationView::new();
        let mut copy = ConversationView::new();
        for (at, holding) in parts.iter().enumerate() {
            view.insert(*holding, Sequence(at as u64 + 1));
            if at == cut {
                copy = view.clone();
            }
        }
        view.forget(&what, Sequence(100));
        prop_assert_eq!(&union(&copy, &view.since(copy.latest())), &view);
    }

    #[test]
    fn the_questions_agree_with_the_holdings(view in view(), print in 0_u8..5, content in content()) {
        for form in Form::ALL {
            let fingerprint = PageFingerprint([print; 32]);
            let listed = view.holdings().any(|(holding, _)| page_of(holding) == Some((fingerprint, form)));
            prop_assert_eq!(view.holds_page(&fingerprint, form), listed);
        }
        let summary = |holding: &Holding| matches!(holding.what, Held::Summary { .. }) && holding.content == content;
        prop_assert_eq!(view.holds_summary(&content), view.holdings().any(|(holding, _)| summary(holding)));
        let given = view.holdings_of(&content).any(|(holding, _)| holding.what != Held::Known);
        prop_assert_eq!(view.agent_view(&content).is_some(), given);
    }
}
