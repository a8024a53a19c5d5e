//! List of webhooks.

use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::WebhookRead;
use crate::model::{OrganizationId, Page, PageRequest, Reach, Webhook};
use crate::ports::WebhookScope;
use crate::rules::authorization::AuthorizedCaller;

/// Lists the webhooks within the scope of the call. A member limited to certain inboxes sees the webhooks of these
/// inboxes.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::NotFound`].
pub async fn list(
    app: &App,
    caller: &AuthorizedCaller<WebhookRead>,
    page: PageRequest,
) -> Result<Page<Webhook>, Error> {
    let scope = scope_of(caller.organization.organization_id, scope::resolve(app, caller).await?);
    Ok(app.store.list_webhooks(&scope, &page).await?)
}

/// Returns the query scope for webhooks that were created within a reach.
pub(in crate::app) fn scope_of(organization_id: OrganizationId, reach: Reach) -> WebhookScope {
    let (pod_id, inbox_id, among) = match reach {
        Reach::Organization => (None, None, None),
        Reach::Pod(pod_id) => (Some(pod_id), None, None),
        Reach::Inbox { inbox_id, .. } => (None, Some(inbox_id), None),
        Reach::Inboxes(theirs) => (None, None, Some(theirs)),
    };
    WebhookScope { organization_id, pod_id, inbox_id, among }
}
