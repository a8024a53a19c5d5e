//! Webhooks: subscriptions of URLs to events (`wire.md`, section 3, Webhook).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use time::OffsetDateTime;

use super::{EventType, InboxId, OrganizationId, PodId, Reach, WebhookId};
use crate::rules::trust::Verdict;

/// Pods and inboxes to which a webhook is limited, each at most once. An event of any of them matches; with two empty
/// lists none matches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookTargets {
    /// Pods, with all their inboxes.
    pub pod_ids: Vec<PodId>,
    /// Inboxes.
    pub inbox_ids: Vec<InboxId>,
}

/// A webhook without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Its id.
    pub webhook_id: WebhookId,
    /// Scope fixed at creation: the organization, a pod or an inbox. No event beyond it matches.
    pub place: Reach,
    /// URL that receives the events.
    pub url: String,
    /// Subscribed event types, each at most once.
    pub event_types: Vec<EventType>,
    /// Verdicts of which received mail must have one; empty for all.
    pub trust: Vec<Verdict>,
    /// Limit within the scope; `None` is the whole scope.
    pub selection: Option<WebhookTargets>,
    /// Whether events are sent.
    pub enabled: bool,
    /// Names of the additional header fields, as configured.
    pub header_names: Vec<String>,
    /// The caller's idempotency key of its creation.
    pub client_id: Option<String>,
    /// Start of the failure streak. A disabled webhook with a streak was disabled because of it.
    pub failing_since: Option<OffsetDateTime>,
    /// Time of the last failed delivery.
    pub last_failed_at: Option<OffsetDateTime>,
    /// Time of creation.
    pub created_at: OffsetDateTime,
    /// Time of the last change.
    pub updated_at: OffsetDateTime,
}

/// Encrypted parts of a webhook that only deliveries need (`app::webhooks::seals`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncryptedSecrets {
    /// Signing secret.
    pub secret: Vec<u8>,
    /// Earlier secrets, the newest first; each also signs until it expires.
    pub previous: Vec<PreviousSecret>,
    /// Additional header fields; `None` without any.
    pub headers: Option<Vec<u8>>,
}

/// A replaced secret. It signs beside its successor for a time, so that receivers can switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousSecret {
    /// The secret, encrypted.
    pub secret: Vec<u8>,
    /// Time at which it stops signing.
    pub until: OffsetDateTime,
}

/// Secret of a webhook: the key of its signatures. It is shown once and never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret([u8; 32]);

impl WebhookSecret {
    /// Creates a secret from random bytes.
    #[must_use]
    pub fn from_random(random: [u8; 32]) -> Self {
        Self(random)
    }

    /// Parses a stored secret; `None` for another length.
    #[must_use]
    pub fn stored(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Returns the key of HMAC-SHA256.
    #[must_use]
    pub fn key(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the text form for receivers (Standard Webhooks, section "Signature scheme").
    #[must_use]
    pub fn reveal(&self) -> String {
        format!("whsec_{}", STANDARD.encode(self.0))
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(…)")
    }
}
