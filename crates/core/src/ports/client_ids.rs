//! `client_id` values, which make repeated creations idempotent.

use super::StoreError;
use crate::model::OrganizationId;
use inboxd_port_macros::port;

/// Kind of resource created with a `client_id`; a `client_id` can create one of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientIdKind {
    /// An API key.
    ApiKey,
    /// A draft.
    Draft,
    /// An entry of an allow or block list.
    ListEntry,
    /// A note.
    Note,
    /// A webhook.
    Webhook,
}

impl ClientIdKind {
    /// Returns the stored name of the kind.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ApiKey => "api_key",
            Self::Draft => "draft",
            Self::ListEntry => "list_entry",
            Self::Note => "note",
            Self::Webhook => "webhook",
        }
    }
}

/// Writes of the `client_id` values of resources whose own rows are deleted.
#[port]
pub trait ClientIdWrites: Send {
    /// Binds a `client_id` permanently to the resource of this unit of work. Returns the id of the existing resource if
    /// the `client_id` is already bound. Waits for a concurrent transaction that binds the same one.
    async fn spend(
        &mut self,
        organization_id: OrganizationId,
        kind: ClientIdKind,
        client_id: &str,
        made: &str,
    ) -> Result<Option<String>, StoreError>;
}
