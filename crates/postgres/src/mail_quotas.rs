//! Mail quotas: a row for each mailbox and organization with recent service mail.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::Timestamptz;
use inboxd_core::model::MailCharge;
use inboxd_core::ports::{MailQuotaWrites, StoreError};
use time::{Duration, OffsetDateTime};

use crate::sql::Sql;
use crate::tx::PgTx;

/// Counts a message if both ends stay within their periods: `$3` and `$4` are the steps in milliseconds, `$5` and `$6`
/// the latest ends with capacity for one more.
const CHARGE: &str = "INSERT INTO mail_quotas AS q (subject, hour_until, day_until)
    VALUES ($1, $2 + $3 * interval '1 millisecond', $2 + $4 * interval '1 millisecond')
    ON CONFLICT (subject) DO UPDATE SET
        hour_until = greatest(q.hour_until, $2) + $3 * interval '1 millisecond',
        day_until = greatest(q.day_until, $2) + $4 * interval '1 millisecond'
    WHERE q.hour_until <= $5 AND q.day_until <= $6
    RETURNING hour_until, day_until";

#[derive(QueryableByName)]
struct QuotaRow {
    #[diesel(sql_type = Timestamptz)]
    hour_until: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    day_until: OffsetDateTime,
}

#[async_trait]
impl MailQuotaWrites for PgTx {
    async fn charge(&mut self, charge: &MailCharge, now: OffsetDateTime) -> Result<Option<OffsetDateTime>, StoreError> {
        let (hour_step, day_step) = charge.limits.steps();
        let (hour_room, day_room) = (Duration::HOUR - hour_step, Duration::DAY - day_step);
        let connection = self.connection().await?;
        let charged = Sql::new(CHARGE)
            .text(&charge.subject)
            .time(now)
            .big(millis(hour_step))
            .big(millis(day_step))
            .time(now + hour_room)
            .time(now + day_room)
            .row::<QuotaRow>(connection)
            .await?;
        if charged.is_some() {
            return Ok(None);
        }
        let text = "SELECT hour_until, day_until FROM mail_quotas WHERE subject = $1";
        let known = Sql::new(text).text(&charge.subject).row::<QuotaRow>(connection).await?;
        Ok(known.map(|known| (known.hour_until - hour_room).max(known.day_until - day_room)))
    }

    async fn purge(&mut self, now: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        let text = "DELETE FROM mail_quotas WHERE subject IN
            (SELECT subject FROM mail_quotas WHERE day_until <= $1 AND hour_until <= $1
                ORDER BY day_until LIMIT $2 FOR UPDATE SKIP LOCKED)";
        let deleted = Sql::new(text).time(now).big(i64::from(limit)).run(self.connection().await?).await?;
        Ok(u64::try_from(deleted).unwrap_or(u64::MAX))
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.whole_milliseconds()).unwrap_or(i64::MAX)
}
