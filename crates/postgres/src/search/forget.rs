//! Deletion of the index of a deleted inbox.

use diesel_async::AsyncPgConnection;
use inboxd_core::ports::StoreError;
use uuid::Uuid;

use super::blocks;
use super::index_work::IndexWork;
use super::segments::SegmentRow;
use crate::scalar_rows::FlagRow;
use crate::sql::Sql;

/// Both locks give exclusive use of the index until the end of the unit of work. A deleted inbox gets no new rows.
const CLAIM: &str = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, $2))
    AND pg_try_advisory_xact_lock(hashtextextended($1, $3)) AS flag";

const SEGMENTS: &str = "
    SELECT segment_id FROM search_segments WHERE organization_id = $1 AND inbox_id = $2
    UNION ALL
    SELECT segment_id FROM search_unlisted WHERE organization_id = $1 AND inbox_id = $2";

/// Deletes the segments of an inbox and their other rows, which are few.
const FORGET_SEGMENTS: &str = "
    WITH pending AS (
        DELETE FROM search_pending WHERE organization_id = $1 AND inbox_id = $2
    ), unlisted AS (
        DELETE FROM search_unlisted WHERE organization_id = $1 AND inbox_id = $2
    ), gone AS (
        DELETE FROM search_segments WHERE organization_id = $1 AND inbox_id = $2 RETURNING segment_id
    )
    DELETE FROM search_documents d USING gone g WHERE d.organization_id = $1 AND d.segment_id = g.segment_id";

/// Deletes up to `limit` blocks of the index of a deleted inbox. Returns their number: less than `limit` when nothing
/// is left, `None` while another process works on the index.
pub(crate) async fn forget(
    connection: &mut AsyncPgConnection,
    organization_id: Uuid,
    inbox_id: &str,
    limit: u32,
) -> Result<Option<u32>, StoreError> {
    let claimed = Sql::new(CLAIM).text(inbox_id).big(IndexWork::Flush as i64).big(IndexWork::Merge as i64);
    if !claimed.row::<FlagRow>(connection).await?.is_some_and(|row| row.flag) {
        return Ok(None);
    }
    let segments = Sql::new(SEGMENTS).uuid(organization_id).text(inbox_id).rows::<SegmentRow>(connection).await?;
    let segments: Vec<Uuid> = segments.into_iter().map(|row| row.segment_id).collect();
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let removed = blocks::remove(connection, organization_id, &segments, most).await?;
    let removed = u32::try_from(removed).unwrap_or(limit);
    if removed < limit {
        Sql::new(FORGET_SEGMENTS).uuid(organization_id).text(inbox_id).run(connection).await?;
    }
    Ok(Some(removed))
}
