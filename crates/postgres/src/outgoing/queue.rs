//! Changes of the queue.
//!
//! A claim is known by the number of the attempt: a worker whose lease has run out finds another number and changes
//! nothing.

use async_trait::async_trait;
use diesel::ExpressionMethods;
use diesel_async::RunQueryDsl;
use inboxd_core::model::{OrganizationId, Outgoing, OutgoingId};
use inboxd_core::ports::{CapturedMail, OutgoingQueue, StoreError};
use inboxd_mail::EmailAddress;
use time::{Duration, OffsetDateTime};

use super::rows::{OutgoingRow, stored_attempts};
use crate::error::{expect_rows, failure};
use crate::return_paths;
use crate::schema::{captured, outgoing};
use crate::sql::Sql;
use crate::tx::PgTx;

/// How many captured mails are kept.
const CAPTURED: i64 = 1000;

/// How many more rows are looked at than can be claimed, should other workers hold some of them.
const SPARE: i64 = 64;
/// How many organizations are looked at, of all that have mail due.
const TENANTS: i64 = 128;

/// The service's own mails come first, the longest due first: codes wait for nobody's letters. What room is left is
/// shared among the organizations that have mail due, a mail each before anybody's second; where there is not room for a
/// mail of each, they are drawn.
///
/// `tenants` jumps along an index from one organization with due mail to the next and around its end, beginning with the
/// one that has waited longest. The rows are looked at again once they are locked: another worker may have claimed them
/// meanwhile. `MATERIALIZED` makes sure that rows are picked, and locked, once.
const CLAIM: &str = "
    WITH RECURSIVE own AS MATERIALIZED (
        SELECT organization_id, outgoing_id FROM outgoing WHERE message_id IS NULL AND due_at <= $1
        ORDER BY due_at LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
    ), room AS MATERIALIZED (
        SELECT $3 - (SELECT count(*) FROM own) AS places
    ), tenants AS (
        (SELECT organization_id FROM outgoing WHERE message_id IS NOT NULL AND due_at <= $1 ORDER BY due_at LIMIT 1)
        UNION
        SELECT next.organization_id FROM tenants t CROSS JOIN LATERAL (
            SELECT coalesce(
                (SELECT organization_id FROM outgoing
                    WHERE message_id IS NOT NULL AND due_at <= $1 AND organization_id > t.organization_id
                    ORDER BY organization_id LIMIT 1),
                (SELECT organization_id FROM outgoing WHERE message_id IS NOT NULL AND due_at <= $1
                    ORDER BY organization_id LIMIT 1)) AS organization_id
        ) next WHERE next.organization_id IS NOT NULL
    ), drawn AS MATERIALIZED (
        SELECT organization_id FROM (SELECT organization_id FROM tenants LIMIT $4) t
        ORDER BY random() LIMIT (SELECT places FROM room)
    ), turns AS MATERIALIZED (
        SELECT o.organization_id, o.outgoing_id, o.due_at,
            row_number() OVER (PARTITION BY o.organization_id ORDER BY o.due_at) AS turn
        FROM drawn t CROSS JOIN LATERAL (
            SELECT organization_id, outgoing_id, due_at FROM outgoing
            WHERE message_id IS NOT NULL AND due_at <= $1 AND organization_id = t.organization_id
            ORDER BY due_at LIMIT (SELECT places FROM room) + $5) o
    ), theirs AS MATERIALIZED (
        SELECT o.organization_id, o.outgoing_id
        FROM turns t JOIN outgoing o ON o.organization_id = t.organization_id AND o.outgoing_id = t.outgoing_id
        WHERE o.due_at <= $1
        ORDER BY t.turn, t.due_at LIMIT (SELECT places FROM room) FOR NO KEY UPDATE OF o SKIP LOCKED
    ), due AS MATERIALIZED (
        SELECT * FROM own UNION ALL SELECT * FROM theirs
    )
    UPDATE outgoing o SET due_at = $2, attempts = o.attempts + 1
    FROM due WHERE o.organization_id = due.organization_id AND o.outgoing_id = due.outgoing_id
    RETURNING o.organization_id, o.outgoing_id, o.pod_id, o.inbox_id, o.thread_id, o.message_id, o.route, o.envelope_from,
        o.recipients, o.sealed, o.attempts, o.created_at, o.due_at";

#[async_trait]
impl OutgoingQueue for PgTx {
    async fn enqueue(&mut self, mails: &[Outgoing]) -> Result<(), StoreError> {
        if mails.is_empty() {
            return Ok(());
        }
        let rows: Vec<OutgoingRow> = mails.iter().map(OutgoingRow::of).collect();
        let written =
            diesel::insert_into(outgoing::table).values(rows).execute(self.connection()?).await.map_err(failure)?;
        expect_rows(written, mails.len())?;
        return_paths::note(self.connection()?, mails).await
    }

    async fn claim(&mut self, now: OffsetDateTime, lease: Duration, limit: u32) -> Result<Vec<Outgoing>, StoreError> {
        let rows = Sql::new(CLAIM)
            .time(now)
            .time(now.saturating_add(lease))
            .big(i64::from(limit))
            .big(TENANTS)
            .big(SPARE)
            .rows::<OutgoingRow>(self.connection()?)
            .await?;
        // One mail that cannot be read must not hold up all others: it is out of the way until its lease runs out.
        let mut mails: Vec<Outgoing> = rows.into_iter().filter_map(OutgoingRow::readable).collect();
        mails.sort_by_key(|mail| (mail.created_at, mail.outgoing_id));
        Ok(mails)
    }

    async fn defer(&mut self, mail: &Outgoing) -> Result<bool, StoreError> {
        let recipients: Vec<&str> = mail.recipients.iter().map(EmailAddress::as_str).collect();
        let written = diesel::update(outgoing::table)
            .filter(outgoing::organization_id.eq(mail.organization_id.0))
            .filter(outgoing::outgoing_id.eq(mail.outgoing_id.0))
            .filter(outgoing::attempts.eq(stored_attempts(mail.attempts)))
            .set((outgoing::recipients.eq(recipients), outgoing::due_at.eq(mail.due_at)))
            .execute(self.connection()?)
            .await
            .map_err(failure)?;
        Ok(written > 0)
    }

    async fn remove(
        &mut self,
        organization_id: OrganizationId,
        outgoing_id: OutgoingId,
        attempts: u32,
    ) -> Result<bool, StoreError> {
        let deleted = diesel::delete(outgoing::table)
            .filter(outgoing::organization_id.eq(organization_id.0))
            .filter(outgoing::outgoing_id.eq(outgoing_id.0))
            .filter(outgoing::attempts.eq(stored_attempts(attempts)))
            .execute(self.connection()?)
            .await
            .map_err(failure)?;
        Ok(deleted > 0)
    }

    async fn capture(&mut self, mail: &CapturedMail) -> Result<(), StoreError> {
        let recipients: Vec<&str> = mail.recipients.iter().map(EmailAddress::as_str).collect();
        let connection = self.connection()?;
        diesel::insert_into(captured::table)
            .values((
                captured::envelope_from.eq(mail.envelope_from.as_str()),
                captured::recipients.eq(recipients),
                captured::sealed.eq(mail.sealed.as_slice()),
                captured::captured_at.eq(mail.captured_at),
            ))
            .execute(connection)
            .await
            .map_err(failure)?;
        let text = "DELETE FROM captured WHERE captured_id <=
            (SELECT captured_id FROM captured ORDER BY captured_id DESC OFFSET $1 LIMIT 1)";
        Sql::new(text).big(CAPTURED).run(connection).await?;
        Ok(())
    }
}
