//! Authentication of API keys.

use time::{Duration, OffsetDateTime};

use super::App;
use crate::Error;
use crate::model::api_key::hash_key;
use crate::model::{ActingMember, Actor, ApiKey, Caller, Member, Organization, OrganizationId};
use crate::ports::Credential;

/// Maximum lag of `used_at` (`wire.md`, section 3, API key).
const USED_AT_LAG: Duration = Duration::seconds(60);

/// Returns the caller of an API key.
///
/// A key of a sign-in acts as its member, with the current scope and permissions of the member. The key is read on
/// every call, so that every process refuses a revoked key at once.
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
        // A failure is harmless: the next request records the use.
        let _ = app.store.touch_api_key(caller.organization.organization_id, api_key_id, now).await;
    }
    Ok(caller)
}

/// Returns the caller of a credential.
///
/// # Errors
/// [`Error::UnknownApiKey`] without a credential; [`Error::ApiKeyExpired`] for an expired key.
pub(crate) fn standing_of(credential: Option<Credential>, now: OffsetDateTime) -> Result<Caller, Error> {
    let credential = credential.ok_or(Error::UnknownApiKey)?;
    let key = credential.api_key;
    refuse_expired(&key, now)?;
    match credential.member {
        Some(person) => Ok(person_of(credential.organization, &person, Some(&key))),
        // The member of the key was removed a moment ago.
        None if key.member_id.is_some() => Err(Error::UnknownApiKey),
        None => Ok(holder(credential.organization, key)),
    }
}

/// Returns the present caller of an earlier actor, for later work in their name.
///
/// # Errors
/// [`Error::NotFound`] for a removed organization; [`Error::UnknownApiKey`] for a removed key or member;
/// [`Error::ApiKeyExpired`] for an expired key.
pub(super) async fn caller_of(app: &App, organization_id: OrganizationId, actor: &Actor) -> Result<Caller, Error> {
    let overview = app.store.overview(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    match actor {
        Actor::ApiKey { api_key_id, .. } => {
            let key = app.store.api_key(organization_id, *api_key_id).await?.ok_or(Error::UnknownApiKey)?;
            refuse_expired(&key, app.clock.now())?;
            Ok(holder(overview.organization, key))
        }
        // The key of the earlier action does not matter: a member has the present role and scope.
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

/// Returns the caller for a member, with the key in use.
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

/// Returns the caller for an API key without a member.
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
