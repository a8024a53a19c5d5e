//! An authenticated request on its way through rmcp.

use std::sync::{Arc, Mutex, PoisonError};

use inboxd_core::app::TurnPermit;
use inboxd_core::model::{Caller, OrganizationId};
use rmcp::model::{ErrorData, Extensions};
use tracing::Span;

use crate::connection::ConnectedClient;
use crate::retry_dedup::DeliveryReceipt;
use crate::state::State;

/// State, caller and log span of a request. Clones belong to the same request.
#[derive(Clone)]
pub(crate) struct McpRequest(Arc<RequestFacts>);

struct RequestFacts {
    state: Arc<State>,
    caller: Arc<Caller>,
    key_hash: [u8; 32],
    span: Span,
    /// Permit to run, until the request waits or ends.
    permit: Mutex<Option<TurnPermit<OrganizationId>>>,
    /// State of the client's connection.
    client: Option<ConnectedClient>,
}

impl McpRequest {
    pub(super) fn new(
        state: Arc<State>,
        caller: Arc<Caller>,
        key_hash: [u8; 32],
        permit: TurnPermit<OrganizationId>,
        client: Option<ConnectedClient>,
    ) -> Self {
        let (span, permit) = (Span::current(), Mutex::new(Some(permit)));
        Self(Arc::new(RequestFacts { state, caller, key_hash, span, permit, client }))
    }

    /// Records the response as delivered, unless the connection breaks before the client reads it.
    pub(super) fn deliver(&self, mut receipt: DeliveryReceipt) {
        match &self.0.client {
            Some(client) => client.given(receipt),
            None => receipt.delivered(),
        }
    }

    /// Returns the request that the bridge passed on.
    ///
    /// # Errors
    /// An internal error for a request that came without authentication.
    pub(super) fn of(extensions: &Extensions) -> Result<Self, ErrorData> {
        let passed = extensions.get::<http::request::Parts>().and_then(|parts| parts.extensions.get::<Self>());
        passed.cloned().ok_or_else(|| ErrorData::internal_error("the request was not authenticated", None))
    }

    pub(super) fn state(&self) -> &Arc<State> {
        &self.0.state
    }

    pub(super) fn caller(&self) -> &Arc<Caller> {
        &self.0.caller
    }

    pub(super) fn key_hash(&self) -> [u8; 32] {
        self.0.key_hash
    }

    /// Returns the span of the HTTP request, which carries its id.
    pub(super) fn span(&self) -> Span {
        self.0.span.clone()
    }

    /// Frees the permit to run, before the request waits for an event.
    pub(super) fn rest(&self) {
        self.0.permit.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
