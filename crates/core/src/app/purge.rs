//! Removing what nobody can see any more, a little at a time.

use time::Duration;

use super::App;
use super::once::KEPT;
use crate::Error;
use crate::ports::AddressClaims;
use crate::rules::return_paths::first_id_of;

/// How many messages one unit of work removes: few enough that it never holds others up.
const BATCH: u32 = 500;
/// How many keys of sends, which are small.
const KEYS: u32 = 1000;
/// How many mails that left, of which little is known.
const SENT: u32 = 1000;
/// How long reports about a mail may come back; retries end after days, and complaints come within weeks.
const REPORTED_FOR: Duration = Duration::days(90);
/// How many sign-in codes, which are small as well.
const CODES: u32 = 1000;
/// How many rows of removed organizations.
const REMOVED_ROWS_LIMIT: u32 = 1000;

/// Removes some of the mail of deleted inboxes, which nobody can see any more. Answers whether there may be more.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge_deleted_inboxes(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let removed = tx.inboxes().purge_deleted(BATCH).await?;
    tx.commit().await?;
    Ok(removed >= u64::from(BATCH))
}

/// Removes some of the keys of sends whose time has passed. Answers whether there may be more.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge_send_keys(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let removed = tx.idempotency_keys().purge(app.clock.now() - KEPT, KEYS).await?;
    tx.commit().await?;
    Ok(removed >= u64::from(KEYS))
}

/// Forgets some of the mails that left so long ago that no report about them is expected. Answers whether there may be more.
///
/// # Errors
/// [`Error::Store`].
pub async fn forget_sent_mail(app: &App) -> Result<bool, Error> {
    let before = first_id_of(app.clock.now() - REPORTED_FOR);
    let mut tx = app.store.begin().await?;
    let forgotten = tx.return_paths().forget(before, SENT).await?;
    tx.commit().await?;
    Ok(forgotten >= u64::from(SENT))
}

/// Forgets some of the addresses whose sign-in code ran out. Answers whether there may be more.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge_sign_in_codes(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let forgotten = tx.sign_ins().forget_expired(app.clock.now(), CODES).await?;
    tx.commit().await?;
    Ok(forgotten >= u64::from(CODES))
}

/// Removes an organization whose owner address was not confirmed in time; its username and owner address are free again.
/// Returns whether there may be another.
///
/// # Errors
/// [`Error::Store`].
pub async fn remove_unconfirmed(app: &App) -> Result<bool, Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let Some(organization_id) = tx.accounts().lock_unconfirmed(now - app.settings.unverified_retention).await? else {
        return Ok(false);
    };
    tx.accounts().remove(organization_id, AddressClaims::Released, now).await?;
    tx.commit().await?;
    Ok(true)
}

/// Deletes some of the rows that removed organizations have left. Returns whether there may be more.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge_removed_organizations(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let removed = tx.accounts().purge_removed(REMOVED_ROWS_LIMIT).await?;
    tx.commit().await?;
    Ok(removed >= u64::from(REMOVED_ROWS_LIMIT))
}

/// Deletes some of the shares of service mail against which nothing counts any more. Returns whether there may be more.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge_mail_quotas(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let purged = tx.mail_quotas().purge(app.clock.now(), CODES).await?;
    tx.commit().await?;
    Ok(purged >= u64::from(CODES))
}
