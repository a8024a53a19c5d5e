//! Answers of attendees to events of clients.

use inboxd_testkit::{MailBuilder, Persona, TestServer, eventually};
use serde_json::{Value, json};

use super::agenda;
use super::changes::{created, path_of, weekly};
use super::notices::notices;
use crate::support::{receive, server_and_agent};

/// Returns the responses of the attendees of an event, as its organizer sees them.
async fn responses(agent: &Persona, id: &Value) -> Vec<Value> {
    let event = agent.get(&path_of(agent, id)).await.ok();
    event["attendees"].as_array().unwrap().iter().map(|attendee| attendee["status"].clone()).collect()
}

/// Delivers a message about an event from outside, which no authentication confirms.
async fn forge(server: &TestServer, agent: &Persona, method: &str, uid: &Value, (from, attendee): (&str, &str)) {
    let object = format!(
        "BEGIN:VCALENDAR\r\nMETHOD:{method}\r\nBEGIN:VEVENT\r\nUID:{}\r\nSEQUENCE:9\r\nDTSTAMP:20261101T080000Z\r\n\
         DTSTART:20261005T120000Z\r\nORGANIZER:mailto:{}\r\nATTENDEE;PARTSTAT=DECLINED:mailto:{attendee}\r\nEND:VEVENT\r\n\
         END:VCALENDAR\r\n",
        uid.as_str().unwrap(),
        agent.inbox_id
    );
    let mail = MailBuilder::new(from, &agent.inbox_id, "Declined: Oak", "I have declined this invitation.");
    receive(server, agent, &mail.attach("invite.ics", "text/calendar", object.as_bytes())).await;
}

#[tokio::test]
async fn answer_of_attendee_changes_its_response_alone() {
    let (server, agent) = server_and_agent().await;
    let guest = agent.post("/v0/inboxes", json!({"username": "guest"})).await.ok()["inbox_id"].clone();
    let guest = guest.as_str().unwrap();
    let of_guest = |rest: &str| format!("/v0/inboxes/{guest}/calendar{rest}");
    let mut event = weekly();
    event["attendees"] = json!([{"email": guest}, {"email": "carol@outside.example"}]);
    event["send_invites"] = json!(true);
    let event = created(&agent, event).await;
    let id = &event["event_id"];
    let invited = eventually("an invitation", async || {
        agent.get(&of_guest("/events")).await.ok()["events"][0]["event_id"].as_str().map(str::to_owned)
    })
    .await;
    let respond = async |dated_id: &str, status: &str| {
        let answer = json!({"status": status, "comment": "Gladly."});
        agent.post(&of_guest(&format!("/events/{dated_id}/respond")), answer).await.ok();
    };
    respond(&invited, "accepted").await;
    let notice = eventually("an answer", async || {
        let mut own = notices(&agent).await.into_iter().filter(|notice| notice["inbox_id"] == agent.inbox_id);
        own.next_back().filter(|notice| notice["event_type"] == "calendar.event.responded")
    })
    .await;
    assert_eq!(responses(&agent, id).await, ["accepted", "needs_action"]);
    let first = &notice["calendar_event"]["attendees"][0];
    assert!(first["responded_at"].is_string() && first.get("comment").is_none(), "{first}");
    assert_eq!((notice.get("message_id"), &notice["calendar_event"]["sequence"]), (None, &json!(0)));
    assert_eq!(agent.message_about("Accepted: Oak").await["calendar_event_id"], *id);

    // One date is answered alone.
    respond(&format!("{invited}_20261019T140000"), "declined").await;
    let date = json!(format!("{}_20261019T140000", id.as_str().unwrap()));
    eventually("an answer to the date", async || {
        (responses(&agent, &date).await == ["declined", "needs_action"]).then_some(())
    })
    .await;
    assert_eq!(responses(&agent, id).await, ["accepted", "needs_action"]);
    assert_eq!(agenda(&agent).await["count"], 4, "the date takes place");

    // Strangers answer for nobody, and proposals and requests of attendees change nothing.
    let before = (agent.get(&path_of(&agent, id)).await.ok(), notices(&agent).await.len());
    let (carol, eve) = ("carol@outside.example", "eve@outside.example");
    for (method, people) in [
        ("REPLY", (guest, guest)),
        ("REPLY", (carol, carol)),
        ("REPLY", (eve, carol)),
        ("REPLY", (eve, eve)),
        ("COUNTER", (carol, carol)),
        ("REFRESH", (carol, carol)),
        ("REQUEST", (carol, carol)),
        ("CANCEL", (carol, carol)),
    ] {
        forge(&server, &agent, method, &event["uid"], people).await;
    }
    assert_eq!((agent.get(&path_of(&agent, id)).await.ok(), notices(&agent).await.len()), before);
}
