//! Deletion of a webhook.

use super::find::find;
use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::model::permissions::WebhookDelete;
use crate::model::{AuditAction, WebhookId};
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Deletes a webhook. No further events are sent to it.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::NotFound`].
pub async fn delete(app: &App, caller: &AuthorizedCaller<WebhookDelete>, webhook_id: WebhookId) -> Result<(), Error> {
    let webhook = find(app, caller, webhook_id).await?;
    let mut tx = app.store.begin().await?;
    if !tx.webhooks().delete(webhook.organization_id, webhook_id).await? {
        return Err(Error::not_found(Resource::Webhook, webhook_id));
    }
    audit::record(app, tx.as_mut(), caller, AuditChange::deleted(AuditAction::WebhookDeleted, &webhook)).await?;
    Ok(tx.commit().await?)
}
