//! Writes of the outgoing queue.
//!
//! A claim has an id: a worker with an expired lease finds another id and changes nothing.

use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::sql_types::{Bool, Nullable, Uuid as SqlUuid};
use diesel::{ExpressionMethods, QueryableByName};
use diesel_async::RunQueryDsl;
use inboxd_core::model::{ClaimedMail, DeliveryAttempt, InboxId, OutgoingId, QueuedMail};
use inboxd_core::ports::{CapturedMail, MessageKey, OutgoingClaim, OutgoingWrites, QueueSlice, StoreError};
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

use super::enqueue::{bind, insert_queued};
use super::rows::{OUTGOING, OutgoingRow};
use crate::cte::writing;
use crate::error::failure;
use crate::schema::captured;
use crate::sql::Sql;
use crate::tx::PgTx;

/// Maximum captured messages.
const MAX_CAPTURED: i64 = 1000;

/// A row under concurrent change is waited for and checked in its new state.
const REMOVE: &str = "
    DELETE FROM outgoing o
    USING unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS c(organization_id, outgoing_id, claim_id)
    WHERE o.organization_id = c.organization_id AND o.outgoing_id = c.outgoing_id AND o.claim_id = c.claim_id
    RETURNING o.organization_id, o.outgoing_id, o.claim_id";

/// Due time of held messages, as claims see it: never.
pub(crate) const NEVER: &str = "'9999-01-01T00:00:00Z'::timestamptz";

/// Condition that message `o` must wait: its organization is suspended, held or removed, or its inbox is paused.
pub(crate) const IS_HELD: &str = "(
    EXISTS (SELECT FROM organizations g WHERE g.organization_id = o.organization_id
        AND (g.suspended_at IS NOT NULL OR g.brake = 'held' OR g.removed_at IS NOT NULL))
    OR EXISTS (SELECT FROM inboxes i WHERE i.organization_id = o.organization_id AND i.inbox_id = o.inbox_id
        AND i.paused_at IS NOT NULL))";

/// A held message stays held: only its original due time changes.
const DEFER: &str = "
    UPDATE outgoing SET recipients = $4, is_delay_told = $6, deferral = $7, claim_id = NULL,
        due_at = CASE WHEN held_due_at IS NULL THEN $5 ELSE due_at END,
        held_due_at = CASE WHEN held_due_at IS NULL THEN NULL ELSE $5 END
    WHERE organization_id = $1 AND outgoing_id = $2 AND claim_id = $3";

/// Extends a claim like [`DEFER`].
const POSTPONE: &str = "
    UPDATE outgoing SET due_at = CASE WHEN held_due_at IS NULL THEN $4 ELSE due_at END,
        held_due_at = CASE WHEN held_due_at IS NULL THEN NULL ELSE $4 END
    WHERE organization_id = $1 AND outgoing_id = $2 AND claim_id = $3";

/// A row under concurrent change is waited for and deleted in any case.
static TAKE_BEFORE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "
    DELETE FROM outgoing o USING (
        SELECT organization_id, outgoing_id FROM outgoing WHERE created_at <= $1
        ORDER BY organization_id, outgoing_id LIMIT $2) few
    WHERE o.organization_id = few.organization_id AND o.outgoing_id = few.outgoing_id
    RETURNING {OUTGOING}"
    )
});

static ENQUEUE: LazyLock<String> = LazyLock::new(|| writing(&[insert_queued()]));

#[derive(QueryableByName)]
#[expect(clippy::struct_field_names, reason = "they are the names of the columns")]
struct MailClaimRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    outgoing_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    claim_id: Uuid,
}

#[derive(QueryableByName)]
struct IdRow {
    #[diesel(sql_type = SqlUuid)]
    outgoing_id: Uuid,
}

#[async_trait]
impl OutgoingWrites for PgTx {
    async fn enqueue(&mut self, mails: &[QueuedMail]) -> Result<(), StoreError> {
        if mails.is_empty() {
            return Ok(());
        }
        bind(Sql::new(ENQUEUE.as_str()), mails)?.write(self.connection().await?, &[mails.len()]).await
    }

    async fn claim(&mut self, claim: &OutgoingClaim) -> Result<Vec<QueuedMail>, StoreError> {
        super::claim::claim(self.connection().await?, claim).await
    }

    async fn defer(&mut self, mail: &QueuedMail, reason: &str) -> Result<bool, StoreError> {
        let written = Sql::new(DEFER)
            .uuid(mail.organization_id.0)
            .uuid(mail.outgoing_id.0)
            .bind::<Nullable<SqlUuid>, _>(mail.claim_id)
            .texts(mail.recipients.iter().map(EmailAddress::as_str))
            .time(mail.due_at)
            .bind::<Bool, _>(mail.is_delay_told)
            .text(reason)
            .run(self.connection().await?)
            .await?;
        Ok(written > 0)
    }

    async fn holds_message(&mut self, message: &MessageKey) -> Result<bool, StoreError> {
        let text = "SELECT outgoing_id FROM outgoing
            WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3 LIMIT 1";
        let row = Sql::new(text)
            .uuid(message.organization_id.0)
            .text(message.inbox_id.as_str())
            .text(message.message_id.as_str())
            .row::<IdRow>(self.connection().await?)
            .await?;
        Ok(row.is_some())
    }

    async fn log_attempts(&mut self, attempts: &[DeliveryAttempt]) -> Result<(), StoreError> {
        super::attempts::append(self.connection().await?, attempts).await
    }

    async fn postpone(&mut self, claim: ClaimedMail, due_at: OffsetDateTime) -> Result<bool, StoreError> {
        let written = Sql::new(POSTPONE)
            .uuid(claim.organization_id.0)
            .uuid(claim.outgoing_id.0)
            .uuid(claim.claim_id)
            .time(due_at)
            .run(self.connection().await?)
            .await?;
        Ok(written > 0)
    }

    async fn suspend(&mut self, slice: &QueueSlice) -> Result<Option<OutgoingId>, StoreError> {
        let set = format!("held_due_at = o.due_at, due_at = {NEVER}");
        self.change_slice(slice, "o.held_due_at IS NULL", &set, "true").await
    }

    async fn resume(&mut self, slice: &QueueSlice) -> Result<Option<OutgoingId>, StoreError> {
        let set = "due_at = o.held_due_at, held_due_at = NULL";
        self.change_slice(slice, "o.held_due_at IS NOT NULL", set, &format!("NOT {IS_HELD}")).await
    }

    async fn remove(&mut self, claims: &[ClaimedMail]) -> Result<Vec<ClaimedMail>, StoreError> {
        let removed = Sql::new(REMOVE)
            .uuids(claims.iter().map(|claim| claim.organization_id.0))
            .uuids(claims.iter().map(|claim| claim.outgoing_id.0))
            .uuids(claims.iter().map(|claim| claim.claim_id))
            .rows::<MailClaimRow>(self.connection().await?)
            .await?;
        let claims = removed.into_iter().map(|row| ClaimedMail {
            organization_id: row.organization_id.into(),
            outgoing_id: row.outgoing_id.into(),
            claim_id: row.claim_id,
        });
        Ok(claims.collect())
    }

    async fn take_before(&mut self, at: OffsetDateTime, limit: u32) -> Result<Vec<QueuedMail>, StoreError> {
        let rows = Sql::new(TAKE_BEFORE.as_str())
            .time(at)
            .big(limit.into())
            .rows::<OutgoingRow>(self.connection().await?)
            .await?;
        Ok(rows.into_iter().filter_map(OutgoingRow::readable).collect())
    }

    async fn capture(&mut self, mail: &CapturedMail) -> Result<(), StoreError> {
        let recipients: Vec<&str> = mail.recipients.iter().map(EmailAddress::as_str).collect();
        let connection = self.connection().await?;
        diesel::insert_into(captured::table)
            .values((
                captured::envelope_from.eq(mail.envelope_from.as_str()),
                captured::recipients.eq(recipients),
                captured::sealed.eq(mail.sealed.as_slice()),
                captured::captured_at.eq(mail.captured_at),
                captured::organization_id.eq(mail.message.as_ref().map(|key| key.organization_id.0)),
                captured::inbox_id.eq(mail.message.as_ref().map(|key| key.inbox_id.as_str())),
                captured::message_id.eq(mail.message.as_ref().map(|key| key.message_id.as_str())),
            ))
            .execute(connection)
            .await
            .map_err(failure)?;
        let text = "DELETE FROM captured WHERE captured_id <=
            (SELECT captured_id FROM captured ORDER BY captured_id DESC OFFSET $1 LIMIT 1)";
        Sql::new(text).big(MAX_CAPTURED).run(connection).await?;
        Ok(())
    }
}

impl PgTx {
    /// Changes the next messages of a slice that meet a condition. Returns the last one if more may follow.
    async fn change_slice(
        &mut self,
        slice: &QueueSlice,
        state: &str,
        set: &str,
        condition: &str,
    ) -> Result<Option<OutgoingId>, StoreError> {
        let inbox = if slice.inbox_id.is_some() { "o.inbox_id = $2" } else { "$2::text IS NULL" };
        let text = format!(
            "WITH slice AS MATERIALIZED (
                SELECT o.outgoing_id FROM outgoing o
                WHERE o.organization_id = $1 AND {inbox} AND o.outgoing_id > $3 AND NOT o.is_code AND {state}
                ORDER BY o.outgoing_id LIMIT $4
            ), changed AS (
                UPDATE outgoing o SET {set} FROM slice
                WHERE o.organization_id = $1 AND o.outgoing_id = slice.outgoing_id AND {state} AND {condition}
            )
            SELECT outgoing_id FROM slice ORDER BY outgoing_id OFFSET greatest($4 - 1, 0) LIMIT 1"
        );
        let last = Sql::new(text)
            .uuid(slice.organization_id.0)
            .optional_text(slice.inbox_id.as_ref().map(InboxId::as_str))
            .uuid(slice.after.map_or_else(Uuid::nil, |after| after.0))
            .big(slice.limit.into())
            .row::<IdRow>(self.connection().await?)
            .await?;
        Ok(last.map(|row| row.outgoing_id.into()))
    }
}
