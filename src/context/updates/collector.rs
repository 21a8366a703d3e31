//! Collects file updates until an answer is full.

use super::file_update::{FileUpdate, PendingUpdate};

/// Files reported in one answer. The next answer reports the rest.
const MAX_FILES: usize = 100;

/// The updates of one answer.
pub(crate) struct UpdateCollector<'a> {
    takes: &'a mut dyn FnMut(&FileUpdate) -> bool,
    reported: Vec<PendingUpdate>,
    /// Unreadable files, which every answer reports. They come last, so that they do not displace others.
    unreadable: Vec<PendingUpdate>,
    updates: usize,
    /// Files whose update fits into no answer.
    too_long: usize,
    /// Files that were not checked.
    pub(crate) left: usize,
}

impl<'a> UpdateCollector<'a> {
    /// An empty collector. `takes` says whether an update fits, and takes its room.
    pub(crate) fn new(takes: &'a mut dyn FnMut(&FileUpdate) -> bool) -> Self {
        Self { takes, reported: Vec::new(), unreadable: Vec::new(), updates: 0, too_long: 0, left: 0 }
    }

    /// Whether the answer reports as many files as it may.
    pub(crate) fn is_full(&self) -> bool {
        self.updates >= MAX_FILES
    }

    /// Adds an update. `false` if it has to wait for the next answer.
    pub(crate) fn add(&mut self, pending: PendingUpdate) -> bool {
        let Some(update) = &pending.update else {
            self.reported.push(pending);
            return true;
        };
        if update.is_unreadable() {
            self.unreadable.push(pending);
            return true;
        }
        if (self.takes)(update) {
            self.push(pending);
            return true;
        }
        // The next answer would have no more room than this one.
        let is_empty = self.updates == 0;
        if is_empty {
            self.report_without_details(pending);
        }
        is_empty
    }

    fn report_without_details(&mut self, pending: PendingUpdate) {
        match pending.without_details().filter(|pending| pending.update.as_ref().is_some_and(&mut *self.takes)) {
            Some(pending) => self.push(pending),
            None => self.too_long += 1,
        }
    }

    fn push(&mut self, pending: PendingUpdate) {
        self.updates += 1;
        self.reported.push(pending);
    }

    /// All collected updates. Adds what could not be reported to `notes`.
    pub(crate) fn finish(&mut self, notes: &mut Vec<String>) -> Vec<PendingUpdate> {
        let mut unnamed = 0;
        for pending in std::mem::take(&mut self.unreadable) {
            if !self.is_full() && pending.update.as_ref().is_some_and(&mut *self.takes) {
                self.push(pending);
            } else {
                unnamed += 1;
            }
        }
        let omitted = [
            (unnamed, "cannot be read now; there is no room to say which"),
            (
                self.too_long,
                "changed, but cannot be reported: not even the name fits into an answer (max_result_bytes)",
            ),
        ];
        let omitted = omitted.into_iter().filter(|(count, _)| *count > 0);
        notes.extend(omitted.map(|(count, what)| format!("{} {what}.", files(count))));
        std::mem::take(&mut self.reported)
    }
}

fn files(count: usize) -> String {
    if count == 1 { "1 more file".to_owned() } else { format!("{count} more files") }
}
