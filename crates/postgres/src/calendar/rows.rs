//! Rows of calendars.

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, Timestamptz};
use inboxd_core::model::{CalendarEvent, CalendarSettings, EventAuthority, InboxId, MessageId};
use inboxd_core::ports::StoreError;
use inboxd_mail::{AttendeeStatus, CalendarEntry, EntryTimes};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::json::{StoredJson, from_json};
use crate::schema::{calendar_events, calendar_settings};
use crate::usage::to_count;

/// Columns of [`EventRow`].
pub(super) const EVENT: &str =
    "organization_id, inbox_id, event_id, origin_message_id, content, created_at, updated_at";

/// The same columns, without what an agenda does not show.
pub(super) const DATE: &str = "organization_id, inbox_id, event_id, origin_message_id,
    content #- '{entry,description}' #- '{entry,comment}' #- '{entry,attendees}' #- '{metadata}' AS content,
    created_at, updated_at";

/// Content of an event beside its keys.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredContent {
    pub(super) entry: CalendarEntry,
    pub(super) times: EntryTimes,
    pub(super) authority: EventAuthority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) metadata: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) response: Option<AttendeeStatus>,
    #[serde(default)]
    pub(super) revision: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) request: Option<String>,
}

#[derive(QueryableByName)]
#[diesel(table_name = calendar_events)]
pub(super) struct EventRow {
    organization_id: Uuid,
    inbox_id: String,
    event_id: String,
    origin_message_id: String,
    content: StoredJson,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
}

#[derive(QueryableByName)]
pub(super) struct SummaryRow {
    #[diesel(sql_type = BigInt)]
    pub(super) event_count: i64,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub(super) updated_at: Option<OffsetDateTime>,
}

#[derive(QueryableByName)]
#[diesel(table_name = calendar_settings)]
pub(super) struct SettingsRow {
    timezone: String,
    revision: i64,
    feed_digest: Option<Vec<u8>>,
    updated_at: OffsetDateTime,
}

impl SettingsRow {
    pub(super) fn entity(self) -> CalendarSettings {
        CalendarSettings {
            timezone: self.timezone,
            revision: to_count(self.revision),
            feed: self.feed_digest.and_then(|digest| digest.try_into().ok()),
            updated_at: self.updated_at,
        }
    }
}

impl EventRow {
    pub(super) fn entity(self) -> Result<CalendarEvent, StoreError> {
        let StoredContent { entry, times, authority, metadata, response, revision, request } = from_json(self.content)?;
        let event_id = self.event_id.parse().map_err(|_| StoreError::Failed("unknown event id".to_owned()))?;
        Ok(CalendarEvent {
            organization_id: self.organization_id.into(),
            inbox_id: InboxId::stored(self.inbox_id),
            event_id,
            entry,
            times,
            authority,
            origin_message_id: Some(self.origin_message_id).filter(|id| !id.is_empty()).map(MessageId::stored),
            metadata,
            response,
            revision,
            request,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

pub(super) fn entities(rows: Vec<EventRow>) -> Result<Vec<CalendarEvent>, StoreError> {
    rows.into_iter().map(EventRow::entity).collect()
}
