//! Facts about the senders of messages.

use std::sync::LazyLock;

use diesel::sql_types::{Bool, Jsonb, Nullable, Text};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{HidingLabels, InboxId, MessageId, MessageTrust, OrganizationId};
use inboxd_core::ports::StoreError;
use serde_json::Value;

use super::rows::{BODIES, unseen};
use crate::sql::Sql;
use crate::text::from_json;

/// Earlier messages of a sender that are looked through for one that the reader may see. Without one among them, the
/// message counts as the first.
const MAX_EARLIER: i64 = 20;

/// One primary key lookup per message, and one in the index by sender, whose expression this repeats.
static TEXT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT m.inbox_id, m.message_id, b.authentication, b.spam,
            (b.extracted ->> 'has_hidden_text')::boolean AS has_hidden_text,
            CASE WHEN m.sent_by IS NULL THEN NOT EXISTS (
                SELECT FROM (
                    SELECT e.hidden FROM messages e
                    WHERE e.organization_id = m.organization_id AND e.inbox_id = m.inbox_id AND e.sent_by IS NULL
                        AND {of_earlier} = {of_message} AND e.timestamp < m.timestamp
                    ORDER BY e.timestamp DESC LIMIT $5) e
                WHERE e.hidden & $4 = 0)
            END AS is_first_contact
        FROM unnest($2::text[], $3::text[]) AS w(inbox_id, message_id)
        CROSS JOIN LATERAL (
            SELECT FROM inboxes
            WHERE organization_id = $1 AND inbox_id = w.inbox_id AND deleted_at IS NULL OFFSET 0) i
        CROSS JOIN LATERAL (
            SELECT * FROM messages
            WHERE organization_id = $1 AND inbox_id = w.inbox_id AND message_id = w.message_id
                AND hidden & $4 = 0 OFFSET 0) m
        {BODIES}",
        of_earlier = sender_hash("e"),
        of_message = sender_hash("m"),
    )
});

/// Returns the expression of the index by sender, for the row of a table.
pub(crate) fn sender_hash(row: &str) -> String {
    format!("hashtextextended(lower(coalesce(substring({row}.from_ FROM '<([^<>]*)>$'), {row}.from_)), 0)")
}

/// Columns of the statement.
type TrustColumns = (Text, Text, Nullable<Jsonb>, Nullable<Jsonb>, Nullable<Bool>, Nullable<Bool>);
type TrustRow = (String, String, Option<Value>, Option<Value>, Option<bool>, Option<bool>);

fn entity(row: TrustRow) -> Result<MessageTrust, StoreError> {
    let (inbox_id, message_id, authentication, spam, has_hidden_text, is_first_contact) = row;
    Ok(MessageTrust {
        inbox_id: InboxId::stored(inbox_id),
        message_id: MessageId::stored(message_id),
        authentication: authentication.map(from_json).transpose()?,
        spam: spam.map(from_json).transpose()?,
        has_hidden_text,
        is_first_contact,
    })
}

/// Reads the facts about the senders of messages, in no order.
pub(super) async fn read(
    connection: &mut AsyncPgConnection,
    organization_id: OrganizationId,
    messages: &[(InboxId, MessageId)],
    readable: HidingLabels,
) -> Result<Vec<MessageTrust>, StoreError> {
    let rows = Sql::new(TEXT.as_str())
        .uuid(organization_id.0)
        .texts(messages.iter().map(|(inbox_id, _)| inbox_id.as_str()))
        .texts(messages.iter().map(|(_, message_id)| message_id.as_str()))
        .small(unseen(readable))
        .big(MAX_EARLIER)
        .columns::<TrustColumns, TrustRow>(connection)
        .await?;
    rows.into_iter().map(entity).collect()
}
