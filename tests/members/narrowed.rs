//! Keys of people that were given a map: the role and the map both have to allow it.

use inboxd_testkit::{Http, Persona, Server};
use serde_json::{Value, json};

use crate::people::{invited, path_of, signed_in};
use crate::support::{mail_to, receive, server, server_and_agent};

/// Maria, a member, whose key was given this map.
async fn narrowed(server: &Server, agent: &Persona, permissions: Value) -> Http {
    let key = signed_in(server, "maria@example.org", None).await;
    let path = format!("/v0/api-keys/{}", key["api_key_id"].as_str().unwrap());
    agent.patch(&path, json!({"permissions": permissions})).await.ok();
    server.http().with_key(key["api_key"].as_str().unwrap())
}

#[tokio::test]
async fn who_one_is_says_what_the_key_leaves_of_the_role() {
    let (server, agent) = server_and_agent().await;
    invited(&agent, "maria@example.org", "member", json!([])).await;
    let map = json!({"message_read": true, "message_send": false, "api_key_create": true});
    let maria = narrowed(&server, &agent, map).await;
    let me = maria.get("/v0/auth/me").await.ok();
    assert_eq!((&me["role"], &me["permissions"]), (&json!("member"), &json!({"message_read": true})));
    maria.get(&agent.inbox("/messages")).await.ok();
    let body = json!({"to": "bob@outside.example", "text": "hi"});
    maria.post(&agent.inbox("/messages/send"), body).await.refused(403, "missing_permission");
    maria.post("/v0/api-keys", json!({"name": "x"})).await.refused(403, "role_not_allowed");
}

#[tokio::test]
async fn a_narrowed_key_does_not_remove_its_person() {
    let (server, agent) = server_and_agent().await;
    invited(&agent, "maria@example.org", "member", json!([])).await;
    let own = path_of(&agent, "maria@example.org").await;
    let maria = narrowed(&server, &agent, json!({"message_read": true})).await;
    let envelope = maria.delete(&own).await.refused(403, "missing_permission");
    assert!(envelope["fix"].as_str().unwrap().contains("member_delete"), "{envelope:#}");
    agent.get(&own).await.ok();
    let granted = narrowed(&server, &agent, json!({"member_delete": true})).await;
    granted.delete(&own).await.gone();
    maria.get("/v0/auth/me").await.refused(401, "unknown_api_key");
}

#[tokio::test]
async fn switching_makes_no_narrowed_key_wider() {
    let server = server().await;
    let one = server.verified("one@example.org", "one").await;
    let two = server.verified("two@example.org", "two").await;
    for agent in [&one, &two] {
        invited(agent, "maria@example.org", "admin", json!([])).await;
    }
    let key = signed_in(&server, "maria@example.org", Some(&one.organization_id)).await;
    let path = format!("/v0/api-keys/{}", key["api_key_id"].as_str().unwrap());
    one.patch(&path, json!({"permissions": {"message_read": true}})).await.ok();
    let maria = server.http().with_key(key["api_key"].as_str().unwrap());
    let there = maria.post("/v0/auth/switch", json!({"organization_id": two.organization_id})).await.ok();
    let there = server.http().with_key(there["api_key"].as_str().unwrap());
    let me = there.get("/v0/auth/me").await.ok();
    assert_eq!((&me["organization_id"], &me["role"]), (&json!(two.organization_id), &json!("admin")));
    assert_eq!(me["permissions"], json!({"message_read": true}));
    there.get(&two.inbox("/messages")).await.ok();
    let body = json!({"to": "bob@outside.example", "text": "hi"});
    there.post(&two.inbox("/messages/send"), body).await.refused(403, "missing_permission");
    there.post("/v0/api-keys", json!({"name": "x"})).await.refused(403, "missing_permission");
}

#[tokio::test]
async fn a_narrowed_key_schedules_nobody_elses_mail_to_be_passed_on_unread() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "Secret").id("<secret@outside.example>")).await;
    invited(&agent, "maria@example.org", "member", json!([])).await;
    let forward = json!({"to": "bob@outside.example", "forward_of": "<secret@outside.example>"});
    let draft = agent.post(&agent.inbox("/drafts"), forward).await.ok();
    let path = agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()));
    let maria = narrowed(&server, &agent, json!({"draft_update": true, "draft_send": true})).await;
    let change = json!({"to": "mallory@outside.example", "send_at": "2100-01-01T00:00:00Z"});
    let envelope = maria.patch(&path, change.clone()).await.refused(403, "missing_permission");
    assert!(envelope["fix"].as_str().unwrap().contains("message_read"), "{envelope:#}");
    assert_eq!(agent.get(&path).await.ok(), draft);
    maria.post(&format!("{path}/send"), json!({})).await.refused(403, "missing_permission");
    // Nor is what others have scheduled sent elsewhere.
    let scheduled = agent.patch(&path, json!({"send_at": "2100-01-01T00:00:00Z"})).await.ok();
    let elsewhere = json!({"to": "mallory@outside.example"});
    maria.patch(&path, elsewhere).await.refused(403, "missing_permission");
    assert_eq!(agent.get(&path).await.ok(), scheduled);
    let map = json!({"draft_update": true, "draft_send": true, "message_read": true});
    let reader = narrowed(&server, &agent, map).await;
    assert_eq!(reader.patch(&path, change).await.ok()["to"], json!(["mallory@outside.example"]));
}
