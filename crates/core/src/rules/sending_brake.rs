//! Limits on the rates of bounces and complaints, above which the sending of an organization is slowed, then held.
//!
//! The limits are those at which Amazon SES reviews and pauses an account (5 and 10 % of bounces, 0.1 and 0.5 % of
//! complaints), with a least number of messages, so that a few unlucky ones of a small sender stop nobody.

use time::{Date, Duration, OffsetDateTime};

use crate::model::{BrakeLevel, Organization, SendingBrake, SendingCounts};
use crate::{BrakeRefusal, Error};

/// A limit on a rate.
struct RateLimit {
    level: BrakeLevel,
    /// Share of the sent messages, in hundredths of a per cent.
    share: u64,
    /// Least number of messages.
    least: u64,
}

const BOUNCES: [RateLimit; 2] = [
    RateLimit { level: BrakeLevel::Held, share: 1_000, least: 20 },
    RateLimit { level: BrakeLevel::Slowed, share: 500, least: 10 },
];
const COMPLAINTS: [RateLimit; 2] = [
    RateLimit { level: BrakeLevel::Held, share: 50, least: 5 },
    RateLimit { level: BrakeLevel::Slowed, share: 10, least: 3 },
];

/// Least number of bounces, and of complaints, below which no limit applies.
pub const LEAST_COUNTS: (u64, u64) = (10, 3);

/// Returns the brake that the counts demand, with its reason; `None` below all limits.
#[must_use]
pub fn demanded(counts: &SendingCounts) -> Option<(BrakeLevel, String)> {
    // A bounce can belong to a message of the day before the counted ones.
    let sent = counts.sent.max(counts.bounced).max(counts.complained);
    let of = |limits: &[RateLimit; 2], count: u64, outcome: &str| {
        let limit = limits.iter().find(|limit| count >= limit.least && count * 10_000 >= limit.share * sent)?;
        let reason = format!(
            "{count} of {sent} messages of the last two days {outcome}; the limit is {}",
            per_cent(limit.share)
        );
        Some((limit.level, reason))
    };
    let bounces = of(&BOUNCES, counts.bounced, "bounced permanently");
    let complaints = of(&COMPLAINTS, counts.complained, "were reported as spam");
    match (bounces, complaints) {
        (Some(bounces), Some(complaints)) if complaints.0 > bounces.0 => Some(complaints),
        (bounces, complaints) => bounces.or(complaints),
    }
}

/// Returns a share of hundredths of a per cent as text: `10 %`, `0.5 %`.
fn per_cent(share: u64) -> String {
    match (share / 100, share % 100 / 10) {
        (whole, 0) => format!("{whole} %"),
        (whole, tenths) => format!("{whole}.{tenths} %"),
    }
}

/// Returns the first counted day: yesterday, UTC.
#[must_use]
pub fn first_day(now: OffsetDateTime) -> Date {
    now.date().previous_day().unwrap_or(now.date())
}

/// Returns the time from which messages count after an operator lifted the brake: the next UTC midnight, because messages
/// are counted by day.
#[must_use]
pub fn counts_from(lifted_at: OffsetDateTime) -> OffsetDateTime {
    (lifted_at + Duration::DAY).replace_time(time::Time::MIDNIGHT)
}

/// Returns whether a review may change the present brake. A held organization waits for the operator, and a slowed one
/// stays slowed until the next day, lest a rate at the limit changes it every few seconds; it may be held at once.
#[must_use]
pub fn may_change(present: Option<&SendingBrake>, demanded: Option<BrakeLevel>, now: OffsetDateTime) -> bool {
    match present {
        None => true,
        Some(brake) if brake.level == BrakeLevel::Held => false,
        Some(brake) => demanded == Some(BrakeLevel::Held) || brake.since.date() < now.date(),
    }
}

/// Refuses to send for a held organization.
///
/// # Errors
/// [`BrakeRefusal::Held`].
pub fn require_unheld(organization: &Organization) -> Result<(), Error> {
    match &organization.brake {
        Some(brake) if brake.level == BrakeLevel::Held => {
            Err(BrakeRefusal::Held { reason: brake.reason.clone() }.into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn counts(sent: u64, bounced: u64, complained: u64) -> SendingCounts {
        SendingCounts { sent, bounced, complained }
    }

    #[test]
    fn limits_need_share_and_number() {
        use BrakeLevel::{Held, Slowed};
        for ((sent, bounced, complained), level) in [
            ((0, 0, 0), None),
            ((9, 9, 2), None),
            ((201, 10, 0), None),
            ((200, 10, 0), Some(Slowed)),
            ((190, 19, 0), Some(Slowed)),
            ((200, 20, 0), Some(Held)),
            ((5, 20, 0), Some(Held)),
            ((3_001, 0, 3), None),
            ((3_000, 0, 3), Some(Slowed)),
            ((100, 0, 4), Some(Slowed)),
            ((1_000, 0, 5), Some(Held)),
            ((1_001, 60, 5), Some(Slowed)),
            ((1_000, 60, 5), Some(Held)),
        ] {
            let demanded = demanded(&counts(sent, bounced, complained));
            assert_eq!(demanded.map(|(level, _)| level), level, "{sent} {bounced} {complained}");
        }
    }

    #[test]
    fn reason_names_rate_and_limit() {
        let reason = |sent, bounced, complained| demanded(&counts(sent, bounced, complained)).map(|(_, reason)| reason);
        let bounces = "21 of 200 messages of the last two days bounced permanently; the limit is 10 %";
        assert_eq!(reason(200, 21, 0).as_deref(), Some(bounces));
        let complaints = "3 of 900 messages of the last two days were reported as spam; the limit is 0.1 %";
        assert_eq!(reason(900, 0, 3).as_deref(), Some(complaints));
    }

    #[test]
    fn slowed_organization_resumes_on_the_next_day_and_held_one_never() {
        use BrakeLevel::{Held, Slowed};
        let since = datetime!(2026-11-20 23:00 UTC);
        let brake = |level| SendingBrake { level, since, reason: String::new() };
        for (present, demanded, hours, may) in [
            (None, Some(Slowed), 0, true),
            (Some(Slowed), None, 0, false),
            (Some(Slowed), None, 1, true),
            (Some(Slowed), Some(Held), 0, true),
            (Some(Held), None, 100, false),
            (Some(Held), Some(Slowed), 100, false),
        ] {
            let now = since + Duration::hours(hours);
            assert_eq!(may_change(present.map(brake).as_ref(), demanded, now), may, "{present:?} {demanded:?} {hours}");
        }
    }

    #[test]
    fn least_counts_are_those_of_the_limits() {
        let least = |limits: &[RateLimit; 2]| limits.iter().map(|limit| limit.least).min();
        assert_eq!((least(&BOUNCES), least(&COMPLAINTS)), (Some(LEAST_COUNTS.0), Some(LEAST_COUNTS.1)));
    }
}
