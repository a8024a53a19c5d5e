//! The header fields of a webhook. Their values are written and never read back.

use super::seals::{open_headers, seal_headers};
use super::within::{Within, find, require};
use crate::app::App;
use crate::model::{Caller, Permission, Sealed, Webhook, WebhookId};
use crate::rules::webhooks::headers::{HeaderChange, changed, problems_of_change};
use crate::{Error, Resource};

/// Reads the names of the fields that a webhook sends along.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::PodOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn header_names(
    app: &App,
    caller: &Caller,
    within: &Within,
    webhook_id: WebhookId,
) -> Result<Vec<String>, Error> {
    require(caller, within, Permission::WebhookRead)?;
    Ok(find(app, caller, within, webhook_id).await?.header_names)
}

/// Sets and takes away fields that a webhook sends along, all of them or none.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::PodOutOfScope`], [`Error::MissingPermission`], [`Error::Invalid`],
/// [`Error::NotFound`].
pub async fn update_headers(
    app: &App,
    caller: &Caller,
    within: &Within,
    webhook_id: WebhookId,
    change: HeaderChange,
) -> Result<(), Error> {
    require(caller, within, Permission::WebhookUpdate)?;
    Error::unless_empty(problems_of_change(&change))?;
    let found = find(app, caller, within, webhook_id).await?;
    let mut tx = app.store.begin().await?;
    let locked = tx.webhooks().lock(found.organization_id, webhook_id).await?;
    let (webhook, sealed) = locked.ok_or_else(|| Error::not_found(Resource::Webhook, webhook_id))?;
    let vault = app.vault.as_ref();
    let after = changed(open_headers(vault, webhook_id, &sealed)?, change)?;
    let sealed = Sealed { headers: seal_headers(vault, webhook_id, &after)?, ..sealed };
    let webhook = Webhook { header_names: after.into_keys().collect(), updated_at: app.clock.now(), ..webhook };
    tx.webhooks().update(&webhook, &sealed).await?;
    Ok(tx.commit().await?)
}
