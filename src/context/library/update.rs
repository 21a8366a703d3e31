//! Brings an index up to date with the files of a search.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard, TryLockError};
use std::time::{Duration, Instant, SystemTime};

use super::document_text::{NotRead, document_text};
use super::scope::{ScopeFile, SearchFiles};
use super::{RankedRequest, with_index};
use crate::context::ContextManager;
use crate::context::error::ContextError;
use crate::context::files::IdentifiedFile;
use crate::context::folder::why_not_opened;
use crate::context::progress::ProgressListener;
use crate::source::{OpenFile, is_upload};
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::{StopReason, watch_this_thread};
use pagewise_library::{DocumentText, FileRecord, Index, IndexBatch, IndexLock, KnownFile, PageTextToIndex};

/// Documents that were read and wait to be added.
const MAX_WAITING: usize = 4;

/// Time after which a batch is added even if it is small, so that little is lost if the process ends.
const BATCH_TIME: Duration = Duration::from_secs(3);

/// Time between two attempts to become the one who writes.
const PATIENCE: Duration = Duration::from_millis(20);

/// Time in which another writer must end, if the request has no deadline.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// A file that was read for the index.
struct ReadFile {
    key: String,
    record: FileRecord,
    /// `None` if the index has the document.
    text: Option<Result<DocumentText, String>>,
}

/// What an index has after an update.
pub(super) struct Updated {
    /// Of each file as it is; `None` if it has not been read.
    pub(super) known: Vec<Option<KnownFile>>,
    /// Files that were not read for lack of time.
    pub(super) left: usize,
}

/// The right to write an index.
struct WriteAccess<'a> {
    _process: MutexGuard<'a, ()>,
    _lock: IndexLock,
}

impl ContextManager {
    /// Reads files that are new or changed, and forgets those that are gone.
    pub(super) fn update_index(
        &self,
        request: &RankedRequest,
        files: &SearchFiles,
        index: &RwLock<Index>,
        progress: &dyn ProgressListener,
    ) -> Result<Updated, ContextError> {
        let known = with_index(index, |index| known_files(files, index));
        let stale = self.stale(files, &known);
        let gone = with_index(index, |index| gone_files(files, index));
        if stale.is_empty() && gone.is_empty() {
            return Ok(Updated { known, left: 0 });
        }
        let Some(_access) = self.write_access(request, index)? else {
            return Ok(Updated { left: stale.len(), known });
        };
        let known = with_index(index, |index| known_files(files, index));
        let left = self.read_all(request, &self.stale(files, &known), None, index, progress);
        // A renamed file is the same document, so the old name goes last.
        let mut gone = with_index(index, |index| gone_files(files, index));
        gone.extend(with_index(index, |index| self.gone_uploads(index)));
        write(index).forget(&gone);
        request.cancellation.check().map_err(|stopped| stopped_search(request, stopped))?;
        Ok(Updated { known: with_index(index, |index| known_files(files, index)), left })
    }

    /// Recognises pages without usable text, as far as the budget of the request goes. Returns what the index has then.
    pub(super) fn recognise(
        &self,
        request: &RankedRequest,
        files: &SearchFiles,
        index: &RwLock<Index>,
        progress: &dyn ProgressListener,
    ) -> Result<Vec<Option<KnownFile>>, ContextError> {
        if let Some(_access) = self.write_access(request, index)? {
            let known = with_index(index, |index| known_files(files, index));
            let (again, contents): (Vec<_>, HashSet<_>) = unrecognised(files, &known).into_iter().unzip();
            self.read_all(request, &again, Some(&contents), index, progress);
            request.cancellation.check().map_err(|stopped| stopped_search(request, stopped))?;
        }
        Ok(with_index(index, |index| known_files(files, index)))
    }

    /// The uploads that the index has and that expired.
    fn gone_uploads(&self, index: &Index) -> Vec<String> {
        let mut gone = index.files();
        gone.retain(|file| is_upload(file) && self.sources.uploaded(file).is_err());
        gone
    }

    fn stale<'a>(&self, files: &'a SearchFiles, known: &[Option<KnownFile>]) -> Vec<&'a ScopeFile> {
        let now = SystemTime::now();
        let all = files.files.iter().zip(known);
        all.filter(|(file, known)| !self.is_fresh(file, known.as_ref(), now)).map(|(file, _)| file).collect()
    }

    fn is_fresh(&self, file: &ScopeFile, known: Option<&KnownFile>, now: SystemTime) -> bool {
        // A file that cannot be opened has nothing to read.
        let Ok(stat) = &file.stat else { return true };
        let Some(known) = known else { return false };
        // Another change right after the last may have left the same stat.
        !stat.is_recent(now) || self.hash_of(file).is_ok_and(|(_, content)| content == known.file.content)
    }

    fn hash_of(&self, file: &ScopeFile) -> Result<(Arc<OpenFile>, ContentHash), &'static str> {
        let opened = self.open_scope_file(file).map_err(|error| why_not_opened(&error))?;
        let content = self.hashes.content_hash(&opened, SystemTime::now()).map_err(|error| why_not_opened(&error))?;
        Ok((Arc::new(opened), content))
    }

    /// Waits until nobody else writes, and looks at what they wrote; `None` if that lasts too long.
    fn write_access(
        &self,
        request: &RankedRequest,
        index: &RwLock<Index>,
    ) -> Result<Option<WriteAccess<'_>>, ContextError> {
        let deadline = request.deadline.unwrap_or_else(|| Instant::now() + LONGEST_WAIT);
        while Instant::now() < deadline {
            request.cancellation.check().map_err(|stopped| stopped_search(request, stopped))?;
            let process = match self.library.update.try_lock() {
                Ok(guard) => Some(guard),
                Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => None,
            };
            if let Some(process) = process {
                // A folder that cannot be locked cannot be written either, which the index notes.
                let lock = with_index(index, Index::lock).unwrap_or_else(|_| Some(IndexLock::default()));
                if let Some(lock) = lock {
                    write(index).reopen();
                    return Ok(Some(WriteAccess { _process: process, _lock: lock }));
                }
            }
            std::thread::sleep(PATIENCE);
        }
        Ok(None)
    }

    /// Reads files on several threads, and adds them in batches. Returns how many were not read. The documents `recognised`
    /// are known, and read for their pages that can still be recognised.
    fn read_all(
        &self,
        request: &RankedRequest,
        stale: &[&ScopeFile],
        recognised: Option<&HashSet<ContentHash>>,
        index: &RwLock<Index>,
        progress: &dyn ProgressListener,
    ) -> usize {
        progress.starts_documents(u64::try_from(stale.len()).unwrap_or(u64::MAX));
        let next = AtomicUsize::new(0);
        let mut known = with_index(index, Index::documents).into_iter().collect::<HashSet<_>>();
        known.retain(|content| !recognised.is_some_and(|recognised| recognised.contains(content)));
        let known = Mutex::new(known);
        let known_pages = |content| match recognised {
            Some(_) => with_index(index, |index| index.pages(&content)),
            None => Vec::new(),
        };
        let is_over = || {
            let is_late = request.deadline.is_some_and(|deadline| Instant::now() > deadline);
            let is_spent = recognised.is_some() && !request.recognition.has_room();
            is_late || is_spent || progress.is_stopped() || request.cancellation.is_cancelled() || self.is_full(index)
        };
        let (sender, receiver) = sync_channel(MAX_WAITING);
        let read_files = |sender: SyncSender<ReadFile>| {
            let _watched = watch_this_thread();
            while let Some(file) = stale.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| !is_over()) {
                let is_new = |content| known.lock().unwrap_or_else(PoisonError::into_inner).insert(content);
                let read = self.read_file(request, file, is_new, known_pages);
                progress.page_done();
                if read.is_some_and(|read| sender.send(read).is_err()) {
                    return;
                }
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(stale.len());
        let done = std::thread::scope(|scope| {
            for _ in 0..threads {
                let sender = sender.clone();
                let started = std::thread::Builder::new().spawn_scoped(scope, || read_files(sender));
                if started.is_err() {
                    break;
                }
            }
            drop(sender);
            add_all(&receiver, index)
        });
        stale.len().saturating_sub(done)
    }

    pub(super) fn is_full(&self, index: &RwLock<Index>) -> bool {
        with_index(index, Index::bytes) >= self.settings.max_index_bytes
    }

    /// Reads a file; `None` if that may succeed another time.
    fn read_file(
        &self,
        request: &RankedRequest,
        file: &ScopeFile,
        is_new: impl FnOnce(ContentHash) -> bool,
        known_pages: impl FnOnce(ContentHash) -> Vec<PageTextToIndex>,
    ) -> Option<ReadFile> {
        let stat = file.stat.as_ref().ok()?;
        let (opened, content) = self.hash_of(file).ok()?;
        // It was replaced since the search began: the next search reads it.
        if opened.stat() != *stat {
            return None;
        }
        let record = FileRecord { stat: stat.key(), content };
        let key = file.key().into_owned();
        if !is_new(content) {
            return Some(ReadFile { key, record, text: None });
        }
        let known = known_pages(content);
        let is_known = !known.is_empty();
        let text = match self.read_text(request, opened, content, known) {
            Ok(text) => Ok(text),
            // What the index has of it already stays.
            Err(NotRead::Unreadable(_)) if is_known => return None,
            Err(NotRead::Unreadable(problem)) => Err(problem),
            Err(NotRead::NotNow) => return None,
        };
        Some(ReadFile { key, record, text: Some(text) })
    }

    fn read_text(
        &self,
        request: &RankedRequest,
        file: Arc<OpenFile>,
        content: ContentHash,
        known: Vec<PageTextToIndex>,
    ) -> Result<DocumentText, NotRead> {
        if file.len() > self.limits.max_file_bytes {
            return Err(NotRead::Unreadable("too large".to_owned()));
        }
        let identified = Arc::new(IdentifiedFile { identity: content.0, file: Arc::clone(&file) });
        let document = self.reader.open(identified, None, &request.cancellation)?;
        let max_bytes = self.settings.max_indexed_text_bytes;
        let text = document_text(&*document, max_bytes, known, &request.recognition)?;
        // What was read of a file that changed meanwhile belongs to no content.
        match file.is_unchanged() {
            Ok(true) => Ok(text),
            _ => Err(NotRead::NotNow),
        }
    }
}

fn write(index: &RwLock<Index>) -> RwLockWriteGuard<'_, Index> {
    index.write().unwrap_or_else(PoisonError::into_inner)
}

/// What the index has of each file as it is.
fn known_files(files: &SearchFiles, index: &Index) -> Vec<Option<KnownFile>> {
    let known = index.known_files(files.files.iter().map(ScopeFile::key));
    let is_as_it_is = |(file, known): (&ScopeFile, Option<KnownFile>)| {
        known.filter(|known| file.stat.is_ok() && known.file.stat == file.stat_key)
    };
    files.files.iter().zip(known).map(is_as_it_is).collect()
}

/// The documents with pages that can still be recognised, by one file each.
fn unrecognised<'a>(files: &'a SearchFiles, known: &[Option<KnownFile>]) -> Vec<(&'a ScopeFile, ContentHash)> {
    let mut seen = HashSet::new();
    let known = files.files.iter().zip(known).filter_map(|(file, known)| Some((file, known.as_ref()?)));
    let open = known.filter(|(_, known)| known.document.unrecognised > 0);
    open.map(|(file, known)| (file, known.file.content)).filter(|(_, content)| seen.insert(*content)).collect()
}

fn stopped_search(request: &RankedRequest, stopped: StopReason) -> ContextError {
    ContextError::Pdf { path: request.paths.first().cloned().unwrap_or_default(), error: stopped.into() }
}

/// The files that the index has of what was listed whole, and that are no longer there.
fn gone_files(files: &SearchFiles, index: &Index) -> Vec<String> {
    let listed = files.files.iter().map(ScopeFile::key);
    let listed = listed.collect::<HashSet<_, foldhash::fast::RandomState>>();
    let known = files.listed.iter().flat_map(|scope| scope.known_files(index));
    known.filter(|path| !listed.contains(path.as_str())).collect()
}

/// Adds what arrives, until all senders are done. Returns the number of files.
fn add_all(receiver: &Receiver<ReadFile>, index: &RwLock<Index>) -> usize {
    let (mut batch, mut done, mut begun) = (IndexBatch::default(), 0, Instant::now());
    for ReadFile { key, record, text } in receiver {
        match text {
            Some(Ok(text)) if batch.document(record.content, &text).is_ok() => {}
            Some(Ok(_)) => batch.unreadable(record.content, "too large"),
            Some(Err(problem)) => batch.unreadable(record.content, &problem),
            None => {}
        }
        batch.file(key, record);
        done += 1;
        if batch.is_full() || begun.elapsed() > BATCH_TIME {
            write(index).add(&std::mem::take(&mut batch));
            begun = Instant::now();
        }
    }
    write(index).add(&batch);
    done
}
