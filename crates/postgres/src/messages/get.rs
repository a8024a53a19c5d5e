//! Batched reads of single messages by their ids.

use std::sync::LazyLock;

use diesel::sql_types::{BigInt, Binary};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{HidingLabels, InboxId, Message, MessageId, OrganizationId};
use inboxd_core::ports::StoreError;

use super::rows::{BODY_OF_MESSAGE, FINDINGS, FindingsRow, ITEM, ItemRow, MessageRow, unseen};
use crate::query_batcher::{BatchedQuery, in_order};
use crate::sql::{Columns, Sql};

/// Maximum bytes of the bodies of a message in a batch: the other reads of the batch wait for them.
const MAX_SHARED_BODY_BYTES: i64 = 64 * 1024;

/// One primary key lookup per message and table.
static TEXT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT w.place, {ITEM}, {FINDINGS}, b.body
        FROM unnest($1::uuid[], $2::text[], $3::text[], $4::smallint[]) WITH ORDINALITY
            AS w(organization_id, inbox_id, message_id, unseen, place)
        JOIN inboxes i USING (organization_id, inbox_id)
        JOIN messages m USING (organization_id, inbox_id, message_id)
        JOIN message_bodies b ON {BODY_OF_MESSAGE}
        WHERE i.deleted_at IS NULL AND m.hidden & w.unseen = 0 AND b.body_bytes <= $5"
    )
});

/// Column types of a row.
type SqlRow = (BigInt, Columns<ItemRow>, Columns<FindingsRow>, Binary);

/// The key of a message, with the labels that its reader may see.
#[derive(Clone)]
pub(crate) struct MessageLookup {
    pub(crate) organization_id: OrganizationId,
    pub(crate) inbox_id: InboxId,
    pub(crate) message_id: MessageId,
    pub(crate) readable: HidingLabels,
}

/// Messages by their ids; `None` for missing ones and those with large bodies.
pub(crate) enum MessageById {}

impl BatchedQuery for MessageById {
    type Input = MessageLookup;
    type Output = Option<Message>;

    async fn run(
        connection: &mut AsyncPgConnection,
        wanted: &[MessageLookup],
    ) -> Result<Vec<Option<Message>>, StoreError> {
        let rows = Sql::new(TEXT.as_str())
            .uuids(wanted.iter().map(|wanted| wanted.organization_id.0))
            .texts(wanted.iter().map(|wanted| wanted.inbox_id.as_str()))
            .texts(wanted.iter().map(|wanted| wanted.message_id.as_str()))
            .smalls(wanted.iter().map(|wanted| unseen(wanted.readable)))
            .big(MAX_SHARED_BODY_BYTES)
            .columns::<SqlRow, (i64, ItemRow, FindingsRow, Vec<u8>)>(connection)
            .await?;
        let rows = rows.into_iter();
        let (numbers, rows): (Vec<i64>, Vec<MessageRow>) =
            rows.map(|(number, item, findings, body)| (number, MessageRow { item, findings, body })).unzip();
        Ok(in_order(wanted.len(), numbers.into_iter().zip(MessageRow::entities(rows).await?)))
    }
}
