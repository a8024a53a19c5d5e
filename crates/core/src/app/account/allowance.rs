//! Number of messages that an organization may still send.

use crate::Error;
use crate::app::App;
use crate::model::{Caller, SendCounts};

/// Sending limits of an organization and their use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendAllowance {
    /// Messages of a calendar day, UTC; `None` is unlimited.
    pub emails_per_day: Option<u64>,
    /// Messages of a calendar month, UTC; `None` is unlimited.
    pub emails_per_month: Option<u64>,
    /// Messages sent so far.
    pub sent: SendCounts,
}

impl SendAllowance {
    /// Returns the number of messages left today; `None` is unlimited.
    #[must_use]
    pub fn left_today(&self) -> Option<u64> {
        let today = self.emails_per_day.map(|limit| limit.saturating_sub(self.sent.today));
        let this_month = self.emails_per_month.map(|limit| limit.saturating_sub(self.sent.this_month));
        [today, this_month].into_iter().flatten().min()
    }
}

/// Returns the sending limits of the caller's organization and their use. The numbers inform; a send counts anew.
///
/// # Errors
/// When storage fails.
pub async fn send_allowance(app: &App, caller: &Caller) -> Result<SendAllowance, Error> {
    let limits = caller.organization.limits();
    let (emails_per_day, emails_per_month) = (limits.emails_per_day, limits.emails_per_month);
    if emails_per_day.is_none() && emails_per_month.is_none() {
        return Ok(SendAllowance::default());
    }
    let mut tx = app.store.begin().await?;
    let sent = tx.usage().sends(caller.organization.organization_id, app.clock.now().date()).await?;
    Ok(SendAllowance { emails_per_day, emails_per_month, sent })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_rest_of_day_and_month_is_left() {
        for (day, month, today, this_month, expected) in [
            (None, None, 0, 0, None),
            (Some(10), None, 4, 4, Some(6)),
            (None, Some(100), 4, 90, Some(10)),
            (Some(10), Some(100), 4, 98, Some(2)),
            (Some(10), Some(100), 12, 50, Some(0)),
        ] {
            let sent = SendCounts { today, this_month };
            let allowance = SendAllowance { emails_per_day: day, emails_per_month: month, sent };
            assert_eq!(allowance.left_today(), expected, "{allowance:?}");
        }
    }
}
