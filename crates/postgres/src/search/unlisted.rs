//! Segments outside the index: one in construction, and replaced ones.
//!
//! Their blocks are written and deleted in many short transactions. Rows record the worker for the time of a lease: the
//! next merge of the inbox deletes the segments of a dead process.

use std::time::{Duration, Instant};

use inboxd_core::ports::{IndexedInbox, StoreError, Tx};
use tokio::time::sleep;
use uuid::Uuid;

use super::blocks;
use super::index_work::{BEGIN_WORK, IndexWork};
use super::segments::SegmentRow;
use crate::messages::rows::INBOX_LIVES;
use crate::scalar_rows::FlagRow;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;

/// Maximum time of a step and the rest behind it, before another process may take over.
const LEASE: &str = "interval '1 minute'";
/// Maximum rest after a step, far below the lease of segments in work.
pub(super) const MAX_REST: Duration = Duration::from_secs(5);
/// Blocks per deleting transaction: two megabytes.
const BLOCKS: usize = 512;

/// Returns whether a merge runs in an inbox.
pub(super) async fn is_leased(tx: &mut PgTx, inbox: &IndexedInbox) -> Result<bool, StoreError> {
    let text = "SELECT EXISTS (SELECT FROM search_unlisted
        WHERE organization_id = $1 AND inbox_id = $2 AND until > now()) AS flag";
    let row = bind(Sql::new(text), inbox).row::<FlagRow>(tx.connection().await?).await?;
    Ok(row.is_some_and(|row| row.flag))
}

/// Leases the segments of an inbox with an expired lease, and returns them.
pub(super) async fn lease_expired(tx: &mut PgTx, inbox: &IndexedInbox) -> Result<Vec<Uuid>, StoreError> {
    let text = format!(
        "UPDATE search_unlisted SET until = now() + {LEASE}
        WHERE organization_id = $1 AND inbox_id = $2 AND until <= now() RETURNING segment_id"
    );
    let rows = bind(Sql::new(text), inbox).rows::<SegmentRow>(tx.connection().await?).await?;
    Ok(rows.into_iter().map(|row| row.segment_id).collect())
}

/// Adds segments, with a lease.
pub(super) async fn add(tx: &mut PgTx, inbox: &IndexedInbox, segments: &[Uuid]) -> Result<(), StoreError> {
    let text = format!(
        "INSERT INTO search_unlisted (organization_id, inbox_id, segment_id, until)
        SELECT $1, $2, segment_id, now() + {LEASE} FROM unnest($3::uuid[]) AS s(segment_id)"
    );
    bind(Sql::new(text), inbox).uuids(segments.iter().copied()).run(tx.connection().await?).await?;
    Ok(())
}

/// Begins the next step on leased segments and extends their lease; `None` if another process has the lease or the
/// inbox was deleted.
pub(super) async fn resume(
    store: &PgStore,
    inbox: &IndexedInbox,
    segments: &[Uuid],
) -> Result<Option<PgTx>, StoreError> {
    let mut tx = store.begin_with(BEGIN_WORK).await?;
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, $2))";
    Sql::new(lock).text(inbox.inbox_id.as_str()).big(IndexWork::Merge as i64).run(tx.connection().await?).await?;
    let text = format!(
        "UPDATE search_unlisted SET until = now() + {LEASE}
        WHERE organization_id = $1 AND inbox_id = $2 AND segment_id = ANY($3) AND until > now() AND {INBOX_LIVES}"
    );
    let extended = bind(Sql::new(text), inbox).uuids(segments.iter().copied()).run(tx.connection().await?).await?;
    Ok((extended == segments.len()).then_some(tx))
}

/// Ends the work on segments.
pub(super) async fn end(tx: &mut PgTx, inbox: &IndexedInbox, segments: &[Uuid]) -> Result<(), StoreError> {
    let text = "DELETE FROM search_unlisted WHERE organization_id = $1 AND inbox_id = $2 AND segment_id = ANY($3)";
    bind(Sql::new(text), inbox).uuids(segments.iter().copied()).run(tx.connection().await?).await?;
    Ok(())
}

/// Deletes the blocks of leased segments in batches, and then the segments. Returns whether it finished.
pub(super) async fn remove(
    store: &PgStore,
    inbox: &IndexedInbox,
    segments: &[Uuid],
    rest: u32,
) -> Result<bool, StoreError> {
    loop {
        let began = Instant::now();
        let Some(mut tx) = resume(store, inbox, segments).await? else { return Ok(false) };
        let removed = blocks::remove(tx.connection().await?, inbox.organization_id.0, segments, BLOCKS).await?;
        if removed < BLOCKS {
            end(&mut tx, inbox, segments).await?;
            Box::new(tx).commit().await?;
            return Ok(true);
        }
        Box::new(tx).commit().await?;
        sleep((began.elapsed() * rest).min(MAX_REST)).await;
    }
}

/// Binds $1 and $2.
fn bind<'a>(statement: Sql<'a>, inbox: &'a IndexedInbox) -> Sql<'a> {
    statement.uuid(inbox.organization_id.0).text(inbox.inbox_id.as_str())
}
