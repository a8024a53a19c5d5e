//! Webhooks: who is told of events (`wire.md`, section 3, Webhook).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use time::OffsetDateTime;

use super::{EventType, InboxId, OrganizationId, PodId, Reach, WebhookId};

/// The pods and inboxes that a webhook hears of, each at most once. An event of any of them is heard; where both lists are
/// empty, none is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Pods, with all their inboxes.
    pub pod_ids: Vec<PodId>,
    /// Inboxes.
    pub inbox_ids: Vec<InboxId>,
}

/// A webhook, but for its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Its id.
    pub webhook_id: WebhookId,
    /// What it was made for: the organization, a pod or an inbox. It hears nothing beyond that.
    pub place: Reach,
    /// Where events are sent.
    pub url: String,
    /// The kinds that it hears of, each at most once.
    pub event_types: Vec<EventType>,
    /// What it hears of within its place; `None` is everything there.
    pub selection: Option<Selection>,
    /// Whether anything is sent.
    pub enabled: bool,
    /// The names of the fields that are sent with every event, as they were given.
    pub header_names: Vec<String>,
    /// The caller's idempotency key of its creation.
    pub client_id: Option<String>,
    /// When the run of failures began that no success has broken. A disabled webhook that still has it was disabled for
    /// failing.
    pub failing_since: Option<OffsetDateTime>,
    /// When a delivery last failed.
    pub last_failed_at: Option<OffsetDateTime>,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// When it last changed.
    pub updated_at: OffsetDateTime,
}

/// What only the sending of events needs of a webhook, sealed by the vault (`app::webhooks::seals`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// The secret that signs.
    pub secret: Vec<u8>,
    /// Those before it, the newest first: each signs too until its time has come.
    pub previous: Vec<PreviousSecret>,
    /// The fields that are sent with every event; `None` where there are none.
    pub headers: Option<Vec<u8>>,
}

/// A secret that was replaced. It signs beside its successor for a while, so that receivers can change over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousSecret {
    /// The secret, sealed.
    pub secret: Vec<u8>,
    /// When it stops signing.
    pub until: OffsetDateTime,
}

/// The secret of a webhook: the key of its signatures. It is shown once and logged never.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret([u8; 32]);

impl WebhookSecret {
    /// Makes a secret of random octets.
    #[must_use]
    pub fn from_random(random: [u8; 32]) -> Self {
        Self(random)
    }

    /// The secret of these octets; `None` when they are none.
    #[must_use]
    pub fn stored(octets: &[u8]) -> Option<Self> {
        octets.try_into().ok().map(Self)
    }

    /// The key of HMAC-SHA256.
    #[must_use]
    pub fn key(&self) -> &[u8; 32] {
        &self.0
    }

    /// The secret as receivers write it down (Standard Webhooks, section "Signature scheme").
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
