//! Rows of a segment.

use diesel::QueryableByName;
use diesel::sql_types::{Array, Binary, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::ports::{IndexedInbox, StoreError};
use inboxd_search::Block;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::sql::Sql;

/// Messages per row of `search_documents`.
pub(super) const ROW: u16 = 64;
/// Messages per write.
const MEMBERS: usize = 64 * ROW as usize;
/// Blocks per write: half a megabyte.
const BLOCKS: usize = 128;

/// A message of a segment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SegmentMember {
    /// Time of the message.
    pub(crate) timestamp: OffsetDateTime,
    /// Id of the message.
    pub(crate) message_id: String,
}

#[derive(QueryableByName)]
pub(super) struct SegmentRow {
    #[diesel(sql_type = SqlUuid)]
    pub(super) segment_id: Uuid,
}

/// Writer of a segment, which is invisible before [`finish`](Self::finish).
pub(super) struct SegmentWriter<'a> {
    inbox: &'a IndexedInbox,
    hidden: i16,
    id: Uuid,
    bytes: usize,
}

impl<'a> SegmentWriter<'a> {
    /// Starts a segment of messages with these hiding labels.
    pub(super) fn new(inbox: &'a IndexedInbox, hidden: i16, id: Uuid) -> Self {
        Self { inbox, hidden, id, bytes: 0 }
    }

    /// Writes some blocks of the segment.
    pub(super) async fn write_blocks(
        &mut self,
        connection: &mut AsyncPgConnection,
        blocks: &[Block],
    ) -> Result<(), StoreError> {
        let text = "INSERT INTO search_blocks (organization_id, segment_id, first_gram, block)
            SELECT $1, $2, n.first_gram, n.block FROM unnest($3::bigint[], $4::bytea[]) AS n(first_gram, block)";
        for some in blocks.chunks(BLOCKS) {
            Sql::new(text)
                .uuid(self.inbox.organization_id.0)
                .uuid(self.id)
                .bigs(some.iter().map(|block| block.first_gram.number()))
                .bind::<Array<Binary>, _>(some.iter().map(|block| block.bytes.as_slice()).collect::<Vec<_>>())
                .run(connection)
                .await?;
            self.bytes += some.iter().map(|block| block.bytes.len()).sum::<usize>();
        }
        Ok(())
    }

    /// Writes the messages of the segment in document order; at least one.
    pub(super) async fn finish(
        self,
        connection: &mut AsyncPgConnection,
        members: &[SegmentMember],
    ) -> Result<(), StoreError> {
        let text = "INSERT INTO search_documents (organization_id, segment_id, first_document, timestamps, message_ids)
            SELECT $1, $2, ($3 + (n.place - 1) / $4 * $4)::integer,
                array_agg(n.timestamp ORDER BY n.place), array_agg(n.message_id ORDER BY n.place)
            FROM unnest($5::timestamptz[], $6::text[]) WITH ORDINALITY AS n(timestamp, message_id, place)
            GROUP BY (n.place - 1) / $4";
        for (some, first) in members.chunks(MEMBERS).zip((0..).step_by(MEMBERS)) {
            Sql::new(text)
                .uuid(self.inbox.organization_id.0)
                .uuid(self.id)
                .big(first)
                .big(i64::from(ROW))
                .times(some.iter().map(|member| member.timestamp))
                .texts(some.iter().map(|member| member.message_id.as_str()))
                .run(connection)
                .await?;
        }
        let (Some(oldest), Some(newest)) = (members.first(), members.last()) else { return Ok(()) };
        let text = "INSERT INTO search_segments
                (organization_id, inbox_id, hidden, segment_id, documents, octets, oldest, newest, fences)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        Sql::new(text)
            .uuid(self.inbox.organization_id.0)
            .text(self.inbox.inbox_id.as_str())
            .small(self.hidden)
            .uuid(self.id)
            .integer(i32::try_from(members.len()).unwrap_or(i32::MAX))
            .big(count(self.bytes))
            .time(oldest.timestamp)
            .time(newest.timestamp)
            .times(members.iter().step_by(usize::from(ROW)).map(|member| member.timestamp))
            .run(connection)
            .await?;
        Ok(())
    }
}

/// Converts a count to `bigint`.
pub(super) fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
