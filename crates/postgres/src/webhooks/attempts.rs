//! Log of webhook attempts.

use diesel::QueryableByName;
use diesel::sql_types::{Integer, Nullable};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{Cursor, EventId, Page, WebhookAttempt};
use inboxd_core::ports::{AttemptQuery, AttemptResult, StoreError, WebhookScope};
use time::OffsetDateTime;
use uuid::Uuid;

use super::scope::{bind_scope, is_whole_organization, within};
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::schema::webhook_attempts;
use crate::sql::Sql;
use crate::stored_row::stored_row;

stored_row! {
    #[derive(QueryableByName)]
    #[diesel(table_name = webhook_attempts)]
    struct AttemptRow => WebhookAttempt;

    const ATTEMPT = "a";

    organization_id: Uuid => organization_id = organization_id.into(),
    attempted_at: OffsetDateTime => attempted_at = attempted_at,
    attempt_id: Uuid => attempt_id = attempt_id.into(),
    webhook_id: Uuid => webhook_id = webhook_id.into(),
    event_id: Uuid => event_id = event_id.into(),
    event_type: String => event_type = super::rows::event_type(&event_type)?,
    status_code: Option<i32> => status_code = status_code.and_then(|status| u16::try_from(status).ok()),
    duration_ms: i32 => duration_ms = u32::try_from(duration_ms).unwrap_or(0),
    response_body: Option<String> => response_body = response_body,
    error: Option<String> => error = error,
    next_attempt_at: Option<OffsetDateTime> => next_attempt_at = next_attempt_at,
}

/// Returns a page of the log. For some webhooks it merges a walk along the log of each, so that no other attempts of
/// the organization are read.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    query: &AttemptQuery,
) -> Result<Page<WebhookAttempt>, StoreError> {
    let sort = KeysetOrder::of(query.page.direction).sort;
    let walk = |of_webhook: &str| {
        format!(
            "SELECT {ATTEMPT} FROM webhook_attempts a WHERE a.organization_id = $1 {of_webhook} {conditions} {behind}
            ORDER BY a.attempted_at {sort}, a.attempt_id {sort} LIMIT $5",
            conditions = conditions(query),
            behind = behind_cursor(&query.page, "a.attempted_at, a.attempt_id", "$6, $7"),
        )
    };
    let scope = &query.scope;
    let text = if is_whole_organization(scope) {
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

/// Returns the first attempts of each event by the webhooks of a scope, oldest first. The time excludes older partitions.
pub(crate) async fn of_events(
    connection: &mut AsyncPgConnection,
    scope: &WebhookScope,
    events: &[EventId],
    since: OffsetDateTime,
    limit: u32,
) -> Result<Vec<WebhookAttempt>, StoreError> {
    // Attempts of deleted webhooks have no scope but the organization.
    let of_webhooks = if is_whole_organization(scope) {
        ""
    } else {
        "JOIN webhooks w ON w.organization_id = a.organization_id AND w.webhook_id = a.webhook_id"
    };
    let text = format!(
        "SELECT {ATTEMPT} FROM unnest($5::uuid[]) AS wanted(event_id) CROSS JOIN LATERAL (
            SELECT a.* FROM webhook_attempts a {of_webhooks}
            WHERE a.organization_id = $1 AND a.event_id = wanted.event_id AND a.attempted_at >= $6 {within}
            ORDER BY a.attempted_at, a.attempt_id LIMIT $7) a
        ORDER BY a.attempted_at, a.attempt_id",
        within = within(scope),
    );
    let rows = bind_scope(Sql::new(text), scope)
        .uuids(events.iter().map(|event_id| event_id.0))
        .time(since)
        .big(i64::from(limit))
        .rows::<AttemptRow>(connection)
        .await?;
    rows.into_iter().map(AttemptRow::entity).collect()
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
