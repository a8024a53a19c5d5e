//! Callers: scope, permissions and actor of an authenticated key.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use super::{ActingMember, Actor, ApiKeyId, ConnectionBounds, InboxId, Organization, PodId, TraceContext};

/// Scope of a caller. A key has exactly one, fixed at its creation (`service.md`, section 5); the key of a sign-in has
/// the present scope of its member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// All inboxes and pods of the organization.
    Organization,
    /// One pod.
    Pod(PodId),
    /// One inbox.
    Inbox {
        /// The pod that the inbox belongs to.
        pod_id: PodId,
        /// The inbox.
        inbox_id: InboxId,
    },
    /// The inboxes of a limited member, at least one. No key is created with this scope.
    Inboxes(BTreeSet<InboxId>),
}

/// Kind of a scope, without its ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breadth {
    /// One inbox.
    Inbox,
    /// One pod.
    Pod,
    /// The whole organization.
    Organization,
}

impl Reach {
    /// Returns the kind of the scope.
    #[must_use]
    pub fn breadth(&self) -> Breadth {
        match self {
            // The role, not the inboxes, decides the permissions of a member.
            Self::Organization | Self::Inboxes(_) => Breadth::Organization,
            Self::Pod(_) => Breadth::Pod,
            Self::Inbox { .. } => Breadth::Inbox,
        }
    }
}

macro_rules! permissions {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// A permission of a key.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Permission { $($(#[$doc])* $variant),* }

        impl Permission {
            /// All permissions (`wire.md`, section 3, API key).
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name in the permission map of a key.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Parses a permission; `None` for a name without effect here.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }
        }

        /// One marker type a permission, so that a type says which permission was proved.
        pub mod permissions {
            use super::{Caller, Permission, RequiredPermission};

            $(
                $(#[$doc])*
                #[derive(Debug, Clone, Copy)]
                pub struct $variant;

                impl RequiredPermission for $variant {
                    const DOCUMENTED: Permission = Permission::$variant;

                    fn of(_: &Caller) -> Permission {
                        Self::DOCUMENTED
                    }
                }
            )*
        }
    };
}

impl Permission {
    /// Returns whether a key holds the permission only if its map grants it: a key without a map does not. The agent
    /// that a quarantine protects uses such a key.
    #[must_use]
    pub fn is_opt_in(self) -> bool {
        matches!(self, Self::LabelHeldRead | Self::AgentArmorRelease)
    }
}

/// A permission as a type: one of [`permissions`].
pub trait RequiredPermission: 'static {
    /// The permission that the documentation names.
    const DOCUMENTED: Permission;

    /// Returns the permission that this caller needs.
    fn of(caller: &Caller) -> Permission;
}

permissions! {
    /// See inboxes.
    InboxRead = "inbox_read",
    /// Create inboxes.
    InboxCreate = "inbox_create",
    /// Change inboxes.
    InboxUpdate = "inbox_update",
    /// Delete inboxes.
    InboxDelete = "inbox_delete",
    /// Read messages, threads and notes.
    MessageRead = "message_read",
    /// Send, reply and forward.
    MessageSend = "message_send",
    /// Label messages and threads, assign, write notes.
    MessageUpdate = "message_update",
    /// Delete messages and threads.
    MessageDelete = "message_delete",
    /// See messages labelled spam.
    LabelSpamRead = "label_spam_read",
    /// See messages labelled blocked.
    LabelBlockedRead = "label_blocked_read",
    /// See messages labelled unauthenticated.
    LabelUnauthenticatedRead = "label_unauthenticated_read",
    /// See messages labelled trash.
    LabelTrashRead = "label_trash_read",
    /// See messages labelled held.
    LabelHeldRead = "label_held_read",
    /// Release held messages.
    AgentArmorRelease = "agent_armor_release",
    /// Read drafts.
    DraftRead = "draft_read",
    /// Write drafts.
    DraftCreate = "draft_create",
    /// Change drafts.
    DraftUpdate = "draft_update",
    /// Delete drafts.
    DraftDelete = "draft_delete",
    /// Send drafts.
    DraftSend = "draft_send",
    /// Approve and reject messages that a policy holds.
    DraftApprove = "draft_approve",
    /// Read files.
    FileRead = "file_read",
    /// Create files.
    FileCreate = "file_create",
    /// Delete files.
    FileDelete = "file_delete",
    /// See webhooks.
    WebhookRead = "webhook_read",
    /// Create webhooks.
    WebhookCreate = "webhook_create",
    /// Change webhooks.
    WebhookUpdate = "webhook_update",
    /// Delete webhooks.
    WebhookDelete = "webhook_delete",
    /// See domains.
    DomainRead = "domain_read",
    /// Add domains.
    DomainCreate = "domain_create",
    /// Change domains.
    DomainUpdate = "domain_update",
    /// Delete domains.
    DomainDelete = "domain_delete",
    /// See allow and block lists.
    ListEntryRead = "list_entry_read",
    /// Add list entries.
    ListEntryCreate = "list_entry_create",
    /// Delete list entries.
    ListEntryDelete = "list_entry_delete",
    /// See metrics.
    MetricsRead = "metrics_read",
    /// Read events.
    EventRead = "event_read",
    /// See API keys.
    ApiKeyRead = "api_key_read",
    /// Create API keys.
    ApiKeyCreate = "api_key_create",
    /// Change API keys.
    ApiKeyUpdate = "api_key_update",
    /// Revoke API keys.
    ApiKeyDelete = "api_key_delete",
    /// See pods.
    PodRead = "pod_read",
    /// Create pods.
    PodCreate = "pod_create",
    /// Change pods.
    PodUpdate = "pod_update",
    /// Delete pods.
    PodDelete = "pod_delete",
    /// See members.
    MemberRead = "member_read",
    /// Invite members.
    MemberCreate = "member_create",
    /// Change members.
    MemberUpdate = "member_update",
    /// Remove members.
    MemberDelete = "member_delete",
    /// See policies of sending.
    PolicyRead = "policy_read",
    /// Change policies of sending.
    PolicyUpdate = "policy_update",
    /// See the organization.
    OrganizationRead = "organization_read",
    /// Change the organization.
    OrganizationUpdate = "organization_update",
    /// See and change billing.
    Billing = "billing",
    /// Read the audit log.
    AuditRead = "audit_read",
    /// See legal holds.
    LegalHoldRead = "legal_hold_read",
    /// Place and end legal holds.
    LegalHoldUpdate = "legal_hold_update",
}

/// Permission map of a key: an allowlist, complete if present (`service.md`, section 5, rule 4).
///
/// It retains all names of the request, including those without effect here, so that a client reads back its own map.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Permissions(pub BTreeMap<String, bool>);

impl Permissions {
    /// Returns whether the map grants a permission.
    #[must_use]
    pub fn grants(&self, permission: Permission) -> bool {
        self.0.get(permission.as_str()).copied().unwrap_or(false)
    }
}

/// An authenticated caller: its key is neither expired nor revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Organization of the key.
    pub organization: Organization,
    /// Id of the key; `None` when the service itself acts for a member.
    pub api_key_id: Option<ApiKeyId>,
    /// Scope of the key.
    pub reach: Reach,
    /// Permissions of the key; `None` grants all.
    pub permissions: Option<Permissions>,
    /// Expiry of the key.
    pub expires_at: Option<time::OffsetDateTime>,
    /// Author recorded for its actions.
    pub actor: Actor,
    /// Member of a sign-in key or access token; `None` for a key that acts for the organization.
    pub member: Option<ActingMember>,
    /// Connection of an access token; `None` for any other key.
    pub connection: Option<ConnectionBounds>,
    /// Address of the client; `None` without a request.
    pub client_address: Option<IpAddr>,
    /// Trace of the request; `None` without a request in a trace.
    pub traceparent: Option<TraceContext>,
}
