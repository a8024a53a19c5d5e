//! What is refused before a use case runs, and in which order.

use actix_web::dev::Service;
use actix_web::test::TestRequest;
use inboxd_core::model::{ApiKey, Page, Permissions, Reach};
use inboxd_core::ports::StoreError;
use inboxd_core::testing::{World, fixtures};
use serde_json::json;

use super::{Answered, KEY, answer, call, options, request, server, with_key, world, world_with};
use crate::state::HttpOptions;

const SEND: &str = "/v0/inboxes/scout@inboxd.example/messages/send";

fn permitted(names: &[&str]) -> World {
    let map = names.iter().map(|name| ((*name).to_owned(), true)).collect();
    world_with(ApiKey { permissions: Some(Permissions(map)), ..fixtures::api_key() })
}

fn reaching_one_inbox() -> World {
    let reach = Reach::Inbox { pod_id: fixtures::id(2), inbox_id: fixtures::inbox().inbox_id };
    world_with(ApiKey { reach, ..fixtures::api_key() })
}

async fn post(world: World, uri: &str, body: &'static str) -> Answered {
    answer(world, with_key("post", uri).set_payload(body)).await
}

#[actix_web::test]
async fn keys_are_checked() {
    for (header, code) in [
        ("", "missing_authorization"),
        ("Bearer", "missing_authorization"),
        ("Bearer ", "missing_authorization"),
        ("Basic YTpi", "missing_authorization"),
        ("Bearer am_other", "unknown_api_key"),
    ] {
        let request = request("get", "/v0/auth/me").insert_header(("Authorization", header));
        let answered = answer(world(), request).await;
        assert_eq!((answered.status, answered.code().as_str()), (401, code), "{header:?}");
        assert_eq!(answered.header("www-authenticate"), Some("Bearer"));
    }
    for header in [format!("bearer {KEY}"), format!("BEARER  {KEY} ")] {
        let request = request("get", "/v0/auth/me").insert_header(("Authorization", header));
        assert_eq!(answer(world(), request).await.status, 200);
    }
    let expired = ApiKey { expires_at: Some(fixtures::NOW), ..fixtures::api_key() };
    assert_eq!(answer(world_with(expired), with_key("get", "/v0/auth/me")).await.code(), "api_key_expired");
}

#[actix_web::test]
async fn checks_come_in_their_order() {
    // Every request below has a body that is no JSON: only the last one gets to hear of it.
    let elsewhere = "/v0/inboxes/other@inboxd.example/messages/send";
    let no_key = answer(World::default(), request("post", elsewhere).set_payload("{")).await;
    assert_eq!(no_key.code(), "missing_authorization");
    let out_of_scope = post(reaching_one_inbox(), elsewhere, "{").await;
    assert_eq!((out_of_scope.status, out_of_scope.code().as_str()), (403, "inbox_out_of_scope"));
    let not_permitted = post(permitted(&["message_read"]), SEND, "{").await;
    assert_eq!((not_permitted.status, not_permitted.code().as_str()), (403, "missing_permission"));
    let not_valid = post(permitted(&["message_send"]), SEND, "{").await;
    assert_eq!((not_valid.status, not_valid.code().as_str()), (422, "validation_error"));
}

#[actix_web::test]
async fn a_missing_permission_names_the_step_that_this_very_key_needs() {
    let fix = |answered: Answered| {
        assert_eq!(answered.code(), "missing_permission");
        answered.json()["fix"].as_str().unwrap().to_owned()
    };
    let by_map = fix(post(permitted(&["message_read"]), SEND, "{}").await);
    let change = format!(
        r#"PATCH /v0/api-keys/{} {{"permissions":{{"message_read":true,"message_send":true}}}}"#,
        fixtures::api_key().api_key_id
    );
    assert!(by_map.ends_with(&change), "{by_map}");
    let of_pod = || world_with(ApiKey { reach: Reach::Pod(fixtures::id(2)), ..fixtures::api_key() });
    for (world, uri, expected) in [
        (
            reaching_one_inbox(),
            "/v0/inboxes",
            "use a key of the pod or the organization that holds inbox_create; a key of one inbox never does",
        ),
        (
            reaching_one_inbox(),
            "/v0/pods",
            "use a key of the organization that holds pod_create; a key of one inbox never does",
        ),
        (of_pod(), "/v0/pods", "use a key of the organization that holds pod_create; a key of one pod never does"),
    ] {
        assert_eq!(fix(post(world, uri, "{}").await), expected, "{uri}");
    }
}

#[actix_web::test]
async fn validation_comes_before_existence() {
    let base = "/v0/inboxes/scout@inboxd.example";
    let thread = answer(world(), with_key("get", &format!("{base}/threads/xx?limit=999"))).await;
    assert_eq!((thread.status, thread.bad_fields()), (422, vec!["limit".to_owned()]));
    let to_somebody = r#"{"to": "a@example.org", "labels": ["a,b"]}"#;
    for (act, body) in [("reply", to_somebody), ("reply-all", r#"{"labels": ["a,b"]}"#), ("forward", to_somebody)] {
        let uri = format!("{base}/messages/xx@x/{act}");
        let answered = post(world(), &uri, body).await;
        assert_eq!((answered.status, answered.bad_fields()), (422, vec!["labels[0]".to_owned()]), "{act}");
    }
}

#[actix_web::test]
async fn an_inbox_key_hears_the_same_of_every_other_inbox() {
    for inbox in ["other@inboxd.example", "no-address", "%00", "a@b@c"] {
        let answered = answer(reaching_one_inbox(), with_key("get", &format!("/v0/inboxes/{inbox}"))).await;
        assert_eq!(answered.code(), "inbox_out_of_scope", "{inbox}");
    }
}

#[actix_web::test]
async fn every_bad_field_is_named_at_once() {
    let body = r#"{"to": ["a@example.org", "nobody", 5], "cc": "x y", "subject": 7, "text": null, "html": [],
        "labels": [true], "headers": {"X-A": 1}, "unknown": 1,
        "attachments": [{"content": "&"}, {}, {"content": "YQ", "url": "http://a"}, "x",
            {"url": 1, "content_disposition": "beside"}]}"#;
    let answered = post(world(), SEND, body).await;
    assert_eq!(answered.status, 422);
    assert_eq!(
        answered.bad_fields(),
        [
            "to[1]",
            "to[2]",
            "cc",
            "subject",
            "html",
            "attachments[0].content",
            "attachments[1]",
            "attachments[2]",
            "attachments[3]",
            "attachments[4].content_disposition",
            "attachments[4].url",
            "headers.X-A",
            "labels[0]",
        ]
    );
    let json = answered.json();
    assert_eq!(json["detail"].as_array().unwrap().len(), 13);
    assert_eq!(json["detail"][0]["loc"], json!(["body", "to", 1]));
    assert_eq!(json["detail"][0]["msg"], json["errors"][0]["message"]);
    assert_eq!(json["name"], "ValidationError");
    assert_eq!(json["docs"], "https://inboxd.example/docs/errors#validation_error");
}

#[actix_web::test]
async fn wrong_shapes_and_wrong_values_are_named_together() {
    let body = r#"{"to": ["nobody", "a@example.org"], "subject": "a\nb", "text": "\u0000", "html": 7,
        "labels": [5, "a,b", "fine"], "headers": {"Bad Name": "x", "X-A": 1, "X-B": "a\r\nb"},
        "attachments": ["x", {"content": "YQ", "content_type": "png", "filename": 1}]}"#;
    let expected = [
        "to[0]",
        "html",
        "attachments[0]",
        "attachments[1].filename",
        "headers.X-A",
        "labels[0]",
        "subject",
        "text",
        "headers.Bad Name",
        "headers.X-B",
        "attachments[1].content_type",
        "labels[1]",
    ];
    assert_eq!(post(world(), SEND, body).await.bad_fields(), expected);
    let base = "/v0/inboxes/scout@inboxd.example";
    for (method, uri, body, expected) in [
        ("post", "/v0/inboxes".to_owned(), r#"{"username": "a+b", "client_id": 7}"#, ["client_id", "username"]),
        ("patch", base.to_owned(), r#"{"display_name": "", "metadata": {"a": []}}"#, ["metadata.a", "display_name"]),
        (
            "post",
            format!("{base}/api-keys"),
            r#"{"name": 1, "permissions": {"inbox_create": true}}"#,
            ["name", "permissions.inbox_create"],
        ),
        (
            "post",
            format!("{base}/messages/batch-update"),
            r#"{"message_ids": 1, "add_labels": ["a,b"]}"#,
            ["message_ids", "add_labels[0]"],
        ),
        ("post", format!("{base}/messages/a@b/reply"), r#"{"cc": 5, "labels": 7}"#, ["cc", "labels"]),
        (
            "patch",
            format!("{base}/threads/xx"),
            r#"{"assignee_id": 1, "remove_labels": [""]}"#,
            ["assignee_id", "remove_labels[0]"],
        ),
    ] {
        let answered = answer(world(), with_key(method, &uri).set_payload(body)).await;
        assert_eq!((answered.status, answered.code().as_str()), (422, "validation_error"), "{uri}");
        assert_eq!(answered.bad_fields(), expected, "{uri}");
    }
    let sign_up = request("post", "/v0/agent/sign-up").set_payload(r#"{"human_email": 1, "username": "a+b"}"#);
    assert_eq!(answer(World::default(), sign_up).await.bad_fields(), ["human_email", "username"]);
}

#[actix_web::test]
async fn a_system_label_is_named_where_it_stands() {
    let uri = "/v0/inboxes/scout@inboxd.example/messages/a@b";
    let body = r#"{"add_labels": ["fine", "Sent", "a,b"], "remove_labels": [7]}"#;
    let answered = answer(world(), with_key("patch", uri).set_payload(body)).await;
    assert_eq!((answered.status, answered.code().as_str()), (422, "system_label"));
    assert_eq!(answered.bad_fields(), ["remove_labels[0]", "add_labels[1]", "add_labels[2]"]);
    assert!(answered.json()["fix"].as_str().unwrap().contains("add_labels[1]"));
}

#[actix_web::test]
async fn bodies_that_are_no_objects() {
    let deep = Box::leak("[".repeat(700).into_boxed_str());
    for body in ["{", "[]", "1", "\"a\"", "{\"to\": }", "\u{feff}{}", "{\"a\":1}x", &*deep] {
        let answered = post(world(), SEND, body).await;
        assert_eq!((answered.status, answered.code().as_str()), (422, "validation_error"), "{body:?}");
        assert_eq!(answered.json()["fix"], "send a JSON object");
    }
    let not_utf8 = with_key("post", SEND).set_payload(&b"{\"to\": \"\xff\"}"[..]);
    assert_eq!(answer(world(), not_utf8).await.status, 422);
}

#[actix_web::test]
async fn missing_fields_are_named() {
    let answered = answer(World::default(), request("post", "/v0/agent/sign-up")).await;
    assert_eq!((answered.status, answered.bad_fields()), (422, vec!["human_email".to_owned(), "username".to_owned()]));
    let body = r#"{"human_email": 5, "username": null}"#;
    let answered = answer(World::default(), request("post", "/v0/agent/sign-up").set_payload(body)).await;
    assert_eq!((answered.status, answered.bad_fields()), (422, vec!["human_email".to_owned(), "username".to_owned()]));
}

#[actix_web::test]
async fn large_bodies() {
    // A mail has at most 1000 octets here, and a body 1400.
    let fits = format!("{{\"to\": 5, \"text\": \"{}\"}}", "x".repeat(1379));
    assert_eq!(fits.len(), 1400);
    let answered = answer(world(), with_key("post", SEND).set_payload(fits.clone())).await;
    assert_eq!(answered.status, 422);
    let answered = answer(world(), with_key("post", SEND).set_payload(fits + " ")).await;
    assert_eq!((answered.status, answered.code().as_str()), (413, "payload_too_large"));
    assert!(answered.json()["message"].as_str().unwrap().contains("1400"));
    let announced = with_key("post", SEND).set_payload("{}").insert_header(("Content-Length", "99999999999"));
    assert_eq!(answer(world(), announced).await.status, 413);
}

#[actix_web::test]
async fn bodies_without_a_key_are_small() {
    let server = server(World::default().app(), HttpOptions { max_message_bytes: 1_000_000, ..options() }).await;
    let request = request("post", "/v0/agent/sign-up").set_payload(" ".repeat(64 * 1024 + 1));
    assert_eq!(call(&server, request).await.status, 413);
}

#[actix_web::test]
async fn bodies_that_are_no_letters_have_a_megabyte() {
    let server = server(world().app(), HttpOptions { max_message_bytes: 2_000_000, ..options() }).await;
    let padded = |length: usize| format!("{{\"username\": 5}}{}", " ".repeat(length - 15));
    for (length, status) in [(1024 * 1024, 422), (1024 * 1024 + 1, 413)] {
        let answered = call(&server, with_key("post", "/v0/inboxes").set_payload(padded(length))).await;
        assert_eq!(answered.status, status, "{length}");
    }
    let letter = with_key("post", SEND).set_payload(format!("{{\"to\": 5}}{}", " ".repeat(2_000_000)));
    assert_eq!(call(&server, letter).await.status, 422);
}

#[actix_web::test]
async fn large_bodies_share_memory() {
    // One body of the largest size fits, and no second beside it.
    let limits = HttpOptions { max_message_bytes: 1_000_000, max_octets_in_flight: 0, ..options() };
    let server = server(world().app(), limits).await;
    let body = || format!("{{\"to\": 5}}{}", " ".repeat(1_300_000));
    let (mut writing, payload) = actix_http::h1::Payload::create(false);
    writing.feed_data(body().into());
    let first = with_key("post", SEND).to_request().replace_payload(actix_http::Payload::from(payload)).0;
    let first = server.call(first);
    let meanwhile = async {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        let second = call(&server, with_key("post", SEND).set_payload(body())).await;
        let small = call(&server, with_key("post", SEND).set_payload("{\"to\": 5}")).await;
        writing.feed_eof();
        (second, small)
    };
    let (first, (second, small)) = futures_util::future::join(first, meanwhile).await;
    assert_eq!((second.status, second.code().as_str()), (429, "too_many_requests"));
    assert_eq!(second.header("retry-after"), Some("1"));
    assert_eq!((first.unwrap().status().as_u16(), small.status), (422, 422));
    let afterwards = call(&server, with_key("post", SEND).set_payload(body())).await;
    assert_eq!(afterwards.status, 422, "what the first held is free again");
}

#[actix_web::test]
async fn a_body_of_megabytes_is_read_too() {
    let server = server(world().app(), HttpOptions { max_message_bytes: 1_000_000, ..options() }).await;
    let content = "aGkh".repeat(100_000);
    let body = format!("{{\"to\": 5, \"attachments\": [{{\"content\": \"{content}\"}}]}}");
    let answered = call(&server, with_key("post", SEND).set_payload(body)).await;
    assert_eq!((answered.status, answered.bad_fields()), (422, vec!["to".to_owned()]));
}

#[actix_web::test]
async fn content_types() {
    for (given, status) in [
        ("application/json", 422),
        ("application/json; charset=utf-8", 422),
        ("application/vnd.api+json", 422),
        ("text/plain;charset=UTF-8", 422),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("application/xml", 415),
    ] {
        let request = with_key("post", SEND).insert_header(("Content-Type", given)).set_payload("{");
        assert_eq!(answer(world(), request).await.status, status, "{given}");
    }
    let mut world = world();
    world.store.expect_inbox().returning(|_, _| Ok(Some(fixtures::inbox())));
    let bodyless = with_key("post", SEND).insert_header(("Content-Type", "application/xml"));
    assert_eq!(answer(world, bodyless).await.bad_fields(), ["to"], "no body has no type");
}

#[actix_web::test]
async fn content_encodings() {
    for (given, status) in [("identity", 422), ("", 422), ("gzip", 415), ("br", 415), ("identity, deflate", 415)] {
        let request = with_key("post", SEND).insert_header(("Content-Encoding", given)).set_payload("{");
        let answered = answer(world(), request).await;
        assert_eq!(answered.status, status, "{given}");
        assert_eq!(answered.code() == "unsupported_media_type", status == 415, "{given}");
    }
}

#[actix_web::test]
async fn every_bad_parameter_is_named_at_once() {
    let uri = "/v0/inboxes/scout@inboxd.example/messages?limit=0&before=yesterday&after=&include_spam=yes\
        &ascending=maybe&page_token=x&unknown=1&from=%00";
    let answered = answer(world(), with_key("get", uri)).await;
    assert_eq!(answered.status, 422);
    let expected = ["before", "after", "include_spam", "from", "ascending", "limit", "page_token"];
    assert_eq!(answered.bad_fields(), expected);
    assert_eq!(answered.json()["detail"][0]["loc"], json!(["query", "before"]));
    let search = answer(world(), with_key("get", "/v0/inboxes/scout@inboxd.example/messages/search?q=%20")).await;
    assert_eq!((search.status, search.bad_fields()), (422, vec!["q".to_owned()]));
    let unknown = answer(world(), with_key("get", "/v0/events?event_types=message.sent,message.eaten")).await;
    assert_eq!((unknown.status, unknown.code().as_str()), (400, "unknown_event_type"));
}

#[actix_web::test]
async fn page_tokens_belong_to_their_list() {
    let place = |name: &str| inboxd_core::model::Cursor { time: fixtures::NOW, id: name.to_owned() };
    let mut world = world();
    world.store.expect_inbox().returning(|_, _| Ok(Some(fixtures::inbox())));
    let after = place("<a@b>");
    world.store.expect_list_messages().returning(move |query| {
        let next = if query.page.after.as_ref() == Some(&after) { None } else { Some(after.clone()) };
        Ok(Page { items: vec![fixtures::message_item()], next })
    });
    let server = server(world.app(), options()).await;
    let base = "/v0/inboxes/scout@inboxd.example/messages";
    let first = call(&server, with_key("get", &format!("{base}?labels=a&labels=b&from=Anna&limit=1"))).await.json();
    let token = first["next_page_token"].as_str().unwrap().to_owned();
    assert_eq!((&first["count"], &first["limit"]), (&json!(1), &json!(1)));

    let page = async |query: &str| {
        let answered = call(&server, with_key("get", &format!("{query}&page_token={token}"))).await;
        (answered.status, answered.json()["next_page_token"].clone())
    };
    // The same list, however it is written, and with another limit.
    for query in [
        format!("{base}?labels=a&labels=b&from=Anna&limit=1"),
        format!("{base}?labels=a,b&from=Anna"),
        format!("{base}?from=ANNA&labels=B&labels=A"),
        format!("{base}?labels=b,a,B&from=anna&from=Anna"),
        format!("{base}?limit=200&labels=%5B%22b%22%2C%22a%22%5D&from=Anna&ascending=false"),
        "/v0/inboxes/SCOUT%40inboxd.example/messages?labels=a,b&from=Anna".to_owned(),
    ] {
        assert_eq!(page(&query).await, (200, serde_json::Value::Null), "{query}");
    }
    for query in [
        format!("{base}?labels=a,c&from=Anna"),
        format!("{base}?labels=a,b"),
        format!("{base}?labels=a&from=b&from=Anna"),
        format!("{base}?limit=1"),
        format!("{base}?labels=a,b&from=Anna&ascending=true"),
        format!("{base}?labels=a,b&from=Anna&include_trash=true"),
        format!("{base}/search?q=a&labels=a,b&from=Anna"),
        "/v0/inboxes/other@inboxd.example/messages?labels=a,b&from=Anna".to_owned(),
    ] {
        assert_eq!(page(&query).await.0, 422, "{query}");
    }
}

#[actix_web::test]
async fn sign_ups_are_limited_by_client_address() {
    let limited = HttpOptions { unauthenticated_rate: 2, ..options() };
    let server = server(World::default().app(), limited).await;
    let sign_up = |address: &str| request("post", "/v0/agent/sign-up").peer_addr(address.parse().unwrap());
    for _ in 0..2 {
        assert_eq!(call(&server, sign_up("192.0.2.1:1000")).await.status, 422);
    }
    let refused = call(&server, sign_up("192.0.2.1:2000")).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "too_many_requests"));
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=30).contains(&wait), "{wait}");
    assert_eq!(call(&server, sign_up("192.0.2.2:1000")).await.status, 422);
}

#[actix_web::test]
async fn request_ids() {
    let given = TestRequest::get().uri("/health").insert_header(("X-Request-Id", "abc-1"));
    assert_eq!(answer(World::default(), given).await.header("x-request-id"), Some("abc-1"));
    let strange = TestRequest::get().uri("/nowhere").insert_header(("X-Request-Id", "a b"));
    let answered = answer(World::default(), strange).await;
    assert_eq!(answered.header("x-request-id").unwrap().len(), 32);
    assert_eq!(answered.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answered.header("cache-control"), Some("no-store"));
}

#[actix_web::test]
async fn storage_that_fails() {
    for (error, status, code) in [
        (StoreError::Unavailable("no connection".to_owned()), 503, "service_unavailable"),
        (StoreError::Contention, 503, "service_unavailable"),
        (StoreError::Failed("secret detail".to_owned()), 500, "internal_error"),
    ] {
        let mut world = World::default();
        world.store.expect_credential().returning(move |_| Err(error.clone()));
        let answered = answer(world, with_key("get", "/v0/auth/me")).await;
        assert_eq!((answered.status, answered.code().as_str()), (status, code));
        assert_eq!(answered.header("retry-after"), (status == 503).then_some("1"));
        assert!(!String::from_utf8_lossy(&answered.body).contains("secret"), "inner causes stay inside");
    }
}

#[actix_web::test]
async fn a_panic_is_an_answer_too() {
    let mut world = World::default();
    world.store.expect_credential().returning(|_| panic!("secret detail"));
    let answered = answer(world, with_key("get", "/v0/auth/me")).await;
    assert_eq!((answered.status, answered.code().as_str()), (500, "internal_error"));
    assert!(answered.header("x-request-id").is_some());
    assert!(!String::from_utf8_lossy(&answered.body).contains("secret"));
}

#[actix_web::test]
async fn readiness_is_storage() {
    for (ready, status) in [(Ok(()), 200), (Err(StoreError::Failed("old schema".to_owned())), 503)] {
        let mut world = World::default();
        world.store.expect_ready().return_once(move || ready);
        assert_eq!(answer(world, request("get", "/ready")).await.status, status);
    }
    assert_eq!(answer(World::default(), request("get", "/health")).await.json(), json!({"status": "ok"}));
}
