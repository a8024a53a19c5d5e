//! The key that a sign-in makes.

use time::OffsetDateTime;
use time::macros::format_description;

use crate::Error;
use crate::app::App;
use crate::model::api_key::PlaintextKey;
use crate::model::{ApiKey, ApiKeyId, Member, OrganizationId, Permissions, Reach};
use crate::ports::Tx;

/// What signing in answers.
pub struct SignedIn {
    /// Where they are now.
    pub organization_id: OrganizationId,
    /// The key, which acts as them.
    pub api_key: PlaintextKey,
    /// Its id.
    pub api_key_id: ApiKeyId,
    /// Its name, which says when they signed in.
    pub name: String,
}

/// What a key is kept to: its map of permissions and its end.
#[derive(Default)]
pub(super) struct Bounds {
    /// What it may do of what its person may; `None` is everything.
    pub(super) permissions: Option<Permissions>,
    /// When it stops working.
    pub(super) expires_at: Option<OffsetDateTime>,
}

/// Makes a key for a member who is locked.
pub(super) async fn make(
    app: &App,
    tx: &mut dyn Tx,
    member: &Member,
    bounds: Bounds,
    now: OffsetDateTime,
) -> Result<SignedIn, Error> {
    let plaintext = PlaintextKey::from_random(app.random.octets());
    let key = ApiKey {
        organization_id: member.organization_id,
        api_key_id: app.mint(now),
        prefix: plaintext.prefix(),
        name: name(now)?,
        reach: Reach::Organization,
        member_id: Some(member.member_id),
        permissions: bounds.permissions,
        expires_at: bounds.expires_at,
        used_at: None,
        created_at: now,
        updated_at: now,
    };
    tx.api_keys().insert(&key, &plaintext.hash()).await?;
    let ApiKey { organization_id, api_key_id, name, .. } = key;
    Ok(SignedIn { organization_id, api_key: plaintext, api_key_id, name })
}

/// `Sign-in 2026-11-20 10:00:00 UTC`.
fn name(now: OffsetDateTime) -> Result<String, Error> {
    let format = format_description!("Sign-in [year]-[month]-[day] [hour]:[minute]:[second] UTC");
    now.format(format).map_err(|error| Error::Internal(error.to_string()))
}
