//! Entries of the audit log.

use inboxd_core::model;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::actor::ActorView;
use super::time::format_time;

/// Recorded change.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditEntry)]
pub(crate) struct AuditEntryView {
    /// Id of the entry; ids sort by time.
    entry_id: String,
    /// Id of the organization.
    organization_id: String,
    /// Kind of the change.
    #[schema(example = "api_key.created")]
    action: &'static str,
    /// Kind of the changed resource.
    #[schema(example = "api_key")]
    resource_type: &'static str,
    /// Id of the resource; a list entry is named by its address or domain.
    resource_id: String,
    /// Author of the change.
    actor: AuditActorView,
    /// Address of the client; absent without a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_address: Option<String>,
    /// Facts before the change, without secrets; of a changed resource only those that differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Object>)]
    before: Option<Map<String, Value>>,
    /// Facts after the change, like `before`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Object>)]
    after: Option<Map<String, Value>>,
    /// Time of the change.
    #[schema(format = DateTime)]
    created_at: String,
}

/// Author of a recorded change.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditActor)]
#[serde(untagged)]
enum AuditActorView {
    /// Member or API key.
    Caller(ActorView),
    /// Any other author.
    Service {
        /// `operator`, `payment_provider`, `oauth_client` or `service`.
        #[schema(pattern = "^(operator|payment_provider|oauth_client|service)$")]
        r#type: &'static str,
    },
}

impl From<model::AuditEntry> for AuditEntryView {
    fn from(entry: model::AuditEntry) -> Self {
        Self {
            entry_id: entry.entry_id.to_string(),
            organization_id: entry.organization_id.to_string(),
            action: entry.action.as_str(),
            resource_type: entry.resource_type.as_str(),
            resource_id: entry.resource_id,
            actor: match entry.actor {
                model::AuditActor::Caller(actor) => AuditActorView::Caller(actor.into()),
                model::AuditActor::Service { kind } => AuditActorView::Service { r#type: kind.as_str() },
            },
            client_address: entry.client_address,
            before: entry.before,
            after: entry.after,
            created_at: format_time(entry.created_at),
        }
    }
}
