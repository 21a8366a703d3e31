//! Whatever happens to a conversation, nothing is held that was not delivered, and nothing durable is lost.
//!
//! A model of sets runs beside two processes on one store, of each kind. Two bounds make it simple: what *may* be held (all that was
//! delivered and not forgotten since) and what *must* be (all that was committed while nothing interfered). A page that
//! an answer leaves out must lie within the first, and at the end the store must hold all of the second.
//!
//! `PAGEWISE_SEQUENCES=100000 cargo test --test main context_machine` runs more than each test does otherwise.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pagewise::context::{
    AnswerSettings, ContextManager, ConversationPoint, FileAnswer, FileChange, FileRequest, ForgetRequest,
    RequestedPart,
};
use pagewise::worker::{InProcessReader, Reader};
use pagewise_base::hash::PageFingerprint;
use pagewise_base::limits::{Cancellation, Limits};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_render::NoFonts;
#[cfg(feature = "postgres")]
use pagewise_store::PostgresStore;
use pagewise_store::{MemoryStore, SqliteStore, ViewStore};
use pagewise_view::{ConversationId, PageForm};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use tempfile::TempDir;

use crate::support::context_bench::{Words, reading};
use crate::support::scripted_store::loaded;

const FILES: usize = 3;
const CONVERSATIONS: usize = 2;
const MAX_CONVERSATIONS: usize = 4;

#[derive(Debug, Clone, Copy)]
enum Then {
    Deliver,
    Cancel,
    /// Cancelled after it was delivered.
    TakeBack,
    Later,
}

#[derive(Debug, Clone, Copy)]
enum Generation {
    Unnamed,
    Current,
    Stale,
}

#[derive(Debug, Clone, Copy)]
enum Gone {
    Everything,
    AllButFiles,
    File(usize),
    Page(usize, u32),
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Write {
        file: usize,
        content: usize,
    },
    Delete {
        file: usize,
    },
    Rename {
        from: usize,
        to: usize,
    },
    Copy {
        from: usize,
        to: usize,
    },
    /// A page, or all of the file where `page` is `None`; the summary where `whole`.
    Ask {
        who: Who,
        file: usize,
        page: Option<u32>,
        whole: bool,
        text: bool,
        force: bool,
        generation: Generation,
        then: Then,
    },
    Settle {
        at: usize,
        deliver: bool,
    },
    Updates {
        who: Who,
        deliver: bool,
    },
    Forget {
        who: Who,
        what: Gone,
    },
    Compact {
        who: Who,
    },
    Fork {
        who: Who,
        at_mark: bool,
    },
    Mark {
        who: Who,
    },
    /// The process ends without a word, and another takes its place.
    Crash {
        process: usize,
    },
}

/// A process and one of its conversations.
#[derive(Debug, Clone, Copy)]
struct Who {
    process: usize,
    conversation: usize,
}

fn step() -> impl Strategy<Value = Step> {
    let file = 0..FILES;
    let who = || (0_usize..2, 0..MAX_CONVERSATIONS).prop_map(|(process, conversation)| Who { process, conversation });
    let then = prop_oneof![6 => Just(Then::Deliver), 1 => Just(Then::Cancel), 1 => Just(Then::TakeBack), 2 => Just(Then::Later)];
    let generation =
        prop_oneof![3 => Just(Generation::Unnamed), 2 => Just(Generation::Current), 1 => Just(Generation::Stale)];
    let page = prop_oneof![2 => Just(None), 1 => (0_u32..4).prop_map(Some)];
    let modes = (prop::bool::weighted(0.15), prop::bool::weighted(0.3), prop::bool::weighted(0.1));
    let ask = (who(), file.clone(), page, modes, generation, then).prop_map(
        |(who, file, page, (whole, text, force), generation, then)| Step::Ask {
            who,
            file,
            page,
            whole,
            text,
            force,
            generation,
            then,
        },
    );
    let gone = prop_oneof![
        1 => Just(Gone::Everything),
        1 => Just(Gone::AllButFiles),
        2 => file.clone().prop_map(Gone::File),
        2 => (file.clone(), 0_u32..4).prop_map(|(file, page)| Gone::Page(file, page)),
    ];
    prop_oneof![
        5 => (file.clone(), 0_usize..64).prop_map(|(file, content)| Step::Write { file, content }),
        1 => file.clone().prop_map(|file| Step::Delete { file }),
        1 => (file.clone(), file.clone()).prop_map(|(from, to)| Step::Rename { from, to }),
        2 => (file.clone(), file.clone()).prop_map(|(from, to)| Step::Copy { from, to }),
        12 => ask,
        3 => (0_usize..4, any::<bool>()).prop_map(|(at, deliver)| Step::Settle { at, deliver }),
        3 => (who(), prop::bool::weighted(0.8)).prop_map(|(who, deliver)| Step::Updates { who, deliver }),
        2 => (who(), gone).prop_map(|(who, what)| Step::Forget { who, what }),
        1 => who().prop_map(|who| Step::Compact { who }),
        1 => (who(), any::<bool>()).prop_map(|(who, at_mark)| Step::Fork { who, at_mark }),
        1 => who().prop_map(|who| Step::Mark { who }),
        1 => (0_usize..2).prop_map(|process| Step::Crash { process }),
    ]
}

/// What a file can hold: its bytes, and its pages where it is a PDF.
struct Content {
    bytes: Vec<u8>,
    pages: Option<Vec<PageFingerprint>>,
}

/// Opens the store that all processes share.
type OpenStore = Box<dyn Fn() -> Arc<dyn ViewStore> + Send>;

/// Where sequences run: a store that all share, and files that each writes anew.
struct Ground {
    open_store: OpenStore,
    files: TempDir,
    contents: Vec<Content>,
    reader: Arc<dyn Reader>,
    sequences: AtomicU64,
}

impl Ground {
    fn new(contents: Vec<Vec<u8>>, reader: Arc<dyn Reader>, open_store: OpenStore) -> Self {
        let content = |bytes: Vec<u8>| {
            let document = bytes
                .starts_with(b"%PDF")
                .then(|| reader.open(Arc::new(bytes.clone()), None, &Cancellation::new()).unwrap());
            let pages = document.map(|document| {
                PageSet::all(document.page_count()).iter().map(|page| document.fingerprint(page).unwrap()).collect()
            });
            Content { bytes, pages }
        };
        let contents = contents.into_iter().map(content).collect();
        let files = tempfile::tempdir().unwrap();
        Self { open_store, files, contents, reader, sequences: AtomicU64::new(0) }
    }

    fn process(&self) -> ContextManager {
        reading(self.files.path(), Arc::clone(&self.reader), (self.open_store)(), AnswerSettings::default())
    }
}

/// What the model knows of one conversation.
#[derive(Debug, Clone, Default)]
struct Model {
    may: BTreeSet<GivenPage>,
    must: BTreeSet<GivenPage>,
    /// Pages that are surely recorded as given from a file: forgetting it forgets them.
    via: BTreeMap<usize, BTreeSet<GivenPage>>,
    /// Files given whole: summaries, texts.
    wholes: BTreeSet<(usize, usize)>,
    /// Files that are surely followed: what becomes of them is told, whatever became of others of their content.
    followed: BTreeSet<usize>,
    generation: u64,
    /// How often something was forgotten by name.
    forgets: u64,
    /// How often anything happened that a delivery planned before may not be recorded for.
    disturbances: u64,
    /// The content of each file when its pages were last spoken of.
    told: BTreeMap<usize, usize>,
    mark: Option<(ConversationPoint, BTreeSet<GivenPage>)>,
}

/// A page, by its fingerprint, and the form in which it was given.
type GivenPage = (PageFingerprint, PageForm);

impl Model {
    fn lose(&mut self, given: &BTreeSet<GivenPage>) {
        self.may.retain(|page| !given.contains(page));
        self.via.values_mut().for_each(|via| via.retain(|page| !given.contains(page)));
    }

    /// These may be forgotten under every name: who gave them is known no more.
    fn lose_track(&mut self, words: &BTreeSet<PageFingerprint>) {
        self.via.values_mut().for_each(|via| via.retain(|(word, _)| !words.contains(word)));
    }

    fn forget_all_but_files(&mut self) {
        let followed = std::mem::take(&mut self.followed);
        self.forget_all();
        self.followed = followed;
    }

    fn forget_all(&mut self) {
        let (generation, forgets, disturbances) = (self.generation, self.forgets, self.disturbances);
        *self = Self { generation, forgets: forgets + 1, disturbances: disturbances + 1, ..Self::default() };
    }

    fn forget_file(&mut self, file: usize, ever: &BTreeSet<PageFingerprint>) {
        let via = self.via.remove(&file).unwrap_or_default();
        self.lose(&via);
        self.lose_track(ever);
        self.must.retain(|(word, _)| !ever.contains(word));
        self.wholes.retain(|(given, _)| *given != file);
        self.followed.remove(&file);
        self.forgets += 1;
        self.disturbances += 1;
    }
}

struct Pending {
    process: usize,
    conversation: usize,
    file: usize,
    content: usize,
    answer: FileAnswer,
    is_stale: bool,
    forgets: u64,
    disturbances: u64,
}

struct Run<'g> {
    ground: &'g Ground,
    processes: [ContextManager; 2],
    conversations: Vec<(ConversationId, Model)>,
    files: [Option<usize>; FILES],
    /// Pages that each file ever had.
    ever: [BTreeSet<PageFingerprint>; FILES],
    /// By what a page that was given is known.
    identities: BTreeMap<GivenPage, PageFingerprint>,
    pending: Vec<Pending>,
}

type Checked = Result<(), TestCaseError>;

impl<'g> Run<'g> {
    fn new(ground: &'g Ground) -> Self {
        let number = ground.sequences.fetch_add(1, Ordering::Relaxed);
        let conversation = |at: usize| (format!("{number}-{at}").parse().unwrap(), Model::default());
        let mut run = Self {
            ground,
            processes: [ground.process(), ground.process()],
            conversations: (0..CONVERSATIONS).map(conversation).collect(),
            files: [None; FILES],
            ever: [const { BTreeSet::new() }; FILES],
            identities: BTreeMap::new(),
            pending: Vec::new(),
        };
        (0..FILES).for_each(|file| run.write(file, file));
        run
    }

    fn name(file: usize) -> String {
        format!("file-{file}")
    }

    fn path(&self, file: usize) -> std::path::PathBuf {
        self.ground.files.path().join(Self::name(file))
    }

    fn write(&mut self, file: usize, content: usize) {
        let content = content % self.ground.contents.len();
        let there = &self.ground.contents[content];
        // Replaced by rename, as editors do.
        let beside = self.ground.files.path().join(".beside");
        std::fs::write(&beside, &there.bytes).unwrap();
        std::fs::rename(&beside, self.path(file)).unwrap();
        self.files[file] = Some(content);
        self.ever[file].extend(there.pages.iter().flatten());
    }

    fn delete(&mut self, file: usize) {
        if self.files[file].take().is_some() {
            std::fs::remove_file(self.path(file)).unwrap();
        }
    }

    fn rename(&mut self, from: usize, to: usize) {
        if let Some(content) = self.files[from].filter(|_| from != to) {
            self.write(to, content);
            self.delete(from);
        }
    }

    fn copy(&mut self, from: usize, to: usize) {
        if let Some(content) = self.files[from] {
            self.write(to, content);
        }
    }

    fn take(&mut self, step: Step) -> Checked {
        match step {
            Step::Write { file, content } => self.write(file, content),
            Step::Delete { file } => self.delete(file),
            Step::Rename { from, to } => self.rename(from, to),
            Step::Copy { from, to } => self.copy(from, to),
            Step::Ask { .. } => return self.ask(step),
            Step::Settle { at, deliver } if at < self.pending.len() => {
                let pending = self.pending.remove(at);
                if deliver {
                    self.deliver(pending);
                }
            }
            Step::Settle { .. } => {}
            Step::Updates { who, deliver } => return self.updates(self.existing(who), deliver),
            Step::Forget { who, what } => self.forget(self.existing(who), what),
            Step::Compact { who } => self.compact(self.existing(who)),
            Step::Fork { who, at_mark } => self.fork(self.existing(who), at_mark),
            Step::Mark { who } => self.mark(self.existing(who)),
            Step::Crash { process } => {
                self.pending.retain(|pending| pending.process != process);
                self.processes[process] = self.ground.process();
            }
        }
        Ok(())
    }

    fn existing(&self, who: Who) -> Who {
        Who { conversation: who.conversation % self.conversations.len(), ..who }
    }

    fn ask(&mut self, step: Step) -> Checked {
        let Step::Ask { who, file, page, whole, text, force, generation, then } = step else { return Ok(()) };
        let who = self.existing(who);
        let Some(content) = self.files[file] else { return Ok(()) };
        let (id, model) = &self.conversations[who.conversation];
        let pages = self.ground.contents[content].pages.as_deref();
        let mut request = FileRequest::whole(&Self::name(file));
        let is_stale = matches!(generation, Generation::Stale) && model.generation > 0;
        request.generation = match generation {
            Generation::Unnamed => None,
            Generation::Current => Some(model.generation),
            Generation::Stale => Some(model.generation.saturating_sub(1)),
        };
        request.conversation = Some(id.clone());
        request.force = force;
        request.form = if text { PageForm::Text } else { PageForm::Document };
        request.part = match (pages, page) {
            (None, _) => RequestedPart::Summary,
            (Some(_), _) if whole => RequestedPart::Summary,
            (Some(_), Some(page)) => RequestedPart::Index(page.into()),
            (Some(_), None) => RequestedPart::Selection("1-".into()),
        };
        let is_whole = request.part == RequestedPart::Summary;
        // Past the end: refused, and nothing happens.
        let Ok(answer) = self.processes[who.process].get_file(&request) else { return Ok(()) };
        for page in answer.details.already_held.iter() {
            let word = pages.unwrap()[page.0 as usize];
            prop_assert!(!force && !is_stale, "left out though asked for");
            prop_assert!(model.may.contains(&(word, request.form)), "page {} was never delivered", page.number());
        }
        if is_whole && is_suppressed(&answer) {
            prop_assert!(!force && !is_stale, "left out though asked for");
            prop_assert!(model.wholes.iter().any(|(_, given)| *given == content), "the file was never delivered");
        }
        let (forgets, disturbances) = (model.forgets, model.disturbances);
        let Who { process, conversation } = who;
        let pending = Pending { process, conversation, file, content, answer, is_stale, forgets, disturbances };
        match then {
            Then::Deliver => self.deliver(pending),
            Then::Cancel => {}
            Then::TakeBack => self.take_back(pending),
            Then::Later if self.pending.len() < 4 => self.pending.push(pending),
            Then::Later => {}
        }
        Ok(())
    }

    fn deliver(&mut self, pending: Pending) {
        let Pending { conversation, file, content, answer, is_stale, forgets, disturbances, .. } = pending;
        let model = &mut self.conversations[conversation].1;
        let is_whole = answer.details.sent.is_empty() && answer.details.already_held.is_empty();
        let is_new = !is_suppressed(&answer);
        let mut sent: Vec<GivenPage> = Vec::new();
        for page in &answer.details.sent {
            let Some(identity) = page.fingerprint else { continue };
            let word = self.ground.contents[content].pages.as_ref().unwrap()[page.page.index().0 as usize];
            self.identities.insert((word, page.form), identity);
            sent.push((word, page.form));
        }
        let told = answer.details.changes.is_some();
        answer.delivery.commit().unwrap();
        if is_stale || forgets != model.forgets {
            return;
        }
        let is_sure = disturbances == model.disturbances;
        if told {
            let now: BTreeSet<_> = self.ground.contents[content].pages.iter().flatten().copied().collect();
            retell(model, &now, &self.ever[file]);
        }
        if is_sure {
            model.told.insert(file, content);
        } else {
            model.told.remove(&file);
        }
        model.may.extend(sent.iter().copied());
        if is_whole && is_new {
            model.wholes.insert((file, content));
        }
        if is_sure {
            model.followed.insert(file);
            model.via.entry(file).or_default().extend(sent.iter().copied());
            model.must.extend(sent);
        }
    }

    /// As if it had never been given; but what was told is gone stays so, and what was given anew may be gone with it.
    fn take_back(&mut self, pending: Pending) {
        let Pending { conversation, file, answer, .. } = pending;
        answer.delivery.commit().unwrap().take_back().unwrap();
        let model = &mut self.conversations[conversation].1;
        model.lose_track(&self.ever[file]);
        model.must.retain(|(word, _)| !self.ever[file].contains(word));
        model.told.remove(&file);
        model.followed.remove(&file);
        model.disturbances += 1;
    }

    fn updates(&mut self, who: Who, deliver: bool) -> Checked {
        let (id, model) = &mut self.conversations[who.conversation];
        let updates = self.processes[who.process].updates(id, None, &Cancellation::new()).unwrap();
        let changes: Vec<(usize, FileChange)> =
            updates.files.iter().map(|update| (file_of(Path::new(&update.path)), update.change.clone())).collect();
        for (file, change) in &changes {
            prop_assert_eq!(*change == FileChange::Deleted, self.files[*file].is_none(), "{:?}", change);
        }
        for file in &model.followed {
            let there = self.files[*file];
            let is_text = there.is_some_and(|content| self.ground.contents[content].pages.is_none());
            let is_other = model.told.get(file).is_some_and(|told| Some(*told) != there);
            let is_told = changes.iter().any(|(told, _)| told == file);
            prop_assert!(is_told || !(there.is_none() || is_text && is_other), "nothing is told of file {}", file);
        }
        if !deliver {
            return Ok(());
        }
        updates.delivery.commit().unwrap();
        model.disturbances += 1;
        for (file, content) in self.files.iter().enumerate() {
            let pages = content.and_then(|content| self.ground.contents[content].pages.as_ref());
            let now: BTreeSet<_> = pages.into_iter().flatten().copied().collect();
            if model.told.get(&file) != content.as_ref() {
                retell(model, &now, &self.ever[file]);
            }
            if let Some(content) = content {
                model.told.insert(file, *content);
            }
        }
        for (file, _) in changes.iter().filter(|(_, change)| matches!(change, FileChange::WholeText { .. })) {
            model.wholes.extend(self.files[*file].map(|content| (*file, content)));
        }
        for (file, _) in changes.iter().filter(|(_, change)| *change == FileChange::Deleted) {
            model.forget_file(*file, &self.ever[*file]);
            model.told.remove(file);
        }
        let again = self.processes[1 - who.process].updates(id, None, &Cancellation::new()).unwrap();
        prop_assert!(again.files.is_empty(), "told twice: {:?}", again.files);
        Ok(())
    }

    fn forget(&mut self, who: Who, what: Gone) {
        let (id, model) = &mut self.conversations[who.conversation];
        let page = |page: u32| [PageIndex(page)].into_iter().collect::<PageSet>();
        let request = match what {
            Gone::Everything => ForgetRequest::default(),
            Gone::AllButFiles => ForgetRequest { keep_files: true, ..ForgetRequest::default() },
            Gone::File(file) => ForgetRequest { file: Some(Self::name(file)), ..ForgetRequest::default() },
            Gone::Page(file, at) => {
                ForgetRequest { file: Some(Self::name(file)), pages: Some(page(at)), keep_files: false }
            }
        };
        self.processes[who.process].forget(id, &request).unwrap();
        match what {
            Gone::Everything => model.forget_all(),
            Gone::AllButFiles => model.forget_all_but_files(),
            Gone::File(file) => model.forget_file(file, &self.ever[file]),
            Gone::Page(file, at) => {
                // Pages are named as they were told last; where the file has changed since, all of it is in doubt.
                let content = self.files[file].filter(|content| model.told.get(&file) == Some(content));
                let pages = content.and_then(|content| self.ground.contents[content].pages.as_ref());
                let word = pages.and_then(|pages| pages.get(at as usize)).copied();
                let via = model.via.remove(&file).unwrap_or_default();
                let named: BTreeSet<_> = via.iter().copied().filter(|(given, _)| Some(*given) == word).collect();
                // The same page under another number of the file may be recorded under that number alone.
                let is_once = pages.is_some_and(|pages| pages.iter().filter(|page| Some(**page) == word).count() == 1);
                if is_once && via.len() == 1 {
                    model.lose(&named);
                }
                model.lose_track(&self.ever[file]);
                model.must.retain(|(word, _)| !self.ever[file].contains(word));
                model.forgets += 1;
                model.disturbances += 1;
            }
        }
    }

    fn compact(&mut self, who: Who) {
        let (id, model) = &mut self.conversations[who.conversation];
        model.generation += 1;
        self.processes[who.process].enter(id, model.generation).unwrap();
        model.forget_all_but_files();
    }

    fn mark(&mut self, who: Who) {
        let (id, model) = &mut self.conversations[who.conversation];
        let point = self.processes[who.process].status(id, None).unwrap().point;
        model.mark = Some((point, model.may.clone()));
    }

    fn fork(&mut self, who: Who, at_mark: bool) {
        let (id, model) = &self.conversations[who.conversation];
        let mark = model.mark.as_ref().filter(|_| at_mark);
        let as_of = mark.map(|(point, _)| *point);
        // One that nobody wrote to is unknown.
        let Ok(fork) = self.processes[who.process].fork(id, as_of) else { return };
        let mut copy = model.clone();
        if let Some((_, may)) = mark {
            copy.may = may.clone();
            copy.must.clear();
            copy.via.clear();
            copy.told.clear();
            copy.followed.clear();
        }
        copy.mark = None;
        if self.conversations.len() < MAX_CONVERSATIONS {
            self.conversations.push((fork, copy));
        }
    }

    /// After the end of all processes: what the store holds lies between the two bounds.
    fn end(self) -> Checked {
        drop(self.processes);
        let store = (self.ground.open_store)();
        let words: BTreeSet<_> = self.ever.iter().flatten().copied().collect();
        for (id, model) in &self.conversations {
            let view = loaded(store.as_ref(), id);
            for word in &words {
                for form in PageForm::ALL {
                    let one = (*word, form);
                    let held = self.identities.get(&one).is_some_and(|identity| view.holds_page(identity, form));
                    prop_assert!(held || !model.must.contains(&one), "{} lost {:?}", id, one);
                    prop_assert!(!held || model.may.contains(&one), "{} holds {:?}, never delivered", id, one);
                }
            }
        }
        Ok(())
    }
}

/// What may be forgotten when the changes of a file are told: pages that it has no more.
fn retell(model: &mut Model, now: &BTreeSet<PageFingerprint>, ever: &BTreeSet<PageFingerprint>) {
    model.must.retain(|(word, _)| now.contains(word) || !ever.contains(word));
    model.lose_track(&ever.difference(now).copied().collect());
    model.disturbances += 1;
}

fn is_suppressed(answer: &FileAnswer) -> bool {
    let text = answer.blocks.first().and_then(|block| block.text()).unwrap_or_default();
    text.starts_with("This file is already part") || text.starts_with("The summary information for")
}

fn file_of(path: &Path) -> usize {
    path.file_name().unwrap().to_str().unwrap().strip_prefix("file-").unwrap().parse().unwrap()
}

/// Documents of few pages, so that pages meet again in other places; and texts.
fn words() -> Vec<Vec<u8>> {
    let documents = ["a", "ab", "ba", "abc", "axc", "nabc", "ac", "cba", "aab", "abcd", "dcba", "bcd", "xy", "aa"];
    let pdf = |pages: &&str| {
        let lines: Vec<String> = pages.chars().map(|page| format!("page {page}")).collect();
        format!("%PDF-1.7\n{}\n", lines.join("\n")).into_bytes()
    };
    let texts = ["one\n", "two\nlines\n"];
    documents.iter().map(pdf).chain(texts.iter().map(|text| text.as_bytes().to_vec())).collect()
}

fn run(ground: &Ground, steps: &[Step]) -> Checked {
    let mut run = Run::new(ground);
    steps.iter().try_for_each(|step| run.take(*step))?;
    run.end()
}

/// How many sequences a test runs: as many as the variable says, or else `usual`.
fn sequences(usual: u32) -> u32 {
    std::env::var("PAGEWISE_SEQUENCES").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// Runs `cases` sequences of at most `steps` steps.
fn check(ground: Ground, cases: u32, steps: usize) {
    let config = ProptestConfig { source_file: Some(file!()), ..ProptestConfig::with_cases(cases) };
    // One sequence at a time.
    let ground = Mutex::new(ground);
    let outcome = TestRunner::new(config).run(&prop::collection::vec(step(), 1..steps), |steps| {
        run(&ground.lock().unwrap_or_else(PoisonError::into_inner), &steps)
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

fn on_sqlite() -> OpenStore {
    let data = tempfile::tempdir().unwrap();
    Box::new(move || Arc::new(SqliteStore::open(data.path()).unwrap().0))
}

#[test]
fn nothing_is_held_that_was_not_delivered_and_nothing_durable_is_lost() {
    check(Ground::new(words(), Arc::new(Words), on_sqlite()), sequences(256), 24);
}

#[test]
fn the_same_holds_in_memory() {
    let store = Arc::new(MemoryStore::default());
    check(Ground::new(words(), Arc::new(Words), Box::new(move || store.clone())), sequences(256), 24);
}

#[cfg(feature = "postgres")]
#[test]
fn the_same_holds_on_postgresql() {
    let Some(server) = crate::support::postgres::shared() else { return };
    let address = server.database();
    let open = move || PostgresStore::open(address.parse().unwrap(), 2).unwrap().0;
    check(Ground::new(words(), Arc::new(Words), Box::new(move || Arc::new(open()))), sequences(48), 24);
}

#[test]
fn the_same_holds_over_real_documents() {
    let reader: Arc<dyn Reader> = Arc::new(InProcessReader::new(Limits::default(), Arc::new(NoFonts)));
    let names = ["report-v1.pdf", "report-v2.pdf", "incremental.pdf", "picture.png"];
    let contents = names.iter().map(|name| std::fs::read(crate::support::fixture(name)).unwrap()).collect();
    let ground = Ground::new(contents, reader, on_sqlite());
    assert!(ground.contents[0].pages.as_ref().unwrap().len() > 1);
    check(ground, 6, 16);
}
