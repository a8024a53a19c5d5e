//! Detection of first reads.

use inboxd_core::model::{Actor, FirstRead, ReadPart, ReaderId};
use inboxd_core::rules::reads::{MAX_PENDING, ReadLedger};
use inboxd_core::testing::fixtures::{NOW, id, inbox_id, message_id};

fn is_new(ledger: &mut ReadLedger, number: usize, reader: ReaderId) -> bool {
    let (inbox, message) = (inbox_id("scout@inboxd.example"), message_id(&format!("<{number}@example.org>")));
    ledger.is_new((id(1), &inbox, &message), reader)
}

#[test]
fn pair_of_message_and_reader_is_new_once() {
    let mut ledger = ReadLedger::default();
    let readers =
        [ReaderId::ApiKey(id(1)), ReaderId::Member(id(1)), ReaderId::Connection(id(1)), ReaderId::ApiKey(id(2))];
    for number in 0..2 {
        for reader in readers {
            assert!(is_new(&mut ledger, number, reader));
            assert!(!is_new(&mut ledger, number, reader));
        }
    }
    let other = inbox_id("other@inboxd.example");
    assert!(ledger.is_new((id(1), &other, &message_id("<0@example.org>")), readers[0]));
    assert!(ledger.is_new((id(2), &other, &message_id("<0@example.org>")), readers[0]));
}

#[test]
fn known_reads_have_bounded_memory() {
    let mut ledger = ReadLedger::default();
    let key = ReaderId::ApiKey(id(1));
    assert!((0..60_000).all(|number| is_new(&mut ledger, number, key)));
    assert!(!is_new(&mut ledger, 59_999, key), "the newest are known");
    assert!(is_new(&mut ledger, 0, key), "the oldest are forgotten");
}

#[test]
fn reader_is_connection_member_or_key() {
    let member = |connection_id| Actor::Member {
        member_id: id(1),
        name: "Anna".to_owned(),
        email: "anna@example.org".to_owned(),
        connection_id,
    };
    assert_eq!(ReaderId::of(&member(None)), ReaderId::Member(id(1)));
    assert_eq!(ReaderId::of(&member(Some(id(2)))), ReaderId::Connection(id(2)));
    let key = Actor::ApiKey { api_key_id: id(3), name: "key".to_owned() };
    assert_eq!(ReaderId::of(&key), ReaderId::ApiKey(id(3)));
    assert_eq!(ReaderId::of(&key).to_string(), "key_00000000000000000000000000000003");
}

#[test]
fn reads_beyond_bound_are_dropped_and_counted() {
    let mut ledger = ReadLedger::default();
    for number in 0..MAX_PENDING + 2 {
        ledger.add(FirstRead {
            read_id: id(number as u128),
            organization_id: id(1),
            inbox_id: inbox_id("scout@inboxd.example"),
            message_id: message_id("<1@example.org>"),
            reader: Actor::ApiKey { api_key_id: id(3), name: "key".to_owned() },
            part: ReadPart::Message,
            read_at: NOW,
        });
    }
    assert_eq!((ledger.take().len(), ledger.take_dropped()), (MAX_PENDING, 2));
    assert_eq!((ledger.take().len(), ledger.take_dropped()), (0, 0));
}
