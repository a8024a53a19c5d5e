use inboxd_core::Error;
use inboxd_core::app::webhooks::WebhookChange;
use inboxd_core::model::{Caller, EventType, InboxId, Permission, Reach, Scope, Webhook, WebhookTargets};
use inboxd_core::ports::Destination;
use inboxd_core::rules::trust::Verdict;
use inboxd_core::rules::webhooks::subscription::default_types;
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};
use time::Duration;

use super::{changing, update};
use crate::app::{paths, permissions, world};

fn inbox(name: &str) -> InboxId {
    inbox_id(&format!("{name}@inboxd.example"))
}

fn pod(number: u128) -> String {
    id::<inboxd_core::model::PodId>(number).to_string()
}

fn listening_to(pods: &[u128], inboxes: &[&str]) -> Webhook {
    let pod_ids = pods.iter().map(|number| id(*number)).collect();
    let selection = WebhookTargets { pod_ids, inbox_ids: inboxes.iter().map(|name| inbox(name)).collect() };
    Webhook { selection: Some(selection), ..fixtures::webhook() }
}

/// Changes a webhook in an organization with pods 2 and 3, whose inboxes all belong to pod 2.
async fn change(caller: &Caller, before: Webhook, change: WebhookChange) -> Result<Webhook, Error> {
    let (mut world, stored) = changing(before, fixtures::sealed());
    world.clock.advance(Duration::minutes(1));
    let tx = world.last_unit_of_work();
    tx.pods.expect_hold().returning(|_, pod_id| Ok([id(2), id(3)].contains(&pod_id)));
    tx.inboxes
        .expect_hold()
        .returning(|wanted| Ok(wanted.iter().cloned().map(|wanted| Destination { pod_id: id(2), ..wanted }).collect()));
    let journal = world.journal.clone();
    let changed = update(&world.app(), caller, &Scope::Organization, id(50), change).await;
    let committed: Vec<Webhook> = stored.all().into_iter().map(|(webhook, _)| webhook).collect();
    assert_eq!(journal.commits(), usize::from(changed.is_ok()));
    if let Ok(webhook) = &changed {
        assert_eq!((committed, webhook.updated_at), (vec![webhook.clone()], NOW + Duration::minutes(1)));
    }
    changed
}

async fn selection_after(before: Webhook, asked: WebhookChange) -> Option<WebhookTargets> {
    change(&fixtures::caller(), before, asked).await.unwrap().selection
}

#[tokio::test]
async fn event_types_are_replaced_and_empty_list_is_default_set() {
    let of = |names: &[&str]| WebhookChange {
        event_types: Some(names.iter().map(|name| (*name).to_owned()).collect()),
        ..WebhookChange::default()
    };
    let caller = fixtures::caller();
    let changed = change(&caller, fixtures::webhook(), of(&["message.sent"])).await.unwrap();
    assert_eq!(changed.event_types, [EventType::MessageSent]);
    assert_eq!(change(&caller, changed.clone(), of(&[])).await.unwrap().event_types, default_types());
    let kept = change(&caller, changed, WebhookChange::default()).await.unwrap();
    assert_eq!(kept.event_types, [EventType::MessageSent]);
    let refusal = update(&world().app(), &caller, &Scope::Organization, id(50), of(&["no.such"])).await.unwrap_err();
    assert!(matches!(refusal, Error::UnknownEventType(_)));
}

#[tokio::test]
async fn enabling_clears_failures_and_disabling_retains_them() {
    let failing =
        Webhook { enabled: false, failing_since: Some(NOW), last_failed_at: Some(NOW), ..fixtures::webhook() };
    let to = |enabled| WebhookChange { enabled: Some(enabled), ..WebhookChange::default() };
    let enabled = change(&fixtures::caller(), failing.clone(), to(true)).await.unwrap();
    assert_eq!((enabled.enabled, enabled.failing_since, enabled.last_failed_at), (true, None, None));
    let disabled = change(&fixtures::caller(), failing.clone(), to(false)).await.unwrap();
    assert_eq!((disabled.enabled, disabled.failing_since), (false, Some(NOW)));
    let untouched = change(&fixtures::caller(), failing, WebhookChange::default()).await.unwrap();
    assert_eq!((untouched.enabled, untouched.failing_since), (false, Some(NOW)));
}

#[tokio::test]
async fn pods_and_inboxes_are_added_and_removed() {
    let asked = WebhookChange {
        add_pod_ids: vec![pod(3)],
        remove_pod_ids: vec![pod(2), pod(9)],
        add_inbox_ids: vec![inbox("b"), inbox("c"), inbox("c")],
        remove_inbox_ids: vec![inbox("a")],
        ..WebhookChange::default()
    };
    let after = selection_after(listening_to(&[2], &["a", "b"]), asked).await;
    assert_eq!(after, listening_to(&[3], &["b", "c"]).selection);
}

#[tokio::test]
async fn removal_of_last_target_mutes_webhook() {
    let asked = WebhookChange { remove_inbox_ids: vec![inbox("a")], ..WebhookChange::default() };
    assert_eq!(selection_after(listening_to(&[], &["a"]), asked).await, Some(WebhookTargets::default()));
}

#[tokio::test]
async fn target_changes_of_unfiltered_webhook_have_no_effect() {
    let asked =
        WebhookChange { add_inbox_ids: vec![inbox("a")], remove_pod_ids: vec![pod(2)], ..WebhookChange::default() };
    assert_eq!(selection_after(fixtures::webhook(), asked).await, None);
}

#[tokio::test]
async fn more_than_ten_targets_are_refused() {
    let names: Vec<String> = (0..10).map(|number| format!("n{number}")).collect();
    let full = listening_to(&[], &names.iter().map(String::as_str).collect::<Vec<_>>());
    let one_more = WebhookChange { add_inbox_ids: vec![inbox("b")], ..WebhookChange::default() };
    let refusal = change(&fixtures::caller(), full.clone(), one_more.clone()).await.unwrap_err();
    assert_eq!(paths(refusal), ["add_inbox_ids"]);
    let in_its_place = WebhookChange { remove_inbox_ids: vec![inbox("n0")], ..one_more };
    assert!(change(&fixtures::caller(), full, in_its_place).await.is_ok());
    let eleven = WebhookChange { remove_pod_ids: vec![pod(2); 11], ..WebhookChange::default() };
    let refusal = update(&world().app(), &fixtures::caller(), &Scope::Organization, id(50), eleven).await.unwrap_err();
    assert_eq!(paths(refusal), ["remove_pod_ids"]);
}

#[tokio::test]
async fn added_targets_must_exist_in_scope_and_not_be_removed_together() {
    let asked = WebhookChange { add_pod_ids: vec![pod(3), pod(9)], ..WebhookChange::default() };
    let refusal = change(&fixtures::caller(), listening_to(&[2], &[]), asked).await.unwrap_err();
    assert_eq!(paths(refusal), ["add_pod_ids[1]"]);
    let of_pod = Webhook { place: Reach::Pod(id(3)), ..listening_to(&[], &["a"]) };
    let asked = WebhookChange { add_inbox_ids: vec![inbox("b")], ..WebhookChange::default() };
    let refusal = change(&fixtures::caller(), of_pod, asked).await.unwrap_err();
    assert_eq!(paths(refusal), ["add_inbox_ids[0]"]);
    let asked = WebhookChange {
        add_inbox_ids: vec![inbox("b")],
        remove_inbox_ids: vec![inbox("b")],
        ..WebhookChange::default()
    };
    let refusal = update(&world().app(), &fixtures::caller(), &Scope::Organization, id(50), asked).await.unwrap_err();
    assert_eq!(paths(refusal), ["remove_inbox_ids"]);
}

#[tokio::test]
async fn subscription_to_hidden_mail_needs_label_permission() {
    let blind = Caller { permissions: permissions(&["webhook_update", "message_read"]), ..fixtures::caller() };
    let spam = |webhook| Webhook { event_types: vec![EventType::MessageReceivedSpam], ..webhook };
    let off = |webhook| Webhook { enabled: false, ..webhook };
    let none = WebhookChange::default;
    let named = WebhookChange { event_types: Some(vec!["message.received.spam".to_owned()]), ..none() };
    let enable = WebhookChange { enabled: Some(true), ..none() };
    let add = WebhookChange { add_inbox_ids: vec![inbox("b")], ..none() };
    let wanting = |trust: &[Verdict]| Webhook { trust: trust.to_vec(), ..spam(fixtures::webhook()) };
    let want = |trust: &[Verdict]| WebhookChange { trust: Some(trust.iter().copied().collect()), ..none() };
    let fewer = WebhookChange { remove_inbox_ids: vec![inbox("a")], enabled: Some(false), ..none() };
    for (before, asked, is_allowed) in [
        (off(spam(fixtures::webhook())), enable.clone(), false),
        (spam(listening_to(&[], &["a"])), add.clone(), false),
        (spam(fixtures::webhook()), add.clone(), true),
        (spam(fixtures::webhook()), enable.clone(), true),
        (spam(listening_to(&[], &["a", "b"])), add, true),
        (spam(listening_to(&[], &["a"])), fewer, true),
        (wanting(&[Verdict::Known]), want(&[]), false),
        (wanting(&[Verdict::Known]), want(&[Verdict::Known, Verdict::Trusted]), false),
        (wanting(&[Verdict::Known, Verdict::Trusted]), want(&[Verdict::Trusted]), true),
        (wanting(&[]), want(&[Verdict::Trusted]), true),
        (off(fixtures::webhook()), enable, true),
    ] {
        let answer = change(&blind, before.clone(), asked.clone()).await;
        let lacks = matches!(answer, Err(Error::MissingPermission(Permission::LabelSpamRead)));
        assert_eq!((answer.is_ok(), lacks), (is_allowed, !is_allowed), "{before:?} {asked:?}");
    }
    let refusal = update(&world().app(), &blind, &Scope::Organization, id(50), named).await.unwrap_err();
    assert!(matches!(refusal, Error::MissingPermission(Permission::LabelSpamRead)));
}
