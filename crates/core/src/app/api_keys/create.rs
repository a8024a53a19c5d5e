//! Creation of an API key.

use time::OffsetDateTime;

use crate::app::audit::{self, AuditChange};
use crate::app::{App, inboxes, pods, policies, row_limits, scope, standing};
use crate::model::api_key::PlaintextKey;
use crate::model::permissions::ApiKeyCreate;
use crate::model::{ApiKey, ApiKeyId, AuditAction, Breadth, Caller, Permission, Permissions, Reach, Scope};
use crate::ports::ClientIdKind;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::{access, delegation, names};
use crate::{Error, FieldError};

/// Request for a new key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// The name; a default applies without one.
    pub name: Option<String>,
    /// The permissions; `None` copies those of the caller.
    pub permissions: Option<Permissions>,
    /// The time when the key expires, at most that of the caller's own key.
    pub expires_at: Option<OffsetDateTime>,
    /// The client's idempotency key.
    pub client_id: Option<String>,
}

/// Result of a creation.
pub struct MadeKey {
    /// The key.
    pub api_key: ApiKey,
    /// The plaintext; `None` for an earlier key of the same `client_id`, since no plaintext is stored.
    pub plaintext: Option<PlaintextKey>,
}

/// Creates a key for the scope of the call, or returns the earlier key of the same `client_id`.
///
/// Only the result of a creation contains the plaintext.
///
/// # Errors
/// [`Error::Invalid`], [`Error::PermissionEscalation`], [`Error::NotFound`] for the inbox
/// or the pod, [`Error::PodOutOfScope`], [`Error::ClientIdSpent`], [`Error::RowLimitReached`]. For a caller that changed
/// meanwhile [`Error::UnknownApiKey`], [`Error::RoleNotAllowed`], [`Error::MissingPermission`].
pub async fn create(app: &App, caller: &AuthorizedCaller<ApiKeyCreate>, new: NewKey) -> Result<MadeKey, Error> {
    let now = app.clock.now();
    Error::unless_empty(problems_of_new(caller, &new, now))?;
    let inbox = match caller.scope() {
        Scope::Inbox(inbox_id) => Some(scope::find_inbox(app, caller, inbox_id).await?),
        Scope::Organization | Scope::Pod(_) => None,
    };
    let reach = match &inbox {
        Some(inbox) => Reach::Inbox { pod_id: inbox.pod_id, inbox_id: inbox.inbox_id.clone() },
        None => scope::resolve(app, caller).await?,
    };
    let permissions = delegation::delegated(caller, new.permissions.clone(), &reach)?;
    let plaintext = PlaintextKey::from_random(app.random.bytes());
    let api_key = ApiKey {
        organization_id: caller.organization.organization_id,
        api_key_id: app.mint::<ApiKeyId>(now),
        prefix: plaintext.prefix(),
        name: new.name.unwrap_or_else(|| "API key".to_owned()),
        reach,
        member_id: None,
        connection_id: None,
        permissions,
        expires_at: [new.expires_at, caller.expires_at].into_iter().flatten().min(),
        used_at: None,
        created_at: now,
        updated_at: now,
    };
    let mut tx = app.store.begin().await?;
    // While this lock was awaited, a confirmation may have revoked the caller's key.
    row_limits::lock_organization(tx.as_mut(), api_key.organization_id).await?;
    if let Reach::Pod(pod_id) = &api_key.reach {
        pods::hold(tx.as_mut(), api_key.organization_id, *pod_id).await?;
    }
    if let Some(inbox) = &inbox {
        // The lock keeps the inbox alive until the key exists, so a later deletion also removes the key.
        inboxes::hold(tx.as_mut(), inbox).await?;
    }
    let caller = standing::present(app, tx.as_mut(), caller).await?;
    access::require(&caller, Permission::ApiKeyCreate)?;
    delegation::delegated(&caller, new.permissions, &api_key.reach)?;
    if let Some(client_id) = &new.client_id {
        let made = api_key.api_key_id.to_string();
        if let Some(made) =
            tx.client_ids().spend(api_key.organization_id, ClientIdKind::ApiKey, client_id, &made).await?
        {
            drop(tx);
            let api_key = original(app, &caller, client_id, &made).await?;
            return Ok(MadeKey { api_key, plaintext: None });
        }
    }
    row_limits::require_api_key(app, tx.as_mut(), api_key.organization_id).await?;
    tx.api_keys().insert(&api_key, &plaintext.hash()).await?;
    row_limits::count_creation(app, tx.as_mut(), api_key.organization_id, now).await?;
    let change = AuditChange::created(AuditAction::ApiKeyCreated, &api_key);
    audit::record(app, tx.as_mut(), &caller, change).await?;
    policies::hand_down(app, tx.as_mut(), &caller, api_key.api_key_id).await?;
    tx.commit().await?;
    Ok(MadeKey { api_key, plaintext: Some(plaintext) })
}

/// Returns the earlier key of a `client_id` if it is live and within the caller's reach.
async fn original(app: &App, caller: &Caller, client_id: &str, made: &str) -> Result<ApiKey, Error> {
    let spent = || Error::ClientIdSpent(client_id.to_owned());
    let api_key_id = made.parse().map_err(|_| spent())?;
    let api_key = app.store.api_key(caller.organization.organization_id, api_key_id).await?;
    api_key.filter(|key| access::reaches(&caller.reach, &key.reach)).ok_or_else(spent)
}

/// Returns every problem that a new key has by itself.
#[must_use]
pub fn problems_of_new(caller: &AuthorizedCaller<ApiKeyCreate>, new: &NewKey, now: OffsetDateTime) -> Vec<FieldError> {
    let name = new.name.as_deref().map_or(Ok(()), names::validate_label);
    let expiry = match new.expires_at {
        Some(at) if at <= now => Err("expires_at lies in the past".to_owned()),
        _ => Ok(()),
    };
    let client_id = new.client_id.as_deref().map_or(Ok(()), names::validate_client_id);
    let checks = [("name", name), ("expires_at", expiry), ("client_id", client_id)];
    let problems = checks.into_iter().filter_map(|(path, checked)| Some(FieldError::new(path, checked.err()?)));
    let breadth = match caller.scope() {
        Scope::Inbox(_) => Breadth::Inbox,
        Scope::Organization | Scope::Pod(_) => caller.reach.breadth(),
    };
    let of_permissions = new.permissions.iter().flat_map(|map| delegation::validate_permissions(map, breadth));
    problems.chain(of_permissions).collect()
}
