//! Properties of the calendar reader.

use inboxd_mail::{MAX_CALENDAR_BYTES, RecurrenceRule, expand, read_calendar};

/// Reads a calendar object and its recurrence rules.
pub fn calendar(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(calendar) = read_calendar(&text, None) {
        assert!(text.len() <= MAX_CALENDAR_BYTES && calendar.others.len() <= 10, "entries are bounded");
        for entry in calendar.others.iter().chain([&calendar.entry]) {
            assert!((1..=1_000).contains(&entry.uid.len()) && !entry.uid.contains(char::is_control), "{:?}", entry.uid);
            assert!(entry.attendees.len() <= 100 && entry.attendees.len() <= entry.attendee_count);
            for line in [&entry.title, &entry.location].into_iter().flatten() {
                assert!((1..=1_024).contains(&line.chars().count()) && !line.contains(char::is_control), "{line:?}");
            }
            for text in [&entry.description, &entry.comment].into_iter().flatten() {
                assert!((1..=8 * 1024).contains(&text.len()) && !text.contains('\0'), "texts are bounded");
            }
            if let Some(times) = &entry.times {
                assert!(times.start <= times.end, "an event ends after its start: {times:?}");
                assert_eq!(times.timezone.is_some(), times.start_at.is_some(), "{times:?}");
                let dates = expand(times, entry.recurrence.as_ref(), "UTC", (0, 4_000_000_000), 100);
                assert!(dates.len() <= 100 && dates.is_sorted_by_key(|date| date.start.clone()), "{dates:?}");
            }
            if let Some(recurrence) = &entry.recurrence {
                assert!((1..=512).contains(&recurrence.rule.len()), "{:?}", recurrence.rule);
                assert!(recurrence.exdates.len() <= 366 && recurrence.rdates.len() <= 100, "dates are bounded");
            }
        }
    }
    if let Ok(rule) = RecurrenceRule::parse(&text) {
        let written = rule.to_string();
        assert_eq!(RecurrenceRule::parse(&written), Ok(rule), "a normalized rule stays the same: {written}");
    }
}
