//! Deletion of audit entries after their retention.

use crate::Error;
use crate::app::App;

/// Entries deleted by one unit of work.
const BATCH: u32 = 1000;

/// Deletes a batch of audit entries after their retention. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let purged = tx.audit().purge(app.clock.now() - app.settings.audit_retention, BATCH).await?;
    tx.commit().await?;
    Ok(purged >= u64::from(BATCH))
}
