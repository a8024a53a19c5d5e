//! Calendar messages of real programs, and of hostile ones.

use inboxd_mail::{
    AttendeeRole, AttendeeStatus, CalendarEntry, CalendarMessage, CalendarMethod, CalendarPart, Composition,
    EntryStatus, Mailbox, RecurrenceRule, compose, parse, read_calendar, write_calendar,
};

fn read(body: &str) -> CalendarMessage {
    read_calendar(&format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{body}\r\nEND:VCALENDAR\r\n"), None).unwrap()
}

/// Reads an event with these properties besides its identifier.
fn event(properties: &str) -> CalendarEntry {
    read(&format!("BEGIN:VEVENT\nUID:1\n{properties}\nEND:VEVENT")).entry
}

/// Returns start, end and zone.
fn times(entry: &CalendarEntry) -> [&str; 3] {
    let times = entry.times.as_ref().unwrap();
    [&times.start, &times.end, times.timezone.as_deref().unwrap_or_default()]
}

const GOOGLE: &str = "From: Anna Berg <anna@example.org>\r\nTo: scout@inboxd.example\r\nSubject: Invitation: Oak\r\n\
MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"a\"\r\n\r\n--a\r\nContent-Type: multipart/alternative; boundary=\"b\"\r\n\r\n\
--b\r\nContent-Type: text/plain; charset=\"UTF-8\"\r\n\r\nYou have been invited.\r\n--b\r\n\
Content-Type: text/calendar; charset=\"UTF-8\"; method=REQUEST\r\nContent-Transfer-Encoding: 7bit\r\n\r\n\
BEGIN:VCALENDAR\r\nPRODID:-//Google Inc//Google Calendar 70.9054//EN\r\nVERSION:2.0\r\nCALSCALE:GREGORIAN\r\nMETHOD:REQUEST\r\n\
BEGIN:VTIMEZONE\r\nTZID:America/New_York\r\nX-LIC-LOCATION:America/New_York\r\nBEGIN:DAYLIGHT\r\nTZOFFSETFROM:-0500\r\n\
TZOFFSETTO:-0400\r\nTZNAME:EDT\r\nDTSTART:19700308T020000\r\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\n\
BEGIN:VEVENT\r\nDTSTART;TZID=America/New_York:20261015T140000\r\nDTEND;TZID=America/New_York:20261015T143000\r\n\
RRULE:FREQ=WEEKLY;WKST=SU;UNTIL=20261231T235959Z;BYDAY=TH\r\nEXDATE;TZID=America/New_York:20261022T140000\r\n\
DTSTAMP:20261001T080000Z\r\nORGANIZER;CN=Anna Berg:mailto:Anna@example.org\r\nUID:7kukuqrfedlm2f9t0vr4d2@google.com\r\n\
ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=\r\n TRUE;CN=scout@inboxd.example;X-NUM-GUESTS=0:mailto:scout@inboxd.example\r\n\
ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=OPT-PARTICIPANT;PARTSTAT=ACCEPTED;CN=Bo Holm:mailto:bo@example.org\r\n\
X-GOOGLE-CONFERENCE:https://meet.google.com/abc-defg-hij\r\nCREATED:20261001T075900Z\r\nDESCRIPTION:Samples of oak\\, ash\\nand elm.\r\n\
LAST-MODIFIED:20261001T080000Z\r\nLOCATION:Sawmill\\, Kendal\r\nSEQUENCE:0\r\nSTATUS:CONFIRMED\r\nSUMMARY:Oak\r\nTRANSP:OPAQUE\r\n\
BEGIN:VALARM\r\nACTION:DISPLAY\r\nDESCRIPTION:This is an event reminder\r\nTRIGGER:-P0DT0H10M0S\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n\
--b--\r\n--a\r\nContent-Type: application/ics; name=\"invite.ics\"\r\nContent-Disposition: attachment; filename=\"invite.ics\"\r\n\r\nbroken\r\n--a--\r\n";

#[test]
fn invitation_of_google_is_read_from_the_message() {
    let mail = parse(GOOGLE.as_bytes());
    let calendar = mail.calendar.unwrap();
    assert_eq!(calendar.method, Some(CalendarMethod::Request));
    let entry = calendar.entry;
    assert_eq!((entry.uid.as_str(), entry.sequence), ("7kukuqrfedlm2f9t0vr4d2@google.com", 0));
    assert_eq!(entry.stamp, Some(1_790_841_600));
    assert_eq!(times(&entry), ["2026-10-15T14:00:00", "2026-10-15T14:30:00", "America/New_York"]);
    let instants = entry.times.as_ref().unwrap();
    assert_eq!((instants.start_at, instants.end_at), (Some(1_792_087_200), Some(1_792_089_000)));
    let recurrence = entry.recurrence.unwrap();
    assert_eq!(recurrence.rule, "FREQ=WEEKLY;UNTIL=20261231T235959Z;BYDAY=TH;WKST=SU");
    assert_eq!(recurrence.exdates, ["2026-10-22T14:00:00"]);
    assert_eq!(entry.title.as_deref(), Some("Oak"));
    assert_eq!(entry.description.as_deref(), Some("Samples of oak, ash\nand elm."));
    assert_eq!(entry.location.as_deref(), Some("Sawmill, Kendal"));
    let organizer = entry.organizer.unwrap();
    assert_eq!((organizer.email.as_str(), organizer.name.as_deref()), ("anna@example.org", Some("Anna Berg")));
    assert_eq!(entry.attendee_count, 2);
    let [scout, bo] = entry.attendees.as_slice() else { panic!("two attendees") };
    assert_eq!((scout.person.email.as_str(), scout.person.name.as_deref()), ("scout@inboxd.example", None));
    assert_eq!((scout.status, scout.role), (AttendeeStatus::NeedsAction, AttendeeRole::Required));
    assert_eq!((bo.status, bo.role), (AttendeeStatus::Accepted, AttendeeRole::Optional));
    assert_eq!(parse(b"Subject: Oak\r\n\r\nBEGIN:VCALENDAR").calendar, None);
}

#[test]
fn time_zone_names_of_windows_are_known() {
    for (name, expected) in [
        ("Pacific Standard Time", "America/Los_Angeles"),
        ("W. Europe Standard Time", "Europe/Berlin"),
        ("India Standard Time", "Asia/Kolkata"),
        ("\"tzone://Microsoft/Utc\"", "UTC"),
        ("europe/berlin", "Europe/Berlin"),
        ("/softwarestudio.org/Olson_20011030_5/America/Chicago", "America/Chicago"),
        ("/freeassociation.sourceforge.net/Europe/Paris", "Europe/Paris"),
        ("Middle-earth", ""),
    ] {
        let entry = event(&format!("DTSTART;TZID={name}:20261015T140000\nDURATION:PT45M"));
        assert_eq!(times(&entry), ["2026-10-15T14:00:00", "2026-10-15T14:45:00", expected], "{name}");
        assert_eq!(entry.times.unwrap().start_at.is_some(), !expected.is_empty(), "{name}");
    }
}

#[test]
fn time_zone_without_known_name_is_read_from_its_definition() {
    let zone = "BEGIN:VTIMEZONE\nTZID:Customized Time Zone\nBEGIN:STANDARD\nDTSTART:16010101T030000\nTZOFFSETFROM:+0200\n\
                TZOFFSETTO:+0100\nRRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10\nEND:STANDARD\nBEGIN:DAYLIGHT\n\
                DTSTART:16010301T020000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nRRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3\n\
                END:DAYLIGHT\nEND:VTIMEZONE";
    for (start, expected) in [("20260715T140000", "2026-07-15T12:00:00"), ("20261215T140000", "2026-12-15T13:00:00")] {
        let body = format!("{zone}\nBEGIN:VEVENT\nUID:1\nDTSTART;TZID=Customized Time Zone:{start}\nEND:VEVENT");
        assert_eq!(times(&read(&body).entry), [expected, expected, "UTC"]);
    }
    let located = "BEGIN:VTIMEZONE\nTZID:Home\nX-LIC-LOCATION:Europe/Oslo\nEND:VTIMEZONE\n\
                   BEGIN:VEVENT\nUID:1\nDTSTART;TZID=Home:20260715T140000\nEND:VEVENT";
    assert_eq!(times(&read(located).entry)[2], "Europe/Oslo");
    let of_object = "X-WR-TIMEZONE:Asia/Tokyo\nBEGIN:VEVENT\nUID:1\nDTSTART:20260715T140000\nEND:VEVENT";
    assert_eq!(times(&read(of_object).entry)[2], "Asia/Tokyo");
}

#[test]
fn invitation_of_outlook_names_its_method_in_the_content_type() {
    let object = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nORGANIZER;CN=Anna Berg:MAILTO:anna@example.org\r\n\
                  ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=Scout:MAILTO:scout@inboxd.example\r\n\
                  UID:040000008200E00074C5B7101A82E00800000000\r\nDTSTART;TZID=GMT Standard Time:20260701T090000\r\n\
                  DTEND;TZID=GMT Standard Time:20260701T100000\r\nDTSTAMP:20260601T080000Z\r\nSEQUENCE:3\r\n\
                  X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let header =
        "Content-Type: text/calendar; charset=\"utf-8\"; method=REQUEST\r\nContent-Transfer-Encoding: base64\r\n\r\n";
    let encoded = encode(object.as_bytes());
    let calendar = parse(format!("{header}{encoded}").as_bytes()).calendar.unwrap();
    assert_eq!(calendar.method, Some(CalendarMethod::Request));
    assert_eq!(calendar.entry.sequence, 3);
    assert_eq!(times(&calendar.entry), ["2026-07-01T09:00:00", "2026-07-01T10:00:00", "Europe/London"]);
    assert_eq!(calendar.entry.organizer.unwrap().email, "anna@example.org");
}

/// Encodes bytes in Base64.
fn encode(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let number = (0..3).fold(0, |number, at| number << 8 | u32::from(*group.get(at).unwrap_or(&0)));
        let digit = |at: usize| char::from(DIGITS[(number >> (18 - 6 * at) & 63) as usize]);
        (0..4).map(|at| if at > group.len() { '=' } else { digit(at) }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

#[test]
fn invitation_of_apple_names_attendees_by_principal() {
    let entry = event(
        "DTSTART;VALUE=DATE:20261015\nDTEND;VALUE=DATE:20261018\nSUMMARY;LANGUAGE=en:Fair\n\
         ORGANIZER;CN=\"Berg, Anna\";EMAIL=anna@icloud.example:/aMTIz/principal/\n\
         ATTENDEE;CN=\"Scout\";CUTYPE=INDIVIDUAL;EMAIL=\"Scout@inboxd.example\";PARTSTAT=TENTATIVE:/aMTIz/principal/\n\
         ATTENDEE;CN=Room:urn:uuid:1\nSTATUS:TENTATIVE",
    );
    assert_eq!(times(&entry), ["2026-10-15", "2026-10-17", ""]);
    let whole = entry.times.unwrap();
    assert!(whole.all_day && whole.start_at.is_none());
    assert_eq!(entry.status, EntryStatus::Tentative);
    assert_eq!(entry.organizer.unwrap().name.as_deref(), Some("Berg, Anna"));
    assert_eq!(entry.attendees.len(), 1);
    assert_eq!(entry.attendees[0].person.email, "scout@inboxd.example");
    assert_eq!(entry.attendees[0].status, AttendeeStatus::Tentative);
    assert_eq!(times(&event("DTSTART;VALUE=DATE:20261015")), ["2026-10-15", "2026-10-15", ""]);
}

#[test]
fn invitation_of_zoom_is_a_file_with_times_in_utc() {
    let mail = "Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: text/plain\r\n\r\nJoin.\r\n--a\r\n\
                Content-Type: application/octet-stream; name=\"meeting.ICS\"\r\n\r\nBEGIN:VCALENDAR\r\n\
                PRODID:-//zoom.us//iCalendar Event//EN\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:ZOOM1\r\n\
                DTSTART:20261015T180000Z\r\nDTEND:20261015T190000Z\r\nSUMMARY:Zoom\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n--a--\r\n";
    let calendar = parse(mail.as_bytes()).calendar.unwrap();
    assert_eq!(times(&calendar.entry), ["2026-10-15T18:00:00", "2026-10-15T19:00:00", "UTC"]);
}

#[test]
fn cancellations_answers_and_proposals_name_event_and_date() {
    let date = "BEGIN:VEVENT\nUID:1\nSEQUENCE:2\nRECURRENCE-ID;TZID=Europe/Berlin:20261022T140000\n\
                DTSTART;TZID=Europe/Berlin:20261022T150000\nCOMMENT:Ill\nATTENDEE;PARTSTAT=DECLINED:mailto:bo@example.org\nEND:VEVENT";
    for (method, expected, status) in [
        ("CANCEL", CalendarMethod::Cancel, EntryStatus::Cancelled),
        ("REPLY", CalendarMethod::Reply, EntryStatus::Confirmed),
        ("COUNTER", CalendarMethod::Counter, EntryStatus::Confirmed),
        ("DECLINECOUNTER", CalendarMethod::DeclineCounter, EntryStatus::Confirmed),
    ] {
        let calendar = read(&format!("METHOD:{method}\n{date}"));
        assert_eq!((calendar.method, calendar.entry.status), (Some(expected), status));
        assert_eq!(calendar.entry.recurrence_id.as_deref(), Some("2026-10-22T14:00:00"));
        assert_eq!((calendar.entry.sequence, calendar.entry.comment.as_deref()), (2, Some("Ill")));
        assert_eq!(calendar.entry.attendees[0].status, AttendeeStatus::Declined);
    }
    // A date in UTC is the same date in the zone of the event; an answer needs no times.
    let entry = event("RECURRENCE-ID:20261022T120000Z\nDTSTART;TZID=Europe/Berlin:20261022T150000");
    assert_eq!(entry.recurrence_id.as_deref(), Some("2026-10-22T14:00:00"));
    assert_eq!(event("RECURRENCE-ID;VALUE=DATE:20261022").recurrence_id.as_deref(), Some("2026-10-22"));
}

#[test]
fn recurring_event_comes_before_its_changed_dates() {
    let date = |day: u8| {
        format!("BEGIN:VEVENT\nUID:1\nRECURRENCE-ID:202610{day}T120000Z\nDTSTART:202610{day}T130000Z\nEND:VEVENT\n")
    };
    let dates: String = (10..30).map(date).collect();
    let whole = "BEGIN:VEVENT\nUID:1\nDTSTART:20261001T120000Z\nRRULE:FREQ=DAILY\nRDATE:20261201T120000Z,20261202T120000Z/PT1H\nEND:VEVENT";
    let calendar = read(&format!("{dates}{whole}"));
    let recurrence = calendar.entry.recurrence.unwrap();
    assert_eq!(recurrence.rdates, ["2026-12-01T12:00:00", "2026-12-02T12:00:00"]);
    assert_eq!(calendar.others.len(), 10);
    assert_eq!(calendar.others[0].recurrence_id.as_deref(), Some("2026-10-10T12:00:00"));
}

#[test]
fn recurrence_rules_are_normalized_and_checked() {
    for (rule, expected) in [
        ("RRULE:freq=weekly;byday=fr,MO,mo;interval=1;wkst=mo", "FREQ=WEEKLY;BYDAY=MO,FR"),
        ("FREQ=MONTHLY;COUNT=12;BYDAY=-1FR", "FREQ=MONTHLY;COUNT=12;BYDAY=-1FR"),
        (
            "FREQ=YEARLY;UNTIL=20301231;BYMONTHDAY=-1,1;BYMONTH=2",
            "FREQ=YEARLY;UNTIL=20301231;BYMONTH=2;BYMONTHDAY=-1,1",
        ),
    ] {
        assert_eq!(RecurrenceRule::parse(rule).unwrap().to_string(), expected);
        assert_eq!(RecurrenceRule::parse(expected).unwrap().to_string(), expected);
    }
    for rule in [
        "",
        "BYDAY=MO",
        "FREQ=FORTNIGHTLY",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=10001",
        "FREQ=DAILY;INTERVAL=367",
        "FREQ=DAILY;COUNT=1;UNTIL=20301231",
        "FREQ=DAILY;BYHOUR=24",
        "FREQ=DAILY;BYHOUR=-1",
        "FREQ=DAILY;BYMONTH=0",
        "FREQ=DAILY;BYDAY=XX",
        "FREQ=DAILY;BYDAY=0MO",
        "FREQ=DAILY;BYDAY=é",
        "FREQ=DAILY;X=1",
        "FREQ=DAILY;UNTIL=tomorrow",
    ] {
        assert!(RecurrenceRule::parse(rule).is_err(), "{rule}");
    }
    let entry = event("DTSTART:20261015T180000Z\nRRULE:FREQ=SOMETIMES");
    assert_eq!(entry.recurrence.unwrap().rule, "FREQ=SOMETIMES");
}

#[test]
fn broken_times_are_left_out() {
    for properties in
        ["", "DTSTART:", "DTSTART:20261315T180000Z", "DTSTART:2026101", "DTSTART:20261015T2500", "DTSTART:éééé"]
    {
        assert_eq!(event(properties).times, None, "{properties}");
    }
    let reversed = event("DTSTART:20261015T180000Z\nDTEND:20261015T170000Z");
    assert_eq!(times(&reversed), ["2026-10-15T18:00:00", "2026-10-15T18:00:00", "UTC"]);
    for duration in ["-PT1H", "PT1", "PT99999999H", "P1W1", "1H"] {
        let entry = event(&format!("DTSTART:20261015T180000Z\nDURATION:{duration}"));
        assert_eq!(times(&entry)[1], "2026-10-15T18:00:00", "{duration}");
    }
}

#[test]
fn hostile_objects_are_bounded() {
    let people: String = (0..5_000)
        .map(|n| format!("ATTENDEE;CN={}:mailto:a{n}@example.org\n", "x".repeat(50)))
        .collect::<Vec<_>>()
        .concat();
    let entry = event(&format!("SUMMARY:{}\nDESCRIPTION:{}\n{people}", "é".repeat(5_000), "a\\n".repeat(20_000)));
    assert_eq!((entry.attendees.len(), entry.attendee_count), (100, 5_000));
    assert_eq!(entry.title.unwrap().chars().count(), 1_000);
    assert!(entry.description.unwrap().len() <= 8 * 1024);
    let deep = format!("{}BEGIN:VEVENT\nUID:1\n", "BEGIN:VCALENDAR\n".repeat(100_000 / 8));
    assert_eq!(read_calendar(&deep, None), None);
    assert_eq!(read_calendar(&"A".repeat(1024 * 1024 + 1), None), None);
    let long = format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:{}\nEND:VEVENT\nEND:VCALENDAR", "u".repeat(1_001));
    assert_eq!(read_calendar(&long, None), None);
    let exdates = vec!["20261015T180000Z"; 50_000].join(",");
    let entry = event(&format!("DTSTART:20261015T180000Z\nRRULE:FREQ=DAILY\nEXDATE:{exdates}"));
    assert_eq!(entry.recurrence.unwrap().exdates.len(), 366);
    let controls = event("SUMMARY:a\u{7}b\\nc\nLOCATION:\u{0}");
    assert_eq!((controls.title.as_deref(), controls.location), (Some("ab c"), None));
}

/// Returns a message that answers `entry` with a comment.
fn answer(entry: CalendarEntry) -> CalendarPart {
    let entry = CalendarEntry { comment: Some("Late; sorry,\n\\o/ ".repeat(20)), ..entry };
    CalendarPart { method: CalendarMethod::Reply, content: write_calendar(CalendarMethod::Reply, &entry) }
}

#[test]
fn written_object_is_read_again() {
    let zoned = "RECURRENCE-ID;TZID=Europe/Berlin:20261022T140000\nDTSTART;TZID=Europe/Berlin:20261022T150000\nDURATION:PT1H\nSEQUENCE:3\n\
                 DTSTAMP:20261001T080000Z\nSUMMARY:Oak\\, ash\\; elm\nORGANIZER;CN=\"Berg; ^'Anna^' ^^\":mailto:anna@example.org\n\
                 ATTENDEE;PARTSTAT=TENTATIVE;ROLE=OPT-PARTICIPANT;CN=Zoë:mailto:zoe@example.org";
    for (properties, times_of_answer, original) in [
        (zoned, ["2026-10-22T13:00:00", "2026-10-22T14:00:00", "UTC"], Some("2026-10-22T12:00:00")),
        ("DTSTART;VALUE=DATE:20261015\nDTEND;VALUE=DATE:20261018", ["2026-10-15", "2026-10-17", ""], None),
        ("DTSTART:20261015T140000", ["2026-10-15T14:00:00", "2026-10-15T14:00:00", ""], None),
        (
            "RECURRENCE-ID;VALUE=DATE:20261015\nDTSTART;VALUE=DATE:20261016",
            ["2026-10-16", "2026-10-16", ""],
            Some("2026-10-15"),
        ),
    ] {
        let entry = event(properties);
        let part = answer(entry.clone());
        assert!(part.content.lines().all(|line| line.len() <= 75), "{}", part.content);
        let from: Mailbox = "Zoë <zoe@example.org>".parse().unwrap();
        let mail = Composition {
            calendar: Some(part),
            text: Some("Maybe.".to_owned()),
            ..Composition::new(from, "<1@a.example>".to_owned())
        };
        let mail = parse(&compose(&mail).unwrap());
        assert_eq!(mail.text.as_deref(), Some("Maybe."));
        let calendar = mail.calendar.unwrap();
        assert_eq!(calendar.method, Some(CalendarMethod::Reply));
        let read = calendar.entry;
        assert_eq!(times(&read), times_of_answer);
        assert_eq!(read.recurrence_id.as_deref(), original);
        assert_eq!((&read.uid, read.sequence, &read.title), (&entry.uid, entry.sequence, &entry.title));
        assert_eq!((&read.organizer, &read.attendees), (&entry.organizer, &entry.attendees));
        assert_eq!(read.comment.as_deref(), Some("Late; sorry,\n\\o/ ".repeat(20).trim()));
    }
}
