//! What there is before the calls begin, so that they find something.

use inboxd_testkit::{Persona, Server};
use serde_json::{Value, json};

use crate::support::{mail_to, receive};

/// How many of a kind there are for calls to delete.
const DOOMED: usize = 6;

/// For each parameter of a path, by the end of the path up to it: the values that calls name, and those that they may
/// delete. The longest end counts.
///
/// What is kept belongs together: the message is in the inbox and the thread, and has the attachment.
pub(super) async fn sown(server: &Server, agent: &Persona) -> Value {
    let raised = server.command(&["admin", "plan", &agent.organization_id, "enterprise"]).await;
    assert!(raised.status.success(), "{raised:?}");

    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].clone();
    let received = received(server, agent, "kept").await;
    let thread = agent.thread(&received["thread_id"], "");
    let attachment = received["attachments"][0]["attachment_id"].clone();
    let (mut messages, mut threads) = (Vec::new(), Vec::new());
    for number in 0..DOOMED {
        messages.push(self::received(server, agent, &format!("message {number}")).await["message_id"].clone());
        threads.push(self::received(server, agent, &format!("thread {number}")).await["thread_id"].clone());
    }

    let keys_of_inbox = made(agent, &agent.inbox("/api-keys"), "api_key_id").await;
    let keys_of_pod = made(agent, &format!("/v0/pods/{}/api-keys", text(&pod)), "api_key_id").await;
    let keys = made(agent, "/v0/api-keys", "api_key_id").await;
    let notes = made(agent, &format!("{thread}/notes"), "note_id").await;
    let link = agent.get(&format!("{thread}/attachments/{}", text(&attachment))).await.ok();
    let token = text(&link["download_url"]).rsplit('/').next().unwrap();

    json!({
        "{api_key_id}": { "kept": keys[..1], "doomed": keys[1..] },
        "inboxes/{inbox_id}/api-keys/{api_key_id}": { "kept": keys_of_inbox[..1], "doomed": keys_of_inbox[1..] },
        "pods/{pod_id}/api-keys/{api_key_id}": { "kept": keys_of_pod[..1], "doomed": keys_of_pod[1..] },
        "{attachment_id}": { "kept": [attachment] },
        "{file}": { "kept": ["start.js", "swagger-ui.css"] },
        "{inbox_id}": { "kept": [agent.inbox_id], "doomed": made(agent, "/v0/inboxes", "inbox_id").await },
        "{message_id}": { "kept": [received["message_id"]], "doomed": messages },
        "{note_id}": { "kept": notes[..1], "doomed": notes[1..] },
        "{pod_id}": { "kept": [pod], "doomed": made(agent, "/v0/pods", "pod_id").await },
        "{thread_id}": { "kept": [received["thread_id"]], "doomed": threads },
        "{token}": { "kept": [token] },
    })
}

/// A mail with an attachment that came in.
async fn received(server: &Server, agent: &Persona, subject: &str) -> Value {
    receive(server, agent, &mail_to(agent, subject).attach("notes.txt", "text/plain", b"Notes.")).await;
    agent.message_about(subject).await
}

/// Makes some of a kind, and answers their ids.
async fn made(agent: &Persona, path: &str, id: &str) -> Vec<Value> {
    let mut ids = Vec::new();
    for number in 0..=DOOMED {
        let body = match id {
            "note_id" => json!({"text": format!("Note {number}.")}),
            "inbox_id" => json!({}),
            _ => json!({"name": format!("Number {number}")}),
        };
        ids.push(agent.post(path, body).await.ok()[id].clone());
    }
    ids
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}
