//! Deletion of expired and invisible rows in small batches.

use time::Duration;

use super::once::IDEMPOTENCY_KEY_TTL;
use super::received_codes::CODE_LIFE;
use super::{App, legal_holds};
use crate::Error;
use crate::ports::AddressClaims;
use crate::rules::return_paths::first_id_of;

/// Messages deleted by one unit of work, few enough not to block other work.
const BATCH: u32 = 500;
/// Idempotency keys deleted by one unit of work.
const KEYS: u32 = 1000;
/// Return paths deleted by one unit of work.
const SENT: u32 = 1000;
/// Time after sending in which reports are accepted. Retries end after days, and complaints arrive within weeks.
const REPORTED_FOR: Duration = Duration::days(90);
/// Sign-in codes or mail quotas deleted by one unit of work.
const CODES: u32 = 1000;
/// Aggregate reports deleted by one unit of work.
const MAIL_REPORTS: u32 = 1000;
/// Rows of removed organizations deleted by one unit of work.
const REMOVED_ROWS_LIMIT: u32 = 1000;

/// Deletes a batch of messages of deleted inboxes. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge_deleted_inboxes(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let removed = tx.inboxes().purge_deleted(BATCH).await?;
    tx.commit().await?;
    Ok(removed >= u64::from(BATCH))
}

/// Deletes a batch of expired idempotency keys. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge_send_keys(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let removed = tx.idempotency_keys().purge(app.clock.now() - IDEMPOTENCY_KEY_TTL, KEYS).await?;
    tx.commit().await?;
    Ok(removed >= u64::from(KEYS))
}

/// Deletes a batch of return paths too old for reports. Returns whether more may remain.
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

/// Deletes a batch of aggregate reports past their retention. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge_mail_reports(app: &App) -> Result<bool, Error> {
    let before = app.clock.now() - app.settings.report_retention;
    let mut tx = app.store.begin().await?;
    let purged = tx.mail_reports().purge(before, MAIL_REPORTS).await?;
    tx.commit().await?;
    Ok(purged >= u64::from(MAIL_REPORTS))
}

/// Deletes a batch of expired sign-in codes. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge_sign_in_codes(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let forgotten = tx.sign_ins().forget_expired(app.clock.now(), CODES).await?;
    tx.commit().await?;
    Ok(forgotten >= u64::from(CODES))
}

/// Removes an organization whose owner address was not confirmed in time, and releases its username and owner address.
/// Returns whether another may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn remove_unconfirmed(app: &App) -> Result<bool, Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let Some(organization_id) = tx.accounts().lock_unconfirmed(now - app.settings.unverified_retention).await? else {
        return Ok(false);
    };
    // A legal hold may have committed before this lock, unseen by the snapshot that chose the organization.
    match legal_holds::require_removable(tx.as_mut(), organization_id).await {
        Err(Error::LegalHold(_)) => return Ok(true),
        checked => checked?,
    }
    tx.accounts().remove(organization_id, AddressClaims::Released, now).await?;
    tx.commit().await?;
    Ok(true)
}

/// Deletes a batch of rows of removed organizations. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge_removed_organizations(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let removed = tx.accounts().purge_removed(REMOVED_ROWS_LIMIT).await?;
    tx.commit().await?;
    Ok(removed >= u64::from(REMOVED_ROWS_LIMIT))
}

/// Deletes a batch of expired mail quotas. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge_mail_quotas(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let purged = tx.mail_quotas().purge(app.clock.now(), CODES).await?;
    tx.commit().await?;
    Ok(purged >= u64::from(CODES))
}

/// Deletes a batch of counts of messages and one of received codes that no policy asks for any more. Returns whether more
/// may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge_policy_counts(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let now = app.clock.now();
    let counts = tx.policies().purge_counts(now - Duration::hours(2), CODES).await?;
    let codes = tx.policies().purge_codes(now - CODE_LIFE, CODES).await?;
    tx.commit().await?;
    Ok(counts.max(codes) >= u64::from(CODES))
}
