//! Authority over events, and the order of their versions.

use inboxd_core::model::EventAuthority;
use inboxd_core::rules::calendar::{is_newer, may_change};
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
