//! `…/calendar`: events of invitations.

mod bounds;
mod changes;
mod moments;
mod notices;
mod published;
mod replies;

use inboxd_testkit::{MailBuilder, Persona, TestServer};
use serde_json::{Value, json};

use crate::support::{read_pages, receive, server_and_agent, text_fields};

/// A message about the event, by its method and properties.
#[derive(Clone, Copy)]
struct Notice<'a> {
    from: &'a str,
    method: &'a str,
    sequence: u32,
    properties: &'a str,
}

/// A weekly event from 5 October 2026, at two in Berlin.
const WEEKLY: &str = "SUMMARY:Oak\r\nDTSTART;TZID=Europe/Berlin:20261005T140000\r\nDURATION:PT30M\r\nRRULE:FREQ=WEEKLY\r\n\
    DESCRIPTION:Samples\r\nLOCATION:Sawmill";

/// Window of five weeks.
const WINDOW: &str = "after=2026-10-01T00:00:00Z&before=2026-11-05T00:00:00Z";

/// Delivers a message about the event.
async fn tell(server: &TestServer, agent: &Persona, notice: Notice<'_>) {
    let Notice { from, method, sequence, properties } = notice;
    let object = format!(
        "BEGIN:VCALENDAR\r\nMETHOD:{method}\r\nBEGIN:VEVENT\r\nUID:oak@outside.example\r\nSEQUENCE:{sequence}\r\n\
         DTSTAMP:20260901T080000Z\r\nORGANIZER:mailto:anna@outside.example\r\nATTENDEE:mailto:{}\r\n{properties}\r\n\
         END:VEVENT\r\nEND:VCALENDAR\r\n",
        agent.inbox_id
    );
    let mail = MailBuilder::new(from, &agent.inbox_id, "Oak", "Please see the invitation of today.");
    receive(server, agent, &mail.attach("invite.ics", "text/calendar", object.as_bytes())).await;
}

fn request(sequence: u32, properties: &str) -> Notice<'_> {
    Notice { from: "anna@outside.example", method: "REQUEST", sequence, properties }
}

fn cancel(sequence: u32, properties: &str) -> Notice<'_> {
    Notice { from: "anna@outside.example", method: "CANCEL", sequence, properties }
}

async fn events(agent: &Persona) -> Value {
    agent.get(&agent.inbox("/calendar/events")).await.ok()
}

async fn agenda(agent: &Persona) -> Value {
    agent.get(&agent.inbox(&format!("/calendar/agenda?{WINDOW}"))).await.ok()
}

fn starts(list: &Value) -> Vec<&str> {
    text_fields(list, "events", "start")
}

#[tokio::test]
async fn invitation_becomes_event_with_dates() {
    let (server, agent) = server_and_agent().await;
    let calendar = agent.get(&agent.inbox("/calendar?consistency=primary")).await.ok();
    assert_eq!((&calendar["event_count"], &calendar["timezone"]), (&json!(0), &json!("UTC")));
    assert_eq!(calendar["created_at"], calendar["updated_at"]);
    tell(&server, &agent, request(0, WEEKLY)).await;
    let calendar = agent.get(&agent.inbox("/calendar")).await.ok();
    assert_eq!(calendar["event_count"], 1);

    let list = events(&agent).await;
    let id = list["events"][0]["event_id"].as_str().unwrap().to_owned();
    let mut event = agent.get(&agent.inbox(&format!("/calendar/events/{id}"))).await.ok();
    assert_eq!(event.as_object_mut().unwrap().remove("etag"), Some(json!("\"rv-1\"")));
    assert_eq!(list["events"][0], event);
    let message = agent.message_about("Oak").await;
    for (field, expected) in [
        ("kind", json!("series")),
        ("title", json!("Oak")),
        ("description", json!("Samples")),
        ("location", json!("Sawmill")),
        ("status", json!("confirmed")),
        ("all_day", json!(false)),
        ("start", json!("2026-10-05T14:00:00")),
        ("end", json!("2026-10-05T14:30:00")),
        ("timezone", json!("Europe/Berlin")),
        ("start_at", json!("2026-10-05T12:00:00.000Z")),
        ("end_at", json!("2026-10-05T12:30:00.000Z")),
        ("duration_mode", json!("nominal")),
        ("duration_value", json!(1_800_000)),
        ("recurrence", json!({"rule": "FREQ=WEEKLY"})),
        ("attendee_count", json!(1)),
        ("uid", json!("oak@outside.example")),
        ("sequence", json!(0)),
        ("source", json!("email")),
        ("organizer_email", json!("anna@outside.example")),
        ("origin_message_id", message["message_id"].clone()),
    ] {
        assert_eq!(event[field], expected, "{field}");
    }
    assert_eq!(event["attendees"][0]["email"], agent.inbox_id);

    let shown = agenda(&agent).await;
    let expected =
        ["2026-10-05", "2026-10-12", "2026-10-19", "2026-10-26", "2026-11-02"].map(|day| format!("{day}T14:00:00"));
    assert_eq!(starts(&shown), expected);
    let date = &shown["events"][3];
    assert_eq!((&date["kind"], &date["series_id"]), (&json!("instance"), &json!(id)));
    assert_eq!(date["start_at"], "2026-10-26T13:00:00.000Z");
    assert!(
        date.get("description").is_none() && date.get("attendees").is_none() && date.get("recurrence").is_none(),
        "{date}"
    );
    let read = agent.get(&agent.inbox(&format!("/calendar/events/{}", date["event_id"].as_str().unwrap()))).await.ok();
    assert_eq!((&read["start"], &read["description"]), (&date["start"], &json!("Samples")));
    let path = agent.inbox(&format!("/calendar/events/{id}/instances?{WINDOW}"));
    assert_eq!(agent.get(&path).await.ok(), shown);
    let paged =
        read_pages(&agent, &agent.inbox(&format!("/calendar/agenda?{WINDOW}&limit=2")), "events", "start").await;
    assert_eq!(paged, expected);
}

#[tokio::test]
async fn updates_and_cancellations_find_the_event() {
    let (server, agent) = server_and_agent().await;
    tell(&server, &agent, request(1, WEEKLY)).await;
    let id = events(&agent).await["events"][0]["event_id"].clone();
    // An older one changes nothing.
    tell(&server, &agent, request(0, &WEEKLY.replace("Oak", "Elm"))).await;
    assert_eq!(events(&agent).await["events"][0]["title"], "Oak");
    let moved = "RECURRENCE-ID;TZID=Europe/Berlin:20261012T140000\r\nSUMMARY:Oak\r\nDTSTART;TZID=Europe/Berlin:20261013T160000\r\n\
                 DURATION:PT1H";
    tell(&server, &agent, request(2, moved)).await;
    tell(&server, &agent, cancel(2, "RECURRENCE-ID;TZID=Europe/Berlin:20261019T140000")).await;
    let shown = agenda(&agent).await;
    assert_eq!(
        starts(&shown),
        ["2026-10-05", "2026-10-13", "2026-10-26", "2026-11-02"]
            .map(|day| { format!("{day}T{}:00:00", if day == "2026-10-13" { 16 } else { 14 }) })
    );
    let date = &shown["events"][1];
    assert_eq!((&date["is_exception"], &date["original_start"]), (&json!(true), &json!("2026-10-12T14:00:00")));
    assert_eq!(date["original_start_at"], "2026-10-12T12:00:00.000Z");
    let list = events(&agent).await;
    assert_eq!(list["count"], 3);
    assert_eq!(text_fields(&list, "events", "status"), ["cancelled", "confirmed", "confirmed"]);
    assert_eq!(list["events"][0]["start"], "2026-10-19T14:00:00");

    // A new recurrence voids the changes of single dates.
    tell(&server, &agent, request(3, &WEEKLY.replace("WEEKLY", "WEEKLY;INTERVAL=2"))).await;
    assert_eq!(
        starts(&agenda(&agent).await),
        ["2026-10-05", "2026-10-19", "2026-11-02"].map(|day| format!("{day}T14:00:00"))
    );
    tell(&server, &agent, cancel(4, "")).await;
    assert_eq!(agenda(&agent).await["count"], 0);
    let list = events(&agent).await;
    assert_eq!((&list["events"][0]["event_id"], &list["events"][0]["status"]), (&id, &json!("cancelled")));
    assert_eq!((&list["events"][0]["title"], &list["count"]), (&json!("Oak"), &json!(1)));
}

#[tokio::test]
async fn date_in_another_zone_is_the_same_date() {
    let (server, agent) = server_and_agent().await;
    tell(&server, &agent, request(1, WEEKLY)).await;
    let moved = "RECURRENCE-ID;TZID=America/New_York:20261012T080000\r\nSUMMARY:Oak\r\n\
                 DTSTART;TZID=America/New_York:20261013T100000\r\nDURATION:PT1H";
    tell(&server, &agent, request(2, moved)).await;
    tell(&server, &agent, cancel(2, "RECURRENCE-ID:20261019T120000Z")).await;
    let shown = agenda(&agent).await;
    let expected = ["2026-10-05T14:00:00", "2026-10-13T10:00:00", "2026-10-26T14:00:00", "2026-11-02T14:00:00"];
    assert_eq!(starts(&shown), expected);
    let date = &shown["events"][1];
    assert_eq!(
        (&date["original_start"], &date["timezone"]),
        (&json!("2026-10-12T14:00:00"), &json!("America/New_York"))
    );
    assert_eq!(date["original_start_at"], "2026-10-12T12:00:00.000Z");
}

#[tokio::test]
async fn date_before_its_series_stays_the_same_date() {
    let (server, agent) = server_and_agent().await;
    let place = "RECURRENCE-ID;TZID=America/New_York:20261012T080000";
    let moved = format!("{place}\r\nSUMMARY:Oak\r\nDTSTART;TZID=America/New_York:20261013T100000\r\nDURATION:PT1H");
    tell(&server, &agent, request(1, &moved)).await;
    tell(&server, &agent, request(1, WEEKLY)).await;
    let mut expected = vec![
        "2026-10-05T14:00:00",
        "2026-10-13T10:00:00",
        "2026-10-19T14:00:00",
        "2026-10-26T14:00:00",
        "2026-11-02T14:00:00",
    ];
    assert_eq!(starts(&agenda(&agent).await), expected);
    // Former versions stored no instant.
    let without_instant = "UPDATE calendar_events SET content = content #- '{entry,recurrence_at}'";
    server.database().execute(without_instant).await;
    tell(&server, &agent, cancel(2, place)).await;
    assert_eq!(events(&agent).await["count"], 2);
    expected.remove(1);
    assert_eq!(starts(&agenda(&agent).await), expected);
}

#[tokio::test]
async fn only_the_sender_of_the_invitation_changes_the_event() {
    let (server, agent) = server_and_agent().await;
    tell(&server, &agent, request(1, WEEKLY)).await;
    let eve = Notice { from: "eve@outside.example", ..cancel(9, "") };
    tell(&server, &agent, eve).await;
    tell(&server, &agent, Notice { from: "eve@outside.example", ..request(9, &WEEKLY.replace("Oak", "Bank")) }).await;
    let list = events(&agent).await;
    assert_eq!((&list["events"][0]["status"], &list["events"][0]["title"]), (&json!("confirmed"), &json!("Oak")));
    // Neither a cancellation nor an answer creates an event.
    let (server, agent) = server_and_agent().await;
    tell(&server, &agent, cancel(1, WEEKLY)).await;
    tell(&server, &agent, Notice { method: "REPLY", ..request(1, WEEKLY) }).await;
    tell(&server, &agent, request(1, "SUMMARY:No time")).await;
    assert_eq!(events(&agent).await["count"], 0);
    agent.post(&agent.inbox("/lists/receive/block"), json!({"entry": "anna@outside.example"})).await.ok();
    tell(&server, &agent, request(1, WEEKLY)).await;
    assert_eq!(events(&agent).await["count"], 0, "a blocked sender fills no calendar");
}

#[tokio::test]
async fn event_goes_with_its_message() {
    let (server, agent) = server_and_agent().await;
    tell(&server, &agent, request(1, WEEKLY)).await;
    let id = agent.message_about("Oak").await["message_id"].clone();
    agent.post(&agent.message(&id, "/redact"), json!({})).await.ok();
    assert_eq!(events(&agent).await["count"], 0);
    tell(&server, &agent, request(2, WEEKLY)).await;
    assert_eq!(events(&agent).await["count"], 1);
    let id = events(&agent).await["events"][0]["origin_message_id"].clone();
    agent.delete(&agent.message(&id, "")).await.require_no_content();
    assert_eq!(events(&agent).await["count"], 0);
}

#[tokio::test]
async fn windows_and_ids_are_checked() {
    let (server, agent) = server_and_agent().await;
    tell(&server, &agent, request(1, "SUMMARY:Fair\r\nDTSTART;VALUE=DATE:20261005\r\nDTEND;VALUE=DATE:20261008")).await;
    let list = events(&agent).await;
    let event = &list["events"][0];
    assert_eq!(
        (&event["kind"], &event["end"], &event["duration_value"]),
        (&json!("single"), &json!("2026-10-07"), &json!(3))
    );
    let id = event["event_id"].as_str().unwrap();
    let during = "after=2026-10-06T00:00:00Z&before=2026-10-07T00:00:00Z";
    for (rest, count) in [("", 0), ("&include_overlapping=true", 1)] {
        let shown = agent.get(&agent.inbox(&format!("/calendar/agenda?{during}{rest}"))).await.ok();
        assert_eq!(shown["count"], count, "{rest}");
    }
    for (rest, status, code) in [
        (format!("/events/{id}/instances"), 404, "not_found"),
        (format!("/events/{id}_20261006"), 404, "not_found"),
        ("/events/nothing".to_owned(), 404, "not_found"),
        ("/agenda?after=2026-01-01T00:00:00Z&before=2027-02-01T00:00:00Z".to_owned(), 400, "query_range_too_wide"),
        ("/agenda?after=tomorrow".to_owned(), 422, "validation_error"),
        ("?consistency=later".to_owned(), 422, "validation_error"),
    ] {
        agent.get(&agent.inbox(&format!("/calendar{rest}"))).await.require_error(status, code);
    }
    let backwards = "/calendar/agenda?after=2026-10-07T00:00:00Z&before=2026-10-06T00:00:00Z";
    assert_eq!(agent.get(&agent.inbox(backwards)).await.ok()["count"], 0);
}
