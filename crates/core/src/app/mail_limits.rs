//! Limits on service mail that strangers can trigger.

use time::OffsetDateTime;

use crate::Error;
use crate::model::MailCharge;
use crate::ports::Tx;

/// Counts a message against a mail quota.
///
/// # Errors
/// [`Error::MailLimitReached`] for an exhausted quota; `whose` names the quota in the error.
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
