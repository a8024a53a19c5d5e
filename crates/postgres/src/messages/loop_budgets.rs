//! Loop budgets: messages from keys to each address of a thread.

use diesel::QueryableByName;
use diesel::sql_types::{Text, Timestamptz};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{InboxId, OrganizationId, ThreadId};
use inboxd_core::ports::StoreError;
use inboxd_core::rules::loops::ExhaustedLoopBudget;
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use crate::sql::Sql;

/// Messages of the thread after $5 that a key has sent, by recipient; for each address in $4 the $6th, counted from the
/// newest. A thread has a bounded number of messages with at most fifty recipients each.
const EXHAUSTED: &str = "
    SELECT address, timestamp FROM (
        SELECT r.address, m.timestamp,
            row_number() OVER (PARTITION BY r.address ORDER BY m.timestamp DESC, m.message_id DESC) AS place
        FROM messages m CROSS JOIN LATERAL (
            SELECT DISTINCT coalesce(substring(lower(mailbox) FROM '<([^<>]*)>$'), lower(mailbox)) AS address
            FROM unnest(m.to_ || m.cc || m.bcc) AS mailbox) r
        WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.thread_id = $3 AND m.timestamp > $5
            AND (m.sent_by->>'type' = 'api_key' OR m.sent_by->>'connection_id' IS NOT NULL) AND r.address = ANY($4)) counted
    WHERE place = $6";

#[derive(QueryableByName)]
struct SpentRow {
    #[diesel(sql_type = Text)]
    address: String,
    #[diesel(sql_type = Timestamptz)]
    timestamp: OffsetDateTime,
}

/// Returns the addresses to which keys have sent `budget` messages in the thread.
pub(super) async fn exhausted(
    connection: &mut AsyncPgConnection,
    (organization_id, inbox_id, thread_id): (OrganizationId, &InboxId, ThreadId),
    addresses: &[EmailAddress],
    after: OffsetDateTime,
    budget: u32,
) -> Result<Vec<ExhaustedLoopBudget>, StoreError> {
    let addresses: Vec<String> = addresses.iter().map(EmailAddress::normalized).collect();
    let rows: Vec<SpentRow> = Sql::new(EXHAUSTED)
        .uuid(organization_id.0)
        .text(inbox_id.as_str())
        .uuid(thread_id.0)
        .texts(addresses.iter().map(String::as_str))
        .time(after)
        .big(i64::from(budget))
        .rows(connection)
        .await?;
    Ok(rows
        .into_iter()
        .map(|SpentRow { address, timestamp }| ExhaustedLoopBudget { address, oldest: timestamp })
        .collect())
}
