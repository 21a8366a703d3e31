//! What an answer tells of files that changed, as far as it has room.

use super::{FileUpdate, PendingUpdate};

/// Files that one answer tells of. 100: what remains is told by the next.
const MAX_FILES: usize = 100;

/// Updates on their way into an answer.
pub(crate) struct UpdateCollector<'a> {
    takes: &'a mut dyn FnMut(&FileUpdate) -> bool,
    told: Vec<PendingUpdate>,
    /// Files that cannot be read, which are told of each time: last, so that they never keep others from being told.
    unreadable: Vec<PendingUpdate>,
    updates: usize,
    /// Files that are too long to be told of in any answer.
    too_long: usize,
    /// Files that were not looked at.
    pub(crate) left: usize,
}

impl<'a> UpdateCollector<'a> {
    /// An answer without updates yet; `takes` says whether it has room for another, which is then gone.
    pub(crate) fn new(takes: &'a mut dyn FnMut(&FileUpdate) -> bool) -> Self {
        Self { takes, told: Vec::new(), unreadable: Vec::new(), updates: 0, too_long: 0, left: 0 }
    }

    /// Whether the answer tells of as many files as it may.
    pub(crate) fn is_full(&self) -> bool {
        self.updates >= MAX_FILES
    }

    /// Tells of one file; `false` where that is for the next answer.
    pub(crate) fn add(&mut self, told: PendingUpdate) -> bool {
        let Some(update) = &told.update else {
            self.told.push(told);
            return true;
        };
        if update.is_unreadable() {
            self.unreadable.push(told);
            return true;
        }
        if (self.takes)(update) {
            self.push(told);
            return true;
        }
        // The next answer has no more room than this one had.
        let is_empty = self.updates == 0;
        if is_empty {
            self.tell_without_details(told);
        }
        is_empty
    }

    fn tell_without_details(&mut self, told: PendingUpdate) {
        match told.without_details().filter(|told| told.update.as_ref().is_some_and(&mut *self.takes)) {
            Some(told) => self.push(told),
            None => self.too_long += 1,
        }
    }

    fn push(&mut self, told: PendingUpdate) {
        self.updates += 1;
        self.told.push(told);
    }

    /// All that is told. What could not be is said in `notes`.
    pub(crate) fn finish(&mut self, notes: &mut Vec<String>) -> Vec<PendingUpdate> {
        let mut unnamed = 0;
        for told in std::mem::take(&mut self.unreadable) {
            if !self.is_full() && told.update.as_ref().is_some_and(&mut *self.takes) {
                self.push(told);
            } else {
                unnamed += 1;
            }
        }
        let untold = [
            (unnamed, "cannot be read now; there is no room to name what"),
            (self.too_long, "changed, but cannot be told of: not even the name fits into an answer (max_result_bytes)"),
        ];
        let untold = untold.into_iter().filter(|(count, _)| *count > 0);
        notes.extend(untold.map(|(count, what)| format!("{} {what}.", files(count))));
        std::mem::take(&mut self.told)
    }
}

fn files(count: usize) -> String {
    if count == 1 { "1 more file".to_owned() } else { format!("{count} more files") }
}
