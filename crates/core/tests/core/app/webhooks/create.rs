use inboxd_core::app::webhooks::{MadeWebhook, NewWebhook, open_headers, open_secrets};
use inboxd_core::model::{
    Caller, EncryptedSecrets, EventType, InboxId, Member, Organization, Permission, Plan, Pod, Reach, Role, Scope,
    Webhook, WebhookTargets,
};
use inboxd_core::rules::webhooks::subscription::default_types;
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};
use inboxd_core::testing::{Captured, PlainVault, StubDestinations, World};
use inboxd_core::{Error, LimitReached};

use super::{create, finds};
use crate::app::{locks, paths, permissions, world};

const URL: &str = "https://hooks.example.org/inboxd";

fn new() -> NewWebhook {
    NewWebhook { url: URL.to_owned(), ..NewWebhook::default() }
}

fn scout() -> InboxId {
    fixtures::inbox().inbox_id
}

/// An environment with pod 2 and its inbox, and that many existing webhooks.
fn room(organization: Organization, live: u64) -> (World, Captured<(Webhook, EncryptedSecrets)>) {
    let mut world = world();
    world.store.expect_pod().returning(|_, pod_id| Ok(Some(Pod { pod_id, ..fixtures::pod() })));
    let tx = world.unit_of_work();
    locks(tx, organization);
    tx.pods.expect_hold().returning(|_, pod_id| Ok([id(2), id(3)].contains(&pod_id)));
    tx.inboxes.expect_hold().returning(|wanted| {
        let lives = |inbox_id: &InboxId| *inbox_id == scout();
        let held = wanted.iter().filter(|wanted| lives(&wanted.inbox_id)).cloned();
        Ok(held.map(|held| inboxd_core::ports::Destination { pod_id: id(2), ..held }).collect())
    });
    tx.webhooks.expect_count().times(..=1).returning(move |_| Ok(live));
    let stored = Captured::default();
    let seen = stored.clone();
    tx.webhooks.expect_insert().times(..=1).returning(move |webhook, sealed| {
        seen.push((webhook.clone(), sealed.clone()));
        Ok(())
    });
    (world, stored)
}

async fn made(caller: &Caller, within: &Scope, new: NewWebhook) -> Webhook {
    let (mut world, stored) = room(fixtures::organization(), 0);
    let admin = Member { role: Role::Admin, ..fixtures::member() };
    world.last_unit_of_work().members.expect_hold().times(..=1).returning(move |_, _| Ok(Some(admin.clone())));
    let journal = world.journal.clone();
    let MadeWebhook { webhook, secret } = create(&world.app(), caller, within, new).await.unwrap();
    assert!(secret.is_some());
    assert_eq!((stored.only().0, journal.commits()), (webhook.clone(), 1));
    webhook
}

async fn refused(caller: &Caller, within: &Scope, new: NewWebhook) -> Error {
    let (world, stored) = room(fixtures::organization(), 0);
    let refusal = create(&world.app(), caller, within, new).await.unwrap_err();
    assert_eq!(stored.all().len(), 0);
    refusal
}

#[tokio::test]
async fn new_webhook_is_enabled_with_encrypted_secret_and_headers() {
    let (world, stored) = room(fixtures::organization(), 1);
    let asked = NewWebhook {
        headers: vec![("X-Team".to_owned(), "a".to_owned()), ("Authorization".to_owned(), "b".to_owned())],
        ..new()
    };
    let MadeWebhook { webhook, secret } =
        create(&world.app(), &fixtures::caller(), &Scope::Organization, asked).await.unwrap();
    let expected = Webhook {
        webhook_id: webhook.webhook_id,
        header_names: vec!["Authorization".to_owned(), "X-Team".to_owned()],
        ..fixtures::webhook()
    };
    assert_eq!(webhook, expected);
    let (_, sealed) = stored.only();
    assert_eq!(open_secrets(&PlainVault, webhook.webhook_id, &sealed, NOW).unwrap(), [secret.unwrap()]);
    let headers = open_headers(&PlainVault, webhook.webhook_id, &sealed).unwrap();
    assert_eq!(headers.get("X-Team").map(String::as_str), Some("a"));
    assert!(open_headers(&PlainVault, id(99), &sealed).is_err(), "encrypted for this webhook only");
}

#[tokio::test]
async fn webhook_has_scope_of_path_or_creator() {
    let in_inbox = Reach::Inbox { pod_id: id(2), inbox_id: scout() };
    let pod_caller = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    for (caller, within, place) in [
        (fixtures::caller(), Scope::Organization, Reach::Organization),
        (fixtures::caller(), Scope::Pod(id(2)), Reach::Pod(id(2))),
        (fixtures::caller(), Scope::Inbox(scout()), in_inbox.clone()),
        (pod_caller.clone(), Scope::Organization, Reach::Pod(id(2))),
        (pod_caller, Scope::Inbox(scout()), in_inbox.clone()),
        (fixtures::inbox_caller(), Scope::Organization, in_inbox.clone()),
        (fixtures::inbox_caller(), Scope::Inbox(scout()), in_inbox),
    ] {
        assert_eq!(made(&caller, &within, new()).await.place, place);
    }
}

#[tokio::test]
async fn webhook_beyond_caller_scope_is_refused() {
    let pod_caller = Caller { reach: Reach::Pod(id(3)), ..fixtures::caller() };
    let other = inbox_id("other@inboxd.example");
    let app = world().app();
    let refusal = create(&app, &fixtures::inbox_caller(), &Scope::Inbox(other), new()).await.unwrap_err();
    assert!(matches!(refusal, Error::InboxOutOfScope { .. }));
    let refusal = create(&app, &fixtures::inbox_caller(), &Scope::Pod(id(2)), new()).await.unwrap_err();
    assert!(matches!(refusal, Error::InboxOutOfScope { .. }));
    let refusal = create(&app, &pod_caller, &Scope::Pod(id(2)), new()).await.unwrap_err();
    assert!(matches!(refusal, Error::PodOutOfScope));
    let refusal = create(&app, &pod_caller, &Scope::Inbox(scout()), new()).await.unwrap_err();
    assert!(matches!(refusal, Error::PodOutOfScope));
}

#[tokio::test]
async fn member_creates_no_webhook_and_admin_does() {
    let member = fixtures::calling(&fixtures::member());
    let refusal = create(&world().app(), &member, &Scope::Organization, new()).await.unwrap_err();
    assert!(matches!(refusal, Error::RoleNotAllowed { permission: Permission::WebhookCreate, .. }));
    let admin = fixtures::calling(&Member { role: Role::Admin, ..fixtures::member() });
    assert_eq!(made(&admin, &Scope::Organization, new()).await.place, Reach::Organization);
}

#[tokio::test]
async fn webhook_subscribes_to_named_pods_and_inboxes() {
    let pod = fixtures::pod().pod_id.to_string();
    let asked = NewWebhook { pod_ids: vec![pod.clone(), pod.clone()], inbox_ids: vec![scout(), scout()], ..new() };
    let expected = WebhookTargets { pod_ids: vec![id(2)], inbox_ids: vec![scout()] };
    assert_eq!(made(&fixtures::caller(), &Scope::Organization, asked).await.selection, Some(expected));
    assert_eq!(made(&fixtures::caller(), &Scope::Organization, new()).await.selection, None);
}

#[tokio::test]
async fn webhook_targets_must_exist_within_its_scope() {
    let other = inbox_id("other@inboxd.example");
    let unknown: inboxd_core::model::PodId = id(9);
    let asked = NewWebhook {
        pod_ids: vec![fixtures::pod().pod_id.to_string(), unknown.to_string()],
        inbox_ids: vec![scout(), other.clone()],
        ..new()
    };
    let refusal = refused(&fixtures::caller(), &Scope::Organization, asked).await;
    assert_eq!(paths(refusal), ["pod_ids[1]", "inbox_ids[1]"]);
    // The inbox exists outside the pod of the path.
    let asked = NewWebhook { inbox_ids: vec![scout()], ..new() };
    assert_eq!(paths(refused(&fixtures::caller(), &Scope::Pod(id(3)), asked.clone()).await), ["inbox_ids[0]"]);
    // A key never names resources outside its scope.
    let pod_caller = Caller { reach: Reach::Pod(id(3)), ..fixtures::caller() };
    assert!(matches!(refused(&pod_caller, &Scope::Organization, asked).await, Error::PodOutOfScope));
    let asked = NewWebhook { pod_ids: vec![fixtures::pod().pod_id.to_string()], ..new() };
    assert!(matches!(refused(&pod_caller, &Scope::Organization, asked).await, Error::PodOutOfScope));
    let asked = NewWebhook { inbox_ids: vec![other], ..new() };
    let refusal = refused(&fixtures::inbox_caller(), &Scope::Organization, asked).await;
    assert!(matches!(refusal, Error::InboxOutOfScope { .. }));
}

#[tokio::test]
async fn invalid_webhook_fields_are_named_together() {
    let asked = NewWebhook {
        url: "ftp://example.org".to_owned(),
        event_types: vec!["no.such".to_owned()],
        trust: std::collections::BTreeSet::new(),
        pod_ids: vec!["nonsense".to_owned()],
        inbox_ids: vec![scout(); 11],
        headers: vec![("Host".to_owned(), "x".to_owned())],
        client_id: Some(String::new()),
    };
    let refusal = create(&world().app(), &fixtures::caller(), &Scope::Organization, asked).await.unwrap_err();
    assert_eq!(paths(refusal), ["url", "client_id", "inbox_ids", "pod_ids[0]", "headers.Host"]);
}

#[tokio::test]
async fn unknown_and_forbidden_event_types_are_refused() {
    let of = |kind: &str| NewWebhook { event_types: vec![kind.to_owned()], ..new() };
    let app = world().app();
    let refusal = create(&app, &fixtures::caller(), &Scope::Organization, of("no.such")).await.unwrap_err();
    assert!(matches!(refusal, Error::UnknownEventType(_)));
    let blind = Caller { permissions: permissions(&["webhook_create", "message_read"]), ..fixtures::caller() };
    let refusal = create(&app, &blind, &Scope::Organization, of("message.received.spam")).await.unwrap_err();
    assert!(matches!(refusal, Error::MissingPermission(Permission::LabelSpamRead)));
    assert_eq!(made(&blind, &Scope::Organization, new()).await.event_types, default_types());
    let spam = made(&fixtures::caller(), &Scope::Organization, of("message.received.spam")).await;
    assert_eq!(spam.event_types, [EventType::MessageReceivedSpam]);
}

#[tokio::test]
async fn url_with_private_address_is_refused() {
    let mut world = world();
    world.destinations = StubDestinations::default().without(URL);
    let refusal = create(&world.app(), &fixtures::caller(), &Scope::Organization, new()).await.unwrap_err();
    assert_eq!(paths(refusal), ["url"]);
}

#[tokio::test]
async fn webhook_cap_is_enforced_and_zero_while_unverified() {
    let startup = || Organization { plan: Plan::Startup, ..fixtures::organization() };
    for (organization, live, limit) in
        [(fixtures::organization(), 2, 2), (startup(), 10, 10), (fixtures::unverified(), 0, 0)]
    {
        let (world, stored) = room(organization, live);
        let refusal = create(&world.app(), &fixtures::caller(), &Scope::Organization, new()).await.unwrap_err();
        let Error::LimitReached { which, limit: said, .. } = refusal else { panic!("no limit: {refusal:?}") };
        assert_eq!((which, said, stored.all().len()), (LimitReached::Webhooks, limit, 0));
    }
    let (world, stored) = room(startup(), 9);
    create(&world.app(), &fixtures::caller(), &Scope::Organization, new()).await.unwrap();
    assert_eq!(stored.all().len(), 1);
}

#[tokio::test]
async fn repeated_client_id_returns_original_without_secret_at_cap() {
    let original = Webhook { client_id: Some("mine".to_owned()), ..fixtures::webhook() };
    let asked = NewWebhook { client_id: Some("mine".to_owned()), ..new() };
    for (there, within, is_answered) in [
        (Some(original.clone()), Scope::Organization, true),
        (None, Scope::Organization, false),
        // It belongs to the organization, and this path is limited to a pod.
        (Some(original.clone()), Scope::Pod(id(2)), false),
    ] {
        let (mut world, stored) = room(fixtures::organization(), 2);
        let tx = world.last_unit_of_work();
        tx.client_ids.expect_spend().once().returning(|_, _, client_id, _| {
            assert_eq!(client_id, "mine");
            Ok(Some(fixtures::webhook().webhook_id.to_string()))
        });
        match there {
            Some(webhook) => finds(&mut world, webhook),
            None => {
                world.store.expect_webhook().returning(|_, _| Ok(None));
            }
        }
        let answer = create(&world.app(), &fixtures::caller(), &within, asked.clone()).await;
        match answer {
            Ok(MadeWebhook { webhook, secret: None }) => assert!(is_answered && webhook == original),
            Err(Error::ClientIdSpent(client_id)) => assert!(!is_answered && client_id == "mine"),
            other => panic!("{other:?}"),
        }
        assert_eq!(stored.all().len(), 0);
    }
}
