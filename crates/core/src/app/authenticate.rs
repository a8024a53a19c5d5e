//! From a key to the caller who holds it.

use time::{Duration, OffsetDateTime};

use super::App;
use crate::Error;
use crate::model::api_key::hash_key;
use crate::model::{Actor, ApiKey, Caller, Organization, OrganizationId};

/// How far `used_at` may lag (`wire.md`, section 3, API key).
const USED_AT_LAG: Duration = Duration::seconds(60);

/// Finds out who calls. The key is read anew at every call, so that a revoked one is refused at once, everywhere.
///
/// # Errors
/// [`Error::UnknownApiKey`], [`Error::ApiKeyExpired`].
pub async fn authenticate(app: &App, plaintext: &str) -> Result<Caller, Error> {
    let credential = app.store.credential(&hash_key(plaintext)).await?.ok_or(Error::UnknownApiKey)?;
    let key = credential.api_key;
    let now = app.clock.now();
    refuse_expired(&key, now)?;
    if key.used_at.is_none_or(|at| now - at >= USED_AT_LAG) {
        // Losing this costs nothing: the next request notes it.
        let _ = app.store.touch_api_key(key.organization_id, key.api_key_id, now).await;
    }
    Ok(holder(credential.organization, key))
}

/// Who somebody is now that did something before, so that something more can be done in their name.
///
/// # Errors
/// [`Error::UnknownApiKey`] and [`Error::ApiKeyExpired`] when they may act no longer.
pub(super) async fn caller_of(app: &App, organization_id: OrganizationId, actor: &Actor) -> Result<Caller, Error> {
    // Nobody acts as a person: every key acts for the organization.
    let Actor::ApiKey { api_key_id, .. } = actor else { return Err(Error::UnknownApiKey) };
    let key = app.store.api_key(organization_id, *api_key_id).await?.ok_or(Error::UnknownApiKey)?;
    refuse_expired(&key, app.clock.now())?;
    let overview = app.store.overview(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    Ok(holder(overview.organization, key))
}

fn refuse_expired(key: &ApiKey, now: OffsetDateTime) -> Result<(), Error> {
    match key.expires_at.filter(|_| key.is_expired(now)) {
        Some(at) => Err(Error::ApiKeyExpired { at }),
        None => Ok(()),
    }
}

/// Whoever holds a key of an organization.
fn holder(organization: Organization, key: ApiKey) -> Caller {
    Caller {
        organization,
        api_key_id: key.api_key_id,
        reach: key.reach,
        permissions: key.permissions,
        expires_at: key.expires_at,
        actor: Actor::ApiKey { api_key_id: key.api_key_id, name: key.name },
    }
}
