//! Deletion of the blocks of segments, which are many.

use diesel_async::AsyncPgConnection;
use inboxd_core::ports::StoreError;
use uuid::Uuid;

use crate::sql::Sql;

/// The first blocks of a segment, in the order of their grams.
const REMOVE: &str = "
    DELETE FROM search_blocks WHERE organization_id = $1 AND segment_id = $2 AND first_gram <= (
        SELECT max(first_gram) FROM (
            SELECT first_gram FROM search_blocks WHERE organization_id = $1 AND segment_id = $2
            ORDER BY first_gram LIMIT $3) few)";

/// Deletes up to `limit` blocks of these segments. Returns their number: less than `limit` when nothing is left.
pub(super) async fn remove(
    connection: &mut AsyncPgConnection,
    organization_id: Uuid,
    segments: &[Uuid],
    limit: usize,
) -> Result<usize, StoreError> {
    let mut removed = 0;
    for segment_id in segments {
        let left = i64::try_from(limit - removed).unwrap_or(i64::MAX);
        removed += Sql::new(REMOVE).uuid(organization_id).uuid(*segment_id).big(left).run(connection).await?;
        if removed >= limit {
            break;
        }
    }
    Ok(removed)
}
