//! Current state of the keys and browser sessions that subscribe to the feed.

use std::collections::HashMap;

use crate::Error;
use crate::app::{App, caller_of_membership, standing_of};
use crate::model::{BrowserSession, Caller, Membership, OrganizationId, Permission};
use crate::ports::Credential;
use crate::rules::access;

/// Proof by which a subscriber reads the feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FeedCredential {
    /// SHA-256 of an API key.
    Key([u8; 32]),
    /// Session of a browser.
    Session {
        /// SHA-256 of its token.
        token_hash: [u8; 32],
        /// Organization in which the person works.
        organization_id: OrganizationId,
    },
    /// SHA-256 of the token of a polling webhook.
    Polling([u8; 32]),
}

impl From<[u8; 32]> for FeedCredential {
    fn from(key_hash: [u8; 32]) -> Self {
        Self::Key(key_hash)
    }
}

/// Returns the current callers of these credentials in their order. A caller that may no longer read events yields its
/// refusal.
///
/// The number of queries does not depend on the number of credentials.
///
/// # Errors
/// [`Error::Store`].
pub async fn standings(app: &App, credentials: &[FeedCredential]) -> Result<Vec<Result<Caller, Error>>, Error> {
    let keys = keys_among(app, credentials).await?;
    let persons = persons_among(app, credentials).await?;
    let polled = polling_webhooks_among(app, credentials).await?;
    let standing = |credential: &FeedCredential| {
        let caller = match credential {
            FeedCredential::Key(hash) => {
                standing_of(keys.get(hash).cloned(), app.settings.issuer.as_deref(), app.clock.now())?
            }
            FeedCredential::Session { token_hash, organization_id } => {
                let membership = persons.get(token_hash).into_iter().flatten().find(|joined| {
                    joined.member.is_active() && joined.organization.organization_id == *organization_id
                });
                caller_of_membership(membership.cloned().ok_or(Error::UnknownApiKey)?)
            }
            FeedCredential::Polling(hash) => polled.get(hash).cloned().ok_or(Error::UnknownApiKey)?,
        };
        access::require(&caller, Permission::EventRead)?;
        Ok(caller)
    };
    Ok(credentials.iter().map(standing).collect())
}

async fn keys_among(app: &App, credentials: &[FeedCredential]) -> Result<HashMap<[u8; 32], Credential>, Error> {
    let hash = |credential: &FeedCredential| match credential {
        FeedCredential::Key(hash) => Some(*hash),
        FeedCredential::Session { .. } | FeedCredential::Polling(_) => None,
    };
    let hashes: Vec<[u8; 32]> = credentials.iter().filter_map(hash).collect();
    if hashes.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(app.store.credentials(&hashes).await?.into_iter().collect())
}

/// Returns the memberships of the persons of live sessions, by token hash.
async fn persons_among(app: &App, credentials: &[FeedCredential]) -> Result<HashMap<[u8; 32], Vec<Membership>>, Error> {
    let hash = |credential: &FeedCredential| match credential {
        FeedCredential::Key(_) | FeedCredential::Polling(_) => None,
        FeedCredential::Session { token_hash, .. } => Some(*token_hash),
    };
    let hashes: Vec<[u8; 32]> = credentials.iter().filter_map(hash).collect();
    if hashes.is_empty() {
        return Ok(HashMap::new());
    }
    let now = app.clock.now();
    let mut sessions: Vec<BrowserSession> = app.store.browser_sessions(&hashes).await?;
    sessions.retain(|session| !session.is_expired(now));
    let emails: Vec<_> = sessions.iter().map(|session| session.email.clone()).collect();
    let memberships = app.store.memberships_of(&emails).await?;
    // Unreadable memberships refuse their person alone.
    let of_person = |(session, joined): (&BrowserSession, Option<_>)| (session.token_hash, joined.unwrap_or_default());
    Ok(sessions.iter().zip(memberships).map(of_person).collect())
}

/// Returns the callers that the tokens of polling webhooks stand for, by token hash.
async fn polling_webhooks_among(app: &App, credentials: &[FeedCredential]) -> Result<HashMap<[u8; 32], Caller>, Error> {
    let hash = |credential: &FeedCredential| match credential {
        FeedCredential::Polling(hash) => Some(*hash),
        FeedCredential::Key(_) | FeedCredential::Session { .. } => None,
    };
    let hashes: Vec<[u8; 32]> = credentials.iter().filter_map(hash).collect();
    if hashes.is_empty() {
        return Ok(HashMap::new());
    }
    let found = app.store.polling_webhooks_of_tokens(&hashes).await?;
    Ok(found.into_iter().map(|(organization, webhook)| (webhook.token_hash, webhook.reader(organization))).collect())
}
