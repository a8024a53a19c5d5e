//! Entity tags and conditional requests.

use inboxd_core::testing::fixtures;

use super::{call, options, server, with_key, world};

const MESSAGE: &str = "/v0/inboxes/scout@inboxd.example/messages/question@example.org";

#[actix_web::test]
async fn unchanged_resource_returns_304_without_body() {
    let mut world = world();
    world.store.expect_message().returning(|_, _, _, _| Ok(Some(fixtures::message(fixtures::message_item()))));
    world.store.expect_inbox().returning(|_, _| Ok(Some(fixtures::inbox())));
    let server = server(world.app(), options()).await;
    let first = call(&server, with_key("get", MESSAGE)).await;
    assert_eq!(first.status, 200);
    let tag = first.header("etag").unwrap().to_owned();
    assert_eq!(first.header("cache-control"), Some("private, no-cache"));

    let same = call(&server, with_key("get", MESSAGE).insert_header(("If-None-Match", tag.as_str()))).await;
    assert_eq!((same.status, same.body.len()), (304, 0));
    assert_eq!(same.header("etag"), Some(tag.as_str()));
    assert!(same.header("x-request-id").is_some());

    let other = call(&server, with_key("get", MESSAGE).insert_header(("If-None-Match", "\"other\""))).await;
    assert_eq!((other.status, other.body), (200, first.body));

    let head = call(&server, with_key("head", MESSAGE)).await;
    assert_eq!((head.status, head.header("etag"), head.body.len()), (200, Some(tag.as_str()), 0));
}

#[actix_web::test]
async fn changed_resource_has_another_tag() {
    let mut tags = Vec::new();
    for subject in ["one", "two"] {
        let mut world = world();
        world.store.expect_message().returning(move |_, _, _, _| {
            let mut item = fixtures::message_item();
            item.subject = Some(subject.to_owned());
            Ok(Some(fixtures::message(item)))
        });
        world.store.expect_inbox().returning(|_, _| Ok(Some(fixtures::inbox())));
        let server = server(world.app(), options()).await;
        tags.push(call(&server, with_key("get", MESSAGE)).await.header("etag").unwrap().to_owned());
    }
    assert_ne!(tags[0], tags[1]);
}

#[actix_web::test]
async fn revoked_key_with_a_known_tag_is_refused() {
    let mut world = world();
    world.store.expect_message().returning(|_, _, _, _| Ok(Some(fixtures::message(fixtures::message_item()))));
    let server = server(world.app(), options()).await;
    let tag = call(&server, with_key("get", MESSAGE)).await.header("etag").unwrap().to_owned();
    let request = super::request("get", MESSAGE).insert_header(("Authorization", "Bearer am_revoked"));
    let refused = call(&server, request.insert_header(("If-None-Match", tag.as_str()))).await;
    assert_eq!(refused.status, 401);
}

#[actix_web::test]
async fn lists_have_no_tag() {
    let mut world = world();
    world.store.expect_list_messages().returning(|_| Ok(inboxd_core::model::Page { items: Vec::new(), next: None }));
    world.store.expect_inbox().returning(|_, _| Ok(Some(fixtures::inbox())));
    let server = server(world.app(), options()).await;
    let list = call(&server, with_key("get", "/v0/inboxes/scout@inboxd.example/messages")).await;
    assert_eq!(list.status, 200);
    assert_eq!((list.header("etag"), list.header("cache-control")), (None, Some("no-store")));
}
