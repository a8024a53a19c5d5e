//! Who calls, how far their key reaches and what it permits.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{ActingMember, ApiKeyId, InboxId, MemberId, Organization, PodId};

/// How far a caller reaches. A key has exactly one scope, fixed at its creation (`service.md`, section 5); the key of a
/// sign-in reaches as far as its member does at that moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Every inbox and pod of the organization.
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
    /// The inboxes that a member is limited to, at least one. No key is made with it.
    Inboxes(BTreeSet<InboxId>),
}

/// How far a reach goes, without whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breadth {
    /// One inbox.
    Inbox,
    /// One pod.
    Pod,
    /// Everything.
    Organization,
}

impl Reach {
    /// How far it goes.
    #[must_use]
    pub fn breadth(&self) -> Breadth {
        match self {
            // What a person may do is a matter of their role, wherever they may do it.
            Self::Organization | Self::Inboxes(_) => Breadth::Organization,
            Self::Pod(_) => Breadth::Pod,
            Self::Inbox { .. } => Breadth::Inbox,
        }
    }
}

macro_rules! permissions {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// One thing that a key may do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Permission { $($(#[$doc])* $variant),* }

        impl Permission {
            /// Every permission there is (`wire.md`, section 3, API key).
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name in a key's map of permissions.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The permission of a name; `None` for a name that has no effect here.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

permissions! {
    /// See inboxes.
    InboxRead = "inbox_read",
    /// Make inboxes.
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
    /// See mail labelled spam.
    LabelSpamRead = "label_spam_read",
    /// See mail labelled blocked.
    LabelBlockedRead = "label_blocked_read",
    /// See mail labelled unauthenticated.
    LabelUnauthenticatedRead = "label_unauthenticated_read",
    /// See mail labelled trash.
    LabelTrashRead = "label_trash_read",
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
    /// See webhooks.
    WebhookRead = "webhook_read",
    /// Make webhooks.
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
    /// Make API keys.
    ApiKeyCreate = "api_key_create",
    /// Change API keys.
    ApiKeyUpdate = "api_key_update",
    /// Revoke API keys.
    ApiKeyDelete = "api_key_delete",
    /// See pods.
    PodRead = "pod_read",
    /// Make pods.
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
    /// See the organization.
    OrganizationRead = "organization_read",
    /// Change the organization.
    OrganizationUpdate = "organization_update",
    /// See and change billing.
    Billing = "billing",
}

/// A key's map of permissions: a whitelist, complete once it is there (`service.md`, section 5, rule 4).
///
/// It keeps the names as they were given, those without effect here included, so that a client reads back what it wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Permissions(pub BTreeMap<String, bool>);

impl Permissions {
    /// Whether the map grants it.
    #[must_use]
    pub fn grants(&self, permission: Permission) -> bool {
        self.0.get(permission.as_str()).copied().unwrap_or(false)
    }
}

/// Who did something, as it is shown in `sent_by`, `created_by` and their kin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Actor {
    /// A person.
    Member {
        /// Their id.
        member_id: MemberId,
        /// Their name.
        name: String,
        /// Their address.
        email: String,
    },
    /// A key that acts for the organization.
    ApiKey {
        /// Its id.
        api_key_id: ApiKeyId,
        /// Its name at that time.
        name: String,
    },
}

impl Actor {
    /// The id of the person or the key.
    #[must_use]
    pub fn id(&self) -> String {
        match self {
            Self::Member { member_id, .. } => member_id.to_string(),
            Self::ApiKey { api_key_id, .. } => api_key_id.to_string(),
        }
    }
}

/// A caller whose key was found and is neither expired nor revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The organization that the key belongs to.
    pub organization: Organization,
    /// The key; `None` for a person whom the service acts for without one.
    pub api_key_id: Option<ApiKeyId>,
    /// How far it reaches.
    pub reach: Reach,
    /// What it may do there; `None` is everything.
    pub permissions: Option<Permissions>,
    /// When the key stops working.
    pub expires_at: Option<time::OffsetDateTime>,
    /// Whom its acts are recorded under.
    pub actor: Actor,
    /// The person whom a sign-in key acts as; `None` for a key that acts for the organization.
    pub member: Option<ActingMember>,
}
