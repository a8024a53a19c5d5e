//! Ids of another tenant, which behave like nonexistent ids in every operation.

use inboxd_testkit::encoded;
use serde_json::{Value, json};

use super::document::operations;
use crate::oauth::insert_connection;
use crate::people::sign_in_client;
use crate::send_methods::receive_invitation;
use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn ids_of_other_tenant_return_same_404_as_unknown_ids() {
    let (server, victim) = server_and_agent().await;
    let attacker = server.verified("attacker@example.org", "attacker").await;
    let mail = mail_to(&victim, "CONFIDENTIAL").id("<confidential@outside.example>").attach(
        "CONFIDENTIAL.txt",
        "text/plain",
        b"x",
    );
    receive(&server, &victim, &mail).await;
    receive_invitation(&server, &victim, "alice@outside.example").await;
    let event = victim.get(&victim.inbox("/calendar/events")).await.ok()["events"][0].clone();
    let message = victim.message_about("CONFIDENTIAL").await;
    let key = victim.post(&victim.inbox("/api-keys"), json!({"name": "CONFIDENTIAL"})).await.ok();
    let note = victim.post(&victim.thread(&message["thread_id"], "/notes"), json!({"text": "CONFIDENTIAL"})).await.ok();
    let draft = victim.post(&victim.inbox("/drafts"), json!({"subject": "CONFIDENTIAL"})).await.ok();
    let domain = victim.post("/v0/domains", json!({"domain": "confidential.example"})).await.ok();
    victim.post("/v0/lists/send/block", json!({"entry": "confidential.example"})).await.ok();
    let hook = json!({"url": "https://hooks.example.invalid/CONFIDENTIAL"});
    let webhook = victim.post(&victim.inbox("/webhooks"), hook).await.ok();
    let connection = insert_connection(&server, &victim.organization_id).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let owner = victim.get("/v0/members").await.ok()["members"][0].clone();
    // Each foreign id next to a nonexistent one.
    let ids = [
        ("inbox_id", victim.inbox_id.clone(), "nobody@inboxd.localhost"),
        ("message_id", text(&message["message_id"]), "<nobody@nowhere.example>"),
        ("thread_id", text(&message["thread_id"]), "thr_00000000000000000000000000000000"),
        ("draft_id", text(&draft["draft_id"]), "drf_00000000000000000000000000000000"),
        ("attachment_id", text(&message["attachments"][0]["attachment_id"]), "att_00000000000000000000000000000000"),
        ("domain_id", text(&domain["domain_id"]), "dom_00000000000000000000000000000000"),
        ("member_id", text(&owner["member_id"]), "mem_00000000000000000000000000000000"),
        ("note_id", text(&note["note_id"]), "note_00000000000000000000000000000000"),
        ("pod_id", text(&key["pod_id"]), "pod_00000000000000000000000000000000"),
        ("api_key_id", text(&key["api_key_id"]), "key_00000000000000000000000000000000"),
        ("webhook_id", text(&webhook["webhook_id"]), "whk_00000000000000000000000000000000"),
        ("connection_id", connection, "con_00000000000000000000000000000000"),
        ("event_id", text(&event["event_id"]), "cev_00000000000000000000000000000000"),
        ("address", "alice@outside.example".to_owned(), "nobody@outside.example"),
        ("entry", "confidential.example".to_owned(), "nowhere.example"),
    ];
    let theirs: Vec<_> = ids.iter().map(|(name, id, _)| (*name, encoded(id))).collect();
    let nobodys: Vec<_> = ids.iter().map(|(name, _, nothing)| (*name, encoded(nothing))).collect();
    let before = victim.message_about("CONFIDENTIAL").await;
    // A person holds all permissions.
    let person = sign_in_client(&server, "attacker@example.org").await;
    let mut tried = 0;
    for operation in operations(&server).await {
        if operation.things().is_empty() || operation.is_open() {
            continue;
        }
        // No app exists for any tenant; `tests/apps.rs` has the responses.
        if ["/v0/apps/", "/v0/providers/"].iter().any(|prefix| operation.path.starts_with(prefix)) {
            continue;
        }
        // The foreign inbox, and the own inbox with foreign ids below it.
        for inbox_id in [&victim.inbox_id, &attacker.inbox_id] {
            if inbox_id == &attacker.inbox_id && operation.things() == ["inbox_id"] {
                continue;
            }
            let mine = Some(inbox_id.as_str()).filter(|inbox_id| *inbox_id == attacker.inbox_id);
            let (theirs, nobodys) = (values(mine, &theirs), values(mine, &nobodys));
            let answer = person.call(operation.request(&theirs)).await;
            let what = format!("{} {}", operation.method, operation.target(&theirs));
            assert_eq!(answer.status, 404, "{what}: {}", answer.text());
            answer.require_error(404, "not_found");
            assert!(!answer.text().contains("CONFIDENTIAL"), "{what}: {}", answer.text());
            // The responses are equal except for the requested ids.
            let nothing = person.call(operation.request(&nobodys)).await;
            let told = ids.iter().fold(answer.text(), |told, (_, id, nothing)| told.replace(id, nothing));
            assert_eq!(told, nothing.text(), "{what}");
            tried += 1;
        }
    }
    assert!(tried > 25, "only {tried} operations were tried");
    assert_eq!(victim.message_about("CONFIDENTIAL").await, before, "a resource was changed");
    victim.with_key(key["api_key"].as_str().unwrap()).get(&victim.inbox("")).await.ok();
    assert_eq!(victim.get("/v0/domains").await.ok()["domains"], json!([domain]));
    assert_eq!(victim.get("/v0/inboxes").await.ok()["count"], 1);
}

/// Orders parameter values so that an inbox precedes the ids below it.
fn values<'a>(inbox_id: Option<&'a str>, ids: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
    let named = inbox_id.map(|inbox_id| ("inbox_id", inbox_id));
    named.into_iter().chain(ids.iter().map(|(name, id)| (*name, id.as_str()))).collect()
}
