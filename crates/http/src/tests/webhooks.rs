//! Webhooks: response shapes, and permitted body fields by path.

use inboxd_core::model::{EventId, EventType, Page, Reach, Webhook, WebhookAttempt, WebhookTargets};
use inboxd_core::ports::{AttemptResult, Walked};
use inboxd_core::testing::{World, fixtures};
use serde_json::json;

use super::answers::assert_described;
use super::{Answered, answer, with_key, world};

fn webhook() -> Webhook {
    Webhook {
        place: Reach::Inbox { pod_id: fixtures::id(2), inbox_id: fixtures::inbox().inbox_id },
        event_types: vec![EventType::MessageSent, EventType::DomainVerified],
        selection: Some(WebhookTargets { pod_ids: vec![fixtures::id(2)], inbox_ids: Vec::new() }),
        client_id: Some("one".to_owned()),
        failing_since: Some(fixtures::NOW),
        ..fixtures::webhook()
    }
}

fn prepared() -> World {
    let mut world = world();
    world.store.expect_inbox().returning(|_, _| Ok(Some(fixtures::inbox())));
    world.store.expect_pod().returning(|_, _| Ok(Some(fixtures::pod())));
    world
}

async fn send(method: &str, uri: &str, body: serde_json::Value) -> Answered {
    answer(prepared(), with_key(method, uri).set_json(body)).await
}

#[actix_web::test]
async fn webhook_list_response_shape() {
    let mut world = prepared();
    world
        .store
        .expect_list_webhooks()
        .returning(|_, _| Ok(Page { items: vec![webhook(), fixtures::webhook()], next: None }));
    let answered = answer(world, with_key("get", "/v0/webhooks")).await;
    assert_described("/v0/webhooks", &answered.json());
    insta::assert_snapshot!(answered.pretty());
}

#[actix_web::test]
async fn secret_is_shown_at_creation_and_header_values_never() {
    let mut world = prepared();
    let unit = world.unit_of_work();
    unit.accounts.expect_lock().returning(|_| Ok(Some(fixtures::organization())));
    unit.webhooks.expect_count().returning(|_| Ok(0));
    unit.webhooks.expect_insert().returning(|_, _| Ok(()));
    let body = json!({
        "url": "https://hooks.example.org/inboxd",
        "headers": {"Authorization": "Bearer confidential"},
        "client_id": null,
        "pod_ids": [],
    });
    let answered = answer(world, with_key("post", "/v0/webhooks").set_json(body)).await;
    let json = answered.json();
    assert_eq!(answered.status, 200);
    assert_described("/v0/webhooks/{webhook_id}", &json);
    let secret = json["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_") && secret.len() == 50, "{secret}");
    assert!(!answered.pretty().contains("confidential"));
    assert_eq!(json.get("pod_ids").or(json.get("inbox_ids")), None);
}

#[actix_web::test]
async fn body_must_not_repeat_scope_of_path() {
    let url = "https://hooks.example.org/inboxd";
    let named = json!({"url": url, "pod_ids": ["pod_1"], "inbox_ids": ["a@inboxd.example"]});
    let pods = format!("/v0/pods/{}/webhooks", fixtures::pod().pod_id);
    let inboxes = "/v0/inboxes/scout@inboxd.example/webhooks";
    assert_eq!(send("post", &pods, named.clone()).await.bad_fields(), ["pod_ids"]);
    assert_eq!(send("post", inboxes, named).await.bad_fields(), ["pod_ids", "inbox_ids"]);
    let named = json!({
        "add_pod_ids": ["pod_1"],
        "remove_pod_ids": ["pod_1"],
        "add_inbox_ids": "a@inboxd.example",
        "remove_inbox_ids": ["b@inboxd.example"],
    });
    let id = fixtures::webhook().webhook_id;
    assert_eq!(
        send("patch", &format!("{pods}/{id}"), named.clone()).await.bad_fields(),
        ["add_pod_ids", "remove_pod_ids"]
    );
    assert_eq!(
        send("patch", &format!("{inboxes}/{id}"), named).await.bad_fields(),
        ["add_pod_ids", "remove_pod_ids", "add_inbox_ids", "remove_inbox_ids"]
    );
}

#[actix_web::test]
async fn invalid_webhook_fields_are_named_together() {
    let body = json!({
        "url": 1,
        "event_types": [true],
        "pod_ids": ["nonsense"],
        "headers": {"Host": "x", "X-A": 1},
        "client_id": "",
    });
    let answered = send("post", "/v0/webhooks", body).await;
    let mut named = answered.bad_fields();
    named.sort();
    assert_eq!(named, ["client_id", "event_types[0]", "headers.Host", "headers.X-A", "pod_ids[0]", "url"]);
    assert_eq!(send("post", "/v0/webhooks", json!({})).await.bad_fields(), ["url"]);
}

#[actix_web::test]
async fn unknown_event_type_returns_common_refusal() {
    let body = json!({"url": "https://hooks.example.org/inboxd", "event_types": "message.eaten"});
    let answered = send("post", "/v0/webhooks", body).await;
    assert_eq!((answered.status, answered.code().as_str()), (400, "unknown_event_type"));
    let uri = format!("/v0/webhooks/{}", fixtures::webhook().webhook_id);
    let answered = send("patch", &uri, json!({"event_types": ["label.added"]})).await;
    assert_eq!((answered.status, answered.code().as_str()), (400, "unknown_event_type"));
}

#[actix_web::test]
async fn header_change_returns_204_and_names_are_listed() {
    let id = fixtures::webhook().webhook_id;
    let mut world = prepared();
    world.store.expect_webhook().returning(|_, _| Ok(Some(fixtures::webhook())));
    let unit = world.unit_of_work();
    unit.webhooks.expect_lock().returning(|_, _| Ok(Some((fixtures::webhook(), fixtures::sealed()))));
    unit.webhooks.expect_update().once().returning(|webhook, _| {
        assert_eq!(webhook.header_names, ["X-A"]);
        Ok(())
    });
    let body = json!({"headers": {"X-A": "1"}, "remove_headers": "X-B"});
    let answered = answer(world, with_key("patch", &format!("/v0/webhooks/{id}/headers")).set_json(body)).await;
    assert_eq!((answered.status, answered.body.len()), (204, 0));

    let mut world = prepared();
    let named = Webhook { header_names: vec!["X-A".to_owned()], ..fixtures::webhook() };
    world.store.expect_webhook().return_once(move |_, _| Ok(Some(named)));
    let answered = answer(world, with_key("get", &format!("/v0/webhooks/{id}/headers"))).await;
    assert_eq!(answered.json(), json!({"header_names": ["X-A"]}));
}

#[actix_web::test]
async fn attempt_log_response_shape() {
    let failed = WebhookAttempt {
        organization_id: fixtures::id(1),
        attempt_id: fixtures::id(70),
        webhook_id: fixtures::id(50),
        event_id: fixtures::id(60),
        event_type: EventType::MessageSent,
        status_code: Some(503),
        duration_ms: 12,
        response_body: Some("busy".to_owned()),
        error: None,
        attempted_at: fixtures::NOW,
        next_attempt_at: Some(fixtures::NOW),
    };
    let silent = WebhookAttempt {
        status_code: None,
        response_body: None,
        error: Some("no answer within 15 s".to_owned()),
        next_attempt_at: None,
        ..failed.clone()
    };
    let mut world = prepared();
    world.store.expect_list_attempts().once().return_once(move |query| {
        assert_eq!((query.webhook_id, query.event_id), (Some(fixtures::id(50)), Some(fixtures::id(60))));
        assert_eq!((query.result, query.status_code), (Some(AttemptResult::Failed), Some(503)));
        assert_eq!(query.event_types, [EventType::MessageSent, EventType::DomainVerified]);
        Ok(Page { items: vec![failed, silent], next: None })
    });
    let (webhook_id, event_id) = (fixtures::webhook().webhook_id, fixtures::id::<EventId>(60));
    let filters = "status=failed&status_code=503&event_types=message.sent,domain.verified";
    let uri = format!("/v0/webhooks/attempts?webhook_id={webhook_id}&event_id={event_id}&{filters}");
    let answered = answer(world, with_key("get", &uri)).await;
    assert_described("/v0/webhooks/attempts", &answered.json());
    insta::assert_snapshot!(answered.pretty());
}

#[actix_web::test]
async fn invalid_log_filters_are_all_named() {
    let uri = "/v0/webhooks/attempts?webhook_id=x&event_id=&status=500&status_code=20&start=x&end=x&limit=0";
    let answered = answer(prepared(), with_key("get", uri)).await;
    let mut named = answered.bad_fields();
    named.sort();
    assert_eq!(named, ["end", "event_id", "limit", "start", "status", "status_code", "webhook_id"]);
}

#[actix_web::test]
async fn replay_returns_number_of_queued_events() {
    let mut world = prepared();
    world.store.expect_webhook().returning(|_, _| Ok(Some(fixtures::webhook())));
    let unit = world.unit_of_work();
    unit.webhooks.expect_lock().returning(|_, _| Ok(Some((fixtures::webhook(), fixtures::sealed()))));
    unit.replays.expect_begin().returning(|_| Ok(()));
    unit.replays.expect_walk().returning(|_, _, _, _| Ok(Walked { queued: 2_000, is_end: false }));
    let uri = format!("/v0/webhooks/{}/replay", fixtures::webhook().webhook_id);
    let since = json!({"since": "2026-11-20T09:00:00+01:00", "event_id": null});
    let answered = answer(world, with_key("post", &uri).set_json(since)).await;
    let webhook_id = fixtures::webhook().webhook_id.to_string();
    assert_eq!(answered.json(), json!({"webhook_id": webhook_id, "queued": 2_000, "complete": false}));
    for bad in [json!({}), json!({"since": "2026-11-20T09:00:00Z", "event_id": "evt_1"})] {
        assert_eq!(send("post", &uri, bad).await.bad_fields(), ["event_id"]);
    }
    assert_eq!(send("post", &uri, json!({"since": "yesterday"})).await.bad_fields(), ["since"]);
}
