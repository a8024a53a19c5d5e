//! Resources created before the calls, as valid parameters.

use inboxd_testkit::{HttpRequest, MailBuilder, Persona, TestServer};
use serde_json::{Value, json};

use crate::oauth::insert_connection;
use crate::people::sign_in_client;
use crate::send_methods::invitation_to;
use crate::support::{in_seconds, mail_to, receive, set_plan};

/// Number of resources of each kind that calls may delete.
const DELETABLE_COUNT: usize = 6;

/// Address of webhooks, which refuses connections and needs no DNS.
const NOWHERE: &str = "http://127.0.0.1:9";

/// Attachment of every message and draft.
const NOTES: &[u8] = b"Notes.";

/// Returns the values of path parameters and fields.
///
/// A path parameter is found by the end of the path up to it; it has values to retain and values that calls may delete.
/// A field of a body, query string or header is found by the end of the path, a colon and its name. `#` in a value
/// becomes a different number in each call. The longest matching end wins.
///
/// The retained values belong together: the message is in the inbox and the thread, and has the attachment.
pub(super) async fn create_seeds(server: &TestServer, agent: &Persona) -> Value {
    set_plan(server, agent, "enterprise").await;
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].clone();
    let message = receive_message(server, agent, "kept").await;
    let event =
        agent.get("/v0/events?event_types=message.received&limit=1").await.ok()["events"][0]["event_id"].clone();
    json!({
        "paths": paths(server, agent, &pod, &message).await,
        "fields": merge(
            merge(fields(agent, &pod, &message), webhook_fields(agent, &pod, &event)),
            merge(event_fields("/calendar/events"), event_fields("/calendar/events/{event_id}")),
        ),
    })
}

async fn paths(server: &TestServer, agent: &Persona, pod: &Value, message: &Value) -> Value {
    let thread = agent.thread(&message["thread_id"], "");
    let attachment = &message["attachments"][0]["attachment_id"];
    let event = agent.get(&agent.inbox("/calendar/events")).await.ok()["events"][0].clone();
    let later = json!({"to": "bob@outside.example", "text": "x", "undo_seconds": 3600});
    let delayed = agent.post(&agent.inbox("/messages/send"), later).await.ok();
    let (mut messages, mut threads) = (Vec::new(), Vec::new());
    for number in 0..DELETABLE_COUNT {
        messages.push(receive_message(server, agent, &format!("message {number}")).await["message_id"].clone());
        threads.push(receive_message(server, agent, &format!("thread {number}")).await["thread_id"].clone());
    }

    let of_pod = |rest: &str| format!("/v0/pods/{}{rest}", as_text(pod));
    let drafts = create_many(agent, &agent.inbox("/drafts"), "draft_id").await;
    let draft = agent.get(&agent.inbox(&format!("/drafts/{}", as_text(&drafts[0])))).await.ok();
    let link = agent.get(&format!("{thread}/attachments/{}", as_text(attachment))).await.ok();
    let token = as_text(&link["download_url"]).rsplit('/').next().unwrap();

    let keys = create_many(agent, "/v0/api-keys", "api_key_id").await;
    let owner = sign_in_client(server, "owner@example.org").await;
    let feed = owner.post(&agent.inbox("/calendar/feed"), json!({})).await.ok();
    let feed = as_text(&feed["url"]).rsplit('/').next().unwrap();
    let file = json!({"path": "upload", "size": 1, "sha256": "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="});
    let file = agent.post(&agent.inbox("/files"), file).await.ok();
    let upload = as_text(&file["upload"]["url"]).rsplit('/').next().unwrap();
    let inboxes = create_many(agent, "/v0/inboxes", "inbox_id").await;
    for inbox_id in &inboxes {
        owner.post(&format!("/v0/inboxes/{}/calendar/feed", as_text(inbox_id)), json!({})).await.ok();
    }
    let of_keys = keys.iter().map(|key| format!("/v0/api-keys/{}", as_text(key)));
    for scope in of_keys.chain([agent.inbox(""), of_pod("")]) {
        let policy = HttpRequest::new("PUT", &format!("{scope}/policy")).json(&json!({}));
        owner.call(policy).await.ok();
    }

    json!({
        "{account_id}": { "kept": ["d5e9c84f-c2b2-4bf4-b4b0-7ffd7a9ffc32"] },
        "{app_id}": { "kept": ["firecrawl"] },
        "{provider_id}": { "kept": ["firecrawl"] },
        "{address}": split_values(&contacts(server, agent).await),
        "{api_key_id}": split_values(&keys),
        "inboxes/{inbox_id}/api-keys/{api_key_id}":
            split_values(&create_many(agent, &agent.inbox("/api-keys"), "api_key_id").await),
        "pods/{pod_id}/api-keys/{api_key_id}": split_values(&create_many(agent, &of_pod("/api-keys"), "api_key_id").await),
        "{connection_id}": split_values(&create_connections(server, agent).await),
        "{attachment_id}": { "kept": [attachment] },
        "drafts/{draft_id}/attachments/{attachment_id}": { "kept": [draft["attachments"][0]["attachment_id"]] },
        // An entry on an allow list for sending would block all other recipients.
        "{direction}": { "kept": ["receive", "reply"] },
        "{type}": { "kept": ["allow", "block"] },
        "{entry}": split_values(&entries(agent, pod).await),
        "{domain_id}": split_values(&create_many(agent, "/v0/domains", "domain_id").await),
        "pods/{pod_id}/domains/{domain_id}": split_values(&create_many(agent, &of_pod("/domains"), "domain_id").await),
        "{draft_id}": split_values(&drafts),
        "{event_id}": { "kept": [event["event_id"]], "doomed": events(agent).await },
        "{file}": { "kept": ["start.js", "swagger-ui.css"] },
        "{file_id}": split_values(&create_many(agent, &agent.inbox("/files"), "file_id").await),
        "{inbox_id}": { "kept": [agent.inbox_id], "doomed": inboxes },
        "{member_id}": split_values(&create_many(agent, "/v0/members", "member_id").await),
        "{message_id}": { "kept": [message["message_id"], delayed["message_id"]], "doomed": messages },
        "{note_id}": split_values(&create_many(agent, &format!("{thread}/notes"), "note_id").await),
        "{pod_id}": { "kept": [pod], "doomed": create_many(agent, "/v0/pods", "pod_id").await },
        "{thread_id}": { "kept": [message["thread_id"]], "doomed": threads },
        "{token}": { "kept": [token] },
        "calendar-feeds/{token}": { "kept": [feed] },
        "uploads/{token}": { "kept": [upload] },
        "{webhook_id}": split_values(&create_many(agent, "/v0/webhooks", "webhook_id").await),
        "webhooks/polling/{webhook_id}": split_values(&create_many(agent, "/v0/webhooks/polling", "webhook_id").await),
        "inboxes/{inbox_id}/webhooks/polling/{webhook_id}":
            split_values(&create_many(agent, &agent.inbox("/webhooks/polling"), "webhook_id").await),
        "pods/{pod_id}/webhooks/polling/{webhook_id}":
            split_values(&create_many(agent, &of_pod("/webhooks/polling"), "webhook_id").await),
        "inboxes/{inbox_id}/webhooks/{webhook_id}":
            split_values(&create_many(agent, &agent.inbox("/webhooks"), "webhook_id").await),
        "pods/{pod_id}/webhooks/{webhook_id}": split_values(&create_many(agent, &of_pod("/webhooks"), "webhook_id").await),
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
        ":decision": ["trusted", "blocked", null],
        ":email": ["person#@example.org"],
        ":entry": ["person#@example.org", "place#.example"],
        ":expires_at": [in_seconds(86_400)],
        ":forward_of": [null, message["message_id"]],
        ":headers": [{"X-Ours": "yes"}],
        ":human_email": ["owner#@example.org"],
        ":invitation": [null],
        ":in_reply_to": [message["message_id"], null],
        ":inbox_id": [agent.inbox_id],
        ":inbox_ids": [[agent.inbox_id], []],
        ":labels": labels,
        ":message_ids": [[message["message_id"]]],
        ":organization_id": [agent.organization_id],
        ":path": ["reports/#.txt"],
        ":path_prefix": ["seed/"],
        ":content_type": ["text/plain"],
        ":plan": ["startup"],
        ":pod_id": [pod],
        ":remove_attachments": [[]],
        ":remove_labels": [["unread"]],
        ":reply_to": people,
        ":scope": ["inbox_read"],
        ":send_at": [in_seconds(86_400)],
        ":to": people,
        ":usage_types": [["message_count"], ["storage_bytes", "inbox_count"]],
        ":username": ["scout#"],
        ":with": ["alice@outside.example"],
    })
}

/// A replay names either `event_id` or `since`.
fn webhook_fields(agent: &Persona, pod: &Value, event: &Value) -> Value {
    json!({
        ":add_inbox_ids": [[agent.inbox_id], []],
        "/inboxes/{inbox_id}/webhooks/{webhook_id}:add_inbox_ids": [[]],
        ":add_pod_ids": [[pod], []],
        "/inboxes/{inbox_id}/webhooks/{webhook_id}:add_pod_ids": [[]],
        "/pods/{pod_id}/webhooks/{webhook_id}:add_pod_ids": [[]],
        "/inboxes/{inbox_id}/webhooks:inbox_ids": [[]],
        "/inboxes/{inbox_id}/webhooks/polling:inbox_ids": [[]],
        "/inboxes/{inbox_id}/webhooks/polling:pod_ids": [[]],
        "/pods/{pod_id}/webhooks/polling:pod_ids": [[]],
        ":pod_ids": [[pod], []],
        "/inboxes/{inbox_id}/webhooks:pod_ids": [[]],
        "/pods/{pod_id}/webhooks:pod_ids": [[]],
        ":event_id": [null, event],
        ":remove_headers": [["X-Gone"]],
        ":since": [in_seconds(0), null],
        ":remove_inbox_ids": [[]],
        ":remove_pod_ids": [[]],
        ":url": [format!("{NOWHERE}/#")],
    })
}

/// Fields of an event at a path that belong together.
fn event_fields(path: &str) -> Value {
    let fields = json!({
        "all_day": [false],
        "attendees": [[{"email": "bob@outside.example", "role": "optional"}], []],
        "duration_mode": [null],
        "end": ["2026-10-15T14:30:00"],
        "recurrence": [{"rule": "FREQ=WEEKLY;BYDAY=TH"}],
        "start": ["2026-10-15T14:00:00"],
        "timezone": ["Europe/Berlin"],
    });
    let named = fields.as_object().unwrap().iter().map(|(name, values)| (format!("{path}:{name}"), values.clone()));
    Value::Object(named.collect())
}

/// Creates events to delete and returns their ids.
async fn events(agent: &Persona) -> Vec<Value> {
    let mut ids = Vec::new();
    for _ in 0..DELETABLE_COUNT {
        let event = json!({"title": "gone", "start": "2026-10-15T14:00:00", "end": "2026-10-15T14:30:00"});
        let made = agent.post(&agent.inbox("/calendar/events"), event).await.json();
        ids.push(made["event"]["event_id"].clone());
    }
    ids
}

/// Merges two objects.
fn merge(mut one: Value, mut other: Value) -> Value {
    one.as_object_mut().unwrap().append(other.as_object_mut().unwrap());
    one
}

/// Delivers a mail with an attachment and returns its message.
async fn receive_message(server: &TestServer, agent: &Persona, subject: &str) -> Value {
    let invitation = invitation_to(&agent.inbox_id, "alice@outside.example");
    let invitation = invitation.replace("SEQUENCE:2", "SEQUENCE:2\r\nRRULE:FREQ=WEEKLY");
    let mail = mail_to(agent, subject).attach("notes.txt", "text/plain", NOTES);
    receive(server, agent, &mail.attach("invite.ics", "text/calendar", invitation.as_bytes())).await;
    agent.message_about(subject).await
}

/// Receives mail of contacts and returns their addresses.
async fn contacts(server: &TestServer, agent: &Persona) -> Vec<Value> {
    let mut addresses = Vec::new();
    for number in 0..=DELETABLE_COUNT {
        let address = format!("contact{number}@outside.example");
        receive(server, agent, &MailBuilder::new(&address, &agent.inbox_id, "contact", "text")).await;
        addresses.push(json!(address));
    }
    addresses
}

/// Creates one resource to retain and some to delete, and returns their ids.
async fn create_many(agent: &Persona, path: &str, id: &str) -> Vec<Value> {
    let mut ids = Vec::new();
    for number in 0..=DELETABLE_COUNT {
        let body = match id {
            "domain_id" => json!({"domain": format!("number{number}.{}.example", path.len())}),
            "draft_id" => json!({
                "to": "bob@outside.example",
                "text": format!("Draft {number}."),
                "attachments": [{"filename": "a.txt", "content": "Tm90ZXMu"}],
            }),
            "file_id" => json!({
                "path": format!("seed/{number}"), "size": 0, "sha256": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            }),
            "inbox_id" => json!({}),
            "member_id" => json!({"email": format!("number{number}@example.org"), "role": "member"}),
            "webhook_id" if path.ends_with("/polling") => {
                json!({"client_id": format!("number{number}-{}", path.len()), "event_types": ["message.sent"]})
            }
            "webhook_id" => json!({"url": format!("{NOWHERE}/{number}")}),
            "note_id" => json!({"text": format!("Note {number}.")}),
            _ => json!({"name": format!("Number {number}")}),
        };
        let created = agent.post(path, body).await.ok();
        if let Some(url) = created["upload"]["url"].as_str() {
            agent.call(HttpRequest::new("PUT", &url[url.find("/v0/").unwrap()..]).body("")).await.ok();
        }
        ids.push(created[id].clone());
    }
    ids
}

/// Creates connections of the owner.
async fn create_connections(server: &TestServer, agent: &Persona) -> Vec<Value> {
    let mut ids = Vec::new();
    for _ in 0..=DELETABLE_COUNT {
        ids.push(insert_connection(server, &agent.organization_id).await.into());
    }
    ids
}

/// Creates the same entries on every named list, at every level, and returns them.
async fn entries(agent: &Persona, pod: &Value) -> Vec<Value> {
    let entries: Vec<String> = (0..=DELETABLE_COUNT).map(|number| format!("number{number}@outside.example")).collect();
    for whose in ["/v0".to_owned(), format!("/v0/pods/{}", as_text(pod)), agent.inbox("")] {
        for list in ["receive/allow", "receive/block", "reply/allow", "reply/block"] {
            for entry in &entries {
                agent.post(&format!("{whose}/lists/{list}"), json!({"entry": entry})).await.ok();
            }
        }
    }
    entries.into_iter().map(Value::from).collect()
}

/// The first one is retained.
fn split_values(ids: &[Value]) -> Value {
    json!({ "kept": ids[..1], "doomed": ids[1..] })
}

fn as_text(value: &Value) -> &str {
    value.as_str().unwrap()
}
