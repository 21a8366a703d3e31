//! The Model Context Protocol over standard input and output and over HTTP. Only this room names the SDK.
//!
//! Both transports share one handler and one table of tools. `benches/README.md` has the cost of a call.

mod convert;
mod delivery;
mod handler;
mod http;
mod identity;
mod lock;
mod progress;
mod server_parts;
mod stdio;
mod tools;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::stdio_pipes;

pub use self::http::HttpSettings;
pub use self::server_parts::ServerParts;

use self::delivery::{DeliveringTransport, InFlight, OpenBlobs, PendingResponses};
use self::handler::Handler;
use self::http::HttpState;
use self::stdio::BlobWriter;

/// How long work may go on after its client is gone.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves standard input and output until the input ends.
///
/// # Errors
/// If the runtime cannot start, or the client breaks the handshake.
pub fn serve_stdio(server: ServerParts) -> io::Result<()> {
    // Messages come and go through one pipe each, so more runtime threads would only cost. The tools run on threads of
    // their own.
    run(tokio::runtime::Builder::new_current_thread(), serve(server))
}

/// Serves HTTP until SIGTERM or an interrupt, then finishes the open requests.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for an address that others can reach without a token; any error of listening.
pub fn serve_http(server: ServerParts, settings: HttpSettings) -> io::Result<()> {
    let (context, warn) = (Some(Arc::clone(&server.context)), server.warn);
    let state = HttpState { context, ..HttpState::default() };
    let handler = Handler::over_http(server, Arc::clone(&state.metrics), state.in_flight.clone());
    run(tokio::runtime::Builder::new_multi_thread(), http::serve(handler, state, settings, warn))
}

/// Serves any handler of the protocol behind the same gate, for the conformance suite. Not part of the public
/// interface: it shows a type of the SDK.
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
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    served
}

async fn serve(server: ServerParts) -> io::Result<()> {
    stdio::enlarge_pipe();
    let (reader, writer) = stdio_pipes();
    let (pending_responses, in_flight) = (PendingResponses::default(), InFlight::default());
    let open = OpenBlobs::default();
    let transport = AsyncRwTransport::new_server(reader, BlobWriter::new(writer, open.clone()));
    let transport =
        DeliveringTransport::new(transport, pending_responses.clone(), open, in_flight.clone(), server.warn);
    match Handler::over_stdio(server, pending_responses, in_flight).serve(transport).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(io::Error::other),
        // The client only checked whether the server starts.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}
