//! Routes of paths.

use actix_web::http::Method;
use inboxd_core::model::{Caller, Message, MessageId};
use inboxd_core::testing::{World, fixtures};
use serde_json::json;

use super::{answer, request, with_key, world};
use crate::routes::{RouteEndpoint, RouteEntry, entries};

/// Returns a path of the table with values for its parameters.
fn filled(path: &str) -> String {
    path.replace("{inbox_id}", "scout@inboxd.example")
        .replace("{message_id}", "%3Ca/b@example.org%3E")
        .replace("{thread_id}", "thr_00000000000000000000000000000000")
        .replace("{attachment_id}", "att_00000000000000000000000000000000")
        .replace("{api_key_id}", "key_00000000000000000000000000000000")
        .replace("{pod_id}", "pod_00000000000000000000000000000000")
        .replace("{direction}", "send")
        .replace("{type}", "block")
        .replace("{entry}", "a/b%25@example.org")
        .replace("{connection_id}", "con_00000000000000000000000000000000")
        .replace("{member_id}", "mem_00000000000000000000000000000000")
        .replace("{token}", "x")
        .replace("{file}", "start.js")
}

/// Paths that need no API key.
fn is_open(path: &str) -> bool {
    let open = ["/v0/billing/webhook"];
    !path.starts_with("/v0")
        || open.contains(&path)
        || path.starts_with("/v0/agent/sign-")
        || path.starts_with("/v0/downloads")
        || path.starts_with("/v0/uploads")
        || path.starts_with("/v0/calendar-feeds")
}

#[actix_web::test]
async fn routes_are_served_and_need_key() {
    for RouteEntry { path, endpoints, .. } in entries() {
        for RouteEndpoint { method, .. } in endpoints.iter().filter(|_| !is_open(path)) {
            let answered = answer(World::default(), request(method, &filled(path))).await;
            assert_eq!((answered.status, answered.code().as_str()), (401, "missing_authorization"), "{method} {path}");
            let challenge = answered.header("www-authenticate").unwrap();
            assert!(challenge.starts_with("Bearer resource_metadata="), "{challenge}");
        }
    }
}

#[actix_web::test]
async fn other_methods_return_405_with_allowed_ones() {
    for RouteEntry { path, endpoints, .. } in entries() {
        let offers_put = endpoints.iter().any(|endpoint| endpoint.method == "put");
        let other = if offers_put { "patch" } else { "put" };
        let answered = answer(World::default(), request(other, &filled(path))).await;
        assert_eq!((answered.status, answered.code().as_str()), (405, "method_not_allowed"), "{path}");
        let allow = answered.header("allow").unwrap().to_owned();
        for RouteEndpoint { method, .. } in &endpoints {
            assert!(allow.split(", ").any(|name| name == method.to_uppercase()), "{path}: {allow}");
        }
        let asked = answer(World::default(), request("options", &filled(path))).await;
        assert_eq!((asked.status, asked.header("allow")), (204, Some(allow.as_str())), "{path}");
    }
}

#[actix_web::test]
async fn unsupported_paths_are_no_ids() {
    for path in [
        "/nothing",
        "/v0/",
        "/v0/inboxes/",
        "/v0/api-keys/public-keys",
        "/v0/calendar",
        "/docs/",
        "/v0/inboxes//messages",
        "/v0/lists/send",
        "/v0/lists/send/block/",
        "/v0/inboxes/scout@inboxd.example/lists/send",
    ] {
        for method in ["get", "post", "delete"] {
            let answered = answer(World::default(), request(method, path)).await;
            assert_eq!((answered.status, answered.code().as_str()), (404, "route_not_found"), "{method} {path}");
        }
    }
}

/// Returns the message id that a path names.
async fn message_of(path: &str) -> Option<String> {
    let mut world = world();
    world.store.expect_inbox().returning(|_, _| Ok(Some(fixtures::inbox())));
    world.store.expect_message().returning(|_, _, id: &MessageId, _| {
        let item = inboxd_core::model::MessageItem { message_id: id.clone(), ..fixtures::message_item() };
        Ok(Some(Message { item, body: inboxd_core::model::MessageBody::default() }))
    });
    let answered = answer(world, with_key("get", path)).await;
    answered.json()["message_id"].as_str().map(str::to_owned)
}

#[actix_web::test]
async fn message_ids_are_matched_raw_and_decoded_once() {
    for (segment, expected) in [
        ("%3Cquestion@example.org%3E", "<question@example.org>"),
        ("question@example.org", "<question@example.org>"),
        ("%3Cquestion%40example.org%3E", "<question@example.org>"),
        ("%3Ca/b/c@example.org%3E", "<a/b/c@example.org>"),
        ("a%2Fb@example.org", "<a/b@example.org>"),
        ("a%252Fb@example.org", "<a%2Fb@example.org>"),
        ("a+b%2Bc@example.org", "<a+b+c@example.org>"),
        ("a%25b@example.org", "<a%b@example.org>"),
        ("raw/x@example.org", "<raw/x@example.org>"),
        ("attachments/1@example.org", "<attachments/1@example.org>"),
        ("gr%C3%BC%C3%9Fe@example.org", "<grüße@example.org>"),
    ] {
        let path = format!("/v0/inboxes/Scout%40inboxd.example/messages/{segment}");
        assert_eq!(message_of(&path).await.as_deref(), Some(expected), "{segment}");
    }
}

/// Returns the message id that a path names when only this message exists.
async fn known_message_of(method: &str, path: &str, known: &'static str) -> u16 {
    let mut world = world();
    world.store.expect_inbox().returning(|_, _| Ok(Some(fixtures::inbox())));
    let find = move |id: &MessageId| {
        let item = inboxd_core::model::MessageItem { message_id: id.clone(), ..fixtures::message_item() };
        (id.as_str() == known).then(|| fixtures::message(item))
    };
    world.store.expect_message().returning(move |_, _, id: &MessageId, _| Ok(find(id)));
    world.store.expect_message_item().returning(move |_, _, id: &MessageId, _| Ok(find(id).map(|found| found.item)));
    answer(world, with_key(method, path)).await.status
}

#[actix_web::test]
async fn id_with_percent_sign_is_found_in_any_encoding() {
    let base = "/v0/inboxes/scout@inboxd.example/messages";
    for (segment, known, status) in [
        ("a%41b@example.org", "<a%41b@example.org>", 200),
        ("%3Ca%41b@example.org%3E", "<a%41b@example.org>", 200),
        ("a%2541b%40example.org", "<a%41b@example.org>", 200),
        ("a%2Fb@example.org", "<a%2Fb@example.org>", 200),
        ("a/%41%40b@example.org", "<a/%41%40b@example.org>", 200),
        // The decoded id comes first, so that a client that encodes everything gets the exact id.
        ("a%41b@example.org", "<aAb@example.org>", 200),
        ("a%41b%40example.org", "<a%41b@example.org>", 404),
        ("a%41b@example.org", "<another@example.org>", 404),
    ] {
        for suffix in ["", "/raw"] {
            let path = format!("{base}/{segment}{suffix}");
            assert_eq!(known_message_of("get", &path, known).await, status, "{path}");
        }
    }
}

#[actix_web::test]
async fn suffixes_are_matched_from_the_right() {
    for (suffix, method, other) in [
        ("reply", Method::POST, "get"),
        ("reply-all", Method::POST, "get"),
        ("forward", Method::POST, "get"),
        ("raw", Method::GET, "post"),
        ("attachments/att_1", Method::GET, "post"),
    ] {
        let path = format!("/v0/inboxes/scout@inboxd.example/messages/a/reply/raw/b@c/{suffix}");
        let answered = answer(World::default(), request(other, &path)).await;
        assert_eq!(answered.status, 405, "{suffix}");
        assert!(answered.header("allow").unwrap().contains(method.as_str()), "{suffix}");
    }
}

#[actix_web::test]
async fn head_is_get_without_body() {
    let answered = answer(World::default(), request("head", "/health")).await;
    assert_eq!(answered.status, 200);
}

#[actix_web::test]
async fn identity_of_caller_is_returned() {
    let answered = answer(world(), with_key("get", "/v0/auth/me")).await;
    let Caller { organization, api_key_id, .. } = fixtures::caller();
    let organization_id = organization.organization_id.to_string();
    let expected = json!({
        "scope_type": "organization",
        "scope_id": organization_id,
        "organization_id": organization_id,
        "organizations": [{"organization_id": organization_id, "role": "owner"}],
        "api_key_id": api_key_id.unwrap().to_string(),
    });
    assert_eq!(answered.json(), expected);
}
