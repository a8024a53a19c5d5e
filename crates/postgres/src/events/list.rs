//! Lists of events.

use async_trait::async_trait;
use inboxd_core::model::{Event, InboxId, OrganizationId, Page};
use inboxd_core::ports::{EventQuery, EventReads, StoreError, SubmissionKey, WholeEvent};
use uuid::Uuid;

use super::mail::ReadableMail;
use super::rows::{EVENT, EventRow, with_mail};
use super::submissions;
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::sql::Sql;
use crate::store::PgStore;

#[async_trait]
impl EventReads for PgStore {
    async fn list_events(&self, query: &EventQuery) -> Result<Page<WholeEvent>, StoreError> {
        let mut connection = self.connection().await?;
        let after = query.page.after.as_ref();
        let rows = Sql::new(text(query))
            .uuid(query.organization_id.0)
            .time(query.start)
            .time(query.end)
            .big(rows_to_read(query.page.limit))
            .optional_time(after.map(|cursor| cursor.time))
            .uuid(after.map(cursor_uuid).unwrap_or_default())
            .uuid(query.pod_id.map_or_else(Uuid::nil, |pod_id| pod_id.0))
            .optional_text(query.inbox_id.as_ref().map(InboxId::as_str))
            .texts(query.event_types.iter().map(|event_type| event_type.as_str()))
            .texts(query.trust.iter().map(|verdict| verdict.as_str()))
            .rows::<EventRow>(&mut connection)
            .await?;
        let page = Page::of(rows, query.page.limit, EventRow::cursor);
        let found = page.items.into_iter().filter_map(EventRow::readable).collect();
        let readable =
            ReadableMail { with_mail: query.with_mail, hidden: query.readable, largest_body: query.largest_body };
        let items = with_mail(connection, readable, found).await?;
        Ok(Page { items, next: page.next })
    }

    async fn submission_events(
        &self,
        organization_id: OrganizationId,
        submissions: &[SubmissionKey],
    ) -> Result<Vec<Option<Event>>, StoreError> {
        submissions::read(self, organization_id, submissions).await
    }
}

fn text(query: &EventQuery) -> String {
    format!(
        "SELECT {EVENT} FROM events e
        WHERE organization_id = $1 AND created_at >= $2 AND created_at < $3 {behind} {of_pod} {of_inbox} {of_types}
            {of_trust}
        ORDER BY created_at {sort}, event_id {sort} LIMIT $4",
        behind = behind_cursor(&query.page, "created_at, event_id", "$5, $6"),
        of_pod = if query.pod_id.is_some() { "AND pod_id = $7" } else { "" },
        of_inbox = if query.inbox_id.is_some() { "AND inbox_id = $8" } else { "" },
        of_types = if query.event_types.is_empty() { "" } else { "AND event_type = ANY($9)" },
        of_trust = if query.trust.is_empty() {
            ""
        } else {
            "AND (event_type NOT LIKE 'message.received%' OR body ->> 'verdict' = ANY($10))"
        },
        sort = KeysetOrder::of(query.page.direction).sort,
    )
}
