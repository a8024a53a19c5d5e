//! Mail for the operator: the newest messages, within the share of each network and the total capacity.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use inboxd_core::model::{OperatorMail, OperatorMailItem};
use inboxd_core::ports::{OperatorMailReads, OperatorMailWrites, StoreError};
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;

/// Maximum messages and bytes.
const MAX_MAILS: i64 = 1000;
const MAX_BYTES: i64 = 64 * 1024 * 1024;
/// Maximum messages and bytes of one network: a sender evicts its own messages before those of others.
const MAX_NETWORK_MAILS: i64 = 100;
const MAX_NETWORK_BYTES: i64 = 8 * 1024 * 1024;

const HOLD: &str = "
    INSERT INTO operator_mail (mail_id, digest, received_at, network, envelope_from, recipient, subject, size, content)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (digest) DO NOTHING";

/// Rows that another unit of work evicts are skipped, so none waits for another.
const EVICT: &str = "
    WITH of_network AS (
        SELECT mail_id, received_at, octet_length(content) AS bytes,
            row_number() OVER newest AS place, sum(octet_length(content)) OVER newest AS total
        FROM operator_mail
        WINDOW newest AS (PARTITION BY network ORDER BY received_at DESC, mail_id DESC ROWS UNBOUNDED PRECEDING)
    ), within AS (
        SELECT mail_id, row_number() OVER newest AS place, sum(bytes) OVER newest AS total
        FROM of_network WHERE place <= $1 AND total <= $2
        WINDOW newest AS (ORDER BY received_at DESC, mail_id DESC ROWS UNBOUNDED PRECEDING)
    ), gone AS (
        SELECT mail_id FROM operator_mail m
        WHERE NOT EXISTS (SELECT FROM within w WHERE w.mail_id = m.mail_id AND w.place <= $3 AND w.total <= $4)
        FOR UPDATE SKIP LOCKED
    )
    DELETE FROM operator_mail m USING gone WHERE m.mail_id = gone.mail_id";

#[async_trait]
impl OperatorMailWrites for PgTx {
    async fn hold(&mut self, mail: &OperatorMail) -> Result<bool, StoreError> {
        let item = &mail.item;
        let connection = self.connection().await?;
        let inserted = Sql::new(HOLD)
            .uuid(item.mail_id)
            .bytes(&mail.digest)
            .time(item.received_at)
            .text(&mail.network)
            .optional_text(item.envelope_from.as_ref().map(EmailAddress::as_str))
            .text(item.recipient.as_str())
            .optional_text(item.subject.as_deref())
            .big(i64::try_from(item.size).unwrap_or(i64::MAX))
            .bytes(&mail.content)
            .run(connection)
            .await?;
        if inserted == 0 {
            return Ok(false);
        }
        let evict = Sql::new(EVICT).big(MAX_NETWORK_MAILS).big(MAX_NETWORK_BYTES).big(MAX_MAILS).big(MAX_BYTES);
        evict.run(connection).await?;
        Ok(true)
    }
}

#[derive(QueryableByName)]
struct MailItemRow {
    #[diesel(sql_type = SqlUuid)]
    mail_id: Uuid,
    #[diesel(sql_type = Timestamptz)]
    received_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Text>)]
    envelope_from: Option<String>,
    #[diesel(sql_type = Text)]
    recipient: String,
    #[diesel(sql_type = Nullable<Text>)]
    subject: Option<String>,
    #[diesel(sql_type = BigInt)]
    size: i64,
}

impl MailItemRow {
    fn item(self) -> Result<OperatorMailItem, StoreError> {
        let address = |text: String| {
            text.parse::<EmailAddress>()
                .map_err(|error| StoreError::Failed(format!("stored address {text:?}: {error}")))
        };
        Ok(OperatorMailItem {
            mail_id: self.mail_id,
            received_at: self.received_at,
            envelope_from: self.envelope_from.map(address).transpose()?,
            recipient: address(self.recipient)?,
            subject: self.subject,
            size: u64::try_from(self.size).unwrap_or(0),
        })
    }
}

#[derive(QueryableByName)]
struct MailContentRow {
    #[diesel(embed)]
    item: MailItemRow,
    #[diesel(sql_type = Binary)]
    content: Vec<u8>,
}

#[async_trait]
impl OperatorMailReads for PgStore {
    async fn operator_mails(&self, limit: u32) -> Result<Vec<OperatorMailItem>, StoreError> {
        let text = "SELECT mail_id, received_at, envelope_from, recipient, subject, size FROM operator_mail
            ORDER BY received_at DESC, mail_id DESC LIMIT $1";
        let rows = Sql::new(text).big(limit.into()).rows::<MailItemRow>(&mut *self.connection().await?).await?;
        rows.into_iter().map(MailItemRow::item).collect()
    }

    async fn operator_mail(&self, mail_id: Uuid) -> Result<Option<(OperatorMailItem, Vec<u8>)>, StoreError> {
        let text = "SELECT mail_id, received_at, envelope_from, recipient, subject, size, content FROM operator_mail
            WHERE mail_id = $1";
        let row = Sql::new(text).uuid(mail_id).row::<MailContentRow>(&mut *self.connection().await?).await?;
        row.map(|MailContentRow { item, content }| Ok((item.item()?, content))).transpose()
    }
}
