//! What callers name by a `client_id`, so that a creation that is asked for again makes nothing more.

use super::StoreError;
use crate::model::OrganizationId;
use inboxd_port_macros::port;

/// What a `client_id` makes; it can make one of each kind.
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
    /// The word that storage knows it by.
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

/// Every `client_id` that ever made something whose own row does not stay.
#[port]
pub trait ClientIdWrites: Send {
    /// Spends a `client_id` for ever on what this unit of work makes. Answers what it has made already, where it is
    /// spent; whoever else is about to spend it is waited for.
    async fn spend(
        &mut self,
        organization_id: OrganizationId,
        kind: ClientIdKind,
        client_id: &str,
        made: &str,
    ) -> Result<Option<String>, StoreError>;
}
