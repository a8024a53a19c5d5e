//! Times on the wire: `YYYY-MM-DDTHH:MM:SS.mmmZ`.

use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::{OffsetDateTime, UtcOffset};

const FORMAT: &[BorrowedFormatItem<'static>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

/// A time as clients see it: UTC, to the millisecond.
pub(crate) fn shown(time: OffsetDateTime) -> String {
    // A time of the years 0 to 9999 in this format cannot fail.
    time.to_offset(UtcOffset::UTC).format(FORMAT).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn is_utc_to_the_millisecond() {
        assert_eq!(shown(datetime!(2026-11-20 10:00 UTC)), "2026-11-20T10:00:00.000Z");
        assert_eq!(shown(datetime!(2026-11-20 01:30:00.123_999 +02:00)), "2026-11-19T23:30:00.123Z");
    }
}
