//! Plan limits of an organization, and the times at which they reset (`service.md`, section 8).

use time::{Date, Duration, Month, OffsetDateTime, Time};

use crate::model::{MailLimits, Organization, SLOWED_PER_DAY, SendCounts};
use crate::{BrakeRefusal, Error, LimitReached};

/// Refuses an inbox above the limit.
///
/// # Errors
/// [`Error::LimitReached`].
pub fn allow_inbox(organization: &Organization, live: u64) -> Result<(), Error> {
    allow(organization, LimitReached::Inboxes, live, organization.limits().inboxes)
}

/// Refuses a pod above the limit. The default pod counts.
///
/// # Errors
/// [`Error::LimitReached`].
pub fn allow_pod(organization: &Organization, live: u64) -> Result<(), Error> {
    allow(organization, LimitReached::Pods, live, organization.limits().pods)
}

/// Refuses a custom domain above the limit.
///
/// # Errors
/// [`Error::LimitReached`].
pub fn allow_domain(organization: &Organization, live: u64) -> Result<(), Error> {
    allow(organization, LimitReached::Domains, live, organization.limits().domains)
}

/// Refuses a webhook above the limit.
///
/// # Errors
/// [`Error::LimitReached`].
pub fn allow_webhook(organization: &Organization, webhooks: u64) -> Result<(), Error> {
    allow(organization, LimitReached::Webhooks, webhooks, organization.limits().webhooks)
}

/// Refuses a member above the limit.
///
/// # Errors
/// [`Error::LimitReached`].
pub fn allow_member(organization: &Organization, members: u64) -> Result<(), Error> {
    allow(organization, LimitReached::Members, members, organization.limits().members)
}

/// Refuses to send or to create inboxes while storage exceeds the allowance. Deletion frees storage at once.
///
/// # Errors
/// [`Error::LimitReached`].
pub fn allow_storage(organization: &Organization, stored: u64) -> Result<(), Error> {
    allow(organization, LimitReached::Storage, stored, organization.limits().storage_bytes)
}

/// Returns whether storage exceeds twice the allowance, so that the organization receives no more mail. Between one and
/// two allowances it receives and does not send.
#[must_use]
pub fn is_beyond_stop(organization: &Organization, stored: u64) -> bool {
    organization.limits().storage_bytes.is_some_and(|allowance| stored >= allowance.saturating_mul(2))
}

/// Refuses a message above the daily or monthly limit. One message counts once, for any number of recipients.
///
/// # Errors
/// [`Error::LimitReached`] and [`Error::Brake`] with the time at which the limit resets.
pub fn allow_send(organization: &Organization, sent: SendCounts, now: OffsetDateTime) -> Result<(), Error> {
    let limits = organization.limits();
    let monthly = LimitReached::Monthly { resets_at: next_month(now) };
    let daily = LimitReached::Daily { resets_at: next_day(now) };
    allow(organization, monthly, sent.this_month, limits.emails_per_month)?;
    allow(organization, daily, sent.today, limits.emails_per_day)?;
    match &organization.brake {
        Some(brake) if sent.today >= SLOWED_PER_DAY => {
            Err(BrakeRefusal::Slowed { reason: brake.reason.clone(), resets_at: next_day(now) }.into())
        }
        _ => Ok(()),
    }
}

/// Returns the messages that an organization may send a day, by its plan and the brake on its sending.
#[must_use]
pub fn daily(organization: &Organization) -> Option<u64> {
    let slowed = organization.brake.as_ref().map(|_| SLOWED_PER_DAY);
    organization.limits().emails_per_day.into_iter().chain(slowed).min()
}

fn allow(organization: &Organization, which: LimitReached, used: u64, limit: Option<u64>) -> Result<(), Error> {
    match limit {
        Some(limit) if used >= limit => Err(Error::LimitReached { which, limit, verified: organization.is_verified() }),
        _ => Ok(()),
    }
}

/// Returns the next 00:00 UTC.
#[must_use]
pub fn next_day(now: OffsetDateTime) -> OffsetDateTime {
    (now + Duration::DAY).replace_time(Time::MIDNIGHT)
}

/// Returns 00:00 UTC of the first day of the next month.
#[must_use]
pub fn next_month(now: OffsetDateTime) -> OffsetDateTime {
    let (year, month) = match now.month() {
        Month::December => (now.year() + 1, Month::January),
        month => (now.year(), month.next()),
    };
    Date::from_calendar_date(year, month, 1).map_or(now, |first| first.midnight().assume_utc())
}

/// Returns the limits of invitations of an organization. The daily limit is at most twice the member limit of its plan.
#[must_use]
pub fn invitations(organization: &Organization, limits: MailLimits) -> MailLimits {
    let members = organization.limits().members.and_then(|members| u32::try_from(members).ok());
    match members.map(|members| members.saturating_mul(2)) {
        Some(most) if limits.per_day > most => MailLimits { per_day: most, ..limits },
        _ => limits,
    }
}
