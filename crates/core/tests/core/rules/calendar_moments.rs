//! Starts and ends of events.

use inboxd_core::model::{CalendarEvent, DatedEventId, EventType};
use inboxd_core::rules::calendar_moments::{EventSchedule, moments};
use inboxd_core::testing::fixtures::calendar_event;
use inboxd_mail::{AttendeeStatus, EntryRecurrence, EntryStatus, EntryTimes, with_instants};
use time::OffsetDateTime;
use time::macros::datetime;

/// An event that the inbox accepted.
fn event(start: &str, end: &str, rule: Option<&str>) -> CalendarEvent {
    let mut event = calendar_event();
    let times = EntryTimes {
        all_day: !start.contains('T'),
        start: start.to_owned(),
        end: end.to_owned(),
        timezone: Some("Europe/Berlin".to_owned()),
        start_at: None,
        end_at: None,
    };
    event.times = with_instants(&times, "UTC").unwrap();
    event.entry.times = Some(event.times.clone());
    event.entry.recurrence =
        rule.map(|rule| EntryRecurrence { rule: rule.to_owned(), exdates: Vec::new(), rdates: Vec::new() });
    event.response = Some(AttendeeStatus::Accepted);
    event
}

fn next(event: &CalendarEvent, now: OffsetDateTime) -> Option<OffsetDateTime> {
    EventSchedule::of(event, now).next_moment_at
}

/// Returns the moments by their letter and time.
fn announced(
    events: &[CalendarEvent],
    from: OffsetDateTime,
    to: OffsetDateTime,
) -> Vec<(char, OffsetDateTime, String)> {
    let letter = |kind| if kind == EventType::CalendarEventStarting { 's' } else { 'e' };
    let all = moments(events, from, to).into_iter();
    all.map(|one| {
        let at = OffsetDateTime::from_unix_timestamp(one.at).unwrap();
        (letter(one.kind), at, one.date.event.times.start.clone())
    })
    .collect()
}

#[test]
fn next_moment_is_the_first_start_or_end() {
    let once = event("2026-10-05T14:00:00", "2026-10-05T14:30:00", None);
    let weekly = event("2026-10-05T14:00:00", "2026-10-05T14:30:00", Some("FREQ=WEEKLY"));
    let day = event("2026-10-05", "2026-10-05", None);
    let two_years = event("2026-10-05T14:00:00", "2026-10-05T14:30:00", Some("FREQ=YEARLY;INTERVAL=2"));
    let ended = event("2026-10-05T14:00:00", "2026-10-05T14:30:00", Some("FREQ=DAILY;UNTIL=20261007T120000Z"));
    for (event, now, expected) in [
        (&once, datetime!(2026-10-01 0:00 UTC), Some(datetime!(2026-10-05 12:00 UTC))),
        (&once, datetime!(2026-10-05 11:59:59.9 UTC), Some(datetime!(2026-10-05 12:00 UTC))),
        (&once, datetime!(2026-10-05 12:00 UTC), Some(datetime!(2026-10-05 12:30 UTC))),
        (&once, datetime!(2026-10-05 12:30 UTC), None),
        (&weekly, datetime!(2026-10-05 12:30 UTC), Some(datetime!(2026-10-12 12:00 UTC))),
        // The clocks went back.
        (&weekly, datetime!(2026-10-20 0:00 UTC), Some(datetime!(2026-10-26 13:00 UTC))),
        (&day, datetime!(2026-10-01 0:00 UTC), Some(datetime!(2026-10-04 22:00 UTC))),
        (&day, datetime!(2026-10-05 0:00 UTC), Some(datetime!(2026-10-05 22:00 UTC))),
        // Looked for again after 400 days.
        (&two_years, datetime!(2026-10-06 0:00 UTC), Some(datetime!(2027-11-10 0:00 UTC))),
        (&two_years, datetime!(2027-11-10 0:00 UTC), Some(datetime!(2028-10-05 12:00 UTC))),
        (&ended, datetime!(2026-10-20 0:00 UTC), None),
    ] {
        assert_eq!(next(event, now), expected, "{} {now}", event.times.start);
    }
}

#[test]
fn only_events_of_the_inbox_and_accepted_invitations_are_announced() {
    let now = datetime!(2026-10-01 0:00 UTC);
    for (response, is_own, status, expected) in [
        (Some(AttendeeStatus::Accepted), false, EntryStatus::Confirmed, true),
        (Some(AttendeeStatus::Tentative), false, EntryStatus::Confirmed, true),
        (Some(AttendeeStatus::NeedsAction), false, EntryStatus::Confirmed, false),
        (Some(AttendeeStatus::Declined), false, EntryStatus::Confirmed, false),
        (None, false, EntryStatus::Confirmed, false),
        (None, true, EntryStatus::Confirmed, true),
        (None, true, EntryStatus::Cancelled, false),
        (Some(AttendeeStatus::Accepted), false, EntryStatus::Cancelled, false),
    ] {
        let mut event = event("2026-10-05T14:00:00", "2026-10-05T14:30:00", None);
        (event.response, event.entry.status) = (response, status);
        if is_own {
            event.origin_message_id = None;
        }
        assert_eq!(next(&event, now).is_some(), expected, "{response:?} {is_own} {status:?}");
        let announced = moments(&[event], now, datetime!(2026-10-06 0:00 UTC));
        assert_eq!(!announced.is_empty(), expected, "{response:?} {is_own} {status:?}");
    }
}

#[test]
fn moments_of_a_span_are_in_order_and_both_ends_count() {
    let hourly = event("2026-10-05T14:00:00", "2026-10-05T15:00:00", Some("FREQ=DAILY;BYHOUR=14,15"));
    let (two, three, four) =
        (datetime!(2026-10-05 12:00 UTC), datetime!(2026-10-05 13:00 UTC), datetime!(2026-10-05 14:00 UTC));
    let (first, second) = ("2026-10-05T14:00:00".to_owned(), "2026-10-05T15:00:00".to_owned());
    let all = [('s', two, &first), ('e', three, &first), ('s', three, &second), ('e', four, &second)]
        .map(|(letter, at, start)| (letter, at, start.clone()));
    assert_eq!(announced(std::slice::from_ref(&hourly), two, four), all);
    assert_eq!(announced(std::slice::from_ref(&hourly), three, three), all[1..3]);
    let short = event("2026-10-05T14:00:00", "2026-10-05T14:00:00", None);
    let kinds: Vec<char> = announced(&[short], two, two).into_iter().map(|(kind, ..)| kind).collect();
    assert_eq!(kinds, ['s', 'e'], "an event without a length");
}

#[test]
fn changed_dates_replace_those_of_the_rule() {
    let weekly = event("2026-10-05T14:00:00", "2026-10-05T14:30:00", Some("FREQ=WEEKLY"));
    let mut moved = event("2026-10-13T16:00:00", "2026-10-13T17:00:00", None);
    moved.event_id = DatedEventId { original_start: Some("2026-10-12T14:00:00".to_owned()), ..weekly.event_id.clone() };
    let all = announced(&[weekly, moved], datetime!(2026-10-10 0:00 UTC), datetime!(2026-10-14 0:00 UTC));
    let start = "2026-10-13T16:00:00".to_owned();
    let expected =
        [('s', datetime!(2026-10-13 14:00 UTC), start.clone()), ('e', datetime!(2026-10-13 15:00 UTC), start)];
    assert_eq!(all, expected);
}
