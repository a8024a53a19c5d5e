//! Send methods: send, reply, reply-all, forward, draft-send, and mails of calendars.

use inboxd_testkit::{ApiResponse, HttpClient, HttpRequest, MailBuilder, Persona, TestServer};
use serde_json::{Value, json};

use crate::support::receive;

/// A call that sends a message.
#[derive(Debug, Clone)]
pub(crate) struct SendMethod {
    /// Name in the specification.
    pub(crate) name: &'static str,
    verb: &'static str,
    target: String,
    body: Value,
}

impl SendMethod {
    /// Sends the message.
    pub(crate) async fn send(&self, caller: &HttpClient) -> ApiResponse {
        let request = HttpRequest::new(self.verb, &self.target);
        caller.call(if self.body.is_null() { request } else { request.json(&self.body) }).await
    }

    /// Asks for the result of the send.
    pub(crate) async fn dry_run(&self, caller: &HttpClient) -> ApiResponse {
        self.send_with(caller, "dry_run", json!(true)).await
    }

    /// Sends the message with another field.
    pub(crate) async fn send_with(&self, caller: &HttpClient, field: &str, value: Value) -> ApiResponse {
        let mut body = self.body.clone();
        body[field] = value;
        caller.post(&self.target, body).await
    }
}

/// Delivers a mail from an address to an agent and returns the message.
pub(crate) async fn receive_question(server: &TestServer, agent: &Persona, from: &str) -> Value {
    let subject = format!("Question of {from}");
    receive(server, agent, &MailBuilder::new(from, &agent.inbox_id, &subject, "Shall we?")).await;
    agent.message_about(&subject).await
}

/// Returns all methods to send to the author of a message.
pub(crate) async fn every_send_method(agent: &Persona, message: &Value) -> [SendMethod; 5] {
    let to = &message["from"];
    let draft = agent.post(&agent.inbox("/drafts"), json!({"to": to, "text": "drafted"})).await.ok();
    let id = &message["message_id"];
    let letter = json!({"to": to, "text": "hello"});
    let answer = json!({"text": "hello"});
    [
        SendMethod { name: "send", verb: "POST", target: agent.inbox("/messages/send"), body: letter.clone() },
        SendMethod { name: "reply", verb: "POST", target: agent.message(id, "/reply"), body: answer.clone() },
        SendMethod { name: "reply-all", verb: "POST", target: agent.message(id, "/reply-all"), body: answer },
        SendMethod { name: "forward", verb: "POST", target: agent.message(id, "/forward"), body: letter },
        SendMethod {
            name: "draft-send",
            verb: "POST",
            target: agent.inbox(&format!("/drafts/{}/send", draft["draft_id"].as_str().unwrap())),
            body: json!({}),
        },
    ]
}

/// Returns an invitation of an organizer to an inbox, as a calendar object.
pub(crate) fn invitation_to(inbox_id: &str, organizer: &str) -> String {
    format!(
        "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:oak@outside.example\r\nSEQUENCE:2\r\nSUMMARY:Oak\r\n\
         DTSTAMP:20261001T080000Z\r\nDTSTART;TZID=Europe/Berlin:20261015T140000\r\nDURATION:PT30M\r\n\
         ORGANIZER:mailto:{organizer}\r\nATTENDEE;RSVP=TRUE:mailto:{inbox_id}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

/// Delivers an invitation from an address to an agent and returns the message.
pub(crate) async fn receive_invitation(server: &TestServer, agent: &Persona, from: &str) -> Value {
    let subject = format!("Invitation of {from}");
    let organizer = from.trim_end_matches('>').rsplit('<').next().unwrap();
    let object = invitation_to(&agent.inbox_id, organizer);
    let mail = MailBuilder::new(from, &agent.inbox_id, &subject, "Shall we?");
    receive(server, agent, &mail.attach("invite.ics", "text/calendar; method=REQUEST", object.as_bytes())).await;
    let id = agent.message_about(&subject).await["message_id"].clone();
    agent.get(&agent.message(&id, "")).await.ok()
}

/// Returns the method that answers an invitation.
pub(crate) fn answer_to_invitation(agent: &Persona, invitation: &Value) -> SendMethod {
    let body = json!({"response": "accept"});
    SendMethod { name: "rsvp", verb: "POST", target: agent.message(&invitation["message_id"], "/rsvp"), body }
}

/// Returns the methods that write to the attendees of an event, or to the organizer of the event of an invitation.
pub(crate) async fn calendar_methods(agent: &Persona, message: &Value, invitation: &Value) -> [SendMethod; 4] {
    let to = message["from"].as_str().unwrap();
    let address = to.trim_end_matches('>').rsplit('<').next().unwrap();
    let event = json!({
        "title": "Oak",
        "start": "2026-10-15T14:00:00",
        "end": "2026-10-15T14:30:00",
        "attendees": [{"email": address}],
    });
    let events = agent.inbox("/calendar/events");
    let stored = async || {
        let made = agent.post(&events, event.clone()).await.json();
        format!("{events}/{}", made["event"]["event_id"].as_str().unwrap())
    };
    let list = agent.get(&events).await.ok();
    let answered = list["events"].as_array().unwrap().iter().find(|event| event["source"] == "email");
    let id = answered.unwrap_or_else(|| panic!("no event of {invitation}"))["event_id"].as_str().unwrap();
    let mut invited = event.clone();
    invited["send_invites"] = json!(true);
    [
        SendMethod { name: "create-event", verb: "POST", target: events.clone(), body: invited },
        SendMethod {
            name: "update-event",
            verb: "PATCH",
            target: stored().await,
            body: json!({"title": "Elm", "send_invites": true}),
        },
        SendMethod {
            name: "delete-event",
            verb: "DELETE",
            target: format!("{}?send_invites=true", stored().await),
            body: Value::Null,
        },
        SendMethod {
            name: "respond-to-event",
            verb: "POST",
            target: format!("{events}/{id}/respond"),
            body: json!({"status": "accepted"}),
        },
    ]
}
