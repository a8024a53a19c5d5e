//! Hours of sending in a time zone.

use jiff::Timestamp;
use jiff::civil::Weekday;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use time::OffsetDateTime;

use crate::model::{PolicyDay, SendingHours};

/// Minutes of a day.
pub(super) const DAY_MINUTES: u16 = 24 * 60;

/// Returns a time zone by its name (IANA). The program contains the database.
pub(super) fn zone(name: &str) -> Option<TimeZone> {
    TimeZoneDatabase::bundled().get(name).ok()
}

/// Returns whether a time is within the hours. A zone that is no longer known contains none.
pub(super) fn contain(hours: &SendingHours, now: OffsetDateTime) -> bool {
    let Some(zone) = zone(&hours.zone) else { return false };
    let Ok(now) = Timestamp::from_second(now.unix_timestamp()) else { return false };
    let local = zone.to_datetime(now);
    let minute = u16::try_from(i32::from(local.hour()) * 60 + i32::from(local.minute())).unwrap_or(0);
    let is_on = |weekday: Weekday| hours.days.contains(&day(weekday));
    if hours.from < hours.until {
        return is_on(local.weekday()) && (hours.from..hours.until).contains(&minute);
    }
    // The hours of a day end on the next one.
    (is_on(local.weekday()) && minute >= hours.from) || (is_on(local.weekday().previous()) && minute < hours.until)
}

fn day(weekday: Weekday) -> PolicyDay {
    match weekday {
        Weekday::Monday => PolicyDay::Monday,
        Weekday::Tuesday => PolicyDay::Tuesday,
        Weekday::Wednesday => PolicyDay::Wednesday,
        Weekday::Thursday => PolicyDay::Thursday,
        Weekday::Friday => PolicyDay::Friday,
        Weekday::Saturday => PolicyDay::Saturday,
        Weekday::Sunday => PolicyDay::Sunday,
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::model::PolicyAction;

    const WORKDAYS: [PolicyDay; 5] =
        [PolicyDay::Monday, PolicyDay::Tuesday, PolicyDay::Wednesday, PolicyDay::Thursday, PolicyDay::Friday];

    fn hours(zone: &str, from: u16, until: u16) -> SendingHours {
        SendingHours { zone: zone.to_owned(), days: WORKDAYS.to_vec(), from, until, outside: PolicyAction::Hold }
    }

    #[test]
    fn hours_follow_the_zone_and_its_summer_time() {
        let office = hours("Europe/Berlin", 9 * 60, 17 * 60);
        for (now, expected) in [
            // A Monday in winter (UTC+1) and one in summer (UTC+2).
            (datetime!(2026-01-12 07:59 UTC), false),
            (datetime!(2026-01-12 08:00 UTC), true),
            (datetime!(2026-01-12 15:59 UTC), true),
            (datetime!(2026-01-12 16:00 UTC), false),
            (datetime!(2026-07-13 07:00 UTC), true),
            (datetime!(2026-07-13 15:00 UTC), false),
            // A Saturday.
            (datetime!(2026-01-17 10:00 UTC), false),
        ] {
            assert_eq!(contain(&office, now), expected, "{now}");
        }
    }

    #[test]
    fn hours_over_midnight_belong_to_the_day_on_which_they_begin() {
        let night = hours("UTC", 22 * 60, 6 * 60);
        for (now, expected) in [
            (datetime!(2026-01-16 23:00 UTC), true),
            (datetime!(2026-01-17 05:59 UTC), true),
            (datetime!(2026-01-17 06:00 UTC), false),
            (datetime!(2026-01-17 22:00 UTC), false),
            (datetime!(2026-01-12 05:00 UTC), false),
        ] {
            assert_eq!(contain(&night, now), expected, "{now}");
        }
        assert!(contain(&hours("UTC", 0, 0), datetime!(2026-01-16 12:00 UTC)), "a whole day");
    }

    #[test]
    fn unknown_zone_contains_no_time() {
        assert!(!contain(&hours("Europe/Nowhere", 0, 0), datetime!(2026-01-16 12:00 UTC)));
    }
}
