//! Deletion of expired files and of uploads that were not completed.

use crate::Error;
use crate::app::App;
use crate::model::UsageChange;

/// Files deleted by one unit of work. Their contents are large.
const BATCH: u32 = 20;

/// Deletes a batch of files that are gone, except those under a legal hold. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let deleted = tx.files().delete_expired(app.clock.now(), BATCH).await?;
    let count = deleted.len();
    let freed = |size| UsageChange::resized(size, 0);
    let changes: Vec<_> =
        deleted.into_iter().map(|file| (file.organization_id, file.inbox_id, freed(file.size))).collect();
    if changes.is_empty() {
        return Ok(false);
    }
    tx.usage().change(&changes).await?;
    tx.commit().await?;
    Ok(u32::try_from(count).is_ok_and(|count| count >= BATCH))
}
