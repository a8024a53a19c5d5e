//! Statement that appends events, the last part of the commit batch.

use inboxd_core::model::{Event, InboxId, MessageId};
use inboxd_core::ports::StoreError;

use crate::array_params::Values::{Json, OptionalComputedText, OptionalText, OptionalUuid, Text, Time, Uuid};
use crate::array_params::{Column, names, unnest_rows};
use crate::cte::CteFragment;
use crate::feed::sequence::PLACES;
use crate::json::to_json;
use crate::sql::Sql;

/// Columns of a new row of `events`.
const EVENT: &[Column<Event>] = &[
    ("organization_id", Uuid(|event| event.organization_id.0)),
    ("created_at", Time(|event| event.created_at)),
    ("event_id", Uuid(|event| event.event_id.0)),
    ("event_type", Text(|event| event.event_type.as_str())),
    ("pod_id", OptionalUuid(|event| event.pod_id.map(|id| id.0))),
    ("inbox_id", OptionalText(|event| event.inbox_id.as_ref().map(InboxId::as_str))),
    ("thread_id", OptionalUuid(|event| event.thread_id.map(|id| id.0))),
    ("message_id", OptionalText(|event| event.message_id.as_ref().map(MessageId::as_str))),
    ("body", Json(|event| to_json(&event.body))),
    ("traceparent", OptionalComputedText(|event| event.traceparent.map(|context| context.to_string()))),
];

/// Inserts events and, if possible, assigns their positions in the same statement; the commit follows at once.
pub(crate) fn insert_events() -> CteFragment {
    let tables = format!(
        "appended AS (
            INSERT INTO events ({}) {}
            RETURNING organization_id, event_id, created_at, event_type, pod_id, inbox_id, body ->> 'verdict' AS verdict
        ), {}",
        names(EVENT),
        unnest_rows(EVENT),
        PLACES.as_str()
    );
    CteFragment { tables, counted: "appended" }
}

/// Binds events.
pub(crate) fn bind<'a>(statement: Sql<'a>, events: &'a [Event]) -> Result<Sql<'a>, StoreError> {
    statement.bind_rows(EVENT, events)
}
