//! Times as people read them.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Returns the time of this machine.
#[expect(clippy::disallowed_methods, reason = "the client has no port Clock; its times are only shown")]
pub(crate) fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}

/// Returns a time as the distance from now within a week, and as its date otherwise.
pub(crate) fn relative(text: &str, now: OffsetDateTime) -> String {
    let Ok(at) = OffsetDateTime::parse(text, &Rfc3339) else { return text.to_owned() };
    let seconds = (now - at).whole_seconds();
    let distance = match seconds.unsigned_abs() {
        0..60 => "now".to_owned(),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds @ 3600..86_400 => format!("{} h", seconds / 3600),
        seconds @ 86_400..604_800 => format!("{} d", seconds / 86_400),
        _ => return at.date().to_string(),
    };
    match seconds {
        -59..60 => distance,
        60.. => format!("{distance} ago"),
        _ => format!("in {distance}"),
    }
}

/// Returns the time of day of a timestamp, in UTC.
pub(crate) fn time_of_day(text: &str) -> String {
    match OffsetDateTime::parse(text, &Rfc3339) {
        Ok(at) => format!("{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second()),
        Err(_) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

    use super::*;

    #[test]
    fn times_are_shown_by_their_distance() {
        let now = OffsetDateTime::parse("2026-11-28T12:00:00Z", &Rfc3339).unwrap();
        for (at, expected) in [
            ("2026-11-28T11:59:30Z", "now"),
            ("2026-11-28T11:15:00.123Z", "44 min ago"),
            ("2026-11-28T09:00:00Z", "3 h ago"),
            ("2026-11-26T09:00:00Z", "2 d ago"),
            ("2026-11-01T09:00:00Z", "2026-11-01"),
            ("2026-11-28T14:30:00Z", "in 2 h"),
            ("soon", "soon"),
        ] {
            assert_eq!(relative(at, now), expected, "{at}");
        }
        assert_eq!(time_of_day("2026-11-28T09:05:07.5Z"), "09:05:07");
    }
}
