//! Events that clients write: checks of their fields, and the objects that announce them.

use inboxd_mail::{
    CalendarEntry, CalendarMethod, EntryStatus, EntryTimes, check_recurrence, check_times, read_calendar,
    time_zone_name, write_calendar,
};

fn times(start: &str, end: &str, timezone: &str) -> EntryTimes {
    check_times(!start.contains('T'), start, end, timezone, false).unwrap()
}

#[test]
fn times_are_checked_field_by_field() {
    let event = times("2026-10-15T14:00:00", "2026-10-15T14:30:00", "america/new_york");
    assert_eq!(event.timezone.as_deref(), Some("America/New_York"));
    assert_eq!((event.start_at, event.end_at), (Some(1_792_087_200), Some(1_792_089_000)));
    let days = times("2026-10-15", "2026-10-15", "Europe/Berlin");
    assert_eq!(days.end_at.unwrap() - days.start_at.unwrap(), 86_400);
    for (all_day, start, end, zone, repeats, field) in [
        (false, "2026-10-15T14:00:00", "2026-10-15T14:00:00", "UTC", false, "end"),
        (false, "2026-10-15T14:00", "2026-10-15T15:00:00", "UTC", false, "start"),
        (false, "2026-10-15T14:00:00Z", "2026-10-15T15:00:00", "UTC", false, "start"),
        (false, "2026-10-15T14:00:00", "2026-02-30T15:00:00", "UTC", false, "end"),
        (false, "2026-10-15", "2026-10-16", "UTC", false, "start"),
        (true, "2026-10-15T14:00:00", "2026-10-16", "UTC", false, "start"),
        (true, "2026-10-15", "2026-10-14", "UTC", false, "end"),
        (true, "-002026-10-15", "2026-10-14", "UTC", false, "start"),
        (true, "9999-12-31", "9999-12-31", "UTC", false, "end"),
        (true, "2026-01-01", "2027-01-02", "UTC", false, "end"),
        (true, "2026-01-01", "2026-02-01", "UTC", true, "end"),
        (true, "2026-10-15", "2026-10-15", "Nowhere/Town", false, "timezone"),
    ] {
        let error = check_times(all_day, start, end, zone, repeats).unwrap_err();
        assert_eq!(error.field, field, "{start} {end}: {error}");
    }
    check_times(true, "2026-01-01", "2027-01-01", "UTC", false).unwrap();
    check_times(true, "2026-01-01", "2026-01-31", "UTC", true).unwrap();
    assert_eq!(time_zone_name("europe/berlin").as_deref(), Some("Europe/Berlin"));
    assert_eq!(time_zone_name(""), None);
}

#[test]
fn recurrences_are_checked_field_by_field() {
    let timed = times("2026-10-15T14:00:00", "2026-10-15T14:30:00", "Europe/Berlin");
    let days = times("2026-10-15", "2026-10-15", "Europe/Berlin");
    let ok = check_recurrence(&timed, "RRULE:freq=weekly;byday=TH", vec!["2026-10-22T14:00:00".to_owned()], vec![]);
    assert_eq!(ok.unwrap().rule, "FREQ=WEEKLY;BYDAY=TH");
    check_recurrence(&days, "FREQ=DAILY;UNTIL=20261020", vec![], vec!["2026-12-01".to_owned()]).unwrap();
    for (times, rule, exdate, field) in [
        (&timed, "FREQ=SOMETIMES", None, "recurrence.rule"),
        (&timed, "FREQ=HOURLY", None, "recurrence.rule"),
        (&timed, "FREQ=WEEKLY;BYDAY=MO", None, "recurrence.rule"),
        (&timed, "FREQ=DAILY;UNTIL=20261020", None, "recurrence.rule"),
        (&days, "FREQ=DAILY;UNTIL=20261020T000000Z", None, "recurrence.rule"),
        (&timed, "FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14;BYMINUTE=0,1,2,3", None, "recurrence.rule"),
        (&timed, "FREQ=DAILY", Some("2026-10-22"), "recurrence.exdates[0]"),
        (&days, "FREQ=DAILY", Some("2026-10-22T14:00:00"), "recurrence.exdates[0]"),
    ] {
        let exdates = exdate.map(str::to_owned).into_iter().collect();
        assert_eq!(check_recurrence(times, rule, exdates, vec![]).unwrap_err().field, field, "{rule}");
    }
    let many = vec!["2026-10-22T14:00:00".to_owned(); 367];
    assert_eq!(check_recurrence(&timed, "FREQ=DAILY", many.clone(), vec![]).unwrap_err().field, "recurrence.exdates");
    assert_eq!(check_recurrence(&timed, "FREQ=DAILY", vec![], many).unwrap_err().field, "recurrence.rdates");
}

/// Reads an event, writes it as an invitation and reads that again.
fn round_trip(properties: &str) -> (String, CalendarEntry, CalendarEntry) {
    let object = format!(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTAMP:20260901T080000Z\n{properties}\nEND:VEVENT\nEND:VCALENDAR"
    );
    let entry = read_calendar(&object, None).unwrap().entry;
    let written = write_calendar(CalendarMethod::Request, &entry);
    let read = read_calendar(&written, None).unwrap().entry;
    (written, entry, read)
}

#[test]
fn recurring_event_is_written_in_its_zone() {
    let (written, entry, read) = round_trip(
        "SUMMARY:Oak\nDTSTART;TZID=Europe/Berlin:20261005T140000\nDURATION:PT30M\nRRULE:FREQ=WEEKLY;COUNT=9\n\
         EXDATE;TZID=Europe/Berlin:20261012T140000\nRDATE;TZID=Europe/Berlin:20261013T090000",
    );
    assert_eq!(read, entry);
    for line in [
        "BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nBEGIN:DAYLIGHT\r\nDTSTART:20261004T140000\r\nTZOFFSETFROM:+0200\r\n\
         TZOFFSETTO:+0200\r\nEND:DAYLIGHT\r\nBEGIN:STANDARD\r\nDTSTART:20261025T030000\r\nTZOFFSETFROM:+0200\r\n\
         TZOFFSETTO:+0100\r\nEND:STANDARD\r\n",
        "DTSTART;TZID=Europe/Berlin:20261005T140000\r\nDTEND;TZID=Europe/Berlin:20261005T143000\r\n",
        "RRULE:FREQ=WEEKLY;COUNT=9\r\nEXDATE;TZID=Europe/Berlin:20261012T140000\r\nRDATE;TZID=Europe/Berlin:20261013T090000\r\n",
    ] {
        assert!(written.contains(line), "{written}");
    }
    assert!(!write_calendar(CalendarMethod::Reply, &read_calendar(&written, None).unwrap().entry).contains("RRULE"));
}

#[test]
fn cancellation_for_some_attendees_has_no_status() {
    let (_, entry, _) = round_trip("DTSTART:20261005T140000Z\nDURATION:PT30M\nATTENDEE:mailto:bob@example.org");
    let whole = CalendarEntry { status: EntryStatus::Cancelled, ..entry.clone() };
    for (entry, has_status) in [(entry, false), (whole, true)] {
        let written = write_calendar(CalendarMethod::Cancel, &entry);
        assert_eq!(written.contains("STATUS:CANCELLED\r\n"), has_status, "{written}");
        assert_eq!(written.contains("STATUS:"), has_status, "{written}");
        assert_eq!(read_calendar(&written, None).unwrap().entry.status, EntryStatus::Cancelled);
    }
}

#[test]
fn other_events_need_no_zone() {
    for properties in [
        "DTSTART;TZID=Europe/Berlin:20261005T140000\nDURATION:PT30M",
        "DTSTART;VALUE=DATE:20261005\nDTEND;VALUE=DATE:20261007\nRRULE:FREQ=YEARLY\nEXDATE;VALUE=DATE:20271005",
        "DTSTART:20261005T140000Z\nDURATION:PT30M\nRRULE:FREQ=DAILY\nEXDATE:20261006T140000Z",
    ] {
        let (written, entry, read) = round_trip(properties);
        assert!(!written.contains("TZID"), "{written}");
        assert_eq!(read.recurrence, entry.recurrence);
        let instants = |entry: &CalendarEntry| entry.times.as_ref().map(|times| (times.start_at, times.end_at));
        assert_eq!((instants(&read), read.times.unwrap().all_day), (instants(&entry), entry.times.unwrap().all_day));
    }
}
