//! Events `calendar.event.*`, and the ids of calendar events on messages.

use inboxd_testkit::{HttpClient, Persona};
use serde_json::{Value, json};

use super::changes::{created, path_of, weekly};
use super::{WEEKLY, cancel, events, request, tell};
use crate::send_methods::receive_invitation;
use crate::sending::server_with_relay;
use crate::support::{mail_to, receive, server_and_agent};

/// Returns the calendar events of the feed, oldest first.
pub(super) async fn notices(reader: &HttpClient) -> Vec<Value> {
    let list = reader.get("/v0/events?limit=100&ascending=true").await.ok();
    let all = list["events"].as_array().unwrap().iter().cloned();
    all.filter(|event| event["event_type"].as_str().unwrap().starts_with("calendar.")).collect()
}

/// Returns the last calendar event of the feed.
pub(super) async fn last_notice(agent: &Persona) -> Value {
    notices(agent).await.pop().unwrap()
}

fn without_etag(event: &Value) -> Value {
    let mut event = event.clone();
    event.as_object_mut().unwrap().remove("etag");
    event
}

#[tokio::test]
async fn changes_of_clients_are_events_with_their_operation_id() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post(&agent.inbox("/calendar/events"), weekly()).await.json();
    let notice = last_notice(&agent).await;
    assert_eq!((&notice["type"], &notice["event_type"]), (&json!("event"), &json!("calendar.event.created")));
    assert_eq!((&notice["event_id"], &notice["inbox_id"]), (&made["operation_id"], &json!(agent.inbox_id)));
    assert_eq!(notice["calendar_event"], without_etag(&made["event"]));
    assert!(notice.get("previous").is_none() && notice.get("message_id").is_none(), "{notice}");

    let path = path_of(&agent, &made["event"]["event_id"]);
    let change = json!({"title": "Elm", "location": null, "metadata": {"deal": 2}, "recurrence": null});
    let changed = agent.patch(&path, change).await.ok();
    let notice = last_notice(&agent).await;
    assert_eq!(notice["event_type"], "calendar.event.updated");
    assert_eq!(notice["event_id"], changed["operation_id"]);
    assert_eq!(notice["calendar_event"], without_etag(&changed["event"]));
    let previous = json!({
        "title": "Oak",
        "location": "Sawmill",
        "metadata": {"deal": "D-1", "parts": [1, 2]},
        "duration_mode": "nominal",
        "recurrence": {"rule": "FREQ=WEEKLY", "exdates": ["2026-10-12T14:00:00"]},
    });
    assert_eq!(notice["previous"], previous, "a value that did not exist before is absent");

    agent.patch(&path, json!({"recurrence": {"rule": "FREQ=WEEKLY"}})).await.ok();
    let date = format!("{path}_20261019T140000");
    for (title, kind) in [("Ash", "calendar.event.created"), ("Fir", "calendar.event.updated")] {
        let moved = agent.patch(&date, json!({"title": title})).await.ok();
        let notice = last_notice(&agent).await;
        assert_eq!((&notice["event_type"], &notice["event_id"]), (&json!(kind), &moved["operation_id"]));
        assert_eq!(notice["calendar_event"], without_etag(&moved["event"]));
        assert!(notice.get("previous").is_none(), "{notice}");
    }
    let gone = agent.delete(&format!("{path}_20261026T140000")).await.json();
    let notice = last_notice(&agent).await;
    assert_eq!((&notice["event_type"], &notice["event_id"]), (&json!("calendar.event.updated"), &gone["operation_id"]));
    assert_eq!(notice["calendar_event"]["status"], "cancelled");
    let deleted = agent.delete(&path).await.json();
    let notice = last_notice(&agent).await;
    let kind = json!("calendar.event.deleted");
    assert_eq!((&notice["event_type"], &notice["event_id"]), (&kind, &deleted["deletion_id"]));
    assert_eq!(notice["calendar_event"]["title"], "Elm");
    let count = notices(&agent).await.len();
    agent.delete(&path).await.require_error(404, "not_found");
    assert_eq!(notices(&agent).await.len(), count, "what changes nothing is no event");
}

#[tokio::test]
async fn invitations_are_events_whose_content_goes_with_the_message() {
    let (server, agent) = server_and_agent().await;
    tell(&server, &agent, request(1, WEEKLY)).await;
    let notice = last_notice(&agent).await;
    let event = events(&agent).await["events"][0].clone();
    assert_eq!((&notice["event_type"], &notice["calendar_event"]), (&json!("calendar.event.created"), &event));
    let message = agent.message_about("Oak").await;
    assert_eq!((&notice["message_id"], &notice["thread_id"]), (&message["message_id"], &message["thread_id"]));
    assert_eq!(message["calendar_event_id"], event["event_id"]);
    assert_eq!(agent.messages().await[0]["calendar_event_id"], event["event_id"]);
    let found = agent.get(&agent.inbox("/messages/search?q=Oak")).await.ok();
    assert_eq!(found["messages"][0]["calendar_event_id"], event["event_id"]);

    tell(&server, &agent, request(2, &WEEKLY.replace("Oak", "Elm"))).await;
    let notice = last_notice(&agent).await;
    let kind = json!("calendar.event.updated");
    assert_eq!((&notice["event_type"], &notice["calendar_event"]["title"]), (&kind, &json!("Elm")));
    assert!(notice.get("previous").is_none(), "the values of the first message go with that message: {notice}");
    let moved = "RECURRENCE-ID;TZID=Europe/Berlin:20261012T140000\r\nSUMMARY:Ash\r\nDTSTART;TZID=Europe/Berlin:20261013T160000\r\n\
                 DURATION:PT1H";
    tell(&server, &agent, request(3, moved)).await;
    let notice = last_notice(&agent).await;
    assert_eq!(
        (&notice["event_type"], &notice["calendar_event"]["kind"]),
        (&json!("calendar.event.created"), &json!("instance"))
    );
    // An older message, one of a stranger and an answer change nothing.
    let count = notices(&agent).await.len();
    tell(&server, &agent, request(0, WEEKLY)).await;
    tell(&server, &agent, super::Notice { from: "eve@outside.example", ..cancel(9, "") }).await;
    assert_eq!(notices(&agent).await.len(), count);
    let newest = agent.get(&agent.inbox("/messages?limit=1")).await.ok()["messages"][0].clone();
    assert_eq!((newest["from"].as_str(), newest.get("calendar_event_id")), (Some("eve@outside.example"), None));
    tell(&server, &agent, cancel(4, "")).await;
    let notice = last_notice(&agent).await;
    assert_eq!((&notice["event_type"], &notice["calendar_event"]["status"]), (&kind, &json!("cancelled")));

    let origin = notice["message_id"].clone();
    agent.post(&agent.message(&origin, "/redact"), json!({})).await.ok();
    let notice = last_notice(&agent).await;
    assert_eq!((&notice["message_id"], notice.get("previous")), (&origin, None));
    assert_eq!(notice["calendar_event"], json!({"event_id": event["event_id"]}));
    let first = notices(&agent).await[0].clone();
    assert_eq!(first["calendar_event"]["title"], "Oak", "it came from another message");
    agent.delete(&agent.message(&first["message_id"], "")).await.require_no_content();
    assert_eq!(notices(&agent).await[0]["calendar_event"], json!({"event_id": event["event_id"]}));

    agent.post(&agent.inbox("/lists/receive/block"), json!({"entry": "anna@outside.example"})).await.ok();
    let count = notices(&agent).await.len();
    tell(&server, &agent, request(9, WEEKLY)).await;
    assert_eq!(notices(&agent).await.len(), count, "hidden mail changes no calendar");
}

#[tokio::test]
async fn response_is_event_and_names_its_messages() {
    let (_relay, server, agent) = server_with_relay().await;
    let invitation = receive_invitation(&server, &agent, "Anna <anna@outside.example>").await;
    let listed = events(&agent).await["events"][0].clone();
    let path = path_of(&agent, &listed["event_id"]);
    let changed = agent.post(&format!("{path}/respond"), json!({"status": "accepted"})).await.ok();
    let notice = last_notice(&agent).await;
    assert_eq!(notice["event_type"], "calendar.event.responded");
    assert_eq!((&notice["event_id"], &notice["message_id"]), (&changed["operation_id"], &invitation["message_id"]));
    assert_eq!(notice["calendar_event"], without_etag(&changed["event"]));
    let reply = agent.get(&agent.message(&changed["message_id"], "")).await.ok();
    assert_eq!(reply["calendar_event_id"], listed["event_id"]);
    agent.post(&agent.message(&invitation["message_id"], "/rsvp"), json!({"response": "decline"})).await.ok();
    let notice = last_notice(&agent).await;
    assert_eq!(notice["calendar_event"]["response_status"], "declined");
}

#[tokio::test]
async fn calendar_events_need_permission_to_read_messages() {
    let (server, agent) = server_and_agent().await;
    let keyed = async |permissions: Value| agent.create_key("/v0/api-keys", json!({"permissions": permissions})).await;
    let bare = keyed(json!({"event_read": true, "webhook_create": true})).await;
    let (mut whole, _) = agent.open_subscribed_socket(json!({})).await;
    let (mut socket, _) = bare.open_subscribed_socket(json!({})).await;
    let polled = json!({"client_id": "p", "event_types": ["calendar.event.created"]});
    let polled = agent.post("/v0/webhooks/polling", polled).await.ok();
    created(&agent, weekly()).await;
    let seen = whole.next_event().await;
    assert_eq!(seen, last_notice(&agent).await);
    let token = server.http().with_key(polled["token"].as_str().unwrap());
    let path = format!("/v0/webhooks/polling/{}/events", polled["webhook_id"].as_str().unwrap());
    assert_eq!(token.get(&path).await.ok()["events"], json!([seen]));
    assert_eq!(notices(&bare).await, Vec::<Value>::new());
    let after = format!("/v0/events?after_event_id={}", seen["event_id"].as_str().unwrap());
    created(&agent, weekly()).await;
    assert_eq!(agent.get(&after).await.ok()["count"], 1);
    assert_eq!(bare.get(&after).await.ok()["count"], 0);
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    assert_eq!(socket.next_event().await["event_type"], "message.received", "those of the calendar were left out");
    for path in ["/v0/webhooks", "/v0/webhooks/polling"] {
        let hook = json!({"url": "https://hooks.outside.example", "client_id": "x", "event_types": ["calendar.event.updated"]});
        let refusal = bare.post(path, hook).await.require_error(403, "missing_permission");
        assert!(refusal["fix"].as_str().unwrap().contains("message_read"), "{refusal:#}");
    }
}
