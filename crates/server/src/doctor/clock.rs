//! Check of the clock, on which codes, links, leases and limits depend.

use std::path::Path;

use inboxd_core::ports::Clock;
use time::{Duration, OffsetDateTime};

use super::Finding;
use crate::environment::SystemClock;

const CHECK: &str = "clock";
/// Earliest plausible time: the date of this constant.
const EARLIEST: OffsetDateTime = time::macros::datetime!(2026-01-01 00:00 UTC);
/// Tolerated difference between two clocks.
const TOLERANCE: Duration = Duration::seconds(2);
/// Difference that breaks dependent work: the lease of an emailed code is one minute.
const LIMIT: Duration = Duration::seconds(30);
/// File that systemd creates after it synchronized the clock. Its folder exists if systemd is responsible.
const SYNCHRONIZED: &str = "/run/systemd/timesync/synchronized";

/// Checks the clock, also against the clock of the database if known.
pub(crate) fn examine(ahead: Option<Duration>) -> Finding {
    let note = Path::new(SYNCHRONIZED);
    let is_waiting = note.parent().is_some_and(Path::exists) && !note.exists();
    judged(SystemClock.now(), ahead, is_waiting)
}

fn judged(now: OffsetDateTime, ahead: Option<Duration>, is_waiting: bool) -> Finding {
    let mend = "synchronize it by NTP: run `timedatectl set-ntp true`, or install chrony";
    if now < EARLIEST {
        return Finding::fail(CHECK, format!("the clock of this machine shows {}", now.date()), mend);
    }
    let apart = ahead.map(Duration::abs);
    if let Some(apart) = apart.filter(|apart| *apart > TOLERANCE) {
        let found = format!("the clocks of this machine and of the database are {} s apart", apart.whole_seconds());
        let mend = format!("{mend}, on both machines");
        return if apart > LIMIT { Finding::fail(CHECK, found, mend) } else { Finding::warn(CHECK, found, mend) };
    }
    if is_waiting {
        return Finding::warn(CHECK, "systemd has not synchronized the clock of this machine yet", mend);
    }
    match apart {
        Some(_) => Finding::ok(CHECK, "agrees with that of the database"),
        None => Finding::ok(CHECK, "shows a plausible time; there was no other clock to compare"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;

    #[test]
    fn a_clock_is_judged_by_its_year_and_by_another_clock() {
        let now = EARLIEST + Duration::days(400);
        let table = [
            (now, Some(Duration::ZERO), false, Level::Ok, "agrees"),
            (now, Some(Duration::seconds(-2)), false, Level::Ok, "agrees"),
            (now, None, false, Level::Ok, "no other clock"),
            (now, Some(Duration::seconds(-5)), false, Level::Warn, "5 s apart"),
            (now, Some(Duration::minutes(2)), true, Level::Fail, "120 s apart"),
            (now, Some(Duration::ZERO), true, Level::Warn, "NTP"),
            (OffsetDateTime::UNIX_EPOCH, Some(Duration::ZERO), false, Level::Fail, "1970-01-01"),
        ];
        for (now, ahead, is_waiting, level, words) in table {
            let finding = judged(now, ahead, is_waiting);
            assert_eq!(finding.level, level, "{finding}");
            assert!(finding.to_string().contains(words), "{finding}");
        }
    }
}
