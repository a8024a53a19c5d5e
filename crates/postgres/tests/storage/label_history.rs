use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{Actor, HidingLabels, LabelEvent, LabelEventType, Page};
use inboxd_core::ports::{LabelEventQuery, LabelHistoryReads};
use uuid::Uuid;

use crate::support::*;

fn event(world: &World, number: u32, message: i64) -> LabelEvent {
    LabelEvent {
        event_id: Uuid::from_u128(number.into()).into(),
        event_type: if number.is_multiple_of(2) { LabelEventType::Added } else { LabelEventType::Removed },
        organization_id: world.organization_id(),
        pod_id: world.inbox.pod_id,
        inbox_id: world.inbox_id().clone(),
        message_id: message_id(&message.to_string()),
        label: format!("label {number}"),
        actor: Actor::ApiKey { api_key_id: Uuid::from_u128(1).into(), name: "key".to_owned() },
        event_at: at(i64::from(number / 4)),
    }
}

async fn append(world: &World, events: &[LabelEvent]) {
    append_within(world, events, 50_000).await;
}

async fn append_within(world: &World, events: &[LabelEvent], limit: u64) {
    let mut tx = world.begin().await;
    tx.label_history().append(events, limit).await.unwrap();
    tx.commit().await.unwrap();
}

fn query(world: &World) -> LabelEventQuery {
    LabelEventQuery {
        organization_id: world.organization_id(),
        inbox_id: world.inbox_id().clone(),
        readable: HidingLabels::ALL,
        page: PageRequest::default(),
    }
}

async fn list(world: &World, query: &LabelEventQuery) -> Page<LabelEvent> {
    world.store.list_label_events(query).await.unwrap()
}

/// Returns all events that a reader sees, page by page.
async fn walk(world: &World, mut query: LabelEventQuery) -> Vec<LabelEvent> {
    let mut found = Vec::new();
    loop {
        let page = list(world, &query).await;
        found.extend(page.items);
        match page.next {
            Some(next) => query.page.after = Some(next),
            None => return found,
        }
    }
}

#[tokio::test]
async fn label_history_survives_round_trip_in_both_directions() {
    let world = world().await;
    let events: Vec<LabelEvent> = (0..10).map(|number| event(&world, number, 1)).collect();
    append(&world, &events).await;
    append(&world, &[]).await;
    for limit in [1, 3, 10, 50] {
        let page = PageRequest { limit, direction: Direction::Ascending, after: None };
        assert_eq!(walk(&world, LabelEventQuery { page, ..query(&world) }).await, events);
        let page = PageRequest { limit, ..PageRequest::default() };
        let mut newest_first = walk(&world, LabelEventQuery { page, ..query(&world) }).await;
        newest_first.reverse();
        assert_eq!(newest_first, events);
    }
    let other = inbox(&world.organization, "other@agents.example");
    let elsewhere = LabelEventQuery { inbox_id: other.inbox_id, ..query(&world) };
    assert_eq!(list(&world, &elsewhere).await.items, []);
}

#[tokio::test]
async fn label_history_omits_hidden_mail() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    world.deliver(&world.labelled(2, &["received", "spam"])).await;
    world.deliver(&world.labelled(3, &["received", "spam", "trash"])).await;
    // Only the history of message 4 remains.
    let events: Vec<LabelEvent> = (1..=8).map(|number| event(&world, number, i64::from(number - 1) % 4 + 1)).collect();
    append(&world, &events).await;
    let spam = HidingLabels::NONE.with(0);
    let table = [(HidingLabels::ALL, vec![1, 2, 3, 4]), (HidingLabels::NONE, vec![1]), (spam, vec![1, 2])];
    for (readable, messages) in table {
        for limit in [1, 2, 50] {
            let page = PageRequest { limit, direction: Direction::Ascending, after: None };
            let found = walk(&world, LabelEventQuery { readable, page, ..query(&world) }).await;
            let is_seen = |event: &&LabelEvent| {
                messages.iter().any(|number| event.message_id == message_id(&i64::to_string(number)))
            };
            assert_eq!(found, events.iter().filter(is_seen).cloned().collect::<Vec<_>>(), "{readable:?} by {limit}");
        }
    }
}

#[tokio::test]
async fn sparse_page_continues_at_scan_position() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    world.deliver(&world.labelled(2, &["received", "spam"])).await;
    let events: Vec<LabelEvent> =
        (0..12_000).map(|number| event(&world, number, if number % 11_999 == 0 { 1 } else { 2 })).collect();
    append(&world, &events).await;
    for direction in [Direction::Ascending, Direction::Descending] {
        let page = PageRequest { direction, ..PageRequest::default() };
        let query = LabelEventQuery { readable: HidingLabels::NONE, page, ..query(&world) };
        let first = list(&world, &query).await;
        assert_eq!(first.items.len(), 1);
        assert!(first.next.is_some());
        let found: Vec<LabelEvent> = walk(&world, query).await;
        assert_eq!(found.len(), 2);
        assert!(found.contains(&events[0]) && found.contains(&events[11_999]));
    }
}

#[tokio::test]
async fn history_beyond_limit_loses_oldest_events() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    let other = inbox(&world.organization, "other@agents.example");
    add_inbox(&world.store, &other).await;
    let kept = LabelEvent { inbox_id: other.inbox_id.clone(), ..event(&world, 0, 1) };
    append(&world, std::slice::from_ref(&kept)).await;
    let events: Vec<LabelEvent> = (1..=300).map(|number| event(&world, number, 1)).collect();
    for events in events.chunks(10) {
        append_within(&world, events, 50).await;
    }
    let page = PageRequest { direction: Direction::Ascending, ..PageRequest::default() };
    assert_eq!(walk(&world, LabelEventQuery { page, ..query(&world) }).await, events[250..]);
    let elsewhere = LabelEventQuery { inbox_id: other.inbox_id, ..query(&world) };
    assert_eq!(list(&world, &elsewhere).await.items, [kept]);
}

#[tokio::test]
async fn history_of_deleted_inbox_is_purged_in_batches() {
    let world = world().await;
    let other = inbox(&world.organization, "other@agents.example");
    add_inbox(&world.store, &other).await;
    world.deliver(&world.mail(1)).await;
    let events: Vec<LabelEvent> = (0..5).map(|number| event(&world, number, 1)).collect();
    append(&world, &events).await;
    let kept = LabelEvent { inbox_id: other.inbox_id.clone(), ..event(&world, 9, 1) };
    append(&world, std::slice::from_ref(&kept)).await;
    delete_inbox(&world.store, &world.inbox).await;
    for (limit, removed, left) in [(3, 3, 3), (3, 3, 0), (3, 0, 0)] {
        let mut tx = world.begin().await;
        assert_eq!(tx.inboxes().purge_deleted(limit).await.unwrap(), removed);
        tx.commit().await.unwrap();
        assert_eq!(list(&world, &query(&world)).await.items.len(), left);
    }
    let elsewhere = LabelEventQuery { inbox_id: other.inbox_id, ..query(&world) };
    assert_eq!(list(&world, &elsewhere).await.items, [kept]);
}
