//! Sequencing of events and their publication to subscribers.

use inboxd_core::app::feed::{events_of, sequence};
use inboxd_core::model::event::EventRecord;
use inboxd_core::model::feed::FeedPosition;
use inboxd_core::model::{Event, EventBody, EventType};
use inboxd_core::ports::{EventKey, Placed, Sequenced, WholeEvent};
use inboxd_core::testing::fixtures::{NOW, id};
use inboxd_core::testing::{Captured, Happened, World};

fn placed(number: i64) -> Placed {
    let event_id = id(number.unsigned_abs().into());
    let event = EventKey { organization_id: id(1), created_at: NOW, event_id };
    Placed { place: FeedPosition { at: NOW, position: number }, event }
}

fn sequenced(organization: u128, placed: Vec<Placed>, is_more: bool) -> Sequenced {
    Sequenced { organization_id: id(organization), placed, has_deliveries: false, is_more }
}

#[tokio::test]
async fn events_are_sequenced_and_published_until_none_is_pending() {
    let mut world = World::default();
    let asked = Captured::default();
    let seen = asked.clone();
    world.store.expect_sequence().times(3).returning(move |organizations, now| {
        assert_eq!(now, NOW);
        seen.push(organizations.to_vec());
        Ok(match seen.all().len() {
            1 => vec![sequenced(1, vec![placed(1)], true), sequenced(2, vec![placed(1)], false)],
            // Another process was faster.
            2 => vec![sequenced(1, vec![], true)],
            _ => vec![],
        })
    });
    let journal = world.journal.clone();
    sequence(&world.app(), &[id(1), id(2), id(3)]).await.unwrap();
    assert_eq!(asked.all(), [vec![id(1), id(2), id(3)], vec![id(1)], vec![id(1)]]);
    assert_eq!(journal.entries(), [Happened::Placed, Happened::Placed], "an empty batch is not published");
}

#[tokio::test]
async fn published_events_are_read_in_order_of_position() {
    let mut world = World::default();
    world.store.expect_whole_events().once().returning(|keys, _| {
        // The second event has expired; the others arrive in any order.
        let kept = keys.iter().rev().filter(|key| key.event_id != id(2));
        let whole = |key: &EventKey| {
            let event = Event {
                event_id: key.event_id,
                event_type: EventType::MessageSent,
                organization_id: key.organization_id,
                pod_id: None,
                inbox_id: None,
                thread_id: None,
                message_id: None,
                body: EventBody::Send { recipients: vec![] },
                created_at: key.created_at,
                traceparent: None,
            };
            WholeEvent { record: EventRecord { event, mail: None }, left_out: vec![] }
        };
        Ok(kept.map(whole).collect())
    });
    let page = events_of(&world.app(), &[placed(1), placed(2), placed(3)]).await.unwrap();
    let read: Vec<_> = page.events.iter().map(|(place, event)| (*place, event.record.event.event_id)).collect();
    assert_eq!(read, [(placed(1).place, id(1)), (placed(3).place, id(3))]);
    assert_eq!((page.place, page.is_end), (placed(3).place, true));
}
