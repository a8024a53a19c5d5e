//! Feed reads: positions of events, heads and batches.

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Timestamptz, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::feed::{FeedPosition, FeedSelection, ScopeFilter};
use inboxd_core::model::{EventId, EventType, InboxId, OrganizationId};
use inboxd_core::ports::{FeedPage, FeedQuery, StoreError};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::connection::Connection;
use crate::events::mail::ReadableMail;
use crate::events::rows::{EVENT, EventRow, with_mail};
use crate::sql::Sql;

/// Maximum clock difference between processes. The position of an event is searched from this long before its creation.
const SKEW: Duration = Duration::days(1);

#[derive(QueryableByName)]
struct PlaceRow {
    #[diesel(sql_type = Timestamptz)]
    sequenced_at: OffsetDateTime,
    #[diesel(sql_type = BigInt)]
    position: i64,
}

#[derive(QueryableByName)]
struct HeadRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(embed)]
    place: PlaceRow,
}

/// End of a batch: its last position, and whether it is the last batch of the feed.
#[derive(QueryableByName)]
struct ReachRow {
    #[diesel(embed)]
    place: PlaceRow,
    #[diesel(sql_type = Bool)]
    is_end: bool,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(embed)]
    place: PlaceRow,
    #[diesel(embed)]
    event: EventRow,
}

impl PlaceRow {
    fn entity(&self) -> FeedPosition {
        FeedPosition { at: self.sequenced_at, position: self.position }
    }
}

pub(super) async fn place(
    connection: &mut AsyncPgConnection,
    organization_id: OrganizationId,
    event_id: EventId,
) -> Result<Option<FeedPosition>, StoreError> {
    let text = "SELECT sequenced_at, position FROM feed
        WHERE organization_id = $1 AND event_id = $2 AND sequenced_at >= $3";
    let from = event_id.made_at().checked_sub(SKEW).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let statement = Sql::new(text).uuid(organization_id.0).uuid(event_id.0).time(from);
    Ok(statement.row::<PlaceRow>(connection).await?.map(|row| row.entity()))
}

pub(super) async fn heads(
    connection: &mut AsyncPgConnection,
    organizations: &[OrganizationId],
) -> Result<Vec<(OrganizationId, FeedPosition)>, StoreError> {
    let text = "SELECT organization_id, sequenced_at, position FROM feed_heads WHERE organization_id = ANY($1)";
    let rows = Sql::new(text).uuids(organizations.iter().map(|id| id.0)).rows::<HeadRow>(connection).await?;
    Ok(rows.into_iter().map(|row| (row.organization_id.into(), row.place.entity())).collect())
}

pub(super) async fn read(mut connection: Connection, query: &FeedQuery) -> Result<FeedPage, StoreError> {
    let Some(reach) = reach_of(&mut connection, query).await? else {
        return Ok(FeedPage { events: Vec::new(), place: query.after, is_end: true });
    };
    let looked_to = reach.place.entity();
    let rows = selected(&mut connection, query, looked_to).await?;
    let is_full = rows.len() > usize::try_from(query.limit).unwrap_or(usize::MAX);
    let mut last = query.after;
    let mut places = Vec::with_capacity(rows.len());
    let mut events = Vec::with_capacity(rows.len());
    for row in rows.into_iter().take(usize::try_from(query.limit).unwrap_or(usize::MAX)) {
        let place = row.place.entity();
        last = place;
        if let Some(event) = row.event.readable() {
            places.push(place);
            events.push(event);
        }
    }
    // The rest of the batch behind a full page must be read again.
    let place = if is_full { last } else { looked_to };
    let readable =
        ReadableMail { with_mail: query.with_mail, hidden: query.readable, largest_body: query.largest_body };
    let whole = with_mail(connection, readable, events).await?;
    Ok(FeedPage { events: places.into_iter().zip(whole).collect(), place, is_end: reach.is_end && !is_full })
}

/// Returns the end of the batch that one query examines; `None` if no event follows.
async fn reach_of(connection: &mut AsyncPgConnection, query: &FeedQuery) -> Result<Option<ReachRow>, StoreError> {
    let text = "WITH looked AS (
            SELECT sequenced_at, position FROM feed
            WHERE organization_id = $1 AND sequenced_at >= $2 AND (sequenced_at, position) > ($2, $3)
            ORDER BY sequenced_at, position LIMIT $4
        )
        SELECT sequenced_at, position, (SELECT count(*) FROM looked) < $4 AS is_end FROM looked
        ORDER BY sequenced_at DESC, position DESC LIMIT 1";
    Sql::new(text)
        .uuid(query.organization_id.0)
        .time(query.after.at)
        .big(query.after.position)
        .big(i64::from(query.most))
        .row(connection)
        .await
}

/// Returns the selected events of the batch, with one more than the page holds, if there is one.
async fn selected(
    connection: &mut AsyncPgConnection,
    query: &FeedQuery,
    looked_to: FeedPosition,
) -> Result<Vec<Row>, StoreError> {
    let text = format!(
        "SELECT f.sequenced_at, f.position, {EVENT}
        FROM feed f
            JOIN events e ON e.organization_id = $1 AND e.created_at = f.created_at AND e.event_id = f.event_id
        WHERE f.organization_id = $1 AND f.sequenced_at >= $2 AND (f.sequenced_at, f.position) > ($2, $3)
            AND f.sequenced_at <= $4 AND (f.sequenced_at, f.position) <= ($4, $5) {conditions}
        ORDER BY f.sequenced_at, f.position LIMIT $6",
        conditions = conditions(&query.selection),
    );
    let mut statement = Sql::new(text)
        .uuid(query.organization_id.0)
        .time(query.after.at)
        .big(query.after.position)
        .time(looked_to.at)
        .big(looked_to.position)
        .big(i64::from(query.limit) + 1)
        .texts(query.selection.event_types.iter().copied().map(EventType::as_str))
        .optional_time(query.selection.start)
        .optional_time(query.selection.end)
        .texts(query.selection.trust.iter().map(|verdict| verdict.as_str()));
    for ScopeFilter { pod_ids, inbox_ids } in &query.selection.among {
        statement = statement.uuids(pod_ids.iter().map(|id| id.0)).texts(inbox_ids.iter().map(InboxId::as_str));
    }
    statement.rows(connection).await
}

/// Returns the conditions of a selection on rows of `feed`. Their values begin with `$7`.
fn conditions(selection: &FeedSelection) -> String {
    let mut conditions = String::new();
    if !selection.event_types.is_empty() {
        conditions.push_str(" AND f.event_type = ANY($7)");
    }
    if selection.start.is_some() {
        conditions.push_str(" AND f.created_at >= $8");
    }
    if selection.end.is_some() {
        conditions.push_str(" AND f.created_at < $9");
    }
    if !selection.trust.is_empty() {
        conditions.push_str(" AND (f.event_type NOT LIKE 'message.received%' OR f.verdict = ANY($10))");
    }
    let among = (0..selection.among.len()).map(|number| {
        let (pods, inboxes) = (11 + 2 * number, 12 + 2 * number);
        format!(" AND (f.pod_id = ANY(${pods}) OR f.inbox_id = ANY(${inboxes}))")
    });
    conditions + &among.collect::<String>()
}
