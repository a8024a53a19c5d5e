//! Events of the feed about changes of calendars.

use crate::model::{CalendarEvent, Event, EventBody, EventId, EventType, PodId, ThreadId};
use crate::rules::calendar::replaced;

/// Builds the event about a change. A message that the calendar event came from is that of the event, so that its content
/// goes with it. For the same reason the replaced values of an earlier message are not part of it.
pub(super) fn notice(
    event_id: EventId,
    event_type: EventType,
    (pod_id, thread_id): (PodId, Option<ThreadId>),
    after: &CalendarEvent,
    before: Option<&CalendarEvent>,
) -> Event {
    let is_whole = after.event_id.original_start.is_none();
    let changed = before.filter(|before| {
        let is_of_same_origin = before.origin_message_id == after.origin_message_id;
        is_whole && is_of_same_origin && event_type == EventType::CalendarEventUpdated
    });
    Event {
        event_id,
        event_type,
        organization_id: after.organization_id,
        pod_id: Some(pod_id),
        inbox_id: Some(after.inbox_id.clone()),
        thread_id,
        message_id: after.origin_message_id.clone(),
        body: EventBody::Calendar {
            calendar_event_id: after.event_id.clone(),
            event: Some(Box::new(after.clone())),
            previous: changed.and_then(|before| replaced(before, after)).map(Box::new),
        },
        created_at: after.updated_at,
        traceparent: None,
    }
}
