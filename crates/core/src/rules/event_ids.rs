//! Order of the events of one unit of work.
//!
//! The feed orders events by their ids, and ids of one millisecond are random. Events are listed in the order in which
//! clients should see them, such as the receipt of a message before the result of its check.

use std::collections::BTreeMap;

use time::OffsetDateTime;

use crate::model::{Event, EventId};

/// Exchanges the ids of events of one time, so that the ids ascend in the order of the list.
pub(crate) fn ascend(events: &mut [Event]) {
    let mut ids: BTreeMap<OffsetDateTime, Vec<EventId>> = BTreeMap::new();
    for event in &*events {
        ids.entry(event.event_id.made_at()).or_default().push(event.event_id);
    }
    for of_time in ids.values_mut() {
        of_time.sort_unstable_by(|one, other| other.cmp(one));
    }
    for event in events {
        if let Some(lowest) = ids.get_mut(&event.event_id.made_at()).and_then(Vec::pop) {
            event.event_id = lowest;
        }
    }
}

#[cfg(test)]
mod tests {
    use time::Duration;
    use uuid::Uuid;

    use super::*;
    use crate::model::{EventBody, EventType, OrganizationId};
    use crate::testing::fixtures::NOW;

    /// Returns an event with the id of a time in milliseconds from now, and a last byte.
    fn made(milliseconds: i64, last: u8) -> Event {
        let millis = (NOW + Duration::milliseconds(milliseconds)).unix_timestamp_nanos() / 1_000_000;
        let bytes = [0, 0, 0, 0, 0, 0, 0, 0, 0, last];
        let id = uuid::Builder::from_unix_timestamp_millis(u64::try_from(millis).unwrap_or(0), &bytes).into_uuid();
        Event {
            event_id: EventId(id),
            event_type: EventType::MessageReceived,
            organization_id: OrganizationId(Uuid::nil()),
            pod_id: None,
            inbox_id: None,
            thread_id: None,
            message_id: None,
            body: EventBody::Received { verdict: None },
            created_at: NOW,
            traceparent: None,
        }
    }

    #[test]
    fn ids_of_one_time_ascend_in_the_order_of_the_list() {
        let mut events = [made(0, 9), made(5, 7), made(0, 1), made(5, 3), made(0, 5)];
        ascend(&mut events);
        let expected = [made(0, 1), made(5, 3), made(0, 5), made(5, 7), made(0, 9)];
        let ids = |events: &[Event]| events.iter().map(|event| event.event_id.0).collect::<Vec<Uuid>>();
        assert_eq!(ids(&events), ids(&expected));
    }
}
