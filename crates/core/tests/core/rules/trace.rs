//! Merge of the sources of a trace.

use std::collections::BTreeSet;

use inboxd_core::model::outgoing::SentMessage;
use inboxd_core::model::{
    Cursor, DeliveryAttempt, Direction, PageRequest, TraceEntry, TracePlace, TraceRecord, TraceSegment, TraceSource,
};
use inboxd_core::rules::trace::{merge, page_of};
use inboxd_core::testing::fixtures::{NOW, id, inbox_id, message_id};
use proptest::prelude::*;
use time::Duration;
use uuid::Uuid;

fn entry(place: TracePlace) -> TraceEntry {
    let message = SentMessage {
        pod_id: id(2),
        inbox_id: inbox_id("scout@inboxd.example"),
        thread_id: id(10),
        message_id: message_id("<sent@inboxd.example>"),
    };
    let attempt = DeliveryAttempt {
        organization_id: id(1),
        attempt_id: place.id.into(),
        message,
        attempt: 1,
        results: Vec::new(),
        next_attempt_at: None,
        attempted_at: place.at,
    };
    TraceEntry { place, record: TraceRecord::Delivery(attempt) }
}

fn place(time: i64, source: TraceSource, number: u128) -> TracePlace {
    TracePlace { at: NOW + Duration::milliseconds(time), source, id: Uuid::from_u128(number) }
}

/// Reads a source as storage does: at most `scanned` rows behind the cursor, of which every third is not wanted.
fn read(all: &BTreeSet<TracePlace>, source: TraceSource, page: &PageRequest, scanned: usize) -> TraceSegment {
    let key = |place: &TracePlace| (place.at, place.id);
    let mut rows: Vec<TracePlace> = all.iter().filter(|place| place.source == source).copied().collect();
    let after = page.after.as_ref().map(|cursor| (cursor.time, Uuid::parse_str(&cursor.id).unwrap()));
    match page.direction {
        Direction::Ascending => rows.retain(|row| after.is_none_or(|after| key(row) > after)),
        Direction::Descending => {
            rows.retain(|row| after.is_none_or(|after| key(row) < after));
            rows.reverse();
        }
    }
    rows.truncate(scanned);
    let wanted: Vec<TracePlace> = rows.iter().copied().filter(is_wanted).collect();
    let limit = page.limit as usize;
    if wanted.len() > limit {
        let read_to = Some(wanted[limit]);
        return TraceSegment { entries: wanted[..=limit].iter().copied().map(entry).collect(), read_to };
    }
    let read_to = rows.last().copied().filter(|_| rows.len() == scanned);
    TraceSegment { entries: wanted.into_iter().map(entry).collect(), read_to }
}

fn is_wanted(place: &TracePlace) -> bool {
    !place.id.as_u128().is_multiple_of(3)
}

/// Returns all entries, page by page.
fn walk(all: &BTreeSet<TracePlace>, limit: u32, direction: Direction, scanned: usize) -> Vec<TracePlace> {
    let (mut found, mut after) = (Vec::new(), None::<Cursor>);
    loop {
        let page = PageRequest { limit, after, direction };
        let read = |source| read(all, source, &page_of(&page, source), scanned);
        let page = merge(TraceSource::ALL.map(read).into(), limit, direction);
        assert!(page.items.len() <= limit as usize);
        found.extend(page.items.iter().map(|entry| entry.place));
        match page.next {
            Some(next) => after = Some(next),
            None => return found,
        }
    }
}

proptest! {
    #[test]
    fn pages_contain_each_entry_once_in_order(
        rows in proptest::collection::btree_set((0..6i64, 0..5usize, 1..40u128), 0..40),
        limit in 1..7u32,
        scanned in 1..9usize,
    ) {
        let all: BTreeSet<TracePlace> =
            rows.into_iter().map(|(time, source, number)| place(time, TraceSource::ALL[source], number)).collect();
        let mut expected: Vec<TracePlace> = all.iter().copied().filter(is_wanted).collect();
        prop_assert_eq!(walk(&all, limit, Direction::Ascending, scanned), expected.clone());
        expected.reverse();
        prop_assert_eq!(walk(&all, limit, Direction::Descending, scanned), expected);
    }

    #[test]
    fn cursor_leads_back_to_its_place(time in -1000..1000i64, source in 0..5usize, number in any::<u128>()) {
        let place = place(time, TraceSource::ALL[source], number);
        prop_assert_eq!(TracePlace::of(&place.cursor()), Some(place));
    }
}

#[test]
fn attempt_precedes_event_of_same_time() {
    let all = BTreeSet::from([place(0, TraceSource::Events, 1), place(0, TraceSource::Deliveries, 2)]);
    let sources: Vec<_> = walk(&all, 1, Direction::Ascending, 5).into_iter().map(|place| place.source).collect();
    assert_eq!(sources, [TraceSource::Deliveries, TraceSource::Events]);
}

#[test]
fn cursor_of_another_list_is_no_place() {
    for id in ["", "x", "9:00000000-0000-0000-0000-000000000001", "1:x", "00000000-0000-0000-0000-000000000001"] {
        assert_eq!(TracePlace::of(&Cursor { time: NOW, id: id.to_owned() }), None, "{id}");
    }
}
