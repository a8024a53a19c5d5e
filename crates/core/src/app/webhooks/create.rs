//! Creation of a webhook.

use std::collections::BTreeSet;

use super::seals::{seal_headers, seal_secret};
use super::selection::Named;
use crate::app::audit::{self, AuditChange};
use crate::app::{App, pods, row_limits, scope, standing};
use crate::model::permissions::WebhookCreate;
use crate::model::{AuditAction, EncryptedSecrets, InboxId, OrganizationId, Reach, Webhook, WebhookId, WebhookSecret};
use crate::ports::{ClientIdKind, Destination, Tx};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::trust::Verdict;
use crate::rules::webhooks::headers::{self, Headers};
use crate::rules::webhooks::subscription;
use crate::rules::{access, limits, names};
use crate::{Error, FieldError, Resource};

/// Fields of a new webhook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewWebhook {
    /// URL that receives events.
    pub url: String,
    /// Names of event types to send. An empty list means all types except those about mail with a hiding label.
    pub event_types: Vec<String>,
    /// Verdicts of which received mail must have one. An empty list means all mail.
    pub trust: BTreeSet<Verdict>,
    /// Pods to include. Without pods and inboxes, the webhook receives the events of its whole scope.
    pub pod_ids: Vec<String>,
    /// Inboxes to include.
    pub inbox_ids: Vec<InboxId>,
    /// Header fields to send with each event.
    pub headers: Vec<(String, String)>,
    /// Idempotency key of the caller.
    pub client_id: Option<String>,
}

impl NewWebhook {
    fn named(&self) -> Named<'_> {
        Named { pods_field: "pod_ids", pod_ids: &self.pod_ids, inboxes_field: "inbox_ids", inbox_ids: &self.inbox_ids }
    }
}

/// Created or existing webhook.
#[derive(Debug)]
pub struct MadeWebhook {
    /// The webhook.
    pub webhook: Webhook,
    /// Secret of a new webhook; `None` if the same `client_id` created the webhook before, since only that response had
    /// the secret.
    pub secret: Option<WebhookSecret>,
}

/// Creates a webhook, or returns the webhook that the same `client_id` created before. No other response than this one
/// ever contains the secret of the new webhook.
///
/// # Errors
/// [`Error::Invalid`], [`Error::PodOutOfScope`], [`Error::UnknownEventType`],
/// [`Error::NotFound`] for the scope of the path, [`Error::ClientIdSpent`], [`Error::LimitReached`].
pub async fn create(
    app: &App,
    caller: &AuthorizedCaller<WebhookCreate>,
    new: NewWebhook,
) -> Result<MadeWebhook, Error> {
    subscription::require_visible_names(caller, &new.event_types)?;
    Error::unless_empty(problems_of_new(app, &new))?;
    let event_types = subscription::event_types(&new.event_types)?;
    app.destinations.check(&new.url).await.map_err(|error| Error::invalid("url", error.to_string()))?;
    let place = scope::resolve(app, caller).await?;
    let selection = new.named().selection();
    let is_narrowed = !selection.pod_ids.is_empty() || !selection.inbox_ids.is_empty();
    let fields: Headers = new.headers.iter().cloned().collect();
    let now = app.clock.now();
    let webhook = Webhook {
        organization_id: caller.organization.organization_id,
        webhook_id: app.mint::<WebhookId>(now),
        place,
        url: new.url.clone(),
        event_types,
        trust: new.trust.iter().copied().collect(),
        selection: is_narrowed.then_some(selection),
        enabled: true,
        header_names: fields.keys().cloned().collect(),
        client_id: new.client_id.clone(),
        failing_since: None,
        last_failed_at: None,
        created_at: now,
        updated_at: now,
    };
    let secret = WebhookSecret::from_random(app.random.bytes());
    let sealed = EncryptedSecrets {
        secret: seal_secret(app.vault.as_ref(), webhook.webhook_id, &secret)?,
        previous: Vec::new(),
        headers: seal_headers(app.vault.as_ref(), webhook.webhook_id, &fields)?,
    };

    let mut tx = app.store.begin().await?;
    let organization_id = webhook.organization_id;
    let organization =
        tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    hold_place(tx.as_mut(), organization_id, &webhook.place).await?;
    // A key that was revoked since the request was authenticated must not create a webhook.
    standing::renewed(app, tx.as_mut(), caller).await?;
    new.named().hold(tx.as_mut(), caller.original(), &webhook.place).await?;
    if let Some(client_id) = &new.client_id {
        let made = webhook.webhook_id.to_string();
        if let Some(made) = tx.client_ids().spend(organization_id, ClientIdKind::Webhook, client_id, &made).await? {
            drop(tx);
            let webhook = original(app, &webhook, client_id, &made).await?;
            return Ok(MadeWebhook { webhook, secret: None });
        }
    }
    limits::allow_webhook(&organization, tx.webhooks().count(organization_id).await?)?;
    tx.webhooks().insert(&webhook, &sealed).await?;
    row_limits::count_creation(app, tx.as_mut(), organization_id, now).await?;
    audit::record(app, tx.as_mut(), caller, AuditChange::created(AuditAction::WebhookCreated, &webhook)).await?;
    tx.commit().await?;
    Ok(MadeWebhook { webhook, secret: Some(secret) })
}

/// Locks the webhook's scope against deletion until the unit of work ends, because a webhook is deleted with its scope.
pub(super) async fn hold_place(tx: &mut dyn Tx, organization_id: OrganizationId, place: &Reach) -> Result<(), Error> {
    match place {
        Reach::Organization | Reach::Inboxes(_) => Ok(()),
        Reach::Pod(pod_id) => pods::hold(tx, organization_id, *pod_id).await,
        Reach::Inbox { pod_id, inbox_id } => {
            let wanted = Destination { organization_id, pod_id: *pod_id, inbox_id: inbox_id.clone() };
            let held = tx.inboxes().hold(&[wanted]).await?;
            if held.is_empty() { Err(Error::not_found(Resource::Inbox, inbox_id)) } else { Ok(()) }
        }
    }
}

/// Returns the webhook that a `client_id` created, unless it was deleted or lies outside the scope of the new one.
async fn original(app: &App, new: &Webhook, client_id: &str, made: &str) -> Result<Webhook, Error> {
    let spent = || Error::ClientIdSpent(client_id.to_owned());
    let webhook_id = made.parse().map_err(|_| spent())?;
    let webhook = app.store.webhook(new.organization_id, webhook_id).await?;
    webhook.filter(|webhook| access::reaches(&new.place, &webhook.place)).ok_or_else(spent)
}

/// Returns all violations of a new webhook that are visible without the database.
#[must_use]
pub fn problems_of_new(app: &App, new: &NewWebhook) -> Vec<FieldError> {
    let url = app.destinations.read(&new.url).map_err(|error| error.to_string());
    let client_id = new.client_id.as_deref().map_or(Ok(()), names::validate_client_id);
    let checks = [("url", url), ("client_id", client_id)];
    let problems = checks.into_iter().filter_map(|(path, checked)| Some(FieldError::new(path, checked.err()?)));
    problems.chain(new.named().problems()).chain(headers::validate_fields(&new.headers)).collect()
}
