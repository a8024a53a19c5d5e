//! API key that a sign-in creates.

use std::net::IpAddr;

use time::OffsetDateTime;
use time::macros::format_description;

use crate::Error;
use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::model::api_key::PlaintextKey;
use crate::model::{ApiKey, ApiKeyId, AuditAction, AuditActor, Member, OrganizationId, Permissions, Reach};
use crate::ports::Tx;

/// Result of a sign-in.
pub struct SignedIn {
    /// The organization of the key.
    pub organization_id: OrganizationId,
    /// The key, which acts as the member.
    pub api_key: PlaintextKey,
    /// The id of the key.
    pub api_key_id: ApiKeyId,
    /// The name of the key, which contains the time of the sign-in.
    pub name: String,
}

/// Restrictions of a new key.
#[derive(Default)]
pub(super) struct Bounds {
    /// The permissions of the key within those of its member; `None` means all.
    pub(super) permissions: Option<Permissions>,
    /// The time when the key expires.
    pub(super) expires_at: Option<OffsetDateTime>,
    /// The address of the client that signs in.
    pub(super) client_address: Option<IpAddr>,
}

/// Creates a key for a locked member.
pub(super) async fn make(
    app: &App,
    tx: &mut dyn Tx,
    member: &Member,
    bounds: Bounds,
    now: OffsetDateTime,
) -> Result<SignedIn, Error> {
    let plaintext = PlaintextKey::from_random(app.random.bytes());
    let key = ApiKey {
        organization_id: member.organization_id,
        api_key_id: app.mint(now),
        prefix: plaintext.prefix(),
        name: name(now)?,
        reach: Reach::Organization,
        member_id: Some(member.member_id),
        connection_id: None,
        permissions: bounds.permissions,
        expires_at: bounds.expires_at,
        used_at: None,
        created_at: now,
        updated_at: now,
    };
    tx.api_keys().insert(&key, &plaintext.hash()).await?;
    let author = (AuditActor::Caller(member.actor()), bounds.client_address);
    let change = AuditChange::created(AuditAction::ApiKeyCreated, &key);
    audit::record_by(app, tx, member.organization_id, author, change).await?;
    let ApiKey { organization_id, api_key_id, name, .. } = key;
    Ok(SignedIn { organization_id, api_key: plaintext, api_key_id, name })
}

/// Returns the name of a key: `Sign-in 2026-11-20 10:00:00 UTC`.
fn name(now: OffsetDateTime) -> Result<String, Error> {
    let format = format_description!("Sign-in [year]-[month]-[day] [hour]:[minute]:[second] UTC");
    now.format(format).map_err(|error| Error::Internal(error.to_string()))
}
