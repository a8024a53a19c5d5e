//! Suppression of outcomes that earlier reports have already announced.

use inboxd_mail::EmailAddress;

use crate::model::return_path::SentMail;
use crate::model::{QueuedMail, Route};
use crate::ports::{StoreError, Tx};
use crate::rules::reports;

/// Returns the refusals of an attempt that no report has announced, and records them, so that no later report repeats
/// them.
pub(in crate::app) async fn unreported(
    tx: &mut dyn Tx,
    mail: &QueuedMail,
    refused: Vec<(EmailAddress, String)>,
) -> Result<Vec<(EmailAddress, String)>, StoreError> {
    record(tx, mail, refused, reports::unreported).await
}

/// Returns the delayed recipients for which no report has announced a delay, and records them, so that no later report
/// repeats it.
pub(in crate::app) async fn unreported_delay(
    tx: &mut dyn Tx,
    mail: &QueuedMail,
    deferred: Vec<EmailAddress>,
) -> Result<Vec<EmailAddress>, StoreError> {
    record(tx, mail, deferred, reports::unreported_delay).await
}

async fn record<T>(
    tx: &mut dyn Tx,
    mail: &QueuedMail,
    found: Vec<T>,
    unreported: fn(&mut SentMail, Vec<T>) -> Vec<T>,
) -> Result<Vec<T>, StoreError> {
    if found.is_empty() || mail.route == Route::Local {
        return Ok(found);
    }
    let Some(mut sent) = tx.return_paths().lock(mail.organization_id, mail.outgoing_id).await? else {
        return Ok(found);
    };
    let new = unreported(&mut sent, found);
    tx.return_paths().store_reported(&sent).await?;
    Ok(new)
}
