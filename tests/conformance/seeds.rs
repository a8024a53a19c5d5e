//! What there is before the calls begin, so that they find something.

use inboxd_testkit::{Persona, Server};
use serde_json::{Value, json};

use crate::support::{in_seconds, mail_to, receive, set_plan};

/// How many of a kind there are for calls to use up.
const DOOMED: usize = 6;

/// An attachment that every mail and draft has.
const NOTES: &[u8] = b"Notes.";

/// For each parameter of a path, by the end of the path up to it: the values that calls name, and those that they may
/// use up. For each field of a body, query string or header, by the end of the path, a colon and its name: its values, with `#`
/// for a number that is another one each time, those of one place fitting together. The longest end counts.
///
/// What is kept belongs together: the message is in the inbox and the thread, and has the attachment.
pub(super) async fn sown(server: &Server, agent: &Persona) -> Value {
    set_plan(server, agent, "enterprise").await;
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].clone();
    let message = received(server, agent, "kept").await;
    let event =
        agent.get("/v0/events?event_types=message.received&limit=1").await.ok()["events"][0]["event_id"].clone();
    json!({
        "paths": paths(server, agent, &pod, &message).await,
        "fields": both(fields(agent, &pod, &message), webhook_fields(agent, &pod, &event)),
    })
}

async fn paths(server: &Server, agent: &Persona, pod: &Value, message: &Value) -> Value {
    let thread = agent.thread(&message["thread_id"], "");
    let attachment = &message["attachments"][0]["attachment_id"];
    let (mut messages, mut threads) = (Vec::new(), Vec::new());
    for number in 0..DOOMED {
        messages.push(received(server, agent, &format!("message {number}")).await["message_id"].clone());
        threads.push(received(server, agent, &format!("thread {number}")).await["thread_id"].clone());
    }

    let of_pod = |rest: &str| format!("/v0/pods/{}{rest}", text(pod));
    let drafts = made(agent, &agent.inbox("/drafts"), "draft_id").await;
    let draft = agent.get(&agent.inbox(&format!("/drafts/{}", text(&drafts[0])))).await.ok();
    let link = agent.get(&format!("{thread}/attachments/{}", text(attachment))).await.ok();
    let token = text(&link["download_url"]).rsplit('/').next().unwrap();

    json!({
        "{api_key_id}": shared_out(&made(agent, "/v0/api-keys", "api_key_id").await),
        "inboxes/{inbox_id}/api-keys/{api_key_id}":
            shared_out(&made(agent, &agent.inbox("/api-keys"), "api_key_id").await),
        "pods/{pod_id}/api-keys/{api_key_id}": shared_out(&made(agent, &of_pod("/api-keys"), "api_key_id").await),
        "{attachment_id}": { "kept": [attachment] },
        "drafts/{draft_id}/attachments/{attachment_id}": { "kept": [draft["attachments"][0]["attachment_id"]] },
        // Whoever is on a list of those who may be written to keeps everybody else from being written to.
        "{direction}": { "kept": ["receive", "reply"] },
        "{type}": { "kept": ["allow", "block"] },
        "{entry}": shared_out(&entries(agent, pod).await),
        "{domain_id}": shared_out(&made(agent, "/v0/domains", "domain_id").await),
        "pods/{pod_id}/domains/{domain_id}": shared_out(&made(agent, &of_pod("/domains"), "domain_id").await),
        "{draft_id}": shared_out(&drafts),
        "{file}": { "kept": ["start.js", "swagger-ui.css"] },
        "{inbox_id}": { "kept": [agent.inbox_id], "doomed": made(agent, "/v0/inboxes", "inbox_id").await },
        "{member_id}": shared_out(&made(agent, "/v0/members", "member_id").await),
        "{message_id}": { "kept": [message["message_id"]], "doomed": messages },
        "{note_id}": shared_out(&made(agent, &format!("{thread}/notes"), "note_id").await),
        "{pod_id}": { "kept": [pod], "doomed": made(agent, "/v0/pods", "pod_id").await },
        "{thread_id}": { "kept": [message["thread_id"]], "doomed": threads },
        "{token}": { "kept": [token] },
        "{webhook_id}": shared_out(&made(agent, "/v0/webhooks", "webhook_id").await),
        "inboxes/{inbox_id}/webhooks/{webhook_id}":
            shared_out(&made(agent, &agent.inbox("/webhooks"), "webhook_id").await),
        "pods/{pod_id}/webhooks/{webhook_id}": shared_out(&made(agent, &of_pod("/webhooks"), "webhook_id").await),
    })
}

fn fields(agent: &Persona, pod: &Value, message: &Value) -> Value {
    let people = json!(["bob@outside.example", ["Bob <bob@outside.example>", "carol@outside.example"]]);
    let labels = json!(["billing", ["billing", "urgent"], []]);
    let attachment = json!({"filename": "a.txt", "content_type": "text/plain", "content": "Tm90ZXMu"});
    json!({
        ":Idempotency-Key": ["key-#"],
        ":add_attachments": [[attachment]],
        ":add_labels": labels,
        ":after": ["2020-01-01T00:00:00Z"],
        ":assignee": ["me", "none"],
        ":assignee_id": ["me"],
        ":attachments": [[attachment], []],
        ":bcc": people,
        ":cc": people,
        ":client_id": ["client-#"],
        ":domain": ["inboxd.localhost"],
        "/domains:domain": ["added#.example"],
        ":email": ["person#@example.org"],
        ":entry": ["person#@example.org", "place#.example"],
        ":expires_at": [in_seconds(86_400)],
        ":forward_of": [null, message["message_id"]],
        ":headers": [{"X-Ours": "yes"}],
        ":human_email": ["owner#@example.org"],
        ":in_reply_to": [message["message_id"], null],
        ":inbox_id": [agent.inbox_id],
        ":inbox_ids": [[agent.inbox_id], []],
        ":labels": labels,
        ":message_ids": [[message["message_id"]]],
        ":organization_id": [agent.organization_id],
        ":plan": ["startup"],
        ":pod_id": [pod],
        ":remove_attachments": [[]],
        ":remove_labels": [["unread"]],
        ":reply_to": people,
        ":send_at": [in_seconds(86_400)],
        ":to": people,
        ":usage_types": [["message_count"], ["storage_bytes", "inbox_count"]],
        ":username": ["scout#"],
    })
}

/// Of `event_id` and `since` a replay names one.
fn webhook_fields(agent: &Persona, pod: &Value, event: &Value) -> Value {
    json!({
        ":add_inbox_ids": [[agent.inbox_id], []],
        "/inboxes/{inbox_id}/webhooks/{webhook_id}:add_inbox_ids": [[]],
        ":add_pod_ids": [[pod], []],
        "/inboxes/{inbox_id}/webhooks/{webhook_id}:add_pod_ids": [[]],
        "/pods/{pod_id}/webhooks/{webhook_id}:add_pod_ids": [[]],
        "/inboxes/{inbox_id}/webhooks:inbox_ids": [[]],
        ":pod_ids": [[pod], []],
        "/inboxes/{inbox_id}/webhooks:pod_ids": [[]],
        "/pods/{pod_id}/webhooks:pod_ids": [[]],
        ":event_id": [null, event],
        ":remove_headers": [["X-Gone"]],
        ":since": [in_seconds(0), null],
        ":remove_inbox_ids": [[]],
        ":remove_pod_ids": [[]],
        ":url": ["https://hooks.example.invalid/#"],
    })
}

/// The fields of two objects.
fn both(mut one: Value, mut other: Value) -> Value {
    one.as_object_mut().unwrap().append(other.as_object_mut().unwrap());
    one
}

/// A mail with an attachment that came in.
async fn received(server: &Server, agent: &Persona, subject: &str) -> Value {
    receive(server, agent, &mail_to(agent, subject).attach("notes.txt", "text/plain", NOTES)).await;
    agent.message_about(subject).await
}

/// Makes one of a kind to keep and some to use up, and answers their ids.
async fn made(agent: &Persona, path: &str, id: &str) -> Vec<Value> {
    let mut ids = Vec::new();
    for number in 0..=DOOMED {
        let body = match id {
            "domain_id" => json!({"domain": format!("number{number}.{}.example", path.len())}),
            "draft_id" => json!({
                "to": "bob@outside.example",
                "text": format!("Draft {number}."),
                "attachments": [{"filename": "a.txt", "content": "Tm90ZXMu"}],
            }),
            "inbox_id" => json!({}),
            "member_id" => json!({"email": format!("number{number}@example.org"), "role": "member"}),
            "webhook_id" => json!({"url": format!("https://hooks.example.invalid/{number}")}),
            "note_id" => json!({"text": format!("Note {number}.")}),
            _ => json!({"name": format!("Number {number}")}),
        };
        ids.push(agent.post(path, body).await.ok()[id].clone());
    }
    ids
}

/// Puts the same entries on every list that calls name, at every level, and answers them.
async fn entries(agent: &Persona, pod: &Value) -> Vec<Value> {
    let entries: Vec<String> = (0..=DOOMED).map(|number| format!("number{number}@outside.example")).collect();
    for whose in ["/v0".to_owned(), format!("/v0/pods/{}", text(pod)), agent.inbox("")] {
        for list in ["receive/allow", "receive/block", "reply/allow", "reply/block"] {
            for entry in &entries {
                agent.post(&format!("{whose}/lists/{list}"), json!({"entry": entry})).await.ok();
            }
        }
    }
    entries.into_iter().map(Value::from).collect()
}

/// The first is kept.
fn shared_out(ids: &[Value]) -> Value {
    json!({ "kept": ids[..1], "doomed": ids[1..] })
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}
