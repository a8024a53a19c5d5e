//! Event counts and usage reads.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Date as SqlDate, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use inboxd_core::model::metrics::{EventCount, TimeSpan, UsageSample, UsageTotals};
use inboxd_core::model::{EventType, OrganizationId, Scope, SendingCounts};
use inboxd_core::ports::{EventCountQuery, EventCounts, MetricReads, StoreError};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use super::{DOMAINS, NO_POD};
use crate::schema::usage_samples;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::usage::{from_count, to_count};

#[derive(QueryableByName)]
struct BucketRow {
    #[diesel(sql_type = Text)]
    event_type: String,
    #[diesel(sql_type = Timestamptz)]
    bucket: OffsetDateTime,
    #[diesel(sql_type = BigInt)]
    looked_at: i64,
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName, Clone, Copy)]
#[diesel(table_name = usage_samples)]
struct TotalsRow {
    storage_bytes: i64,
    message_count: i64,
    thread_count: i64,
    inbox_count: i64,
    pod_count: i64,
    domain_count: i64,
}

#[derive(QueryableByName)]
#[diesel(table_name = usage_samples)]
struct SampleRow {
    taken_at: OffsetDateTime,
    #[diesel(embed)]
    totals: TotalsRow,
}

impl TotalsRow {
    fn entity(self) -> UsageTotals {
        UsageTotals {
            storage_bytes: to_count(self.storage_bytes),
            message_count: to_count(self.message_count),
            thread_count: to_count(self.thread_count),
            inbox_count: to_count(self.inbox_count),
            pod_count: to_count(self.pod_count),
            domain_count: to_count(self.domain_count),
        }
    }
}

/// Number of recipients of an event of the types `$6`.
const RECIPIENTS: &str = ", CASE WHEN event_type = ANY($6) AND jsonb_typeof(body -> 'recipients') = 'array'
    THEN jsonb_array_length(body -> 'recipients') END AS recipients";

#[derive(QueryableByName)]
struct SendingCountsRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = BigInt)]
    sent: i64,
    #[diesel(sql_type = BigInt)]
    bounced: i64,
    #[diesel(sql_type = BigInt)]
    complained: i64,
}

impl SendingCountsRow {
    fn entity(self) -> (OrganizationId, SendingCounts) {
        let counts = SendingCounts {
            sent: to_count(self.sent),
            bounced: to_count(self.bounced),
            complained: to_count(self.complained),
        };
        (self.organization_id.into(), counts)
    }
}

/// Counts of the messages that organizations sent since a day, across all organizations: the review of the brake on sending.
/// The failures of a message are one, and those of older messages count no more.
const SENDING_COUNTS: &str = "
    WITH failures AS (
        SELECT e.organization_id,
            count(DISTINCT e.message_id) FILTER (WHERE e.event_type = 'message.bounced') AS bounced,
            count(DISTINCT e.message_id) FILTER (WHERE e.event_type = 'message.complained') AS complained
        FROM events e JOIN organizations o ON o.organization_id = e.organization_id
        WHERE e.event_type IN ('message.bounced', 'message.complained')
            AND e.created_at >= ($1::date)::timestamp AT TIME ZONE 'UTC'
            AND e.created_at >= coalesce(o.brake_counts_from, '-infinity')
            AND (e.event_type = 'message.complained' OR e.body ->> 'kind' = 'Permanent')
            AND EXISTS (SELECT FROM events s
                WHERE s.organization_id = e.organization_id AND s.inbox_id = e.inbox_id AND s.message_id = e.message_id
                    AND s.event_type = 'message.sent'
                    AND s.created_at >= ($1::date)::timestamp AT TIME ZONE 'UTC'
                    AND s.created_at >= coalesce(o.brake_counts_from, '-infinity'))
        GROUP BY e.organization_id
    )
    SELECT o.organization_id, coalesce(f.bounced, 0) AS bounced, coalesce(f.complained, 0) AS complained,
        (SELECT coalesce(sum(s.count), 0)::bigint FROM send_counts s
            WHERE s.organization_id = o.organization_id
                AND s.day >= greatest($1, (o.brake_counts_from AT TIME ZONE 'UTC')::date)) AS sent
    FROM organizations o LEFT JOIN failures f ON f.organization_id = o.organization_id
    WHERE o.organization_id > $5 AND o.removed_at IS NULL AND o.brake IS DISTINCT FROM 'held'
        AND o.organization_id IN (
            SELECT organization_id FROM failures WHERE bounced >= $2 OR complained >= $3
            UNION ALL SELECT organization_id FROM organizations WHERE brake = 'slowed')
    ORDER BY o.organization_id LIMIT $4";

impl PgStore {
    /// Runs a count query.
    async fn count(&self, query: &EventCountQuery, text: &str) -> Result<EventCounts, StoreError> {
        let rows = Sql::new(text)
            .uuid(query.organization_id.0)
            .time(query.span.start)
            .time(query.span.end)
            .big(query.span.period)
            .big(from_count(query.most).saturating_add(1))
            .texts(query.event_types.iter().map(|event_type| event_type.as_str()))
            .uuid(pod_of(&query.scope).unwrap_or_else(Uuid::nil))
            .optional_text(inbox_of(&query.scope))
            .time(query.span.first_bucket())
            .rows::<BucketRow>(&mut *self.connection().await?)
            .await?;
        let looked_at: u64 = rows.iter().map(|row| to_count(row.looked_at)).sum();
        let buckets = rows.into_iter().filter(|row| row.count > 0).map(BucketRow::entity).collect::<Result<_, _>>()?;
        Ok(EventCounts { is_cut: looked_at > query.most, buckets })
    }
}

#[async_trait]
impl MetricReads for PgStore {
    async fn count_events(&self, query: &EventCountQuery) -> Result<EventCounts, StoreError> {
        self.count(query, &counting(query, "", "count(*)")).await
    }

    async fn count_recipients(&self, query: &EventCountQuery) -> Result<EventCounts, StoreError> {
        self.count(query, &counting(query, RECIPIENTS, "coalesce(sum(recipients)")).await
    }

    async fn sending_counts(
        &self,
        first_day: Date,
        (bounced, complained): (u64, u64),
        after: Option<OrganizationId>,
        limit: u32,
    ) -> Result<Vec<(OrganizationId, SendingCounts)>, StoreError> {
        let rows = Sql::new(SENDING_COUNTS)
            .bind::<SqlDate, _>(first_day)
            .big(from_count(bounced))
            .big(from_count(complained))
            .big(i64::from(limit))
            .uuid(after.map_or_else(Uuid::nil, |after| after.0))
            .rows::<SendingCountsRow>(&mut *self.connection().await?)
            .await?;
        Ok(rows.into_iter().map(SendingCountsRow::entity).collect())
    }

    async fn usage_totals(&self, organization_id: OrganizationId, scope: &Scope) -> Result<UsageTotals, StoreError> {
        let of_scope = match scope {
            Scope::Organization => "",
            Scope::Pod(_) => "AND i.pod_id = $2",
            Scope::Inbox(_) => "AND i.inbox_id = $3",
        };
        let text = format!(
            "SELECT coalesce(sum(u.storage_bytes), 0)::bigint AS storage_bytes,
                coalesce(sum(u.messages), 0)::bigint AS message_count,
                coalesce(sum(u.threads), 0)::bigint AS thread_count,
                count(i.inbox_id) AS inbox_count,
                (SELECT count(*) FROM pods p WHERE p.organization_id = $1 AND p.deleted_at IS NULL) AS pod_count,
                (SELECT {DOMAINS} FROM (SELECT $1::uuid AS organization_id, $2::uuid AS pod_id) s) AS domain_count
            FROM inboxes i
                LEFT JOIN inbox_usage u ON u.organization_id = i.organization_id AND u.inbox_id = i.inbox_id
            WHERE i.organization_id = $1 AND i.deleted_at IS NULL {of_scope}"
        );
        let row = Sql::new(text)
            .uuid(organization_id.0)
            .bind::<Nullable<SqlUuid>, _>(pod_of(scope))
            .optional_text(inbox_of(scope))
            .row::<TotalsRow>(&mut *self.connection().await?)
            .await?;
        Ok(row.map(TotalsRow::entity).unwrap_or_default())
    }

    async fn usage_samples(
        &self,
        organization_id: OrganizationId,
        scope: &Scope,
        span: &TimeSpan,
    ) -> Result<Vec<UsageSample>, StoreError> {
        // The hour of a sample is not after the sample, and the next hour is.
        let text = "WITH own AS NOT MATERIALIZED (
                SELECT * FROM usage_samples
                WHERE organization_id = $1 AND pod_id = $2 AND inbox_id = $3 AND hour < $5)
            SELECT taken_at, storage_bytes, message_count, thread_count, inbox_count, pod_count, domain_count FROM (
                SELECT * FROM own WHERE hour > $4
                UNION ALL
                (SELECT * FROM own WHERE hour <= $4 ORDER BY hour DESC LIMIT 2)
            ) found
            WHERE taken_at < $5 ORDER BY taken_at";
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .uuid(pod_of(scope).unwrap_or(NO_POD))
            .text(inbox_of(scope).unwrap_or_default())
            .time(span.start)
            .time(span.end)
            .rows::<SampleRow>(&mut *self.connection().await?)
            .await?;
        Ok(rows.into_iter().map(|row| UsageSample { taken_at: row.taken_at, totals: row.totals.entity() }).collect())
    }
}

impl BucketRow {
    fn entity(self) -> Result<EventCount, StoreError> {
        Ok(EventCount {
            event_type: EventType::named(&self.event_type)
                .ok_or_else(|| StoreError::Failed(format!("unknown type of event {:?}", self.event_type)))?,
            timestamp: self.bucket,
            count: to_count(self.count),
        })
    }
}

fn pod_of(scope: &Scope) -> Option<Uuid> {
    match scope {
        Scope::Pod(pod_id) => Some(pod_id.0),
        Scope::Organization | Scope::Inbox(_) => None,
    }
}

fn inbox_of(scope: &Scope) -> Option<&str> {
    match scope {
        Scope::Inbox(inbox_id) => Some(inbox_id.as_str()),
        Scope::Organization | Scope::Pod(_) => None,
    }
}

/// Builds the count query. Each bucket is a walk along a covering index; each and all of them read at most `$5` events,
/// and filters apply afterwards. Grouping by the existing buckets instead of a computed value shows the planner how few
/// groups there are, so it sorts nothing. `read` is a further column of an event, and `count` what is counted of those in
/// the scope and of the types.
fn counting(query: &EventCountQuery, read: &str, count: &str) -> String {
    let (of_inbox, of_pod) = match &query.scope {
        Scope::Organization => ("", ""),
        Scope::Pod(_) => ("", "AND pod_id = $7"),
        Scope::Inbox(_) => ("AND inbox_id = $8", ""),
    };
    let pod = if of_pod.is_empty() { "" } else { ", pod_id" };
    let end = if read.is_empty() { "" } else { ", 0)::bigint" };
    let of_types = if query.event_types.is_empty() { "" } else { "AND event_type = ANY($6)" };
    format!(
        "SELECT event_type, bucket, count(*) AS looked_at, {count} FILTER (WHERE true {of_pod} {of_types}){end} AS count
        FROM (
            SELECT e.*, b.bucket
            FROM generate_series($9, $3 - interval '1 microsecond', $4 * interval '1 second') AS b(bucket)
                CROSS JOIN LATERAL (
                    SELECT event_type {pod} {read} FROM events
                    WHERE organization_id = $1 {of_inbox} AND created_at >= greatest(b.bucket, $2)
                        AND created_at < least(b.bucket + $4 * interval '1 second', $3)
                    LIMIT $5) e
            LIMIT $5) looked_at
        GROUP BY event_type, bucket ORDER BY event_type, bucket"
    )
}
