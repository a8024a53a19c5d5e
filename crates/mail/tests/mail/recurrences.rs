//! Dates of recurring events: examples of RFC 5545 (section 3.8.5.3), time zones, and hostile rules.

use std::time::{Duration, Instant};

use inboxd_mail::{EntryRecurrence, EntryTimes, expand, last_end, moved_to, read_calendar, with_instants};

/// Reads an event with these properties.
fn event(properties: &str) -> (EntryTimes, Option<EntryRecurrence>) {
    let object = format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\n{properties}\nEND:VEVENT\nEND:VCALENDAR");
    let entry = read_calendar(&object, None).unwrap().entry;
    (entry.times.unwrap(), entry.recurrence)
}

/// Returns the Unix second of a time in UTC.
fn second(utc: &str) -> i64 {
    let (times, _) = event(&format!("DTSTART:{utc}"));
    times.start_at.unwrap()
}

/// Returns the starts of the dates from `after` to `before`, each without its year and without a time of nine o'clock.
fn dates(properties: &str, after: &str, before: &str, limit: usize) -> Vec<String> {
    let (times, recurrence) = event(properties);
    let found = expand(&times, recurrence.as_ref(), "UTC", (second(after), second(before)), limit);
    found.into_iter().map(|times| times.start.trim_end_matches("T09:00:00").to_owned()).collect()
}

/// Returns the first dates of a rule that begins on 2 September 1997 at nine in New York, as in the RFC.
fn of_rule(rule: &str, limit: usize) -> Vec<String> {
    let properties = format!("DTSTART;TZID=America/New_York:19970902T090000\nDURATION:PT1H\nRRULE:{rule}");
    dates(&properties, "19970101T000000Z", "20200101T000000Z", limit)
}

#[test]
fn rules_of_the_standard_have_their_dates() {
    for (rule, expected) in [
        ("FREQ=DAILY;COUNT=3", vec!["1997-09-02", "1997-09-03", "1997-09-04"]),
        ("FREQ=DAILY;INTERVAL=10;COUNT=5", vec!["1997-09-02", "1997-09-12", "1997-09-22", "1997-10-02", "1997-10-12"]),
        ("FREQ=WEEKLY;UNTIL=19970917T000000Z", vec!["1997-09-02", "1997-09-09", "1997-09-16"]),
        ("FREQ=WEEKLY;INTERVAL=2;WKST=SU;COUNT=3", vec!["1997-09-02", "1997-09-16", "1997-09-30"]),
        ("FREQ=WEEKLY;COUNT=4;WKST=SU;BYDAY=TU,TH", vec!["1997-09-02", "1997-09-04", "1997-09-09", "1997-09-11"]),
        (
            "FREQ=MONTHLY;INTERVAL=2;COUNT=4;BYDAY=1SU,-1SU",
            vec!["1997-09-07", "1997-09-28", "1997-11-02", "1997-11-30"],
        ),
        ("FREQ=MONTHLY;COUNT=3;BYDAY=-2MO", vec!["1997-09-22", "1997-10-20", "1997-11-17"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-3;COUNT=3", vec!["1997-09-28", "1997-10-29", "1997-11-28"]),
        ("FREQ=MONTHLY;COUNT=4;BYMONTHDAY=1,-1", vec!["1997-09-30", "1997-10-01", "1997-10-31", "1997-11-01"]),
        ("FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3", vec!["1997-10-31", "1997-12-31", "1998-01-31"]),
        ("FREQ=YEARLY;COUNT=3;BYMONTH=6,7", vec!["1998-06-02", "1998-07-02", "1999-06-02"]),
        ("FREQ=YEARLY;INTERVAL=3;COUNT=3;BYYEARDAY=1,100,200", vec!["2000-01-01", "2000-04-09", "2000-07-18"]),
        ("FREQ=YEARLY;BYDAY=20MO;COUNT=2", vec!["1998-05-18", "1999-05-17"]),
        ("FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=3", vec!["1998-05-11", "1999-05-17", "2000-05-15"]),
        ("FREQ=YEARLY;BYMONTH=3;BYDAY=TH;COUNT=4", vec!["1998-03-05", "1998-03-12", "1998-03-19", "1998-03-26"]),
        ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=3", vec!["1998-02-13", "1998-03-13", "1998-11-13"]),
        (
            "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8;COUNT=2",
            vec!["1997-11-04", "2001-11-06"],
        ),
        ("FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", vec!["1997-09-04", "1997-10-07", "1997-11-06"]),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2;COUNT=3", vec!["1997-09-29", "1997-10-30", "1997-11-27"]),
        ("FREQ=DAILY;BYHOUR=9,10;COUNT=3", vec!["1997-09-02", "1997-09-02T10:00:00", "1997-09-03"]),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", vec![]),
    ] {
        assert_eq!(of_rule(rule, 10), expected, "{rule}");
    }
}

#[test]
fn dates_keep_the_clock_of_their_zone() {
    let berlin = "DTSTART;TZID=Europe/Berlin:20261019T090000\nDTEND;TZID=Europe/Berlin:20261019T100000\nRRULE:FREQ=WEEKLY;COUNT=2";
    let (times, recurrence) = event(berlin);
    let window = (second("20261001T000000Z"), second("20261201T000000Z"));
    let found = expand(&times, recurrence.as_ref(), "UTC", window, 10);
    let instants: Vec<_> = found.iter().map(|times| (times.start_at, times.end_at)).collect();
    let at = |utc: &str| Some(second(utc));
    // Summer time ends on 25 October.
    assert_eq!(
        instants,
        [(at("20261019T070000Z"), at("20261019T080000Z")), (at("20261026T080000Z"), at("20261026T090000Z")),]
    );
    assert_eq!(moved_to(&times, "2026-10-26T11:00:00", "UTC").unwrap().start_at, at("20261026T100000Z"));
    let days = "DTSTART;VALUE=DATE:20261024\nDTEND;VALUE=DATE:20261026\nRRULE:FREQ=DAILY;INTERVAL=7;UNTIL=20261031";
    let (times, recurrence) = event(days);
    let found = expand(&times, recurrence.as_ref(), "Europe/Berlin", window, 10);
    let spans: Vec<_> = found.iter().map(|times| (times.start.as_str(), times.end.as_str())).collect();
    assert_eq!(spans, [("2026-10-24", "2026-10-25"), ("2026-10-31", "2026-11-01")]);
    assert_eq!(with_instants(&times, "Europe/Berlin").unwrap().end_at, at("20261025T230000Z"));
}

#[test]
fn excluded_and_added_dates_count() {
    let weekly = "DTSTART;TZID=Europe/Berlin:20261005T090000\nRRULE:FREQ=WEEKLY;COUNT=4\n\
                  EXDATE;TZID=Europe/Berlin:20261012T090000\nEXDATE:20261019T070000Z\n\
                  RDATE;TZID=Europe/Berlin:20261007T090000";
    let window = ("20261001T000000Z", "20261201T000000Z");
    assert_eq!(dates(weekly, window.0, window.1, 10), ["2026-10-05", "2026-10-07", "2026-10-26"]);
    assert_eq!(dates(weekly, "20261006T000000Z", "20261008T000000Z", 10), ["2026-10-07"]);
    assert_eq!(dates(weekly, window.0, window.1, 1), ["2026-10-05"]);
    let single = "DTSTART:20261005T090000Z\nDURATION:PT1H";
    assert_eq!(dates(single, "20261005T093000Z", "20261005T100000Z", 10), ["2026-10-05"]);
    assert_eq!(dates(single, "20261005T100000Z", "20261006T000000Z", 10), Vec::<String>::new());
}

#[test]
fn last_end_bounds_events_that_end() {
    let (times, recurrence) = event("DTSTART:20261005T090000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;UNTIL=20261010T090000Z");
    let end = last_end(&times, recurrence.as_ref(), "UTC").unwrap();
    assert!((second("20261010T100000Z")..second("20261014T000000Z")).contains(&end), "{end}");
    assert_eq!(last_end(&times, None, "UTC"), Some(second("20261005T100000Z")));
    for rule in ["FREQ=DAILY", "FREQ=DAILY;COUNT=3"] {
        let recurrence = EntryRecurrence { rule: rule.to_owned(), exdates: Vec::new(), rdates: Vec::new() };
        assert_eq!(last_end(&times, Some(&recurrence), "UTC"), None, "{rule}");
    }
}

#[test]
fn hostile_rules_end_soon() {
    let all = |most: u16| (0..most).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    let began = Instant::now();
    for rule in [
        "FREQ=SECONDLY".to_owned(),
        "FREQ=MINUTELY;BYSECOND=1,2,3".to_owned(),
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31".to_owned(),
        "FREQ=DAILY;INTERVAL=366;BYMONTH=2;BYMONTHDAY=30".to_owned(),
        "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=366".to_owned(),
        format!("FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYMINUTE={}", all(60)),
        format!("FREQ=DAILY;BYHOUR={};BYMINUTE=0,30", all(24)),
        "FREQ=SOMETIMES".to_owned(),
    ] {
        let properties = format!("DTSTART:00010101T000000Z\nRRULE:{rule}");
        assert!(dates(&properties, "20261005T090000Z", "20271005T090000Z", 1_000).len() <= 1_000, "{rule}");
        let properties = format!("DTSTART:99991231T235959Z\nRRULE:{rule}");
        assert!(dates(&properties, "20261005T090000Z", "99991201T000000Z", 1_000).len() <= 1_000, "{rule}");
    }
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}
