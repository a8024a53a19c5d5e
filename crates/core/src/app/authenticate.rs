//! Authentication of API keys.

use time::{Duration, OffsetDateTime};

use super::App;
use crate::Error;
use crate::model::api_key::hash_key;
use crate::model::{
    ActingMember, Actor, ApiKey, Caller, Connection, ConnectionId, Member, Membership, Organization, OrganizationId,
};
use crate::ports::Credential;
use crate::rules::oauth::bounds::bounded;

/// Maximum lag of `used_at` (`wire.md`, section 3, API key).
const USED_AT_LAG: Duration = Duration::seconds(60);

/// Returns the caller of an API key.
///
/// A key of a sign-in acts as its member, with the current scope and permissions of the member. An access token also has
/// the bounds of its connection. The key is read on
/// every call, so that every process refuses a revoked key at once.
///
/// # Errors
/// [`Error::UnknownApiKey`], [`Error::ApiKeyExpired`].
pub async fn authenticate(app: &App, plaintext: &str) -> Result<Caller, Error> {
    let credential = app.store.credential(&hash_key(plaintext)).await?;
    let now = app.clock.now();
    let used_at = credential.as_ref().and_then(|credential| credential.api_key.used_at);
    let caller = standing_of(credential, app.settings.issuer.as_deref(), now)?;
    if let Some(api_key_id) = caller.api_key_id
        && used_at.is_none_or(|at| now - at >= USED_AT_LAG)
    {
        // A failure is harmless: the next request records the use.
        let _ = app.store.touch_api_key(caller.organization.organization_id, api_key_id, now).await;
    }
    Ok(caller)
}

/// Returns the caller of a credential. `issuer` is the origin of this server today, for which an access token must have
/// been issued.
///
/// # Errors
/// [`Error::UnknownApiKey`] without a credential; [`Error::ApiKeyExpired`] for an expired key.
pub(crate) fn standing_of(
    credential: Option<Credential>,
    issuer: Option<&str>,
    now: OffsetDateTime,
) -> Result<Caller, Error> {
    let credential = credential.ok_or(Error::UnknownApiKey)?;
    let key = credential.api_key;
    refuse_expired(&key, now)?;
    let has_connection = key.connection_id.is_some();
    let caller = match credential.member {
        Some(person) => person_of(credential.organization, &person, Some(&key)),
        // The member of the key was removed a moment ago.
        None if key.member_id.is_some() => return Err(Error::UnknownApiKey),
        None => holder(credential.organization, key),
    };
    match credential.connection {
        Some(connection) if issuer.is_some_and(|issuer| connection.resource.eq_ignore_ascii_case(issuer)) => {
            within_connection(caller, &connection, now)
        }
        // The connection was revoked a moment ago, or was made for another origin.
        Some(_) => Err(Error::UnknownApiKey),
        None if has_connection => Err(Error::UnknownApiKey),
        None => Ok(caller),
    }
}

/// Returns a caller within the bounds of a live connection.
///
/// # Errors
/// [`Error::UnknownApiKey`] for an ended connection, or one without any inbox of the member.
pub(super) fn within_connection(caller: Caller, connection: &Connection, now: OffsetDateTime) -> Result<Caller, Error> {
    if !connection.is_live(now) {
        return Err(Error::UnknownApiKey);
    }
    bounded(caller, connection).ok_or(Error::UnknownApiKey)
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
        // The key of the earlier action does not matter: a member has the present role and scope. A connection still
        // matters: what it scheduled ends with it.
        Actor::Member { member_id, connection_id, .. } => {
            let person = app.store.member(organization_id, *member_id).await?.ok_or(Error::UnknownApiKey)?;
            within(app, *connection_id, person_of(overview.organization, &person, None)).await
        }
    }
}

/// Returns a caller within the present bounds of a connection, if one is given.
async fn within(app: &App, connection_id: Option<ConnectionId>, caller: Caller) -> Result<Caller, Error> {
    let Some(connection_id) = connection_id else { return Ok(caller) };
    let found = app.store.connection(caller.organization.organization_id, connection_id).await?;
    within_connection(caller, &found.ok_or(Error::UnknownApiKey)?, app.clock.now())
}

fn refuse_expired(key: &ApiKey, now: OffsetDateTime) -> Result<(), Error> {
    match key.expires_at.filter(|_| key.is_expired(now)) {
        Some(at) => Err(Error::ApiKeyExpired { at }),
        None => Ok(()),
    }
}

/// Returns the caller of a person with a browser session, in one of their organizations. Such a caller has no key.
#[must_use]
pub fn caller_of_membership(membership: Membership) -> Caller {
    person_of(membership.organization, &membership.member, None)
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
        connection: None,
        client_address: None,
        traceparent: None,
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
        connection: None,
        client_address: None,
        traceparent: None,
    }
}
