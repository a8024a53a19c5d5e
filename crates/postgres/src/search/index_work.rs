//! Units of work on the index of an inbox.

use inboxd_core::ports::{IndexedInbox, StoreError};
use inboxd_search::SearchError;

use crate::messages::rows::INBOX_LIVES;
use crate::scalar_rows::FlagRow;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;

/// Snapshot for several queries.
const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Work without a wait for the disk: a crash loses only repeatable work.
pub(crate) const BEGIN_WORK: &str = "BEGIN; SET LOCAL synchronous_commit = off";

/// Kinds of exclusive work. A flush adds a segment and a merge replaces existing ones, so the two do not conflict.
#[derive(Clone, Copy)]
pub(super) enum IndexWork {
    Flush = 1,
    Merge = 2,
}

/// Begins a snapshot of the index and the messages behind it.
pub(crate) async fn begin_snapshot(store: &PgStore) -> Result<PgTx, StoreError> {
    store.begin_with(BEGIN_SNAPSHOT).await
}

/// Begins a unit of work on the index of an inbox; `None` while another process does the same work, or after the
/// deletion of the inbox.
pub(super) async fn begin(store: &PgStore, inbox: &IndexedInbox, work: IndexWork) -> Result<Option<PgTx>, StoreError> {
    let mut tx = store.begin_with(BEGIN_WORK).await?;
    Ok(claim(&mut tx, inbox, work).await?.then_some(tx))
}

async fn claim(tx: &mut PgTx, inbox: &IndexedInbox, work: IndexWork) -> Result<bool, StoreError> {
    let text = format!("SELECT pg_try_advisory_xact_lock(hashtextextended($2, $3)) AND {INBOX_LIVES} AS flag");
    let row = Sql::new(text)
        .uuid(inbox.organization_id.0)
        .text(inbox.inbox_id.as_str())
        .big(work as i64)
        .row::<FlagRow>(tx.connection().await?)
        .await?;
    Ok(row.is_some_and(|row| row.flag))
}

/// Maps the error of an unreadable or invalid segment.
pub(crate) fn broken(error: SearchError) -> StoreError {
    StoreError::Failed(format!("the index behind searches is broken: {error}"))
}
