//! The Model Context Protocol over standard input and output and over HTTP. Only this room names the SDK.
//!
//! Both transports share one handler and one table of tools. `benches/README.md` has the cost of a call.

mod convert;
mod delivery;
mod handler;
mod http;
mod identity;
mod lock;
mod message;
mod progress;
mod server_parts;
mod stdio;
mod tools;
mod transport;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rmcp::service::serve_directly;
use rmcp::transport::stdio_pipes;

pub use self::http::HttpSettings;
pub use self::server_parts::ServerParts;
pub(crate) use self::stdio::is_output_closed;

use self::delivery::{InFlight, PendingResponses};
use self::handler::Handler;
use self::http::{HttpState, InspectAccess};
use self::transport::StdioTransport;
use crate::context::ContextManager;
use crate::inspect::OneTimeAccess;

/// How long work may go on after its client is gone.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves standard input and output until the input ends and all is answered, or the output is closed.
///
/// # Errors
/// If the runtime cannot start.
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
    let listening = listening(&settings);
    run(tokio::runtime::Builder::new_multi_thread(), http::serve(handler, state, settings, listening, warn))
}

/// Announces where the protocol is served.
fn listening(settings: &HttpSettings) -> impl FnOnce(SocketAddr) + use<> {
    let announce = settings.announce;
    move |address| announce(&format!("listening on http://{address}/mcp"))
}

/// Serves the page that shows conversations, to the owner of the store alone, until SIGTERM or an interrupt. `ready` gets
/// its address, which opens it once.
///
/// # Errors
/// [`io::ErrorKind::Other`] if the system has no random numbers; any error of listening.
pub fn serve_inspect(
    context: Arc<ContextManager>,
    settings: HttpSettings,
    ready: impl FnOnce(&str),
    warn: fn(&str),
) -> io::Result<()> {
    let access = Arc::new(OneTimeAccess::new().map_err(io::Error::other)?);
    let token = access.token().unwrap_or_default();
    let listening = |address: SocketAddr| ready(&format!("http://{address}/inspect?token={token}"));
    let state =
        HttpState { context: Some(context), inspect: InspectAccess::StoreOwner(access), ..HttpState::default() };
    run(tokio::runtime::Builder::new_multi_thread(), http::serve(NoTools, state, settings, listening, warn))
}

/// A handler without tools.
#[derive(Clone)]
struct NoTools;

impl rmcp::ServerHandler for NoTools {}

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
    let listening = listening(&settings);
    run(
        tokio::runtime::Builder::new_multi_thread(),
        http::serve(handler, HttpState::default(), settings, listening, warn),
    )
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
    let transport = StdioTransport::new(reader, writer, pending_responses.clone(), in_flight.clone(), server.warn);
    let closed = transport.closed();
    // Without a handshake that could fail: no greeting, and none at all, ends the server.
    let running = serve_directly(Handler::over_stdio(server, pending_responses, in_flight), transport, None);
    tokio::select! {
        ended = running.waiting() => ended.map(|_| ()).map_err(io::Error::other),
        () = closed => Ok(()),
    }
}
