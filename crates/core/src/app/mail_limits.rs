//! Limits of the mail that strangers can have the service send.

use time::OffsetDateTime;

use crate::Error;
use crate::model::MailCharge;
use crate::ports::Tx;

/// Counts a mail against a share.
///
/// # Errors
/// [`Error::MailLimitReached`] where the share is used up; `whose` says which one it is.
pub(super) async fn charge(
    tx: &mut dyn Tx,
    charge: &MailCharge,
    whose: &str,
    now: OffsetDateTime,
) -> Result<(), Error> {
    match tx.mail_quotas().charge(charge, now).await? {
        Some(until) => Err(Error::MailLimitReached { whose: whose.to_owned(), until }),
        None => Ok(()),
    }
}
