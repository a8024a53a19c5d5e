//! Which answers of attendees change an event.

use inboxd_core::model::EventAuthority;
use inboxd_core::rules::calendar_replies::{answered, answered_date};
use inboxd_core::testing::fixtures::calendar_event;
use inboxd_mail::{AttendeeStatus, CalendarEntry, EntryStatus, read_calendar};

const NOW: i64 = 1_793_000_000;

fn sender(from: &str, is_authenticated: bool) -> EventAuthority {
    EventAuthority { from: from.to_owned(), organizer: "anna@example.org".to_owned(), is_authenticated }
}

/// Reads an answer with these properties.
fn reply(properties: &str) -> CalendarEntry {
    let object = format!("BEGIN:VCALENDAR\nMETHOD:REPLY\nBEGIN:VEVENT\nUID:oak@example.org\n{properties}\nEND:VEVENT");
    read_calendar(&object, None).unwrap().entry
}

/// Reads an answer of the attendee of the event.
fn answer(sequence: u32, stamp: &str, status: &str) -> CalendarEntry {
    let attendee = format!("ATTENDEE;PARTSTAT={status}:mailto:Scout@inboxd.example");
    reply(&format!("SEQUENCE:{sequence}\nDTSTAMP:{stamp}\n{attendee}\nCOMMENT:Gladly."))
}

#[test]
fn only_the_proved_attendee_answers() {
    let known = calendar_event().entry;
    let scout = "scout@inboxd.example";
    let accepted = answer(1, "20261002T080000Z", "ACCEPTED");
    let after = answered(&known, &accepted, &sender(scout, true), NOW).unwrap();
    let attendee = &after.attendees[0];
    assert_eq!((attendee.status, attendee.responded_at), (AttendeeStatus::Accepted, accepted.stamp));
    assert_eq!(attendee.comment, None, "the comment goes with its mail");
    assert_eq!((after.sequence, after.stamp), (known.sequence, known.stamp));
    for from in [sender(scout, false), sender("eve@example.org", true), sender("", true)] {
        assert_eq!(answered(&known, &accepted, &from, NOW), None, "{from:?}");
    }
    // Eve answers for herself, or for others too.
    let eve = sender("eve@example.org", true);
    let stamp = "SEQUENCE:1\nDTSTAMP:20261002T080000Z\nATTENDEE;PARTSTAT=DECLINED:mailto:";
    for properties in [
        format!("{stamp}eve@example.org"),
        format!("{stamp}eve@example.org\nATTENDEE;PARTSTAT=DECLINED:mailto:{scout}"),
        format!("{stamp}{scout}\nATTENDEE;PARTSTAT=DECLINED:mailto:eve@example.org"),
    ] {
        assert_eq!(answered(&known, &reply(&properties), &eve, NOW), None, "{properties}");
    }
}

#[test]
fn older_answers_change_nothing() {
    let scout = sender("scout@inboxd.example", true);
    let known = calendar_event().entry;
    let known = answered(&known, &answer(1, "20261002T080000Z", "ACCEPTED"), &scout, NOW).unwrap();
    for (sequence, stamp, status, expected) in [
        (0, "20261003T080000Z", "DECLINED", None),
        (1, "20261001T080000Z", "DECLINED", None),
        (1, "20261002T080000Z", "ACCEPTED", None),
        (1, "", "DECLINED", None),
        (1, "20261003T080000Z", "NEEDS-ACTION", None),
        (1, "20261003T080000Z", "DELEGATED", None),
        (1, "20261002T080000Z", "DECLINED", Some(AttendeeStatus::Declined)),
        (2, "20261003T080000Z", "TENTATIVE", Some(AttendeeStatus::Tentative)),
    ] {
        let after = answered(&known, &answer(sequence, stamp, status), &scout, NOW);
        assert_eq!(after.map(|entry| entry.attendees[0].status), expected, "{sequence} {stamp} {status}");
    }
    let fast = answered(&known, &answer(1, "20401003T080000Z", "DECLINED"), &scout, NOW).unwrap();
    assert_eq!(fast.attendees[0].responded_at, Some(NOW), "a fast clock outranks no later answer");
    let cancelled = CalendarEntry { status: EntryStatus::Cancelled, ..known };
    assert_eq!(answered(&cancelled, &answer(1, "20261003T080000Z", "DECLINED"), &scout, NOW), None);
}

#[test]
fn date_is_found_in_any_zone() {
    let series = calendar_event();
    for (properties, expected) in [
        ("RECURRENCE-ID;TZID=Europe/Berlin:20261012T140000", Some("2026-10-12T14:00:00")),
        ("RECURRENCE-ID;TZID=America/New_York:20261012T080000", Some("2026-10-12T14:00:00")),
        ("RECURRENCE-ID:20261012T120000Z", Some("2026-10-12T14:00:00")),
        ("DTSTART:20261012T120000Z\nRECURRENCE-ID:20261012T120000Z", Some("2026-10-12T14:00:00")),
        ("DTSTART:20261013T150000Z\nRECURRENCE-ID:20261102T130000Z", Some("2026-11-02T14:00:00")),
        ("RECURRENCE-ID;TZID=Europe/Berlin:20261013T140000", None),
        ("RECURRENCE-ID;VALUE=DATE:20261012", None),
        ("SUMMARY:Oak", None),
    ] {
        assert_eq!(answered_date(&series, &reply(properties)).as_deref(), expected, "{properties}");
    }
}
