//! Aggregate reports: the newest ones, within the share of each sender and the total capacity.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Bool, Nullable, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::mail_report::{MailReport, MailReportFilter, ReportKind, ReportLimits, ReportOutcome};
use inboxd_core::ports::{MailReportReads, MailReportWrites, StoreError};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::scalar_rows::FlagRow;
use crate::schema::mail_reports;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::stored_row::stored_row;
use crate::tx::PgTx;

/// Inserts a report unless its share has the maximum of a day. If all reports without an authenticated sender or all
/// reports have theirs, it displaces the oldest report of the largest share, which must be larger than its own share;
/// those without an authenticated sender go first and displace none with one. A share of the same name without an
/// authenticated sender is another one. Rows that another unit of work displaces are skipped, so none waits for another;
/// the next report makes up for them.
const STORE: &str = "
    WITH day AS MATERIALIZED (
        SELECT mail_report_id, received_at, share, sender IS NULL AS is_unauthenticated
        FROM mail_reports WHERE received_at > $11
    ), counts AS (
        SELECT count(*) FILTER (WHERE share = $6 AND is_unauthenticated = ($9::text IS NULL)) AS of_share,
            1 + greatest(count(*) - $12,
                CASE WHEN $9::text IS NULL THEN count(*) FILTER (WHERE is_unauthenticated) - $14 END) AS excess
        FROM day
    ), displaceable AS (
        SELECT mail_report_id FROM counts, (
            SELECT mail_report_id, received_at, is_unauthenticated,
                count(*) OVER (PARTITION BY is_unauthenticated, share) AS size
            FROM day) d
        WHERE (is_unauthenticated AND $9::text IS NOT NULL)
            OR (is_unauthenticated = ($9::text IS NULL) AND size > of_share)
        ORDER BY is_unauthenticated DESC, size DESC, received_at, mail_report_id
        LIMIT (SELECT greatest(excess, 0) FROM counts)
    ), inserted AS (
        INSERT INTO mail_reports
            (mail_report_id, digest, domain, kind, received_at, share, organization_id, base_domain, sender, content, bytes)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, octet_length($10) FROM counts
        WHERE of_share < $13 AND (excess <= 0 OR EXISTS (SELECT FROM displaceable))
        ON CONFLICT (digest, domain) DO NOTHING
        RETURNING mail_report_id
    ), displaced AS (
        DELETE FROM mail_reports WHERE EXISTS (SELECT FROM inserted) AND mail_report_id IN (
            SELECT m.mail_report_id FROM mail_reports m JOIN displaceable d ON d.mail_report_id = m.mail_report_id
            FOR UPDATE OF m SKIP LOCKED)
    )
    SELECT EXISTS (SELECT FROM inserted) AS flag";

const IS_STORED: &str = "SELECT EXISTS (SELECT FROM mail_reports WHERE digest = $1 AND domain = $2) AS flag";

/// Whether a share, all reports without an authenticated sender, or all reports exceed their maximum.
const IS_FULL: &str = "
    SELECT count(*) > $7 OR coalesce(sum(bytes), 0) > $8
        OR count(*) FILTER (WHERE sender IS NULL) > $5
        OR coalesce(sum(bytes) FILTER (WHERE sender IS NULL), 0) > $6
        OR count(*) FILTER (WHERE share = $1 AND (sender IS NULL) = $2) > $3
        OR coalesce(sum(bytes) FILTER (WHERE share = $1 AND (sender IS NULL) = $2), 0) > $4 AS flag
    FROM mail_reports";

/// Keeps the newest reports of each share up to its maximum. Of these it keeps, up to the maximum of all without an
/// authenticated sender and then of all, the newest of every share before the second newest of any: the largest shares
/// lose reports first. Reports with an authenticated sender come before all others. Rows that another unit of work evicts
/// are skipped, so none waits for another.
const EVICT: &str = "
    WITH of_share AS (
        SELECT mail_report_id, received_at, bytes, sender IS NULL AS is_unauthenticated,
            row_number() OVER newest AS rank, sum(bytes) OVER newest AS total
        FROM mail_reports
        WINDOW newest AS (PARTITION BY sender IS NULL, share ORDER BY received_at DESC, mail_report_id DESC
            ROWS UNBOUNDED PRECEDING)
    ), of_kind AS (
        SELECT mail_report_id, received_at, bytes, is_unauthenticated, rank,
            row_number() OVER fair AS place, sum(bytes) OVER fair AS total_of_kind
        FROM of_share WHERE rank <= $1 AND total <= $2
        WINDOW fair AS (PARTITION BY is_unauthenticated ORDER BY rank, received_at DESC, mail_report_id DESC
            ROWS UNBOUNDED PRECEDING)
    ), within AS (
        SELECT mail_report_id, row_number() OVER best AS place, sum(bytes) OVER best AS total
        FROM of_kind WHERE NOT is_unauthenticated OR (place <= $3 AND total_of_kind <= $4)
        WINDOW best AS (ORDER BY is_unauthenticated, rank, received_at DESC, mail_report_id DESC
            ROWS UNBOUNDED PRECEDING)
    ), gone AS (
        SELECT mail_report_id FROM mail_reports m
        WHERE NOT EXISTS (
            SELECT FROM within w WHERE w.mail_report_id = m.mail_report_id AND w.place <= $5 AND w.total <= $6)
        FOR UPDATE SKIP LOCKED
    )
    DELETE FROM mail_reports m USING gone WHERE m.mail_report_id = gone.mail_report_id
    RETURNING m.mail_report_id";

const PURGE: &str = "
    DELETE FROM mail_reports WHERE mail_report_id IN (
        SELECT mail_report_id FROM mail_reports WHERE received_at < $1
        ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED)";

#[derive(QueryableByName)]
struct EvictedRow {
    #[diesel(sql_type = SqlUuid)]
    mail_report_id: Uuid,
}

/// Maximum number and bytes of the reports of a share, of all without an authenticated sender, and of all.
struct Capacities {
    share: (i64, i64),
    unauthenticated: (i64, i64),
    all: (i64, i64),
}

impl Capacities {
    fn of(limits: ReportLimits) -> Self {
        let all = (i64::from(limits.stored), i64::try_from(ReportLimits::MAX_BYTES).unwrap_or(i64::MAX));
        let part = |divisor: u32| ((all.0 / i64::from(divisor)).max(1), all.1 / i64::from(divisor));
        Self {
            share: part(ReportLimits::SENDER_SHARE),
            unauthenticated: part(ReportLimits::UNAUTHENTICATED_SHARE),
            all,
        }
    }
}

/// Stores a report within the limits of a day.
async fn store_one(
    connection: &mut AsyncPgConnection,
    report: &MailReport,
    limits: ReportLimits,
) -> Result<ReportOutcome, StoreError> {
    let content = serde_json::to_string(&report.report)
        .map_err(|error| StoreError::Failed(format!("an aggregate report cannot be stored: {error}")))?;
    let part = |divisor: u32| i64::from((limits.per_day / divisor).max(1));
    let insert = Sql::new(STORE)
        .uuid(report.mail_report_id)
        .bytes(&report.digest)
        .text(&report.report.domain)
        .text(ReportKind::of(&report.report).as_str())
        .time(report.received_at)
        .text(&report.share)
        .bind::<Nullable<SqlUuid>, _>(report.organization_id.map(|organization_id| organization_id.0))
        .text(&report.base_domain)
        .optional_text(report.sender.as_deref())
        .text(&content)
        .time(report.received_at - Duration::DAY)
        .big(limits.per_day.into())
        .big(part(ReportLimits::SENDER_SHARE))
        .big(part(ReportLimits::UNAUTHENTICATED_SHARE));
    if insert.row::<FlagRow>(connection).await?.is_some_and(|row| row.flag) {
        return Ok(ReportOutcome::Stored);
    }
    let select = Sql::new(IS_STORED).bytes(&report.digest).text(&report.report.domain);
    let is_stored = select.row::<FlagRow>(connection).await?.is_some_and(|row| row.flag);
    Ok(if is_stored { ReportOutcome::Duplicate } else { ReportOutcome::Limited })
}

/// Evicts reports if the share of one that was stored, or a total, exceeds its capacity. Returns their ids.
async fn evict(
    connection: &mut AsyncPgConnection,
    stored: &MailReport,
    limits: ReportLimits,
) -> Result<Vec<Uuid>, StoreError> {
    let Capacities { share, unauthenticated, all } = Capacities::of(limits);
    let bounds = [share.0, share.1, unauthenticated.0, unauthenticated.1, all.0, all.1];
    let is_unauthenticated = stored.sender.is_none();
    let is_full = Sql::new(IS_FULL).text(&stored.share).bind::<Bool, _>(is_unauthenticated);
    let is_full = bounds.into_iter().fold(is_full, Sql::big);
    if is_full.row::<FlagRow>(connection).await?.is_none_or(|row| !row.flag) {
        return Ok(Vec::new());
    }
    let evict = bounds.into_iter().fold(Sql::new(EVICT), Sql::big);
    let evicted = evict.rows::<EvictedRow>(connection).await?;
    Ok(evicted.into_iter().map(|row| row.mail_report_id).collect())
}

#[async_trait]
impl MailReportWrites for PgTx {
    async fn store(&mut self, reports: &[MailReport], limits: ReportLimits) -> Result<Vec<ReportOutcome>, StoreError> {
        let connection = self.connection().await?;
        let mut outcomes = Vec::with_capacity(reports.len());
        let mut stored = None;
        for report in reports {
            let outcome = store_one(connection, report, limits).await?;
            stored = Some(report).filter(|_| outcome == ReportOutcome::Stored).or(stored);
            outcomes.push(outcome);
        }
        if let Some(stored) = stored {
            let evicted = evict(connection, stored, limits).await?;
            for (report, outcome) in reports.iter().zip(&mut outcomes) {
                if *outcome == ReportOutcome::Stored && evicted.contains(&report.mail_report_id) {
                    *outcome = ReportOutcome::Limited;
                }
            }
        }
        Ok(outcomes)
    }

    async fn purge(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        let deleted = Sql::new(PURGE).time(before).big(limit.into()).run(self.connection().await?).await?;
        Ok(u64::try_from(deleted).unwrap_or(0))
    }
}

stored_row! {
    /// An aggregate report.
    #[derive(QueryableByName)]
    #[diesel(table_name = mail_reports)]
    struct MailReportRow => MailReport;

    /// Columns of [`MailReportRow`], of a table named `r`.
    const MAIL_REPORT = "r";

    mail_report_id: Uuid => mail_report_id = mail_report_id,
    digest: Vec<u8> => digest = digest.try_into().map_err(|_| broken(mail_report_id, "its digest has another length"))?,
    received_at: OffsetDateTime => received_at = received_at,
    share: String => share = share,
    organization_id: Option<Uuid> => organization_id = organization_id.map(Into::into),
    base_domain: String => base_domain = base_domain,
    sender: Option<String> => sender = sender,
    content: String =>
        report = serde_json::from_str(&content).map_err(|error| broken(mail_report_id, &error.to_string()))?,
}

fn broken(mail_report_id: Uuid, cause: &str) -> StoreError {
    StoreError::Failed(format!("stored aggregate report {mail_report_id}: {cause}"))
}

#[async_trait]
impl MailReportReads for PgStore {
    async fn mail_reports(&self, filter: &MailReportFilter) -> Result<Vec<MailReport>, StoreError> {
        let text = format!(
            "SELECT {MAIL_REPORT} FROM mail_reports r
            WHERE received_at >= $1 AND ($2::text IS NULL OR domain = $2 OR base_domain = $2)
                AND ($3::text IS NULL OR kind = $3) AND ($4 OR sender IS NOT NULL)
            ORDER BY received_at DESC, mail_report_id DESC LIMIT $5"
        );
        let select = Sql::new(text)
            .time(filter.since)
            .optional_text(filter.domain.as_deref())
            .optional_text(filter.kind.map(ReportKind::as_str))
            .bind::<Bool, _>(filter.includes_unauthenticated)
            .big(filter.limit.into());
        let rows = select.rows::<MailReportRow>(&mut *self.connection().await?).await?;
        rows.into_iter().map(MailReportRow::entity).collect()
    }

    async fn mail_report(&self, mail_report_id: Uuid) -> Result<Option<MailReport>, StoreError> {
        let text = format!("SELECT {MAIL_REPORT} FROM mail_reports r WHERE mail_report_id = $1");
        let select = Sql::new(text).uuid(mail_report_id);
        let row = select.row::<MailReportRow>(&mut *self.connection().await?).await?;
        row.map(MailReportRow::entity).transpose()
    }
}
