//! Asks web servers whether the documents that a conversation holds are still current.
//!
//! [`ContextManager::updates`] sends the validators of the cached copies, so an unchanged document costs a 304. All
//! servers share the timeout of one fetch, and a slow or failing server does not affect the others. A
//! [`FileWatch`](crate::context::FileWatch) polls too often to ask servers.

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};

use crate::context::ContextManager;
use crate::context::error::ContextError;
use crate::context::files::{RequestedFile, source_error};
use crate::source::SourceError;
use pagewise_base::limits::Cancellation;
use pagewise_view::FileKey;
use pagewise_web::WebError;

/// URLs checked per call. The rest is reported as not checked.
const MAX_ASKED: usize = 100;

/// Concurrent requests.
const AT_ONCE: usize = 8;

/// The result of revalidating URLs.
#[derive(Default)]
pub(crate) struct RevalidatedFiles {
    /// Results by URL. URLs not asked, or without an answer in time, are missing.
    pub(crate) files: BTreeMap<String, Result<RequestedFile, ContextError>>,
    /// Why URLs are missing, one sentence each.
    pub(crate) notes: Vec<String>,
}

impl ContextManager {
    /// Asks the servers of `urls` in parallel.
    pub(crate) fn revalidate(&self, urls: &[(&str, FileKey)], cancellation: &Cancellation) -> RevalidatedFiles {
        let web = match (urls.len(), &self.sources.web) {
            (0, _) | (_, None) => return RevalidatedFiles::default(),
            (_, Some(web)) => web.settings(),
        };
        let references_off = (!web.references).then_some("web_references is off");
        let off = web.switched_off().map(|setting| format!("{setting} is set"));
        if let Some(why) = off.or(references_off.map(str::to_owned)) {
            return RevalidatedFiles { notes: vec![not_asked_note(urls.len(), &why)], ..RevalidatedFiles::default() };
        }
        let requested = urls.get(..MAX_ASKED).unwrap_or(urls);
        let mut found = self.ask_in_parallel(requested, cancellation);
        if urls.len() > requested.len() {
            found
                .notes
                .push(not_asked_note(urls.len() - requested.len(), &format!("one call checks at most {MAX_ASKED}")));
        }
        let late = requested.len() - found.files.len();
        if late > 0 {
            let limit = web.deadline.as_millis();
            let files = web_files(late);
            found.notes.push(format!(
                "Not checked: {files}, whose servers did not answer within {limit} ms (web_deadline_ms)."
            ));
        }
        found
    }

    fn ask_in_parallel(&self, urls: &[(&str, FileKey)], cancellation: &Cancellation) -> RevalidatedFiles {
        let files = Mutex::new(BTreeMap::new());
        let waiting = Mutex::new(urls.iter());
        let time = self.sources.web.as_ref().map(|web| web.settings().deadline).unwrap_or_default();
        let stop = Cancellation::new();
        let stopped = stop.clone();
        let _with_the_call = cancellation.on_cancel(move || stopped.cancel());
        std::thread::scope(|scope| {
            let (done, all_done) = channel::<()>();
            let (files, waiting, stop) = (&files, &waiting, &stop);
            scope.spawn(move || {
                if all_done.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                    stop.cancel();
                }
            });
            for _ in 0..AT_ONCE.min(urls.len()) {
                let done = done.clone();
                scope.spawn(move || {
                    let next = || locked(waiting).next().filter(|_| !stop.is_cancelled());
                    while let Some((url, file)) = next() {
                        if let Some(answer) = unless_cancelled(self.reopen(url, *file, stop)) {
                            locked(files).insert((*url).to_owned(), answer);
                        }
                    }
                    drop(done);
                });
            }
        });
        RevalidatedFiles { files: files.into_inner().unwrap_or_else(PoisonError::into_inner), notes: Vec::new() }
    }
}

/// The answer, or `None` if the request was cancelled before one came.
fn unless_cancelled(opened: Result<RequestedFile, ContextError>) -> Option<Result<RequestedFile, ContextError>> {
    match opened {
        Err(ContextError::Source { error: SourceError::Web(WebError::Cancelled), .. }) => None,
        // Web content is never reported as deleted: its stored copy expired while it was opened.
        Err(ContextError::Source { path, error: SourceError::NotFound { .. } }) => {
            Some(Err(source_error(&path, WebError::ContentNotFound.into())))
        }
        other => Some(other),
    }
}

fn not_asked_note(count: usize, why: &str) -> String {
    format!("Not checked: {}, because {why}.", web_files(count))
}

fn web_files(count: usize) -> String {
    if count == 1 { "1 file from the web".to_owned() } else { format!("{count} files from the web") }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
