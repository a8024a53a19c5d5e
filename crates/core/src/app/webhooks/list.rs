//! Listing webhooks.

use super::within::{Within, reach, require};
use crate::Error;
use crate::app::App;
use crate::model::{Caller, OrganizationId, Page, PageRequest, Permission, Reach, Webhook};
use crate::ports::WebhookScope;

/// Lists the webhooks within the caller's reach, or those of a pod or an inbox. To a member limited to some inboxes it
/// shows those of these inboxes.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::PodOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn list(app: &App, caller: &Caller, within: &Within, page: PageRequest) -> Result<Page<Webhook>, Error> {
    require(caller, within, Permission::WebhookRead)?;
    let scope = scope_of(caller.organization.organization_id, reach(app, caller, within).await?);
    Ok(app.store.list_webhooks(&scope, &page).await?)
}

/// The webhooks that were made within a reach.
pub(super) fn scope_of(organization_id: OrganizationId, reach: Reach) -> WebhookScope {
    let (pod_id, inbox_id, among) = match reach {
        Reach::Organization => (None, None, None),
        Reach::Pod(pod_id) => (Some(pod_id), None, None),
        Reach::Inbox { inbox_id, .. } => (None, Some(inbox_id), None),
        Reach::Inboxes(theirs) => (None, None, Some(theirs)),
    };
    WebhookScope { organization_id, pod_id, inbox_id, among }
}
