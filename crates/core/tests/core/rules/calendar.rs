//! Authority over events, and the order of their versions.

use inboxd_core::model::EventAuthority;
use inboxd_core::rules::calendar::{is_date_of, is_newer, may_change, original_start};
use inboxd_core::testing::fixtures::calendar_event;
use inboxd_mail::{CalendarEntry, read_calendar};

fn authority(from: &str, organizer: &str, is_authenticated: bool) -> EventAuthority {
    EventAuthority { from: from.to_owned(), organizer: organizer.to_owned(), is_authenticated }
}

#[test]
fn only_the_first_sender_changes_an_event() {
    let (anna, eve) = ("anna@example.org", "eve@example.org");
    for (known, sender, expected) in [
        (authority(anna, anna, true), authority(anna, anna, true), true),
        (authority(anna, anna, true), authority(anna, anna, false), false),
        (authority(anna, anna, false), authority(anna, anna, false), true),
        (authority(anna, anna, false), authority(anna, anna, true), true),
        (authority(anna, anna, false), authority(eve, anna, true), false),
        (authority(anna, anna, true), authority(anna, eve, true), false),
    ] {
        assert_eq!(may_change(&known, &sender), expected, "{known:?} {sender:?}");
    }
}

#[test]
fn original_start_is_found_by_instant() {
    let series = calendar_event();
    for (properties, expected) in [
        (
            "DTSTART;TZID=America/New_York:20261012T110000\nRECURRENCE-ID;TZID=America/New_York:20261012T080000",
            Some("2026-10-12T14:00:00"),
        ),
        ("RECURRENCE-ID:20261012T120000Z", Some("2026-10-12T14:00:00")),
        ("RECURRENCE-ID;TZID=Europe/Berlin:20261012T140000", Some("2026-10-12T14:00:00")),
        ("RECURRENCE-ID:20261012T140000", Some("2026-10-12T14:00:00")),
        ("RECURRENCE-ID;VALUE=DATE:20261012", Some("2026-10-12")),
        ("SUMMARY:Oak", None),
    ] {
        let object = format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\n{properties}\nEND:VEVENT");
        let entry = read_calendar(&object, None).unwrap().entry;
        assert_eq!(original_start(Some(&series), &entry).as_deref(), expected, "{properties}");
        assert_eq!(original_start(None, &entry), entry.recurrence_id, "{properties}");
    }
}

#[test]
fn date_is_found_by_instant_or_by_text_without_one() {
    let entry = |place: &str| {
        let object = format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\n{place}\nEND:VEVENT");
        read_calendar(&object, None).unwrap().entry
    };
    let stored = entry("RECURRENCE-ID;TZID=America/New_York:20261012T080000");
    let mut event = calendar_event();
    assert!(!is_date_of(&event, &entry("SUMMARY:Oak")), "the whole event is no date");
    event.event_id.original_start.clone_from(&stored.recurrence_id);
    for (place, by_instant, by_text) in [
        ("RECURRENCE-ID;TZID=America/New_York:20261012T080000", true, true),
        ("RECURRENCE-ID:20261012T120000Z", true, false),
        ("RECURRENCE-ID:20261012T080000Z", false, true),
        ("RECURRENCE-ID:20261012T080000", false, true),
        ("RECURRENCE-ID;TZID=America/New_York:20261019T080000", false, false),
        ("SUMMARY:Oak", false, false),
    ] {
        event.entry.recurrence_at = stored.recurrence_at;
        assert_eq!(is_date_of(&event, &entry(place)), by_instant, "{place}");
        event.entry.recurrence_at = None;
        assert_eq!(is_date_of(&event, &entry(place)), by_text, "{place}");
    }
}

#[test]
fn sequence_counts_before_time() {
    let entry = |sequence: u32, stamp: &str| -> CalendarEntry {
        let object = format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSEQUENCE:{sequence}\nDTSTAMP:{stamp}\nEND:VEVENT");
        read_calendar(&object, None).unwrap().entry
    };
    let known = entry(1, "20261001T080000Z");
    for (sequence, stamp, expected) in [
        (1, "20261001T080000Z", false),
        (1, "20261001T080001Z", true),
        (1, "20261001T075959Z", false),
        (0, "20261002T080000Z", false),
        (2, "20260901T080000Z", true),
        (1, "", false),
    ] {
        assert_eq!(is_newer(&entry(sequence, stamp), &known), expected, "{sequence} {stamp}");
    }
}
