//! A conversation as one value, and the rules that change it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::conversation_id::Principal;
use super::conversation_view::ConversationView;
use super::forget::ForgetScope;
use super::history::{ConversationHistory, StepKind};
use super::holding::{FileKey, Holding, Sequence};
use pagewise_base::hash::ContentHash;

/// Maximum number of holdings of a conversation. The oldest are dropped, and sent again when they are asked for.
pub const MAX_HOLDINGS: usize = 10_000;

/// Number of holdings that are left after the oldest were dropped. Fewer than the maximum, since each drop costs as much
/// as reading the conversation anew.
const KEPT_HOLDINGS: usize = MAX_HOLDINGS - MAX_HOLDINGS / 16;

/// A conversation. The default is one that no store knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    /// Identifies this value in its store.
    pub revision: Revision,
    /// Its counters, owner and usage.
    pub head: ConversationHead,
    /// What it holds.
    pub view: ConversationView,
    /// The paths of its files.
    pub names: BTreeMap<FileKey, String>,
    /// Page counts of its documents.
    pub page_counts: BTreeMap<ContentHash, u32>,
    /// What happened in it, for people. No rule rests on it.
    pub history: ConversationHistory,
}

/// Identifies one stored value of a conversation. Values are compared by it alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Revision {
    /// A random number of 63 bits, new with each value; 0 if nothing is stored. Random, since a database that lost commits
    /// would otherwise use numbers again.
    pub number: u64,
    /// The start of the database server that the value was read from; 0 without a server. After a restart, processes may
    /// remember values that the server lost.
    pub server: u64,
}

/// A moment, in seconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Moment(pub u64);

impl From<SystemTime> for Moment {
    /// 0 before 1970.
    fn from(time: SystemTime) -> Self {
        Self(time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs()))
    }
}

impl From<Moment> for SystemTime {
    fn from(moment: Moment) -> Self {
        Self::UNIX_EPOCH.checked_add(Duration::from_secs(moment.0)).unwrap_or(Self::UNIX_EPOCH)
    }
}

/// The point that a plan rests on. Equal only if both numbers are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Version {
    /// [`ConversationHead::begun`]; 0 for an unknown conversation.
    pub begun: u64,
    /// [`ConversationHead::latest`].
    pub latest: Sequence,
}

/// What is known of a conversation beside what it holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationHead {
    /// A random number of 63 bits, never 0, chosen when the conversation was created. A conversation that was dropped and
    /// created again under the same handle has a new one.
    pub begun: u64,
    /// The sequence of the last recording or forget.
    pub latest: Sequence,
    /// The sequence of the last forget or take-back.
    pub forgotten: Sequence,
    /// The sequence at which everything was last forgotten.
    pub emptied: Sequence,
    /// The largest generation that the client named; 0 if none.
    pub generation: u64,
    /// The owner, on a server with several users.
    pub owner: Option<Principal>,
    /// What was sent since everything was last forgotten.
    pub sent: Usage,
    /// When it was created.
    pub created: Moment,
    /// When it was last written to.
    pub used: Moment,
    /// By what people know it.
    pub title: ConversationTitle,
}

/// By what people know a conversation. A part is empty until it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationTitle {
    /// The name of the client.
    pub client: String,
    /// The folder that it works in.
    pub folder: String,
    /// The path of the first file.
    pub file: String,
}

/// How much was sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Media blocks: documents and images.
    pub blocks: u64,
    /// PDF pages among them.
    pub pages: u64,
    /// Bytes of all blocks, with media in base64.
    pub bytes: u64,
    /// Tokens, as estimated.
    pub tokens: u64,
}

/// The record of one delivered answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// The version that the answer was planned on. The default is for unknown conversations; it is refused only if
    /// something was forgotten in the meantime.
    pub planned: Version,
    /// What the answer reported as gone. Forgotten first, under the same sequence.
    pub forget: Vec<ForgetScope>,
    /// What the conversation now holds.
    pub holdings: Vec<Holding>,
    /// The paths of the files among the holdings.
    pub names: BTreeMap<FileKey, String>,
    /// Page counts of documents.
    pub page_counts: BTreeMap<ContentHash, u32>,
    /// How much it was.
    pub sent: Usage,
    /// Names the conversation, as far as it has no name yet.
    pub title: ConversationTitle,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversationChange {
    /// Creates it for its owner. Refused if it exists.
    Begin(Option<Principal>),
    /// Records a delivery. Creates an unknown conversation, unless the delivery was planned on a known one.
    ///
    /// Refused if something was forgotten after [`DeliveryRecord::planned`], or if the conversation was dropped and created
    /// again. What was sent counts all the same, unless everything was forgotten since.
    Record(DeliveryRecord),
    /// Removes the holdings still recorded under a version, and subtracts its usage unless everything was forgotten since.
    /// Counts as a forget, so deliveries planned on these holdings are refused. Refused if the conversation was dropped and
    /// created again.
    TakeBack(Version, Usage),
    /// Forgets. Creates an unknown conversation, so that what was planned before is refused.
    Forget(ForgetScope),
    /// Enters a generation. Refused if it is not larger than all before; otherwise forgets [`ForgetScope::AllButFiles`].
    Enter(u64),
}

/// The result of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangeOutcome {
    /// The new version; `None` if the change was refused.
    pub version: Option<Version>,
    /// What it did to the value.
    pub effect: ChangeEffect,
}

/// What a change did to a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeEffect {
    /// Nothing: it need not be stored.
    None,
    /// Something was added. If a power cut loses it, it is sent again.
    Added,
    /// Something is not held any more. If a power cut lost that, the agent would be left without it.
    Removed,
}

impl Usage {
    /// Adds usage.
    pub fn add(&mut self, more: Self) {
        self.blocks = self.blocks.saturating_add(more.blocks);
        self.pages = self.pages.saturating_add(more.pages);
        self.bytes = self.bytes.saturating_add(more.bytes);
        self.tokens = self.tokens.saturating_add(more.tokens);
    }

    /// Subtracts usage.
    pub fn subtract(&mut self, less: Self) {
        self.blocks = self.blocks.saturating_sub(less.blocks);
        self.pages = self.pages.saturating_sub(less.pages);
        self.bytes = self.bytes.saturating_sub(less.bytes);
        self.tokens = self.tokens.saturating_sub(less.tokens);
    }
}

impl ConversationTitle {
    /// Fills the parts that are not known yet.
    fn complete(&mut self, other: &Self) {
        let parts =
            [(&mut self.client, &other.client), (&mut self.folder, &other.folder), (&mut self.file, &other.file)];
        for (part, other) in parts.into_iter().filter(|(part, _)| part.is_empty()) {
            part.clone_from(other);
        }
    }
}

impl ConversationHead {
    /// The version of what the conversation holds.
    #[must_use]
    pub fn version(&self) -> Version {
        Version { begun: self.begun, latest: self.latest }
    }
}

impl Conversation {
    /// Whether the conversation exists.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.head.begun != 0
    }

    /// Applies a change. `begun` becomes [`ConversationHead::begun`] if the change creates the conversation.
    pub fn apply(&mut self, change: &ConversationChange, now: Moment, begun: u64) -> ChangeOutcome {
        let (version, effect) = match change {
            ConversationChange::Begin(owner) => self.begin_for(*owner, now, begun),
            ConversationChange::Record(delivery) => self.record(delivery, now, begun),
            ConversationChange::TakeBack(at, sent) => self.take_back(*at, *sent, now),
            ConversationChange::Forget(what) => self.forget(what, now, begun),
            ConversationChange::Enter(generation) => self.enter_generation(*generation, now, begun),
        };
        ChangeOutcome { version: version.then(|| self.head.version()), effect }
    }

    fn begin(&mut self, now: Moment, begun: u64) {
        if !self.is_known() {
            self.head = ConversationHead { begun, created: now, used: now, ..ConversationHead::default() };
        }
    }

    fn begin_for(&mut self, owner: Option<Principal>, now: Moment, begun: u64) -> (bool, ChangeEffect) {
        if self.is_known() {
            return (false, ChangeEffect::None);
        }
        self.begin(now, begun);
        self.head.owner = owner;
        (true, ChangeEffect::Added)
    }

    fn record(&mut self, delivery: &DeliveryRecord, now: Moment, begun: u64) -> (bool, ChangeEffect) {
        let planned = delivery.planned;
        if planned.begun != 0 && planned.begun != self.head.begun {
            return (false, ChangeEffect::None);
        }
        self.begin(now, begun);
        if self.head.emptied > planned.latest {
            return (false, ChangeEffect::None);
        }
        self.head.sent.add(delivery.sent);
        self.head.used = self.head.used.max(now);
        if self.head.forgotten > planned.latest {
            return (false, ChangeEffect::Added);
        }
        let at = self.next(now);
        for what in &delivery.forget {
            self.forget_at(what, at);
        }
        self.history.add_step(at, StepKind::Delivery, delivery.sent, now);
        self.view.extend(delivery.holdings.iter().map(|holding| (*holding, at)));
        let is_reported = |(file, _): &(&FileKey, &String)| self.view.last_reported_content(file).is_some();
        let names = delivery.names.iter().filter(is_reported).map(|(file, name)| (*file, name.clone()));
        self.names.extend(names);
        self.page_counts.extend(delivery.page_counts.clone());
        self.head.title.complete(&delivery.title);
        self.drop_oldest();
        (true, if delivery.forget.is_empty() { ChangeEffect::Added } else { ChangeEffect::Removed })
    }

    fn take_back(&mut self, at: Version, sent: Usage, now: Moment) -> (bool, ChangeEffect) {
        if !self.is_known() || self.head.begun != at.begun {
            return (false, ChangeEffect::None);
        }
        self.history.steps.retain(|step| step.at != at.latest);
        if self.head.emptied < at.latest {
            self.head.sent.subtract(sent);
        }
        let gone = self.view.holdings().filter(|(_, recorded)| *recorded == at.latest);
        let gone: Vec<Holding> = gone.map(|(holding, _)| *holding).collect();
        self.view.remove(&gone);
        self.drop_unused();
        self.head.forgotten = self.next(now);
        (true, ChangeEffect::Removed)
    }

    fn forget(&mut self, what: &ForgetScope, now: Moment, begun: u64) -> (bool, ChangeEffect) {
        self.begin(now, begun);
        let at = self.next(now);
        self.forget_at(what, at);
        self.history.add_step(at, StepKind::of(what), Usage::default(), now);
        (true, ChangeEffect::Removed)
    }

    fn enter_generation(&mut self, generation: u64, now: Moment, begun: u64) -> (bool, ChangeEffect) {
        if generation <= self.head.generation {
            return (false, ChangeEffect::None);
        }
        let entered = self.forget(&ForgetScope::AllButFiles, now, begun);
        self.head.generation = generation;
        entered
    }

    /// A copy for another conversation, optionally as of a sequence. Sequences, owner, generation and usage are copied.
    ///
    /// Items given again after `as_of`, or forgotten since, are not copied. They are sent once more.
    #[must_use]
    pub fn fork(&self, as_of: Option<Sequence>, now: Moment, begun: u64) -> Self {
        let is_copied = |at: Sequence| as_of.is_none_or(|as_of| at <= as_of);
        let steps = self.history.steps.iter().copied().filter(|step| is_copied(step.at)).collect();
        let mut fork = Self {
            revision: Revision::default(),
            head: ConversationHead { begun, created: now, used: now, ..self.head.clone() },
            view: self.view.fork(as_of),
            names: self.names.clone(),
            page_counts: self.page_counts.clone(),
            history: ConversationHistory { steps, forgotten: Vec::new() },
        };
        fork.drop_unused();
        fork
    }

    /// The next sequence. Marks the conversation as used.
    fn next(&mut self, now: Moment) -> Sequence {
        self.head.latest = self.head.latest.next();
        self.head.used = self.head.used.max(now);
        self.head.latest
    }

    fn forget_at(&mut self, what: &ForgetScope, at: Sequence) {
        let gone = self.view.forget(what);
        self.history.add_forgotten(what, &gone);
        self.drop_unused();
        self.head.forgotten = at;
        if what.forgets_everything() {
            self.head.sent = Usage::default();
            self.head.emptied = at;
        }
    }

    fn drop_oldest(&mut self) {
        if self.view.len() <= MAX_HOLDINGS {
            return;
        }
        let mut by_age: Vec<(Sequence, Holding)> = self.view.holdings().map(|(holding, at)| (at, *holding)).collect();
        by_age.sort_unstable();
        by_age.truncate(self.view.len().saturating_sub(KEPT_HOLDINGS));
        let oldest: Vec<Holding> = by_age.into_iter().map(|(_, holding)| holding).collect();
        self.view.remove(&oldest);
        self.drop_unused();
    }

    /// Drops the names and page counts of what is neither held nor in the history.
    fn drop_unused(&mut self) {
        let Self { view, names, page_counts, history, .. } = self;
        names.retain(|file, _| view.last_reported_content(file).is_some() || history.forgotten_pages(*file).is_some());
        let contents: BTreeSet<ContentHash> = view.holdings().map(|(holding, _)| holding.content).collect();
        page_counts.retain(|content, _| contents.contains(content));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeldItem;

    fn followed(number: u32) -> Holding {
        let mut key = [0; 32];
        key.iter_mut().zip(number.to_be_bytes()).for_each(|(byte, part)| *byte = part);
        Holding { content: ContentHash(key), file: FileKey(key), what: HeldItem::Followed }
    }

    fn given(conversation: &mut Conversation, numbers: std::ops::Range<u32>) {
        let (planned, holdings) = (conversation.head.version(), numbers.map(followed).collect());
        let delivery = DeliveryRecord { planned, holdings, ..DeliveryRecord::default() };
        let outcome = conversation.apply(&ConversationChange::Record(delivery), Moment(1), 7);
        assert_eq!(outcome.version, Some(conversation.head.version()));
    }

    #[test]
    fn the_oldest_holdings_go_first_beyond_the_maximum() {
        let max = u32::try_from(MAX_HOLDINGS).unwrap_or(0);
        let mut conversation = Conversation::default();
        given(&mut conversation, 1..max);
        given(&mut conversation, 0..1);
        assert_eq!(conversation.view.len(), MAX_HOLDINGS);
        given(&mut conversation, max..max + 1);
        assert_eq!(conversation.view.len(), KEPT_HOLDINGS);
        assert!([0, max, max - 1].iter().all(|number| conversation.view.contains(&followed(*number))));
        assert!(!conversation.view.contains(&followed(1)));
    }

    #[test]
    fn a_title_keeps_what_was_known_first() {
        let title = |client: &str, file: &str| ConversationTitle {
            client: client.to_owned(),
            file: file.to_owned(),
            ..ConversationTitle::default()
        };
        let mut known = title("", "a.pdf");
        known.complete(&title("one", "b.pdf"));
        known.complete(&title("two", ""));
        assert_eq!(known, title("one", "a.pdf"));
    }
}
