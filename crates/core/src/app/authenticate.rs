//! From a key to the caller who holds it.

use time::Duration;

use super::App;
use crate::Error;
use crate::model::api_key::hash_key;
use crate::model::{ActingMember, Actor, Caller};

/// How far `used_at` may lag (`wire.md`, section 3, API key).
const USED_AT_LAG: Duration = Duration::seconds(60);

/// Finds out who calls. The key of a sign-in acts as its person, as far as they reach and may at this moment. The key is
/// read anew at every call, so that a revoked one is refused at once, everywhere.
///
/// # Errors
/// [`Error::UnknownApiKey`], [`Error::ApiKeyExpired`].
pub async fn authenticate(app: &App, plaintext: &str) -> Result<Caller, Error> {
    let credential = app.store.credential(&hash_key(plaintext)).await?.ok_or(Error::UnknownApiKey)?;
    let key = credential.api_key;
    let now = app.clock.now();
    if let Some(at) = key.expires_at.filter(|_| key.is_expired(now)) {
        return Err(Error::ApiKeyExpired { at });
    }
    if key.used_at.is_none_or(|at| now - at >= USED_AT_LAG) {
        // Losing this costs nothing: the next request notes it.
        let _ = app.store.touch_api_key(key.organization_id, key.api_key_id, now).await;
    }
    let (reach, actor, member) = match credential.member {
        Some(person) => {
            let (reach, actor) = (person.reach(), person.actor());
            (reach, actor, Some(ActingMember { member_id: person.member_id, email: person.email, role: person.role }))
        }
        // A person's key without the person: they were removed in this moment.
        None if key.member_id.is_some() => return Err(Error::UnknownApiKey),
        None => (key.reach, Actor::ApiKey { api_key_id: key.api_key_id, name: key.name }, None),
    };
    Ok(Caller {
        organization: credential.organization,
        api_key_id: key.api_key_id,
        reach,
        permissions: key.permissions,
        expires_at: key.expires_at,
        actor,
        member,
    })
}
