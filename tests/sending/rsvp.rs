//! `POST …/rsvp`.

use inboxd_testkit::{HttpRequest, MailBuilder, Persona};
use serde_json::json;

use super::server_with_relay;
use crate::send_methods::{invitation_to, receive_invitation};
use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn answer_reaches_organizer_as_calendar_object_in_thread() {
    let (relay, server, agent) = server_with_relay().await;
    let invitation = receive_invitation(&server, &agent, "Anna <anna@outside.example>").await;
    assert_eq!(invitation["calendar"]["method"], "request");
    for (response, subject, status) in [
        ("accept", "Accepted: Oak", inboxd_mail::AttendeeStatus::Accepted),
        ("tentative", "Tentative: Oak", inboxd_mail::AttendeeStatus::Tentative),
        ("decline", "Declined: Oak", inboxd_mail::AttendeeStatus::Declined),
    ] {
        let path = agent.message(&invitation["message_id"], "/rsvp");
        let sent = agent.post(&path, json!({"response": response, "comment": "Late;\nsorry"})).await.ok();
        assert_eq!(sent["thread_id"], invitation["thread_id"]);
        let mail = relay.mail_about(subject).await;
        assert_eq!(mail.to, ["anna@outside.example"]);
        assert_eq!(mail.headers("In-Reply-To"), [invitation["message_id"].as_str().unwrap()]);
        let read = inboxd_mail::parse(&mail.raw);
        assert!(read.text.unwrap().contains("Late;\nsorry"));
        let calendar = read.calendar.unwrap();
        assert_eq!(calendar.method, Some(inboxd_mail::CalendarMethod::Reply));
        let entry = calendar.entry;
        assert_eq!((entry.uid.as_str(), entry.sequence), ("oak@outside.example", 2));
        assert_eq!(entry.organizer.unwrap().email, "anna@outside.example");
        assert_eq!(entry.comment.as_deref(), Some("Late;\nsorry"));
        let [attendee] = entry.attendees.as_slice() else { panic!("one attendee") };
        assert_eq!((attendee.person.email.as_str(), attendee.status), (agent.inbox_id.as_str(), status));
        let stored = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
        assert_eq!(stored["calendar"]["method"], "reply");
    }
}

#[tokio::test]
async fn message_without_answerable_invitation_is_refused() {
    let (server, agent) = server_and_agent().await;
    let rsvp = async |subject: &str, object: Option<String>| {
        let mail = mail_to(&agent, subject);
        let mail = match &object {
            Some(object) => mail.attach("invite.ics", "text/calendar", object.as_bytes()),
            None => mail,
        };
        receive(&server, &agent, &mail).await;
        let path = agent.message(&agent.message_about(subject).await["message_id"], "/rsvp");
        agent.post(&path, json!({"response": "accept"})).await
    };
    let object = invitation_to(&agent.inbox_id, "alice@outside.example");
    for (subject, object) in [
        ("plain", None),
        ("cancelled", Some(object.replace("METHOD:REQUEST", "METHOD:CANCEL"))),
        ("no organizer", Some(object.replace("ORGANIZER", "X-ORGANIZER"))),
        ("others only", Some(object.replace(&agent.inbox_id, "bob@outside.example"))),
    ] {
        let refusal = rsvp(subject, object).await.require_error(409, "conflict");
        assert!(refusal["fix"].as_str().unwrap().contains("answer"), "{subject}: {refusal}");
    }
    let elsewhere = object.replace("alice@outside.example", "victim@elsewhere.example");
    let refusal = rsvp("elsewhere", Some(elsewhere)).await.require_error(422, "reply_to_elsewhere");
    assert!(refusal["fix"].as_str().unwrap().contains("confirm_organizer"), "{refusal}");
    let path = agent.message(&agent.message_about("elsewhere").await["message_id"], "/rsvp");
    agent.post(&path, json!({"response": "accept", "confirm_organizer": true})).await.ok();
    assert_eq!(agent.post(&path, json!({"response": "maybe"})).await.bad_fields(), ["response"]);
    assert_eq!(agent.post(&path, json!({})).await.bad_fields(), ["response"]);
    for comment in ["x".repeat(4_097), "\u{7}".to_owned()] {
        let body = json!({"response": "accept", "comment": comment});
        assert_eq!(agent.post(&path, body).await.bad_fields(), ["comment"]);
    }
    let sent = agent.send(json!({"to": "bob@outside.example", "text": "x"})).await;
    let path = agent.message(&sent["message_id"], "/rsvp");
    agent.post(&path, json!({"response": "accept"})).await.require_error(409, "conflict");
}

/// Sends the answer with a key.
async fn with_key(agent: &Persona, path: &str, response: &str) -> inboxd_testkit::ApiResponse {
    let request =
        HttpRequest::new("POST", path).header("Idempotency-Key", "answer-1").json(&json!({"response": response}));
    agent.call(request).await
}

#[tokio::test]
async fn answer_is_a_send_with_dry_run_key_and_refusals() {
    let (server, agent) = server_and_agent().await;
    let invitation = receive_invitation(&server, &agent, "anna@outside.example").await;
    let path = agent.message(&invitation["message_id"], "/rsvp");
    let shown = agent.post(&path, json!({"response": "accept", "dry_run": true})).await.ok();
    assert_eq!((&shown["dry_run"], &shown["result"]), (&json!(true), &json!("send")));
    assert_eq!(shown["message"]["subject"], "Accepted: Oak");
    assert_eq!(agent.messages().await.len(), 1);

    let first = with_key(&agent, &path, "accept").await.ok();
    assert_eq!(with_key(&agent, &path, "accept").await.ok(), first);
    with_key(&agent, &path, "decline").await.require_error(409, "conflict");

    let entry = json!({"entry": "outside.example"});
    let block = agent.inbox("/lists/send/block");
    agent.post(&block, entry).await.ok();
    agent.post(&path, json!({"response": "accept"})).await.require_error(403, "recipient_blocked");
    agent.delete(&format!("{block}/outside.example")).await.require_no_content();
    agent.patch(&agent.inbox(""), json!({"status": "paused"})).await.ok();
    agent.post(&path, json!({"response": "accept"})).await.require_error(403, "inbox_paused");
}

#[tokio::test]
async fn automatic_invitation_can_be_answered_from_tagged_address() {
    let (relay, server, agent) = server_with_relay().await;
    let tagged = agent.inbox_id.replacen('@', "+oak@", 1);
    let mail = MailBuilder::new("anna@outside.example", &tagged, "Invitation", "Oak?")
        .header("Auto-Submitted", "auto-generated")
        .attach("invite.ics", "text/calendar", invitation_to(&tagged, "anna@outside.example").as_bytes());
    receive(&server, &agent, &mail).await;
    let id = agent.message_about("Invitation").await["message_id"].clone();
    agent.post(&agent.message(&id, "/rsvp"), json!({"response": "accept"})).await.ok();
    let read = inboxd_mail::parse(&relay.mail_about("Accepted: Oak").await.raw);
    assert_eq!(read.calendar.unwrap().entry.attendees[0].person.email, tagged);
}
