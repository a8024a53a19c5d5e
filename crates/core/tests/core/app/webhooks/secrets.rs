use inboxd_core::Error;
use inboxd_core::app::webhooks::{open_headers, open_secrets};
use inboxd_core::model::{Caller, EncryptedSecrets, Permission, Scope, Webhook, WebhookSecret};
use inboxd_core::rules::webhooks::headers::HeaderChange;
use inboxd_core::testing::fixtures::{self, NOW, id};
use inboxd_core::testing::{PlainVault, World};
use time::Duration;

use super::{changing, rotate_secret, update_headers};
use crate::app::{paths, permissions};

/// Rotates the stored secrets at a time. Returns them with the new secret.
async fn rotated(before: EncryptedSecrets, later: Duration) -> (EncryptedSecrets, WebhookSecret) {
    let (world, stored) = changing(fixtures::webhook(), before);
    world.clock.advance(later);
    let (webhook, secret) =
        rotate_secret(&world.app(), &fixtures::caller(), &Scope::Organization, id(50)).await.unwrap();
    let (updated, sealed) = stored.only();
    assert_eq!((updated, webhook.updated_at), (webhook.clone(), NOW + later));
    (sealed, secret)
}

#[tokio::test]
async fn earlier_secret_signs_for_a_day_after_rotation() {
    let old = WebhookSecret::from_random([7; 32]);
    let (sealed, new) = rotated(fixtures::sealed(), Duration::ZERO).await;
    let signing = |after: Duration| open_secrets(&PlainVault, id(50), &sealed, NOW + after).unwrap();
    assert_ne!(new, old);
    assert_eq!(signing(Duration::ZERO), [new.clone(), old.clone()]);
    assert_eq!(signing(Duration::hours(24) - Duration::MILLISECOND), [new.clone(), old]);
    assert_eq!(signing(Duration::hours(24)), [new]);
}

#[tokio::test]
async fn repeated_rotation_removes_no_valid_secret() {
    let old = WebhookSecret::from_random([7; 32]);
    let (once, _) = rotated(fixtures::sealed(), Duration::ZERO).await;
    let (twice, _) = rotated(once.clone(), Duration::hours(1)).await;
    let signing = open_secrets(&PlainVault, id(50), &twice, NOW + Duration::hours(2)).unwrap();
    assert_eq!((signing.len(), signing.last()), (3, Some(&old)));
    // Expired secrets are removed, so few remain after any number of rotations.
    let (later, _) = rotated(once, Duration::hours(25)).await;
    assert_eq!(later.previous.len(), 1);
    let mut often = twice;
    for _ in 0..9 {
        often = rotated(often, Duration::hours(1)).await.0;
    }
    assert_eq!(often.previous.len(), 4);
}

#[tokio::test]
async fn header_fields_are_set_and_removed_and_only_names_are_read() {
    let (world, stored) = changing(fixtures::webhook(), fixtures::sealed());
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let change = HeaderChange { set: vec![pair("X-B", "2"), pair("X-A", "1")], remove: Vec::new() };
    update_headers(&world.app(), &fixtures::caller(), &Scope::Organization, id(50), change).await.unwrap();
    let (webhook, sealed) = stored.only();
    assert_eq!(webhook.header_names, ["X-A", "X-B"]);

    let (world, stored) = changing(webhook, sealed);
    let change = HeaderChange { set: vec![pair("x-b", "3")], remove: vec!["X-a".to_owned()] };
    update_headers(&world.app(), &fixtures::caller(), &Scope::Organization, id(50), change).await.unwrap();
    let (webhook, sealed) = stored.only();
    let opened = open_headers(&PlainVault, id(50), &sealed).unwrap();
    assert_eq!((webhook.header_names.as_slice(), opened), (["x-b".to_owned()].as_slice(), [pair("x-b", "3")].into()));

    let (world, stored) = changing(webhook, sealed);
    let change = HeaderChange { set: Vec::new(), remove: vec!["X-B".to_owned()] };
    update_headers(&world.app(), &fixtures::caller(), &Scope::Organization, id(50), change).await.unwrap();
    let (webhook, sealed): (Webhook, EncryptedSecrets) = stored.only();
    assert_eq!((webhook.header_names.len(), sealed), (0, fixtures::sealed()));
}

#[tokio::test]
async fn secrets_and_headers_need_update_permission_and_change() {
    let app = World::default().app();
    let reader = Caller { permissions: permissions(&["webhook_read"]), ..fixtures::caller() };
    let refusal = rotate_secret(&app, &reader, &Scope::Organization, id(50)).await.map(drop);
    assert!(matches!(refusal, Err(Error::MissingPermission(Permission::WebhookUpdate))));
    let refusal = update_headers(&app, &reader, &Scope::Organization, id(50), HeaderChange::default()).await;
    assert!(matches!(refusal, Err(Error::MissingPermission(Permission::WebhookUpdate))));
    let refusal =
        update_headers(&app, &fixtures::caller(), &Scope::Organization, id(50), HeaderChange::default()).await;
    assert_eq!(paths(refusal.unwrap_err()), ["headers"]);
}

#[test]
fn secret_has_standard_form_and_is_never_logged() {
    let secret = WebhookSecret::from_random([7; 32]);
    assert_eq!(secret.reveal(), "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=");
    assert_eq!(format!("{secret:?}"), "WebhookSecret(…)");
    assert_eq!(WebhookSecret::stored(secret.key()), Some(secret));
    assert_eq!(WebhookSecret::stored(&[7; 31]), None);
}
