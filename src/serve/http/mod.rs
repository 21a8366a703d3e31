//! The Model Context Protocol over Streamable HTTP: listening, connections, and a shutdown that loses no answer.
//!
//! The newest protocol version makes a handler for each request, the older ones for each session. All state is shared.
//!
//! # Threat model
//!
//! A name such as `tokens::a_name` after a line is the test that proves it: the function `a_name` in `tests/tokens.rs`.
//!
//! **Without a token** an attacker learns that the server is there, and where its issuer is.
//! - Requests by another name, as from a page that rebinds its own, are refused. `http_hostile.rs`
//! - A forged, altered, foreign, expired or early token is refused, and so is a mixed or missing algorithm.
//!   `tokens::a_token_with_anything_wrong_is_refused`, `tokens::thousands_of_damaged_tokens_are_refused_and_the_good_one_goes_on`
//! - No head of a request lets a stranger in, however it is malformed.
//!   `http_hostile::mutations::no_change_of_a_head_lets_a_stranger_in`
//! - Tokens with unknown keys cannot make this server ask its issuer often.
//!   `tokens::unknown_keys_ask_the_issuer_once_in_a_while`
//! - No token is needed for the metadata of the issuer, which hold nothing else.
//!   `tokens::a_refusal_leads_a_client_to_the_issuer`
//! - A page of another site cannot upload. `uploads::only_what_can_be_read_is_kept_and_within_bounds`
//! - Connections, heads and the time for them are bounded. Many addresses at once can still use all connections: a proxy
//!   in front must bound them. `http_hostile.rs`
//!
//! **With a token** an attacker has its own conversations and uploads, the files beneath the roots, which all principals
//! share, and what the server may fetch.
//! - Another's handle, session and reference are answered as those that do not exist.
//!   `http::a_handle_of_nobody_or_of_another_is_unknown`, `http::a_session_belongs_to_who_opened_it`,
//!   `uploads::no_tool_shows_what_another_uploaded`
//! - Pages of files that only others asked for are neither read nor completed.
//!   `uploads::resources_and_completions_are_those_of_ones_own_conversations`
//! - Requests at once and bytes kept are bounded for each principal. Nothing bounds how many principals an issuer has.
//!   `tokens::one_principal_does_not_take_the_requests_of_another`,
//!   `uploads::only_what_can_be_read_is_kept_and_within_bounds`
//! - What a call fetched is found in its conversation, or by its principal if it had none.
//!   `http::what_was_fetched_is_found_by_every_tool_of_its_conversation_and_by_no_other`,
//!   `uploads::what_a_call_without_a_conversation_fetched_is_its_principals`
//! - Fetched bodies are shared, since URLs have no credentials: how fast an answer comes can tell that somebody fetched the
//!   URL before. Ranked search weighs words by how often all documents of the index have them.
//!
//! **With a hostile PDF**, uploaded or fetched: it is read in a confined process. `hostile.rs`, `worker.rs`
//! - What is no PDF, no text and no picture is not kept, and neither is what ends early.
//!   `uploads::hostile_bodies_leave_nothing_behind`, `http_hostile::mutations::no_body_is_kept_that_did_not_come_whole`
//!
//! **With a hostile server**
//! - One that documents are fetched from: the room `web` says what is checked. `web.rs`, `addresses.rs`, `ranges.rs`,
//!   `ranges::lying_servers::no_document_is_put_together_from_what_lying_servers_send`
//! - One that speaks for the issuer: metadata, keys and their addresses are checked and bounded; redirects are not
//!   followed. The issuer itself is trusted with everything. `tokens::an_issuer_that_misbehaves_yields_no_keys`
//!
//! **With the object storage of uploads** an attacker can remove uploads and read them; changed bytes are refused. No URL that
//! a caller names leads there. `uploads::a_large_upload_goes_to_storage_in_parts_and_comes_back_whole`,
//! `uploads::storage_holds_as_much_of_each_principal_as_is_allowed_for_as_long_and_no_url_leads_there`
//!
//! **With the store's disk** an attacker reads fetched bodies, uploads, sessions and page numbers, and can change them: the
//! disk is trusted, and its folders are private. No token is on it. Principals are there as hashes; who can guess an issuer
//! and a subject can check the guess. `tokens::without_keys_a_client_is_told_to_try_again_and_no_token_is_logged`

mod connection;
mod exchange;
mod gate;
mod head;
mod log;
mod metrics;
mod responses;
mod sessions;
mod settings;
mod state;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::ServerHandler;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

pub(super) use self::exchange::Exchange;
pub(super) use self::gate::{HttpCaller, InspectAccess};
pub(super) use self::log::{LoggedCall, trace_parent};
pub(super) use self::metrics::Metrics;
pub(super) use self::sessions::SESSION_HEADER;
pub use self::settings::HttpSettings;
pub(super) use self::state::HttpState;

use self::connection::Connection;
use self::exchange::AwaitingFlush;
use self::gate::Gate;
use self::metrics::Gauge;

/// How long connections may take to close once all is answered.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// How long to wait if the system cannot accept a connection.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// The smallest buffer for a request's head that the library allows. The gate enforces smaller limits.
const MIN_BUFFER_BYTES: usize = 8 << 10;

/// Most header fields of a request.
const MAX_HEADERS: usize = 100;

/// Serves `handler` until SIGTERM or an interrupt.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for an address that others can reach without a token, and for an issuer that cannot be
/// asked; any error of listening.
pub(super) async fn serve<H: ServerHandler + Clone>(
    handler: H,
    state: HttpState,
    settings: HttpSettings,
    on_listening: impl FnOnce(SocketAddr),
    warn: fn(&str),
) -> io::Result<()> {
    if settings.tokens.is_empty() && settings.issuer.is_none() && !settings.address.ip().is_loopback() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "an address that others can reach needs a token"));
    }
    let listener = listen(settings.address)?;
    let announce = settings.announce;
    let gate = Gate::new(handler, state, settings, listener.local_addr()?, warn)?;
    on_listening(listener.local_addr()?);
    let (stop, stopped) = watch::channel(false);
    let most = connection_limit(gate.settings().max_connections, warn);
    tokio::select! {
        () = accept(&listener, &gate, most, &stopped, warn) => {}
        signal_result = shutdown_signal() => signal_result?,
    }
    drop(listener);
    announce("shutting down: open requests are finished first");
    gate.drain();
    stop.send_replace(true);
    // After the time limit the rest is given up.
    let _ = timeout(gate.settings().drain, until_zero(|| gate.metrics().in_flight.load(Ordering::SeqCst))).await;
    gate.end_sessions();
    let _ = timeout(CLOSE_TIMEOUT, until_zero(|| gate.metrics().connections.load(Ordering::SeqCst))).await;
    Ok(())
}

/// The send buffer of a connection. What is in it counts as written.
const SEND_BUFFER_BYTES: u32 = 128 << 10;

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1_024;

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv6() { TcpSocket::new_v6()? } else { TcpSocket::new_v4()? };
    socket.set_reuseaddr(true)?;
    // Accepted connections inherit the listener's buffer size.
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// File descriptors besides those of connections: files, workers, the store.
#[cfg(all(unix, not(pagewise_portable)))]
const OTHER_DESCRIPTORS: u64 = 256;

/// The number of connections that the limit on file descriptors allows, raised as far as possible.
#[cfg(all(unix, not(pagewise_portable)))]
fn connection_limit(connections: usize, warn: fn(&str)) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let wanted = u64::try_from(connections).unwrap_or(u64::MAX).saturating_add(OTHER_DESCRIPTORS);
    let now = getrlimit(Resource::Nofile);
    if now.current.is_none_or(|now| now >= wanted) {
        return connections;
    }
    let most = now.maximum.map_or(wanted, |most| most.min(wanted));
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(most), maximum: now.maximum });
    let most = if raised.is_ok() { Some(most) } else { now.current };
    let left = most.unwrap_or(wanted).saturating_sub(OTHER_DESCRIPTORS).max(1);
    let permits = usize::try_from(left).unwrap_or(connections).min(connections);
    if permits < connections {
        warn(&format!(
            "the limit on file descriptors allows {permits} connections (http_max_connections is {connections})"
        ));
    }
    permits
}

#[cfg(any(not(unix), pagewise_portable))]
fn connection_limit(connections: usize, _warn: fn(&str)) -> usize {
    connections
}

async fn accept(
    listener: &TcpListener,
    gate: &Arc<Gate>,
    most: usize,
    stopped: &watch::Receiver<bool>,
    warn: fn(&str),
) {
    let router = gate::router(gate);
    let permits = Arc::new(Semaphore::new(most));
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                warn(&format!("a connection could not be accepted: {}", error.kind()));
                sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let Ok(slot) = Arc::clone(&permits).try_acquire_owned() else {
            gate.metrics().turned_away.fetch_add(1, Ordering::Relaxed);
            continue;
        };
        let (router, gate, stopped) = (router.clone(), Arc::clone(gate), stopped.clone());
        tokio::spawn(async move {
            let _open = Gauge::new(&gate.metrics().connections);
            serve_connection(stream, router, &gate, stopped, warn).await;
            drop(slot);
        });
    }
}

/// Serves one connection to its end. Its errors concern only its client.
async fn serve_connection(
    stream: TcpStream,
    router: Router,
    gate: &Gate,
    mut stopped: watch::Receiver<bool>,
    warn: fn(&str),
) {
    // Without this, a small answer waits for the client's delayed acknowledgement.
    let _ = stream.set_nodelay(true);
    let awaiting = AwaitingFlush::default();
    let settings = gate.settings();
    let in_flight = gate.state().in_flight.clone();
    let connection = Connection::new(stream, awaiting.clone(), in_flight, settings.write_timeout, warn);
    let service = TowerToHyperService::new(router.layer(axum::Extension(awaiting)));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(settings.read_timeout);
    http.max_headers(MAX_HEADERS).max_buf_size(settings.max_header_bytes.max(MIN_BUFFER_BYTES));
    let serving = http.serve_connection(TokioIo::new(connection), service);
    let mut serving = std::pin::pin!(serving);
    tokio::select! {
        _ = serving.as_mut() => return,
        _ = stopped.wait_for(|stopped| *stopped) => serving.as_mut().graceful_shutdown(),
    }
    let _ = serving.await;
}

async fn until_zero(count: impl Fn() -> usize) {
    while count() > 0 {
        sleep(Duration::from_millis(5)).await;
    }
}

#[cfg(all(unix, not(pagewise_portable)))]
async fn shutdown_signal() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

#[cfg(any(not(unix), pagewise_portable))]
async fn shutdown_signal() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
