//! Times in JSON: `YYYY-MM-DDTHH:MM:SS.mmmZ`.

use std::fmt::{self, Display, Formatter};

use serde::{Serialize, Serializer};
use time::{OffsetDateTime, UtcOffset};

/// A time as clients see it: UTC, to the millisecond.
pub(crate) struct WireTime(pub(crate) OffsetDateTime);

impl Display for WireTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let utc = self.0.to_offset(UtcOffset::UTC);
        let mut text = *b"0000-00-00T00:00:00.000Z";
        // A year has four digits: years before the first are in no storage of ours.
        let year = u32::try_from(utc.year()).unwrap_or_default();
        let parts = [
            (0..4, year),
            (5..7, u8::from(utc.month()).into()),
            (8..10, utc.day().into()),
            (11..13, utc.hour().into()),
            (14..16, utc.minute().into()),
            (17..19, utc.second().into()),
            (20..23, utc.millisecond().into()),
        ];
        for (place, number) in parts {
            text.get_mut(place).into_iter().for_each(|digits| write_digits(digits, number));
        }
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

/// Overwrites digits with a number. Lists format many times, and this is cheaper than a general formatter.
fn write_digits(digits: &mut [u8], mut number: u32) {
    for digit in digits.iter_mut().rev() {
        *digit = b"0123456789".get(number as usize % 10).copied().unwrap_or_default();
        number /= 10;
    }
}

impl Serialize for WireTime {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// Returns the wire format of a time as a string.
pub(crate) fn format_time(time: OffsetDateTime) -> String {
    WireTime(time).to_string()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn is_utc_to_the_millisecond() {
        assert_eq!(format_time(datetime!(2026-11-20 10:00 UTC)), "2026-11-20T10:00:00.000Z");
        assert_eq!(format_time(datetime!(2026-11-20 01:30:00.123_999 +02:00)), "2026-11-19T23:30:00.123Z");
        assert_eq!(format_time(datetime!(0099-01-02 03:04:05.006 UTC)), "0099-01-02T03:04:05.006Z");
    }
}
