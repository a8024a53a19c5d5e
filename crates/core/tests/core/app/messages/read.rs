use inboxd_core::app::messages::{MessageFilter, attachment, batch_get, get, list};
use inboxd_core::model::{Caller, HidingLabels, MessageId, MessageItem, Page, PageRequest, Permission, Reach};
use inboxd_core::ports::{MessageQuery, RawSource};
use inboxd_core::rules::response_limits::MAX_BODY_BYTES;
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id, message_id};
use inboxd_core::{Error, Resource};

use crate::app::{paths, permissions, world};

fn blind() -> Caller {
    Caller { permissions: permissions(&["message_read", "label_trash_read"]), ..fixtures::caller() }
}

fn trash() -> HidingLabels {
    HidingLabels::NONE.with(3)
}

#[tokio::test]
async fn message_list_filters_in_lower_case_and_includes_readable_labels() {
    let texts = |text: &str| vec![text.to_owned()];
    for (caller, include, included) in [
        (fixtures::caller(), HidingLabels::NONE, HidingLabels::NONE),
        (fixtures::caller(), HidingLabels::ALL, fixtures::readable()),
        (blind(), HidingLabels::ALL, trash()),
        (blind(), HidingLabels::NONE.with(0), HidingLabels::NONE),
    ] {
        let mut world = world();
        let expected = MessageQuery {
            organization_id: id(1),
            inbox_id: fixtures::inbox().inbox_id,
            labels: texts("urgent"),
            before: Some(NOW),
            after: None,
            included,
            from: texts("anna"),
            to: texts("ärger"),
            subject: texts("question"),
            search: Some("shall we".to_owned()),
            delivered_to: Some("scout+a@inboxd.example".to_owned()),
            tag: Some("a".to_owned()),
            trust: Vec::new(),
            page: PageRequest::default(),
        };
        world.store.expect_list_messages().once().returning(move |query| {
            assert_eq!(*query, expected);
            Ok(Page { items: vec![fixtures::message_item()], next: None })
        });
        let filter = MessageFilter {
            labels: texts("Urgent"),
            before: Some(NOW),
            include,
            from: texts("ANNA"),
            to: texts("ÄRGER"),
            subject: texts("Question"),
            search: Some("Shall WE".to_owned()),
            delivered_to: Some("Scout+A@inboxd.example".to_owned()),
            tag: Some("A".to_owned()),
            ..MessageFilter::default()
        };
        let page = list(&world.app(), &caller, &fixtures::inbox().inbox_id, filter).await.unwrap();
        assert_eq!(page.items.len(), 1);
    }
}

#[tokio::test]
async fn message_read_is_limited_to_visible_labels() {
    let mut world = world();
    world.store.expect_message().returning(|_, _, id, readable| {
        assert_eq!(readable, trash());
        let is_there = *id == message_id("<question@example.org>");
        Ok(is_there.then(|| fixtures::message(fixtures::message_item())))
    });
    world.store.expect_messages().returning(|_, _, ids, readable| {
        assert_eq!(readable, trash());
        let there = ids.contains(&message_id("<question@example.org>"));
        Ok(there.then(|| fixtures::message(fixtures::message_item())).into_iter().collect())
    });
    world.store.expect_body_sizes().returning(|_, _, _, readable| {
        assert_eq!(readable, trash());
        Ok(vec![100])
    });
    let (app, inbox) = (world.app(), fixtures::inbox().inbox_id);
    let found = get(&app, &blind(), &inbox, &message_id("<question@example.org>")).await.unwrap();
    assert_eq!(found, fixtures::message(fixtures::message_item()));
    let missing = get(&app, &blind(), &inbox, &message_id("<other@example.org>")).await;
    assert!(matches!(missing, Err(Error::NotFound { resource: Resource::Message, .. })));
    let ids = [message_id("<question@example.org>"), message_id("<other@example.org>")];
    assert_eq!(batch_get(&app, &blind(), &inbox, &ids).await.unwrap().len(), 1, "unknown ids are skipped");
}

#[tokio::test]
async fn message_read_needs_no_inbox_lookup() {
    let (inbox, id) = (fixtures::inbox().inbox_id, message_id("<question@example.org>"));
    let mut there = World::default();
    there.store.expect_inbox().never();
    there.store.expect_message().returning(|_, _, _, _| Ok(Some(fixtures::message(fixtures::message_item()))));
    there.store.expect_list_messages().returning(|_| Ok(Page { items: vec![fixtures::message_item()], next: None }));
    let app = there.app();
    assert!(get(&app, &fixtures::caller(), &inbox, &id).await.is_ok());
    assert!(list(&app, &fixtures::caller(), &inbox, MessageFilter::default()).await.is_ok());

    let mut gone = World::default();
    gone.store.expect_inbox().times(2).returning(|_, _| Ok(None));
    gone.store.expect_message().returning(|_, _, _, _| Ok(None));
    gone.store.expect_list_messages().returning(|_| Ok(Page { items: Vec::new(), next: None }));
    let app = gone.app();
    let refused = get(&app, &fixtures::caller(), &inbox, &id).await.unwrap_err();
    assert!(matches!(refused, Error::NotFound { resource: Resource::Inbox, .. }), "{refused}");
    let refused = list(&app, &fixtures::caller(), &inbox, MessageFilter::default()).await.unwrap_err();
    assert!(matches!(refused, Error::NotFound { resource: Resource::Inbox, .. }), "{refused}");
}

#[tokio::test]
async fn message_in_foreign_pod_is_not_read() {
    let caller = Caller { reach: Reach::Pod(id(41)), ..fixtures::caller() };
    let mut world = world();
    world.store.expect_message().never();
    world.store.expect_list_messages().never();
    let (app, inbox) = (world.app(), fixtures::inbox().inbox_id);
    let refused = get(&app, &caller, &inbox, &message_id("<question@example.org>")).await;
    assert!(matches!(refused, Err(Error::PodOutOfScope)));
    let refused = list(&app, &caller, &inbox, MessageFilter::default()).await;
    assert!(matches!(refused, Err(Error::PodOutOfScope)));
}

#[tokio::test]
async fn batch_get_needs_1_to_500_distinct_ids() {
    let ids = |count: usize| -> Vec<MessageId> {
        (0..count).map(|number| message_id(&format!("<{number}@x.example>"))).collect()
    };
    let mut world = world();
    world.store.expect_body_sizes().once().returning(|_, _, _, _| Ok(Vec::new()));
    world.store.expect_messages().once().returning(|_, _, _, _| Ok(Vec::new()));
    let (app, inbox) = (world.app(), fixtures::inbox().inbox_id);
    assert!(batch_get(&app, &fixtures::caller(), &inbox, &ids(500)).await.is_ok());
    for bad in [ids(0), ids(501), [ids(2), ids(1)].concat()] {
        let refused = batch_get(&app, &fixtures::caller(), &inbox, &bad).await.unwrap_err();
        assert_eq!(paths(refused), ["message_ids"]);
    }
}

#[tokio::test]
async fn too_large_batch_is_refused_before_reading_bodies() {
    let largest = MAX_BODY_BYTES;
    for (sizes, messages, fitting) in [(vec![largest, 1], 2, 1), (vec![1, 1, largest, 0], 4, 2)] {
        let mut world = world();
        let all: u64 = sizes.iter().sum();
        world.store.expect_body_sizes().once().returning(move |_, _, _, _| Ok(sizes.clone()));
        let ids: Vec<MessageId> = (0..4).map(|number| message_id(&format!("<{number}@x.example>"))).collect();
        let refused =
            batch_get(&world.app(), &fixtures::caller(), &fixtures::inbox().inbox_id, &ids).await.unwrap_err();
        let Error::AnswerTooLarge { size, limit, messages: there, fitting: fit } = refused else {
            panic!("{refused}");
        };
        assert_eq!((size, limit, there, fit), (all, largest, messages, fitting));
    }
}

#[tokio::test]
async fn single_message_of_any_size_is_read() {
    let mut world = world();
    world.store.expect_body_sizes().once().returning(|_, _, _, _| Ok(vec![u64::MAX]));
    world.store.expect_messages().once().returning(|_, _, _, _| Ok(vec![fixtures::message(fixtures::message_item())]));
    let ids = [message_id("<question@example.org>")];
    let read = batch_get(&world.app(), &fixtures::caller(), &fixtures::inbox().inbox_id, &ids).await.unwrap();
    assert_eq!(read.len(), 1);
}

const RAW: &[u8] = b"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nhello";

fn source() -> RawSource {
    let parsed = inboxd_mail::parse(RAW);
    let part = parsed.attachments[0].part;
    let attachments = vec![inboxd_core::model::Attachment { part, ..fixtures::attachment(20) }];
    RawSource { item: MessageItem { attachments, ..fixtures::message_item() }, raw: RAW.to_vec() }
}

#[tokio::test]
async fn attachments_are_read_byte_for_byte() {
    let mut world = world();
    world
        .store
        .expect_raw_message()
        .returning(|_, _, message_id, _| Ok(Some(source()).filter(|source| source.item.message_id == *message_id)));
    let (app, caller, inbox) = (world.app(), fixtures::caller(), fixtures::inbox().inbox_id);
    let message = message_id("<question@example.org>");
    let file = attachment(&app, &caller, &inbox, &message, id(20)).await.unwrap();
    assert_eq!((file.content.as_slice(), file.message_id), (&b"hello"[..], message.clone()));
    let other = attachment(&app, &caller, &inbox, &message, id(21)).await;
    assert!(matches!(other, Err(Error::NotFound { resource: Resource::Attachment, .. })));
    let missing = attachment(&app, &caller, &inbox, &message_id("<other@example.org>"), id(20)).await;
    assert!(matches!(missing, Err(Error::NotFound { resource: Resource::Message, .. })));
}

#[tokio::test]
async fn message_read_needs_permission_within_scope() {
    let writer = Caller { permissions: permissions(&["message_send"]), ..fixtures::inbox_caller() };
    let (app, message) = (world().app(), message_id("<question@example.org>"));
    let own = get(&app, &writer, &fixtures::inbox().inbox_id, &message).await;
    assert!(matches!(own, Err(Error::MissingPermission(Permission::MessageRead))));
    let sibling = get(&app, &writer, &inbox_id("other@inboxd.example"), &message).await;
    assert!(matches!(sibling, Err(Error::InboxOutOfScope { .. })));
}
