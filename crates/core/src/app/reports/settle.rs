//! What an attempt found out of recipients that reports have told of before.

use inboxd_mail::EmailAddress;

use crate::model::return_path::SentMail;
use crate::model::{Outgoing, Route};
use crate::ports::{StoreError, Tx};
use crate::rules::reports;

/// The refusals of an attempt that no report has told of, noted so that none will tell of them again.
pub(in crate::app) async fn unreported(
    tx: &mut dyn Tx,
    mail: &Outgoing,
    refused: Vec<(EmailAddress, String)>,
) -> Result<Vec<(EmailAddress, String)>, StoreError> {
    news(tx, mail, refused, reports::unreported).await
}

/// The recipients of a late mail of whom no report has told that it is late, noted so that none will tell it again.
pub(in crate::app) async fn unreported_delay(
    tx: &mut dyn Tx,
    mail: &Outgoing,
    deferred: Vec<EmailAddress>,
) -> Result<Vec<EmailAddress>, StoreError> {
    news(tx, mail, deferred, reports::unreported_delay).await
}

async fn news<T>(
    tx: &mut dyn Tx,
    mail: &Outgoing,
    found: Vec<T>,
    unreported: fn(&mut SentMail, Vec<T>) -> Vec<T>,
) -> Result<Vec<T>, StoreError> {
    if found.is_empty() || mail.route == Route::Local {
        return Ok(found);
    }
    let Some(mut sent) = tx.return_paths().lock(mail.organization_id, mail.outgoing_id).await? else {
        return Ok(found);
    };
    let news = unreported(&mut sent, found);
    tx.return_paths().tell(&sent).await?;
    Ok(news)
}
