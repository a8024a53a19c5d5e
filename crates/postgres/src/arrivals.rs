//! Lookups for received mail, sent in one round trip because none needs the result of another.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Binary, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{InboxId, MessageId};
use inboxd_core::ports::{ArrivalQuery, InboundQueries, KnownMessage, MessageKey, OnArrival, StoreError};
use time::OffsetDateTime;
use tokio::try_join;
use uuid::Uuid;

use crate::accounts::rows::stored_hash;
use crate::contacts::{acquaintances, histories_of_senders};
use crate::inboxes::write::lock_arrivals;
use crate::lists::excerpts_of_lists;
use crate::sql::Sql;
use crate::tx::PgTx;

/// The message with an id, and the newest one that arrived with that id and got another. Only locked inboxes are
/// searched, so their existence needs no check.
const KNOWN: &str = "
    SELECT w.inbox_id, m.message_id, m.header_message_id, m.thread_id, m.digest, 'sent' = ANY(m.labels) AS was_sent,
        m.timestamp
    FROM unnest($1::uuid[], $2::text[], $3::text[]) AS w(organization_id, inbox_id, message_id)
    CROSS JOIN LATERAL (
        (SELECT message_id, header_message_id, thread_id, digest, labels, timestamp FROM messages
            WHERE organization_id = w.organization_id AND inbox_id = w.inbox_id AND message_id = w.message_id)
        UNION ALL
        (SELECT message_id, header_message_id, thread_id, digest, labels, timestamp FROM messages
            WHERE organization_id = w.organization_id AND inbox_id = w.inbox_id AND header_message_id = w.message_id
            ORDER BY timestamp DESC LIMIT 1)
    ) m";

#[derive(QueryableByName)]
struct KnownRow {
    #[diesel(sql_type = Text)]
    inbox_id: String,
    #[diesel(sql_type = Text)]
    message_id: String,
    #[diesel(sql_type = Nullable<Text>)]
    header_message_id: Option<String>,
    #[diesel(sql_type = SqlUuid)]
    thread_id: Uuid,
    #[diesel(sql_type = Nullable<Binary>)]
    digest: Option<Vec<u8>>,
    #[diesel(sql_type = Bool)]
    was_sent: bool,
    #[diesel(sql_type = Timestamptz)]
    timestamp: OffsetDateTime,
}

impl KnownRow {
    fn known(self) -> Result<KnownMessage, StoreError> {
        Ok(KnownMessage {
            inbox_id: InboxId::stored(self.inbox_id),
            message_id: MessageId::stored(self.message_id),
            header_message_id: self.header_message_id.map(MessageId::stored),
            thread_id: self.thread_id.into(),
            digest: self.digest.map(stored_hash).transpose()?,
            was_sent: self.was_sent,
            timestamp: self.timestamp,
        })
    }
}

#[async_trait]
impl InboundQueries for PgTx {
    async fn look_up(&mut self, query: &ArrivalQuery) -> Result<OnArrival, StoreError> {
        self.beginning(async |connection| {
            let ((held, deferred, quarantines), known, excerpts, senders, acquaintances) = try_join!(
                biased;
                lock_arrivals(connection, &query.inboxes),
                known(connection, &query.messages),
                excerpts_of_lists(connection, &query.lists),
                histories_of_senders(connection, &query.contacts),
                acquaintances(connection, &query.acquainted),
            )?;
            Ok(OnArrival { held, deferred, quarantines, known, excerpts, senders, acquaintances })
        })
        .await
    }
}

async fn known(connection: &AsyncPgConnection, messages: &[MessageKey]) -> Result<Vec<KnownMessage>, StoreError> {
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    let rows = Sql::new(KNOWN)
        .uuids(messages.iter().map(|key| key.organization_id.0))
        .texts(messages.iter().map(|key| key.inbox_id.as_str()))
        .texts(messages.iter().map(|key| key.message_id.as_str()))
        .rows_among::<KnownRow>(connection)
        .await?;
    rows.into_iter().map(KnownRow::known).collect()
}
