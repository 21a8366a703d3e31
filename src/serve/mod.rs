//! The Model Context Protocol over standard input and output, and over HTTP: the only room that names its SDK.
//!
//! Both ways share one handler and one table of tools.
//!
//! What a call costs, from request to answer with workers on (`benches/doors.rs`, medians of 1,000, release build, 2 cores
//! with nothing else to do): `pdf_info` of a small file .45 ms over standard input and output and .5 to .6 ms over HTTP, a
//! page of 1 KB .7 and .9 ms, one of 1 MB 5.2 ms over standard input and output and 3.4 to 4.1 ms over HTTP; 64 connections
//! get 3,000 to 3,800 small calls a second, 1.2 times as many as from a server made with the SDK in TypeScript that does
//! nothing for them, and one waits .72 of the time.
//!
//! Server and worker together took 17.6 ms of processor time for a page of 1 MB while its base64 was part of the result:
//! 45 % of that for memory fresh from the system, an eighth for what JSON must escape, looked for twice, and a tenth for
//! copies. Without these it was 4.7 to 5.7 ms, of which 2.2 were the worker's, and .6 the base64, which takes .1 since it is
//! made by vector instructions. A client that reads 1.4 MB in pieces of 8 KB from a pipe needs 1.2 ms whoever writes them,
//! and .7 ms in pieces of 64 KB.

mod convert;
mod delivery;
mod handler;
mod http;
mod identity;
mod progress;
mod stdio;
mod tools;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::stdio_pipes;

pub use self::http::HttpSettings;

use self::delivery::{DeliveringTransport, InFlight, OpenBlobs, PendingResponses};
use self::handler::Handler;
use self::stdio::BlobWriter;
use crate::tool::{ContextManager, ConversationId, FormArgument, ModelClient};

/// How long work may go on whose client went away.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// What a server needs beside its transport.
pub struct ServerParts {
    /// Answers the requests.
    pub context: Arc<ContextManager>,
    /// Asked about PDFs; the tool `pdf` is there where one of them can be.
    pub models: ModelClient,
    /// The conversation of calls over standard input that name none: one a process. Over HTTP there is none.
    pub conversation: Option<ConversationId>,
    /// How pages come where neither the call nor the client says.
    pub form: Option<FormArgument>,
    /// How pages come to clients by their names, where none of these says: before the table of clients that are known.
    pub client_forms: BTreeMap<String, FormArgument>,
    /// Told what goes wrong beside the answers, in a sentence.
    pub warn: fn(&str),
}

/// What a server over HTTP is doing, for its handler and for its connections.
#[derive(Clone, Default)]
struct HttpState {
    metrics: Arc<http::Metrics>,
    in_flight: InFlight,
    /// Where sessions are kept that other replicas go on with.
    context: Option<Arc<ContextManager>>,
}

/// The content of a mutex, also of one whose holder panicked: what it guards here is whole at any time.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves standard input and output until the input ends.
///
/// # Errors
/// Where the runtime cannot start, or the client breaks the handshake.
pub fn serve_stdio(world: ServerParts) -> io::Result<()> {
    // One pipe in, one pipe out: other threads would only pass each message on, which costs more than what is done to it.
    // The tools run on threads of their own.
    run(tokio::runtime::Builder::new_current_thread(), serve(world))
}

/// Serves HTTP until the process is told to end, by SIGTERM or an interrupt; then finishes what is under way.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for an address that others can reach without a token; where the address cannot be
/// listened on.
pub fn serve_http(world: ServerParts, settings: HttpSettings) -> io::Result<()> {
    let (context, warn) = (Some(Arc::clone(&world.context)), world.warn);
    let work = HttpState { context, ..HttpState::default() };
    let handler = Handler::over_http(world, Arc::clone(&work.metrics), work.in_flight.clone());
    run(tokio::runtime::Builder::new_multi_thread(), http::serve(handler, work, settings, warn))
}

/// Serves any handler of the protocol behind the same gate: the conformance suite brings tools of its own. Not for use; it
/// shows a type of the SDK, whose version is no promise of this crate.
///
/// # Errors
/// As [`serve_http`].
#[doc(hidden)]
pub fn serve_handler<H: rmcp::ServerHandler + Clone>(
    handler: H,
    settings: HttpSettings,
    warn: fn(&str),
) -> io::Result<()> {
    run(tokio::runtime::Builder::new_multi_thread(), http::serve(handler, HttpState::default(), settings, warn))
}

fn run(mut runtime: tokio::runtime::Builder, serving: impl Future<Output = io::Result<()>>) -> io::Result<()> {
    let runtime = runtime.enable_all().build()?;
    let served = runtime.block_on(serving);
    runtime.shutdown_timeout(SHUTDOWN);
    served
}

async fn serve(world: ServerParts) -> io::Result<()> {
    stdio::enlarge_pipe();
    let (reader, writer) = stdio_pipes();
    let (ledger, in_flight) = (PendingResponses::default(), InFlight::default());
    let open = OpenBlobs::default();
    let transport = AsyncRwTransport::new_server(reader, BlobWriter::new(writer, open.clone()));
    let transport = DeliveringTransport::new(transport, ledger.clone(), open, in_flight.clone(), world.warn);
    match Handler::over_stdio(world, ledger, in_flight).serve(transport).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(io::Error::other),
        // A client that only looked whether the server starts.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}
