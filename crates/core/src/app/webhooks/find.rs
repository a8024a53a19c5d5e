//! Lookup of the webhook of a call.

use crate::app::{App, scope};
use crate::model::{Webhook, WebhookId};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Returns the webhook. A webhook outside the scope of the call counts as missing.
pub(super) async fn find<P>(app: &App, caller: &AuthorizedCaller<P>, webhook_id: WebhookId) -> Result<Webhook, Error> {
    let reach = scope::resolve(app, caller).await?;
    app.store
        .webhook(caller.organization.organization_id, webhook_id)
        .await?
        .filter(|webhook| access::reaches(&reach, &webhook.place))
        .ok_or_else(|| Error::not_found(Resource::Webhook, webhook_id))
}
