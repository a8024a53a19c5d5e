//! Mail that was refused at SMTP.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::QueryableByName;
use inboxd_core::model::{InboxId, SmtpRefusal, SmtpStage};
use inboxd_core::ports::{RefusalBounds, RefusalWrites, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::array_params::{Column, MAX_ROWS, Values, names, unnest_rows};
use crate::schema::smtp_refusals;
use crate::sql::Sql;
use crate::tx::PgTx;
use crate::usage::{from_count, to_count};

/// Columns of a new row of `smtp_refusals`.
const REFUSAL: &[Column<SmtpRefusal>] = &[
    ("organization_id", Values::Uuid(|refusal| refusal.organization_id.0)),
    ("inbox_id", Values::Text(|refusal| refusal.inbox_id.as_str())),
    ("refusal_id", Values::Uuid(|refusal| refusal.refusal_id.0)),
    ("refused_at", Values::Time(|refusal| refusal.refused_at)),
    ("last_refused_at", Values::Time(|refusal| refusal.last_refused_at)),
    ("refusals", Values::BigInt(|refusal| from_count(refusal.count))),
    ("client", Values::Text(|refusal| refusal.client.as_str())),
    ("helo", Values::Text(|refusal| refusal.helo.as_str())),
    ("envelope_from", Values::OptionalText(|refusal| refusal.envelope_from.as_deref())),
    ("recipient", Values::Text(|refusal| refusal.recipient.as_str())),
    ("stage", Values::Text(|refusal| refusal.stage.as_str())),
    ("code", Values::Integer(|refusal| refusal.code.into())),
    ("status", Values::Text(|refusal| refusal.status.as_str())),
    ("reply", Values::Text(|refusal| refusal.reply.as_str())),
];

static ADD: LazyLock<String> = LazyLock::new(|| {
    format!(
        "INSERT INTO smtp_refusals ({}) {}
        ON CONFLICT (organization_id, inbox_id, refusal_id) DO UPDATE SET
            refusals = smtp_refusals.refusals + excluded.refusals,
            last_refused_at = greatest(smtp_refusals.last_refused_at, excluded.last_refused_at)",
        names(REFUSAL),
        unnest_rows(REFUSAL)
    )
});

/// Deletes the oldest refusals of an inbox beyond the newest $3, at most $4.
const TRIM_INBOX: &str = "
    WITH oldest AS MATERIALIZED (
        SELECT refusal_id FROM smtp_refusals WHERE organization_id = $1 AND inbox_id = $2
        ORDER BY refused_at DESC, refusal_id DESC OFFSET $3 LIMIT $4)
    DELETE FROM smtp_refusals r USING oldest o
    WHERE r.organization_id = $1 AND r.inbox_id = $2 AND r.refusal_id = o.refusal_id";

/// Deletes the oldest refusals of an organization beyond the newest $2, at most $3.
const TRIM_ORGANIZATION: &str = "
    WITH oldest AS MATERIALIZED (
        SELECT inbox_id, refusal_id FROM smtp_refusals WHERE organization_id = $1
        ORDER BY refused_at DESC, refusal_id DESC OFFSET $2 LIMIT $3)
    DELETE FROM smtp_refusals r USING oldest o
    WHERE r.organization_id = $1 AND r.inbox_id = o.inbox_id AND r.refusal_id = o.refusal_id";

const PURGE: &str = "
    WITH expired AS MATERIALIZED (
        SELECT organization_id, inbox_id, refusal_id FROM smtp_refusals
        WHERE refused_at < $1 ORDER BY refused_at LIMIT $2)
    DELETE FROM smtp_refusals r USING expired e
    WHERE r.organization_id = e.organization_id AND r.inbox_id = e.inbox_id AND r.refusal_id = e.refusal_id";

#[async_trait]
impl RefusalWrites for PgTx {
    async fn add(&mut self, refusals: &[SmtpRefusal], bounds: RefusalBounds) -> Result<(), StoreError> {
        for batch in refusals.chunks(MAX_ROWS) {
            Sql::new(ADD.as_str()).bind_rows(REFUSAL, batch)?.run(self.connection().await?).await?;
        }
        // More than the added rows, so that an owner far beyond a bound returns to it.
        let most = from_count(refusals.len() as u64).saturating_mul(2);
        let inboxes: BTreeSet<_> =
            refusals.iter().map(|refusal| (refusal.organization_id, &refusal.inbox_id)).collect();
        for (organization_id, inbox_id) in &inboxes {
            let trim = Sql::new(TRIM_INBOX).uuid(organization_id.0).text(inbox_id.as_str());
            trim.big(from_count(bounds.of_inbox)).big(most).run(self.connection().await?).await?;
        }
        let organizations: BTreeSet<_> = inboxes.iter().map(|(organization_id, _)| *organization_id).collect();
        for organization_id in organizations {
            let trim = Sql::new(TRIM_ORGANIZATION).uuid(organization_id.0);
            trim.big(from_count(bounds.of_organization)).big(most).run(self.connection().await?).await?;
        }
        Ok(())
    }

    async fn purge(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        let purged = Sql::new(PURGE).time(before).big(i64::from(limit)).run(self.connection().await?).await?;
        Ok(purged as u64)
    }
}

/// Refusals of an inbox.
#[derive(QueryableByName)]
#[diesel(table_name = smtp_refusals)]
pub(crate) struct RefusalRow {
    organization_id: Uuid,
    inbox_id: String,
    refusal_id: Uuid,
    refused_at: OffsetDateTime,
    last_refused_at: OffsetDateTime,
    refusals: i64,
    client: String,
    helo: String,
    envelope_from: Option<String>,
    recipient: String,
    stage: String,
    code: i32,
    status: String,
    reply: String,
}

impl RefusalRow {
    /// Returns the refusals of the row.
    pub(crate) fn entity(self) -> Result<SmtpRefusal, StoreError> {
        let unknown = || StoreError::Failed(format!("unknown stage of a refusal {:?}", self.stage));
        Ok(SmtpRefusal {
            stage: SmtpStage::named(&self.stage).ok_or_else(unknown)?,
            organization_id: self.organization_id.into(),
            inbox_id: InboxId::stored(self.inbox_id),
            refusal_id: self.refusal_id.into(),
            client: self.client,
            helo: self.helo,
            envelope_from: self.envelope_from,
            recipient: self.recipient,
            code: u16::try_from(self.code).unwrap_or_default(),
            status: self.status,
            reply: self.reply,
            count: to_count(self.refusals),
            refused_at: self.refused_at,
            last_refused_at: self.last_refused_at,
        })
    }
}
