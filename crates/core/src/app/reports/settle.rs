//! An attempt that was refused by a server that has reported the same before.

use inboxd_mail::EmailAddress;

use crate::model::{Outgoing, Route};
use crate::ports::{StoreError, Tx};
use crate::rules::reports;

/// The refusals of an attempt that no report has told of, noted so that none will tell of them again.
pub(in crate::app) async fn unreported(
    tx: &mut dyn Tx,
    mail: &Outgoing,
    refused: Vec<(EmailAddress, String)>,
) -> Result<Vec<(EmailAddress, String)>, StoreError> {
    if refused.is_empty() || mail.route == Route::Local {
        return Ok(refused);
    }
    let Some(mut sent) = tx.return_paths().lock(mail.organization_id, mail.outgoing_id).await? else {
        return Ok(refused);
    };
    let news = reports::unreported(&mut sent, refused);
    tx.return_paths().tell(&sent).await?;
    Ok(news)
}
