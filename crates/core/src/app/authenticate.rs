//! From a key to the caller who holds it.

use time::{Duration, OffsetDateTime};

use super::App;
use crate::Error;
use crate::model::api_key::hash_key;
use crate::model::{ActingMember, Actor, ApiKey, Caller, Member, Organization, OrganizationId};
use crate::ports::Credential;

/// Lag of `used_at`: it may lag a minute (`wire.md`, section 3, API key).
const USED_AT_LAG: Duration = Duration::seconds(60);

/// Finds out who calls. The key of a sign-in acts as its person, as far as they reach and may at this moment. The key is
/// read anew at every call, so that a revoked one is refused at once, everywhere.
///
/// # Errors
/// [`Error::UnknownApiKey`], [`Error::ApiKeyExpired`].
pub async fn authenticate(app: &App, plaintext: &str) -> Result<Caller, Error> {
    let credential = app.store.credential(&hash_key(plaintext)).await?;
    let now = app.clock.now();
    let used_at = credential.as_ref().and_then(|credential| credential.api_key.used_at);
    let caller = standing_of(credential, now)?;
    if let Some(api_key_id) = caller.api_key_id
        && used_at.is_none_or(|at| now - at >= USED_AT_LAG)
    {
        // Losing this costs nothing: the next request notes it.
        let _ = app.store.touch_api_key(caller.organization.organization_id, api_key_id, now).await;
    }
    Ok(caller)
}

/// Who holds a key that was found by its hash.
///
/// # Errors
/// [`Error::UnknownApiKey`] and [`Error::ApiKeyExpired`] when it works no longer.
pub(crate) fn standing_of(credential: Option<Credential>, now: OffsetDateTime) -> Result<Caller, Error> {
    let credential = credential.ok_or(Error::UnknownApiKey)?;
    let key = credential.api_key;
    refuse_expired(&key, now)?;
    match credential.member {
        Some(person) => Ok(person_of(credential.organization, &person, Some(&key))),
        // A person's key without the person: they were removed in this moment.
        None if key.member_id.is_some() => Err(Error::UnknownApiKey),
        None => Ok(holder(credential.organization, key)),
    }
}

/// Who somebody is now that did something before, so that something more can be done in their name.
///
/// # Errors
/// [`Error::UnknownApiKey`] and [`Error::ApiKeyExpired`] when they may act no longer.
pub(super) async fn caller_of(app: &App, organization_id: OrganizationId, actor: &Actor) -> Result<Caller, Error> {
    let overview = app.store.overview(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    match actor {
        Actor::ApiKey { api_key_id, .. } => {
            let key = app.store.api_key(organization_id, *api_key_id).await?.ok_or(Error::UnknownApiKey)?;
            refuse_expired(&key, app.clock.now())?;
            Ok(holder(overview.organization, key))
        }
        // Whichever key they used then: a person is who they are now.
        Actor::Member { member_id, .. } => {
            let person = app.store.member(organization_id, *member_id).await?.ok_or(Error::UnknownApiKey)?;
            Ok(person_of(overview.organization, &person, None))
        }
    }
}

fn refuse_expired(key: &ApiKey, now: OffsetDateTime) -> Result<(), Error> {
    match key.expires_at.filter(|_| key.is_expired(now)) {
        Some(at) => Err(Error::ApiKeyExpired { at }),
        None => Ok(()),
    }
}

/// A person of an organization, with the key that they use.
fn person_of(organization: Organization, person: &Member, key: Option<&ApiKey>) -> Caller {
    Caller {
        organization,
        api_key_id: key.map(|key| key.api_key_id),
        reach: person.reach(),
        permissions: key.and_then(|key| key.permissions.clone()),
        expires_at: key.and_then(|key| key.expires_at),
        actor: person.actor(),
        member: Some(ActingMember { member_id: person.member_id, email: person.email.clone(), role: person.role }),
    }
}

/// Whoever holds a key of an organization.
fn holder(organization: Organization, key: ApiKey) -> Caller {
    Caller {
        organization,
        api_key_id: Some(key.api_key_id),
        reach: key.reach,
        permissions: key.permissions,
        expires_at: key.expires_at,
        actor: Actor::ApiKey { api_key_id: key.api_key_id, name: key.name },
        member: None,
    }
}
