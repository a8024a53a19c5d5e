//! Read of one webhook.

use super::find::find;
use crate::Error;
use crate::app::App;
use crate::model::permissions::WebhookRead;
use crate::model::{Webhook, WebhookId};
use crate::rules::authorization::AuthorizedCaller;

/// Returns a webhook.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::NotFound`].
pub async fn get(app: &App, caller: &AuthorizedCaller<WebhookRead>, webhook_id: WebhookId) -> Result<Webhook, Error> {
    find(app, caller, webhook_id).await
}
