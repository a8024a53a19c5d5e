//! Reading one message, as most readers do: those that are asked for at the same moment are read together.

use std::sync::LazyLock;

use diesel::sql_types::BigInt;
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{Hidden, InboxId, Message, MessageId, OrganizationId};
use inboxd_core::ports::StoreError;

use super::rows::{BODIES, BODY, BODY_OCTETS, BodyRow, ITEM, ItemRow, MessageRow, unseen};
use crate::shared::{Together, in_order};
use crate::sql::{Columns, Sql};

/// The most octets of a message's bodies that others wait for who asked at the same moment.
const MOST_OCTETS: i64 = 64 * 1024;

/// A step along each primary key for every message: `OFFSET 0` keeps the planner from reading a table that it thinks small.
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
        WHERE {BODY_OCTETS} <= $5"
    )
});

/// A message that somebody asks for.
pub(crate) struct Wanted {
    pub(crate) organization_id: OrganizationId,
    pub(crate) inbox_id: InboxId,
    pub(crate) message_id: MessageId,
    pub(crate) readable: Hidden,
}

/// Messages by their ids; nothing for those that are not there or have large bodies.
pub(crate) enum OneMessage {}

impl Together for OneMessage {
    type Question = Wanted;
    type Answer = Option<Message>;

    async fn answer(connection: &mut AsyncPgConnection, wanted: &[Wanted]) -> Result<Vec<Option<Message>>, StoreError> {
        let rows = Sql::new(TEXT.as_str())
            .uuids(wanted.iter().map(|wanted| wanted.organization_id.0))
            .texts(wanted.iter().map(|wanted| wanted.inbox_id.as_str()))
            .texts(wanted.iter().map(|wanted| wanted.message_id.as_str()))
            .smalls(wanted.iter().map(|wanted| unseen(wanted.readable)))
            .big(MOST_OCTETS)
            .columns::<(BigInt, Columns<ItemRow>, Columns<BodyRow>), (i64, ItemRow, BodyRow)>(connection)
            .await?;
        let found = rows.into_iter().map(|(number, item, body)| Ok((number, MessageRow { item, body }.entity()?)));
        Ok(in_order(wanted.len(), found.collect::<Result<Vec<_>, StoreError>>()?))
    }
}
