//! One version of a document that is read by ranges.

use std::collections::VecDeque;
use std::fmt;
use std::io::Write;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

#[cfg(feature = "cloud")]
use super::object::ObjectAddress;
use crate::error::WebError;
use crate::fetch::Fetcher;
use crate::http::Url;
use crate::store::RangedVersion;
use crate::{Web, guard};
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::Cancellation;

/// The bytes of a block, the unit in which parts are stored.
const BLOCK_BYTES: u64 = 16 << 10;

/// The bytes that the request which opens a document asks for.
pub(super) const FIRST_BYTES: u64 = 64 << 10;

/// The most blocks that one request asks for.
const MAX_RUN_BLOCKS: u64 = 256;

/// The most bytes that one request asks for.
#[cfg(feature = "cloud")]
pub(super) const MAX_RUN_BYTES: u64 = MAX_RUN_BLOCKS * BLOCK_BYTES;

/// The blocks of the first request at a place, and of each further one for a reader that goes forward there.
const BLOCKS_BY_STEP: [u64; 4] = [3, 6, 12, 48];

/// The last blocks of a document, which come together: most documents end with the table of their objects.
const TAIL_BLOCKS: u64 = 16;

/// Places where a reader may go forward at once. Objects and what they refer to often stand in two orders.
const MAX_STREAMS: usize = 4;

/// Blocks in memory, so that small reads need not open a file each.
const MAX_RECENT_BLOCKS: usize = 128;

/// The most requests for one opened document. A document of 512 MB that is read from end to end takes fewer.
const MAX_REQUESTS: u32 = 4_096;

/// One version of a document that is read by ranges. Blocks that were read are stored, also for other requests.
pub struct RangedFile {
    web: Arc<Web>,
    /// The URL as requested, without its fragment.
    url: Url,
    /// Where the ranges are.
    location: Url,
    source: RangeSource,
    version: RangedVersion,
    identity: ContentHash,
    cancellation: Cancellation,
    state: Mutex<ReadState>,
    has_changed: AtomicBool,
}

#[derive(Default)]
struct ReadState {
    recent: VecDeque<(u64, Bytes)>,
    /// Where the last requests ended, the latest last.
    streams: VecDeque<ForwardStream>,
    requests: u32,
}

/// Where ranges come from.
#[derive(Clone)]
pub(super) enum RangeSource {
    /// A web server, at this URL.
    Web(Arc<Fetcher>, Url),
    /// Object storage.
    #[cfg(feature = "cloud")]
    Object(ObjectAddress),
}

impl RangeSource {
    async fn fetch(&self, version: &RangedVersion, range: Range<u64>) -> Result<Vec<u8>, WebError> {
        match self {
            Self::Web(fetcher, location) => fetcher.fetch_range(location, version, range).await,
            #[cfg(feature = "cloud")]
            Self::Object(address) => address.fetch_range(version, range).await,
        }
    }
}

/// A place where a reader may go forward.
#[derive(Clone, Copy)]
struct ForwardStream {
    /// The block after the last that was fetched.
    next: u64,
    /// How often the reader went on there.
    steps: usize,
}

impl ForwardStream {
    /// Blocks of the next request.
    fn ahead(self) -> u64 {
        BLOCKS_BY_STEP.get(self.steps).or(BLOCKS_BY_STEP.last()).copied().unwrap_or(1)
    }
}

impl fmt::Debug for RangedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RangedFile").field("version", &self.version).finish_non_exhaustive()
    }
}

impl RangedFile {
    pub(super) fn new(
        web: &Arc<Web>,
        url: Url,
        version: RangedVersion,
        cancellation: &Cancellation,
    ) -> Result<Self, WebError> {
        let location = guard::parse_url(&version.location)?;
        let source = web.range_source(&location)?;
        let parts = [url.as_str(), &version.etag, &version.length.to_string()];
        Ok(Self {
            web: Arc::clone(web),
            identity: ContentHash::of(parts.join("\n").as_bytes()),
            url,
            location,
            source,
            version,
            cancellation: cancellation.clone(),
            state: Mutex::default(),
            has_changed: AtomicBool::new(false),
        })
    }

    /// The length in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.version.length
    }

    /// Whether the document has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Identifies the version: a hash of its URL, its strong validator and its length, not of its bytes.
    #[must_use]
    pub fn identity(&self) -> ContentHash {
        self.identity
    }

    /// Whether the server was found to have another version by now.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.has_changed.load(Ordering::Relaxed)
    }

    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    pub(super) fn version(&self) -> &RangedVersion {
        &self.version
    }

    /// Reads at `offset` until `buffer` is full or the document ends, within `time`. Returns the number of bytes read.
    ///
    /// # Errors
    /// [`WebError::Changed`], and the errors of a request.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8], time: Duration) -> Result<usize, WebError> {
        let end = offset.saturating_add(buffer.len() as u64).min(self.len());
        if offset >= end {
            return Ok(0);
        }
        let limit = TimeLimit::new(time, self.web.settings().deadline);
        let mut state = self.state();
        let (mut index, last) = (offset / BLOCK_BYTES, (end - 1) / BLOCK_BYTES);
        while index <= last {
            let run = match self.kept_block(&mut state, index) {
                Some(block) => vec![block],
                None => self.fetch_run(&mut state, index..last + 1, limit)?,
            };
            for block in &run {
                copy_overlap(block, index * BLOCK_BYTES, buffer, offset);
                index += 1;
            }
        }
        Ok(usize::try_from(end - offset).unwrap_or(buffer.len()))
    }

    /// Keeps the first blocks, which came with the answer that opened the document.
    pub(super) fn keep_first(&self, bytes: Vec<u8>) {
        drop(self.keep_blocks(&mut self.state(), 0, bytes.into()));
    }

    /// Writes the whole document to `out`, by requests that keep no blocks.
    pub(super) fn write_whole(&self, out: &mut impl Write, until: Instant) -> Result<(), WebError> {
        let mut write = |bytes: &[u8]| out.write_all(bytes).map_err(|error| WebError::store(&error));
        let mut at = 0;
        if let Some(first) = self.kept_block(&mut self.state(), 0) {
            write(&first)?;
            at = first.len() as u64;
        }
        while at < self.len() {
            let end = at.saturating_add(MAX_RUN_BLOCKS * BLOCK_BYTES).min(self.len());
            let left = until.saturating_duration_since(Instant::now());
            write(&self.fetch(at..end, TimeLimit::new(left, self.web.settings().deadline))?)?;
            at = end;
        }
        Ok(())
    }

    /// Forgets the version, so that the next request asks the server without a validator.
    pub(super) fn forget_version(&self) {
        self.web.store.forget_version(&self.url);
        self.web.store.forget_version(&self.location);
    }

    fn state(&self) -> MutexGuard<'_, ReadState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block that is in memory or stored.
    fn kept_block(&self, state: &mut ReadState, index: u64) -> Option<Bytes> {
        if let Some(block) = state.recent_block(index) {
            return Some(block);
        }
        let bytes = self.web.store.block(&self.identity, index)?;
        // Blocks are stored with their hash, so a wrong length means another block size.
        if bytes.len() as u64 != self.block_bytes(index) {
            return None;
        }
        let block = Bytes::from(bytes);
        state.remember(index, block.clone());
        Some(block)
    }

    /// Fetches the blocks from the first of `wanted` on, until one that is kept. If the reader goes forward, the blocks
    /// that come next are fetched too.
    fn fetch_run(&self, state: &mut ReadState, wanted: Range<u64>, limit: TimeLimit) -> Result<Vec<Bytes>, WebError> {
        let stream = state.stream_at(wanted.start);
        let most = wanted.end.max(wanted.start + stream.ahead()).min(wanted.start + MAX_RUN_BLOCKS).min(self.blocks());
        let is_kept = |index: &u64| state.has_recent(*index) || self.web.store.has_block(&self.identity, *index);
        let end = (wanted.start + 1..most).find(is_kept).unwrap_or(most);
        let tail = self.blocks().saturating_sub(TAIL_BLOCKS)..wanted.start;
        let start = if end == self.blocks() {
            wanted.start - tail.rev().take_while(|index| !is_kept(index)).count() as u64
        } else {
            wanted.start
        };
        state.count_request()?;
        let bytes = self.fetch(self.block_start(start)..self.block_start(end), limit)?;
        state.remember_stream(ForwardStream { next: end, ..stream });
        let mut run = self.keep_blocks(state, start, bytes.into());
        Ok(run.split_off(usize::try_from(wanted.start - start).unwrap_or(usize::MAX).min(run.len())))
    }

    /// Keeps the blocks from `first` on, and returns them.
    fn keep_blocks(&self, state: &mut ReadState, first: u64, mut bytes: Bytes) -> Vec<Bytes> {
        let mut blocks = Vec::new();
        for index in first..self.blocks() {
            let length = usize::try_from(self.block_bytes(index)).unwrap_or(usize::MAX);
            if length > bytes.len() {
                break;
            }
            let block = bytes.split_to(length);
            self.keep(state, index, &block);
            blocks.push(block);
        }
        blocks
    }

    fn keep(&self, state: &mut ReadState, index: u64, block: &[u8]) {
        // If the disk does not take the block, the next reader fetches it from the server.
        let _ = self.web.store.keep_block(&self.identity, index, block);
        // A copy, since the block is a part of a larger buffer that would stay in memory with it.
        state.remember(index, Bytes::copy_from_slice(block));
    }

    fn fetch(&self, range: Range<u64>, limit: TimeLimit) -> Result<Vec<u8>, WebError> {
        if self.has_changed() {
            return Err(WebError::Changed);
        }
        let (source, version) = (self.source.clone(), self.version.clone());
        let request = async move {
            let answer = tokio::time::timeout_at(limit.until.into(), source.fetch(&version, range));
            answer.await.unwrap_or(Err(limit.error()))
        };
        let fetched = self.web.wait(request, &self.cancellation).flatten();
        if fetched == Err(WebError::Changed) {
            self.has_changed.store(true, Ordering::Relaxed);
            self.forget_version();
        }
        fetched
    }

    /// Number of blocks.
    fn blocks(&self) -> u64 {
        self.len().div_ceil(BLOCK_BYTES)
    }

    /// The offset at which a block starts, or the length after the last.
    fn block_start(&self, index: u64) -> u64 {
        index.saturating_mul(BLOCK_BYTES).min(self.len())
    }

    /// The length of a block. Only the last is shorter.
    fn block_bytes(&self, index: u64) -> u64 {
        self.block_start(index + 1).saturating_sub(self.block_start(index))
    }
}

impl ReadState {
    fn recent_block(&self, index: u64) -> Option<Bytes> {
        self.recent.iter().find(|(kept, _)| *kept == index).map(|(_, block)| block.clone())
    }

    fn has_recent(&self, index: u64) -> bool {
        self.recent.iter().any(|(kept, _)| *kept == index)
    }

    fn remember(&mut self, index: u64, block: Bytes) {
        if self.recent.len() >= MAX_RECENT_BLOCKS {
            self.recent.pop_front();
        }
        self.recent.push_back((index, block));
    }

    /// The stream that goes on at this block, or a new one.
    fn stream_at(&mut self, index: u64) -> ForwardStream {
        match self.streams.iter().position(|stream| stream.next == index).and_then(|at| self.streams.remove(at)) {
            Some(stream) => ForwardStream { steps: stream.steps.saturating_add(1), ..stream },
            None => ForwardStream { next: index, steps: 0 },
        }
    }

    fn remember_stream(&mut self, stream: ForwardStream) {
        if self.streams.len() >= MAX_STREAMS {
            self.streams.pop_front();
        }
        self.streams.push_back(stream);
    }

    fn count_request(&mut self) -> Result<(), WebError> {
        self.requests = self.requests.saturating_add(1);
        if self.requests > MAX_REQUESTS { Err(WebError::RangeRequests { limit: MAX_REQUESTS }) } else { Ok(()) }
    }
}

/// When a request has to be done.
#[derive(Clone, Copy)]
struct TimeLimit {
    until: Instant,
    /// The time for a request; `None` if its reader has less left.
    of_request: Option<Duration>,
}

impl TimeLimit {
    /// The shorter of the time that a reader has left and the time for a request.
    fn new(left: Duration, of_request: Duration) -> Self {
        let until = Instant::now() + left.min(of_request);
        Self { until, of_request: (of_request <= left).then_some(of_request) }
    }

    fn error(self) -> WebError {
        let timeout = |limit| WebError::Timeout { limit, setting: "web_deadline_ms" };
        self.of_request.map_or(WebError::OutOfTime, timeout)
    }
}

/// Copies what `block`, which starts at `start`, has of `buffer`, which starts at `offset`.
fn copy_overlap(block: &[u8], start: u64, buffer: &mut [u8], offset: u64) {
    let from = start.max(offset);
    let to = (start + block.len() as u64).min(offset.saturating_add(buffer.len() as u64));
    let within = |base: u64| {
        let index = |at: u64| usize::try_from(at.saturating_sub(base)).unwrap_or(usize::MAX);
        index(from)..index(to)
    };
    if let (Some(target), Some(source)) = (buffer.get_mut(within(offset)), block.get(within(start))) {
        target.copy_from_slice(source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_fills_the_part_of_a_buffer_that_it_has() {
        let filled = |start: u64, offset: u64| {
            let mut buffer = *b"....";
            copy_overlap(b"abcd", start, &mut buffer, offset);
            String::from_utf8_lossy(&buffer).into_owned()
        };
        assert_eq!(filled(0, 0), "abcd");
        assert_eq!(filled(0, 2), "cd..");
        assert_eq!(filled(8, 6), "..ab");
        assert_eq!(filled(0, 4), "....");
        assert_eq!(filled(8, 0), "....");
    }
}
