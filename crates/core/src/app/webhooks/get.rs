//! Reading one webhook.

use super::within::{Within, find, require};
use crate::Error;
use crate::app::App;
use crate::model::{Caller, Permission, Webhook, WebhookId};

/// Reads a webhook.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::PodOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn get(app: &App, caller: &Caller, within: &Within, webhook_id: WebhookId) -> Result<Webhook, Error> {
    require(caller, within, Permission::WebhookRead)?;
    find(app, caller, within, webhook_id).await
}
