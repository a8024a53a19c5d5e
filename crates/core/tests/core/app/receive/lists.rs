//! Effect of lists on inbound mail.

use inboxd_core::app::receive;
use inboxd_core::model::{EventType, ListDirection, ListExcerpt, ListKey, ListLevel, ListType};
use inboxd_core::ports::{KnownMessage, OnArrival};
use inboxd_core::testing::fixtures::{id, inbox_id, message_id};

use super::{ANSWER, FRESH, Stored, expect_storing_on, incoming, known, raw, world};

fn excerpt(level: ListLevel, direction: ListDirection, list_type: ListType, entries: &[&str]) -> ListExcerpt {
    ListExcerpt {
        list: ListKey { organization_id: id(1), level, direction, list_type },
        entries: entries.iter().map(|&entry| entry.to_owned()).collect(),
        authenticated: std::collections::BTreeSet::new(),
    }
}

fn listing(excerpts: Vec<ListExcerpt>) -> OnArrival {
    OnArrival { excerpts, ..OnArrival::default() }
}

/// Returns labels and event type of each stored copy by inbox.
fn outcome(stored: &Stored) -> Vec<(String, Vec<String>, EventType)> {
    let events = stored.events.only();
    let copies = stored.messages.all().into_iter().zip(events);
    let of = |(new, event): (inboxd_core::model::NewMessage, inboxd_core::model::Event)| {
        let item = new.message.item;
        assert_eq!(event.inbox_id.as_ref(), Some(&item.inbox_id));
        (item.inbox_id.to_string(), item.labels.to_vec(), event.event_type)
    };
    copies.map(of).collect()
}

#[tokio::test]
async fn mail_to_two_inboxes_can_be_blocked_in_one() {
    let level = ListLevel::Inbox { pod_id: id(2), inbox_id: inbox_id("other@inboxd.example") };
    let list = excerpt(level, ListDirection::Receive, ListType::Block, &["example.org"]);
    let mut world = world();
    let stored = expect_storing_on(world.unit_of_work(), listing(vec![list]));
    let mail = incoming(&["scout@inboxd.example", "other@inboxd.example"], raw(FRESH));
    receive(&world.app(), mail).await.unwrap();
    let texts = |labels: &[&str]| labels.iter().map(|&label| label.to_owned()).collect::<Vec<_>>();
    assert_eq!(
        outcome(&stored),
        [
            (
                "other@inboxd.example".to_owned(),
                texts(&["blocked", "received", "unread"]),
                EventType::MessageReceivedBlocked
            ),
            ("scout@inboxd.example".to_owned(), texts(&["received", "unread"]), EventType::MessageReceived),
        ]
    );
}

#[tokio::test]
async fn list_entries_of_all_levels_are_read_in_one_query() {
    let mut world = world();
    let tx = world.unit_of_work();
    tx.mail.expect_insert().once().returning(|_| Ok(()));
    tx.inbound.expect_look_up().once().returning(|query| {
        assert_eq!(query.lists.levels.len(), 7, "two organizations, two pods, three inboxes: {query:?}");
        assert_eq!(query.lists.directions, [ListDirection::Receive, ListDirection::Reply]);
        assert_eq!(query.lists.names, ["anna@example.org", "example.org", "org"]);
        Ok(OnArrival { held: query.inboxes.clone(), ..OnArrival::default() })
    });
    let to = ["scout@inboxd.example", "other@inboxd.example", "far@inboxd.example"];
    receive(&world.app(), incoming(&to, raw(FRESH))).await.unwrap();
}

#[tokio::test]
async fn reply_to_own_mail_is_distinguished_from_false_reference() {
    for (was_sent, labels) in [(true, "received unread"), (false, "blocked received unread")] {
        let list = excerpt(ListLevel::Organization, ListDirection::Receive, ListType::Allow, &[]);
        let mut world = world();
        let question = KnownMessage { message_id: message_id("<oldest@example.org>"), was_sent, ..known(None) };
        let found = OnArrival { known: vec![question], ..listing(vec![list]) };
        let tx = world.unit_of_work();
        tx.threads.expect_lock_across().once().returning(|_| Ok(Vec::new()));
        let stored = expect_storing_on(tx, found);
        receive(&world.app(), incoming(&["scout@inboxd.example"], raw(ANSWER))).await.unwrap();
        assert_eq!(stored.messages.only().message.item.labels.to_vec().join(" "), labels);
    }
}

#[tokio::test]
async fn lists_of_other_organization_are_ignored() {
    let mut list = excerpt(ListLevel::Organization, ListDirection::Receive, ListType::Block, &["example.org"]);
    list.list.organization_id = id(100);
    let mut world = world();
    let stored = expect_storing_on(world.unit_of_work(), listing(vec![list]));
    receive(&world.app(), incoming(&["scout@inboxd.example"], raw(FRESH))).await.unwrap();
    assert_eq!(stored.messages.only().message.item.labels.to_vec(), ["received", "unread"]);
}
