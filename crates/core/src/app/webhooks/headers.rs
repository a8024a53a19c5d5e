//! Write-only header fields of a webhook.

use super::find::find;
use super::seals::{open_headers, seal_headers};
use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::model::permissions::{WebhookRead, WebhookUpdate};
use crate::model::{AuditAction, EncryptedSecrets, Webhook, WebhookId};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::webhooks::headers::{HeaderChange, apply_change, validate_change};
use crate::{Error, Resource};

/// Returns the names of the header fields that a webhook sends.
///
/// # Errors
/// [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn header_names(
    app: &App,
    caller: &AuthorizedCaller<WebhookRead>,
    webhook_id: WebhookId,
) -> Result<Vec<String>, Error> {
    Ok(find(app, caller, webhook_id).await?.header_names)
}

/// Sets and removes header fields of a webhook, all or none.
///
/// # Errors
/// [`Error::Invalid`], [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn update_headers(
    app: &App,
    caller: &AuthorizedCaller<WebhookUpdate>,
    webhook_id: WebhookId,
    change: HeaderChange,
) -> Result<(), Error> {
    Error::unless_empty(validate_change(&change))?;
    let found = find(app, caller, webhook_id).await?;
    let mut tx = app.store.begin().await?;
    let locked = tx.webhooks().lock(found.organization_id, webhook_id).await?;
    let (webhook, sealed) = locked.ok_or_else(|| Error::not_found(Resource::Webhook, webhook_id))?;
    let vault = app.vault.as_ref();
    let after = apply_change(open_headers(vault, webhook_id, &sealed)?, change)?;
    let sealed = EncryptedSecrets { headers: seal_headers(vault, webhook_id, &after)?, ..sealed };
    let before = webhook.clone();
    let webhook = Webhook { header_names: after.into_keys().collect(), updated_at: app.clock.now(), ..webhook };
    tx.webhooks().update(&webhook, &sealed).await?;
    let change = AuditChange::updated(AuditAction::WebhookHeadersUpdated, &before, &webhook);
    audit::record(app, tx.as_mut(), caller, change).await?;
    Ok(tx.commit().await?)
}
