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

/// One primary key lookup per message.
static TEXT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT m.inbox_id, m.message_id, b.authentication, b.spam,
            (b.extracted ->> 'has_hidden_text')::boolean AS has_hidden_text
        FROM unnest($2::text[], $3::text[]) AS w(inbox_id, message_id)
        CROSS JOIN LATERAL (
            SELECT FROM inboxes
            WHERE organization_id = $1 AND inbox_id = w.inbox_id AND deleted_at IS NULL OFFSET 0) i
        CROSS JOIN LATERAL (
            SELECT * FROM messages
            WHERE organization_id = $1 AND inbox_id = w.inbox_id AND message_id = w.message_id
                AND hidden & $4 = 0 OFFSET 0) m
        {BODIES}"
    )
});

/// Columns of the statement.
type TrustColumns = (Text, Text, Nullable<Jsonb>, Nullable<Jsonb>, Nullable<Bool>);
type TrustRow = (String, String, Option<Value>, Option<Value>, Option<bool>);

fn entity(row: TrustRow) -> Result<MessageTrust, StoreError> {
    let (inbox_id, message_id, authentication, spam, has_hidden_text) = row;
    Ok(MessageTrust {
        inbox_id: InboxId::stored(inbox_id),
        message_id: MessageId::stored(message_id),
        authentication: authentication.map(from_json).transpose()?,
        spam: spam.map(from_json).transpose()?,
        has_hidden_text,
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
        .columns::<TrustColumns, TrustRow>(connection)
        .await?;
    rows.into_iter().map(entity).collect()
}
