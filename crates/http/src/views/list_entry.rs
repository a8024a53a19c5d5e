//! Entries of allow and block lists, and suppressed addresses.

use inboxd_core::model::{self, ListLevel};
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// Entry of an allow or block list.
#[derive(Serialize, ToSchema)]
#[schema(as = ListEntry)]
pub(crate) struct ListEntryView {
    /// Address, or domain with its subdomains; in lower case.
    entry: String,
    /// Organization of the entry.
    organization_id: String,
    /// Pod of the list, or pod of the inbox of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pod_id: Option<String>,
    /// Inbox of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    inbox_id: Option<String>,
    /// `send`, `receive` or `reply`.
    direction: &'static str,
    /// `allow` or `block`.
    list_type: &'static str,
    /// `email` or `domain`.
    entry_type: &'static str,
    /// Reason of the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Whether the entry admits a sender only if authentication confirms the domain of From; absent if it does not
    /// require this.
    #[serde(skip_serializing_if = "is_false")]
    #[schema(required = false)]
    require_authentication: bool,
    /// Whether the entry is a suppressed address, which cannot be deleted.
    read_only: bool,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_at: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl From<model::ListEntry> for ListEntryView {
    fn from(entry: model::ListEntry) -> Self {
        let (pod_id, inbox_id) = match entry.list.level {
            ListLevel::Organization => (None, None),
            ListLevel::Pod(pod_id) => (Some(pod_id.to_string()), None),
            ListLevel::Inbox { pod_id, inbox_id } => (Some(pod_id.to_string()), Some(inbox_id.to_string())),
        };
        Self {
            entry_type: entry.entry.entry_type().as_str(),
            entry: entry.entry.as_str().to_owned(),
            organization_id: entry.list.organization_id.to_string(),
            pod_id,
            inbox_id,
            direction: entry.list.direction.as_str(),
            list_type: entry.list.list_type.as_str(),
            reason: entry.reason,
            require_authentication: entry.require_authentication,
            read_only: entry.read_only,
            created_at: format_time(entry.created_at),
        }
    }
}

/// Address that the organization can no longer send to.
#[derive(Serialize, ToSchema)]
#[schema(as = Suppression)]
pub(crate) struct SuppressionView {
    /// Suppressed address.
    address: String,
    /// Organization of the entry.
    organization_id: String,
    /// `bounce`: the server of the address refused a message permanently. `complaint`: the recipient marked a message
    /// as spam.
    reason: &'static str,
    /// Time of suppression.
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<model::Suppression> for SuppressionView {
    fn from(suppression: model::Suppression) -> Self {
        Self {
            address: suppression.address.to_string(),
            organization_id: suppression.organization_id.to_string(),
            reason: suppression.reason.as_str(),
            created_at: format_time(suppression.created_at),
        }
    }
}
