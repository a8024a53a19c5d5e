//! State shared by all processes of a database: the check value of the secret key, and the hold of the queue.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Binary, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use inboxd_core::model::{DraftId, InboxId, OrganizationId};
use inboxd_core::ports::{HeldMail, QueueHolds, StoreError, Tx as _};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::accounts::rows::stored_hash;
use crate::outgoing::queue::{IS_HELD, NEVER};
use crate::sql::Sql;
use crate::store::PgStore;

/// Condition of a queue row that is held for its inbox or organization.
const HELD_ROW: &str = "held_due_at IS NOT NULL AND NOT is_code";

#[derive(QueryableByName)]
struct HeldMailRow {
    #[diesel(sql_type = Nullable<Timestamptz>)]
    held_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    organization_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    inbox_id: Option<String>,
}

#[derive(QueryableByName)]
struct DraftKey {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    draft_id: Uuid,
}

#[derive(QueryableByName)]
struct StateRow {
    #[diesel(sql_type = Nullable<Binary>)]
    secret_key_check: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    held_at: Option<OffsetDateTime>,
}

/// The check value of the first process stays: concurrent starts wait for the row.
const CLAIM_CHECK: &str = "
    INSERT INTO service_state AS s (secret_key_check) VALUES ($1)
    ON CONFLICT (singleton) DO UPDATE SET secret_key_check = coalesce(s.secret_key_check, excluded.secret_key_check)
    RETURNING secret_key_check, held_at";

/// Requests for codes from before the restore of a backup are obsolete.
const FORGET_CODES: &str = "UPDATE sign_in_codes SET mail_due_at = NULL WHERE mail_due_at IS NOT NULL";

/// Returns the statement that holds queued codes.
fn hold_codes() -> String {
    format!("UPDATE outgoing SET held_due_at = due_at, due_at = {NEVER} WHERE is_code AND held_due_at IS NULL")
}

/// Returns a script that holds the queue from the beginning of its transaction on, like [`PgStore::begin_hold`]. The beginning
/// of an earlier hold is replaced: mail that the backed up service accepted during that hold may have left since.
pub(crate) fn hold_script() -> String {
    let codes = hold_codes();
    format!(
        "DO $$ BEGIN
            UPDATE service_state SET held_at = date_trunc('milliseconds', now());
            IF FOUND THEN {codes}; {FORGET_CODES}; END IF;
        END $$;"
    )
}

impl PgStore {
    /// Stores the check value of a secret key unless there is one, and returns the one in force.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn claim_secret_key_check(&self, check: &[u8; 32]) -> Result<[u8; 32], StoreError> {
        let row = Sql::new(CLAIM_CHECK).bytes(check).row::<StateRow>(&mut *self.connection().await?).await?;
        let stored = row.and_then(|row| row.secret_key_check);
        stored.map_or(Ok(*check), stored_hash)
    }

    /// Returns the check value of the secret key in force; `None` before the first start.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn secret_key_check(&self) -> Result<Option<[u8; 32]>, StoreError> {
        self.service_state().await?.and_then(|row| row.secret_key_check).map(stored_hash).transpose()
    }

    /// Stores the check value of another secret key, and deletes the ACME accounts and certificates, whose keys it does not
    /// open.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn replace_secret_key_check(&self, check: &[u8; 32]) -> Result<(), StoreError> {
        let text = "WITH accounts AS (DELETE FROM acme_accounts), certificates AS (DELETE FROM acme_certificates)
            INSERT INTO service_state (secret_key_check) VALUES ($1)
            ON CONFLICT (singleton) DO UPDATE SET secret_key_check = excluded.secret_key_check";
        Sql::new(text).bytes(check).run(&mut *self.connection().await?).await?;
        Ok(())
    }

    /// Returns the start of the hold; `None` without a hold.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn held_since(&self) -> Result<Option<OffsetDateTime>, StoreError> {
        Ok(self.service_state().await?.and_then(|row| row.held_at))
    }

    /// Holds the queue from a time on: messages, scheduled drafts, webhook deliveries and earlier codes wait for an
    /// operator. An existing hold stays unchanged.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn begin_hold(&self, at: OffsetDateTime) -> Result<(), StoreError> {
        let mut tx = self.unit_of_work().await?;
        let connection = tx.connection().await?;
        let text = "UPDATE service_state SET held_at = $1 WHERE held_at IS NULL";
        if Sql::new(text).time(at).run(connection).await? > 0 {
            Sql::new(hold_codes()).run(connection).await?;
            Sql::new(FORGET_CODES).run(connection).await?;
        }
        Box::new(tx).commit().await
    }

    /// Ends the hold; waiting mail becomes due.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn release_hold(&self) -> Result<(), StoreError> {
        let mut tx = self.unit_of_work().await?;
        let connection = tx.connection().await?;
        Sql::new("UPDATE service_state SET held_at = NULL").run(connection).await?;
        let text = "UPDATE outgoing SET due_at = held_due_at, held_due_at = NULL
            WHERE is_code AND held_due_at IS NOT NULL";
        Sql::new(text).run(connection).await?;
        Box::new(tx).commit().await
    }

    /// Returns up to `limit` drafts that were scheduled for a time or before.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn drafts_due_before(
        &self,
        at: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<(OrganizationId, DraftId)>, StoreError> {
        let text = "SELECT organization_id, draft_id FROM drafts WHERE due_at IS NOT NULL AND send_at <= $1 LIMIT $2";
        let rows = Sql::new(text).time(at).big(limit.into()).rows::<DraftKey>(&mut *self.connection().await?).await?;
        Ok(rows.into_iter().map(|row| (row.organization_id.into(), row.draft_id.into())).collect())
    }

    /// Deletes up to `limit` queued deliveries of events from a time or before, and returns their number.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn drop_deliveries_before(&self, at: OffsetDateTime, limit: u32) -> Result<usize, StoreError> {
        let text = "DELETE FROM webhook_deliveries d USING (
                SELECT organization_id, webhook_id, event_id FROM webhook_deliveries
                WHERE event_created_at <= $1 LIMIT $2) few
            WHERE d.organization_id = few.organization_id AND d.webhook_id = few.webhook_id AND d.event_id = few.event_id";
        Sql::new(text).time(at).big(limit.into()).run(&mut *self.connection().await?).await
    }

    async fn service_state(&self) -> Result<Option<StateRow>, StoreError> {
        let text = "SELECT secret_key_check, held_at FROM service_state";
        Sql::new(text).row(&mut *self.connection().await?).await
    }
}

#[async_trait]
impl QueueHolds for PgStore {
    async fn held_mail(&self, inboxes: &[(OrganizationId, InboxId)]) -> Result<HeldMail, StoreError> {
        let text = format!(
            "SELECT s.held_at, w.organization_id, w.inbox_id FROM service_state s LEFT JOIN (
                SELECT o.organization_id, o.inbox_id
                FROM unnest($1::uuid[], $2::text[]) AS o(organization_id, inbox_id) WHERE {IS_HELD}) w ON true"
        );
        let rows = Sql::new(text)
            .uuids(inboxes.iter().map(|(organization_id, _)| organization_id.0))
            .texts(inboxes.iter().map(|(_, inbox_id)| inbox_id.as_str()))
            .rows::<HeldMailRow>(&mut *self.connection().await?)
            .await?;
        let queue_since = rows.first().and_then(|row| row.held_at);
        let inbox = |row: HeldMailRow| Some((row.organization_id?.into(), InboxId::stored(row.inbox_id?)));
        Ok(HeldMail { queue_since, inboxes: rows.into_iter().filter_map(inbox).collect() })
    }

    async fn resume_unheld(&self, limit: u32) -> Result<usize, StoreError> {
        let text = format!(
            "WITH RECURSIVE inbox AS (
                (SELECT organization_id, inbox_id FROM outgoing WHERE {HELD_ROW}
                    ORDER BY organization_id, inbox_id LIMIT 1)
                UNION ALL
                SELECT n.organization_id, n.inbox_id FROM inbox i CROSS JOIN LATERAL (
                    SELECT organization_id, inbox_id FROM outgoing
                    WHERE {HELD_ROW} AND (organization_id, inbox_id) > (i.organization_id, i.inbox_id)
                    ORDER BY organization_id, inbox_id LIMIT 1) n
            ), found AS MATERIALIZED (
                SELECT q.organization_id, q.outgoing_id
                FROM (SELECT organization_id, inbox_id FROM inbox o WHERE NOT {IS_HELD}) a CROSS JOIN LATERAL (
                    SELECT organization_id, outgoing_id FROM outgoing
                    WHERE {HELD_ROW} AND organization_id = a.organization_id AND inbox_id = a.inbox_id LIMIT $1) q
                LIMIT $1
            )
            UPDATE outgoing o SET due_at = o.held_due_at, held_due_at = NULL FROM found f
            WHERE o.organization_id = f.organization_id AND o.outgoing_id = f.outgoing_id AND o.held_due_at IS NOT NULL"
        );
        Sql::new(text).big(limit.into()).run(&mut *self.connection().await?).await
    }
}
