//! Deleting a webhook.

use super::within::{Within, find, require};
use crate::app::App;
use crate::model::{Caller, Permission, WebhookId};
use crate::{Error, Resource};

/// Deletes a webhook: nothing more is sent to it.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::PodOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn delete(app: &App, caller: &Caller, within: &Within, webhook_id: WebhookId) -> Result<(), Error> {
    require(caller, within, Permission::WebhookDelete)?;
    let webhook = find(app, caller, within, webhook_id).await?;
    let mut tx = app.store.begin().await?;
    if !tx.webhooks().delete(webhook.organization_id, webhook_id).await? {
        return Err(Error::not_found(Resource::Webhook, webhook_id));
    }
    Ok(tx.commit().await?)
}
