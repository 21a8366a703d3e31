//! The state of an HTTP server.

use std::sync::Arc;

use super::gate::InspectAccess;
use super::metrics::Metrics;
use crate::context::ContextManager;
use crate::serve::delivery::InFlight;

/// The state that an HTTP server's handler and connections share.
#[derive(Clone, Default)]
pub(in crate::serve) struct HttpState {
    pub(in crate::serve) metrics: Arc<Metrics>,
    pub(in crate::serve) in_flight: InFlight,
    /// The store of sessions, from which other replicas can continue them.
    pub(in crate::serve) context: Option<Arc<ContextManager>>,
    /// Who may see the page that shows conversations.
    pub(in crate::serve) inspect: InspectAccess,
}
