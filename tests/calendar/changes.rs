//! Events that clients create, change and delete.

use inboxd_mail::{AttendeeStatus, CalendarMessage, CalendarMethod, EntryStatus};
use inboxd_testkit::{ApiResponse, HttpClient, HttpRequest, Persona, RelayServer};
use serde_json::{Value, json};

use super::{WINDOW, agenda, starts};
use crate::send_methods::{invitation_to, receive_invitation};
use crate::sending::server_with_relay;
use crate::support::{count, mail_to, receive, run_concurrently, server_and_agent};

/// A weekly event from 5 October 2026, at two in Berlin, with an attendee.
pub(super) fn weekly() -> Value {
    json!({
        "title": "Oak",
        "description": "Samples; of oak,\nand elm",
        "location": "Sawmill",
        "metadata": {"deal": "D-1", "parts": [1, 2]},
        "start": "2026-10-05T14:00:00",
        "end": "2026-10-05T14:30:00",
        "timezone": "Europe/Berlin",
        "recurrence": {"rule": "RRULE:FREQ=WEEKLY", "exdates": ["2026-10-12T14:00:00"]},
        "attendees": [{"email": "Bob@outside.example", "name": "Bob"}, {"email": "carol@outside.example", "role": "optional"}],
    })
}

pub(super) fn with(mut event: Value, field: &str, value: Value) -> Value {
    event[field] = value;
    event
}

pub(super) async fn create(agent: &Persona, event: Value) -> ApiResponse {
    agent.post(&agent.inbox("/calendar/events"), event).await
}

/// Creates an event and returns it.
pub(super) async fn created(agent: &Persona, event: Value) -> Value {
    let made = create(agent, event).await;
    assert_eq!(made.status, 201, "{}", made.text());
    made.json()["event"].clone()
}

pub(super) fn path_of(agent: &Persona, id: &Value) -> String {
    agent.inbox(&format!("/calendar/events/{}", id.as_str().unwrap()))
}

/// Returns the calendar object of the mail about a subject.
async fn calendar_of(relay: &RelayServer, subject: &str) -> CalendarMessage {
    inboxd_mail::parse(&relay.mail_about(subject).await.raw).calendar.unwrap()
}

#[tokio::test]
async fn event_is_created_as_given_and_read_back() {
    let (_server, agent) = server_and_agent().await;
    let made = create(&agent, weekly()).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let made = made.json();
    assert!(made["operation_id"].is_string() && made.get("message_id").is_none(), "{made}");
    let event = &made["event"];
    for (field, expected) in [
        ("kind", json!("series")),
        ("title", json!("Oak")),
        ("description", json!("Samples; of oak,\nand elm")),
        ("location", json!("Sawmill")),
        ("metadata", json!({"deal": "D-1", "parts": [1, 2]})),
        ("status", json!("confirmed")),
        ("start_at", json!("2026-10-05T12:00:00.000Z")),
        ("end_at", json!("2026-10-05T12:30:00.000Z")),
        ("timezone", json!("Europe/Berlin")),
        ("duration_mode", json!("nominal")),
        ("recurrence", json!({"rule": "FREQ=WEEKLY", "exdates": ["2026-10-12T14:00:00"]})),
        ("attendee_count", json!(2)),
        ("sequence", json!(0)),
        ("source", json!("api")),
        ("organizer_email", json!(agent.inbox_id)),
        ("resource_revision", json!(1)),
        ("etag", json!("\"rv-1\"")),
    ] {
        assert_eq!(event[field], expected, "{field}");
    }
    let bob = json!({"email": "bob@outside.example", "name": "Bob", "status": "needs_action", "role": "required"});
    assert_eq!((&event["attendees"][0], &event["attendees"][1]["role"]), (&bob, &json!("optional")));
    assert!(event.get("origin_message_id").is_none() && event.get("response_status").is_none(), "{event}");
    assert_eq!(agent.get(&path_of(&agent, &event["event_id"])).await.ok(), *event);
    let shown = agenda(&agent).await;
    assert_eq!(
        starts(&shown),
        ["05", "19", "26"]
            .map(|day| format!("2026-10-{day}T14:00:00"))
            .into_iter()
            .chain(["2026-11-02T14:00:00".to_owned()])
            .collect::<Vec<_>>()
    );
    assert!(shown["events"][0].get("metadata").is_none(), "{shown}");
    assert_eq!(agent.messages().await.len(), 0, "nothing was sent");
}

#[tokio::test]
async fn repeat_with_client_id_returns_first_event_and_sends_nothing() {
    let (relay, _server, agent) = server_with_relay().await;
    let event = with(with(weekly(), "client_id", json!("oak-1")), "send_invites", json!(true));
    let first = create(&agent, event.clone()).await;
    assert_eq!(first.status, 201, "{}", first.text());
    let again = create(&agent, event.clone()).await;
    assert_eq!((again.status, &again.json()["event"]), (200, &first.json()["event"]), "{}", again.text());
    assert!(again.json().get("message_id").is_none());
    create(&agent, with(event.clone(), "title", json!("Elm"))).await.require_error(409, "conflict");
    relay.mail_about("Invitation: Oak").await;
    assert_eq!(agent.messages().await.len(), 1);
    // Deleted, its key is free again, while programs of attendees know the deleted event by its identifier.
    let path = path_of(&agent, &first.json()["event"]["event_id"]);
    assert_eq!(agent.delete(&path).await.status, 202);
    agent.delete(&path).await.require_error(404, "not_found");
    let second = create(&agent, event.clone()).await;
    assert_eq!((second.status, &second.json()["event"]["sequence"]), (201, &json!(0)), "{}", second.text());
    assert_ne!(second.json()["event"]["uid"], first.json()["event"]["uid"]);
    assert_eq!(create(&agent, event).await.json()["event"], second.json()["event"]);
}

#[tokio::test]
async fn concurrent_requests_with_client_id_create_one_event() {
    let (_server, agent) = server_and_agent().await;
    let event = with(weekly(), "client_id", json!("oak-1"));
    let path = agent.inbox("/calendar/events");
    let answers = run_concurrently((0..6).map(|_| {
        let (http, path, event) = (HttpClient::clone(&agent), path.clone(), event.clone());
        async move { http.post(&path, event).await }
    }))
    .await;
    assert_eq!(count(&answers, 201), 1);
    let list = agent.get(&agent.inbox("/calendar/events")).await.ok();
    assert_eq!(list["count"], 1);
    // The others came after the first, or during it.
    assert_eq!(count(&answers, 200), 5);
    for answer in &answers {
        assert_eq!(answer.json()["event"]["event_id"], list["events"][0]["event_id"]);
    }
}

#[tokio::test]
async fn removed_attendee_gets_cancellation_and_others_the_change() {
    let (relay, _server, agent) = server_with_relay().await;
    let event = created(&agent, with(weekly(), "send_invites", json!(true))).await;
    relay.mail_about("Invitation: Oak").await;
    let path = path_of(&agent, &event["event_id"]);
    let carol = json!({"attendees": [{"email": "carol@outside.example"}], "title": "Elm", "send_invites": true});
    agent.patch(&path, carol).await.ok();
    assert_eq!(relay.mail_about("Updated: Elm").await.to, ["carol@outside.example"]);
    let mail = relay.mail_about("Cancelled: Elm").await;
    assert_eq!(mail.to, ["bob@outside.example"]);
    let notice = inboxd_mail::parse(&mail.raw).calendar.unwrap();
    assert_eq!((notice.method, notice.entry.sequence), (Some(CalendarMethod::Cancel), 1));
    assert_eq!(
        notice.entry.attendees.iter().map(|one| one.person.email.as_str()).collect::<Vec<_>>(),
        ["bob@outside.example"]
    );
    // Without those that stay, the cancellation is the mail of the change.
    let nobody = agent.patch(&path, json!({"attendees": [], "title": "Ash", "send_invites": true})).await.ok();
    assert!(nobody["message_id"].is_string(), "{nobody}");
    assert_eq!(relay.mail_about("Cancelled: Ash").await.to, ["carol@outside.example"]);
    // A refused cancellation refuses the change.
    let path = path_of(&agent, &created(&agent, with(weekly(), "send_invites", json!(true))).await["event_id"]);
    agent.post(&agent.inbox("/lists/send/block"), json!({"entry": "bob@outside.example"})).await.ok();
    let carol = json!({"attendees": [{"email": "carol@outside.example"}], "title": "Fir", "send_invites": true});
    agent.patch(&path, carol).await.require_error(403, "recipient_blocked");
    assert_eq!(agent.get(&path).await.ok()["title"], "Oak");
}

#[tokio::test]
async fn attendees_are_told_of_every_change() {
    let (relay, _server, agent) = server_with_relay().await;
    let made = create(&agent, with(weekly(), "send_invites", json!(true))).await.json();
    assert!(made["message_id"].is_string() && made["thread_id"].is_string() && made.get("status").is_none(), "{made}");
    let mail = relay.mail_about("Invitation: Oak").await;
    assert_eq!(mail.to, ["bob@outside.example", "carol@outside.example"]);
    let read = inboxd_mail::parse(&mail.raw);
    assert!(read.text.unwrap().contains("When: 2026-10-05 14:00:00 to 2026-10-05 14:30:00 (Europe/Berlin)"));
    let invitation = read.calendar.unwrap();
    assert_eq!((invitation.method, invitation.entry.sequence), (Some(CalendarMethod::Request), 0));
    assert_eq!(invitation.entry.uid, made["event"]["uid"].as_str().unwrap());
    assert_eq!(invitation.entry.organizer.unwrap().email, agent.inbox_id);
    assert_eq!(invitation.entry.description.as_deref(), Some("Samples; of oak,\nand elm"));
    assert_eq!(invitation.entry.recurrence.unwrap().exdates, ["2026-10-12T14:00:00"]);
    assert_eq!(invitation.entry.times.unwrap().timezone.as_deref(), Some("Europe/Berlin"));
    assert!(!String::from_utf8_lossy(&mail.raw).contains("D-1"), "metadata leaves");

    let path = path_of(&agent, &made["event"]["event_id"]);
    let moved = json!({"start": "2026-10-05T15:00:00", "end": "2026-10-05T16:00:00", "send_invites": true});
    let changed = agent.patch(&path, moved).await.ok();
    assert_eq!((&changed["event"]["sequence"], &changed["event"]["etag"]), (&json!(1), &json!("\"rv-2\"")));
    let update = calendar_of(&relay, "Updated: Oak").await;
    assert_eq!((update.method, update.entry.sequence), (Some(CalendarMethod::Request), 1));
    assert_eq!(update.entry.times.unwrap().start, "2026-10-05T15:00:00");

    let date = format!("{path}_20261019T150000");
    let cancelled = agent.delete(&format!("{date}?send_invites=true")).await;
    assert_eq!((cancelled.status, &cancelled.json()["event"]["status"]), (202, &json!("cancelled")));
    let cancel = calendar_of(&relay, "Cancelled: Oak").await;
    assert_eq!((cancel.method, cancel.entry.status), (Some(CalendarMethod::Cancel), EntryStatus::Cancelled));
    assert_eq!((cancel.entry.sequence, cancel.entry.recurrence), (2, None));
    assert!(cancel.entry.recurrence_id.is_some());

    // Without attendees, and without the wish, nothing is sent.
    agent.patch(&path, json!({"title": "Elm", "attendees": []})).await.ok();
    let deleted = agent.delete(&format!("{path}?send_invites=true")).await.json();
    assert!(deleted["deletion_id"].is_string() && deleted.get("message_id").is_none(), "{deleted}");
    assert_eq!(agent.messages().await.len(), 3);
    assert_eq!(agenda(&agent).await["count"], 0);
}

#[tokio::test]
async fn refused_mail_changes_nothing() {
    let (_server, agent) = server_and_agent().await;
    agent.post(&agent.inbox("/lists/send/block"), json!({"entry": "bob@outside.example"})).await.ok();
    let invited = with(weekly(), "send_invites", json!(true));
    create(&agent, invited.clone()).await.require_error(403, "recipient_blocked");
    assert_eq!(agenda(&agent).await["count"], 0);
    let event = created(&agent, weekly()).await;
    let path = path_of(&agent, &event["event_id"]);
    agent.patch(&path, json!({"title": "Elm", "send_invites": true})).await.require_error(403, "recipient_blocked");
    agent.delete(&format!("{path}?send_invites=true")).await.require_error(403, "recipient_blocked");
    assert_eq!(agent.get(&path).await.ok(), event);
    let many: Vec<Value> = (0..51).map(|number| json!({"email": format!("n{number}@outside.example")})).collect();
    assert_eq!(create(&agent, with(invited, "attendees", json!(many))).await.bad_fields(), ["attendees"]);
}

#[tokio::test]
async fn changes_need_the_present_version() {
    let (_server, agent) = server_and_agent().await;
    let event = created(&agent, weekly()).await;
    let path = path_of(&agent, &event["event_id"]);
    let change = async |path: &str, version: &str, body: Value| {
        agent.call(HttpRequest::new("PATCH", path).header("If-Match", version).json(&body)).await
    };
    change(&path, "\"rv-0\"", json!({"title": "Elm"})).await.require_error(412, "precondition_failed");
    change(&path, "\"rv-1\"", json!({"title": "Elm"})).await.ok();
    change(&path, "rv-2", json!({"title": "Ash"})).await.ok();
    change(&path, "*", json!({"metadata": null})).await.ok();
    let request = HttpRequest::new("DELETE", &path).header("If-Match", "\"rv-1\"");
    agent.call(request).await.require_error(412, "precondition_failed");
    let event = agent.get(&path).await.ok();
    assert_eq!((&event["title"], &event["etag"]), (&json!("Ash"), &json!("\"rv-4\"")));
    assert_eq!((&event["sequence"], event.get("metadata")), (&json!(2), None), "attendees see no metadata");

    let calendar = agent.inbox("/calendar");
    let first = agent.get(&calendar).await.ok();
    assert_eq!((&first["timezone"], &first["etag"]), (&json!("UTC"), &json!("\"rv-0\"")));
    let changed = change(&calendar, "\"rv-0\"", json!({"timezone": "america/new_york"})).await.ok();
    assert_eq!((&changed["timezone"], &changed["etag"]), (&json!("America/New_York"), &json!("\"rv-1\"")));
    change(&calendar, "\"rv-0\"", json!({"timezone": "UTC"})).await.require_error(412, "precondition_failed");
    assert_eq!(agent.patch(&calendar, json!({"timezone": "Nowhere"})).await.bad_fields(), ["timezone"]);
    assert_eq!(agent.get(&path).await.ok()["timezone"], "Europe/Berlin");
    let bare = json!({"title": "Fir", "start": "2026-10-05T14:00:00", "end": "2026-10-05T15:00:00"});
    assert_eq!(created(&agent, bare).await["start_at"], "2026-10-05T18:00:00.000Z");
}

#[tokio::test]
async fn one_date_is_changed_and_cancelled() {
    let (_server, agent) = server_and_agent().await;
    let event = created(&agent, weekly()).await;
    let path = path_of(&agent, &event["event_id"]);
    let date = format!("{path}_20261019T140000");
    let before = agent.get(&date).await.ok();
    assert_eq!((&before["etag"], &before["is_exception"]), (&json!("\"occ-1-0\""), &json!(false)));
    let moved = agent.patch(&date, json!({"start": "2026-10-20T09:00:00", "title": "Ash"})).await.ok()["event"].clone();
    assert_eq!((&moved["end"], &moved["is_exception"]), (&json!("2026-10-20T09:30:00"), &json!(true)));
    assert_eq!((&moved["original_start"], &moved["etag"]), (&json!("2026-10-19T14:00:00"), &json!("\"occ-1-1\"")));
    agent.patch(&date, json!({"end": "2026-10-20T10:00:00"})).await.ok();
    for field in ["all_day", "timezone", "recurrence"] {
        let value = if field == "recurrence" {
            Value::Null
        } else if field == "timezone" {
            json!("UTC")
        } else {
            json!(true)
        };
        assert_eq!(agent.patch(&date, json!({field: value})).await.bad_fields(), [field]);
    }
    assert_eq!(agent.patch(&format!("{date}?mode=future"), json!({"title": "x"})).await.bad_fields(), ["mode"]);
    agent.patch(&path, json!({"recurrence": null})).await.require_error(409, "conflict");
    assert_eq!(agent.delete(&format!("{path}_20261026T140000")).await.status, 202);
    agent.delete(&format!("{path}_20261027T140000")).await.require_error(404, "not_found");
    let shown = agenda(&agent).await;
    assert_eq!(starts(&shown), ["2026-10-05T14:00:00", "2026-10-20T09:00:00", "2026-11-02T14:00:00"]);
    // The title of the whole event reaches only dates that were not changed.
    agent.patch(&path, json!({"title": "Elm"})).await.ok();
    let titles: Vec<Value> =
        agenda(&agent).await["events"].as_array().unwrap().iter().map(|date| date["title"].clone()).collect();
    assert_eq!(titles, ["Elm", "Ash", "Elm"]);
    // Another start voids the changes.
    agent.patch(&path, json!({"start": "2026-10-05T16:00:00", "end": "2026-10-05T16:30:00"})).await.ok();
    let path_of_instances = format!("{path}/instances?{WINDOW}");
    assert_eq!(agent.get(&path_of_instances).await.ok()["count"], 5);
    agent.patch(&path, json!({"recurrence": null})).await.ok();
    assert_eq!(agent.get(&path).await.ok()["kind"], "single");
}

#[tokio::test]
async fn response_is_stored_and_mailed_to_organizer() {
    let (relay, server, agent) = server_with_relay().await;
    let invitation = receive_invitation(&server, &agent, "Anna <anna@outside.example>").await;
    let listed = agent.get(&agent.inbox("/calendar/events")).await.ok()["events"][0].clone();
    assert_eq!(listed["response_status"], "needs_action");
    let path = path_of(&agent, &listed["event_id"]);
    let answer = json!({"status": "accepted", "comment": "Gladly."});
    let changed = agent.post(&format!("{path}/respond"), answer).await.ok();
    assert_eq!(changed["thread_id"], invitation["thread_id"]);
    let event = &changed["event"];
    assert_eq!((&event["response_status"], &event["sequence"]), (&json!("accepted"), &json!(2)));
    assert_eq!(
        (&event["attendees"][0]["comment"], &event["attendees"][0]["status"]),
        (&json!("Gladly."), &json!("accepted"))
    );
    assert!(event["attendees"][0]["responded_at"].is_string(), "{event}");
    let reply = calendar_of(&relay, "Accepted: Oak").await;
    assert_eq!(
        (reply.method, reply.entry.attendees[0].status),
        (Some(CalendarMethod::Reply), AttendeeStatus::Accepted)
    );
    let silent = agent.post(&format!("{path}/respond"), json!({"status": "declined", "send_reply": false})).await.ok();
    assert!(silent.get("message_id").is_none() && silent["event"]["response_status"] == "declined", "{silent}");
    // The answer to the message is one to its event.
    agent.post(&agent.message(&invitation["message_id"], "/rsvp"), json!({"response": "tentative"})).await.ok();
    assert_eq!(agent.get(&path).await.ok()["response_status"], "tentative");
    // Strangers are not invited by the inbox, and own events are not answered.
    agent.patch(&path, json!({"title": "x", "send_invites": true})).await.require_error(409, "conflict");
    agent.delete(&format!("{path}?send_invites=true")).await.require_error(409, "conflict");
    let own = path_of(&agent, &created(&agent, weekly()).await["event_id"]);
    agent.post(&format!("{own}/respond"), json!({"status": "accepted"})).await.require_error(409, "conflict");
    assert_eq!(
        agent.post(&format!("{path}/respond"), json!({"status": "needs_action"})).await.bad_fields(),
        ["status"]
    );
    assert_eq!(agent.post(&format!("{path}/respond"), json!({})).await.bad_fields(), ["status"]);
}

#[tokio::test]
async fn response_without_mail_needs_no_confirmation_of_the_organizer() {
    let (server, agent) = server_and_agent().await;
    let object = invitation_to(&agent.inbox_id, "victim@elsewhere.example");
    let mail = mail_to(&agent, "elsewhere").attach("invite.ics", "text/calendar", object.as_bytes());
    receive(&server, &agent, &mail).await;
    let event = agent.get(&agent.inbox("/calendar/events")).await.ok()["events"][0].clone();
    let path = format!("{}/respond", path_of(&agent, &event["event_id"]));
    agent.post(&path, json!({"status": "accepted"})).await.require_error(422, "reply_to_elsewhere");
    let silent = agent.post(&path, json!({"status": "accepted", "send_reply": false})).await.ok();
    assert_eq!(silent["event"]["response_status"], "accepted");
}
