//! Request bodies.

use super::*;

#[actix_web::test]
async fn invalid_body_fields_are_named_together() {
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
async fn invalid_shapes_and_values_are_named_together() {
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
async fn system_label_is_named_by_index() {
    let uri = "/v0/inboxes/scout@inboxd.example/messages/a@b";
    let body = r#"{"add_labels": ["fine", "Sent", "a,b"], "remove_labels": [7]}"#;
    let answered = answer(world(), with_key("patch", uri).set_payload(body)).await;
    assert_eq!((answered.status, answered.code().as_str()), (422, "system_label"));
    assert_eq!(answered.bad_fields(), ["remove_labels[0]", "add_labels[1]", "add_labels[2]"]);
    assert!(answered.json()["fix"].as_str().unwrap().contains("add_labels[1]"));
}

#[actix_web::test]
async fn body_other_than_object_is_refused() {
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
    assert_eq!((answered.status, answered.bad_fields()), (422, vec!["username".to_owned()]));
    let body = r#"{"human_email": 5, "username": null}"#;
    let answered = answer(World::default(), request("post", "/v0/agent/sign-up").set_payload(body)).await;
    assert_eq!((answered.status, answered.bad_fields()), (422, vec!["human_email".to_owned(), "username".to_owned()]));
}

#[actix_web::test]
async fn too_large_body_is_refused() {
    // The limit of a message is 1000 bytes here, and that of a body 1400.
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
async fn unauthenticated_body_has_small_limit() {
    let server = server(World::default().app(), HttpOptions { max_message_bytes: 1_000_000, ..options() }).await;
    let request = request("post", "/v0/agent/sign-up").set_payload(" ".repeat(64 * 1024 + 1));
    assert_eq!(call(&server, request).await.status, 413);
}

#[actix_web::test]
async fn non_message_body_has_limit_of_one_megabyte() {
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
async fn large_bodies_share_memory_budget() {
    // One body of maximum size fits, and no second one concurrently.
    let limits = HttpOptions { max_message_bytes: 1_000_000, max_bytes_in_flight: 0, ..options() };
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
    assert_eq!(afterwards.status, 422, "the memory of the first is free again");
}

#[actix_web::test]
async fn body_of_megabytes_is_read() {
    let server = server(world().app(), HttpOptions { max_message_bytes: 1_000_000, ..options() }).await;
    let content = "aGkh".repeat(100_000);
    let body = format!("{{\"to\": 5, \"attachments\": [{{\"content\": \"{content}\"}}]}}");
    let answered = call(&server, with_key("post", SEND).set_payload(body)).await;
    assert_eq!((answered.status, answered.bad_fields()), (422, vec!["to".to_owned()]));
}

#[actix_web::test]
async fn unsupported_content_type_is_refused() {
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
    assert_eq!(answer(world, bodyless).await.bad_fields(), ["to"], "an empty body has no type");
}

#[actix_web::test]
async fn unsupported_content_encoding_is_refused() {
    for (given, status) in [("identity", 422), ("", 422), ("gzip", 415), ("br", 415), ("identity, deflate", 415)] {
        let request = with_key("post", SEND).insert_header(("Content-Encoding", given)).set_payload("{");
        let answered = answer(world(), request).await;
        assert_eq!(answered.status, status, "{given}");
        assert_eq!(answered.code() == "unsupported_media_type", status == 415, "{given}");
    }
}
