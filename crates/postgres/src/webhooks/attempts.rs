//! Log of webhook attempts.

use diesel::QueryableByName;
use diesel::sql_types::{Integer, Nullable};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{Cursor, Page, WebhookAttempt};
use inboxd_core::ports::{AttemptQuery, AttemptResult, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use super::read::{bind_scope, within};
use super::rows::event_type;
use crate::keyset::{Order, behind_cursor, cursor_uuid, rows_to_read};
use crate::schema::webhook_attempts;
use crate::sql::Sql;

const ATTEMPT: &str = "a.organization_id, a.attempted_at, a.attempt_id, a.webhook_id, a.event_id, a.event_type, \
    a.status_code, a.duration_ms, a.response_body, a.error, a.next_attempt_at";

#[derive(QueryableByName)]
#[diesel(table_name = webhook_attempts)]
struct AttemptRow {
    organization_id: Uuid,
    attempted_at: OffsetDateTime,
    attempt_id: Uuid,
    webhook_id: Uuid,
    event_id: Uuid,
    event_type: String,
    status_code: Option<i32>,
    duration_ms: i32,
    response_body: Option<String>,
    error: Option<String>,
    next_attempt_at: Option<OffsetDateTime>,
}

impl AttemptRow {
    fn entity(self) -> Result<WebhookAttempt, StoreError> {
        Ok(WebhookAttempt {
            organization_id: self.organization_id.into(),
            attempt_id: self.attempt_id.into(),
            webhook_id: self.webhook_id.into(),
            event_id: self.event_id.into(),
            event_type: event_type(&self.event_type)?,
            status_code: self.status_code.and_then(|status| u16::try_from(status).ok()),
            duration_ms: u32::try_from(self.duration_ms).unwrap_or(0),
            response_body: self.response_body,
            error: self.error,
            attempted_at: self.attempted_at,
            next_attempt_at: self.next_attempt_at,
        })
    }
}

/// Returns a page of the log. For some webhooks it merges a walk along the log of each, so that no other attempts of
/// the organization are read.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    query: &AttemptQuery,
) -> Result<Page<WebhookAttempt>, StoreError> {
    let sort = Order::of(query.page.direction).sort;
    let walk = |of_webhook: &str| {
        format!(
            "SELECT {ATTEMPT} FROM webhook_attempts a WHERE a.organization_id = $1 {of_webhook} {conditions} {behind}
            ORDER BY a.attempted_at {sort}, a.attempt_id {sort} LIMIT $5",
            conditions = conditions(query),
            behind = behind_cursor(&query.page, "a.attempted_at, a.attempt_id", "$6, $7"),
        )
    };
    let scope = &query.scope;
    let text = if scope.pod_id.is_none() && scope.inbox_id.is_none() && scope.among.is_none() {
        walk("")
    } else {
        format!(
            "SELECT {ATTEMPT} FROM webhooks w CROSS JOIN LATERAL ({walk}) a
            WHERE w.organization_id = $1 {within}
            ORDER BY a.attempted_at {sort}, a.attempt_id {sort} LIMIT $5",
            walk = walk("AND a.webhook_id = w.webhook_id"),
            within = within(scope),
        )
    };
    let after = query.page.after.as_ref();
    let kinds = query.event_types.iter().map(|kind| -> &str { kind.as_str() });
    let rows = bind_scope(Sql::new(text), scope)
        .big(rows_to_read(query.page.limit))
        .optional_time(after.map(|cursor| cursor.time))
        .uuid(after.map(cursor_uuid).unwrap_or_default())
        .uuid(query.webhook_id.map_or_else(Uuid::nil, |webhook_id| webhook_id.0))
        .uuid(query.event_id.map_or_else(Uuid::nil, |event_id| event_id.0))
        .texts(kinds)
        .bind::<Nullable<Integer>, _>(query.status_code.map(i32::from))
        .optional_time(query.start)
        .optional_time(query.end)
        .rows::<AttemptRow>(connection)
        .await?;
    let attempts = rows.into_iter().map(AttemptRow::entity).collect::<Result<Vec<_>, _>>()?;
    Ok(Page::of(attempts, query.page.limit, |attempt| Cursor {
        time: attempt.attempted_at,
        id: attempt.attempt_id.0.to_string(),
    }))
}

/// Returns the conditions on an attempt, with values from `$8` on.
fn conditions(query: &AttemptQuery) -> String {
    let conditions = [
        (query.webhook_id.is_some(), "AND a.webhook_id = $8"),
        (query.event_id.is_some(), "AND a.event_id = $9"),
        (!query.event_types.is_empty(), "AND a.event_type = ANY($10)"),
        (query.status_code.is_some(), "AND a.status_code = $11"),
        (query.start.is_some(), "AND a.attempted_at >= $12"),
        (query.end.is_some(), "AND a.attempted_at < $13"),
        (query.result == Some(AttemptResult::Succeeded), "AND a.status_code BETWEEN 200 AND 299"),
        (
            query.result == Some(AttemptResult::Failed),
            "AND (a.status_code IS NULL OR a.status_code NOT BETWEEN 200 AND 299)",
        ),
    ];
    let meant: Vec<&str> = conditions.into_iter().filter(|(is_meant, _)| *is_meant).map(|(_, text)| text).collect();
    meant.join(" ")
}
