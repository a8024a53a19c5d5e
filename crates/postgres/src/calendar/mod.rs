//! Events of the calendars of inboxes.

mod moments;
mod rows;

use async_trait::async_trait;
use diesel::sql_types::{Binary, Nullable};
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{
    CalendarEvent, CalendarEventId, CalendarSettings, CalendarSummary, DatedEventId, InboxId, MessageId,
    OrganizationId, Page, PageRequest,
};
use inboxd_core::ports::{CalendarReads, CalendarWrites, DueMoment, StoreError};
use inboxd_core::rules::calendar_moments::EventSchedule;
use time::OffsetDateTime;

use self::rows::{DATE, EVENT, EventRow, SettingsRow, StoredContent, SummaryRow, entities};
use crate::json::to_json;
use crate::keyset::{KeysetOrder, behind_cursor, rows_to_read};
use crate::scalar_rows::CountRow;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;
use crate::usage::to_count;

fn place(event: &CalendarEvent) -> Cursor {
    Cursor { time: event.updated_at, id: event.event_id.to_string() }
}

#[async_trait]
impl CalendarReads for PgStore {
    async fn calendar_summary(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
    ) -> Result<CalendarSummary, StoreError> {
        let text = "SELECT count(*) FILTER (WHERE original_start = '') AS event_count, max(updated_at) AS updated_at
            FROM calendar_events WHERE organization_id = $1 AND inbox_id = $2";
        let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str());
        let mut connection = self.connection().await?;
        let row = statement.row::<SummaryRow>(&mut connection).await?;
        let settings = settings("", organization_id, inbox_id).row::<SettingsRow>(&mut connection).await?;
        Ok(CalendarSummary {
            event_count: row.as_ref().map_or(0, |row| to_count(row.event_count)),
            updated_at: row.and_then(|row| row.updated_at),
            settings: settings.map(SettingsRow::entity),
        })
    }

    async fn list_calendar_events(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        page: &PageRequest,
    ) -> Result<Page<CalendarEvent>, StoreError> {
        let text = format!(
            "SELECT {EVENT} FROM calendar_events
            WHERE organization_id = $1 AND inbox_id = $2 {behind}
            ORDER BY updated_at {sort}, event_id {sort} LIMIT $3",
            behind = behind_cursor(page, "updated_at, event_id", "$4, $5"),
            sort = KeysetOrder::of(page.direction).sort,
        );
        let after = page.after.as_ref();
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .big(rows_to_read(page.limit))
            .optional_time(after.map(|cursor| cursor.time))
            .optional_text(after.map(|cursor| cursor.id.as_str()))
            .rows::<EventRow>(&mut *self.connection().await?)
            .await?;
        Ok(Page::of(entities(rows)?, page.limit, place))
    }

    async fn calendar_events_between(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        after: OffsetDateTime,
        before: OffsetDateTime,
    ) -> Result<Vec<CalendarEvent>, StoreError> {
        // A changed date also hides the date that its recurrence gives, wherever it moved.
        let text = format!(
            "SELECT {DATE} FROM calendar_events
            WHERE organization_id = $1 AND inbox_id = $2
                AND ((ends_at >= $3 AND starts_at < $4) OR original_start <> '')"
        );
        let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).time(after).time(before);
        entities(statement.rows::<EventRow>(&mut *self.connection().await?).await?)
    }

    async fn calendar_series(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        event_id: CalendarEventId,
    ) -> Result<Vec<CalendarEvent>, StoreError> {
        // The id of an event begins those of its dates.
        let text = format!(
            "SELECT {DATE} FROM calendar_events
            WHERE organization_id = $1 AND inbox_id = $2 AND event_id >= $3 AND event_id < $3 || '`'
            ORDER BY event_id"
        );
        let id = event_id.to_string();
        let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).text(&id);
        entities(statement.rows::<EventRow>(&mut *self.connection().await?).await?)
    }

    async fn calendar_event(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        id: &DatedEventId,
    ) -> Result<Vec<CalendarEvent>, StoreError> {
        let text = format!(
            "SELECT {EVENT} FROM calendar_events
            WHERE organization_id = $1 AND inbox_id = $2 AND event_id = ANY($3::text[])
            ORDER BY event_id"
        );
        let ids = [id.event_id.to_string(), id.to_string()];
        let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str());
        let statement = statement.texts(ids.iter().map(String::as_str));
        entities(statement.rows::<EventRow>(&mut *self.connection().await?).await?)
    }

    async fn calendar_event_of_client(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        client_key: &str,
    ) -> Result<Option<CalendarEvent>, StoreError> {
        let text = format!(
            "SELECT {EVENT} FROM calendar_events WHERE organization_id = $1 AND inbox_id = $2 AND client_key = $3"
        );
        let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).text(client_key);
        statement.row::<EventRow>(&mut *self.connection().await?).await?.map(EventRow::entity).transpose()
    }

    async fn calendar_events_of_uid(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        uid: &str,
    ) -> Result<Vec<CalendarEvent>, StoreError> {
        let statement = of_uid("", organization_id, inbox_id, uid);
        entities(statement.rows::<EventRow>(&mut *self.connection().await?).await?)
    }

    async fn due_calendar_moments(&self, now: OffsetDateTime, limit: u32) -> Result<Vec<DueMoment>, StoreError> {
        moments::due(self, now, limit).await
    }
}

/// Selects the event with an identifier and its changed dates.
fn of_uid<'a>(lock: &str, organization_id: OrganizationId, inbox_id: &'a InboxId, uid: &'a str) -> Sql<'a> {
    let text = format!(
        "SELECT {EVENT} FROM calendar_events
        WHERE organization_id = $1 AND inbox_id = $2 AND uid = $3
        ORDER BY original_start {lock}"
    );
    Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).text(uid)
}

/// Selects the settings of a calendar.
fn settings<'a>(lock: &str, organization_id: OrganizationId, inbox_id: &'a InboxId) -> Sql<'a> {
    let text = format!(
        "SELECT timezone, revision, feed_digest, updated_at FROM calendar_settings
        WHERE organization_id = $1 AND inbox_id = $2 {lock}"
    );
    Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str())
}

/// Stores an event and returns the number of written rows; `conflict` decides about one that is there.
async fn insert(
    tx: &mut PgTx,
    event: &CalendarEvent,
    client_key: Option<&str>,
    schedule: EventSchedule,
    conflict: &str,
) -> Result<usize, StoreError> {
    let text = format!(
        "INSERT INTO calendar_events (organization_id, inbox_id, event_id, series_id, uid, original_start,
            origin_message_id, content, starts_at, ends_at, created_at, updated_at, client_key, next_moment_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, 'infinity'::timestamptz), $11, $12, $13, $14)
        ON CONFLICT {conflict}"
    );
    let CalendarEvent { entry, times, authority, metadata, response, revision, request, .. } = event.clone();
    let starts_at = times.start_at.and_then(|start| OffsetDateTime::from_unix_timestamp(start).ok());
    let content = StoredContent { entry, times, authority, metadata, response, revision, request };
    Sql::new(text)
        .uuid(event.organization_id.0)
        .text(event.inbox_id.as_str())
        .text(&event.event_id.to_string())
        .uuid(event.event_id.event_id.0)
        .text(&event.entry.uid)
        .text(event.event_id.original_start.as_deref().unwrap_or_default())
        .text(event.origin_message_id.as_ref().map(MessageId::as_str).unwrap_or_default())
        .json(to_json(&content)?)
        .time(starts_at.unwrap_or(event.created_at))
        .optional_time(schedule.ends_at)
        .time(event.created_at)
        .time(event.updated_at)
        .optional_text(client_key)
        .optional_time(schedule.next_moment_at)
        .run(tx.connection().await?)
        .await
}

/// Deletes the dates of an event (`>`), or the event with its dates (`>=`): its id begins those of its dates.
async fn delete_from(
    tx: &mut PgTx,
    comparison: &str,
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    event_id: CalendarEventId,
) -> Result<(), StoreError> {
    let text = format!(
        "DELETE FROM calendar_events
        WHERE organization_id = $1 AND inbox_id = $2 AND event_id {comparison} $3 AND event_id < $3 || '`'"
    );
    let id = event_id.to_string();
    let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).text(&id);
    statement.run(tx.connection().await?).await?;
    Ok(())
}

#[async_trait]
impl CalendarWrites for PgTx {
    async fn lock_uid(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        uid: &str,
    ) -> Result<Vec<CalendarEvent>, StoreError> {
        let connection = self.connection().await?;
        let locked = of_uid("FOR UPDATE", organization_id, inbox_id, uid).rows::<EventRow>(connection).await?;
        if locked.is_empty() {
            return Ok(Vec::new());
        }
        // The lock may have waited for a change whose new dates the snapshot of its statement lacks.
        entities(of_uid("", organization_id, inbox_id, uid).rows::<EventRow>(connection).await?)
    }

    async fn count(&mut self, organization_id: OrganizationId, inbox_id: &InboxId) -> Result<u64, StoreError> {
        let text = "SELECT count(*) AS count FROM calendar_events WHERE organization_id = $1 AND inbox_id = $2";
        let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str());
        Ok(statement.row::<CountRow>(self.connection().await?).await?.map_or(0, |row| to_count(row.count)))
    }

    async fn create(
        &mut self,
        event: &CalendarEvent,
        client_key: Option<String>,
        schedule: EventSchedule,
    ) -> Result<bool, StoreError> {
        Ok(insert(self, event, client_key.as_deref(), schedule, "DO NOTHING").await? > 0)
    }

    async fn store(&mut self, event: &CalendarEvent, schedule: EventSchedule) -> Result<(), StoreError> {
        // Another unit of work that stored the event first keeps its id.
        let replace = "(organization_id, inbox_id, uid, original_start) DO UPDATE SET
                origin_message_id = excluded.origin_message_id, content = excluded.content,
                starts_at = excluded.starts_at, ends_at = excluded.ends_at, updated_at = excluded.updated_at,
                next_moment_at = least(excluded.next_moment_at, CASE
                    WHEN calendar_events.next_moment_at <= excluded.updated_at THEN calendar_events.next_moment_at
                END)";
        insert(self, event, None, schedule, replace).await?;
        Ok(())
    }

    async fn next_moment(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        uid: &str,
    ) -> Result<Option<OffsetDateTime>, StoreError> {
        moments::next(self, organization_id, inbox_id, uid).await
    }

    async fn set_moments(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        moments: &[(DatedEventId, Option<OffsetDateTime>)],
    ) -> Result<(), StoreError> {
        moments::set(self, organization_id, inbox_id, moments).await
    }

    async fn postpone_moment(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        uid: &str,
        until: OffsetDateTime,
    ) -> Result<(), StoreError> {
        moments::postpone(self, organization_id, inbox_id, uid, until).await
    }

    async fn delete_dates(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        event_id: CalendarEventId,
    ) -> Result<(), StoreError> {
        delete_from(self, ">", organization_id, inbox_id, event_id).await
    }

    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        event_id: CalendarEventId,
    ) -> Result<(), StoreError> {
        delete_from(self, ">=", organization_id, inbox_id, event_id).await
    }

    async fn lock_settings(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
    ) -> Result<Option<CalendarSettings>, StoreError> {
        let statement = settings("FOR UPDATE", organization_id, inbox_id);
        Ok(statement.row::<SettingsRow>(self.connection().await?).await?.map(SettingsRow::entity))
    }

    async fn store_settings(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        settings: &CalendarSettings,
    ) -> Result<(), StoreError> {
        let text = "INSERT INTO calendar_settings (organization_id, inbox_id, timezone, revision, updated_at, feed_digest)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (organization_id, inbox_id) DO UPDATE SET
                timezone = excluded.timezone, feed_digest = excluded.feed_digest, revision = calendar_settings.revision + 1,
                updated_at = excluded.updated_at";
        let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).text(&settings.timezone);
        let revision = i64::try_from(settings.revision).unwrap_or(i64::MAX);
        let digest = settings.feed.map(Vec::from);
        let statement = statement.big(revision).time(settings.updated_at).bind::<Nullable<Binary>, _>(digest);
        statement.run(self.connection().await?).await?;
        Ok(())
    }

    async fn close_feeds(&mut self, organization_id: OrganizationId) -> Result<(), StoreError> {
        let text = "UPDATE calendar_settings SET feed_digest = NULL, revision = revision + 1
            WHERE organization_id = $1 AND feed_digest IS NOT NULL";
        Sql::new(text).uuid(organization_id.0).run(self.connection().await?).await?;
        Ok(())
    }
}
