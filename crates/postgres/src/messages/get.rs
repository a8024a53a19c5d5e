//! Batched reads of single messages by their ids.

use std::sync::LazyLock;

use diesel::sql_types::BigInt;
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{HidingLabels, InboxId, Message, MessageId, OrganizationId};
use inboxd_core::ports::StoreError;

use super::rows::{BODIES, BODY, BODY_BYTES, BodyRow, ITEM, ItemRow, MessageRow, unseen};
use crate::query_batcher::{BatchedQuery, in_order};
use crate::sql::{Columns, Sql};

/// Maximum bytes of the bodies of a message in a batch: the other reads of the batch wait for them.
const MAX_BODY_BYTES: i64 = 64 * 1024;

/// One primary key lookup per message: `OFFSET 0` prevents a scan of a table that the planner assumes to be small.
static TEXT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT w.place, {ITEM}, {BODY}
        FROM unnest($1::uuid[], $2::text[], $3::text[], $4::smallint[]) WITH ORDINALITY
            AS w(organization_id, inbox_id, message_id, unseen, place)
        CROSS JOIN LATERAL (
            SELECT FROM inboxes
            WHERE organization_id = w.organization_id AND inbox_id = w.inbox_id AND deleted_at IS NULL OFFSET 0) i
        CROSS JOIN LATERAL (
            SELECT * FROM messages
            WHERE organization_id = w.organization_id AND inbox_id = w.inbox_id AND message_id = w.message_id
                AND hidden & w.unseen = 0 OFFSET 0) m
        {BODIES}
        WHERE {BODY_BYTES} <= $5"
    )
});

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
            .big(MAX_BODY_BYTES)
            .columns::<(BigInt, Columns<ItemRow>, Columns<BodyRow>), (i64, ItemRow, BodyRow)>(connection)
            .await?;
        let found = rows.into_iter().map(|(number, item, body)| Ok((number, MessageRow { item, body }.entity()?)));
        Ok(in_order(wanted.len(), found.collect::<Result<Vec<_>, StoreError>>()?))
    }
}
