//! Polling webhooks: creation, list, deletion and reads.

use super::create::hold_place;
use super::selection::Named;
use crate::app::audit::{self, AuditChange};
use crate::app::feed::{NextPage, Watched, head, read_watched};
use crate::app::{App, row_limits, scope, standing};
use crate::error::LimitedRows;
use crate::model::feed::ScopeFilter;
use crate::model::permissions::{WebhookCreate, WebhookDelete, WebhookRead};
use crate::model::{
    AuditAction, Caller, InboxId, Page, PageRequest, PollingToken, PollingWebhook, WebhookId, WebhookTargets,
};
use crate::ports::FeedPage;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::webhooks::subscription;
use crate::rules::{access, names};
use crate::{Error, FieldError, Resource};

/// Fields of a new polling webhook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewPollingWebhook {
    /// Name of the subscription.
    pub client_id: String,
    /// Names of event types; at least one.
    pub event_types: Vec<String>,
    /// Pods to include.
    pub pod_ids: Vec<String>,
    /// Inboxes to include.
    pub inbox_ids: Vec<InboxId>,
}

impl NewPollingWebhook {
    fn named(&self) -> Named<'_> {
        Named { pods_field: "pod_ids", pod_ids: &self.pod_ids, inboxes_field: "inbox_ids", inbox_ids: &self.inbox_ids }
    }
}

/// Returns all violations of a new polling webhook that are visible without the database.
#[must_use]
pub fn problems_of_new_polling(new: &NewPollingWebhook) -> Vec<FieldError> {
    let client_id = names::validate_client_id(&new.client_id).err().map(|error| FieldError::new("client_id", error));
    let no_types = new.event_types.is_empty().then(|| FieldError::new("event_types", "must name an event type"));
    client_id.into_iter().chain(no_types).chain(new.named().problems()).collect()
}

/// Creates a polling webhook and returns it with the token that reads it. A repeat with the same `client_id` returns the
/// earlier one with a new token; the earlier token stops working.
///
/// # Errors
/// [`Error::Invalid`], [`Error::PodOutOfScope`], [`Error::UnknownEventType`], [`Error::NotFound`] for the scope of the
/// path, [`Error::ClientIdSpent`], [`Error::RowLimitReached`].
pub async fn create_polling(
    app: &App,
    caller: &AuthorizedCaller<WebhookCreate>,
    new: NewPollingWebhook,
) -> Result<(PollingWebhook, PollingToken), Error> {
    subscription::require_visible_names(caller, &new.event_types)?;
    Error::unless_empty(problems_of_new_polling(&new))?;
    let event_types = subscription::event_types(&new.event_types)?;
    let place = scope::resolve(app, caller).await?;
    let organization_id = caller.organization.organization_id;
    let selection = new.named().selection();
    let is_narrowed = selection != WebhookTargets::default();
    let token = PollingToken::from_random(app.random.bytes());
    let start = head(app, organization_id).await?;
    let now = app.clock.now();
    let webhook = PollingWebhook {
        organization_id,
        webhook_id: app.mint::<WebhookId>(now),
        place,
        client_id: new.client_id.clone(),
        event_types,
        selection: is_narrowed.then_some(selection),
        token_hash: token.hash(),
        start,
        created_at: now,
        updated_at: now,
    };

    let mut tx = app.store.begin().await?;
    row_limits::lock_organization(tx.as_mut(), organization_id).await?;
    hold_place(tx.as_mut(), organization_id, &webhook.place).await?;
    // A key that was revoked since the request was authenticated must not create a webhook.
    standing::renewed(app, tx.as_mut(), caller).await?;
    if let Some(made) = tx.polling().named(organization_id, &webhook.client_id).await? {
        if made.place != webhook.place {
            return Err(Error::ClientIdSpent(webhook.client_id));
        }
        subscription::require_visible(caller, made.event_types.iter().copied())?;
        let made = PollingWebhook { token_hash: webhook.token_hash, updated_at: now, ..made };
        tx.polling().replace_token(&made).await?;
        let change = AuditChange::updated(AuditAction::WebhookSecretRotated, &made, &made);
        audit::record(app, tx.as_mut(), caller, change).await?;
        tx.commit().await?;
        return Ok((made, token));
    }
    new.named().hold(tx.as_mut(), caller.original(), &webhook.place).await?;
    if tx.polling().count(organization_id, &webhook.place).await? >= PollingWebhook::MAX_PER_PLACE {
        let limit = PollingWebhook::MAX_PER_PLACE;
        return Err(Error::RowLimitReached { rows: LimitedRows::PollingWebhooks, limit });
    }
    tx.polling().insert(&webhook).await?;
    row_limits::count_creation(app, tx.as_mut(), organization_id, now).await?;
    audit::record(app, tx.as_mut(), caller, AuditChange::created(AuditAction::WebhookCreated, &webhook)).await?;
    tx.commit().await?;
    Ok((webhook, token))
}

/// Lists the polling webhooks that were created for the scope of the call itself.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::NotFound`].
pub async fn list_polling(
    app: &App,
    caller: &AuthorizedCaller<WebhookRead>,
    page: PageRequest,
) -> Result<Page<PollingWebhook>, Error> {
    let place = scope::resolve(app, caller).await?;
    Ok(app.store.list_polling_webhooks(caller.organization.organization_id, &place, &page).await?)
}

/// Returns a polling webhook.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::NotFound`].
pub async fn get_polling(
    app: &App,
    caller: &AuthorizedCaller<WebhookRead>,
    webhook_id: WebhookId,
) -> Result<PollingWebhook, Error> {
    find(app, caller, webhook_id).await
}

/// Deletes a polling webhook; its token stops working at once.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::NotFound`].
pub async fn delete_polling(
    app: &App,
    caller: &AuthorizedCaller<WebhookDelete>,
    webhook_id: WebhookId,
) -> Result<(), Error> {
    let webhook = find(app, caller, webhook_id).await?;
    let mut tx = app.store.begin().await?;
    if !tx.polling().delete(webhook.organization_id, webhook_id).await? {
        return Err(Error::not_found(Resource::Webhook, webhook_id));
    }
    audit::record(app, tx.as_mut(), caller, AuditChange::deleted(AuditAction::WebhookDeleted, &webhook)).await?;
    Ok(tx.commit().await?)
}

/// Returns the polling webhook of a token, and the caller that the token stands for.
///
/// # Errors
/// [`Error::UnknownApiKey`].
pub async fn authenticate_polling(app: &App, token_hash: [u8; 32]) -> Result<(PollingWebhook, Caller), Error> {
    let found = app.store.polling_webhooks_of_tokens(&[token_hash]).await?;
    let (organization, webhook) = found.into_iter().next().ok_or(Error::UnknownApiKey)?;
    let reader = webhook.reader(organization);
    Ok((webhook, reader))
}

/// Returns the subscribed events after a position, oldest first.
///
/// # Errors
/// [`Error::NotFound`] for the event, [`Error::CursorExpired`].
pub async fn read_polling(
    app: &App,
    webhook: &PollingWebhook,
    reader: &Caller,
    after: NextPage,
    limit: u32,
) -> Result<FeedPage, Error> {
    read_watched(app, reader, after, &watched(webhook), limit).await
}

/// Returns what a polling webhook selects of the feed.
#[must_use]
pub fn watched(webhook: &PollingWebhook) -> Watched {
    let among =
        webhook.selection.clone().map(|WebhookTargets { pod_ids, inbox_ids }| ScopeFilter { pod_ids, inbox_ids });
    Watched { event_types: webhook.event_types.clone(), trust: Vec::new(), among }
}

/// Returns the webhook. A webhook outside the scope of the call counts as missing.
async fn find<P>(app: &App, caller: &AuthorizedCaller<P>, webhook_id: WebhookId) -> Result<PollingWebhook, Error> {
    let reach = scope::resolve(app, caller).await?;
    let found = app.store.polling_webhook(caller.organization.organization_id, webhook_id).await?;
    found
        .filter(|webhook| access::reaches(&reach, &webhook.place))
        .ok_or_else(|| Error::not_found(Resource::Webhook, webhook_id))
}
