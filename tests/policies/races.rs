//! What may happen between a hold and its approval, or between a send and its time.

use inboxd_testkit::{Persona, eventually};
use serde_json::{Value, json};

use super::{draft_path, held, hold_first_contacts, owner};
use crate::drafts::make_due;
use crate::support::server_and_agent;

/// Returns the number of messages that an agent sent.
async fn sent(agent: &Persona) -> Value {
    agent.get(&agent.inbox("/messages?labels=sent")).await.ok()["count"].clone()
}

#[tokio::test]
async fn held_delayed_send_is_cancelled_and_never_approved_with_other_content() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    hold_first_contacts(&person).await;
    let delayed = agent.send(json!({"to": "bob@outside.example", "text": "harmless", "undo_seconds": 3600})).await;
    make_due(&server).await;
    let draft = eventually("the delayed send is held", async || {
        let drafts = agent.get("/v0/drafts?labels=awaiting_approval").await.ok();
        (drafts["count"] == 1).then(|| drafts["drafts"][0].clone())
    })
    .await;
    assert_eq!(draft["approval"]["message_id"], delayed["message_id"]);
    let seen = json!({"message_id": delayed["message_id"]});
    let path = draft_path(&agent, &draft["draft_id"], "");
    let cancel = agent.message(&delayed["message_id"], "/cancel");
    for _ in 0..2 {
        let cancelled = agent.post(&cancel, json!({})).await.ok();
        assert_eq!(cancelled["draft_id"], draft["draft_id"], "a repeat answers the same");
    }
    person.post(&format!("{path}/approve"), seen.clone()).await.require_error(409, "not_awaiting_approval");
    agent.patch(&path, json!({"text": "harmful"})).await.ok();
    let again = agent.post(&format!("{path}/send"), json!({})).await;
    assert_eq!(again.status, 202, "{}", again.text());
    assert_ne!(again.json()["message_id"], delayed["message_id"], "other bytes have another id");
    person.post(&format!("{path}/approve"), seen).await.require_error(409, "not_awaiting_approval");
    assert_eq!(sent(&agent).await, 0);
    person.post(&format!("{path}/approve"), json!({"message_id": again.json()["message_id"]})).await.ok();
}

#[tokio::test]
async fn suspended_organization_and_deleted_inbox_release_nothing() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    hold_first_contacts(&person).await;
    let waiting = held(&agent, "bob@outside.example", "hello").await;
    let approve = draft_path(&agent, &waiting["draft_id"], "/approve");
    let approval = json!({"message_id": waiting["message_id"]});
    let suspension = server.command(&["admin", "suspend", &agent.organization_id, "--reason", "unpaid"]).await;
    assert!(suspension.status.success(), "{suspension:?}");
    eventually("the suspension is known", async || {
        let refused = person.post(&approve, approval.clone()).await;
        (refused.status == 403 && refused.text().contains("organization_suspended")).then_some(())
    })
    .await;
    let resumption = server.command(&["admin", "resume", &agent.organization_id]).await;
    assert!(resumption.status.success(), "{resumption:?}");
    assert_eq!(sent(&agent).await, 0);
    eventually("the resumption is known", async || (agent.delete(&agent.inbox("")).await.status == 204).then_some(()))
        .await;
    person.post(&approve, approval).await.require_error(404, "not_found");
}

#[tokio::test]
async fn revoked_key_keeps_its_held_message_for_the_decision_of_a_person() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    hold_first_contacts(&person).await;
    let made = agent.post("/v0/api-keys", json!({"name": "gone"})).await.ok();
    let key = server.http().with_key(made["api_key"].as_str().unwrap());
    let letter = json!({"to": "bob@outside.example", "text": "hello"});
    let waiting = key.post(&agent.inbox("/messages/send"), letter).await.json();
    agent.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.require_no_content();
    let path = draft_path(&agent, &waiting["draft_id"], "");
    assert_eq!(agent.get(&path).await.ok()["approval"]["author"]["name"], "gone");
    key.post(&format!("{path}/send"), json!({})).await.require_error(401, "unknown_api_key");
    person.post(&format!("{path}/approve"), json!({"message_id": waiting["message_id"]})).await.ok();
}
