//! Lookup of one API key.

use crate::app::{App, scope};
use crate::model::permissions::ApiKeyRead;
use crate::model::{ApiKey, ApiKeyId, Reach, Scope};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Returns a key within the scope of the call.
///
/// Below an inbox, only a key of exactly this inbox is in scope.
///
/// # Errors
/// [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn get(app: &App, caller: &AuthorizedCaller<ApiKeyRead>, api_key_id: ApiKeyId) -> Result<ApiKey, Error> {
    find(app, caller, api_key_id).await
}

/// Returns the key, or [`Error::NotFound`] for one beyond the scope of the call.
pub(in crate::app) async fn find<P>(
    app: &App,
    caller: &AuthorizedCaller<P>,
    api_key_id: ApiKeyId,
) -> Result<ApiKey, Error> {
    scope::resolve(app, caller).await?;
    let is_of = |reach: &Reach| match caller.scope() {
        Scope::Inbox(wanted) => matches!(reach, Reach::Inbox { inbox_id, .. } if inbox_id == wanted),
        Scope::Organization | Scope::Pod(_) => true,
    };
    app.store
        .api_key(caller.organization.organization_id, api_key_id)
        .await?
        .filter(|key| access::reaches(&caller.reach, &key.reach) && is_of(&key.reach))
        .ok_or_else(|| Error::not_found(Resource::ApiKey, api_key_id))
}
