//! Polling webhooks: subscriptions to events that are read with a token instead of sent to a URL.

use std::collections::BTreeMap;
use std::fmt;

use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use super::feed::FeedPosition;
use super::{
    Actor, ApiKeyId, Caller, EventType, Organization, OrganizationId, Permission, Permissions, Reach, WebhookId,
    WebhookTargets,
};
use crate::rules::webhooks::subscription;

/// A subscription that its holder polls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PollingWebhook {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Its id.
    pub webhook_id: WebhookId,
    /// Scope fixed at creation: the organization, a pod or an inbox. No event beyond it matches.
    pub place: Reach,
    /// The caller's name of the subscription, unique in the organization.
    pub client_id: String,
    /// Subscribed event types, each at most once.
    pub event_types: Vec<EventType>,
    /// Limit within the scope; `None` is the whole scope.
    pub selection: Option<WebhookTargets>,
    /// SHA-256 of the token that reads it.
    pub token_hash: [u8; 32],
    /// Position in the feed at its creation, where the first read begins.
    pub start: FeedPosition,
    /// Time of creation.
    pub created_at: OffsetDateTime,
    /// Time of the last change.
    pub updated_at: OffsetDateTime,
}

impl PollingWebhook {
    /// Maximum polling webhooks of one organization, pod or inbox each, without those of its parts.
    pub const MAX_PER_PLACE: u64 = 10;

    /// Returns the caller that the token stands for: it reads the subscribed events and nothing else.
    #[must_use]
    pub fn reader(&self, organization: Organization) -> Caller {
        let of_types = self.event_types.iter().filter_map(|kind| subscription::required_permission(*kind));
        let granted = [Permission::EventRead, Permission::MessageRead].into_iter().chain(of_types);
        let permissions: BTreeMap<String, bool> =
            granted.map(|permission| (permission.as_str().to_owned(), true)).collect();
        Caller {
            organization,
            api_key_id: None,
            reach: self.place.clone(),
            permissions: Some(Permissions(permissions)),
            expires_at: None,
            // A read records no author.
            actor: Actor::ApiKey { api_key_id: ApiKeyId::from(self.webhook_id.0), name: self.client_id.clone() },
            member: None,
            connection: None,
            client_address: None,
            traceparent: None,
        }
    }
}

/// Token of a polling webhook. It is shown once, stored as a hash and never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct PollingToken(String);

impl PollingToken {
    /// Creates a token from 32 random bytes.
    #[must_use]
    pub fn from_random(random: [u8; 32]) -> Self {
        use base64::Engine as _;
        Self(format!("poll_{}", base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(random)))
    }

    /// Returns the plaintext.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the stored hash.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        Self::hash_of(&self.0)
    }

    /// Returns the hash by which a token is found. It has 256 random bits, so it needs no slow hash.
    #[must_use]
    pub fn hash_of(plaintext: &str) -> [u8; 32] {
        Sha256::digest(plaintext.as_bytes()).into()
    }
}

impl fmt::Debug for PollingToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PollingToken(…)")
    }
}
