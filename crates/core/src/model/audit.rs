//! Audit log: changes to keys, members, lists, policies, domains, webhooks and connections, with their authors.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use time::OffsetDateTime;

use super::string_enum::string_enum;
use super::{Actor, AuditEntryId, OrganizationId};

/// Facts about a resource by the names of the API, without secrets.
pub type AuditFacts = Map<String, Value>;

string_enum! {
    /// Kind of a resource whose changes are recorded.
    AuditedResource {
        /// An API key.
        ApiKey = "api_key",
        /// A connection of a chat client.
        Connection = "connection",
        /// A correspondent of an inbox.
        Contact = "contact",
        /// A custom domain.
        Domain = "domain",
        /// An inbox.
        Inbox = "inbox",
        /// A pod.
        Pod = "pod",
        /// An entry of an allow or block list.
        ListEntry = "list_entry",
        /// A member.
        Member = "member",
        /// The organization.
        Organization = "organization",
        /// A webhook.
        Webhook = "webhook",
        /// A message.
        Message = "message",
        /// A policy of sending.
        Policy = "policy",
        /// A held message, by its draft.
        Draft = "draft",
        /// The audit log.
        Audit = "audit",
    }
}

string_enum! {
    /// Kind of a recorded change.
    AuditAction {
        /// A key was created.
        ApiKeyCreated = "api_key.created",
        /// A key was changed.
        ApiKeyUpdated = "api_key.updated",
        /// A key was revoked.
        ApiKeyDeleted = "api_key.deleted",
        /// A person granted access to a client.
        ConnectionCreated = "connection.created",
        /// A connection was changed.
        ConnectionUpdated = "connection.updated",
        /// A connection was revoked.
        ConnectionDeleted = "connection.deleted",
        /// A contact was trusted or blocked, or the decision was removed.
        ContactUpdated = "contact.updated",
        /// A contact was forgotten.
        ContactDeleted = "contact.deleted",
        /// A domain was added.
        DomainCreated = "domain.created",
        /// The settings of a domain were changed.
        DomainUpdated = "domain.updated",
        /// The DNS records of a domain were checked, or another organization proved its name.
        DomainChecked = "domain.checked",
        /// A domain was removed.
        DomainDeleted = "domain.deleted",
        /// The retention of an inbox was changed.
        InboxRetentionUpdated = "inbox.retention_updated",
        /// The quarantine of an inbox was changed.
        InboxQuarantineUpdated = "inbox.quarantine_updated",
        /// A legal hold of an inbox was placed, changed or ended.
        InboxLegalHoldUpdated = "inbox.legal_hold_updated",
        /// An inbox was deleted, with its mail, keys, lists and webhooks.
        InboxDeleted = "inbox.deleted",
        /// The quarantine of a pod was changed.
        PodQuarantineUpdated = "pod.quarantine_updated",
        /// A pod was deleted, with its keys, lists and webhooks.
        PodDeleted = "pod.deleted",
        /// An entry was added to a list.
        ListEntryCreated = "list_entry.created",
        /// An entry was removed from a list.
        ListEntryDeleted = "list_entry.deleted",
        /// A person was invited.
        MemberCreated = "member.created",
        /// An invited person signed in for the first time.
        MemberJoined = "member.joined",
        /// Name, role or inboxes of a member were changed.
        MemberUpdated = "member.updated",
        /// A member was removed, or left.
        MemberDeleted = "member.deleted",
        /// The content of a message was removed.
        MessageRedacted = "message.redacted",
        /// The organization signed up.
        OrganizationCreated = "organization.created",
        /// Plan, quarantine, suspension or brake of the organization were changed, or its owner address was confirmed.
        OrganizationUpdated = "organization.updated",
        /// A legal hold of the organization was placed, changed or ended.
        OrganizationLegalHoldUpdated = "organization.legal_hold_updated",
        /// The organization was removed.
        OrganizationDeleted = "organization.deleted",
        /// A webhook was created.
        WebhookCreated = "webhook.created",
        /// A webhook was changed, or disabled after days of failures.
        WebhookUpdated = "webhook.updated",
        /// The header fields of a webhook were changed.
        WebhookHeadersUpdated = "webhook.headers_updated",
        /// The secret of a webhook was replaced.
        WebhookSecretRotated = "webhook.secret_rotated",
        /// Past events were sent to a webhook again.
        WebhookReplayed = "webhook.replayed",
        /// A webhook was deleted.
        WebhookDeleted = "webhook.deleted",
        /// A scope got a policy.
        PolicyCreated = "policy.created",
        /// The policy of a scope was changed.
        PolicyUpdated = "policy.updated",
        /// The policy of a scope was deleted, or its scope was.
        PolicyDeleted = "policy.deleted",
        /// A person approved a held message.
        DraftApproved = "draft.approved",
        /// A person rejected a held message.
        DraftRejected = "draft.rejected",
        /// A secret URL of a calendar was created.
        CalendarFeedCreated = "calendar_feed.created",
        /// A secret URL of a calendar was revoked.
        CalendarFeedDeleted = "calendar_feed.deleted",
        /// The audit log was exported.
        AuditExported = "audit.exported",
    }
}

string_enum! {
    /// Author of a change that no caller made.
    ServiceActor {
        /// The operator of the server.
        Operator = "operator",
        /// The payment provider.
        PaymentProvider = "payment_provider",
        /// The client of a connection, by revoking a token or using an old one.
        OAuthClient = "oauth_client",
        /// This service by its own rules.
        Service = "service",
    }
}

/// Author of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AuditActor {
    /// A member or an API key.
    Caller(Actor),
    /// Another author.
    Service {
        /// Kind of the author.
        #[serde(rename = "type")]
        kind: ServiceActor,
    },
}

impl AuditActor {
    /// Returns the id by which the log is filtered.
    #[must_use]
    pub fn id(&self) -> String {
        match self {
            Self::Caller(actor) => actor.id(),
            Self::Service { kind } => kind.as_str().to_owned(),
        }
    }
}

/// A recorded change. It is never changed, and deleted only after the retention.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEntry {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Id, sortable by time.
    pub entry_id: AuditEntryId,
    /// Kind of the change.
    pub action: AuditAction,
    /// Kind of the changed resource.
    pub resource_type: AuditedResource,
    /// Id of the resource.
    pub resource_id: String,
    /// Author.
    pub actor: AuditActor,
    /// Address of the client; `None` without a request.
    pub client_address: Option<String>,
    /// Facts before the change; of a change only those that differ.
    pub before: Option<AuditFacts>,
    /// Facts after the change; of a change only those that differ.
    pub after: Option<AuditFacts>,
    /// Time of the change.
    pub created_at: OffsetDateTime,
}
