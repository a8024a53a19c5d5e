use inboxd_core::app::events::{EventFilter, list};
use inboxd_core::model::{Caller, EventType, HidingLabels, InboxId, Page, PageRequest, Permission, Reach};
use inboxd_core::ports::EventQuery;
use inboxd_core::testing::Captured;
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};
use inboxd_core::{Error, Resource};
use time::Duration;

use super::{paths, permissions, world};

/// Returns the store query for this filter.
async fn query(caller: &Caller, filter: EventFilter) -> Result<EventQuery, Error> {
    let mut world = world();
    let asked = Captured::<EventQuery>::default();
    let seen = asked.clone();
    world.store.expect_list_events().times(..=1).returning(move |query| {
        seen.push(query.clone());
        Ok(Page { items: Vec::new(), next: None })
    });
    list(&world.app(), caller, filter).await?;
    Ok(asked.only())
}

#[tokio::test]
async fn default_window_is_the_last_seven_days() {
    let days = Duration::days;
    let now_included = NOW + Duration::MILLISECOND;
    let table = [
        (None, None, now_included - days(7), now_included),
        (Some(NOW - days(30)), None, NOW - days(30), now_included),
        (None, Some(NOW - days(30)), NOW - days(37), NOW - days(30)),
        (Some(NOW - days(2)), Some(NOW - days(1)), NOW - days(2), NOW - days(1)),
    ];
    for (start, end, from, to) in table {
        let asked = query(&fixtures::caller(), EventFilter { start, end, ..EventFilter::default() }).await.unwrap();
        assert_eq!((asked.start, asked.end), (from, to));
    }
}

#[tokio::test]
async fn window_ending_before_its_start_is_refused() {
    let filter = EventFilter { start: Some(NOW), end: Some(NOW - Duration::SECOND), ..EventFilter::default() };
    assert_eq!(paths(query(&fixtures::caller(), filter).await.unwrap_err()), ["start"]);
}

#[tokio::test]
async fn unknown_event_type_is_refused_by_name() {
    let named = |names: &[&str]| EventFilter {
        event_types: names.iter().map(|name| (*name).to_owned()).collect(),
        ..EventFilter::default()
    };
    let asked = query(&fixtures::caller(), named(&["message.sent", "message.bounced"])).await.unwrap();
    assert_eq!(asked.event_types, [EventType::MessageSent, EventType::MessageBounced]);
    for unknown in ["message.read", "label.added", "", "Message.Sent"] {
        let refused = query(&fixtures::caller(), named(&["message.sent", unknown])).await;
        assert!(matches!(refused, Err(Error::UnknownEventType(name)) if name == unknown));
    }
}

#[tokio::test]
async fn event_list_is_limited_to_key_scope() {
    let own: InboxId = fixtures::inbox().inbox_id;
    let pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    let table = [
        (fixtures::caller(), None, None, None),
        (fixtures::caller(), Some(own.clone()), None, Some(own.clone())),
        (pod.clone(), None, Some(id(2)), None),
        (pod, Some(own.clone()), Some(id(2)), Some(own.clone())),
        (fixtures::inbox_caller(), None, None, Some(own.clone())),
        (fixtures::inbox_caller(), Some(own.clone()), None, Some(own.clone())),
    ];
    for (caller, asked, pod_id, inbox_id) in table {
        let query = query(&caller, EventFilter { inbox_id: asked, ..EventFilter::default() }).await.unwrap();
        assert_eq!((query.organization_id, query.pod_id, query.inbox_id), (id(1), pod_id, inbox_id));
    }
}

#[tokio::test]
async fn other_inbox_is_out_of_scope_or_not_found() {
    let other = EventFilter { inbox_id: Some(inbox_id("other@inboxd.example")), ..EventFilter::default() };
    let refused = query(&fixtures::inbox_caller(), other.clone()).await;
    assert!(matches!(refused, Err(Error::InboxOutOfScope { .. })));
    let missing = query(&fixtures::caller(), other).await;
    assert!(matches!(missing, Err(Error::NotFound { resource: Resource::Inbox, .. })));
    let elsewhere = Caller { reach: Reach::Pod(id(99)), ..fixtures::caller() };
    let own = EventFilter { inbox_id: Some(fixtures::inbox().inbox_id), ..EventFilter::default() };
    assert!(matches!(query(&elsewhere, own).await, Err(Error::PodOutOfScope)));
}

#[tokio::test]
async fn event_list_omits_content_without_permission() {
    let blind = Caller { permissions: permissions(&["event_read", "label_spam_read"]), ..fixtures::caller() };
    assert_eq!(query(&blind, EventFilter::default()).await.unwrap().readable, HidingLabels::NONE.with(0));
    let mute = Caller { permissions: permissions(&["message_read"]), ..fixtures::caller() };
    let refused = query(&mute, EventFilter::default()).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::EventRead))));
}

#[tokio::test]
async fn larger_event_page_has_smaller_bodies() {
    for (limit, largest_body) in [(1, 8 * 1024 * 1024), (200, 41_943)] {
        let page = PageRequest { limit, ..PageRequest::default() };
        let asked = query(&fixtures::caller(), EventFilter { page, ..EventFilter::default() }).await.unwrap();
        assert_eq!(asked.largest_body, largest_body);
    }
}
