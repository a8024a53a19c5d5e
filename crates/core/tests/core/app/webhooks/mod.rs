mod attempts;
mod create;
mod delivery;
mod read;
mod replay;
mod secrets;
mod update;

use inboxd_core::Error;
use inboxd_core::app::{App, webhooks};
use inboxd_core::model::{
    Caller, EncryptedSecrets, Page, PageRequest, Scope, Webhook, WebhookAttempt, WebhookId, WebhookSecret,
};
use inboxd_core::rules::webhooks::headers::HeaderChange;
use inboxd_core::testing::fixtures;
use inboxd_core::testing::{Captured, MockTx, World};

authorizing! { webhooks:
    create(new: webhooks::NewWebhook) -> webhooks::MadeWebhook;
    get(webhook_id: WebhookId) -> Webhook;
    delete(webhook_id: WebhookId) -> ();
    header_names(webhook_id: WebhookId) -> Vec<String>;
    update_headers(webhook_id: WebhookId, change: HeaderChange) -> ();
    list(page: PageRequest) -> Page<Webhook>;
    attempts(filter: webhooks::AttemptFilter) -> Page<WebhookAttempt>;
    replay(webhook_id: WebhookId, again: webhooks::Again) -> webhooks::Replayed;
    rotate_secret(webhook_id: WebhookId) -> (Webhook, WebhookSecret);
    update(webhook_id: WebhookId, change: webhooks::WebhookChange) -> Webhook;
}

/// An environment with this webhook for reads and changes; it captures the stored webhook.
fn changing(webhook: Webhook, sealed: EncryptedSecrets) -> (World, Captured<(Webhook, EncryptedSecrets)>) {
    let mut world = super::world();
    finds(&mut world, webhook.clone());
    let tx = world.unit_of_work();
    tx.webhooks.expect_lock().times(..=1).return_once(move |_, _| Ok(Some((webhook, sealed))));
    let stored = updates(tx);
    (world, stored)
}

/// Expects a read of the webhook in its organization.
fn finds(world: &mut World, webhook: Webhook) {
    world.store.expect_webhook().returning(move |organization_id, webhook_id| {
        assert_eq!(organization_id, fixtures::organization().organization_id);
        Ok(Some(webhook.clone()).filter(|webhook| webhook.webhook_id == webhook_id))
    });
}

fn updates(tx: &mut MockTx) -> Captured<(Webhook, EncryptedSecrets)> {
    let stored = Captured::default();
    let seen = stored.clone();
    tx.webhooks.expect_update().times(..=1).returning(move |webhook, sealed| {
        seen.push((webhook.clone(), sealed.clone()));
        Ok(())
    });
    stored
}
