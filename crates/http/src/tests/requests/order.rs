//! Order of checks.

use super::*;

fn permitted(names: &[&str]) -> World {
    let map = names.iter().map(|name| ((*name).to_owned(), true)).collect();
    world_with(ApiKey { permissions: Some(Permissions(map)), ..fixtures::api_key() })
}

fn reaching_one_inbox() -> World {
    let reach = Reach::Inbox { pod_id: fixtures::id(2), inbox_id: fixtures::inbox().inbox_id };
    world_with(ApiKey { reach, ..fixtures::api_key() })
}

#[actix_web::test]
async fn invalid_keys_are_refused() {
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
        let challenge = answered.header("www-authenticate").unwrap();
        assert!(challenge.starts_with("Bearer resource_metadata="), "{challenge}");
        assert_eq!(challenge.ends_with("error=\"invalid_token\""), code == "unknown_api_key", "{challenge}");
    }
    for header in [format!("bearer {KEY}"), format!("BEARER  {KEY} ")] {
        let request = request("get", "/v0/auth/me").insert_header(("Authorization", header));
        assert_eq!(answer(world(), request).await.status, 200);
    }
    let expired = ApiKey { expires_at: Some(fixtures::NOW), ..fixtures::api_key() };
    assert_eq!(answer(world_with(expired), with_key("get", "/v0/auth/me")).await.code(), "api_key_expired");
}

#[actix_web::test]
async fn checks_run_in_order() {
    // All requests here have an invalid JSON body, which only the last response reports.
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
async fn missing_permission_has_fix_for_kind_of_key() {
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
            "use a key of the pod or the organization that holds inbox_create; a key of one inbox cannot hold it",
        ),
        (
            reaching_one_inbox(),
            "/v0/pods",
            "use a key of the organization that holds pod_create; a key of one inbox cannot hold it",
        ),
        (of_pod(), "/v0/pods", "use a key of the organization that holds pod_create; a key of one pod cannot hold it"),
    ] {
        assert_eq!(fix(post(world, uri, "{}").await), expected, "{uri}");
    }
}

#[actix_web::test]
async fn validation_precedes_existence() {
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
async fn inbox_key_gets_equal_refusal_for_all_other_inboxes() {
    for inbox in ["other@inboxd.example", "no-address", "%00", "a@b@c"] {
        let answered = answer(reaching_one_inbox(), with_key("get", &format!("/v0/inboxes/{inbox}"))).await;
        assert_eq!(answered.code(), "inbox_out_of_scope", "{inbox}");
    }
}
