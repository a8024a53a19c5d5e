//! Sent messages, by the ids in their return paths.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Array, SmallInt, Text, Uuid as SqlUuid};
use inboxd_core::model::outgoing::SentMessage;
use inboxd_core::model::return_path::{ReportedStatus, SentMail, SentTo};
use inboxd_core::model::{DomainName, InboxId, MessageId, OrganizationId, OutgoingId};
use inboxd_core::ports::{ReturnPathReads, ReturnPathWrites, StoreError};
use uuid::Uuid;

use crate::accounts::rows::stored_address;
use crate::domains::SERVES_NAME;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;

const COLUMNS: &str = "organization_id, outgoing_id, pod_id, inbox_id, thread_id, message_id, recipients, told";

#[derive(QueryableByName)]
struct SentRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    outgoing_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pod_id: Uuid,
    #[diesel(sql_type = Text)]
    inbox_id: String,
    #[diesel(sql_type = SqlUuid)]
    thread_id: Uuid,
    #[diesel(sql_type = Text)]
    message_id: String,
    #[diesel(sql_type = Array<Text>)]
    recipients: Vec<String>,
    #[diesel(sql_type = Array<SmallInt>)]
    told: Vec<i16>,
}

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = Text)]
    name: String,
}

impl SentRow {
    fn entity(self) -> Result<SentMail, StoreError> {
        let reported = self.told.into_iter().chain(std::iter::repeat(0)).map(ReportedStatus::of_bits);
        let recipients = self.recipients.iter().zip(reported);
        Ok(SentMail {
            outgoing_id: self.outgoing_id.into(),
            organization_id: self.organization_id.into(),
            message: SentMessage {
                pod_id: self.pod_id.into(),
                inbox_id: InboxId::stored(self.inbox_id),
                thread_id: self.thread_id.into(),
                message_id: MessageId::stored(self.message_id),
            },
            recipients: recipients
                .map(|(address, reported)| Ok(SentTo { address: stored_address(address)?, reported }))
                .collect::<Result<_, StoreError>>()?,
        })
    }
}

#[async_trait]
impl ReturnPathReads for PgStore {
    async fn sent_mail(&self, outgoing_id: OutgoingId) -> Result<Option<SentMail>, StoreError> {
        let text = format!("SELECT {COLUMNS} FROM return_paths WHERE outgoing_id = $1");
        let row: Option<SentRow> = Sql::new(text).uuid(outgoing_id.0).row(&mut *self.connection().await?).await?;
        row.map(SentRow::entity).transpose()
    }

    async fn served_domain(
        &self,
        organization_id: OrganizationId,
        names: &[DomainName],
    ) -> Result<Option<DomainName>, StoreError> {
        let text = format!(
            "SELECT p.name FROM proven_domains p
            JOIN domains d ON d.organization_id = p.organization_id AND d.domain_id = p.domain_id
            WHERE p.organization_id = $1 AND p.name = ANY($2) AND d.inbound_enabled AND {SERVES_NAME}
            ORDER BY length(p.name) DESC LIMIT 1"
        );
        let row: Option<NameRow> = Sql::new(text)
            .uuid(organization_id.0)
            .texts(names.iter().map(DomainName::as_str))
            .row(&mut *self.connection().await?)
            .await?;
        Ok(row.map(|row| DomainName::stored(row.name)))
    }
}

#[async_trait]
impl ReturnPathWrites for PgTx {
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        outgoing_id: OutgoingId,
    ) -> Result<Option<SentMail>, StoreError> {
        let text = format!(
            "SELECT {COLUMNS} FROM return_paths WHERE organization_id = $1 AND outgoing_id = $2 FOR NO KEY UPDATE"
        );
        let row: Option<SentRow> =
            Sql::new(text).uuid(organization_id.0).uuid(outgoing_id.0).row(self.connection().await?).await?;
        row.map(SentRow::entity).transpose()
    }

    async fn store_reported(&mut self, mail: &SentMail) -> Result<(), StoreError> {
        Sql::new("UPDATE return_paths SET told = $3 WHERE organization_id = $1 AND outgoing_id = $2")
            .uuid(mail.organization_id.0)
            .uuid(mail.outgoing_id.0)
            .smalls(mail.recipients.iter().map(|to| to.reported.bits()))
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn forget(&mut self, before: OutgoingId, limit: u32) -> Result<u64, StoreError> {
        let text = "
            WITH expired AS MATERIALIZED (
                SELECT organization_id, outgoing_id FROM return_paths WHERE outgoing_id < $1
                ORDER BY outgoing_id LIMIT $2 FOR UPDATE SKIP LOCKED
            )
            DELETE FROM return_paths r USING expired e
            WHERE r.organization_id = e.organization_id AND r.outgoing_id = e.outgoing_id";
        let forgotten = Sql::new(text).uuid(before.0).big(i64::from(limit)).run(self.connection().await?).await?;
        Ok(u64::try_from(forgotten).unwrap_or(u64::MAX))
    }
}
